package stat

import "slices"

// Interval returns the percentile interval that holds the middle level of the
// samples: the quantiles at (1-level)/2 and (1+level)/2, interpolated linearly
// between order statistics (type 7 of Hyndman and Fan, Sample Quantiles in
// Statistical Packages, 1996). lo never exceeds hi, and negated samples give
// exactly the negated interval. Samples must be finite; a level outside [0, 1]
// is taken as the nearer bound. No samples give 0, 0.
func Interval(samples []float64, level float64) (lo, hi float64) {
	if len(samples) == 0 {
		return 0, 0
	}
	if !(level > 0) { // NaN too
		level = 0
	}
	xs := slices.Clone(samples)
	last := len(xs) - 1
	h := float64(last) * (1 - min(level, 1)) / 2
	k := int(h)
	frac := h - float64(k)
	place(xs, k)
	place(xs[k:], last-2*k)
	// Both bounds take the same steps, one from each end: that is what keeps
	// them mirror images.
	lo, hi = xs[k], xs[last-k]
	if frac > 0 {
		above, below := slices.Min(xs[k+1:]), slices.Max(xs[:last-k])
		lo = min(lo+float64(frac*(above-lo)), above)
		hi = max(hi+float64(frac*(below-hi)), below)
	}
	return min(lo, hi), max(lo, hi) // rounding can swap bounds that coincide
}

// place reorders xs until xs[k] is what it would be if xs were sorted, with
// nothing larger before it and nothing smaller behind it (C. A. R. Hoare,
// Algorithm 65: Find, 1961).
func place(xs []float64, k int) {
	for lo, hi := 0, len(xs)-1; lo < hi; {
		pivot := middle(xs[lo], xs[lo+(hi-lo)/2], xs[hi])
		i, j := lo, hi
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		if k <= j {
			hi = j
		} else if k >= i {
			lo = i
		} else {
			return
		}
	}
}

// middle returns the second of three numbers in order.
func middle(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
