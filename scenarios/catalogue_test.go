package scenarios_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/script"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{Dir: "catalogue"})
}

// TestCatalogueBundles checks that the bundles are examples to follow, but for
// what they are about.
func TestCatalogueBundles(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for _, e := range scenarios.Catalogue() {
		assert.False(t, names[e.Name], e.Name)
		names[e.Name] = true
		b, err := e.Bundle()
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(e.Name, "_", " "), b.Scenario.Name)
		a, err := tiaptest.Rescore(b)
		require.NoError(t, err, e.Name)
		rules := []tiaptest.Rule{tiaptest.Nested(), tiaptest.CompleteRuns(), tiaptest.TargetsReported()}
		if e.Name == "missing_lineage" {
			rules = rules[:2]
		}
		assert.NoError(t, a.Verify(rules...), e.Name)
	}
}

// TestCatalogueReads checks what makes the scripts read as one: a sentence, a
// paragraph, findings; short enough for a screen.
func TestCatalogueReads(t *testing.T) {
	t.Parallel()
	entries := scenarios.Catalogue()
	assert.GreaterOrEqual(t, len(entries), 22)
	sentence := regexp.MustCompile(`^[A-Z].*\.$`)
	files, err := filepath.Glob("catalogue/*")
	require.NoError(t, err)
	require.Len(t, files, len(entries))
	for i, e := range entries {
		assert.Equal(t, fmt.Sprintf("catalogue/%02d_%s.txtar", i+1, e.Name), filepath.ToSlash(files[i]))
		assert.Regexp(t, sentence, e.Phenomenon, e.Name)
		lines := strings.Split(strings.TrimSpace(e.Text), "\n")
		assert.True(t, len(lines) >= 20 && len(lines) <= 60, "%s has %d lines", e.Name, len(lines))
		assert.Equal(t, "#", lines[1], e.Name)
		script, _, _ := strings.Cut(e.Text, "\n-- ")
		for line := range strings.Lines(script) {
			assert.LessOrEqual(t, len(line), 110, "%s: %s", e.Name, line)
		}
	}
}

// TestCatalogueFindings denies every finding of the catalogue and requires each to
// fail: none of them holds by itself.
func TestCatalogueFindings(t *testing.T) {
	t.Parallel()
	own := script.Commands()
	output := []string{"prints", "stdout", "stderr", "cmp"}
	for _, e := range scenarios.Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			findings := 0
			// Lines about output are denied apart, since a command that fails has none.
			for _, aboutOutput := range []bool{false, true} {
				comment, files, _ := strings.Cut(e.Text, "\n-- ")
				lines := strings.Split(comment, "\n")
				var denied []int
				for i, line := range lines {
					name, _, _ := strings.Cut(strings.TrimPrefix(line, "! "), " ")
					isOutput := slices.Contains(output, name)
					switch _, ok := own[name]; {
					case name == "findings":
						lines[i] = "" // since some are denied
						continue
					case name == "explain" || name == "audit" && !strings.HasPrefix(line, "! "):
						continue // it prints
					case isOutput && !aboutOutput:
						lines[i] = ""
						continue
					case isOutput != aboutOutput || !isOutput && !ok:
						continue
					}
					if positive, ok := strings.CutPrefix(line, "! "); ok {
						lines[i] = positive
					} else {
						lines[i] = "! " + line
					}
					denied = append(denied, i+1)
				}
				findings += len(denied)
				log := runText(t, e.Name, strings.Join(lines, "\n")+"\n-- "+files)
				for _, line := range denied {
					assert.Contains(t, log, fmt.Sprintf("FAIL: %s.txtar:%d: ", e.Name, line), "%q holds", lines[line-1])
				}
				assert.Equal(t, len(denied), strings.Count(log, "FAIL: "), "others fail too:\n%s", cmp.Or(log, "no log"))
			}
			assert.GreaterOrEqual(t, findings, 3)
		})
	}
}

// TestCatalogueLosesNoFinding takes out every line of the catalogue that states a
// finding, one at a time, and requires the scenario to fail: the last line says how
// many there are.
func TestCatalogueLosesNoFinding(t *testing.T) {
	t.Parallel()
	own := script.Commands()
	for _, e := range scenarios.Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			comment, files, _ := strings.Cut(e.Text, "\n-- ")
			lines := strings.Split(strings.TrimSpace(comment), "\n")
			last := len(lines) - 1
			require.Regexp(t, `^findings [0-9]+$`, lines[last])
			findings := 0
			for i, line := range lines[:last] {
				name, _, _ := strings.Cut(strings.TrimPrefix(line, "! "), " ")
				assert.NotContains(t, []string{"cmp", "cmpenv", "grep", "stderr", "stdout"}, name, "which is not counted")
				if _, ok := own[name]; !ok || name == "explain" || name == "audit" && !strings.HasPrefix(line, "! ") {
					continue // it sets something, or prints
				}
				findings++
				without := slices.Concat(lines[:i], []string{""}, lines[i+1:])
				log := runText(t, e.Name, strings.Join(without, "\n")+"\n\n-- "+files)
				assert.Contains(t, log, fmt.Sprintf("FAIL: %s.txtar:%d: findings: ", e.Name, last+1), "without %q", line)
			}
			assert.Equal(t, fmt.Sprintf("findings %d", findings), lines[last])
		})
	}
}

// runText runs a script to its end, whatever fails, and returns the log.
func runText(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".txtar")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	r := &recorder{}
	r.Run(name, func(testscript.T) {
		script.RunT(r, "", testscript.Params{Files: []string{file}, ContinueOnError: true})
	})
	return strings.ReplaceAll(r.String(), file, name+".txtar")
}

// recorder is a testscript.T that keeps the log.
type recorder struct{ bytes.Buffer }

type stop struct{}

func (r *recorder) Skip(args ...any)  { r.Fatal(args...) }
func (r *recorder) Fatal(args ...any) { r.Log(args...); r.FailNow() }
func (r *recorder) FailNow()          { panic(stop{}) }
func (r *recorder) Log(args ...any)   { fmt.Fprintln(r, args...) }
func (r *recorder) Parallel()         {}
func (r *recorder) Verbose() bool     { return true }

func (r *recorder) Run(_ string, f func(testscript.T)) {
	defer func() {
		if v := recover(); v != nil && v != any(stop{}) {
			panic(v)
		}
	}()
	f(r)
}
