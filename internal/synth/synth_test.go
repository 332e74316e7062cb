package synth_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/synth"
)

// small spans three conversations, so that all that happens seldom happens.
func small(shape synth.Shape) synth.Config {
	return synth.Config{Shape: shape, Queries: 130, Depth: 20, Systems: 3, Seed: 7}
}

// write returns the files of c by their slash-separated names.
func write(t testing.TB, c synth.Config) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, synth.Write(dir, c))
	return readAll(t, dir)
}

func readAll(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		return err
	}))
	return files
}

func names(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

func digest(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range names(files) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The digests are pinned, since measurements taken on the data of one revision
// are compared with those of another.
func TestWriteIsDeterministic(t *testing.T) {
	t.Parallel()
	for shape, want := range map[synth.Shape]string{
		synth.Bundle:  "86513e98e9d0b513e5a7cd3e75eccc934dd0f71d079e1e2fdcc1281d461b584e",
		synth.Bare:    "b5c1f144f6504ea1c1ce9ac128166ddcf85dde26d3f8de8386c409043aeb0b84",
		synth.IDs:     "c82c4a22442e9ba8c11f0930139858a10d679dccd7086bbe0fa7632baa9b89d6",
		synth.MTELMem: "45be3ae99299f83d84d5b820dcb6fbf963806458eee8075a7695977f404ae7c5",
		synth.TREC:    "fe42baa73f31cba9b79aaea8ca425f9419964f78f374a79596ea8af8b296a266",
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			c := small(shape)
			got := digest(write(t, c))
			require.Equal(t, want, got)
			require.Equal(t, got, digest(write(t, c)), "the same config again")
			c.Seed++
			require.NotEqual(t, got, digest(write(t, c)), "another seed")
		})
	}
}

// A bare bundle has the rankings of the bundle, and the links of its memories. One of ids
// has these rankings without scores.
func TestBareIsTheSameBundle(t *testing.T) {
	t.Parallel()
	bundle, bare, ids := write(t, small(synth.Bundle)), write(t, small(synth.Bare)), write(t, small(synth.IDs))
	require.NotContains(t, bare, "turns.jsonl")
	require.Contains(t, bundle, "systems/D1/run.jsonl")
	require.Equal(t, names(bare), names(ids))
	scores := regexp.MustCompile(`,"scores":\[[^\]]*\]`)
	for name, want := range bare {
		require.Equal(t, string(scores.ReplaceAll(want, nil)), string(ids[name]), name)
	}
	require.NotEqual(t, bare["systems/D1/run.jsonl"], ids["systems/D1/run.jsonl"])
	more := regexp.MustCompile(`,"(time|text|answer|valid_from|valid_to)":"(?:[^"\\]|\\.)*"`)
	for name, want := range bundle {
		if name != "turns.jsonl" {
			require.Equal(t, string(more.ReplaceAll(want, nil)), string(bare[name]), name)
		}
	}
}

func TestGzipHoldsTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, shape := range []synth.Shape{synth.Bundle, synth.Bare, synth.IDs, synth.MTELMem, synth.TREC} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			c := small(shape)
			plain := write(t, c)
			c.Gzip = true
			packed := write(t, c)
			require.Len(t, packed, len(plain))
			for name, want := range plain {
				if filepath.Ext(name) == ".json" {
					require.Equal(t, want, packed[name], name)
					continue
				}
				r, err := gzip.NewReader(bytes.NewReader(packed[name+".gz"]))
				require.NoError(t, err, name)
				got, err := io.ReadAll(r)
				require.NoError(t, err, name)
				require.True(t, bytes.Equal(want, got), name)
			}
			require.Equal(t, digest(packed), digest(write(t, c)))
		})
	}
}

// decode parses each line strictly.
func decode[T any](t testing.TB, files map[string][]byte, name string) []T {
	t.Helper()
	data, ok := files[name]
	require.True(t, ok, "%s is missing among %q", name, names(files))
	require.True(t, bytes.HasSuffix(data, []byte("\n")), name)
	var all []T
	for line := range bytes.Lines(data) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var v T
		require.NoError(t, d.Decode(&v), "%s: %s", name, line)
		require.False(t, d.More(), "%s: %s", name, line)
		all = append(all, v)
	}
	return all
}

type queryLine struct {
	ID, Scope, Time, Text, Category, Answer string
	Evidence                                []json.RawMessage
}

// turns lists the evidence turns, over all units.
func (q queryLine) turns(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, item := range q.Evidence {
		if item[0] == '"' {
			var turn string
			require.NoError(t, json.Unmarshal(item, &turn))
			all = append(all, turn)
			continue
		}
		var unit struct {
			ID    string
			Turns []string
		}
		require.NoError(t, json.Unmarshal(item, &unit))
		require.NotEmpty(t, unit.ID)
		require.Len(t, unit.Turns, 2)
		all = append(all, unit.Turns...)
	}
	return all
}

type turnLine struct{ ID, Session, Speaker, Time, Text string }

type memoryLine struct {
	ID, Form, Status, Text string
	Sources                []json.RawMessage
	Parents                []string
	Serving                *bool
	ValidFrom              string `json:"valid_from"`
	ValidTo                string `json:"valid_to"`
}

func (m memoryLine) turns(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, item := range m.Sources {
		if item[0] == '"' {
			var turn string
			require.NoError(t, json.Unmarshal(item, &turn))
			all = append(all, turn)
			continue
		}
		var link struct{ Turn, Precision, Origin string }
		require.NoError(t, json.Unmarshal(item, &link))
		require.Equal(t, "batch", link.Precision)
		require.Equal(t, "recorded", link.Origin)
		all = append(all, link.Turn)
	}
	return all
}

type runLine struct {
	Query   string
	Ranking []string
	Scores  []float64
	K       int
}

type recordLine struct {
	Benchmark, Category string
	QueryID             string   `json:"query_id"`
	Fixture             string   `json:"source_fixture_id"`
	Text                string   `json:"query_text"`
	Answer              string   `json:"reference_answer"`
	Raw                 []string `json:"raw_ids"`
	Source              []string `json:"source_ids"`
	Canonical           []string `json:"canonical_ids"`
}

func (r recordLine) ids(target string) []string {
	return map[string][]string{"raw": r.Raw, "source": r.Source, "canonical": r.Canonical}[target]
}

type traceLine struct {
	Benchmark, System string
	QueryID           string `json:"query_id"`
	ID                string `json:"retrieved_id"`
	Rank              int
	Score             float64
}

var systems = []string{"D1", "D5", "D8"}

func set(ids []string) map[string]bool {
	s := make(map[string]bool, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}

// A reading of the bundle by the definitions of the targets alone, without a
// line of the generator's lineage code, is what the other shapes must agree to.
func TestShapesTellTheSameStory(t *testing.T) {
	t.Parallel()
	bundle := write(t, small(synth.Bundle))
	mtelmem := write(t, small(synth.MTELMem))
	trec := write(t, small(synth.TREC))

	require.Equal(t, []string{
		"queries.jsonl", "scenario.json",
		"systems/D1/run.jsonl", "systems/D1/store.jsonl", "systems/D1/system.json",
		"systems/D5/run.jsonl", "systems/D5/store.jsonl", "systems/D5/system.json",
		"systems/D8/run.jsonl", "systems/D8/store.jsonl", "systems/D8/system.json",
		"turns.jsonl",
	}, names(bundle))
	require.Equal(t, []string{"records.jsonl", "trace.jsonl"}, names(mtelmem))
	require.Equal(t, []string{
		"qrels.canonical.txt", "qrels.raw.txt", "qrels.source.txt",
		"run-D1.txt", "run-D5.txt", "run-D8.txt",
	}, names(trec))

	queries := decode[queryLine](t, bundle, "queries.jsonl")
	require.Len(t, queries, 130)
	require.Len(t, set(idsOf(queries, func(q queryLine) string { return q.ID })), 130)

	// Eligible memories, from the densest store.
	eligible := map[string]map[string][]string{"raw": {}, "source": {}, "canonical": {}}
	lineage := map[string]map[string]bool{}
	store := decode[memoryLine](t, bundle, "systems/D8/store.jsonl")
	for _, m := range store { // parents stand before their children
		lineage[m.ID] = set(m.turns(t))
		for _, p := range m.Parents {
			requireKey(t, lineage, p)
			maps.Copy(lineage[m.ID], lineage[p])
		}
		require.NotEmpty(t, lineage[m.ID], m.ID)
	}
	for _, q := range queries {
		gold := q.turns(t)
		for _, m := range store {
			if !slices.ContainsFunc(gold, func(turn string) bool { return lineage[m.ID][turn] }) {
				continue
			}
			eligible["source"][q.ID] = append(eligible["source"][q.ID], m.ID)
			if m.Form == "raw" {
				eligible["raw"][q.ID] = append(eligible["raw"][q.ID], m.ID)
			} else if m.Serving == nil {
				eligible["canonical"][q.ID] = append(eligible["canonical"][q.ID], m.ID)
			}
		}
	}

	records := decode[recordLine](t, mtelmem, "records.jsonl")
	require.Len(t, records, len(queries))
	for target, want := range eligible {
		require.Greater(t, len(want), 60, "covered under %s", target)
		require.Less(t, len(want), len(queries), "covered under %s", target)
		got := map[string][]string{}
		for i, r := range records {
			require.Equal(t, queries[i].ID, r.QueryID)
			require.Equal(t, queries[i].Text, r.Text)
			require.Equal(t, queries[i].Answer, r.Answer)
			require.Equal(t, queries[i].Category, r.Category)
			require.NotNil(t, r.ids(target), r.QueryID) // [], not null
			if ids := r.ids(target); len(ids) > 0 {
				got[r.QueryID] = ids
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s ids of records.jsonl mismatch (-bundle +records):\n%s", target, diff)
		}
		if diff := cmp.Diff(want, qrels(t, trec, "qrels."+target+".txt")); diff != "" {
			t.Errorf("%s qrels mismatch (-bundle +qrels):\n%s", target, diff)
		}
	}

	// Rankings, per system and query.
	want := map[string][]traceLine{}
	for _, system := range systems {
		for _, r := range decode[runLine](t, bundle, "systems/"+system+"/run.jsonl") {
			for i, id := range r.Ranking {
				want[system] = append(want[system], traceLine{"synth", system, r.Query, id, i + 1, r.Scores[i]})
			}
		}
	}
	got := map[string][]traceLine{}
	for _, h := range decode[traceLine](t, mtelmem, "trace.jsonl") {
		got[h.System] = append(got[h.System], h)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trace.jsonl mismatch (-bundle +trace):\n%s", diff)
	}
	clear(got)
	for _, system := range systems {
		got[system] = trecRun(t, trec, system)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("TREC runs mismatch (-bundle +TREC):\n%s", diff)
	}
}

// requireKey is require.Contains without its walk over all keys.
func requireKey[V any](t testing.TB, m map[string]V, key string) {
	t.Helper()
	if _, ok := m[key]; !ok {
		t.Fatalf("unknown id %s", key)
	}
}

func idsOf[T any](all []T, id func(T) string) []string {
	ids := make([]string, len(all))
	for i, v := range all {
		ids[i] = id(v)
	}
	return ids
}

// fields splits the lines of a TREC file.
func fields(t testing.TB, files map[string][]byte, name string, n int) [][]string {
	t.Helper()
	var all [][]string
	s := bufio.NewScanner(bytes.NewReader(files[name]))
	for s.Scan() {
		f := strings.Split(s.Text(), " ")
		require.Len(t, f, n, s.Text())
		all = append(all, f)
	}
	require.NoError(t, s.Err())
	return all
}

func qrels(t testing.TB, files map[string][]byte, name string) map[string][]string {
	t.Helper()
	judged := map[string][]string{}
	for _, f := range fields(t, files, name, 4) {
		require.Equal(t, []string{"0", "1"}, []string{f[1], f[3]})
		judged[f[0]] = append(judged[f[0]], f[2])
	}
	return judged
}

func trecRun(t testing.TB, files map[string][]byte, system string) []traceLine {
	t.Helper()
	var run []traceLine
	for _, f := range fields(t, files, "run-"+system+".txt", 6) {
		require.Equal(t, "Q0", f[1])
		rank, err := strconv.Atoi(f[3])
		require.NoError(t, err)
		score, err := strconv.ParseFloat(f[4], 64)
		require.NoError(t, err)
		run = append(run, traceLine{"synth", f[5], f[0], f[2], rank, score})
	}
	return run
}

func TestBundleIsConsistent(t *testing.T) {
	t.Parallel()
	files := write(t, small(synth.Bundle))

	var scenario struct{ Schema, Name, Unit, Headline string }
	require.NoError(t, json.Unmarshal(files["scenario.json"], &scenario))
	require.Equal(t, "tiap.scenario/v1", scenario.Schema)
	require.Equal(t, "canonical", scenario.Headline)

	turnLines := decode[turnLine](t, files, "turns.jsonl")
	texts := map[string]string{}
	for _, turn := range turnLines {
		require.NotEmpty(t, turn.Text)
		texts[turn.ID] = turn.Text
	}
	require.Len(t, texts, len(turnLines), "a turn id is used twice")

	units := 0
	for _, q := range decode[queryLine](t, files, "queries.jsonl") {
		if len(q.Evidence) == 0 {
			require.Equal(t, "unanswerable", q.Category)
		}
		turns := q.turns(t)
		units += len(turns) - len(q.Evidence)
		for _, turn := range turns {
			requireKey(t, texts, turn)
			require.True(t, strings.HasPrefix(turn, q.Scope+"/"), turn)
		}
		require.Len(t, set(turns), len(turns), q.ID)
	}
	require.Positive(t, units, "no evidence unit is a set of turns")

	stored := map[string]int{}
	for _, system := range systems {
		var about struct {
			Name, Family, Unit, Lineage string
			Forms                       map[string]string
			Config                      struct {
				MaxFacts int `json:"parser_max_facts"`
			}
		}
		require.NoError(t, json.Unmarshal(files["systems/"+system+"/system.json"], &about))
		require.Equal(t, system, about.Name)
		require.Equal(t, system, fmt.Sprintf("D%d", about.Config.MaxFacts))
		require.Equal(t, "density", about.Family)

		store := map[string]memoryLine{}
		memories, several, viaParents, hidden, superseded := 0, 0, 0, 0, 0
		facts := map[string]int{} // by turn
		for _, m := range decode[memoryLine](t, files, "systems/"+system+"/store.jsonl") {
			requireKey(t, about.Forms, m.Form)
			turns := m.turns(t)
			for _, turn := range turns {
				requireKey(t, texts, turn)
			}
			for _, p := range m.Parents {
				requireKey(t, store, p)
			}
			switch m.Form {
			case "raw":
				require.Equal(t, texts[turns[0]], m.Text)
			case "fact":
				facts[turns[0]]++
			}
			if len(turns) > 1 {
				several++
			}
			if len(m.Parents) > 0 {
				viaParents++
			}
			if m.Serving != nil {
				hidden++
			}
			if m.Status == "superseded" {
				superseded++
				require.Less(t, m.ValidFrom, m.ValidTo)
			}
			store[m.ID] = m
			memories++
		}
		require.Len(t, store, memories, "a memory id is used twice")
		stored[system] = len(store)
		require.Positive(t, several)
		require.Positive(t, viaParents)
		require.Positive(t, hidden)
		require.Positive(t, superseded)
		require.Equal(t, about.Config.MaxFacts, slices.Max(slices.Collect(maps.Values(facts))), "most facts of a turn")

		unknown, ties := 0, 0
		for _, r := range decode[runLine](t, files, "systems/"+system+"/run.jsonl") {
			require.Len(t, r.Ranking, 20)
			require.Len(t, r.Scores, 20)
			require.Equal(t, 20, r.K)
			require.Len(t, set(r.Ranking), 20, "an id is ranked twice")
			scope, _, _ := strings.Cut(r.Query, "/")
			for i, id := range r.Ranking {
				require.True(t, strings.HasPrefix(id, scope+"/"), id)
				if strings.HasPrefix(id, scope+"/unknown-") {
					unknown++
				} else {
					requireKey(t, store, id)
				}
				require.Greater(t, r.Scores[i], 0.0)
				require.Less(t, r.Scores[i], 1.0)
				if i > 0 {
					require.LessOrEqual(t, r.Scores[i], r.Scores[i-1])
					if r.Scores[i] == r.Scores[i-1] {
						ties++
					}
				}
			}
		}
		require.Positive(t, ties)
		require.Positive(t, unknown)
	}
	require.Less(t, stored["D1"], stored["D5"])
	require.Less(t, stored["D5"], stored["D8"])
}

func TestEligibleIDsAreNested(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := synth.Config{
			Shape:   synth.MTELMem,
			Queries: rapid.IntRange(1, 60).Draw(rt, "queries"),
			Depth:   1,
			Systems: rapid.IntRange(1, 4).Draw(rt, "systems"),
			Seed:    rapid.Uint64().Draw(rt, "seed"),
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		require.NoError(rt, synth.Write(dir, c))
		files := readAll(t, dir)
		records := decode[recordLine](t, files, "records.jsonl")
		require.Len(rt, records, c.Queries)
		for _, r := range records {
			source := set(r.Source)
			require.Len(rt, source, len(r.Source))
			require.Subset(rt, r.Source, r.Raw)
			require.Subset(rt, r.Source, r.Canonical)
			for _, id := range r.Canonical {
				require.NotContains(rt, r.Raw, id)
			}
		}
		require.Len(rt, decode[traceLine](t, files, "trace.jsonl"), c.Queries*c.Systems)
	})
}

// A ranking is never short, however deep, and scores leave room for every rank.
func TestDeepRankings(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 150, 151, 1000, 10_000} {
		t.Run(strconv.Itoa(depth), func(t *testing.T) {
			t.Parallel()
			files := write(t, synth.Config{Shape: synth.TREC, Queries: 1, Depth: depth, Systems: 1, Seed: 3})
			run := trecRun(t, files, "D1")
			require.Len(t, run, depth)
			require.Len(t, set(idsOf(run, func(h traceLine) string { return h.ID })), depth)
			require.Positive(t, run[depth-1].Score)
		})
	}
}

// 1.2 million lines of this length are the trace of 171 MB that readers are
// timed on.
func TestTraceLineLength(t *testing.T) {
	t.Parallel()
	files := write(t, synth.Config{Shape: synth.MTELMem, Queries: 500, Depth: 60, Systems: 1, Seed: 1})
	lines := bytes.Count(files["trace.jsonl"], []byte("\n"))
	require.Equal(t, 500*60, lines)
	require.InDelta(t, 142.5, float64(len(files["trace.jsonl"]))/float64(lines), 1)
}

// Gold must be found better than by chance, or no test on these data could
// tell a good ranking from a bad one.
func TestGoldStandsAboveChance(t *testing.T) {
	t.Parallel()
	files := write(t, synth.Config{Shape: synth.MTELMem, Queries: 500, Depth: 10, Systems: 1, Seed: 1})
	gold := map[string]map[string]bool{}
	for _, r := range decode[recordLine](t, files, "records.jsonl") {
		gold[r.QueryID] = set(r.Source)
	}
	found, possible := 0, 0
	for _, h := range decode[traceLine](t, files, "trace.jsonl") {
		if gold[h.QueryID][h.ID] {
			found++
		}
	}
	for _, ids := range gold {
		possible += len(ids)
	}
	// By chance 10 of some 330 memories: a share of 0.03.
	share := float64(found) / float64(possible)
	require.Greater(t, share, 0.3)
	require.Less(t, share, 0.9)
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	good := small(synth.TREC)

	t.Run("a bad config", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "new")
		err := synth.Write(dir, synth.Config{Shape: "csv", Queries: 0, Depth: 10_001, Systems: -1})
		require.EqualError(t, err, strings.Join([]string{
			`unknown shape "csv"; use bundle, bare, ids, mtelmem, trec or longmemeval`,
			`0 queries; ask for at least 1`,
			`depth 10001; use 1 to 10000`,
			`-1 systems; ask for at least 1`,
		}, "\n"))
		require.NoDirExists(t, dir)
	})
	t.Run("a folder in use", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, synth.Write(dir, good))
		require.ErrorContains(t, synth.Write(dir, good), "not empty; name a new one")
	})
	t.Run("a file for a folder", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		require.Error(t, synth.Write(path, good))
	})
}

func BenchmarkWrite(b *testing.B) {
	for _, shape := range []synth.Shape{synth.Bundle, synth.MTELMem, synth.TREC} {
		b.Run(string(shape), func(b *testing.B) {
			c := synth.Config{Shape: shape, Queries: 2000, Depth: 60, Systems: 1, Seed: 1}
			b.ReportAllocs()
			for b.Loop() {
				dir := b.TempDir()
				if err := synth.Write(dir, c); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				size := 0
				for _, data := range readAll(b, dir) {
					size += len(data)
				}
				b.SetBytes(int64(size))
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
