package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// place is what a drawn system makes of the turn of a query: the ranks of the
// raw turn and of its fact in a ranking of four, from 1; 0 is none.
type place struct {
	raw, fact int
	stored    bool // there is a fact
}

// drawnSystem has a place for each query of each ingest.
type drawnSystem struct {
	name, family string
	ingests      [][]place
}

func drawSystem(t *rapid.T, name string, queries, ingests int) drawnSystem {
	s := drawnSystem{name: name, family: "drawn"}
	for range ingests {
		var in []place
		for range queries {
			ranks := rapid.Permutation([]int{1, 2, 3, 4, 0, 0}).Draw(t, "ranks")
			in = append(in, place{raw: ranks[0], fact: ranks[1], stored: rapid.IntRange(0, 7).Draw(t, "no fact") < 7})
		}
		s.ingests = append(s.ingests, in)
	}
	return s
}

// drawSystems draws systems A, B and C or fewer over a few queries, each with as
// many ingests.
func drawSystems(t *rapid.T, queries, ingests int) (out []drawnSystem) {
	for _, name := range []string{"A", "B", "C"}[:rapid.IntRange(2, 3).Draw(t, "systems")] {
		out = append(out, drawSystem(t, name, queries, ingests))
	}
	return out
}

// drawnBundle makes the bundle of drawn systems. Ids of memories begin with a
// prefix, and what has no order stands in the order that shuffle gives it.
func drawnBundle(systems []drawnSystem, prefix string, shuffle func(n int, swap func(i, j int))) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "drawn", Unit: "turn", Headline: "canonical"}}
	queries := len(systems[0].ingests[0])
	for q := range queries {
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
			ID: fmt.Sprintf("q%d", q), Text: fmt.Sprintf("What was said %d?", q),
			Evidence: []tiaptest.Unit{{Turns: []string{fmt.Sprintf("t%d", q)}}},
		})
	}
	for _, drawn := range systems {
		s := &tiaptest.System{
			Name: drawn.name, Family: drawn.family, Unit: "memory", Lineage: "recorded at ingest",
			Forms: map[string]string{"fact": "a sentence made of a turn"},
		}
		for _, places := range drawn.ingests {
			in := &tiaptest.Ingest{}
			for i := range 4 {
				in.Memories = append(in.Memories, tiaptest.Memory{ID: fmt.Sprintf("%sother%d", prefix, i), Form: "raw", Sources: []tiaptest.Link{{Turn: "elsewhere"}}})
			}
			var rankings []tiaptest.Ranking
			for q, p := range places {
				turn := []tiaptest.Link{{Turn: fmt.Sprintf("t%d", q)}}
				in.Memories = append(in.Memories, tiaptest.Memory{ID: fmt.Sprintf("%sraw%d", prefix, q), Form: "raw", Sources: turn})
				if p.stored {
					in.Memories = append(in.Memories, tiaptest.Memory{ID: fmt.Sprintf("%sfact%d", prefix, q), Form: "fact", Sources: turn})
				}
				ids := make([]string, 4)
				for i := range ids {
					ids[i] = fmt.Sprintf("%sother%d", prefix, i)
				}
				if p.raw > 0 {
					ids[p.raw-1] = fmt.Sprintf("%sraw%d", prefix, q)
				}
				if p.fact > 0 && p.stored {
					ids[p.fact-1] = fmt.Sprintf("%sfact%d", prefix, q)
				}
				rankings = append(rankings, tiaptest.Ranking{Query: fmt.Sprintf("q%d", q), IDs: ids})
			}
			shuffle(len(in.Memories), func(i, j int) { in.Memories[i], in.Memories[j] = in.Memories[j], in.Memories[i] })
			shuffle(len(rankings), func(i, j int) { rankings[i], rankings[j] = rankings[j], rankings[i] })
			for _, k := range rankings {
				if err := in.Run.Add(k); err != nil {
					panic(err)
				}
			}
			s.Ingests = append(s.Ingests, in)
		}
		b.Systems = append(b.Systems, s)
	}
	shuffle(len(b.Systems), func(i, j int) { b.Systems[i], b.Systems[j] = b.Systems[j], b.Systems[i] })
	shuffle(queries, func(i, j int) {
		qs := b.Scenario.Queries
		qs[i], qs[j] = qs[j], qs[i]
	})
	return b
}

func asWritten(int, func(i, j int)) {}

func rescored(t *rapid.T, b *tiaptest.Bundle) *tiaptest.Audit {
	a, err := tiaptest.Rescore(b, tiaptest.Depth(4), tiaptest.Metrics(tiaptest.NDCG(4), tiaptest.MRR(4)), tiaptest.Resamples(100))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func drawnRecord(t *rapid.T, systems []drawnSystem) *golden.Record {
	return recordOf(t, rescored(t, drawnBundle(systems, "", asWritten)))
}

func recordOf(t *rapid.T, a *tiaptest.Audit) *golden.Record {
	r, err := golden.NewRecord(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameAsRecorded fails unless a comparison found nothing at all.
func sameAsRecorded(t *rapid.T, d *golden.Difference, what string) {
	t.Helper()
	if d.Verdict != golden.Same || len(d.Findings) > 0 || d.Failed() {
		t.Fatalf("%s: %s\n%v", what, d.Line(), d.Findings)
	}
}

// TestDiffOfSame: an audit compared with itself, with one of the same memories
// under other ids, and with one whose lines stand in another order is the same.
// A comparison that takes a tie for a change or depends on ids or order fails.
func TestDiffOfSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		systems := drawSystems(t, rapid.IntRange(1, 7).Draw(t, "queries"), rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "ingests"))
		x := drawnRecord(t, systems)
		sameAsRecorded(t, golden.Diff(x, x), "itself")
		shuffle := func(n int, swap func(i, j int)) {
			for i := n - 1; i > 0; i-- {
				swap(i, rapid.IntRange(0, i).Draw(t, "swap"))
			}
		}
		sameAsRecorded(t, golden.Diff(x, recordOf(t, rescored(t, drawnBundle(systems, "", shuffle)))), "another order")
		renamed := rescored(t, drawnBundle(systems, "x/", asWritten))
		sameAsRecorded(t, golden.Diff(x, recordOf(t, renamed)), "other ids")
		d, err := golden.Compare("base", rescored(t, drawnBundle(systems, "", asWritten)), renamed)
		if err != nil {
			t.Fatal(err)
		}
		sameAsRecorded(t, d, "other ids, without a file")
	})
}

// TestUpdateThenCheck: what was recorded is the same when read and checked, and
// recorded again it changes no byte. Another audit differs from the file as from
// the record. A value that does not survive its file fails.
func TestUpdateThenCheck(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("TIAP_UPDATE", "")
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		systems := drawSystems(t, rapid.IntRange(1, 7).Draw(t, "queries"), rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "ingests"))
		a := rescored(t, drawnBundle(systems, "", asWritten))
		n++
		folder := filepath.Join(dir, fmt.Sprint(n))
		file := filepath.Join(folder, "drawn.json")
		check := func(update string) *golden.Difference {
			if err := os.Setenv("TIAP_UPDATE", update); err != nil {
				t.Fatal(err)
			}
			d, err := golden.CheckFile(file, "accept", a)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if d := check("0"); d.Verdict != golden.Missing || !d.Failed() {
			t.Fatalf("nothing is recorded: %s", d.Line())
		}
		sameAsRecorded(t, check("1"), "recorded")
		before := folderText(t, folder)
		sameAsRecorded(t, check("0"), "checked")
		read, err := golden.ReadRecord(file)
		if err != nil {
			t.Fatal(err)
		}
		sameAsRecorded(t, golden.Diff(read, recordOf(t, a)), "read")
		sameAsRecorded(t, golden.Diff(recordOf(t, a), read), "read, the other way round")
		y := drawnRecord(t, moved(t, systems))
		if diff := cmp.Diff(differenceText(t, golden.Diff(recordOf(t, a), y)), differenceText(t, golden.Diff(read, y))); diff != "" {
			t.Fatalf("another audit, compared with the record (-) and with its file (+):\n%s", diff)
		}
		sameAsRecorded(t, check("1"), "recorded again")
		if diff := cmp.Diff(before, folderText(t, folder)); diff != "" {
			t.Fatalf("recorded (-) and again (+):\n%s", diff)
		}
	})
}

func differenceText(t *rapid.T, d *golden.Difference) string {
	var text strings.Builder
	if err := d.WriteText(&text, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func folderText(t *rapid.T, dir string) map[string]string {
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// backward is the verdict on a difference seen from the other side.
var backward = map[golden.Verdict]golden.Verdict{
	golden.Inconclusive:          golden.Inconclusive,
	golden.Tie:                   golden.Tie,
	golden.WinnerFlip:            golden.WinnerFlip,
	golden.NewFlip:               golden.FlipResolved,
	golden.FlipResolved:          golden.NewFlip,
	golden.ChangeFlip:            golden.ChangeFlip,
	golden.RecommendationChanged: golden.RecommendationChanged,
	golden.Regressed:             golden.Improved,
	golden.Improved:              golden.Regressed,
}

// moved are the systems with other rankings over the same stores.
func moved(t *rapid.T, systems []drawnSystem) (out []drawnSystem) {
	for _, s := range systems {
		if rapid.Bool().Draw(t, "moved") {
			m := drawSystem(t, s.name, len(s.ingests[0]), len(s.ingests))
			for i, places := range m.ingests {
				for q := range places {
					places[q].stored = s.ingests[i][q].stored
				}
			}
			s = m
		}
		out = append(out, s)
	}
	return out
}

// sharedBy counts the queries that systems are compared on. A fact for none of
// the queries takes Canonical out of what a system is compared by.
func sharedBy(systems []drawnSystem, names []string) (n int) {
	queries := len(systems[0].ingests[0])
	var of []drawnSystem
	for _, s := range systems {
		if slices.Contains(names, s.name) {
			of = append(of, s)
		}
	}
	stored := func(s drawnSystem, q int) bool { return s.ingests[0][q].stored }
	for _, s := range of {
		any := false
		for q := range queries {
			any = any || stored(s, q)
		}
		if !any {
			return queries
		}
	}
	for q := range queries {
		if !slices.ContainsFunc(of, func(s drawnSystem) bool { return !stored(s, q) }) {
			n++
		}
	}
	return n
}

// TestDiffBothWays: with the same stores a difference seen from the other side is
// its opposite, and is one over the queries that its systems share. A threshold
// that is taken on one side only fails.
func TestDiffBothWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		queries := rapid.IntRange(1, 7).Draw(t, "queries")
		before := drawSystems(t, queries, 1)
		after := moved(t, before)
		x, y := drawnRecord(t, before), drawnRecord(t, after)
		forth, back := golden.Diff(x, y), golden.Diff(y, x)
		var want, got []string
		for _, f := range forth.Findings {
			want = append(want, fmt.Sprint(backward[f.Verdict], f.Systems, f.Targets, f.Metric, f.N))
		}
		for _, f := range back.Findings {
			if n := sharedBy(before, f.Systems); f.N != n {
				t.Fatalf("%d queries, want %d: %+v\n%+v\n%+v", f.N, n, f, before, after)
			}
			got = append(got, fmt.Sprint(f.Verdict, f.Systems, f.Targets, f.Metric, f.N))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("forth, turned (-) and back (+):\n%s\n%+v\n%+v", diff, before, after)
		}
	})
}

// TestFurtherSystem: a system that is added is new and changes nothing for the
// others; one that is gone fails. A comparison over the queries that all systems
// share would fail here, since the further system covers fewer.
func TestFurtherSystem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		queries := rapid.IntRange(1, 7).Draw(t, "queries")
		before := drawSystems(t, queries, 1)
		further := drawSystem(t, "Z", queries, 1)
		further.family = "further"
		x, y := drawnRecord(t, before), drawnRecord(t, append(before, further))
		added := golden.Diff(x, y)
		if added.Failed() || len(added.Findings) == 0 {
			t.Fatalf("added: %s", added.Line())
		}
		for _, f := range added.Findings {
			if f.Verdict != golden.New || !slices.Contains(f.Systems, "Z") {
				t.Fatalf("added: %+v", f)
			}
		}
		gone := golden.Diff(y, x)
		if !gone.Failed() || gone.Verdict != golden.Missing {
			t.Fatalf("gone: %s", gone.Line())
		}
		for _, f := range gone.Findings {
			if f.Verdict != golden.Missing || !slices.Contains(f.Systems, "Z") {
				t.Fatalf("gone: %+v", f)
			}
		}
	})
}

// TestOtherIdentity: with another question, depth or crediting no numbers are
// compared, whatever they are.
func TestOtherIdentity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		systems := drawSystems(t, rapid.IntRange(1, 7).Draw(t, "queries"), 1)
		x := drawnRecord(t, systems)
		b := drawnBundle(systems, "", asWritten)
		opts := tiaptest.Options{tiaptest.Depth(4), tiaptest.Metrics(tiaptest.NDCG(4), tiaptest.MRR(4)), tiaptest.Resamples(100)}
		what := rapid.SampledFrom([]string{"queries", "depth", "crediting", "uncovered units", "metrics", "headline"}).Draw(t, "identity")
		switch what {
		case "queries":
			b.Scenario.Queries[0].Text = "What else?"
		case "depth":
			opts = append(opts, tiaptest.Depth(3))
		case "crediting":
			opts = append(opts, tiaptest.Credit(tiaptest.ByMemory))
		case "uncovered units":
			opts = append(opts, tiaptest.Uncovered("counted"))
		case "metrics":
			opts = append(opts, tiaptest.Metrics(tiaptest.NDCG(4)))
		case "headline":
			opts = append(opts, tiaptest.Headline(tiaptest.Source))
		}
		a, err := tiaptest.Rescore(b, opts...)
		if err != nil {
			t.Fatal(err)
		}
		y := recordOf(t, a)
		for _, d := range []*golden.Difference{golden.Diff(x, y), golden.Diff(y, x)} {
			var text strings.Builder
			if err := d.WriteText(&text, a); err != nil {
				t.Fatal(err)
			}
			if d.Verdict != golden.IdentityMismatch || !d.Failed() || len(d.Findings) != 1 || !strings.Contains(text.String(), "\n    "+what+": ") {
				t.Fatalf("%s: %s\n%s", what, d.Line(), &text)
			}
		}
	})
}
