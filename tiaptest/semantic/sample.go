package semantic

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Stratum is a part of the cases that a sample is drawn from by itself.
type Stratum struct {
	Dataset string `json:"dataset"`
	Target  string `json:"target"`
	Bucket  string `json:"bucket"` // of ranks; see [Case.Bucket]
	Size    int    `json:"size"`
	Drawn   int    `json:"drawn"`
}

// Sample draws at most n cases from each stratum of dataset, target and rank
// bucket, all with equal chances. The draw depends on the cases and the seed, not on
// their order, and a stratum's not on the others. A mean over the sample is one over
// the cases only when strata are weighted by their size.
func Sample(cases []Case, n int, seed uint64) ([]Case, []Stratum) {
	sorted := slices.SortedFunc(slices.Values(cases), compareCases)
	var sample []Case
	var strata []Stratum
	for len(sorted) > 0 {
		s := stratum(&sorted[0])
		for s.Size < len(sorted) && stratum(&sorted[s.Size]) == stratum(&sorted[0]) {
			s.Size++
		}
		part := slices.Clone(sorted[:s.Size])
		s.Drawn = max(0, min(n, s.Size))
		random(seed, s.Dataset, s.Target, s.Bucket).Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		sample = append(sample, slices.SortedFunc(slices.Values(part[:s.Drawn]), compareCases)...)
		strata = append(strata, s)
		sorted = sorted[s.Size:]
	}
	return sample, strata
}

func stratum(c *Case) Stratum {
	return Stratum{Dataset: c.Dataset, Target: c.Target, Bucket: c.Bucket()}
}

// compareCases orders cases by stratum, then by all else that names one.
func compareCases(a, b Case) int {
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Target, b.Target), cmp.Compare(bucketOf(a.Rank), bucketOf(b.Rank)),
		cmp.Compare(a.System, b.System), cmp.Compare(a.Query, b.Query), cmp.Compare(a.Ingest, b.Ingest),
		cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Text, b.Text),
	)
}

// bucketOf numbers the rank buckets in their order.
func bucketOf(rank int) int {
	n := 0
	for _, last := range []int{5, 20, 60} {
		if rank > last {
			n++
		}
	}
	return n
}

// random is a source that depends on a seed and names.
func random(seed uint64, names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, name := range names {
		h.Write(binary.AppendUvarint(nil, uint64(len(name))))
		h.Write([]byte(name))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
