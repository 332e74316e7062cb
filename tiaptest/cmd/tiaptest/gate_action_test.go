package main

import (
	"fmt"
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

// action is what action.yml holds.
type action struct {
	Inputs map[string]struct {
		Description string
		Default     string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	Name, ID, If, Shell, Run, Uses string
	WorkingDirectory               string `yaml:"working-directory"`
	Env, With                      map[string]string
}

const gateFolder = "../../../.github/actions/gate"

func readAction(t *testing.T) (action, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(gateFolder, "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(text, &a))
	require.NotEmpty(t, a.Runs.Steps)
	return a, string(text)
}

// What the inputs hold never becomes part of a script, and foreign actions are fixed
// by commit.
func TestGateAction(t *testing.T) {
	t.Parallel()
	a, text := readAction(t)
	assert.Equal(t, "composite", a.Runs.Using)
	for name, in := range a.Inputs {
		assert.NotEmpty(t, in.Description, name)
		assert.Regexp(t, `inputs\.`+name+`\b`, text, "nothing uses it")
		assert.Regexp(t, `^[a-z-]+$`, name)
	}
	for _, used := range regexp.MustCompile(`inputs\.([A-Za-z0-9_-]+)`).FindAllStringSubmatch(text, -1) {
		assert.Contains(t, a.Inputs, used[1])
	}
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		for _, expression := range expressions.FindAllStringSubmatch(fmt.Sprint(s.Env, s.With, s.WorkingDirectory, a.Outputs), -1) {
			if id, ok := strings.CutPrefix(expression[1], "steps."); ok {
				id, _, _ = strings.Cut(id, ".")
				assert.True(t, ids[id] || id == "test", "%s: no step before has the id %s", s.Name, id)
			}
		}
		ids[s.ID] = true
		if s.Uses != "" {
			assert.Regexp(t, `^actions/[a-z-]+@[0-9a-f]{40}$`, s.Uses)
			assert.Regexp(t, regexp.QuoteMeta(s.Uses)+` # v\d+\.\d+\.\d+\n`, text, "its version is said")
			assert.Empty(t, s.Run)
			continue
		}
		assert.Equal(t, "bash", s.Shell, s.Name)
		assert.NotContains(t, s.Run, "${{", s.Name)
		script := regexp.MustCompile(`^"\$GITHUB_ACTION_PATH/([a-z]+\.sh)"$`).FindStringSubmatch(s.Run)
		require.NotNil(t, script, "%s: %s", s.Name, s.Run)
		checkScript(t, script[1], s.Env)
	}
	checkScript(t, "events.sh", nil)

	// The version of gotestsum is the one that the tests here run with.
	mod, err := os.ReadFile("../../../go.mod")
	require.NoError(t, err)
	script, err := os.ReadFile(filepath.Join(gateFolder, "test.sh"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^gotestsum_version=(\S+) `).FindSubmatch(script)
	require.NotNil(t, version)
	assert.Contains(t, string(mod), "gotest.tools/gotestsum "+string(version[1])+" ")
	files, err := filepath.Glob(filepath.Join(gateFolder, "*"))
	require.NoError(t, err)
	assert.Len(t, files, 5, "action.yml and the scripts that are looked at")
}

// checkScript looks at a script of the action: it stops at errors, no text of an input
// is run, and it uses what its step gives it.
func checkScript(t *testing.T, name string, env map[string]string) {
	t.Helper()
	file := filepath.Join(gateFolder, name)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o111), info.Mode()&0o111, "%s is not executable", name)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	script := string(text)
	assert.True(t, strings.HasPrefix(script, "#!/usr/bin/env bash\n"), name)
	assert.Contains(t, script, "\nset -euo pipefail\n", name)
	assert.NotContains(t, script, "eval ", name)
	assert.NotContains(t, script, "${{", name)
	for variable := range env {
		assert.Contains(t, script, variable, "%s does not use it", name)
	}
	for _, used := range regexp.MustCompile(`GATE_[A-Z]+`).FindAllString(script, -1) {
		assert.Contains(t, []string{env[used], "GATE_MARKER"}, map[bool]string{true: env[used], false: used}[env[used] != ""], "%s: nobody sets %s", name, used)
	}
}

// TestGateScript runs the scripts of testdata/gate: the steps of action.yml on modules
// of a user, as a runner of GitHub would.
func TestGateScript(t *testing.T) {
	t.Parallel()
	params := userModule(t, "gate")
	a, _ := readAction(t)
	root, err := filepath.Abs(gateFolder)
	require.NoError(t, err)
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		e.Setenv("GITHUB_ACTION_PATH", root)
		e.Setenv("PATH", filepath.Join(e.WorkDir, "bin")+string(filepath.ListSeparator)+e.Getenv("PATH"))
		return setup(e)
	}
	params.Cmds["gate"] = a.run
	testscript.Run(t, params)
}

var expressions = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

// run is the command "gate [INPUT=VALUE...]": it runs the steps. What they print is in
// the file log, the summary of the steps in summary, what is kept in kept.
func (a action) run(ts *testscript.TestScript, neg bool, args []string) {
	work := ts.Getenv("WORK")
	temp := filepath.Join(work, "temp")
	ts.Check(os.RemoveAll(temp))
	ts.Check(os.MkdirAll(temp, 0o777))
	for name, value := range map[string]string{
		"GITHUB_WORKSPACE": work, "RUNNER_TEMP": temp, "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "example/user",
		"GITHUB_STEP_SUMMARY": filepath.Join(work, "summary"), "GITHUB_OUTPUT": filepath.Join(temp, "output"), "GITHUB_EVENT_PATH": filepath.Join(work, "event.json"),
	} {
		ts.Setenv(name, value)
	}
	values := map[string]string{"github.token": "token", "github.event.pull_request.number": ts.Getenv("PULL")}
	for name, in := range a.Inputs {
		values["inputs."+name] = in.Default
	}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if _, known := a.Inputs[name]; !ok || !known {
			ts.Fatalf("%s: no input of the action", arg)
		}
		values["inputs."+name] = strings.ReplaceAll(value, `\n`, "\n")
	}
	fill := func(s string) string {
		for range 2 { // the default of an input may be an expression
			s = expressions.ReplaceAllStringFunc(s, func(e string) string { return values[expressions.FindStringSubmatch(e)[1]] })
		}
		return s
	}
	var log, kept strings.Builder
	failed := false
	ts.Check(os.WriteFile(filepath.Join(work, "summary"), nil, 0o666))
	for _, s := range a.Runs.Steps {
		if !holds(ts, s.If, failed, values) {
			continue
		}
		if s.Uses != "" {
			if strings.HasPrefix(s.Uses, "actions/upload-artifact@") {
				keep(ts, &kept, strings.Fields(fill(s.With["path"])))
			}
			continue
		}
		for name, value := range s.Env {
			ts.Setenv(name, fill(value))
		}
		ts.Check(os.WriteFile(filepath.Join(temp, "output"), nil, 0o666))
		// A runner starts scripts so: bash --noprofile --norc -eo pipefail {0}
		const start = `cd "$1" && printf '%s\n' "$2" >"$RUNNER_TEMP/step.sh" && bash --noprofile --norc -eo pipefail "$RUNNER_TEMP/step.sh" 2>&1`
		err := ts.Exec("bash", "-c", start, "bash", filepath.Join(work, fill(s.WorkingDirectory)), s.Run)
		failed = failed || err != nil
		outcome := map[bool]string{true: "success", false: "failure"}[err == nil]
		values["steps."+s.ID+".outcome"] = outcome
		fmt.Fprintf(&log, "%s\nstep %s: %s\n", ts.ReadFile("stdout"), s.Name, outcome)
		for line := range strings.Lines(ts.ReadFile(filepath.Join(temp, "output"))) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			values["steps."+s.ID+".outputs."+name] = value
		}
	}
	ts.Check(os.WriteFile(filepath.Join(work, "log"), []byte(log.String()), 0o666))
	ts.Check(os.WriteFile(filepath.Join(work, "kept"), []byte(kept.String()), 0o666))
	if failed != neg {
		ts.Fatalf("the gate failed: %v\n%s\n%s", failed, log.String(), ts.ReadFile(filepath.Join(work, "summary")))
	}
}

// holds evaluates the condition of a step.
func holds(ts *testscript.TestScript, condition string, failed bool, values map[string]string) bool {
	always := false
	for _, term := range strings.Split(condition, " && ") {
		switch {
		case term == "":
		case term == "always()":
			always = true
		default:
			m := regexp.MustCompile(`^([a-z.-]+) (==|!=) '([^']*)'$`).FindStringSubmatch(term)
			if m == nil {
				ts.Fatalf("condition %q", term)
			}
			if (values[m[1]] == m[3]) != (m[2] == "==") {
				return false
			}
		}
	}
	return always || !failed
}

// keep lists the files that an artifact would hold.
func keep(ts *testscript.TestScript, kept *strings.Builder, paths []string) {
	for _, path := range paths {
		ts.Check(filepath.Walk(ts.MkAbs(path), func(file string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				fmt.Fprintln(kept, filepath.Base(file))
			}
			return err
		}))
	}
}
