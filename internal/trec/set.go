package trec

// set finds what repeats among few integers. To clear it costs nothing, so that
// one set serves many short lists from the nearest cache.
type set struct {
	slots []slot // open addressing, a power of two long
	shift int    // of a hash, to the index of a slot
	round uint32
}

type slot struct {
	key   uint32
	round uint32 // that filled the slot
	at    uint32
}

// clear empties the set and makes room for n keys.
func (s *set) clear(n int) {
	s.round++
	if 2*n > len(s.slots) || s.round == 0 {
		bits := 4
		for 1<<bits < 2*n {
			bits++
		}
		s.slots = make([]slot, 1<<bits)
		s.shift = 64 - bits
		s.round = 1
	}
}

// add puts key into the set with the place where it stands; if the set has it
// already, add returns the place it came with.
func (s *set) add(key uint32, at uint32) (first uint32, ok bool) {
	mask := len(s.slots) - 1
	// Fibonacci hashing: consecutive keys fall far apart.
	for i := int(uint64(key) * 0x9E3779B97F4A7C15 >> s.shift); ; i = (i + 1) & mask {
		x := &s.slots[i]
		if x.round != s.round {
			*x = slot{key, s.round, at}
			return 0, false
		}
		if x.key == key {
			return x.at, true
		}
	}
}
