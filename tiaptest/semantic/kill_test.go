package semantic_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// collectedIn returns how many of the queries q0, q1, ... have a label each, in this order.
func collectedIn(file string) (int, error) {
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return 0, nil
	}
	ls, err := semantic.OpenLabels(file)
	if err != nil {
		if text, readErr := os.ReadFile(file); readErr == nil && len(text) == 0 {
			return 0, nil
		}
		return 0, err
	}
	n := 0
	for j := range ls.All() {
		if want := fmt.Sprint("q", n); j.Query != want || j.Label != semantic.Supports {
			return 0, fmt.Errorf("label %d is of %s, not of %s", n+1, j.Query, want)
		}
		n++
	}
	return n, nil
}

// TestCollectKilled: a collection that is killed keeps each label that it told of, the
// next one goes on from there, and only the case that was being asked is asked again.
func TestCollectKilled(t *testing.T) {
	r := crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			asked, err := os.OpenFile(filepath.Join(dir, "asked"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				return err
			}
			defer asked.Close()
			judge := judgeFunc(func(semantic.Case) (semantic.Label, error) {
				_, err := asked.WriteString("x")
				return semantic.Supports, err
			})
			for n := before; ; {
				ctx, stop := context.WithCancel(context.Background())
				ended := false
				_, err := semantic.Collect(ctx, judge, manyCases(n+20), filepath.Join(dir, "labels.jsonl"), semantic.Collection{Progress: func(m, _ int) {
					if n = m; !done(m) {
						ended = true
						stop()
					}
				}})
				stop()
				if ended {
					return nil
				}
				if err != nil {
					return err
				}
			}
		},
		Found: func(dir string) (int, error) { return collectedIn(filepath.Join(dir, "labels.jsonl")) },
	})
	asked, err := os.ReadFile(filepath.Join(r.Dir, "asked"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(asked), r.Done+r.Kills)
	entries, err := os.ReadDir(r.Dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing is left beside them")
}

// TestAppendToKilled: labels that were appended stay, and those of a process that is
// killed are there whole or not at all.
func TestAppendToKilled(t *testing.T) {
	crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			for n := before + 1; ; n++ {
				ls, err := semantic.NewLabels(semantic.Judgement{Query: fmt.Sprint("q", n-1), System: "A", Memory: "m", Judge: "a", Kind: semantic.Human, Label: semantic.Supports})
				if err != nil {
					return err
				}
				if _, err := ls.AppendTo(filepath.Join(dir, "labels.jsonl")); err != nil || !done(n) {
					return err
				}
			}
		},
		Found: func(dir string) (int, error) { return collectedIn(filepath.Join(dir, "labels.jsonl")) },
	})
}

// TestDisks: labels that find no room on the disk, or a disk that is read-only, leave the
// file as it was.
func TestDisks(t *testing.T) {
	t.Parallel()
	var list []semantic.Judgement
	for i := range 200 {
		list = append(list, semantic.Judgement{Query: fmt.Sprint("q", i), System: "A", Memory: "m", Judge: "a", Kind: semantic.Human, Label: semantic.Supports})
	}
	add := func(list []semantic.Judgement) func(string) error {
		return func(dir string) error {
			_, err := labelsOf(list).AppendTo(filepath.Join(dir, "labels.jsonl"))
			return err
		}
	}
	crash.Disks(t, add(list[:1]), add(list), func(t *testing.T, dir string, written bool) {
		want := 1
		if written {
			want = len(list)
		}
		n, err := collectedIn(filepath.Join(dir, "labels.jsonl"))
		require.NoError(t, err)
		require.Equal(t, want, n)
	})
}

// TestAppendTogether: what is being written is refused to others, and nothing is lost.
func TestAppendTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full}))
	judge := judgeFunc(func(semantic.Case) (semantic.Label, error) {
		_, err := ls.AppendTo(file)
		assert.ErrorIs(t, err, lock.ErrHeld)
		assert.EqualError(t, err, file+": it is being written at this moment; wait for its end, or append to another file")
		_, err = semantic.Collect(t.Context(), judgeFunc(nil), manyCases(1), file, semantic.Collection{})
		assert.ErrorIs(t, err, lock.ErrHeld)
		known, err := semantic.Collect(t.Context(), judgeFunc(nil), manyCases(2), file, semantic.Collection{Dry: true})
		assert.NoError(t, err)
		assert.Equal(t, 2, known.Tasks, "a dry run only reads")
		return semantic.Supports, nil
	})
	_, err := semantic.Collect(t.Context(), judge, manyCases(2), file, semantic.Collection{})
	require.NoError(t, err)
	added, err := ls.AppendTo(file)
	require.NoError(t, err)
	assert.Equal(t, 1, added)
	assert.Equal(t, 3, must(semantic.OpenLabels(file)).Len())
}

// TestAppendToOther: a file that is none of labels is left as it is.
func TestAppendToOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.md")
	const text = "# Notes\n\nNothing of labels."
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	_, err := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full})).AppendTo(file)
	require.ErrorContains(t, err, "notes.md:1: ")
	_, err = semantic.Collect(t.Context(), judgeFunc(nil), manyCases(1), file, semantic.Collection{})
	require.ErrorContains(t, err, "notes.md:1: ")
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, text, string(got))
}
