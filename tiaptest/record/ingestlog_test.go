package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

func fact(id string, turns ...string) tiaptest.Memory {
	m := tiaptest.Memory{ID: id, Form: "fact"}
	for _, turn := range turns {
		m.Sources = append(m.Sources, tiaptest.Link{Turn: turn})
	}
	return m
}

// with changes a memory.
func with(m tiaptest.Memory, change func(m *tiaptest.Memory)) tiaptest.Memory {
	change(&m)
	return m
}

func TestIngestLog(t *testing.T) {
	t.Parallel()
	superseded := func(m *tiaptest.Memory) { m.Status = "superseded" }
	for _, c := range []struct {
		name string
		say  func(l *record.IngestLog)
		want []tiaptest.Memory
	}{
		{"nothing", func(*record.IngestLog) {}, []tiaptest.Memory{}},
		{"add", func(l *record.IngestLog) {
			l.Add(fact("b", "t1"))
			l.Add(tiaptest.Memory{ID: "a", Form: "summary", Parents: []string{"c", "b"}, Sources: []tiaptest.Link{{Turn: "t2", Precision: "batch", Origin: "inferred"}}})
			l.Add(fact("c"))
		}, []tiaptest.Memory{
			{ID: "a", Form: "summary", Parents: []string{"c", "b"}, Sources: []tiaptest.Link{{Turn: "t2", Precision: "batch", Origin: "inferred"}}},
			fact("b", "t1"), fact("c"),
		}},
		{"merge", func(l *record.IngestLog) {
			l.Add(fact("a", "t1"))
			l.Add(fact("b", "t2"))
			l.Delete("b")
			l.Merge(fact("c", "t3"), "a", "b")
		}, []tiaptest.Memory{
			with(fact("a", "t1"), superseded),
			with(fact("b", "t2"), func(m *tiaptest.Memory) { m.Status = "deleted" }),
			with(fact("c", "t3"), func(m *tiaptest.Memory) { m.Parents = []string{"a", "b"} }),
		}},
		{"update in place", func(l *record.IngestLog) {
			l.Add(with(fact("a", "t1"), func(m *tiaptest.Memory) { m.Text, m.ValidFrom = "in Bern", "2026" }))
			l.Update("a", tiaptest.Memory{Sources: []tiaptest.Link{{Turn: "t2"}, {Turn: "t1"}}, Text: "in Basel"})
			l.Update("a", fact("a", "t3"))
		}, []tiaptest.Memory{
			with(fact("a", "t1", "t2", "t3"), func(m *tiaptest.Memory) { m.Text, m.ValidFrom = "in Basel", "2026" }),
		}},
		{"update to a new memory", func(l *record.IngestLog) {
			l.Add(fact("a", "t1"))
			l.Update("a", tiaptest.Memory{ID: "b", Sources: []tiaptest.Link{{Turn: "t2"}}})
		}, []tiaptest.Memory{
			with(fact("a", "t1"), superseded),
			with(fact("b", "t2"), func(m *tiaptest.Memory) { m.Parents = []string{"a"} }),
		}},
		{"delete", func(l *record.IngestLog) {
			l.Add(fact("a", "t1"))
			l.Delete("a")
		}, []tiaptest.Memory{with(fact("a", "t1"), func(m *tiaptest.Memory) { m.Status = "deleted" })}},
		{"rename", func(l *record.IngestLog) {
			l.Add(fact("a", "t1"))
			l.Add(with(fact("s"), func(m *tiaptest.Memory) { m.Parents = []string{"a", "c"} }))
			l.Rename("a", "b")
			l.Rename("a", "c") // by an earlier id
			l.Update("b", fact("", "t2"))
			l.Rename("c", "a") // back again
			l.Rename("a", "d")
		}, []tiaptest.Memory{
			fact("d", "t1", "t2"),
			with(fact("s"), func(m *tiaptest.Memory) { m.Parents = []string{"d"} }),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var l record.IngestLog
			c.say(&l)
			got, err := l.Memories()
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(c.want, got))

			// The same through a file, said in two processes and said twice.
			file := filepath.Join(t.TempDir(), "new", "ingest.jsonl")
			for range 2 {
				l, err := record.OpenIngestLog(file)
				require.NoError(t, err)
				c.say(l)
				require.NoError(t, l.Close())
				require.NoError(t, l.Close())
				got, err := l.Memories()
				require.NoError(t, err)
				assert.Empty(t, cmp.Diff(c.want, got))
			}
		})
	}
}

func TestIngestLogCurrent(t *testing.T) {
	t.Parallel()
	var l record.IngestLog
	assert.Equal(t, "a", l.Current("a"))
	l.Add(fact("a"))
	l.Rename("a", "b")
	l.Rename("b", "c")
	for _, id := range []string{"a", "b", "c"} {
		assert.Equal(t, "c", l.Current(id))
	}
	assert.Equal(t, "x", l.Current("x"))
	assert.Equal(t, "x", (*record.IngestLog)(nil).Current("x"))
}

func TestIngestLogMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		say  func(l *record.IngestLog)
		want string
	}{
		{func(l *record.IngestLog) { l.Add(fact("")) }, "a memory was added without an id; give it the one that rankings name"},
		{func(l *record.IngestLog) { l.Add(fact("a")) }, `the id "a" was given to a second memory; use Update for a memory that changed`},
		{func(l *record.IngestLog) { l.Rename("a", "b"); l.Add(fact("a")) }, `the id "a" was given to a second memory; use Update for a memory that changed`},
		{func(l *record.IngestLog) { l.Add(tiaptest.Memory{ID: "b"}) }, `memory "b" has no form; say "raw" for an original turn, else what it is`},
		{func(l *record.IngestLog) { l.Add(fact("b", "")) }, `memory "b" has a source without a turn id; name the turn, or leave the source out`},
		{func(l *record.IngestLog) {
			l.Add(with(fact("b"), func(m *tiaptest.Memory) { m.Parents = []string{"x"} }))
		},
			`memory "b" names the parent "x", which was never added; add that memory, or name its turns under Sources`},
		{func(l *record.IngestLog) { l.Merge(fact("b"), "a", "x") }, `merge into b: no memory has the id "x"; add the memory first`},
		{func(l *record.IngestLog) { l.Update("x", fact("")) }, `update: no memory has the id "x"; add the memory first`},
		{func(l *record.IngestLog) { l.Delete("x") }, `delete: no memory has the id "x"; add the memory first`},
		{func(l *record.IngestLog) { l.Rename("x", "y") }, `rename: no memory has the id "x"; add the memory first`},
		{func(l *record.IngestLog) { l.Rename("a", "") }, `rename: the new id of "a" is empty; give the id that rankings name`},
		{func(l *record.IngestLog) { l.Add(fact("b")); l.Rename("a", "b") }, `rename: the new id "b" of "a" is that of another memory; say Merge if two memories became one`},
		{func(l *record.IngestLog) {
			l.Add(with(fact("b", "t1"), func(m *tiaptest.Memory) { m.Parents = []string{"c"} }))
			l.Add(with(fact("c", "t1"), func(m *tiaptest.Memory) { m.Parents = []string{"a", "b"} }))
		},
			"lineage cycle: b -> c -> b; remove one of these parents; a memory cannot descend from itself"},
		{func(l *record.IngestLog) {
			l.Update("a", tiaptest.Memory{Parents: []string{"a"}})
			l.Rename("a", "b")
		},
			"lineage cycle: b -> b; remove one of these parents; a memory cannot descend from itself"},
		{func(l *record.IngestLog) {
			l.Add(with(fact("b", "t1"), func(m *tiaptest.Memory) { m.Status = "gone" }))
			l.Add(with(fact("c", "t1"), func(m *tiaptest.Memory) { m.Sources[0].Precision = "about" }))
		},
			"memory \"b\" has the unknown status \"gone\"; use active, superseded or deleted\nmemory \"c\" has the unknown precision \"about\"; use exact, batch or container"},
		{func(l *record.IngestLog) { l.Delete("x"); l.Delete("y") },
			"delete: no memory has the id \"x\"; add the memory first\ndelete: no memory has the id \"y\"; add the memory first"},
	} {
		var l record.IngestLog
		l.Add(fact("a"))
		c.say(&l)
		_, err := l.Memories()
		assert.EqualError(t, err, "ingest log: "+c.want)
	}
}

// Goroutines may speak in any order.
func TestIngestLogConcurrent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ingest.jsonl")
	l, err := record.OpenIngestLog(file)
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			id := fmt.Sprintf("m%02d", i)
			l.Add(fact(id, "t1"))
			l.Update(id, fact("", "t2"))
			l.Rename(id, "n"+id)
			l.Current(id)
			_, err := l.Memories()
			assert.NoError(t, err)
		})
	}
	all.Wait()
	require.NoError(t, l.Close())
	want, err := l.Memories()
	require.NoError(t, err)
	require.Len(t, want, 50)
	assert.Equal(t, "nm00", want[0].ID)

	l, err = record.OpenIngestLog(file)
	require.NoError(t, err)
	defer l.Close()
	got, err := l.Memories()
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(want, got))
}

// A log that was cut off anywhere goes on where it ends, and ends the same when
// the ingest starts over.
func TestIngestLogTorn(t *testing.T) {
	t.Parallel()
	say := func(l *record.IngestLog) {
		l.Add(with(fact("a", "t1"), func(m *tiaptest.Memory) { m.Text = "<&\u2028" }))
		l.Add(fact("b", "t2"))
		l.Rename("a", "c")
		l.Update("c", fact("", "t3"))
		l.Merge(fact("d"), "b", "c")
		l.Delete("b")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "ingest.jsonl")
	l, err := record.OpenIngestLog(file)
	require.NoError(t, err)
	say(l)
	require.NoError(t, l.Close())
	want, err := l.Memories()
	require.NoError(t, err)
	text := read(t, file)
	for n := range len(text) {
		require.NoError(t, os.WriteFile(file, []byte(text[:n]), 0o666))
		l, err := record.OpenIngestLog(file)
		require.NoError(t, err)
		assert.Equal(t, strings.LastIndex(text[:n], "\n")+1, len(read(t, file)))
		say(l)
		require.NoError(t, l.Close())
		got, err := l.Memories()
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff(want, got))
		assert.Equal(t, text, read(t, file))
	}
	_, err = record.OpenIngestLog(dir)
	assert.ErrorContains(t, err, "record: opening the ingest log: ")
}
