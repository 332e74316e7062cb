package tiaptest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/rank"
)

// Labelling is what labels say of a retrieved memory to a target of [Labelled].
type Labelling struct {
	Earns     bool  // the memory earns under the target
	Contested bool  // whether it earns depends on labels
	Labels    []int // its labels, as numbers from 0 that tell them apart; empty when it has none
}

// Labelled narrows a target as [Passing] does, by labels that some memories lack.
// look is asked in place of passes; labels is how many labels there are.
//
// Where labels are missing a score is no more than a bound. So an audit says, as a
// diagnostic, how many contested credits of a system have a label: those that t gives.
// Where one of them has none, or another memory that comes to earn in place of one,
// flips that the target is a side of are not graded. Where no contested memory has a
// label, and none earns without, the target is unavailable in the system. Labels of no
// memory that look is asked about are a diagnostic too.
func Labelled(name string, t Target, labels int, look func(system string, q Query, m Memory) Labelling) Target {
	if look == nil {
		return NewTarget(name+"("+t.name+")", nil) // which Rescore refuses
	}
	before := t.labels
	t = t.narrowed(name, func(system string, q Query, m Memory) standing {
		l := look(system, q, m)
		s := standing{refused: !l.Earns, needs: l.Contested, bare: l.Contested && len(l.Labels) == 0}
		s.out = s.refused && !s.needs
		for _, n := range l.Labels {
			s.labels = append(s.labels, before+n)
		}
		return s
	})
	t.labelled, t.labels = true, before+labels
	return t
}

// standing is how a retrieved memory stands to a target that was narrowed.
type standing struct {
	refused bool  // it does not earn
	out     bool  // nor would it with other labels; implies refused
	needs   bool  // a label says whether it earns
	bare    bool  // it has not all the labels that it needs; implies needs
	labels  []int // of the labels that it has
}

// narrowed is the target under the further condition of look.
func (t Target) narrowed(name string, look func(system string, q Query, m Memory) standing) Target {
	if inner := t.look; inner != nil {
		outer := look
		look = func(system string, q Query, m Memory) standing {
			a, b := inner(system, q, m), outer(system, q, m)
			return standing{a.refused || b.refused, a.out || b.out, a.needs || b.needs, a.bare || b.bare, slices.Concat(a.labels, b.labels)}
		}
	}
	t.look = look
	t.name = name + "(" + t.name + ")"
	return t
}

// labelled counts the labels of one target in one ingest.
type labelled struct {
	credits int  // by memories that need a label, when none is asked for
	have    int  // of these, with one
	open    int  // that memories without a label get, or would if they earned
	some    bool // some memory has one, though it earns for another's want of support only
	earned  bool // something that needs a label and has none earns
}

func (l *labelled) add(m labelled) {
	l.credits += m.credits
	l.have += m.have
	l.open += m.open
	l.some, l.earned = l.some || m.some, l.earned || m.earned
}

// labelCounts are those of one ingest.
type labelCounts struct {
	of   [schemes][]labelled // by target
	seen []map[int]bool      // by target: the labels of memories that it asked about
}

func newLabelCounts(targets int) *labelCounts {
	c := &labelCounts{seen: make([]map[int]bool, targets)}
	for by := range c.of {
		c.of[by] = make([]labelled, targets)
	}
	for t := range c.seen {
		c.seen[t] = make(map[int]bool)
	}
	return c
}

func (c *labelCounts) add(d *labelCounts) {
	for by := range c.of {
		for t := range c.of[by] {
			c.of[by][t].add(d.of[by][t])
		}
	}
	for t := range c.seen {
		maps.Copy(c.seen[t], d.seen[t])
	}
}

// countLabels counts those of the prepared query.
func (s *scorer) countLabels(into *labelCounts) {
	for t := range s.targets {
		if !s.targets[t].labelled {
			continue
		}
		for _, h := range s.seen {
			for _, n := range s.standings[t][h.Cand].labels {
				into.seen[t][n] = true
			}
		}
		for by := range into.of {
			into.of[by][t].add(s.labelsOf(scheme(by), t))
		}
	}
}

func (s *scorer) labelsOf(by scheme, t int) (n labelled) {
	of := s.standings[t]
	for _, h := range s.seen {
		n.some = n.some || of[h.Cand].needs && !of[h.Cand].bare
	}
	for _, cand := range s.earning(by, t, func(c standing) bool { return !c.out }) {
		if of[cand].needs {
			n.credits++
			if !of[cand].bare {
				n.have++
			}
		}
	}
	for _, cand := range s.earning(by, t, func(c standing) bool { return !c.out && (!c.refused || c.bare) }) {
		if of[cand].bare {
			n.open++
			n.earned = n.earned || !of[cand].refused
		}
	}
	return n
}

// earning are the candidates that earn when those are kept of what was seen.
func (s *scorer) earning(by scheme, t int, kept func(standing) bool) []int32 {
	s.passed = s.passed[:0]
	for _, h := range s.seen {
		if kept(s.standings[t][h.Cand]) {
			s.passed = append(s.passed, h)
		}
	}
	var r rank.Result
	if by == memoryDropped {
		r = s.rank.ByMemory(&s.cands, s.passed, s.length, uint(t))
	} else {
		r = s.rank.ByEvidence(&s.cands, s.passed, s.length, uint(t), by == evidenceCounted)
	}
	var out []int32
	hits := r.Hits
	for _, h := range s.passed {
		if len(hits) > 0 && hits[0].Rank == h.Rank {
			out, hits = append(out, h.Cand), hits[1:]
		}
	}
	return out
}

// countLabels adds up the labels of a system over its ingests.
func (s *scored) countLabels(targets int, by scheme) {
	s.labels, s.unlabelled = make([]labelled, targets), make([]string, targets)
	for i, in := range s.ingests {
		if in.labels == nil {
			continue
		}
		for t, n := range in.labels.of[by] {
			s.labels[t].add(n)
			if n.credits > 0 && !n.some && !n.earned && s.unlabelled[t] == "" {
				of := "its"
				if len(s.ingests) > 1 {
					of = fmt.Sprintf("ingest %d's", i+1)
				}
				s.unlabelled[t] = english.Without(of, n.credits, "contested credit", "contested credits", "label")
			}
		}
	}
}

// withLabels counts the labels of the systems anew: by which memories they are needed
// depends on the crediting.
func (r *results) withLabels() *results {
	systems := slices.Clone(r.systems)
	for i := range systems {
		s := *systems[i]
		s.countLabels(len(r.targets), r.scheme())
		systems[i] = &s
	}
	out := *r
	out.systems = systems
	return &out
}

// labelDiagnostics say which labels are missing and which are of nothing.
func (r *results) labelDiagnostics() (out []diagnostic) {
	for t, target := range r.targets {
		if !target.labelled {
			continue
		}
		of := make(map[int]bool)
		for _, s := range r.systems {
			for _, in := range s.ingests {
				maps.Copy(of, in.labels.seen[t])
			}
			switch n := s.labels[t]; {
			case s.unlinked[t]: // and that is said
			case s.unlabelled[t] != "":
				out = append(out, diagnostic{Kind: "unavailable", System: s.Name, Text: fmt.Sprintf("target %s is unavailable: %s", target, s.unlabelled[t])})
			case n.have < n.credits:
				what := "earn nothing"
				if n.earned {
					what = "earn without one"
				}
				out = append(out, diagnostic{Kind: "support", System: s.Name, Text: fmt.Sprintf("%d of %s %s a label; the others %s under %s",
					n.have, english.Count(n.credits, "contested credit", "contested credits"), english.Noun(n.have, "has", "have"), what, target)})
			case n.open > 0:
				out = append(out, diagnostic{Kind: "support", System: s.Name, Text: fmt.Sprintf("every contested credit has a label, but of the memories that could earn in place of those without support %d %s none under %s",
					n.open, english.Noun(n.open, "has", "have"), target)})
			}
		}
		if n := target.labels - len(of); n > 0 {
			out = append(out, diagnostic{Kind: "support", Text: fmt.Sprintf("%d of %s %s no retrieved memory that %s asks about: its text has changed, or it is of another store, query or target",
				n, english.Count(target.labels, "label", "labels"), english.Noun(n, "matches", "match"), target)})
		}
	}
	return out
}

// bare says that labels are missing for one of two targets in one of two systems, or
// nothing.
func (r *results) bare(systems, targets [2]string) string {
	for _, target := range targets {
		for _, system := range systems {
			if n := r.system(system).labels[r.target(target)]; n.open > 0 {
				return fmt.Sprintf("labels are missing under %s in %s", target, system)
			}
		}
	}
	return ""
}
