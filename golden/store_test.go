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

// storeFailure is the message with which a store fails.
func storeFailure(t *testing.T, key string, s *tiaptest.System, opts ...golden.StoreOption) string {
	t.Helper()
	q := &quiet{TB: t}
	require.False(t, golden.Store(q, key, s, opts...))
	require.Len(t, q.failures, 1)
	return q.failures[0]
}

// remembering is a system with a store of memories.
func remembering(memories ...tiaptest.Memory) *tiaptest.System {
	s := new(tiaptest.Bundle).AddSystem("mine", "")
	s.Ingests[0].Memories = memories
	return s
}

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

}

// A store that no audit takes is neither recorded nor compared.
func TestStoreOfNoUse(t *testing.T) {
	stop := recording(t)
	defer stop()
	for want, spoil := range map[string]func(*tiaptest.Ingest){
		`memory "fact" names the parent "facts", which is not in the store`: func(in *tiaptest.Ingest) { in.Memories[0].Parents = []string{"facts"} },
		`lineage cycle: fact -> fact`:                                       func(in *tiaptest.Ingest) { in.Memories[0].Parents = []string{"fact"} },
		`memory "fact" stands twice in the store`:                           func(in *tiaptest.Ingest) { in.Memories = append(in.Memories, in.Memories[0]) },
		`memory "fact" has no form`:                                         func(in *tiaptest.Ingest) { in.Memories[0].Form = "" },
		`the store is empty`:                                                func(in *tiaptest.Ingest) { in.Memories = nil },
	} {
		s := new(tiaptest.Bundle).AddSystem("mine", "").AddMemory("fact", "fact", "t1")
		spoil(s.Ingests[0])
		assert.Contains(t, storeFailure(t, "useless", s), want)
		s.Ingests = append(s.Ingests, s.Ingests[0])
		assert.Contains(t, storeFailure(t, "useless", s), "ingest 1: "+want)
	}
}

// The texts of many turns are shown in full only with -v.
func TestTextsLongList(t *testing.T) {
	store := func(text string) *tiaptest.System {
		var memories []tiaptest.Memory
		for i := range 52 {
			memories = append(memories, tiaptest.Memory{ID: fmt.Sprintf("m%02d", i), Form: "fact", Text: text, Sources: []tiaptest.Link{{Turn: fmt.Sprintf("t%02d", i)}}})
		}
		return remembering(memories...)
	}
	stop := recording(t)
	require.True(t, golden.Store(t, "many-texts", store("said"), golden.Texts()))
	stop()
	copyKey(t, "many-texts", "other-texts")
	failure := storeFailure(t, "other-texts", store("thought"), golden.Texts())
	assert.Contains(t, failure, "memories of t49 (-recorded +now):")
	if testing.Verbose() {
		assert.Contains(t, failure, "memories of t51 (-recorded +now):")
		return
	}
	assert.NotContains(t, failure, "memories of t50")
	assert.Contains(t, failure, "\n    and the memories of 2 more turns; -v shows all\n    to accept: ")
}

// A difference of texts shows each memory whole, also where it is much as before.
func TestTextsWhole(t *testing.T) {
	const turn = "We planted the pear tree in March, and the plum died"
	store := func(form string) *tiaptest.System {
		source := []tiaptest.Link{{Turn: "s1/1"}}
		return remembering(tiaptest.Memory{ID: "s1/1#0", Form: form, Text: turn, Sources: source}, tiaptest.Memory{ID: "s1/1#1", Form: "raw", Text: turn, Sources: source})
	}
	stop := recording(t)
	require.True(t, golden.Store(t, "whole", store("fact"), golden.Texts()))
	stop()
	copyKey(t, "whole", "other-form")
	failure := storeFailure(t, "other-form", store("event"), golden.Texts())
	assert.NotContains(t, failure, "strings.Join")
	shown := strings.Join(strings.Fields(failure), " ") // cmp varies its blanks
	assert.Contains(t, shown, `- "s1/1#0 fact: `+turn+`", + "s1/1#0 event: `+turn+`", "s1/1#1 raw: `+turn+`", }`)
}

// Texts without a text fail, whether they are recorded or compared, unless texts
// were lost: then these are shown.
func TestTextsWithoutTexts(t *testing.T) {
	stop := recording(t)
	system := func(text string) *tiaptest.System {
		return remembering(tiaptest.Memory{ID: "a", Form: "fact", Text: text, Sources: []tiaptest.Link{{Turn: "t1"}}}, tiaptest.Memory{ID: "b", Form: "fact", Text: "of no turn"})
	}
	failure := func(key string, s *tiaptest.System) string {
		t.Helper()
		return storeFailure(t, key, s, golden.Texts())
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
