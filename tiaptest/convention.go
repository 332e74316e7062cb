package tiaptest

import (
	"fmt"
	"slices"
	"strings"
)

// convention is one way of scoring beside the target.
type convention struct {
	by         scheme
	population string
}

func (c convention) String() string {
	words := [schemes]string{evidenceDropped: "evidence/dropped", evidenceCounted: "evidence/counted", memoryDropped: "memory/dropped"}
	return words[c.by] + "/" + c.population
}

// beside says how a convention differs from another one.
func (c convention) beside(own convention, n int) string {
	var parts []string
	if (c.by == memoryDropped) != (own.by == memoryDropped) {
		parts = append(parts, map[bool]string{true: "by memory", false: "by evidence"}[c.by == memoryDropped])
	}
	if (c.by == evidenceCounted) != (own.by == evidenceCounted) {
		parts = append(parts, map[bool]string{true: "with uncovered units counted", false: "with uncovered units dropped"}[c.by == evidenceCounted])
	}
	if c.population != own.population {
		parts = append(parts, fmt.Sprintf("over the %d queries of population %s", n, c.population))
	}
	return strings.Join(parts, " and ")
}

// conventionRow says which of two systems leads under one target by each
// convention.
type conventionRow struct {
	A       string              `json:"a"`
	B       string              `json:"b"`
	Metric  string              `json:"metric"`
	Target  string              `json:"target"`
	Gaps    map[string]*float64 `json:"gaps"`
	Winners map[string]*string  `json:"winners"`
	Flip    bool                `json:"flip"`

	order []string // of the keys, the audit's own convention first
	words []string // of each key: how it differs from the audit's own
	n     []int    // of each key: queries compared
}

// usual are the conventions that an audit tries: its own first, then each that
// differs from the published one in a single choice.
func (r *results) usual() []convention {
	own := convention{r.scheme(), r.population}
	list := []convention{
		{evidenceDropped, overShared},
		{memoryDropped, overShared},
		{evidenceCounted, overShared},
		{evidenceDropped, overAll},
	}
	if j := r.bundle.judged; j != nil {
		list = []convention{{memoryDropped, overShared}, {memoryDropped, overAll}}
		if j.trec {
			list = append(list, convention{memoryDropped, overJudged}, convention{memoryDropped, overMatched})
		}
	}
	list = slices.DeleteFunc(list, func(c convention) bool { return c == own })
	return slices.Insert(list, 0, own)
}

func (r *results) conventions() []conventionRow {
	out := []conventionRow{}
	if !r.tested() {
		return out
	}
	usual := r.usual()
	for i, a := range r.systems {
		for _, b := range r.systems[i+1:] {
			pair := []*scored{a, b}
			targets := comparableTargets(pair, r.mainTargets())
			for m, metric := range r.metrics {
				for _, t := range targets {
					row := conventionRow{
						A: a.Name, B: b.Name, Metric: metric.String(), Target: r.targets[t].name,
						Gaps: make(map[string]*float64), Winners: make(map[string]*string),
					}
					for _, c := range usual {
						gap := r.gapBy(c, a, b, targets, t, m)
						n := len(r.pairPopulation(c.population, pair, targets))
						row.order = append(row.order, c.String())
						row.words = append(row.words, c.beside(usual[0], n))
						row.n = append(row.n, n)
						row.Gaps[c.String()] = gap
						row.Winners[c.String()] = winner(a.Name, b.Name, gap, r.minEffect)
					}
					row.Flip = differ(row.Winners)
					out = append(out, row)
				}
			}
		}
	}
	return out
}

// gapBy is the gap of two systems under a target by a convention.
func (r *results) gapBy(c convention, a, b *scored, targets []int, t, m int) *float64 {
	subsets := [2][]int32{}
	if c.population == overCovered {
		subsets[0] = r.subset(overCovered, []*scored{a}, []int{t})
		subsets[1] = r.subset(overCovered, []*scored{b}, []int{t})
	} else {
		subsets[0] = r.pairPopulation(c.population, []*scored{a, b}, targets)
		subsets[1] = subsets[0]
	}
	va, okA := r.value(a, c.by, t, m, subsets[0])
	vb, okB := r.value(b, c.by, t, m, subsets[1])
	if !okA || !okB {
		return nil
	}
	gap := va - vb
	return &gap
}

// differ reports whether two of the winners are different systems.
func differ(winners map[string]*string) bool {
	first := ""
	for _, w := range winners {
		switch {
		case w == nil:
		case first == "":
			first = *w
		case *w != first:
			return true
		}
	}
	return false
}

// text says who leads, and by which convention it is another one.
func (c *conventionRow) text() string {
	own := "neither"
	if w := c.Winners[c.order[0]]; w != nil {
		own = *w
	}
	var others []string
	words := make(map[string][]string)
	for i, key := range c.order {
		w := c.Winners[key]
		if w == nil || *w == own {
			continue
		}
		if words[*w] == nil {
			others = append(others, *w)
		}
		words[*w] = append(words[*w], c.words[i])
	}
	for i, other := range others {
		others[i] += " " + words[other][0]
		if more := len(words[other]) - 1; more > 0 {
			others[i] += " and by " + plural(more, "other choice", "other choices")
		}
	}
	return own + " leads, but " + strings.Join(others, ", ")
}
