package tiaptest

// largest gives out the positions of some keys, the largest key first and the
// first of equal ones first. It sorts no more than it gives out.
type largest []keyed // a heap

type keyed struct {
	key float64
	at  int
}

func (a keyed) before(b keyed) bool { return a.key > b.key || a.key == b.key && a.at < b.at }

func newLargest(keys []float64) largest {
	h := make(largest, len(keys))
	for i, k := range keys {
		h[i] = keyed{k, i}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	return h
}

// next takes the next position out; there must be one.
func (h *largest) next() int {
	top, last := (*h)[0], len(*h)-1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	h.sink(0)
	return top.at
}

// sink puts the element at i below those that come before it.
func (h largest) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
