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
	sorted := slices.Sorted(slices.Values(samples))
	last := len(sorted) - 1
	h := float64(last) * (1 - min(level, 1)) / 2
	k := int(h)
	frac := h - float64(k)
	// Both bounds take the same steps, one from each end: that is what keeps
	// them mirror images.
	lo, hi = sorted[k], sorted[last-k]
	if frac > 0 {
		lo = min(lo+float64(frac*(sorted[k+1]-lo)), sorted[k+1])
		hi = max(hi+float64(frac*(sorted[last-k-1]-hi)), sorted[last-k-1])
	}
	return min(lo, hi), max(lo, hi) // rounding can swap bounds that coincide
}
