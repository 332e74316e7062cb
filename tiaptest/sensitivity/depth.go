package sensitivity

import (
	"errors"
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
)

// Depth says what targets change at several depths of retrieval, on the queries
// that all systems share at each of them (Table 19 of arXiv 2605.24060). A target
// that a system has no value under shrinks nothing, and a system without any is
// left out.
type Depth struct {
	System string     `json:"system"`
	Metric string     `json:"metric"` // without cut-off, such as ndcg
	Cuts   []DepthCut `json:"cuts"`   // shallowest first
}

// DepthCut is one depth.
type DepthCut struct {
	K      int                 `json:"k"`
	N      int                 `json:"n"`
	Scores map[string]*float64 `json:"scores"` // by target
	Shifts []RelativeShift     `json:"shifts"`
}

// RelativeShift is the shift between two targets.
type RelativeShift struct {
	Targets  [2]string `json:"targets"`
	Shift    *float64  `json:"shift"`    // score under the second minus score under the first
	Relative *float64  `json:"relative"` // the shift in parts of the score under the first; nil when that is 0
}

// Depths takes an audit at several depths by ndcg, recall, mrr and hit, whatever its
// own metrics. A cut-off beyond its depth is an error.
func Depths(a *tiaptest.Audit, ks []int) ([]Depth, error) {
	if len(ks) == 0 {
		return nil, errors.New("no depths; name at least one")
	}
	var metrics []tiaptest.Metric
	for _, k := range ks {
		if k < 1 {
			return nil, fmt.Errorf("depth %d: it must be at least 1", k)
		}
		metrics = append(metrics, tiaptest.NDCG(k), tiaptest.Recall(k), tiaptest.MRR(k), tiaptest.Hit(k))
	}
	own, _, err := described(a)
	if err != nil {
		return nil, err
	}
	for _, k := range ks {
		if k > own.depth {
			return nil, fmt.Errorf("depth %d is beyond the depth %d of the audit; add the option Depth", k, own.depth)
		}
	}
	deep, err := a.With(tiaptest.Metrics(metrics...))
	if err != nil {
		return nil, err
	}
	t, err := own.by(deep, metrics)
	if err != nil {
		return nil, err
	}
	f, err := t.frame()
	if err != nil {
		return nil, err
	}
	return f.depths(), nil
}

// depths groups the metrics by name; one that has a single cut-off says nothing.
func (f *frame) depths() []Depth {
	out := []Depth{}
	for first := 0; first < len(f.metrics); {
		stem, _ := cutOff(f.metrics[first])
		next := first
		for next < len(f.metrics) {
			if s, k := cutOff(f.metrics[next]); s != stem || k == 0 {
				break
			}
			next++
		}
		if next-first > 1 {
			for s, system := range f.systems {
				d := Depth{System: system, Metric: stem}
				for m := first; m < next; m++ {
					if cut, ok := f.depthCut(s, m); ok {
						d.Cuts = append(d.Cuts, cut)
					}
				}
				if len(d.Cuts) > 0 {
					out = append(out, d)
				}
			}
		}
		first = max(next, first+1)
	}
	return out
}

func (f *frame) depthCut(s, m int) (cut DepthCut, ok bool) {
	targets := f.comparable([]int{s}, m)
	queries := f.sharedByAll(m)
	if len(targets) == 0 || len(queries) == 0 {
		return cut, false
	}
	_, cut.K = cutOff(f.metrics[m])
	cut.N, cut.Scores, cut.Shifts = len(queries), f.scores(s, targets, m, queries), []RelativeShift{}
	for _, ts := range f.targetPairs() {
		names := f.pairName(ts)
		first, second := cut.Scores[names[0]], cut.Scores[names[1]]
		if first == nil || second == nil {
			continue
		}
		shift := RelativeShift{Targets: names, Shift: difference(first, second)}
		if *first != 0 {
			relative := *shift.Shift / *first
			shift.Relative = &relative
		}
		cut.Shifts = append(cut.Shifts, shift)
	}
	return cut, true
}
