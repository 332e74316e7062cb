package synth

import (
	"fmt"
	"math/rand/v2"
)

// A hit is one entry of a ranking.
type hit struct {
	id    string
	score int // millionths, 1 to 999999
}

// A ranker makes the rankings of one system for one conversation, in the order
// of the questions.
type ranker struct {
	c       *conversation
	density int
	depth   int
	rng     *rand.Rand
	order   []int32 // a permutation of the stored memories
	place   []int32 // where a memory stands in order
	hits    []hit
}

// start prepares for the rankings of another conversation.
func (r *ranker) start(g *generator, c *conversation, system int) {
	r.c = c
	r.density = density(system)
	r.depth = g.Depth
	r.rng = g.draw(forRanking, c.index, system)
	r.order = r.order[:0]
	r.place = append(r.place[:0], make([]int32, len(c.memories))...)
	for m := range c.memories {
		if c.memories[m].ordinal < r.density {
			r.place[m] = int32(len(r.order))
			r.order = append(r.order, int32(m))
		}
	}
}

func (r *ranker) swap(i, j int) {
	a, b := r.order[i], r.order[j]
	r.order[i], r.order[j] = b, a
	r.place[a], r.place[b] = int32(j), int32(i)
}

// rank returns the hits for a question, best first. They are valid until the
// next call. One ranking in a hundred holds an id that the store does not have,
// <conversation>/unknown-<n>.
func (r *ranker) rank(n int) []hit {
	for i := range r.depth {
		r.swap(i, i+r.rng.IntN(len(r.order)-i))
	}
	// A memory that descends from the evidence is found more often than not,
	// and then near the top: half of the time in the first few ranks.
	for _, m := range r.c.descendants(r.c.questions[n], r.density) {
		if r.rng.IntN(8) < 5 {
			within := min(r.depth, 1<<(1+r.rng.IntN(6)))
			r.swap(int(r.place[m]), r.rng.IntN(within))
		}
	}
	r.hits = r.hits[:0]
	score := 999_999
	step := 999_000 / r.depth
	for _, m := range r.order[:r.depth] {
		r.hits = append(r.hits, hit{r.c.memories[m].id, score})
		if r.rng.IntN(8) > 0 {
			score -= 1 + r.rng.IntN(step)
		}
	}
	if r.rng.IntN(100) == 0 {
		r.hits[r.rng.IntN(r.depth)].id = fmt.Sprintf("%s/unknown-%d", r.c.id, n)
	}
	return r.hits
}

// appendScore appends a score as a decimal fraction.
func appendScore(dst []byte, millionths int) []byte {
	dst = append(dst, "0.000000"...)
	for i := len(dst) - 1; millionths > 0; i-- {
		dst[i] += byte(millionths % 10)
		millionths /= 10
	}
	return dst
}
