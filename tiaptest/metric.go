package tiaptest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/rank"
)

// Metric is a retrieval metric with its cut-off, such as ndcg@60. Every metric
// lies in [0, 1]. By memory they equal trec_eval's measures, by evidence the
// relevant items are evidence units; see [ByEvidence].
type Metric struct {
	m rank.Metric
}

// NDCG is the normalised discounted cumulative gain with linear gains and the
// discount log2(rank+1) (Järvelin and Kekäläinen; trec_eval ndcg_cut and ndcg).
// For this and the other metrics k is the cut-off rank; 0 means the whole
// ranking, and no cut of the ideal.
func NDCG(k int) Metric { return Metric{rank.Metric{Kind: rank.NDCG, K: k}} }

// Recall is the share of relevant items credited in the first k ranks
// (trec_eval recall).
func Recall(k int) Metric { return Metric{rank.Metric{Kind: rank.Recall, K: k}} }

// Hit is 1 when anything was credited in the first k ranks (trec_eval success).
func Hit(k int) Metric { return Metric{rank.Metric{Kind: rank.Success, K: k}} }

// MRR is one over the rank of the first credit, 0 when it lies below k
// (trec_eval recip_rank under -M k).
func MRR(k int) Metric { return Metric{rank.Metric{Kind: rank.MRR, K: k}} }

// Precision is the share of the first k ranks that earn a credit, of k even when
// the ranking is shorter (trec_eval P); with k 0, of the ranking's length.
func Precision(k int) Metric { return Metric{rank.Metric{Kind: rank.Precision, K: k}} }

// AP is the average precision over the relevant items (trec_eval map_cut and map).
func AP(k int) Metric { return Metric{rank.Metric{Kind: rank.AP, K: k}} }

// RPrec is the precision at the rank equal to the number of relevant items
// (trec_eval Rprec).
func RPrec() Metric { return Metric{rank.Metric{Kind: rank.RPrec}} }

// All is 1 when every relevant item was credited in the first k ranks.
func All(k int) Metric { return Metric{rank.Metric{Kind: rank.All, K: k}} }

// Top1 is 1 when the first rank was credited (trec_eval success_1).
func Top1() Metric { return Metric{rank.Metric{Kind: rank.Top1}} }

// MicroRecall is the credited items of all queries over their relevant items. A
// ratio of sums: it has no value for a single query.
func MicroRecall(k int) Metric { return Metric{rank.Metric{Kind: rank.MicroRecall, K: k}} }

// usualMetrics are those of an audit for which [Metrics] chose no others.
func usualMetrics(depth int) []Metric {
	return []Metric{NDCG(depth), Recall(depth), MRR(depth), Hit(depth), MicroRecall(depth), Top1()}
}

// metricNames in the order of their documentation.
var metricNames = [...]struct {
	name string
	kind rank.Kind
	cut  bool // takes @k
}{
	{"ndcg", rank.NDCG, true},
	{"recall", rank.Recall, true},
	{"hit", rank.Success, true},
	{"mrr", rank.MRR, true},
	{"precision", rank.Precision, true},
	{"ap", rank.AP, true},
	{"rprec", rank.RPrec, false},
	{"all", rank.All, true},
	{"top1", rank.Top1, false},
	{"micro_recall", rank.MicroRecall, true},
}

// ParseMetric reads a name such as "ndcg@60", "nDCG@10", "ndcg" or "top1". The
// case of letters does not matter; anything else unknown is an error.
func ParseMetric(name string) (Metric, error) {
	word, cut, hasCut := strings.Cut(strings.ToLower(name), "@")
	var known []string
	for _, n := range metricNames {
		if n.name != word {
			label := n.name
			if n.cut {
				label += "@k"
			}
			known = append(known, label)
			continue
		}
		if !hasCut {
			return Metric{rank.Metric{Kind: n.kind}}, nil
		}
		if !n.cut {
			return Metric{}, fmt.Errorf("metric %q takes no cut-off; write %s", name, n.name)
		}
		k, err := strconv.Atoi(cut)
		if err != nil || k <= 0 || k > maxDepth || cut[0] == '+' || cut[0] == '0' {
			return Metric{}, fmt.Errorf("metric %q: the cut-off must be a whole number from 1 to %d, as in %s@10", name, maxDepth, n.name)
		}
		return Metric{rank.Metric{Kind: n.kind, K: k}}, nil
	}
	return Metric{}, fmt.Errorf("unknown metric %q; use one of %s", name, strings.Join(known, ", "))
}

// String returns the metric's name as ParseMetric reads it.
func (m Metric) String() string {
	for _, n := range metricNames {
		if n.kind != m.m.Kind {
			continue
		}
		if n.cut && m.m.K != 0 {
			return n.name + "@" + strconv.Itoa(m.m.K)
		}
		return n.name
	}
	return "none"
}

// micro reports whether the metric is a ratio of sums over queries.
func (m Metric) micro() bool { return m.m.Kind == rank.MicroRecall }

func (m Metric) check() error {
	if m.m.Kind == 0 {
		return errors.New("the zero Metric is none; use NDCG, Recall or another function of this package")
	}
	if m.m.K < 0 || m.m.K > maxDepth {
		return fmt.Errorf("metric %s: the cut-off must lie between 1 and %d, or be 0 for the whole ranking", m, maxDepth)
	}
	return nil
}
