package sensitivity

import "math"

// SizeShift says how far the shifts between two targets follow the sizes of the
// target sets, the eligible stored memories of a query: whether a target scores
// otherwise merely because it lets more memories earn credit. It is taken over
// the queries covered under both targets whose sizes are known.
type SizeShift struct {
	System  string    `json:"system"`
	Metric  string    `json:"metric"`
	Targets [2]string `json:"targets"`
	N       int       `json:"n"`

	// Correlation is Pearson's, of the size under the second target minus the
	// size under the first with the shift; R2 is its square, the share of the
	// variance of shifts that a line over the difference of sizes explains.
	Correlation *float64 `json:"correlation"`
	R2          *float64 `json:"r2"`

	Bins []SizeBin `json:"bins"`
}

// SizeBin holds the queries of one difference of target-set sizes: "0", "1",
// "2", "3", "4+" memories more under the second target, or "<0", fewer. Means over
// ingests are rounded to the nearest.
type SizeBin struct {
	Difference string   `json:"difference"`
	N          int      `json:"n"`
	MeanShift  *float64 `json:"mean_shift"`

	// T is the one-sample t statistic of the mean shift against 0, with N-1
	// degrees of freedom: mean·√N / standard deviation (Student, The Probable
	// Error of a Mean, 1908). It is nil when the shifts do not vary. Of a clustered
	// audit the standard error is that between clusters, with Clusters-1 degrees
	// of freedom.
	T        *float64 `json:"t"`
	Clusters int      `json:"clusters,omitempty"` // of a clustered audit, that the queries are in
}

// sizeBins are the bins in their order.
var sizeBins = []string{"<0", "0", "1", "2", "3", "4+"}

func (f *frame) sizeShifts() []SizeShift {
	out := []SizeShift{}
	for s := range f.systems {
		for m := range f.metrics {
			for _, ts := range f.targetPairs() {
				first, known1 := f.sizes[[2]int{s, ts[0]}]
				second, known2 := f.sizes[[2]int{s, ts[1]}]
				if !known1 || !known2 {
					continue
				}
				queries := f.inAll(f.column(s, ts[0], m), f.column(s, ts[1], m), first, second)
				if len(queries) == 0 {
					continue
				}
				shift := SizeShift{System: f.systems[s], Metric: f.metrics[m], Targets: f.pairName(ts), N: len(queries)}
				more := make([]float64, len(queries))
				for i, q := range queries {
					more[i] = second.v[q] - first.v[q]
				}
				shifts := f.shifts(s, m, ts, queries)
				if r := pearson(more, shifts); r != nil {
					r2 := float64(*r * *r)
					shift.Correlation, shift.R2 = r, &r2
				}
				shift.Bins = f.binBySize(queries, more, shifts)
				out = append(out, shift)
			}
		}
	}
	return out
}

func (f *frame) binBySize(queries []int, more, shifts []float64) []SizeBin {
	of, at := make([][]float64, len(sizeBins)), make([][]int, len(sizeBins))
	for i, d := range more {
		d = math.Round(d)
		bin := int(max(0, min(4, d))) + 1
		if d < 0 {
			bin = 0
		}
		of[bin], at[bin] = append(of[bin], shifts[i]), append(at[bin], queries[i])
	}
	out := []SizeBin{}
	for i, xs := range of {
		b := SizeBin{Difference: sizeBins[i], N: len(xs), MeanShift: mean(xs)}
		if f.cluster != nil {
			b.Clusters = distinct(f.clusters(at[i]))
		}
		if se, _, ok := f.meanError(xs, at[i]); ok {
			t := *b.MeanShift / se
			b.T = &t
		}
		out = append(out, b)
	}
	return out
}
