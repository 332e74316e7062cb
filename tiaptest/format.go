package tiaptest

import (
	"fmt"
	"strconv"
)

// text writes a gap as value [lower, upper].
func (g Gap) text() string {
	if g.Value == nil {
		return "undefined"
	}
	s := signed(*g.Value)
	if g.CI != nil {
		s += " " + interval(g.CI)
	}
	return s
}

func signed(x float64) string { return fmt.Sprintf("%+.4f", x) }

func interval(ci []float64) string {
	if ci == nil {
		return "-"
	}
	return fmt.Sprintf("[%+.4f, %+.4f]", ci[0], ci[1])
}

func populationName(subset string) string {
	if subset == overShared {
		return "shared subset"
	}
	return "population " + subset
}

func pValue(p *float64) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%.2g", *p)
}

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-3]) + "..."
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
