package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// A memory counts for the turns of its parents, and not for those that a link is
// only inferred to.
func TestStoreDescent(t *testing.T) {
	stop := recording(t)
	defer stop()
	b := new(tiaptest.Bundle)
	s := b.AddSystem("mine", "").AddMemory("fact", "fact", "t1").AddMemory("guess", "fact")
	in := s.Ingests[0]
	in.Memories[1].Sources = []tiaptest.Link{{Turn: "t2", Origin: "inferred"}}
	in.Memories = append(in.Memories, tiaptest.Memory{ID: "summary", Form: "summary", Parents: []string{"digest", "guess"}},
		tiaptest.Memory{ID: "digest", Form: "summary", Parents: []string{"fact"}, Sources: []tiaptest.Link{{Turn: "t3"}, {Turn: "t3", Precision: "batch"}}})
	require.True(t, golden.Store(t, "descent", s))
	text, err := os.ReadFile(filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "descent.store.json"))
	require.NoError(t, err)
	assert.Regexp(t, `(?s)"turns": \{\s*"t1": \{\s*"fact": 1,\s*"summary": 2\s*\},\s*"t3": \{\s*"summary": 2\s*\}\s*\}`, string(text))

	in.Memories[3].Parents = append(in.Memories[3].Parents, "summary")
	q := &quiet{TB: t}
	assert.False(t, golden.Store(q, "cycle", s))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "descends from itself")
}

// The texts of many turns are shown in full only with -v.
func TestTextsLongList(t *testing.T) {
	store := func(text string) *tiaptest.System {
		s := new(tiaptest.Bundle).AddSystem("mine", "")
		for i := range 52 {
			m := tiaptest.Memory{ID: fmt.Sprintf("m%02d", i), Form: "fact", Text: text, Sources: []tiaptest.Link{{Turn: fmt.Sprintf("t%02d", i)}}}
			s.Ingests[0].Memories = append(s.Ingests[0].Memories, m)
		}
		return s
	}
	stop := recording(t)
	require.True(t, golden.Store(t, "many-texts", store("said"), golden.Texts()))
	stop()
	copyKey(t, "many-texts", "other-texts")
	q := &quiet{TB: t}
	require.False(t, golden.Store(q, "other-texts", store("thought"), golden.Texts()))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "memories of t49 (-recorded +now):")
	if testing.Verbose() {
		assert.Contains(t, q.failures[0], "memories of t51 (-recorded +now):")
		return
	}
	assert.NotContains(t, q.failures[0], "memories of t50")
	assert.Contains(t, q.failures[0], "\n    and the memories of 2 more turns; -v shows all\n    to accept: ")
}

// A difference of texts shows each memory whole, also where it is much as before.
func TestTextsWhole(t *testing.T) {
	const turn = "We planted the pear tree in March, and the plum died"
	store := func(form string) *tiaptest.System {
		s := new(tiaptest.Bundle).AddSystem("mine", "")
		for i, f := range []string{form, "raw"} {
			m := tiaptest.Memory{ID: fmt.Sprintf("s1/1#%d", i), Form: f, Text: turn, Sources: []tiaptest.Link{{Turn: "s1/1"}}}
			s.Ingests[0].Memories = append(s.Ingests[0].Memories, m)
		}
		return s
	}
	stop := recording(t)
	require.True(t, golden.Store(t, "whole", store("fact"), golden.Texts()))
	stop()
	copyKey(t, "whole", "other-form")
	q := &quiet{TB: t}
	require.False(t, golden.Store(q, "other-form", store("event"), golden.Texts()))
	require.Len(t, q.failures, 1)
	assert.NotContains(t, q.failures[0], "strings.Join")
	shown := strings.Join(strings.Fields(q.failures[0]), " ") // cmp varies its blanks
	assert.Contains(t, shown, `- "s1/1#0 fact: `+turn+`", + "s1/1#0 event: `+turn+`", "s1/1#1 raw: `+turn+`", }`)
}

// Texts without a text fail, whether they are recorded or compared, unless texts
// were lost: then these are shown.
func TestTextsWithoutTexts(t *testing.T) {
	stop := recording(t)
	system := func(text string) *tiaptest.System {
		s := new(tiaptest.Bundle).AddSystem("mine", "").AddMemory("a", "fact", "t1").AddMemory("b", "fact")
		s.Ingests[0].Memories[0].Text = text
		s.Ingests[0].Memories[1].Text = "of no turn"
		return s
	}
	failure := func(key string, s *tiaptest.System) string {
		t.Helper()
		q := &quiet{TB: t}
		require.False(t, golden.Store(q, key, s, golden.Texts()))
		require.Len(t, q.failures, 1)
		return q.failures[0]
	}
	const nothing = "golden silent: Texts compares nothing: no memory of mine that descends from a turn has a text; set Text of its memories, or leave Texts out"
	assert.Equal(t, nothing, failure("silent", system("")))
	require.True(t, golden.Store(t, "texts", system("said"), golden.Texts()))
	stop()
	assert.Equal(t, nothing, failure("silent", system("")), "nothing is recorded")
	copyKey(t, "texts", "lost")
	lost := failure("lost", system(""))
	assert.Contains(t, lost, "store changed: ")
	assert.Contains(t, lost, "a fact: said")

	// A record of a version that did not ask.
	copyKey(t, "texts", "silent")
	file := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "silent.store.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte("said"), nil), 0o600))
	assert.Equal(t, nothing, failure("silent", system("")))
	require.True(t, golden.Store(t, "texts", system("said"), nil, golden.Texts()), "no option adds nothing")
}
