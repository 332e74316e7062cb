package sensitivity

import "math"

// large is the shift from which on the score of a query changes much. The
// published counts of such queries take it to rounding.
const large = 0.1

// Change says how far the scores of a system's queries differ between two
// targets, over the queries covered under both (stage III of the TIAP protocol,
// arXiv 2605.24060). By hit and top1 a changed query is a flip.
type Change struct {
	System   string    `json:"system"`
	Metric   string    `json:"metric"`
	Targets  [2]string `json:"targets"`
	Category string    `json:"category,omitempty"` // of the queries; empty for all, those without a category included

	N            int      `json:"n"`
	Changed      int      `json:"changed"` // by more than 1e-9
	ChangedShare *float64 `json:"changed_share"`
	Large        int      `json:"large"` // by at least 0.1
	LargeShare   *float64 `json:"large_share"`
	MeanAbs      *float64 `json:"mean_abs"`   // mean |shift|
	MeanShift    *float64 `json:"mean_shift"` // score under the second target minus score under the first
}

func (f *frame) changes() []Change {
	out := []Change{}
	for s := range f.systems {
		for m := range f.metrics {
			for _, ts := range f.targetPairs() {
				first, second := f.column(s, ts[0], m), f.column(s, ts[1], m)
				if first.n == 0 || second.n == 0 {
					continue
				}
				both := f.inAll(first, second)
				out = append(out, f.change(s, m, ts, "", both))
				for _, category := range f.categories {
					var of []int
					for _, q := range both {
						if f.category[q] == category {
							of = append(of, q)
						}
					}
					out = append(out, f.change(s, m, ts, category, of))
				}
			}
		}
	}
	return out
}

func (f *frame) change(s, m int, ts [2]int, category string, queries []int) Change {
	c := Change{System: f.systems[s], Metric: f.metrics[m], Targets: f.pairName(ts), Category: category, N: len(queries)}
	shifts := f.shifts(s, m, ts, queries)
	sizes := make([]float64, len(shifts))
	for i, d := range shifts {
		sizes[i] = math.Abs(d)
		if sizes[i] > different {
			c.Changed++
		}
		if sizes[i] >= large-noise {
			c.Large++
		}
	}
	c.ChangedShare, c.LargeShare = share(c.Changed, c.N), share(c.Large, c.N)
	c.MeanAbs, c.MeanShift = mean(sizes), mean(shifts)
	return c
}

// shifts are the shifts of single queries between two targets.
func (f *frame) shifts(s, m int, ts [2]int, queries []int) []float64 {
	first, second := f.column(s, ts[0], m), f.column(s, ts[1], m)
	out := make([]float64, len(queries))
	for i, q := range queries {
		out[i] = second.v[q] - first.v[q]
	}
	return out
}
