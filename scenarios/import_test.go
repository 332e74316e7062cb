package scenarios_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

func sumOf(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// tree returns the files of a folder with their content.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	}))
	return files
}

func names(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestImport(t *testing.T) {
	t.Parallel()
	empty := newHay()
	empty.set("haystack_sessions", 0, []any{})
	empty.set("haystack_sessions", 1, []any{})
	empty.set("haystack_sessions", 2, []any{})
	noTurns := filepath.Join(t.TempDir(), "empty.json")
	require.NoError(t, os.WriteFile(noTurns, []byte(empty.text(t)), 0o666))
	for _, src := range []string{haySample, synthetic(t, 3), noTurns} {
		t.Run(filepath.Base(src), func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "new", "out")
			summary, err := scenarios.Import(t.Context(), "longmemeval", src, dir)
			require.NoError(t, err)
			b, err := scenarios.LongMemEval(src)
			require.NoError(t, err)
			require.Equal(t, b.Summary, *summary)
			require.Equal(t, sumOf(t, src), summary.SHA256)

			whole := filepath.Join(parent, "whole")
			require.NoError(t, b.Bundle().WriteDir(whole))
			require.Empty(t, cmp.Diff(tree(t, whole), tree(t, dir)), "(-WriteDir +Import)")
			require.Equal(t, []string{"out"}, names(t, filepath.Join(parent, "new")))
			scenario, err := tiaptest.OpenScenario(dir)
			require.NoError(t, err)
			for i, q := range b.Scenario.Queries {
				if q.Evidence == nil {
					b.Scenario.Queries[i].Evidence = []tiaptest.Unit{}
				}
			}
			require.Empty(t, cmp.Diff(&b.Scenario, scenario), "(-read +opened)")

			again := filepath.Join(parent, "again")
			require.NoError(t, os.Mkdir(again, 0o777), "an empty folder may be there")
			_, err = scenarios.Import(t.Context(), "longmemeval", src, again)
			require.NoError(t, err)
			require.Equal(t, tree(t, dir), tree(t, again))
		})
	}
}

func TestImportIsWholeOrNot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(synthetic(t, 8))
	require.NoError(t, err)
	src := filepath.Join(t.TempDir(), "cut.json")
	require.NoError(t, os.WriteFile(src, text[:len(text)-1000], 0o666))

	parent := t.TempDir()
	_, err = scenarios.Import(t.Context(), "longmemeval", src, filepath.Join(parent, "out"))
	require.ErrorContains(t, err, src+": the file ends before element 8")
	require.Empty(t, names(t, parent))

	held := filepath.Join(parent, "held")
	require.NoError(t, os.Mkdir(held, 0o777))
	_, err = scenarios.Import(t.Context(), "longmemeval", src, held)
	require.Error(t, err)
	require.Equal(t, []string{"held"}, names(t, parent))
	require.Empty(t, names(t, held))
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	held := filepath.Join(parent, "held")
	require.NoError(t, os.Mkdir(held, 0o777))
	file := filepath.Join(held, "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o666))
	for _, test := range []struct{ name, src, dir, want string }{
		{"longmemeval", haySample, held, held + ": the folder is not empty; name one that does not exist yet"},
		{"longmemeval", haySample, file, "name a folder that does not exist yet"},
		{"longmemeval", filepath.Join(parent, "absent"), filepath.Join(parent, "out"), "absent: no such file"},
		{"longmemeval", held, filepath.Join(parent, "out"), held + ": this is no file; name a file"},
		{"memories", haySample, filepath.Join(parent, "out"), `unknown benchmark "memories"; use `},
	} {
		_, err := scenarios.Import(t.Context(), test.name, test.src, test.dir)
		require.ErrorContains(t, err, test.want)
	}
	require.Equal(t, []string{"held"}, names(t, parent))
	require.Equal(t, map[string]string{"file": "x"}, tree(t, held))
}

// TestImportKilled: an import that is killed leaves nothing in the place of the
// folder, and what it leaves beside it is hidden.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	const source, target = "TIAP_TEST_IMPORT_SOURCE", "TIAP_TEST_IMPORT_TARGET"
	if src := os.Getenv(source); src != "" {
		calls := 0
		_, err := scenarios.Import(t.Context(), "longmemeval", src, os.Getenv(target), scenarios.Progress(func(read, total int64) {
			if calls++; calls == 2 { // the first comes with the first bytes
				self, err := os.FindProcess(os.Getpid())
				if err == nil {
					err = self.Kill()
				}
				t.Errorf("still alive: %v", err)
			}
		}))
		t.Fatalf("not killed: %v", err)
	}
	src := synthetic(t, 8)
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	cmd := exec.Command(os.Args[0], "-test.run=^TestImportKilled$")
	cmd.Env = append(os.Environ(), source+"="+src, target+"="+dir)
	text, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.NotContains(t, string(text), "not killed")
	require.NoDirExists(t, dir)
	left := names(t, parent)
	require.Len(t, left, 1)
	require.True(t, strings.HasPrefix(left[0], ".out."), left[0])
	_, err = scenarios.Import(t.Context(), "longmemeval", src, dir)
	require.NoError(t, err, "the next import is not hindered")
}

func TestImportProgress(t *testing.T) {
	t.Parallel()
	src := synthetic(t, 3)
	info, err := os.Stat(src)
	require.NoError(t, err)
	var calls []string
	_, err = scenarios.LongMemEval(src, scenarios.Progress(func(read, total int64) {
		require.Equal(t, info.Size(), total)
		calls = append(calls, fmt.Sprint(read))
	}))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(calls), 2)
	require.Equal(t, fmt.Sprint(info.Size()), calls[len(calls)-1])
}
