package tiaptest

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	noon := time.Date(2031, 3, 12, 12, 0, 0, 0, time.UTC).UnixNano()
	for text, want := range map[string]int64{
		"2031-03-12T12:00:00Z":           noon,
		"2031-03-12T13:00:00+01:00":      noon,
		"2031-03-12T05:00:00.000-07:00":  noon,
		"2031-03-12T12:00:00":            noon,
		"2031-03-12 12:00:00":            noon,
		"2031-03-12T12:00":               noon,
		"2031-03-12T12:00:00.000000001Z": noon + 1,
		"2031-03-12":                     time.Date(2031, 3, 12, 0, 0, 0, 0, time.UTC).UnixNano(),
		"2031-03":                        time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC).UnixNano(),
		"2031":                           time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(),
	} {
		got, err := parseTime(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "soon", "12 March 2031", "2031-13-01", "2031-02-30", "1500-01-01", "9999-01-01"} {
		_, err := parseTime(text)
		assert.Error(t, err, text)
	}
}

// timed is a bundle of one system that ranks all its memories, each of which
// descends from the evidence of the only query.
func timed(asked string, memories ...Memory) *Bundle {
	b := &Bundle{Scenario: Scenario{Queries: []Query{{ID: "q", Time: asked, Evidence: []Unit{{Turns: []string{"t"}}}}}}}
	s := b.AddSystem("s", "")
	ids := []string{}
	for _, m := range memories {
		m.Form, m.Sources = "fact", []Link{{Turn: "t"}}
		s.Ingests[0].Memories = append(s.Ingests[0].Memories, m)
		ids = append(ids, m.ID)
	}
	s.AddRanking("q", ids...)
	return b
}

func TestValidAt(t *testing.T) {
	t.Parallel()
	const asked = "2031-05-01T09:00:00Z"
	for _, c := range []struct {
		name  string
		m     Memory
		valid bool
	}{
		{"no ends", Memory{}, true},
		{"began before", Memory{ValidFrom: "2031-05-01"}, true},
		{"begins that moment", Memory{ValidFrom: asked}, true},
		{"began in another zone", Memory{ValidFrom: "2031-05-01T10:30:00+02:00"}, true},
		{"begins after", Memory{ValidFrom: "2031-05-02"}, false},
		{"ends after", Memory{ValidTo: "2031-05-02"}, true},
		{"ends that moment", Memory{ValidTo: asked}, false},
		{"ended before", Memory{ValidFrom: "2030", ValidTo: "2031"}, false},
		{"superseded later", Memory{Status: "superseded", ValidTo: "2031-06"}, true},
		{"deleted later", Memory{Status: "deleted", ValidTo: "2031-06"}, true},
		{"superseded at no known time", Memory{Status: "superseded"}, false},
		{"deleted at no known time", Memory{Status: "deleted", ValidFrom: "2031"}, false},
		{"active in words", Memory{Status: "active"}, true},
	} {
		c.m.ID = "m"
		target := ValidAt(Source)
		a, err := Rescore(timed(asked, c.m, Memory{ID: "anchor"}), Targets(target), Credit(ByMemory), Metrics(Recall(1)))
		require.NoError(t, err, c.name)
		v, err := a.Score("s", target, Recall(1))
		require.NoError(t, err, c.name)
		want := 0.0
		if c.valid {
			want = 0.5 // one of two valid memories within depth 1
		}
		assert.Equal(t, want, v, c.name)
	}
}

func TestValidAtWithoutTimes(t *testing.T) {
	t.Parallel()
	target := ValidAt(Source)
	b := timed("", Memory{ID: "m"})
	b.Scenario.Queries = append(b.Scenario.Queries, Query{ID: "q2", Time: "2031", Evidence: []Unit{{Turns: []string{"t"}}}})
	b.Systems[0].AddRanking("q2", "m")
	a, err := Rescore(b, Targets(Source, target))
	require.NoError(t, err)
	assert.Equal(t, 1, a.Shared().N, "a query without a time is not covered")
	var out bytes.Buffer
	require.NoError(t, a.WriteTable(&out))
	assert.Contains(t, out.String(), "1 query has no time, so no memory is valid at it: q\n")

	a, err = Rescore(timed("2031", Memory{ID: "n", ValidFrom: "2031", ValidTo: "2031"}, Memory{ID: "m", ValidFrom: "2031", ValidTo: "2030"}, Memory{ID: "o", ValidFrom: "2030", ValidTo: "2032"}), Targets(Source, target))
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, a.WriteTable(&out))
	assert.Contains(t, out.String(), "2 memories end no later than they begin, and are valid at no time: m, n\n")

	_, err = Rescore(timed("May", Memory{ID: "m", ValidFrom: "then"}, Memory{ID: "n", ValidTo: "now"}), Targets(target))
	assert.EqualError(t, err, `query "q": time "May" is no time; write it as 2006-01-02 or 2006-01-02T15:04:05Z
memory "m": valid_from "then" is no time; write it as 2006-01-02 or 2006-01-02T15:04:05Z
memory "n": valid_to "now" is no time; write it as 2006-01-02 or 2006-01-02T15:04:05Z`)
	_, err = Rescore(timed("May", Memory{ID: "m", ValidFrom: "then"}), Targets(Source))
	assert.NoError(t, err, "times do not matter to other targets")

	named, err := new(Bundle).Target("validat(current(canonical))")
	require.NoError(t, err)
	assert.Equal(t, "validat(current(canonical))", named.String())
	assert.Equal(t, ValidAt(Current(Canonical)), named)
}

func TestStale(t *testing.T) {
	t.Parallel()
	old := func(id string) Memory { return Memory{ID: id, Status: "superseded", ValidTo: "2031-01"} }
	b := timed("2031-05", old("a"), Memory{ID: "b"}, old("c"), Memory{ID: "d"})
	b.Scenario.Queries = append(b.Scenario.Queries, Query{ID: "q2", Time: "2031-05", Evidence: []Unit{{Turns: []string{"t"}}}})
	b.Systems[0].AddRanking("q2", "c") // nothing current is retrieved
	a, err := Rescore(b, Targets(Source, Current(Source)), Beside(ValidAt(Source)), Headline(Source), Depth(3))
	require.NoError(t, err)
	want := []staleness{
		{System: "s", Target: "current(source)", Stale: 3, Above: 2},
		{System: "s", Target: "validat(source)", Stale: 3, Above: 2},
	}
	assert.Equal(t, want, a.report().Stale)
	var out bytes.Buffer
	require.NoError(t, a.WriteTable(&out))
	assert.Contains(t, out.String(), "s under current(source): 2 of 3 outdated hits\n")

	a, err = Rescore(b, Targets(Source))
	require.NoError(t, err)
	assert.Empty(t, a.report().Stale)
	text, err := json.Marshal(a.report())
	require.NoError(t, err)
	assert.NotContains(t, string(text), `"stale"`)
}

// Two systems that return two lists each: the winner depends on how these become
// one ranking.
func TestMergeConvention(t *testing.T) {
	t.Parallel()
	b := &Bundle{Scenario: Scenario{Name: "lists", Headline: "source"}}
	b.AddTurn("t", "the evidence").AddTurn("u", "something else").AddQuery("q", "which?", "the evidence")
	for _, s := range []*System{b.AddSystem("edgy", ""), b.AddSystem("noddy", "")} {
		for _, id := range []string{"x1", "x2", "x3", "x4"} {
			s.AddMemory(id, "fact", "u")
		}
		s.AddMemory("gold", "fact", "t")
	}
	add := func(s *System, lists ...List) {
		require.NoError(t, s.Ingests[0].Run.Add(Ranking{Query: "q", Lists: lists}))
	}
	// In order: rank 3 against 4. Interleaved: rank 5 against 2.
	add(b.Systems[0], List{Name: "edges", IDs: []string{"x1", "x2", "gold"}}, List{Name: "nodes", IDs: []string{"x3", "x4"}})
	add(b.Systems[1], List{Name: "edges", IDs: []string{"x1", "x2", "x3"}}, List{Name: "nodes", IDs: []string{"gold"}})
	a, err := Rescore(b, Targets(Source), Metrics(MRR(10)), Merge("order"))
	require.NoError(t, err)
	row := a.report().Conventions[0]
	assert.Equal(t, "edgy", *row.Winners["evidence/dropped/shared"])
	assert.Equal(t, "noddy", *row.Winners["evidence/dropped/shared/interleave"])
	assert.Equal(t, "noddy", *row.Winners["evidence/dropped/shared/rrf"])
	assert.InDelta(t, 1.0/3-1.0/4, *row.Gaps["evidence/dropped/shared"], 1e-12)
	assert.InDelta(t, 1.0/5-1.0/2, *row.Gaps["evidence/dropped/shared/interleave"], 1e-12)
	assert.True(t, row.Flip)
	err = a.Verify(NoConventionFlip(MRR(10)))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "edgy leads, but noddy with lists merged by interleave and by 1 other choice")
	assert.Contains(t, err.Error(), "lists by")

	// Without lists there is nothing to merge.
	for _, s := range b.Systems {
		s.Ingests[0].Run = Run{}
		s.AddRanking("q", "gold")
	}
	a, err = Rescore(b, Targets(Source), Metrics(MRR(10)))
	require.NoError(t, err)
	assert.NotContains(t, a.report().Conventions[0].Winners, "evidence/dropped/shared/rrf")
}
