package tiaptest

import (
	"cmp"
	"math"
	"slices"
)

// mergers are the rules that make one ranking of several lists of symbols. The
// lists come in order of their names, so that the order of a JSON object's
// members decides nothing.
var mergers = map[string]func(lists [][]uint32) []uint32{
	"order":      mergeInOrder,
	"interleave": mergeInterleaved,
	"rrf":        mergeReciprocalRank,
}

func mergeInOrder(lists [][]uint32) []uint32 {
	return firstOf(slices.Concat(lists...))
}

func mergeInterleaved(lists [][]uint32) []uint32 {
	var out []uint32
	for rank, more := 0, true; more; rank++ {
		more = false
		for _, l := range lists {
			if rank < len(l) {
				out = append(out, l[rank])
				more = true
			}
		}
	}
	return firstOf(out)
}

// mergeReciprocalRank orders by the sum of 1/(60+rank) over the lists (Cormack,
// Clarke and Büttcher 2009); equal sums keep the interleaved order. Sums of the
// same ranks in another order are equal, though rounding may tell them apart.
func mergeReciprocalRank(lists [][]uint32) []uint32 {
	sum := make(map[uint32]float64)
	for _, l := range lists {
		for i, id := range l {
			sum[id] += 1 / float64(60+i+1)
		}
	}
	out := mergeInterleaved(lists)
	slices.SortStableFunc(out, func(a, b uint32) int {
		if d := sum[b] - sum[a]; math.Abs(d) > 1e-15 {
			return cmp.Compare(d, 0)
		}
		return 0
	})
	return out
}

// firstOf keeps the first of equal symbols.
func firstOf(ids []uint32) []uint32 {
	seen := make(map[uint32]bool, len(ids))
	return slices.DeleteFunc(ids, func(id uint32) bool {
		dup := seen[id]
		seen[id] = true
		return dup
	})
}
