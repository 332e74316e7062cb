package golden

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// systems compares each system with its recorded self.
func (c *comparison) systems() {
	for i := range c.want.content.Systems {
		w := &c.want.content.Systems[i]
		g := c.got.content.system(w.Name)
		if g == nil {
			c.add(Finding{Verdict: Missing, Systems: []string{w.Name}, Text: fmt.Sprintf("missing: system %s is recorded and is not in the audit", w.Name)})
			continue
		}
		for _, t := range targetsOf(w.Covered) {
			c.coverage(w, g, t)
		}
		for _, t := range targetsOf(g.Covered) {
			if _, ok := w.Covered[t]; !ok {
				c.add(Finding{Verdict: New, Systems: []string{w.Name}, Targets: []string{t}, Text: fmt.Sprintf("new: %s under %s is not recorded", w.Name, t)})
			}
		}
		c.answers(w, g)
		c.memories(w, g)
		c.selves(w, g)
	}
	for _, g := range c.got.content.Systems {
		if c.want.content.system(g.Name) == nil {
			c.add(Finding{Verdict: New, Systems: []string{g.Name}, Text: fmt.Sprintf("new: system %s is not recorded", g.Name)})
		}
	}
}

// answers compares how many queries have no answer, which count as 0. The counts are
// over all ingests, of which there may be more than recorded.
func (c *comparison) answers(w, g *systemRecord) {
	covered := 0
	for _, t := range w.Covered {
		covered = max(covered, t.N)
	}
	lost := (g.Absent+g.Failed)*w.Ingests - (w.Absent+w.Failed)*g.Ingests
	v := c.s.coverage(lost, covered*w.Ingests*g.Ingests, beyond)
	if v == Same {
		return
	}
	c.add(Finding{
		Verdict: v, Systems: []string{w.Name},
		Text: fmt.Sprintf("%s: %s has %s, recorded %s (tolerance %g%%)", words(v), w.Name, g.unanswered(), w.unanswered(), 100*c.s.tolerance),
	})
}

func (s *systemRecord) unanswered() string {
	text := fmt.Sprintf("%d absent and %d failed queries", s.Absent, s.Failed)
	if s.Ingests > 1 {
		text += fmt.Sprintf(" in %d ingests", s.Ingests)
	}
	return text
}

// coverage compares which queries a target covers in a system.
func (c *comparison) coverage(w, g *systemRecord, t string) {
	was := w.Covered[t]
	is, ok := g.Covered[t]
	if !ok {
		c.add(Finding{Verdict: Missing, Systems: []string{w.Name}, Targets: []string{t}, Text: fmt.Sprintf("missing: target %s is recorded and has no score in %s", t, w.Name)})
		return
	}
	lost, names := max(0, was.N-is.N), []string(nil)
	if c.scored() {
		before, after := c.want.scores.covered(w.Name, t), c.got.scores.covered(w.Name, t)
		if len(before) == was.N && len(after) == is.N {
			names = missingFrom(before, after)
			lost = len(names)
		}
	}
	noise := beyond
	f := Finding{Systems: []string{w.Name}, Targets: []string{t}, N: was.N}
	text := ""
	if ws, gs := w.Counts[t], g.Counts[t]; len(ws) >= fewestIngests && len(gs) >= fewestIngests {
		if e, ok := c.stat.repeated(floats(gs), floats(ws), len(c.want.content.Systems)*len(w.Covered)); ok {
			if e.value >= 0 {
				e.noise = explained
			}
			noise = e.noise
			text = fmt.Sprintf("; ingests change by %+.1f [%+.1f, %+.1f] (%s CI), noise %.1f", e.value, e.ci[0], e.ci[1], phrase.Level(e.alpha), e.floor)
		}
	}
	f.Verdict = c.s.coverage(lost, was.N, noise)
	if f.Verdict == Same {
		return
	}
	f.Text = fmt.Sprintf("%s: %s under %s covers %d queries, recorded %d; %d of the recorded are lost (tolerance %g%%)%s",
		words(f.Verdict), w.Name, t, is.N, was.N, lost, 100*c.s.tolerance, text)
	for _, id := range names {
		f.Carriers = append(f.Carriers, tiaptest.Carrier{Query: id})
	}
	c.add(f)
}

// missingFrom are the ids of a sorted list that another one lacks.
func missingFrom(all, some []string) []string {
	var out []string
	for _, id := range all {
		if _, ok := slices.BinarySearch(some, id); !ok {
			out = append(out, id)
		}
	}
	return out
}

func floats(ns []int) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n)
	}
	return out
}

// memories notes how many memories a system stores. It is no verdict: a store that
// only lost what no query needs serves as well as before, and one ingest of a
// language model differs from the next. What costs coverage or score is judged by
// these, and Store judges stores.
func (c *comparison) memories(w, g *systemRecord) {
	if len(w.Memories) == 0 || len(g.Memories) == 0 {
		return
	}
	was, is := w.stored(), g.stored()
	if was != is {
		c.d.Notes = append(c.d.Notes, fmt.Sprintf("%s stores %s, recorded %s", w.Name, is, was))
	}
}

// stored says how many memories a system stores, the mean over its ingests.
func (s *systemRecord) stored() string {
	count := func(n int) string {
		if s.Ingests <= 1 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%.1f", float64(n)/float64(s.Ingests))
	}
	total := 0
	var forms []string
	for _, f := range slices.Sorted(maps.Keys(s.Memories)) {
		total += s.Memories[f]
		forms = append(forms, phrase.Name(f)+" "+count(s.Memories[f]))
	}
	text := count(total) + " memories"
	if s.Ingests > 1 {
		text += " an ingest"
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(forms, ", "))
}
