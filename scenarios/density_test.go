package scenarios_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// market is a conversation of two sessions with two questions.
func market() *tiaptest.Scenario {
	s := &tiaptest.Scenario{Name: "market", Unit: "dialogue turn", Headline: "canonical"}
	for i, text := range []string{
		"I bought a red bicycle at the market yesterday, and my sister sold honey there.",
		"Nice! Where do you keep your bicycle?",
		"In the old shed. The shed has no door, but I love the smell of hay.",
		"My brother repaired our shed last week because the roof leaked.",
		"",
	} {
		session, day := "c/s1", "2023-05-08"
		if i > 2 {
			session, day = "c/s2", "2023-05-19"
		}
		s.Turns = append(s.Turns, tiaptest.Turn{ID: fmt.Sprintf("c/%d", i+1), Session: session, Speaker: []string{"Ann", "Ben"}[i%2], Time: day, Text: text})
	}
	s.Queries = []tiaptest.Query{
		{ID: "c/q1", Scope: "c", Text: "What did Ann buy at the market?", Answer: "a bicycle", Evidence: []tiaptest.Unit{{Turns: []string{"c/1"}}}},
		{ID: "c/q2", Scope: "c", Text: "Who repaired the shed?", Answer: "Ben's brother", Evidence: []tiaptest.Unit{{Turns: []string{"c/4"}}}},
	}
	return s
}

var inMemory = record.Options{K: 10, Cacheable: true}

func TestDensity(t *testing.T) {
	t.Parallel()
	b, err := scenarios.Density(t.Context(), market(), reference.MaxFacts, []int{1, 5, 8}, reference.Lexical, inMemory)
	require.NoError(t, err)
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10))
	require.NoError(t, err)
	require.NoError(t, a.Verify(tiaptest.TargetsReported(), tiaptest.CompleteRuns(), tiaptest.SharedSubset(2)))

	require.Equal(t, market(), &b.Scenario)
	require.Len(t, b.Systems, 3)
	for i, name := range []string{"D1", "D5", "D8"} {
		s := b.Systems[i]
		assert.Equal(t, name, s.Name)
		assert.Equal(t, "density", s.Family)
		assert.JSONEq(t, `{"parser_max_facts":`+name[1:]+`}`, string(s.Config))
		assert.Contains(t, s.Forms, "raw")
		assert.Contains(t, s.Forms, "summary")
		require.Len(t, s.Ingests, 1)
		raw := 0
		for _, m := range s.Ingests[0].Memories {
			if m.Form == "raw" {
				raw++
				assert.Equal(t, []tiaptest.Link{{Turn: m.ID}}, m.Sources)
			}
		}
		assert.Equal(t, 4, raw, "turns with text")
	}
	assert.Less(t, len(b.Systems[0].Ingests[0].Memories), len(b.Systems[1].Ingests[0].Memories))
	r, err := a.Recommendation("density", tiaptest.NDCG(10))
	require.NoError(t, err)
	assert.Equal(t, 2, r.N)
}

// The store does not depend on what is asked, answered or evident.
func TestDensityHoldsOut(t *testing.T) {
	t.Parallel()
	stores := func(s *tiaptest.Scenario) (out []string) {
		dir := t.TempDir()
		b, err := scenarios.Density(t.Context(), s, reference.MaxFacts, []int{1, 5}, reference.Lexical, inMemory)
		require.NoError(t, err)
		require.NoError(t, b.WriteDir(dir))
		for _, name := range []string{"D1", "D5"} {
			out = append(out, string(read(t, filepath.Join(dir, "systems", name, "store.jsonl"))))
		}
		return out
	}
	other := market()
	other.Queries = []tiaptest.Query{{ID: "c/other", Scope: "c", Text: "Where is the hay?", Category: "9", Answer: "shed", Evidence: []tiaptest.Unit{{Turns: []string{"c/3"}}}}}
	want := stores(market())
	require.NotEqual(t, want[0], want[1])
	assert.Equal(t, want, stores(other))
	changed := market()
	changed.Turns[0].Text += " It was cheap and shiny."
	assert.NotEqual(t, want, stores(changed), "the test can fail")
}

// Two sweeps write the same bytes and the same report.
func TestDensityIsReproducible(t *testing.T) {
	t.Parallel()
	var first map[string]string
	for range 2 {
		dir := t.TempDir()
		b, err := scenarios.Density(t.Context(), market(), reference.MaxFacts, []int{5, 1}, reference.Hybrid(reference.Hashing(64)), inMemory)
		require.NoError(t, err)
		require.NoError(t, b.WriteDir(dir))
		files := make(map[string]string)
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, _ := filepath.Rel(dir, path)
				files[name] = string(read(t, path))
			}
			return err
		}))
		a, err := tiaptest.Rescore(b, tiaptest.Depth(10))
		require.NoError(t, err)
		var report bytes.Buffer
		require.NoError(t, a.WriteJSON(&report))
		files["report"] = report.String()
		require.Contains(t, files, filepath.Join("systems", "D5", "run.jsonl"))
		if first == nil {
			first = files
		}
		require.Equal(t, first, files)
	}
}

func TestDensityRefuses(t *testing.T) {
	t.Parallel()
	none := market()
	none.Turns = nil
	_, err := scenarios.Density(t.Context(), none, reference.MaxFacts, []int{5, 0, 5, -1}, reference.Lexical, inMemory)
	for _, want := range []string{`scenario "market" has no turns`, "a density of 0", "a density of -1", "the density 5 stands twice"} {
		assert.ErrorContains(t, err, want)
	}
	_, err = scenarios.Density(t.Context(), market(), reference.MaxFacts, nil, reference.Lexical, inMemory)
	require.ErrorContains(t, err, "there are no densities")
	_, err = scenarios.Density(t.Context(), market(), func(int) record.Parser { return nil }, []int{5}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, "D5: there is no parser")

	broken := errors.New("broken")
	bad := func(int) record.Parser {
		return record.ParseFunc(func(context.Context, []tiaptest.Turn) ([]tiaptest.Memory, error) { return nil, broken })
	}
	_, err = scenarios.Density(t.Context(), market(), bad, []int{5}, reference.Lexical, inMemory)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, `D5: record: building the system: session "c/s1"`)
	_, err = scenarios.Density(t.Context(), market(), reference.MaxFacts, []int{5}, func(context.Context, []tiaptest.Memory) (record.Searcher, error) { return nil, broken }, inMemory)
	require.ErrorIs(t, err, broken)

	twice := func(int) record.Parser {
		return record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			return []tiaptest.Memory{{ID: "m", Form: "fact", Sources: []tiaptest.Link{{Turn: turns[0].ID}}, Text: "x"}}, nil
		})
	}
	_, err = scenarios.Density(t.Context(), market(), twice, []int{5}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, `"m"`, "the same id in two sessions")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = scenarios.Density(ctx, market(), reference.MaxFacts, []int{5}, reference.Lexical, inMemory)
	require.ErrorIs(t, err, context.Canceled)
}

// A part that is missing is an error.
func TestDensityNeedsItsParts(t *testing.T) {
	t.Parallel()
	_, err := scenarios.Density(t.Context(), nil, nil, []int{5}, nil, inMemory)
	for _, want := range []string{"there is no scenario", "there is no parser", "there is no searcher"} {
		require.ErrorContains(t, err, want)
	}
	_, err = scenarios.Density(t.Context(), market(), func(int) record.Parser { return record.ParseFunc(nil) }, []int{5}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, "D5: there is no parser")
	for _, p := range []record.Parser{nil, record.ParseFunc(nil)} {
		_, _, err = scenarios.Build(market().Turns, p, reference.Lexical)(t.Context(), 1)
		require.ErrorContains(t, err, "there is no parser")
	}
	_, _, err = scenarios.Build(market().Turns, reference.MaxFacts(5), nil)(t.Context(), 1)
	require.ErrorContains(t, err, "there is no searcher")
}

// A parser that makes more of a turn than its density is refused; raw memories,
// containers and a turn that is named twice do not count.
func TestDensityHoldsParsers(t *testing.T) {
	t.Parallel()
	making := func(n int) func(int) record.Parser {
		return func(int) record.Parser {
			return record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) (out []tiaptest.Memory, _ error) {
				first := turns[0].ID
				add := func(id, form string, links ...tiaptest.Link) {
					out = append(out, tiaptest.Memory{ID: first + "/" + id, Form: form, Sources: links, Text: "shed"})
				}
				for i := range n {
					add(fmt.Sprint(i), "fact", tiaptest.Link{Turn: first, Precision: []string{"", "exact"}[i%2]})
				}
				add("summary", "summary", tiaptest.Link{Turn: first, Precision: "container"})
				add("raw", "raw", tiaptest.Link{Turn: first})
				return out, nil
			})
		}
	}
	_, err := scenarios.Density(t.Context(), market(), making(2), []int{2, 3}, reference.Lexical, inMemory)
	require.NoError(t, err)
	_, err = scenarios.Density(t.Context(), market(), making(3), []int{3, 2}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, "D2: ")
	require.ErrorContains(t, err, `turn "c/1": the parser made 3 memories of it; the density allows 2`)
	many := record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) (out []tiaptest.Memory, _ error) {
		for i := range 10 {
			out = append(out, tiaptest.Memory{ID: fmt.Sprint(i), Form: "fact", Sources: []tiaptest.Link{{Turn: turns[i%5].ID}}, Text: "shed"})
		}
		return out, nil
	})
	one := market()
	for i := range one.Turns {
		one.Turns[i].Session = "c/s1"
	}
	_, err = scenarios.Density(t.Context(), one, func(int) record.Parser { return many }, []int{1}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, `turn "c/3"`)
	require.ErrorContains(t, err, "and 2 more turns")
	assert.NotContains(t, err.Error(), `turn "c/4"`)
	_, err = scenarios.Density(t.Context(), market(), func(int) record.Parser { return reference.MaxFacts(8) }, []int{1}, reference.Lexical, inMemory)
	require.ErrorContains(t, err, `turn "c/3": the parser made`)
}

// Sessions of the same name in two conversations are parsed one by one.
func TestBuildTellsConversationsApart(t *testing.T) {
	t.Parallel()
	var turns []tiaptest.Turn
	for _, id := range []string{"a/1", "b/1", "a/2", "b/x/2", "1", "2"} {
		turns = append(turns, tiaptest.Turn{ID: id, Session: "s1", Speaker: "Ann", Text: "My bicycle is in the shed behind the house."})
	}
	var parsed [][]string
	watch := record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		var ids []string
		for _, turn := range turns {
			ids = append(ids, turn.ID)
		}
		parsed = append(parsed, ids)
		return reference.MaxFacts(1).Parse(ctx, turns)
	})
	_, lineage, err := scenarios.Build(turns, watch, reference.Lexical)(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a/1", "a/2"}, {"b/1", "b/x/2"}, {"1", "2"}}, parsed)
	memories, err := lineage.Memories()
	require.NoError(t, err)
	summaries := 0
	for _, m := range memories {
		if m.Form == "summary" {
			summaries++
			assert.Len(t, m.Sources, 2)
		}
	}
	assert.Equal(t, 3, summaries)
}

// A parser that is not deterministic is built several times.
func TestDensityRepeats(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	moody := func(n int) record.Parser {
		return record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			memories, err := reference.MaxFacts(n).Parse(ctx, turns)
			if built.Add(1)%2 == 0 && len(memories) > 1 {
				memories = memories[:len(memories)-2]
			}
			return memories, err
		})
	}
	o := inMemory
	o.Repeats = 3
	b, err := scenarios.Density(t.Context(), market(), moody, []int{1, 5}, reference.Lexical, o)
	require.NoError(t, err)
	for _, s := range b.Systems {
		assert.Len(t, s.Ingests, 3)
		assert.NotContains(t, s.Forms, "fact", "the parser does not say what its forms are")
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10))
	require.NoError(t, err)
	assert.ErrorContains(t, a.Verify(tiaptest.TargetsReported()), "fact")
}

// A sweep with a folder is recorded there, as the systems of a bundle.
func TestDensityRecordsInFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var progress bytes.Buffer
	o := inMemory
	o.Dir, o.Progress = dir, &progress
	b, err := scenarios.Density(t.Context(), market(), reference.MaxFacts, []int{1, 5}, reference.Lexical, o)
	require.NoError(t, err)
	store := read(t, filepath.Join(dir, "systems", "D5", "store.jsonl"))
	run := read(t, filepath.Join(dir, "systems", "D5", "run.jsonl"))
	require.NoError(t, b.WriteDir(dir))
	assert.Equal(t, string(store), string(read(t, filepath.Join(dir, "systems", "D5", "store.jsonl"))))
	assert.Equal(t, string(run), string(read(t, filepath.Join(dir, "systems", "D5", "run.jsonl"))))
	again, err := tiaptest.Open(dir)
	require.NoError(t, err)
	require.Len(t, again.Systems, 2)
	assert.Equal(t, "D1", again.Systems[0].Name)
}

// A store has each turn as it is, once.
func TestBuild(t *testing.T) {
	t.Parallel()
	own := record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		if turns[0].ID == "c/1" {
			return []tiaptest.Memory{
				{ID: "mine", Form: "raw", Sources: []tiaptest.Link{{Turn: "c/1"}, {Turn: "c/2"}}, Text: "two turns"},
				{ID: "fact", Form: "fact", Sources: []tiaptest.Link{{Turn: "c/3"}}, Text: "a shed"},
			}, nil
		}
		return nil, nil
	})
	turns := market().Turns
	turns[3].Speaker = ""
	var indexed []tiaptest.Memory
	build := scenarios.Build(turns, own, func(_ context.Context, memories []tiaptest.Memory) (record.Searcher, error) {
		indexed = memories
		return record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) { return nil, nil }), nil
	})
	_, lineage, err := build(t.Context(), 1)
	require.NoError(t, err)
	memories, err := lineage.Memories()
	require.NoError(t, err)
	assert.Equal(t, memories, indexed)
	var got []string
	for _, m := range memories {
		got = append(got, m.ID+" "+m.Form+" "+m.Text)
	}
	assert.Equal(t, []string{
		"c/3 raw Ann: " + turns[2].Text,
		"c/4 raw " + turns[3].Text,
		"fact fact a shed",
		"mine raw two turns",
	}, got)
}

// The package does not pull in what searches: factories come from the caller.
func TestDensityImports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			for _, heavy := range []string{"blevesearch", "chromem", "scenarios/reference"} {
				assert.NotContains(t, string(read(t, file)), `/`+heavy, file)
			}
		}
	}
}
