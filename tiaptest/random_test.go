package tiaptest_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// plan holds the settings of an audit as words, which the audit and the
// reference read each in its own way.
type plan struct {
	Depth      int
	Targets    []string
	Beside     []string
	Headline   string // "" for none
	Credit     string
	Uncovered  string
	Population string
	Merge      string
	Metrics    []string
	MinEffect  float64
	Systems    []string // nil for all
	Categories []string // nil for all
}

func (p plan) options() tiaptest.Options {
	os := tiaptest.Options{
		tiaptest.Depth(p.Depth), tiaptest.Targets(targetsNamed(p.Targets)...), tiaptest.Credit(tiaptest.Crediting(p.Credit)),
		tiaptest.Uncovered(p.Uncovered), tiaptest.Population(p.Population), tiaptest.Merge(p.Merge),
		tiaptest.Metrics(metricsNamed(p.Metrics)...), tiaptest.MinEffect(p.MinEffect), tiaptest.Resamples(100),
	}
	if len(p.Beside) > 0 {
		os = append(os, tiaptest.Beside(targetsNamed(p.Beside)...))
	}
	if p.Headline != "" {
		os = append(os, tiaptest.Headline(targetNamed(p.Headline)))
	}
	if p.Systems != nil {
		os = append(os, tiaptest.Systems(p.Systems...))
	}
	if p.Categories != nil {
		os = append(os, tiaptest.Where(p.Categories...))
	}
	return os
}

// factsOnly is a target of a user: facts with a link of precision exact.
var factsOnly = tiaptest.NewTarget("facts", func(m tiaptest.Memory, links []tiaptest.Link, _ tiaptest.Unit) bool {
	return m.Form == "fact" && slices.ContainsFunc(links, func(l tiaptest.Link) bool { return l.Precision == "exact" })
})

func targetNamed(name string) tiaptest.Target {
	if inner, ok := strings.CutSuffix(name, ")"); ok {
		modifier, inner, _ := strings.Cut(inner, "(")
		return map[string]func(tiaptest.Target) tiaptest.Target{
			"current": tiaptest.Current, "exact": tiaptest.Exact, "inferred": tiaptest.Inferred, "validat": tiaptest.ValidAt,
		}[modifier](targetNamed(inner))
	}
	if t, ok := map[string]tiaptest.Target{
		"raw": tiaptest.Raw, "source": tiaptest.Source, "canonical": tiaptest.Canonical, "facts": factsOnly,
	}[name]; ok {
		return t
	}
	return tiaptest.NewTarget(name, nil) // of judged input, which knows it by its name
}

func targetsNamed(names []string) (ts []tiaptest.Target) {
	for _, n := range names {
		ts = append(ts, targetNamed(n))
	}
	return ts
}

func metricsNamed(names []string) (ms []tiaptest.Metric) {
	for _, n := range names {
		m, err := tiaptest.ParseMetric(n)
		if err != nil {
			panic(err)
		}
		ms = append(ms, m)
	}
	return ms
}

// chance is true in about percent of all draws, and in none of the simplest.
func chance(t *rapid.T, percent int, label string) bool {
	return rapid.IntRange(1, 100).Draw(t, label) > 100-percent
}

// someOf draws between least and most of the given values, each once, in any
// order.
func someOf[T any](t *rapid.T, from []T, least, most int, label string) []T {
	n := rapid.IntRange(least, min(most, len(from))).Draw(t, label+" count")
	return rapid.Permutation(from).Draw(t, label)[:n]
}

func oneOf[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

var (
	baseTargets  = []string{"raw", "source", "canonical"}
	otherTargets = []string{"current(canonical)", "exact(source)", "inferred(source)", "inferred(raw)", "current(exact(source))",
		"exact(inferred(canonical))", "facts", "inferred(facts)", "validat(source)", "validat(exact(canonical))"}
	plainMetrics = []string{"ndcg", "recall", "hit", "mrr", "precision", "ap", "rprec", "all", "top1", "micro_recall"}
)

// drawMetrics draws metrics, most of them with a cut-off, which may exceed the
// depth.
func drawMetrics(t *rapid.T, least, most int) []string {
	names := someOf(t, plainMetrics, least, most, "metrics")
	for i, n := range names {
		if n != "rprec" && n != "top1" && chance(t, 70, "cut") {
			names[i] = fmt.Sprintf("%s@%d", n, rapid.IntRange(1, 8).Draw(t, "k"))
		}
	}
	return names
}

// drawPlan draws settings for a bundle.
func drawPlan(t *rapid.T, b *tiaptest.Bundle) plan {
	p := plan{
		Depth:      rapid.IntRange(1, 7).Draw(t, "depth"),
		Targets:    slices.Clone(baseTargets),
		Credit:     oneOf(t, "credit", "evidence", "evidence", "memory"),
		Uncovered:  "dropped",
		Population: oneOf(t, "population", "shared", "shared", "all", "covered"),
		Merge:      oneOf(t, "merge", "order", "interleave", "rrf"),
		Metrics:    drawMetrics(t, 1, 3),
		MinEffect:  oneOf(t, "min effect", 1e-9, 1e-9, 0.0371),
	}
	if p.Credit == "evidence" {
		p.Uncovered = oneOf(t, "uncovered", "dropped", "counted")
	}
	all := slices.Concat(baseTargets, otherTargets)
	if chance(t, 40, "other targets") {
		p.Targets = someOf(t, all, 1, 4, "targets")
	}
	if chance(t, 40, "headline") {
		p.Headline = oneOf(t, "headline target", p.Targets...)
		rest := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(p.Targets, n) })
		p.Beside = someOf(t, rest, 0, 2, "beside")
	}
	if chance(t, 15, "some systems") {
		var names []string
		for _, s := range b.Systems {
			names = append(names, s.Name)
		}
		p.Systems = someOf(t, names, 1, len(names), "systems")
	}
	if chance(t, 15, "some categories") {
		p.Categories = []string{b.Scenario.Queries[0].Category}
		other := func(q tiaptest.Query) bool { return q.Category == "1" }
		if p.Categories[0] == "" && slices.ContainsFunc(b.Scenario.Queries, other) {
			p.Categories = []string{"", "1"}
		}
	}
	return p
}

// drawBundle draws a small bundle. Its first query always has evidence, and each
// run ranks a stored memory for it, so that an audit has something to score.
func drawBundle(t *rapid.T) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "random"}}
	var turns []string
	for i := range rapid.IntRange(2, 6).Draw(t, "turns") {
		turns = append(turns, fmt.Sprintf("c/%d", i))
	}
	if chance(t, 30, "turns are listed") {
		// The last turn may be missing: evidence on it is unusable.
		for _, id := range turns[:len(turns)-rapid.IntRange(0, 1).Draw(t, "missing turns")] {
			b.Scenario.Turns = append(b.Scenario.Turns, tiaptest.Turn{ID: id})
		}
	}
	ids := rapid.Permutation([]string{"q1", "q2", "q10", "q", "Q3", "q03", "é", "q-1"}).Draw(t, "query ids")
	for i, id := range ids[:rapid.IntRange(1, len(ids)).Draw(t, "queries")] {
		q := tiaptest.Query{ID: id, Category: oneOf(t, "category", "", "1", "2"), Scope: oneOf(t, "scope", "x", "y"), Time: oneOf(t, "asked", "2030", "2031", "2032", "")}
		if i == 0 {
			q.Evidence = append(q.Evidence, tiaptest.Unit{Turns: turns[:1]})
		}
		for range rapid.IntRange(0, 3).Draw(t, "units") {
			u := tiaptest.Unit{Turns: []string{oneOf(t, "turn", turns...)}}
			for chance(t, 25, "another turn") {
				u.Turns = append(u.Turns, oneOf(t, "turn", turns...))
			}
			q.Evidence = append(q.Evidence, u)
		}
		b.Scenario.Queries = append(b.Scenario.Queries, q)
	}
	for _, name := range someOf(t, []string{"A", "B", "C", "D"}, 1, oneOf(t, "most systems", 2, 3, 3, 4), "system names") {
		s := &tiaptest.System{Name: name, Family: oneOf(t, "family", "", "f", "f", "g")}
		ingests := 1
		if chance(t, 20, "repeats") {
			ingests = rapid.IntRange(2, 3).Draw(t, "ingests")
		}
		for range ingests {
			s.Ingests = append(s.Ingests, drawIngest(t, b, turns))
		}
		b.Systems = append(b.Systems, s)
	}
	return b
}

func drawIngest(t *rapid.T, b *tiaptest.Bundle, turns []string) *tiaptest.Ingest {
	in := &tiaptest.Ingest{Memories: drawStore(t, turns)}
	ids := []string{"x1", "x2"} // no memory has these
	for i := range in.Memories {
		ids = append(ids, in.Memories[i].ID)
	}
	queries := rapid.Permutation(b.Scenario.Queries).Draw(t, "order of rankings")
	for _, q := range queries {
		k := tiaptest.Ranking{Query: q.ID, K: oneOf(t, "k", 0, 0, 3)}
		first := q.ID == b.Scenario.Queries[0].ID
		how := rapid.IntRange(0, 9).Draw(t, "ranking")
		switch {
		case first || how < 5:
			k.IDs = someOf(t, ids, 0, len(ids), "ids")
			if first && !slices.Contains(k.IDs, ids[2]) {
				k.IDs = append(k.IDs, ids[2])
			}
		case how < 7:
			for _, name := range someOf(t, []string{"nodes", "edges", "episodes"}, 1, 3, "lists") {
				k.Lists = append(k.Lists, tiaptest.List{Name: name, IDs: someOf(t, ids, 0, 4, "ids")})
			}
		case how == 7: // empty
		case how == 8:
			k.Error = "timeout"
			k.IDs = someOf(t, ids, 0, 2, "ids")
		default:
			continue // absent
		}
		addRanking(in, k)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "rankings of other queries") {
		addRanking(in, tiaptest.Ranking{Query: fmt.Sprintf("other %d", i), IDs: someOf(t, ids, 0, 2, "ids")})
	}
	return in
}

func addRanking(in *tiaptest.Ingest, k tiaptest.Ranking) {
	if err := in.Run.Add(k); err != nil {
		panic(err)
	}
}

// drawStore draws memories. Those of form raw have no parents: they are turns of
// the conversation, made of nothing else.
func drawStore(t *rapid.T, turns []string) []tiaptest.Memory {
	linked := !chance(t, 10, "without lineage")
	var ms []tiaptest.Memory
	for i := range rapid.IntRange(1, 7).Draw(t, "memories") {
		m := tiaptest.Memory{
			ID:         fmt.Sprintf("m%d", i),
			Form:       oneOf(t, "form", "raw", "raw", "fact", "fact", "summary"),
			NotServing: chance(t, 15, "not serving"),
			Status:     oneOf(t, "status", "", "", "", "active", "superseded", "deleted"),
			ValidFrom:  oneOf(t, "valid from", "", "", "2030", "2031", "2032"),
			ValidTo:    oneOf(t, "valid to", "", "", "2031", "2032", "2033"),
		}
		if linked || m.Form == "raw" {
			for range oneOf(t, "links", 1, 1, 1, 0, 2, 3) {
				m.Sources = append(m.Sources, tiaptest.Link{
					Turn:      oneOf(t, "turn", append(turns, "c/other")...),
					Precision: oneOf(t, "precision", "", "", "exact", "batch", "container"),
					Origin:    oneOf(t, "origin", "", "", "recorded", "inferred"),
				})
			}
		}
		if linked && m.Form != "raw" && i > 0 && chance(t, 40, "parents") {
			for range rapid.IntRange(1, 2).Draw(t, "parent count") {
				m.Parents = append(m.Parents, ms[rapid.IntRange(0, i-1).Draw(t, "parent")].ID)
			}
		}
		ms = append(ms, m)
	}
	return rapid.Permutation(ms).Draw(t, "store")
}

// describe writes a bundle down for a failing test.
func describe(b *tiaptest.Bundle) string {
	var w strings.Builder
	for _, turn := range b.Scenario.Turns {
		fmt.Fprintf(&w, "turn %s\n", turn.ID)
	}
	for _, q := range b.Scenario.Queries {
		fmt.Fprintf(&w, "query %s category %q scope %s:", q.ID, q.Category, q.Scope)
		for _, u := range q.Evidence {
			fmt.Fprintf(&w, " %v", u.Turns)
		}
		w.WriteByte('\n')
	}
	for _, s := range b.Systems {
		for n, in := range s.Ingests {
			fmt.Fprintf(&w, "system %s family %q ingest %d\n", s.Name, s.Family, n+1)
			for _, m := range in.Memories {
				fmt.Fprintf(&w, "    %s %s %v parents %v status %q valid %q to %q not serving %v\n", m.ID, m.Form, m.Sources, m.Parents, m.Status, m.ValidFrom, m.ValidTo, m.NotServing)
			}
			for k := range in.Run.All() {
				fmt.Fprintf(&w, "    %s -> %v %v %s\n", k.Query, k.IDs, k.Lists, k.Error)
			}
		}
	}
	return w.String()
}
