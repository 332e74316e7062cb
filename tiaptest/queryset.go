package tiaptest

import "math/bits"

// querySet is a set of queries, one bit each.
type querySet []uint64

// newQuerySet returns those of n queries that has reports.
func newQuerySet(n int, has func(q int) bool) querySet {
	set := make(querySet, (n+63)/64)
	for q := range n {
		if has(q) {
			set[q/64] |= 1 << (q % 64)
		}
	}
	return set
}

// allQueries returns the set of n queries.
func allQueries(n int) querySet {
	set := make(querySet, (n+63)/64)
	for i := range set {
		set[i] = ^uint64(0)
	}
	if n%64 > 0 {
		set[n/64] = 1<<(n%64) - 1
	}
	return set
}

// keep removes from s what is not in other.
func (s querySet) keep(other querySet) {
	for i, w := range other {
		s[i] &= w
	}
}

// add adds to s what is in other.
func (s querySet) add(other querySet) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s querySet) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// list returns the queries in order, nil for none.
func (s querySet) list() []int32 {
	n := s.len()
	if n == 0 {
		return nil
	}
	list := make([]int32, 0, n)
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			list = append(list, int32(64*i+bits.TrailingZeros64(w)))
		}
	}
	return list
}

// key is the same for equal sets of one audit, and for no others.
func (s querySet) key() string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	return string(b)
}
