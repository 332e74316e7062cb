package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// state is a golden file with its scores, of a version of an audit.
func state(t *testing.T, version int) (record []byte, scoresFile string, scores []byte) {
	t.Helper()
	q := &queryScores{ids: []string{"q1", "q2"}, sets: map[string][]bool{"A": {true, true}}, columns: map[columnKey][]column{}}
	c := make(column, 2)
	c[0] = 1 / float64(version+1)
	q.columns[columnKey{"A", "raw", "mrr"}] = []column{c}
	r := &Record{content: content{Schema: recordSchema, Identity: identity{Scenario: strings.Repeat(fmt.Sprint(version), 5000)}}, scores: q}
	record, scoresFile, scores, err := r.bundle("talk.json", newSettings(nil))
	require.NoError(t, err)
	require.NotEmpty(t, scoresFile)
	return record, scoresFile, scores
}

// whole requires a folder to hold one of the states, whole.
func whole(t *testing.T, file string, versions ...int) (version int) {
	t.Helper()
	r, err := ReadRecord(file)
	require.NoError(t, err)
	require.NotNil(t, r.scores, "the scores that the record names are there: %s", r.note)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, v := range versions {
		if record, _, _ := state(t, v); bytes.Equal(record, data) {
			require.InDelta(t, 1/float64(v+1), r.scores.columns[columnKey{"A", "raw", "mrr"}][0][0], 1e-12)
			return v
		}
	}
	t.Fatal("the golden file is neither the old one nor the new one")
	return 0
}

// An update that fails at any step leaves the old state or the new one, and the
// next update succeeds.
func TestFaultAtEachStep(t *testing.T) {
	t.Parallel()
	steps := 0
	for at := 0; ; at++ {
		file := filepath.Join(t.TempDir(), "talk.json")
		old, oldName, oldScores := state(t, 1)
		_, err := save(file, old, oldName, oldScores, nil)
		require.NoError(t, err)
		n, name := 0, ""
		record, scoresFile, scores := state(t, 2)
		_, err = save(file, record, scoresFile, scores, func(step string) error {
			if n++; n == at+1 {
				name = step
				return errors.New("fault")
			}
			return nil
		})
		got := whole(t, file, 1, 2)
		if name == "" {
			require.NoError(t, err)
			require.Equal(t, 2, got)
			break
		}
		steps++
		_, err = save(file, record, scoresFile, scores, nil)
		require.NoError(t, err, "after a fault at %s", name)
		require.Equal(t, 2, whole(t, file, 2))
		entries, err := os.ReadDir(filepath.Dir(file))
		require.NoError(t, err)
		require.Len(t, entries, 2, "nothing is left behind after a fault at %s", name)
	}
	require.Equal(t, 13, steps, "create, two writes, sync, rename and sync of the folder for each file, and the removal of old scores")
}

// A process that is killed at any moment leaves the old state or the new one.
func TestKill(t *testing.T) {
	if dir := os.Getenv("TIAP_TEST_KILLED"); dir != "" {
		for v := 1; ; v = 3 - v {
			record, scoresFile, scores := state(t, v)
			_, err := save(filepath.Join(dir, "talk.json"), record, scoresFile, scores, nil)
			require.NoError(t, err)
		}
	}
	t.Parallel()
	if testing.Short() {
		t.Skip("starts 200 processes")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "talk.json")
	record, scoresFile, scores := state(t, 1)
	_, err := save(file, record, scoresFile, scores, nil)
	require.NoError(t, err)
	seen := make(map[int]int)
	for i := range 200 {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
		c.Env = append(os.Environ(), "TIAP_TEST_KILLED="+dir)
		require.NoError(t, c.Start())
		time.Sleep(time.Duration(10+i%23) * time.Millisecond)
		require.NoError(t, c.Process.Kill())
		_ = c.Wait()
		seen[whole(t, file, 1, 2)]++
	}
	require.NotEmpty(t, seen[2], "the processes were killed while they wrote: %v", seen)
	t.Logf("states found after 200 kills: %v", seen)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	record, name, scores := state(t, 1)
	for _, place := range []string{"vendor/example.com/pkg/testdata", "pkg/mod/example.com@v1.0.0/testdata"} {
		dir := filepath.Join(t.TempDir(), place)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		_, err := save(filepath.Join(dir, "talk.json"), record, name, scores, nil)
		require.ErrorContains(t, err, "record it in the module's own repository")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o555))
	_, err := save(filepath.Join(dir, "talk.json"), record, name, scores, nil)
	require.ErrorContains(t, err, "read-only")
	require.NoError(t, os.Chmod(dir, 0o777))

	for _, key := range []string{"", "../up", "a:b", "nul", "NUL.x", "a/", ".hidden"} {
		_, err := fileOf(key)
		require.ErrorContains(t, err, "makes no file name", key)
	}
	file := filepath.Join(dir, "talk.json")
	require.NoError(t, claimFile(file, "talk", "TestA", []byte("x")))
	require.NoError(t, claimFile(file, "talk", "TestA", []byte("x")), "the same again, with -count=2")
	require.ErrorContains(t, claimFile(file, "talk", "TestB", []byte("y")), "two contents")
	require.ErrorContains(t, claimFile(filepath.Join(dir, "Talk.json"), "Talk", "TestB", []byte("x")), "where case does not count")
}

// Files are written only when their content changes.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "talk.json")
	record, name, scores := state(t, 1)
	written, err := save(file, record, name, scores, nil)
	require.NoError(t, err)
	require.True(t, written)
	written, err = save(file, record, name, scores, func(string) error { return errors.New("written") })
	require.NoError(t, err)
	require.False(t, written)
}
