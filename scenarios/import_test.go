package scenarios_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
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

// TestKill: an import that is killed leaves nothing in the place of the folder, and
// the next one removes what it leaves beside it.
func TestKill(t *testing.T) {
	at := func(dir string, n int) string { return filepath.Join(dir, fmt.Sprint("out-", n)) }
	make := func(dir string, n int) error {
		_, err := scenarios.Import(context.Background(), "longmemeval", haySample, at(dir, n))
		return err
	}
	var whole map[string]string
	imported := 0
	r := crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			for n := before + 1; ; n++ {
				if err := make(dir, n); err != nil || !done(n) {
					return err
				}
			}
		},
		Found: func(dir string) (int, error) {
			if whole == nil {
				parent := t.TempDir()
				require.NoError(t, make(parent, 1))
				whole = tree(t, at(parent, 1))
			}
			for ; ; imported++ {
				if _, err := os.Stat(at(dir, imported+1)); err != nil {
					return imported, nil
				}
				if diff := cmp.Diff(whole, tree(t, at(dir, imported+1))); diff != "" {
					return 0, fmt.Errorf("import %d is not whole (-want +got):\n%s", imported+1, diff)
				}
			}
		},
	})
	require.Len(t, names(t, r.Dir), r.Done, "nothing is left beside them")
	for n := range r.Done {
		require.Equal(t, whole, tree(t, at(r.Dir, n+1)))
	}
}

// TestImportTogether: of several imports to one place one succeeds, and its folder is
// whole.
func TestImportTogether(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	var succeeded atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := scenarios.Import(t.Context(), "longmemeval", haySample, filepath.Join(parent, "out")); err == nil {
				succeeded.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(1), succeeded.Load())
	require.Equal(t, []string{"out"}, names(t, parent))
	whole := filepath.Join(t.TempDir(), "out")
	_, err := scenarios.Import(t.Context(), "longmemeval", haySample, whole)
	require.NoError(t, err)
	require.Equal(t, tree(t, whole), tree(t, filepath.Join(parent, "out")))
}

// TestDisks: an import to a disk that is full, or read-only, leaves nothing.
func TestDisks(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "out")
	_, err := scenarios.Import(t.Context(), "longmemeval", haySample, whole)
	require.NoError(t, err)
	var last error // of the read-only disk
	crash.Disks(t, func(string) error { return nil }, func(dir string) error {
		_, last = scenarios.Import(context.Background(), "longmemeval", haySample, filepath.Join(dir, "out"))
		return last
	}, func(t *testing.T, dir string, written bool) {
		if !written {
			require.Empty(t, names(t, dir))
			return
		}
		require.Equal(t, []string{"out"}, names(t, dir))
		require.Equal(t, tree(t, whole), tree(t, filepath.Join(dir, "out")))
	})
	require.Regexp(t, `^write .*/dir/out: read-only file system; name a folder where others can be made$`, last.Error())
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
