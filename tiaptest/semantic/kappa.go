package semantic

import "github.com/tiaptest/tiap/internal/stat"

// CohenKappa is the agreement of two judges beyond chance (J. Cohen, A Coefficient
// of Agreement for Nominal Scales, 1960): table[i][j] cases have class i by the
// first and j by the second. The interval is the large-sample one of J. L. Fleiss,
// J. Cohen and B. S. Everitt (Large Sample Standard Errors of Kappa and Weighted
// Kappa, Psychological Bulletin 72, 1969, formula 13); one case has none, nor has a
// table whose variance by it is 0, as when one judge gives one class to all or both
// always agree. It returns nil where kappa is undefined: without cases, when both judges give one class to all, for a table
// that is not square and for negative counts.
func CohenKappa(table [][]int) *Estimate {
	n := 0
	rows, columns := make([]float64, len(table)), make([]float64, len(table))
	for i, row := range table {
		if len(row) != len(table) {
			return nil
		}
		for j, m := range row {
			if m < 0 {
				return nil
			}
			n += m
			rows[i] += float64(m)
			columns[j] += float64(m)
		}
	}
	if n == 0 {
		return nil
	}
	total := float64(n)
	var observed, expected float64
	for i := range table {
		rows[i] /= total
		columns[i] /= total
		observed += float64(table[i][i]) / total
		expected += float64(rows[i] * columns[i])
	}
	if expected >= 1-1e-12 {
		return nil
	}
	kappa := (observed - expected) / (1 - expected)
	var terms []float64
	for i, row := range table {
		for j, m := range row {
			p := float64(m) / total
			if i == j {
				d := 1 - float64((rows[i]+columns[i])*(1-kappa))
				terms = append(terms, p*float64(d*d))
			} else {
				d := float64((columns[i] + rows[j]) * (1 - kappa))
				terms = append(terms, p*float64(d*d))
			}
		}
	}
	d := kappa - float64(expected*(1-kappa))
	variance := (stat.Sum(terms) - float64(d*d)) / (total * float64((1-expected)*(1-expected)))
	return kappaOf(kappa, variance, n)
}

// kappaOf is a kappa with its interval, if there is one. A variance of 0 says that the
// formula sees no spread, and not that kappa is known exactly.
func kappaOf(kappa, variance float64, n int) *Estimate {
	if n < 2 || variance < 1e-12 {
		return &Estimate{Value: kappa, N: n}
	}
	return normal(kappa, variance, n, -1, 1)
}

// FleissKappa is the agreement of several judges beyond chance (J. L. Fleiss,
// Measuring Nominal Scale Agreement among Many Raters, Psychological Bulletin 76,
// 1971): ratings[i][c] judges give case i the class c. Cases with fewer than two
// judges say nothing and are left out. Where cases have different numbers of
// judges, the chance of a class is the mean over cases of its share among their
// judges, and the interval is that of K. L. Gwet's linearized variance (Handbook of
// Inter-Rater Reliability, 4th edition, 2014, chapter 5), which with equal numbers
// belongs to Fleiss' kappa itself; one case has none, nor have cases whose variance
// by it is 0, as when all judges agree on each. It returns nil where kappa is undefined: without
// such cases, when all ratings are of one class, for rows of different lengths and
// for negative counts.
func FleissKappa(ratings [][]int) *Estimate {
	var cases [][]float64 // shares of the classes
	var agreeing []float64
	for _, row := range ratings {
		if len(row) != len(ratings[0]) {
			return nil
		}
		judges, pairs := 0, 0
		for _, m := range row {
			if m < 0 {
				return nil
			}
			judges += m
			pairs += m * (m - 1)
		}
		if judges < 2 {
			continue
		}
		shares := make([]float64, len(row))
		for c, m := range row {
			shares[c] = float64(m) / float64(judges)
		}
		cases = append(cases, shares)
		agreeing = append(agreeing, float64(pairs)/float64(judges*(judges-1)))
	}
	if len(cases) == 0 {
		return nil
	}
	n := float64(len(cases))
	chance := make([]float64, len(ratings[0]))
	column := make([]float64, len(cases))
	var expected float64
	for c := range chance {
		for i := range cases {
			column[i] = cases[i][c]
		}
		chance[c] = stat.Sum(column) / n
		expected += float64(chance[c] * chance[c])
	}
	if expected >= 1-1e-12 {
		return nil
	}
	kappa := (stat.Sum(agreeing)/n - expected) / (1 - expected)
	squares := make([]float64, len(cases))
	for i := range cases {
		own := 0.0
		for c := range chance {
			own += float64(chance[c] * cases[i][c])
		}
		d := (agreeing[i]-expected)/(1-expected) - 2*float64((1-kappa)*(own-expected))/(1-expected) - kappa
		squares[i] = d * d
	}
	return kappaOf(kappa, stat.Sum(squares)/float64(n*max(1, n-1)), len(cases))
}
