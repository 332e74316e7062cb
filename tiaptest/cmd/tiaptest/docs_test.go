package main

import (
	"os"
	"os/exec"
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

// TestDocumentedBase runs the block that compares with the base branch, in a clone of one
// commit, as CI makes it.
func TestDocumentedBase(t *testing.T) {
	t.Parallel()
	block, command, found := strings.Cut(documented(t, "base"), "go tool tiaptest ")
	require.True(t, found)
	origin, clone := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	shell := func(dir, script string) {
		t.Helper()
		cmd := exec.Command("sh", "-euc", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, tool := range []string{"git", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	writeFiles(t, filepath.Join(origin, "testdata", "talk"), soundBundle)
	const commit = "git -c user.name=n -c user.email=n@example.com commit -q -m "
	shell(origin, "git init -q -b main; git add .; "+commit+"base; git checkout -q -b change; "+commit+"head --allow-empty")
	shell(".", "git clone -q --depth 1 --branch change 'file:///"+strings.TrimPrefix(filepath.ToSlash(origin), "/")+"' '"+clone+"'")
	shell(clone, block)

	cmd := exec.Command(os.Args[0], strings.Fields(command)...)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), roleEnv+"=command")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(filepath.Join(clone, "gate.md"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "passed: same; against base/testdata/talk")
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
