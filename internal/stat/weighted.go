package stat

const (
	// lanes is how many resamples are summed side by side: seven sums, seven
	// products and a value are what the registers of amd64 hold.
	lanes = 7

	// tileBatch is how many times lanes resamples a goroutine takes at once.
	tileBatch = 2

	// chunk is how many units are summed at once, so that their weights stay in
	// the cache for all rows; a uint8 numbers them.
	chunk = 256

	// Rows of whole numbers share a row of values, 17 bits each: three such sums
	// stay below the 53 bits that a float64 is exact in.
	packedBits = 17
	packedRows = 53 / packedBits
)

// weightedSums computes sums of rows of values, one value a unit, under many
// weightings. A sum adds its products in the order of the units, whichever rows
// stand beside it. Weights are whole and sum to the number of units.
type weightedSums struct {
	rows   [][]float64
	packed int // the row that takes the next whole numbers
	taken  int // rows that are in it
	sparse []sparseRow
}

// A sparseRow holds the values other than 0, which add nothing.
type sparseRow struct {
	values []sparseValue
	ends   []int32 // of each chunk, in values
}

type sparseValue struct {
	x    float64
	unit uint8 // in its chunk
}

// A location says where a sum is found: in a row alone, or as some bits of one.
type location struct {
	row   int
	whole bool
	shift int
}

// add adds a row of finite values.
func (s *weightedSums) add(row []float64) location {
	if !packs(row) {
		s.rows = append(s.rows, row)
		return location{row: len(s.rows) - 1}
	}
	if s.taken%packedRows == 0 {
		s.packed, s.taken = len(s.rows), 0
		s.rows = append(s.rows, make([]float64, len(row)))
	}
	at := location{row: s.packed, whole: true, shift: packedBits * s.taken}
	s.taken++
	unit := float64(uint64(1) << at.shift)
	for i, x := range row {
		s.rows[at.row][i] += float64(x * unit)
	}
	return at
}

// packs reports whether weighted sums of the row are whole numbers of at most
// packedBits bits.
func packs(row []float64) bool {
	most := float64((1<<packedBits - 1) / max(len(row), 1))
	for _, x := range row {
		if !(x >= 0 && x <= most && x == float64(uint32(x))) {
			return false
		}
	}
	return true
}

// ready lays the rows out for weigh; no row can be added any more.
func (s *weightedSums) ready() {
	s.sparse = make([]sparseRow, len(s.rows))
	for j, row := range s.rows {
		n := 0
		for _, x := range row {
			if x != 0 {
				n++
			}
		}
		r := sparseRow{make([]sparseValue, 0, n), make([]int32, 0, (len(row)+chunk-1)/chunk)}
		for i, x := range row {
			if x != 0 {
				r.values = append(r.values, sparseValue{x, uint8(i % chunk)})
			}
			if i%chunk == chunk-1 || i == len(row)-1 {
				r.ends = append(r.ends, int32(len(r.values)))
			}
		}
		s.sparse[j] = r
	}
	s.rows = nil
}

// A weighting holds the weights of each unit in some resamples.
type weighting struct {
	of    [lanes][]uint8
	chunk [chunk][lanes]float64
}

func newWeighting(units int) *weighting {
	w := new(weighting)
	for l := range w.of {
		w.of[l] = make([]uint8, units)
	}
	return w
}

// weigh sets sums to the weighted sums of each row.
func (s *weightedSums) weigh(sums [][lanes]float64, w *weighting) {
	clear(sums)
	for c, from := 0, 0; from < len(w.of[0]); c, from = c+1, from+chunk {
		for l, of := range w.of {
			for i, drawn := range of[from:min(from+chunk, len(of))] {
				w.chunk[i][l] = float64(drawn)
			}
		}
		for j := range s.sparse {
			s.sparse[j].weigh(&sums[j], &w.chunk, c)
		}
	}
}

// weigh adds the products of one chunk.
func (r *sparseRow) weigh(sums *[lanes]float64, weights *[chunk][lanes]float64, c int) {
	start := int32(0)
	if c > 0 {
		start = r.ends[c-1]
	}
	s0, s1, s2, s3, s4, s5, s6 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]
	values := r.values[start:r.ends[c]]
	for i := range values {
		x, w := values[i].x, &weights[values[i].unit]
		s0 += float64(x * w[0]) // converted, so that no product is fused with its sum
		s1 += float64(x * w[1])
		s2 += float64(x * w[2])
		s3 += float64(x * w[3])
		s4 += float64(x * w[4])
		s5 += float64(x * w[5])
		s6 += float64(x * w[6])
	}
	*sums = [lanes]float64{s0, s1, s2, s3, s4, s5, s6}
}

// in returns the sum at a location in one lane.
func (l location) in(sums [][lanes]float64, lane int) float64 {
	sum := sums[l.row][lane]
	if !l.whole {
		return sum
	}
	return float64(uint64(sum) >> l.shift & (1<<packedBits - 1))
}
