package rank

import "slices"

// Seen is a candidate met in a ranking.
type Seen struct {
	Rank int32 // 1-based
	Cand int32
}

// Scorer turns what was seen in a ranking into results. It reuses its memory:
// a Result is valid until the next call that makes one. The zero value is ready.
type Scorer struct {
	hits     []Hit
	ideal    []float64
	credited []bool
}

// ByEvidence credits evidence units: a candidate that belongs to at least one
// unit not credited yet earns one gain and credits all its units. Units without
// an eligible candidate are left out of Items unless counted is set.
func (s *Scorer) ByEvidence(c *Candidates, seen []Seen, length int, target uint, counted bool) Result {
	s.reset(c.Units)
	items := c.Units
	if !counted {
		items = 0
		for _, p := range c.Pairs {
			if p.Under(target) && !s.credited[p.Unit] {
				s.credited[p.Unit] = true
				items++
			}
		}
		clear(s.credited)
	}
	for _, h := range seen {
		n := int32(0)
		for _, p := range c.Of(int(h.Cand)) {
			if p.Under(target) && !s.credited[p.Unit] {
				s.credited[p.Unit] = true
				n++
			}
		}
		if n > 0 {
			s.hits = append(s.hits, Hit{Rank: h.Rank, Items: n, Gain: 1})
		}
	}
	return Result{Hits: s.hits, Items: items, Length: length}
}

// ByMemory credits every eligible candidate as an item of its own.
func (s *Scorer) ByMemory(c *Candidates, seen []Seen, length int, target uint) Result {
	s.reset(0)
	items := 0
	for cand := range len(c.Start) - 1 {
		if c.Eligible(cand, target) {
			items++
		}
	}
	for _, h := range seen {
		if c.Eligible(int(h.Cand), target) {
			s.hits = append(s.hits, Hit{Rank: h.Rank, Items: 1, Gain: 1})
		}
	}
	return Result{Hits: s.hits, Items: items, Length: length}
}

// Unjudged is the grade of a candidate that has no judgement under a target.
const Unjudged = int32(-1 << 31)

// Graded scores judgements as trec_eval does: grades[c] is the grade of
// candidate c; an item is relevant from the level on; the gain is the grade
// itself, whatever the level; grades below 1 gain nothing. With judgedOnly,
// items that are unjudged or graded negative leave the ranking (trec_eval -J).
func (s *Scorer) Graded(grades []int32, seen []Seen, length int, level int32, judgedOnly bool) Result {
	s.reset(0)
	items := 0
	for _, g := range grades {
		if g >= level {
			items++
		}
		if g > 0 {
			s.ideal = append(s.ideal, float64(g))
		}
	}
	slices.SortFunc(s.ideal, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	kept := int32(0)
	for _, h := range seen {
		g := grades[h.Cand]
		rank := h.Rank
		if judgedOnly {
			if g < 0 {
				continue
			}
			kept++
			rank = kept
		}
		hit := Hit{Rank: rank}
		if g >= level {
			hit.Items = 1
		}
		if g > 0 {
			hit.Gain = float64(g)
		}
		if hit.Items > 0 || hit.Gain > 0 {
			s.hits = append(s.hits, hit)
		}
	}
	if judgedOnly {
		length = int(kept)
	}
	return Result{Hits: s.hits, Items: items, Length: length, Ideal: s.ideal}
}

func (s *Scorer) reset(units int) {
	s.hits = s.hits[:0]
	s.ideal = s.ideal[:0]
	if cap(s.credited) < units {
		s.credited = make([]bool, units)
	}
	s.credited = s.credited[:units]
	clear(s.credited)
}
