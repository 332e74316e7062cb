// Package rank holds the metric kernels: what a ranking earned for one query
// under one target, and the value of a metric over it. It knows nothing of
// memories, turns or files; everything is integers.
package rank

import "math"

// Hit is a position of a ranking that earns something.
type Hit struct {
	Rank  int32   // 1-based
	Items int32   // relevant items credited here; 0 for a grade below the relevance level
	Gain  float64 // 1, or the grade of a graded judgement
}

// Result is what one ranking earned for one query under one target.
type Result struct {
	Hits   []Hit     // ascending by Rank
	Items  int       // relevant items that could be credited: the denominator of recall
	Length int       // items in the ranking, after the cut at the depth
	Ideal  []float64 // gains of the best ranking, descending; nil means Items gains of 1
}

// Kind says what a metric measures.
type Kind uint8

// The metrics. Their definitions stand at Metric.Value. The zero Kind is none.
const (
	NDCG Kind = iota + 1
	Recall
	Success
	MRR
	Precision
	AP
	RPrec
	All
	Top1
	MicroRecall
)

// Metric is a kind with its cut-off; K 0 means the whole ranking.
type Metric struct {
	Kind Kind
	K    int
}

// Value is the metric's value for one query, in [0, 1]. It is 0 where nothing
// is relevant, as in trec_eval. In brackets trec_eval's name of the measure:
//
//	NDCG         sum of gain/log2(rank+1) over the same sum of the ideal, both cut at K (ndcg, ndcg_cut)
//	Recall       credited items / Items (recall, set_recall)
//	Success      1 if anything was credited (success)
//	MRR          1 / rank of the first credit (recip_rank)
//	Precision    crediting positions / K, or / Length without K (P, set_P)
//	AP           mean over Items of the precision at each crediting position (map, map_cut)
//	RPrec        crediting positions up to rank Items / Items (Rprec)
//	All          1 if every item was credited
//	Top1         1 if rank 1 was credited (success_1)
//	MicroRecall  as Recall; the caller divides sums over queries
func (m Metric) Value(r Result) float64 {
	cut := int32(math.MaxInt32)
	if m.K > 0 && m.K < math.MaxInt32 {
		cut = int32(m.K)
	}
	if m.Kind == NDCG {
		return ndcg(r, cut)
	}
	if r.Items == 0 {
		return 0
	}
	switch m.Kind {
	case Recall, MicroRecall:
		return float64(Credited(r, m.K)) / float64(r.Items)
	case All:
		if Credited(r, m.K) == r.Items {
			return 1
		}
		return 0
	case Top1:
		cut = 1
	case RPrec:
		cut = int32(min(r.Items, math.MaxInt32))
	}
	hits, sum := 0, 0.0
	for _, h := range r.Hits {
		if h.Rank > cut {
			break
		}
		if h.Items == 0 {
			continue
		}
		hits++
		switch m.Kind {
		case Success, Top1:
			return 1
		case MRR:
			return 1 / float64(h.Rank)
		case AP:
			sum += float64(hits) / float64(h.Rank)
		}
	}
	switch m.Kind {
	case AP:
		return sum / float64(r.Items)
	case RPrec:
		return float64(hits) / float64(r.Items)
	case Precision:
		if m.K > 0 {
			return float64(hits) / float64(m.K)
		}
		if r.Length > 0 {
			return float64(hits) / float64(r.Length)
		}
	}
	return 0
}

// Credited counts the items credited in the first k ranks; k 0 means all.
func Credited(r Result, k int) int {
	n := 0
	for _, h := range r.Hits {
		if k > 0 && int(h.Rank) > k {
			break
		}
		n += int(h.Items)
	}
	return n
}

func ndcg(r Result, cut int32) float64 {
	ideal := 0.0
	if r.Ideal == nil {
		ideal = idealOnes(min(r.Items, int(cut)))
	} else {
		for i, g := range r.Ideal[:min(len(r.Ideal), int(cut))] {
			ideal += float64(g * discount(int32(i+1)))
		}
	}
	if ideal == 0 {
		return 0
	}
	dcg := 0.0
	for _, h := range r.Hits {
		if h.Rank > cut {
			break
		}
		dcg += float64(h.Gain * discount(h.Rank))
	}
	return dcg / ideal
}

const tabled = 1024

// discounts[i] is the discount of rank i+1; idealSums[n] sums the first n.
var discounts, idealSums = tables()

func tables() (d [tabled]float64, s [tabled + 1]float64) {
	for i := range d {
		d[i] = 1 / math.Log2(float64(i)+2)
		s[i+1] = s[i] + d[i]
	}
	return d, s
}

func discount(rank int32) float64 {
	if rank <= tabled {
		return discounts[rank-1]
	}
	return 1 / math.Log2(float64(rank)+1)
}

// idealOnes is the ideal DCG of n gains of 1.
func idealOnes(n int) float64 {
	s := idealSums[min(n, tabled)]
	for rank := tabled + 1; rank <= n; rank++ {
		s += discount(int32(rank))
	}
	return s
}
