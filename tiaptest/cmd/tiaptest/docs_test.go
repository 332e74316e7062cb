package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// documented is the block of docs/ci.md below a marker.
func documented(t *testing.T, marker string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/ci.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?m)^<!-- "+marker+" -->\n```[a-z]+\n((?s:.*?))^```$").FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 1, "docs/ci.md: %s", marker)
	return blocks[0][1]
}

// TestDocumentedCI runs what docs/ci.md says, in a module of a user: the block for a
// shell, the pipe, and the script of the job for GitLab.
func TestDocumentedCI(t *testing.T) {
	t.Parallel()
	var gitlab struct {
		Gate struct {
			Script    []string
			Artifacts struct {
				Paths   []string
				Reports struct{ JUnit string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(documented(t, "gitlab")), &gitlab))
	require.NotEmpty(t, gitlab.Gate.Script)
	assert.Equal(t, []string{"out"}, gitlab.Gate.Artifacts.Paths)
	assert.Equal(t, "out/junit.xml", gitlab.Gate.Artifacts.Reports.JUnit)
	blocks := map[string]string{
		"shell.sh":  documented(t, "shell"),
		"pipe.sh":   documented(t, "pipe"),
		"gitlab.sh": "set -e\n" + strings.Join(gitlab.Gate.Script, "\n") + "\n",
	}
	params := userModule(t, "docs")
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		for name, text := range blocks {
			if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(text), 0o666); err != nil {
				return err
			}
		}
		return setup(e)
	}
	testscript.Run(t, params)
}

// The workflow for GitHub calls the action as it is.
func TestDocumentedWorkflow(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Steps []actionStep
		}
	}
	text := documented(t, "github")
	require.NoError(t, yaml.Unmarshal([]byte(text), &workflow))
	assert.LessOrEqual(t, strings.Count(text, "\n"), 10)
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "\n```yaml\n"+text+"```\n", "README.md shows the same")
	steps := workflow.Jobs["gate"].Steps
	require.Len(t, steps, 2)
	assert.Equal(t, "tiaptest/tiap/.github/actions/gate@main", steps[1].Uses)
	a, _ := readAction(t)
	for name := range steps[1].With {
		assert.Contains(t, a.Inputs, name)
	}

	// The table lists each input with its default.
	page, err := os.ReadFile("../../../docs/ci.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([a-z][a-z-]*) \| (.*?) ?\| .* \|$`).FindAllStringSubmatch(string(page), -1)
	listed := map[string]string{}
	for _, row := range rows {
		listed[row[1]] = strings.Trim(row[2], "` ")
	}
	delete(listed, "input")
	assert.Len(t, listed, len(a.Inputs))
	for name, in := range a.Inputs {
		want := in.Default
		if name == "token" {
			want = "the job's"
		}
		assert.Equal(t, want, listed[name], name)
	}
}
