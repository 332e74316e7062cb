package sensitivity

import "github.com/tiaptest/tiap/tiaptest"

// CoverageBias compares the queries that a target covers in a system with those
// that it does not, by something that is known of both: their score under Raw
// (the first target of the table) or the quality of their answers. A score over
// covered queries alone flatters a target that covers easier ones.
type CoverageBias struct {
	System string `json:"system"`
	Target string `json:"target"` // whose coverage divides the queries
	Base   string `json:"base,omitempty"`
	Metric string `json:"metric"`           // of the scores, also of those that say what is covered
	Answer string `json:"answer,omitempty"` // f1 or correct, in place of scores under Base

	Covered       int      `json:"covered"` // queries that Base, or an answer, is known of
	Uncovered     int      `json:"uncovered"`
	CoveredMean   *float64 `json:"covered_mean"`
	UncoveredMean *float64 `json:"uncovered_mean"`

	// Gap is covered minus uncovered, with the interval and p of Welch's t, of a
	// clustered audit with the standard error between clusters.
	Gap tiaptest.Gap `json:"gap"`
}

func (f *frame) coverageBias() []CoverageBias {
	out := []CoverageBias{}
	for s := range f.systems {
		for m := range f.metrics {
			for t := range f.targets {
				covers := f.column(s, t, m)
				if covers.n == 0 {
					continue
				}
				if base := f.column(s, 0, m); t > 0 && base.n > 0 {
					b := CoverageBias{System: f.systems[s], Target: f.targets[t], Base: f.targets[0], Metric: f.metrics[m]}
					out = append(out, f.biased(b, covers, base))
				}
				for _, quality := range f.qualities() {
					if answers := f.answers[quality][s]; answers.n > 0 {
						b := CoverageBias{System: f.systems[s], Target: f.targets[t], Metric: f.metrics[m], Answer: quality}
						out = append(out, f.biased(b, covers, answers))
					}
				}
			}
		}
	}
	return out
}

// biased fills in the comparison of what is known of covered and other queries.
func (f *frame) biased(b CoverageBias, covers, known values) CoverageBias {
	var covered, uncovered []int
	for q, ok := range known.ok {
		switch {
		case ok && covers.ok[q]:
			covered = append(covered, q)
		case ok:
			uncovered = append(uncovered, q)
		}
	}
	b.Covered, b.Uncovered = len(covered), len(uncovered)
	b.CoveredMean, b.UncoveredMean = mean(known.at(covered)), mean(known.at(uncovered))
	b.Gap = f.unpaired(known, covered, uncovered)
	return b
}
