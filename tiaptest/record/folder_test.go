package record_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// A folder is written by one recording at a time. The one that comes second is refused
// and changes nothing; when the first has ended it may.
func TestTwoRecordings(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mine")
	o := here(record.Options{Dir: dir, K: 10})
	asked, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	slow := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		once.Do(func() {
			asked <- true
			<-goOn
		})
		return answers(q), nil
	})
	first := make(chan error)
	go func() {
		_, _, err := record.Ingests(t.Context(), questions(20), build(slow), o)
		first <- err
	}()
	<-asked
	before := tree(t, dir)
	_, _, err := record.Ingests(t.Context(), questions(20), build(steady), o)
	require.ErrorIs(t, err, lock.ErrHeld)
	require.EqualError(t, err, "record: "+dir+": it is being written at this moment; wait for its end, or record into another folder")
	require.Equal(t, before, tree(t, dir))
	_, _, err = record.Ingests(t.Context(), questions(20), build(steady), here(record.Options{Dir: dir + "2", K: 10}))
	require.NoError(t, err, "another folder")
	close(goOn)
	require.NoError(t, <-first)
	_, _, err = record.Ingests(t.Context(), questions(20), build(steady), o)
	require.NoError(t, err)
	assert.Equal(t, tree(t, dir+"2"), tree(t, dir))
}

// Recordings into the systems of one bundle do not disturb one another.
func TestParallelRecordings(t *testing.T) {
	t.Parallel()
	bundle := t.TempDir()
	dir := func(i int) string { return filepath.Join(bundle, "systems", fmt.Sprint("s", i)) }
	const n = 6
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			_, _, err := record.Ingests(t.Context(), questions(40), build(steady), here(record.Options{Dir: dir(i), K: 10, Repeats: 2}))
			assert.NoError(t, err)
		})
	}
	all.Wait()
	want := tree(t, dir(0))
	require.Len(t, want, 4)
	for i := range n {
		assert.Equal(t, want, tree(t, dir(i)))
	}
}

// A folder in which nothing can be made is an error that names it, before anything is
// asked.
func TestFolderCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	never := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		t.Error("asked")
		return nil, nil
	})
	_, _, err := record.Ingests(t.Context(), questions(1), build(never), here(record.Options{Dir: filepath.Join(file, "mine")}))
	require.ErrorContains(t, err, file)
}

// A recording on a disk that is full, or read-only, is an error, and the same call goes on
// from the answers that found room, until all is as on a healthy disk.
func TestDisks(t *testing.T) {
	t.Parallel()
	ingest := func(dir string) error {
		_, _, err := record.Ingests(context.Background(), questions(120), build(steady), here(record.Options{Dir: filepath.Join(dir, "mine"), K: 10}))
		return err
	}
	healthy := t.TempDir()
	require.NoError(t, ingest(healthy))
	want := tree(t, healthy)
	crash.Disks(t, func(string) error { return nil }, ingest, func(t *testing.T, dir string, written bool) {
		got := tree(t, dir)
		if written {
			require.Equal(t, want, got)
			return
		}
		for name, text := range got {
			if filepath.Base(name) != "run.jsonl.part" {
				require.Equal(t, want[name], text, "%s is whole or not there", name)
			}
		}
	})
}

// A nil function is no system and no parser: an error, not a panic.
func TestNilFunctions(t *testing.T) {
	t.Parallel()
	_, err := record.SearchFunc(nil).Search(t.Context(), record.Query{ID: "q1", K: 1})
	require.EqualError(t, err, "the SearchFunc is nil; give a function")
	_, err = record.ParseFunc(nil).Parse(t.Context(), nil)
	require.EqualError(t, err, "the ParseFunc is nil; give a function")
	require.ErrorContains(t, record.TestParser(record.ParseFunc(nil), nil, record.Claims{}), "the ParseFunc is nil")
	require.ErrorContains(t, record.TestSearcher(record.SearchFunc(nil), questions(1), memories(1), record.Claims{}), "the SearchFunc is nil")
	_, _, err = record.Ingests(t.Context(), questions(1), build(record.SearchFunc(nil)), here(record.Options{}))
	require.ErrorContains(t, err, "the SearchFunc is nil")
}
