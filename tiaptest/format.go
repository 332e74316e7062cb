package tiaptest

import (
	"strconv"

	"github.com/tiaptest/tiap/internal/phrase"
)

// text writes a gap as value [lower, upper].
func (g Gap) text() string {
	if g.Value == nil {
		return "undefined"
	}
	s := phrase.Signed(*g.Value)
	if g.CI != nil {
		s += " " + phrase.Interval(g.CI)
	}
	return s
}

func populationName(subset string) string {
	if subset == overShared {
		return "shared subset"
	}
	return "population " + subset
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
