package rank

// Candidates are the stored items that may earn credit for one query, with the
// evidence units that each belongs to under each target.
type Candidates struct {
	Start []int32 // candidate c holds Pairs[Start[c]:Start[c+1]]
	Pairs []Pair
	Units int // evidence units of the query
}

// Of returns the pairs of a candidate. They share the memory of c.
func (c *Candidates) Of(cand int) []Pair { return c.Pairs[c.Start[cand]:c.Start[cand+1]] }

// Eligible reports whether a candidate belongs to a unit under a target.
func (c *Candidates) Eligible(cand int, target uint) bool {
	for _, p := range c.Of(cand) {
		if p.Under(target) {
			return true
		}
	}
	return false
}

// Pair says under which targets (bit t for target t) a candidate belongs to a unit.
type Pair struct {
	Unit    int32
	Targets uint64
}

// Under reports whether the candidate belongs to the unit under a target.
func (p Pair) Under(target uint) bool { return p.Targets>>target&1 != 0 }
