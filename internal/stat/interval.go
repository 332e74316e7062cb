package stat

import "slices"

// Interval returns the percentile interval that holds the middle level of the
// samples: the quantiles at (1-level)/2 and (1+level)/2, interpolated linearly
// between order statistics (type 7 of Hyndman and Fan, Sample Quantiles in
// Statistical Packages, 1996). lo never exceeds hi, and negated samples give
// exactly the negated interval. Samples must be finite; a level outside [0, 1]
// is taken as the nearer bound. No samples give 0, 0.
func Interval(samples []float64, level float64) (lo, hi float64) {
	return intervalIn(slices.Clone(samples), level)
}

// intervalIn is Interval with leave to reorder the samples.
func intervalIn(xs []float64, level float64) (lo, hi float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	if !(level > 0) { // NaN too
		level = 0
	}
	last := len(xs) - 1
	h := float64(last) * (1 - min(level, 1)) / 2
	k := int(h)
	frac := h - float64(k)
	// Both bounds take the same steps, one from each end: that is what keeps
	// them mirror images.
	if frac == 0 {
		place(xs, k)
		lo = xs[k]
		place(xs, last-k)
		hi = xs[last-k]
		return lo, hi
	}
	place(xs, k+1)
	lo, above := slices.Max(xs[:k+1]), xs[k+1]
	place(xs, last-k-1)
	hi, below := slices.Min(xs[last-k:]), xs[last-k-1]
	lo = min(lo+float64(frac*(above-lo)), above)
	hi = max(hi+float64(frac*(below-hi)), below)
	return min(lo, hi), max(lo, hi) // rounding can swap bounds that coincide
}

// place reorders xs until xs[k] is what it would be if xs were sorted, with
// nothing larger before it and nothing smaller behind it (C. A. R. Hoare,
// Algorithm 65: Find, 1961).
func place(xs []float64, k int) {
	for lo, hi := 0, len(xs)-1; lo < hi; {
		split := pivot(xs[lo:hi+1], k-lo)
		i, j := lo, hi
		for i <= j {
			for xs[i] < split {
				i++
			}
			for xs[j] > split {
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

// pivot returns one of the values, near the one that is at k in order: a bound
// far from the middle splits off most values at once. It looks at a few, and
// errs toward the middle.
func pivot(xs []float64, k int) float64 {
	var some [15]float64
	if len(xs) < 8*len(some) {
		some := [3]float64{xs[0], xs[len(xs)/2], xs[len(xs)-1]}
		slices.Sort(some[:])
		return some[1]
	}
	for i := range some {
		some[i] = xs[i*(len(xs)-1)/(len(some)-1)]
	}
	slices.Sort(some[:])
	at := k * len(some) / len(xs)
	if at < len(some)/2 {
		at++
	} else if at > len(some)/2 {
		at--
	}
	return some[at]
}
