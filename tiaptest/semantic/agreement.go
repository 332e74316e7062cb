package semantic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/stat"
)

// Agreement says how judges label the same memories.
type Agreement struct {
	View   View   `json:"view"`
	Labels int    `json:"labels"` // that count
	Cases  int    `json:"cases"`  // memories that have one
	Rule   string `json:"rule"`   // which labels count, and those of repeated labels and of ties

	// Counts are the classes of the view. Once counts memories by their verdict,
	// and Ties those without one; Each counts labels.
	Counts map[string]int `json:"counts"`
	Ties   int            `json:"ties"`

	// Self is how judges agree with themselves, by name: those that labelled a
	// memory repeatedly.
	Self []SelfAgreement `json:"self"`

	// Pairs are the judges that share a memory, by name.
	Pairs []JudgePair `json:"pairs"`
	// MeanPairwise is the mean of the agreement of pairs; nil without pairs.
	MeanPairwise *float64 `json:"mean_pairwise"`
	// Fleiss is the kappa of all judges; see [FleissKappa].
	Fleiss *Estimate `json:"fleiss"`
}

// SelfAgreement is how a judge agrees with itself.
type SelfAgreement struct {
	Judge    string `json:"judge"`
	Repeated int    `json:"repeated"` // memories labelled more than once
	Differ   int    `json:"differ"`   // of these, labelled with different classes
}

// JudgePair is how two judges agree on the memories that both labelled, each
// counted once.
type JudgePair struct {
	A         string    `json:"a"`
	B         string    `json:"b"`
	Agreement *Estimate `json:"agreement"` // share of equal labels, with Wilson's interval
	Kappa     *Estimate `json:"kappa"`     // see [CohenKappa]
}

// Agree compares judges. Who labelled a memory repeatedly is compared with others
// by one label, whatever the rule for repetitions; a tie among the own labels is
// none. The adjudicator decides in the counts, and is compared with nobody: those
// that it was asked about are chosen for being disputed.
func Agree(ls *Labels, v View, o Options) (*Agreement, error) {
	if err := cmp.Or(v.check(), o.check()); err != nil {
		return nil, err
	}
	classes := v.classes()
	a := &Agreement{View: v, Rule: o.rule(), Counts: make(map[string]int, len(classes)), Self: []SelfAgreement{}, Pairs: []JudgePair{}}
	for _, c := range classes {
		a.Counts[c] = 0
	}
	self := make(map[string]*SelfAgreement)
	tables := make(map[[2]string][][]int)
	var ratings [][]int
	for _, k := range ls.keys {
		js := ls.judgements(k)
		counted := o.count(js)
		if len(counted) == 0 {
			continue
		}
		a.Labels += len(counted)
		a.Cases++
		if o.Repeats == Each {
			for _, j := range counted {
				a.Counts[classes[v.class(j.Label)]]++
			}
		} else if class, _ := o.verdict(js, v); class == undecided {
			a.Ties++
		} else {
			a.Counts[classes[class]]++
		}
		own := o.ballots(o.compared(js), v)
		row := make([]int, len(classes))
		for i, b := range own {
			if b.labels > 1 {
				if self[b.judge] == nil {
					self[b.judge] = &SelfAgreement{Judge: b.judge}
				}
				self[b.judge].Repeated++
				if b.differ {
					self[b.judge].Differ++
				}
			}
			if b.class == undecided {
				continue
			}
			row[b.class]++
			for _, c := range own[i+1:] {
				if c.class != undecided {
					pair := [2]string{b.judge, c.judge}
					if tables[pair] == nil {
						tables[pair] = square(len(classes))
					}
					tables[pair][b.class][c.class]++
				}
			}
		}
		ratings = append(ratings, row)
	}
	for _, judge := range slices.Sorted(maps.Keys(self)) {
		a.Self = append(a.Self, *self[judge])
	}
	byName := func(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) }
	var shares []float64
	for _, pair := range slices.SortedFunc(maps.Keys(tables), byName) {
		table := tables[pair]
		equal, n := 0, 0
		for i, row := range table {
			equal += row[i]
			for _, m := range row {
				n += m
			}
		}
		p := JudgePair{A: pair[0], B: pair[1], Agreement: share(equal, n), Kappa: CohenKappa(table)}
		a.Pairs = append(a.Pairs, p)
		shares = append(shares, p.Agreement.Value)
	}
	if mean, ok := stat.Mean(shares); ok {
		a.MeanPairwise = &mean
	}
	a.Fleiss = FleissKappa(ratings)
	return a, nil
}

// rule names the rules that counts depend on.
func (o *Options) rule() string {
	rule := "repeats " + string(cmp.Or(o.Repeats, Once)) + ", ties " + string(cmp.Or(o.Ties, NoLabel))
	if only := o.selection(); len(only) > 0 {
		rule += ", counting " + strings.Join(only, ", ")
	}
	return rule
}

func (ls *Labels) judgements(k key) []*Judgement {
	out := make([]*Judgement, len(ls.byKey[k]))
	for i, n := range ls.byKey[k] {
		out[i] = &ls.list[n]
	}
	return out
}

func square(n int) [][]int {
	t := make([][]int, n)
	for i := range t {
		t[i] = make([]int, n)
	}
	return t
}
