package tiaptest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// rescored audits a bundle and fails the test when that is not possible.
func rescored(t *rapid.T, b *tiaptest.Bundle, opts ...tiaptest.Option) *tiaptest.Audit {
	t.Helper()
	a, err := tiaptest.Rescore(b, opts...)
	if err != nil {
		t.Fatalf("%v\n%s", err, describe(b))
	}
	return a
}

func valuesOf(t *rapid.T, a *tiaptest.Audit, system, target, metric string) map[string]float64 {
	t.Helper()
	values, err := a.PerQuery(system, targetNamed(target), metricsNamed([]string{metric})[0])
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func systemsOf(b *tiaptest.Bundle) (names []string) {
	for _, s := range b.Systems {
		names = append(names, s.Name)
	}
	return names
}

// nested are targets of which the first credits nothing that the second does not.
var nested = [][2]string{
	{"raw", "source"},
	{"canonical", "source"},
	{"current(canonical)", "canonical"},
	{"exact(source)", "source"},
	{"current(exact(source))", "exact(source)"},
	{"source", "inferred(source)"},
	{"raw", "inferred(raw)"},
	{"exact(inferred(canonical))", "inferred(canonical)"},
	{"facts", "source"},
	{"facts", "inferred(facts)"},
}

// TestNestedTargets: more eligible memories never push the first credit down, so
// that these metrics never fall. By memory a rank earns or does not, whatever
// else earns; by evidence a memory that credits two units can take the gain of a
// later one, so that precision may fall. Shares of relevant items grow when their
// number stays, which it does by evidence with uncovered units counted.
func TestNestedTargets(t *testing.T) {
	t.Parallel()
	monotone := map[string][]string{
		"evidence/dropped": {"hit", "hit@2", "mrr", "mrr@3", "top1"},
		"evidence/counted": {"hit", "hit@2", "mrr", "mrr@3", "top1", "recall", "recall@2", "all", "all@3"},
		"memory/dropped":   {"hit", "hit@2", "mrr", "mrr@3", "top1", "precision", "precision@3"},
	}
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		scheme := oneOf(t, "scheme", "evidence/dropped", "evidence/counted", "memory/dropped")
		credit, uncovered, _ := strings.Cut(scheme, "/")
		pair := oneOf(t, "targets", nested...)
		a := rescored(t, b, plan{
			Depth: rapid.IntRange(1, 7).Draw(t, "depth"), Targets: pair[:], Credit: credit, Uncovered: uncovered, Population: "all",
			Merge: "order", Metrics: monotone[scheme],
		}.options())
		report := parsed(t, a)
		for _, s := range report.Systems {
			if less, more := s.Covered[pair[0]], s.Covered[pair[1]]; less > more && !slices.Contains(s.Unavailable, pair[1]) {
				t.Fatalf("%s covers %d queries under %s, %d under %s\n%s", s.Name, less, pair[0], more, pair[1], describe(b))
			}
			for _, metric := range monotone[scheme] {
				less, more := valuesOf(t, a, s.Name, pair[0], metric), valuesOf(t, a, s.Name, pair[1], metric)
				if len(more) == 0 {
					continue // unavailable
				}
				for q, v := range less {
					if v > more[q]+1e-12 {
						t.Fatalf("%s %s of %s for %s: %v under %s, %v under %s\n%s", scheme, metric, s.Name, q, v, pair[0], more[q], pair[1], describe(b))
					}
				}
			}
		}
	})
}

// TestRawAndCanonicalAreDisjoint: by memory each rank earns under one of them at
// most, and what earns under either earns under Source.
func TestRawAndCanonicalAreDisjoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		a := rescored(t, b, tiaptest.Depth(7), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Population("all"), tiaptest.Resamples(100),
			tiaptest.Metrics(tiaptest.Precision(1), tiaptest.Precision(3), tiaptest.Precision(7)))
		if err := a.Verify(tiaptest.Nested()); err != nil && !strings.Contains(err.Error(), "compared nothing") {
			t.Fatalf("%v\n%s", err, describe(b))
		}
		for _, s := range b.Systems {
			for _, metric := range []string{"precision@1", "precision@3", "precision@7"} {
				raw, canonical := valuesOf(t, a, s.Name, "raw", metric), valuesOf(t, a, s.Name, "canonical", metric)
				for q, source := range valuesOf(t, a, s.Name, "source", metric) {
					if raw[q]+canonical[q] > source+1e-12 {
						t.Fatalf("%s of %s for %s: raw %v and canonical %v, source %v\n%s", metric, s.Name, q, raw[q], canonical[q], source, describe(b))
					}
				}
			}
		}
	})
}

// TestBounds: every score lies in [0, 1], and a deeper cut-off never lowers
// metrics whose denominator does not depend on it.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		p := drawPlan(t, b)
		p.Metrics = []string{"rprec", "top1"}
		for _, word := range plainMetrics {
			if word != "rprec" && word != "top1" {
				p.Metrics = append(p.Metrics, word, word+"@1", word+"@2", word+"@4", word+"@9")
			}
		}
		a := rescored(t, b, p.options())
		value := map[[4]string]float64{} // system, target, subset, metric
		for _, s := range parsed(t, a).Scores {
			if s.Value == nil {
				continue
			}
			if !(*s.Value >= 0 && *s.Value <= 1) {
				t.Fatalf("%s of %s under %s over %s is %v\n%+v\n%s", s.Metric, s.System, s.Target, s.Subset, *s.Value, p, describe(b))
			}
			value[[4]string{s.System, s.Target, s.Subset, s.Metric}] = *s.Value
		}
		for at, v := range value {
			word, _, _ := strings.Cut(at[3], "@")
			if !slices.Contains([]string{"recall", "hit", "mrr", "ap", "all", "micro_recall"}, word) {
				continue
			}
			last := 0.0
			for _, cut := range []string{"@1", "@2", "@4", "@9", ""} {
				at[3] = word + cut
				if value[at] < last-1e-12 {
					t.Fatalf("%v is %v, and %v with a smaller cut-off\n%+v\n%s", at, value[at], last, p, describe(b))
				}
				last = value[at]
			}
			_ = v
		}
		for _, s := range systemsOf(b) {
			if p.Systems != nil && !slices.Contains(p.Systems, s) {
				continue
			}
			for _, target := range slices.Concat(p.Targets, p.Beside) {
				for _, metric := range p.Metrics {
					if strings.HasPrefix(metric, "micro_recall") {
						continue
					}
					for q, v := range valuesOf(t, a, s, target, metric) {
						if !(v >= 0 && v <= 1) {
							t.Fatalf("%s of %s under %s for %s is %v\n%+v\n%s", metric, s, target, q, v, p, describe(b))
						}
					}
				}
			}
		}
	})
}

// TestCreditingsAgree: with one unit for each memory and one memory for each
// unit nothing is left to choose.
func TestCreditingsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		for i := range b.Scenario.Queries {
			q := &b.Scenario.Queries[i]
			for n := range q.Evidence {
				q.Evidence[n].Turns = q.Evidence[n].Turns[:1]
			}
		}
		for _, s := range b.Systems {
			for _, in := range s.Ingests {
				for n := range in.Memories {
					m := &in.Memories[n]
					m.Parents = nil
					m.Sources = []tiaptest.Link{{Turn: fmt.Sprintf("c/%d", n)}}
				}
			}
		}
		p := drawPlan(t, b)
		p.Beside, p.Uncovered = nil, "dropped"
		p.Credit = "evidence"
		evidence := parsed(t, rescored(t, b, p.options()))
		p.Credit = "memory"
		memory := parsed(t, rescored(t, b, p.options()))
		evidence.Conventions, memory.Conventions = nil, nil
		if diff := gocmp.Diff(evidence, memory); diff != "" {
			t.Fatalf("by evidence (-) and by memory (+):\n%s\n%+v\n%s", diff, p, describe(b))
		}
	})
}

// TestSharedSubset: it is the intersection of what single systems cover under
// the targets that cover anything in them, and a further system never adds to
// it.
func TestSharedSubset(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		names := systemsOf(b)
		over := func(names ...string) *tiaptest.Audit {
			return rescored(t, b, tiaptest.Systems(names...), tiaptest.Metrics(tiaptest.Top1()), tiaptest.Resamples(100))
		}
		intersect := func(names ...string) (shared map[string]bool) {
			for _, name := range names {
				a := over(name)
				for _, target := range baseTargets {
					values := valuesOf(t, a, name, target, "top1")
					if len(values) == 0 {
						continue
					}
					kept := map[string]bool{}
					for q := range values {
						if shared == nil || shared[q] {
							kept[q] = true
						}
					}
					shared = kept
				}
			}
			return shared
		}
		all := over(names...)
		if want, got := len(intersect(names...)), all.Shared().N; got != want {
			t.Fatalf("%d shared queries, want %d\n%s", got, want, describe(b))
		}
		for _, name := range names {
			others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
			if len(others) == 0 || intersect(others...) == nil {
				continue
			}
			without := over(others...).Shared()
			if cost := all.Shared().Cost[name]; cost < 0 || without.N != all.Shared().N+cost {
				t.Fatalf("%d shared queries without %s, which costs %d of %d\n%s", without.N, name, cost, all.Shared().N, describe(b))
			}
			if all.Shared().N == without.N && all.Shared().Digest != without.Digest {
				t.Fatalf("%s costs nothing and changes the digest\n%s", name, describe(b))
			}
		}
	})
}

// TestOrderOfPair: the other order of two systems negates gaps, shifts and
// intervals and changes nothing else, when asked for and when the names demand
// it.
func TestOrderOfPair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawRivals(t)
		p := drawPlan(t, b)
		p.Systems, p.Beside = nil, nil
		a := rescored(t, b, p.options())
		renamed := &tiaptest.Bundle{Scenario: b.Scenario}
		for _, s := range b.Systems {
			r := *s
			r.Name = map[string]string{"A": "Z", "B": "B"}[s.Name]
			renamed.Systems = append(renamed.Systems, &r)
		}
		z := rescored(t, renamed, p.options())
		for _, m := range metricsNamed(p.Metrics) {
			want := mirrored(pairOf(t, a, "A", "B", m), "B", "A")
			if diff := gocmp.Diff(want, pairOf(t, a, "B", "A", m)); diff != "" {
				t.Fatalf("Pair(A, B) mirrored (-) and Pair(B, A) (+):\n%s\n%s", diff, describe(b))
			}
			z := pairOf(t, z, "B", "Z", m)
			for target, w := range z.Winners {
				if w != nil && *w == "Z" {
					name := "A"
					z.Winners[target] = &name
				}
			}
			z.B = "A"
			if diff := gocmp.Diff(want, z); diff != "" {
				t.Fatalf("mirrored (-) and renamed (+):\n%s\n%s", diff, describe(b))
			}
		}
	})
}

// pairOf is a pair as its JSON has it.
func pairOf(t *rapid.T, a *tiaptest.Audit, first, second string, m tiaptest.Metric) (out pairJSON) {
	pair, err := a.Pair(first, second, m)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(pair)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// mirrored is the same pair seen from the other system.
func mirrored(p pairJSON, a, b string) pairJSON {
	p.A, p.B = a, b
	gaps := map[string]gapJSON{}
	for target, g := range p.Gaps {
		gaps[target] = g.mirrored()
	}
	p.Gaps = gaps
	p.Flips = slices.Clone(p.Flips)
	for i := range p.Flips {
		f := &p.Flips[i]
		f.Shift = f.Shift.mirrored()
		f.Carriers = slices.Clone(f.Carriers)
		for c := range f.Carriers {
			f.Carriers[c].Shift *= -1
		}
	}
	return p
}

func (g gapJSON) mirrored() gapJSON {
	if g.Value != nil {
		v := 0 - *g.Value
		g.Value = &v
	}
	if g.CI != nil {
		g.CI = []float64{0 - g.CI[1], 0 - g.CI[0]}
	}
	return g
}

// TestRenaming: ids are names. Others change no number, as long as the ids of
// queries sort as before.
func TestRenaming(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		p := drawPlan(t, b)
		seed := rapid.IntRange(0, 1000).Draw(t, "renaming")
		memory := func(id string) string { return fmt.Sprintf("%d/%s", (int(id[len(id)-1])*7919+seed)%1009, id) }
		turn := func(id string) string { return fmt.Sprintf("%d/%s", (int(id[len(id)-1])*104729+seed)%1009, id) }
		query := func(id string) string { return "query " + id }
		renamed := copied(b)
		for i := range renamed.Scenario.Turns {
			renamed.Scenario.Turns[i].ID = turn(renamed.Scenario.Turns[i].ID)
		}
		for i := range renamed.Scenario.Queries {
			q := &renamed.Scenario.Queries[i]
			q.ID = query(q.ID)
			for _, u := range q.Evidence {
				for n := range u.Turns {
					u.Turns[n] = turn(u.Turns[n])
				}
			}
		}
		for _, s := range renamed.Systems {
			for _, in := range s.Ingests {
				for i := range in.Memories {
					m := &in.Memories[i]
					m.ID = memory(m.ID)
					for n := range m.Sources {
						m.Sources[n].Turn = turn(m.Sources[n].Turn)
					}
					for n := range m.Parents {
						m.Parents[n] = memory(m.Parents[n])
					}
				}
				run := in.Run
				in.Run = tiaptest.Run{}
				for k := range run.All() {
					k.Query = query(k.Query)
					for n := range k.IDs {
						k.IDs[n] = memory(k.IDs[n])
					}
					for _, l := range k.Lists {
						for n := range l.IDs {
							l.IDs[n] = memory(l.IDs[n])
						}
					}
					addRanking(in, k)
				}
			}
		}
		want, got := parsed(t, rescored(t, b, p.options())), parsed(t, rescored(t, renamed, p.options()))
		want.Diagnostics, got.Diagnostics = nil, nil // they name ids
		for _, pair := range want.Pairs {
			for _, f := range pair.Flips {
				for i := range f.Carriers {
					f.Carriers[i].Query = query(f.Carriers[i].Query)
				}
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("first names (-) and others (+):\n%s\n%+v\n%s", diff, p, describe(b))
		}
	})
}

// copied copies what a bundle built by drawBundle holds.
func copied(b *tiaptest.Bundle) *tiaptest.Bundle {
	c := &tiaptest.Bundle{Scenario: b.Scenario}
	c.Scenario.Turns = slices.Clone(b.Scenario.Turns)
	c.Scenario.Queries = slices.Clone(b.Scenario.Queries)
	for i := range c.Scenario.Queries {
		q := &c.Scenario.Queries[i]
		q.Evidence = slices.Clone(q.Evidence)
		for n := range q.Evidence {
			q.Evidence[n].Turns = slices.Clone(q.Evidence[n].Turns)
		}
	}
	for _, s := range b.Systems {
		system := *s
		system.Ingests = nil
		for _, in := range s.Ingests {
			ingest := &tiaptest.Ingest{Memories: slices.Clone(in.Memories)}
			for i := range ingest.Memories {
				m := &ingest.Memories[i]
				m.Sources, m.Parents = slices.Clone(m.Sources), slices.Clone(m.Parents)
			}
			for k := range in.Run.All() {
				addRanking(ingest, k)
			}
			system.Ingests = append(system.Ingests, ingest)
		}
		c.Systems = append(c.Systems, &system)
	}
	return c
}

// TestPermuting: the order of systems, turns, queries, memories and rankings
// changes no byte.
func TestPermuting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		p := drawPlan(t, b)
		c := copied(b)
		c.Scenario.Turns = rapid.Permutation(c.Scenario.Turns).Draw(t, "turns")
		c.Scenario.Queries = rapid.Permutation(c.Scenario.Queries).Draw(t, "queries")
		c.Systems = rapid.Permutation(c.Systems).Draw(t, "systems")
		for _, s := range c.Systems {
			for _, in := range s.Ingests {
				in.Memories = rapid.Permutation(in.Memories).Draw(t, "memories")
				rankings := slices.Collect(in.Run.All())
				in.Run = tiaptest.Run{}
				for _, k := range rapid.Permutation(rankings).Draw(t, "rankings") {
					k.Lists = rapid.Permutation(k.Lists).Draw(t, "lists")
					addRanking(in, k)
				}
			}
		}
		want, got := written(t, rescored(t, b, p.options())), written(t, rescored(t, c, p.options()))
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("first order (-) and another (+):\n%s\n%+v\n%s", diff, p, describe(b))
		}
	})
}

// written is all that an audit writes.
func written(t *rapid.T, a *tiaptest.Audit) string {
	var w bytes.Buffer
	for _, write := range []func() error{
		func() error { return a.WriteJSON(&w) },
		func() error { return a.WritePerQuery(&w) },
		func() error { return a.WriteTable(&w) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	return w.String()
}

// TestFurtherSystem: a pair is compared on its own queries, so that a third
// system changes nothing but the correction for many tests.
func TestFurtherSystem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		names := systemsOf(b)
		if len(names) < 2 {
			return
		}
		p := drawPlan(t, b)
		p.Systems = nil
		all := parsed(t, rescored(t, b, p.options()))
		p.Systems = names[:2]
		two := parsed(t, rescored(t, b, p.options()))
		uncorrected := func(p pairJSON) pairJSON {
			for target, g := range p.Gaps {
				g.PAdj = nil
				p.Gaps[target] = g
			}
			for i := range p.Flips {
				p.Flips[i].Grade = nil
			}
			return p
		}
		for _, pair := range two.Pairs {
			i := slices.IndexFunc(all.Pairs, func(o pairJSON) bool {
				return o.A == pair.A && o.B == pair.B && o.Metric == pair.Metric && o.Beside == pair.Beside
			})
			if diff := gocmp.Diff(uncorrected(pair), uncorrected(all.Pairs[i])); diff != "" {
				t.Fatalf("alone (-) and among %d systems (+):\n%s\n%+v\n%s", len(names), diff, p, describe(b))
			}
		}
	})
}

// TestBeside: diagnostic targets add rows and change none.
func TestBeside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		p := drawPlan(t, b)
		p.Headline, p.Beside = p.Targets[0], nil
		want := parsed(t, rescored(t, b, p.options()))
		rest := slices.DeleteFunc(slices.Concat(baseTargets, otherTargets), func(n string) bool { return slices.Contains(p.Targets, n) })
		p.Beside = someOf(t, rest, 1, 4, "beside")
		got := parsed(t, rescored(t, b, p.options()))
		aside := func(target string) bool { return slices.Contains(p.Beside, target) }
		for i := range got.Systems {
			s := &got.Systems[i]
			s.Unavailable = slices.DeleteFunc(s.Unavailable, aside)
			for _, target := range p.Beside {
				delete(s.Covered, target)
			}
		}
		scores, changes := len(got.Scores), len(got.Changes)
		got.Scores = slices.DeleteFunc(got.Scores, func(s scoreJSON) bool { return aside(s.Target) })
		got.Changes = slices.DeleteFunc(got.Changes, func(c changeJSON) bool { return aside(c.Targets[1]) })
		got.Pairs = slices.DeleteFunc(got.Pairs, func(p pairJSON) bool { return p.Beside != "" })
		want.Diagnostics, got.Diagnostics = nil, nil // they tell what each target covers
		if scores == len(got.Scores) || changes < len(got.Changes) {
			t.Fatalf("the targets %v have no scores", p.Beside)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("without (-) and with %v (+):\n%s\n%+v\n%s", p.Beside, diff, p, describe(b))
		}
	})
}

// drawRivals draws two systems, A and B, that often have different winners under
// two targets: each query has a raw turn and a fact made of it, and the rankings
// come in a few patterns, of which each system may prefer one.
func drawRivals(t *rapid.T) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "rivals"}}
	n := oneOf(t, "queries", 5, 2, 3, 7, 9, 31, 40)
	patterns := rapid.SliceOfN(rapid.Permutation(strings.Split("rfxyz", "")), 1, 4).Draw(t, "patterns")
	for q := range n {
		evidence := []tiaptest.Unit{{Turns: []string{fmt.Sprintf("t%d", q)}}}
		if chance(t, 20, "second unit") {
			evidence = append(evidence, tiaptest.Unit{Turns: []string{fmt.Sprintf("u%d", q)}})
		}
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: fmt.Sprintf("q%02d", q), Scope: fmt.Sprint(q / 3), Evidence: evidence})
	}
	steady := rapid.Bool().Draw(t, "steady")
	for i, name := range []string{"A", "B"} {
		s := &tiaptest.System{Name: name, Family: "rivals"}
		for range oneOf(t, "ingests", 1, 1, 1, 2) {
			in := &tiaptest.Ingest{}
			for q := range n {
				turn, pattern := fmt.Sprintf("t%d", q), oneOf(t, "pattern", patterns...)
				if steady && !chance(t, 20, "other pattern") {
					pattern = patterns[i*(len(patterns)-1)]
				}
				var ids []string
				for _, letter := range pattern {
					id := fmt.Sprintf("%s%d", letter, q)
					ids = append(ids, id)
					switch letter {
					case "r":
						in.Memories = append(in.Memories, tiaptest.Memory{ID: id, Form: "raw", Sources: []tiaptest.Link{{Turn: turn}}})
					case "f":
						in.Memories = append(in.Memories, tiaptest.Memory{ID: id, Form: "fact", Parents: []string{fmt.Sprintf("r%d", q)}})
					case "x":
						in.Memories = append(in.Memories, tiaptest.Memory{ID: id, Form: "raw", Sources: []tiaptest.Link{{Turn: fmt.Sprintf("u%d", q)}}})
					}
				}
				addRanking(in, tiaptest.Ranking{Query: fmt.Sprintf("q%02d", q), IDs: ids[:5-oneOf(t, "left out", 0, 0, 1, 2)]})
			}
			s.Ingests = append(s.Ingests, in)
		}
		b.Systems = append(b.Systems, s)
	}
	return b
}

// contributions are a pair's differences of single queries under a target, over
// the queries of the pair, by id.
func contributions(t *rapid.T, a *tiaptest.Audit, p pairJSON, target string) map[string]float64 {
	first, second := valuesOf(t, a, p.A, target, p.Metric), valuesOf(t, a, p.B, target, p.Metric)
	out := map[string]float64{}
	for q, v := range first {
		out[q] = v - second[q]
	}
	if p.Subset == "all" {
		return out
	}
	for u := range p.Gaps {
		for _, system := range []string{p.A, p.B} {
			covered := valuesOf(t, a, system, u, p.Metric)
			for q := range out {
				if _, ok := covered[q]; !ok {
					delete(out, q)
				}
			}
		}
	}
	return out
}

// TestFlips checks verdicts, grades, carriers and the number of queries to leave
// out against the numbers that stand beside them and against single queries.
func TestFlips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawRivals(t)
		p := drawPlan(t, b)
		p.Systems, p.Categories = nil, nil
		p.Targets, p.Headline, p.Beside = slices.Clone(baseTargets), "", nil
		if p.Population == "covered" {
			p.Population = "shared"
		}
		a := rescored(t, b, p.options())
		report := parsed(t, a)
		checkHolm(t, report)
		for _, pair := range report.Pairs {
			for _, f := range pair.Flips {
				checkGrade(t, p, pair, f)
				if *f.Shift.Value != *pair.Gaps[f.Targets[0]].Value-*pair.Gaps[f.Targets[1]].Value {
					t.Fatalf("the shift %v is not the difference of the gaps", *f.Shift.Value)
				}
				if f.Verdict != "flip" {
					if f.LeaveOut != nil || f.CarriedBy != 0 || len(f.Carriers) != 0 {
						t.Fatalf("carriers without a flip: %+v", f)
					}
					continue
				}
				if !strings.HasPrefix(pair.Metric, "micro_recall") {
					first, second := contributions(t, a, pair, f.Targets[0]), contributions(t, a, pair, f.Targets[1])
					checkCarriers(t, pair, f, first, second)
					checkLeaveOut(t, p, pair, f, first, second)
				}
			}
		}
	})
}

func checkGrade(t *rapid.T, p plan, pair pairJSON, f flipJSON) {
	first, second := pair.Gaps[f.Targets[0]], pair.Gaps[f.Targets[1]]
	verdict := "same"
	switch {
	case math.Abs(*first.Value) <= p.MinEffect || math.Abs(*second.Value) <= p.MinEffect:
		verdict = "tie"
	case (*first.Value > 0) != (*second.Value > 0):
		verdict = "flip"
	}
	significant := func(p *float64) bool { return p != nil && *p < 0.05 }
	grade := "none"
	switch {
	case verdict != "flip":
	case significant(first.PAdj) && significant(second.PAdj):
		grade = "decisive"
	case significant(f.Shift.P):
		grade = "likely"
	default:
		grade = "fragile"
	}
	got := "none"
	if f.Grade != nil {
		got = *f.Grade
	}
	if f.Verdict != verdict || got != grade {
		t.Fatalf("gaps %v and %v: verdict %s, grade %s; want %s, %s", *first.Value, *second.Value, f.Verdict, got, verdict, grade)
	}
	for _, g := range []gapJSON{first, second, f.Shift} {
		if g.CI != nil && !(g.CI[0] <= g.CI[1]) || g.P != nil && !(*g.P > 0 && *g.P <= 1) || g.PAdj != nil && *g.PAdj < *g.P {
			t.Fatalf("interval %v, p %v, adjusted %v", g.CI, g.P, g.PAdj)
		}
	}
}

// checkHolm adjusts the p values of each metric again: the smallest is
// multiplied by their number, the next by one less, and none falls below the one
// before.
func checkHolm(t *rapid.T, report auditJSON) {
	byMetric := map[string][]gapJSON{}
	for _, p := range report.Pairs {
		for _, g := range p.Gaps {
			if g.P != nil {
				byMetric[p.Metric] = append(byMetric[p.Metric], g)
			}
		}
	}
	for metric, gaps := range byMetric {
		slices.SortFunc(gaps, func(a, b gapJSON) int {
			if *a.P < *b.P {
				return -1
			}
			return 1
		})
		least := 0.0
		for i, g := range gaps {
			least = max(least, min(1, *g.P*float64(len(gaps)-i)))
			if math.Abs(least-*g.PAdj) > 1e-12 {
				t.Fatalf("%s: p %v adjusted to %v, want %v", metric, *g.P, *g.PAdj, least)
			}
		}
	}
}

// checkCarriers: the carriers have the largest contributions to the shift, sum
// to at least the shift, and without the last of them would not.
func checkCarriers(t *rapid.T, pair pairJSON, f flipJSON, first, second map[string]float64) {
	direction := 1.0
	if *f.Shift.Value < 0 {
		direction = -1
	}
	n := float64(pair.N)
	if len(first) != pair.N {
		t.Fatalf("%d queries have values in a pair of %d", len(first), pair.N)
	}
	var all []float64
	for q := range first {
		all = append(all, direction*(first[q]-second[q])/n)
	}
	slices.Sort(all)
	slices.Reverse(all)
	sum := 0.0
	for i, c := range f.Carriers {
		if math.Abs(c.Shift-(first[c.Query]-second[c.Query])/n) > 1e-12 {
			t.Fatalf("carrier %+v: its contribution is %v", c, (first[c.Query]-second[c.Query])/n)
		}
		if math.Abs(direction*c.Shift-all[i]) > 1e-12 {
			t.Fatalf("carrier %d contributes %v; the contribution of that place is %v", i+1, c.Shift, all[i])
		}
		if sum >= math.Abs(*f.Shift.Value) {
			t.Fatalf("the first %d of %d carriers make up the shift", i, len(f.Carriers))
		}
		sum += direction * c.Shift
	}
	if len(f.Carriers) != f.CarriedBy || sum < math.Abs(*f.Shift.Value)-2e-9 {
		t.Fatalf("%d carriers of %d sum to %v of the shift %v", len(f.Carriers), f.CarriedBy, sum, *f.Shift.Value)
	}
}

// checkLeaveOut looks for the smallest set of queries without which one of the
// two targets no longer picks the system that it picked: among all sets where the
// queries are few, else by what each gap needs, since the largest differences
// lower a mean most. That many must be said, or more if the winners then differ
// the other way round.
func checkLeaveOut(t *rapid.T, p plan, pair pairJSON, f flipJSON, first, second map[string]float64) {
	side := math.Copysign(1, *pair.Gaps[f.Targets[0]].Value)
	flips := func(side float64, without func(i int) bool, queries []string) bool {
		a, b, n := 0.0, 0.0, 0.0
		for i, q := range queries {
			if !without(i) {
				a, b, n = a+first[q], b+second[q], n+1
			}
		}
		return side*a/n > p.MinEffect && -side*b/n > p.MinEffect
	}
	least, reversed := pair.N, false
	if pair.N <= 9 {
		queries := slices.Sorted(maps.Keys(first))
		for set := range 1<<len(queries) - 1 {
			without := func(i int) bool { return set&(1<<i) != 0 }
			if n := bits.OnesCount(uint(set)); n < least && !flips(side, without, queries) {
				least = n
			}
		}
	}
	orders := [][]string{}
	for _, gap := range []map[string]float64{first, second} {
		queries := slices.SortedFunc(maps.Keys(gap), func(x, y string) int { return cmp.Compare(gap[y], gap[x]) })
		if total := slices.Collect(maps.Values(gap)); sumOf(total) < 0 {
			slices.Reverse(queries)
		}
		orders = append(orders, queries)
		for n := range pair.N {
			if pair.N > 9 && !flips(side, func(i int) bool { return i < n }, queries) {
				least = min(least, n)
			}
		}
	}
	for _, queries := range orders {
		reversed = reversed || flips(-side, func(i int) bool { return i < least }, queries)
	}
	switch {
	case f.LeaveOut == nil && least < pair.N && !reversed:
		t.Fatalf("no number of queries to leave out; %d of %d do", least, pair.N)
	case f.LeaveOut != nil && (*f.LeaveOut < least || *f.LeaveOut > least && !reversed):
		t.Fatalf("leaving out %d of %d queries is said to end the flip; it takes %d", *f.LeaveOut, pair.N, least)
	}
}

func sumOf(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}
