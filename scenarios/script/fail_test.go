package script_test

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

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/script"
)

// TestFail runs scripts each of whose lines that assert must fail, with the log
// in the file want of the script. TIAP_UPDATE writes it.
func TestFail(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/fail/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			failed, log := run(file, testscript.Params{Setup: talk, ContinueOnError: true})
			assert.True(t, failed)
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			want := &a.Files[slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })]
			if os.Getenv("TIAP_UPDATE") != "" {
				want.Data = []byte(log)
				require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o666))
			}
			if diff := gocmp.Diff(string(want.Data), log); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			for line := range strings.Lines(string(a.Comment)) {
				if line = strings.TrimSpace(line); line == setting || strings.HasPrefix(line, "cp ") {
					continue
				}
				_, after, _ := strings.Cut(log, "> "+line+"\n")
				outcome, _, _ := strings.Cut(after, "\n> ")
				assert.Contains(t, outcome, "FAIL: "+filepath.Base(file)+":", "%s does not fail", line)
			}
		})
	}
}

// setting is the one line of the scripts that fail which only sets something.
const setting = "audit -k 5 -metrics mrr@5"

// run runs a script, or several, outside go test.
func run(file string, p testscript.Params) (failed bool, log string) {
	t := &recorder{}
	p.Files = []string{file}
	runAll(t, p)
	log = phase.ReplaceAllString(t.log.String(), "")
	return t.failed, strings.ReplaceAll(log, file, filepath.Base(file))
}

func runAll(t *recorder, p testscript.Params) {
	defer t.recover()
	script.RunT(t, "go tool tiaptest script talk.txtar", p)
}

var phase = regexp.MustCompile(`(?m) \(\d+\.\d+s\)$`)

// recorder is a testscript.T that keeps the log.
type recorder struct {
	failed bool
	log    bytes.Buffer
}

type stop struct{}

func (t *recorder) Skip(args ...any)  { t.Log(args...); panic(stop{}) }
func (t *recorder) Fatal(args ...any) { t.Log(args...); t.FailNow() }
func (t *recorder) FailNow()          { t.failed = true; panic(stop{}) }
func (t *recorder) Log(args ...any)   { fmt.Fprintln(&t.log, args...) }
func (t *recorder) Parallel()         {}
func (t *recorder) Verbose() bool     { return false }

func (t *recorder) Run(_ string, f func(testscript.T)) {
	defer t.recover()
	f(t)
}

func (t *recorder) recover() {
	if v := recover(); v != nil && v != any(stop{}) {
		panic(v)
	}
}

// TestRecording checks that a golden file which is missing fails with the command
// that records it, and that only the plain line records.
func TestRecording(t *testing.T) {
	if os.Getenv("TIAP_UPDATE") != "" {
		t.Skip("TIAP_UPDATE is set")
	}
	golden := filepath.Join(t.TempDir(), "talk.json")
	file := filepath.Join(t.TempDir(), "talk.txtar")
	write := func(line string) {
		require.NoError(t, os.WriteFile(file, []byte(line+"\n"), 0o666))
	}
	write("golden " + golden)
	failed, log := run(file, testscript.Params{Setup: talk})
	assert.True(t, failed)
	assert.Contains(t, log, "\nfailed: missing; 1 of 1 finding fails; against ")
	assert.Contains(t, log, "to accept: TIAP_UPDATE=1 go tool tiaptest script talk.txtar\n")
	assert.Contains(t, log, "FAIL: talk.txtar:1: the verdict is missing; expected nothing that fails\n")

	t.Setenv("TIAP_UPDATE", "force")
	for _, line := range []string{"! golden " + golden, "golden " + golden + " same"} {
		write(line)
		failed, log = run(file, testscript.Params{Setup: talk})
		assert.True(t, failed)
		assert.Contains(t, log, "there is no golden file "+golden+"; a golden line without ! and verdict records it\n")
		assert.NoFileExists(t, golden)
	}
	write("golden " + golden)
	failed, log = run(file, testscript.Params{Setup: talk})
	assert.False(t, failed, log)
	assert.FileExists(t, golden)

	t.Setenv("TIAP_UPDATE", "")
	failed, log = run(file, testscript.Params{Setup: talk})
	assert.False(t, failed, log)
}

// TestUnknownNames checks that what is negated still needs names that exist, so
// that a misspelt finding cannot hold.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"! score D2 raw mrr@5 0.5", "! score D1 rw mrr@5 0.5", "! score D1 raw mr@5 0.5", "! score D2 raw mrr@5",
		"! winner D2 raw mrr@5", "! winner D1 D2 raw mrr@5", "! winner D1 rw mrr@5", "! winner D1 raw mr@5",
		"! flip D1 D2 raw source mrr@5", "! flip D1 D5 raw sauce mrr@5", "! flip D1 D5 raw source mr@5",
		"! recommend length raw mrr@5 D1", "! recommend density rw mrr@5 D1", "! recommend density raw mr@5 D1", "! recommend density raw mrr@5 D2",
		"! audit none", "! audit queries.jsonl", "! audit -k 0 none", "! coverage D2 raw 0.1", "! coverage D1 rw 0.1", "! subset 9 D1 D2", "! gate none", "! golden none.json winner-flip",
	} {
		file := filepath.Join(t.TempDir(), "line.txtar")
		require.NoError(t, os.WriteFile(file, []byte(line+"\n"), 0o666))
		failed, log := run(file, testscript.Params{Setup: talk})
		assert.True(t, failed, "%s holds:\n%s", line, cmp.Or(log, "no log"))
	}
}
