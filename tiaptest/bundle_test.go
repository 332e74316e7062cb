package tiaptest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/tiaptest"
)

func TestNilInBundle(t *testing.T) {
	t.Parallel()
	holes := density()
	holes.Systems[1].Ingests = append(holes.Systems[1].Ingests, nil)
	holes.Systems = append(holes.Systems, nil)
	for _, c := range []struct {
		name   string
		bundle *tiaptest.Bundle
		want   string
	}{
		{"bundle", nil, "the bundle is nil; open or build one"},
		{"parts", holes, "system D5: ingest 2 is nil; leave it out\nsystem 3 of the bundle is nil; leave it out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tiaptest.Rescore(c.bundle)
			assert.EqualError(t, err, c.want)
			assert.EqualError(t, c.bundle.WriteDir(t.TempDir()), c.want)
		})
	}
}

// TestRefusedInCode refuses in a bundle built in code what files cannot hold.
func TestRefusedInCode(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.Scenario.Turns = []tiaptest.Turn{{ID: "t1"}}
	b.Scenario.Queries = []tiaptest.Query{
		{Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}},
		{ID: "q\xff", Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}},
		{ID: "q", Evidence: []tiaptest.Unit{{ID: "u"}}},
	}
	b.AddSystem("A", "").AddMemory("m\xff", "raw", "t1").AddRanking("q", "m\xff")
	_, err := tiaptest.Rescore(b)
	assert.EqualError(t, err, `system A: query "q": the id "m\xff" of rank 1 is not UTF-8; ids are text in UTF-8
a query has no id; name it
the query id "q\xff" is not UTF-8; ids are text in UTF-8
query "q" has an evidence unit without turns; name its turns, or leave the unit out
system A: the memory id "m\xff" is not UTF-8; ids are text in UTF-8`)
}

// TestUnknownSource notes memories that descend from turns that do not exist.
func TestUnknownSource(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "first").AddQuery("q", "?", "first")
	b.AddSystem("A", "").AddMemory("m", "raw", "t1").AddMemory("f", "fact", "t2").AddRanking("q", "m")
	a, err := tiaptest.Rescore(b)
	assert.NoError(t, err)
	var text strings.Builder
	assert.NoError(t, a.WriteTable(&text))
	assert.Contains(t, text.String(), "A: 1 turn that memories descend from is not in turns.jsonl: t2")
}
