package script

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// claim is a number that a line expects: 0.51 means that value to four decimals, or
// to as many as are written if these are more; >=0.5 at least that, <=0.5 at most.
type claim struct {
	text, bound string
	value       float64
	decimals    int
}

var claimText = regexp.MustCompile(`^(>=|<=)?([0-9]+(?:\.([0-9]+))?)$`)

func parseClaim(text string) (claim, bool) {
	m := claimText.FindStringSubmatch(text)
	if m == nil {
		return claim{}, false
	}
	v, err := strconv.ParseFloat(m[2], 64)
	return claim{text: text, bound: m[1], value: v, decimals: max(4, len(m[3]))}, err == nil
}

// joinBounds makes one argument of a bound and a number that stand apart, as >= 0.5,
// and of what is no bound, so that messages name it.
func joinBounds(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if strings.Trim(arg, "<=>") == "" && arg != "" && i+1 < len(args) {
			i++
			arg += args[i]
		}
		out = append(out, arg)
	}
	return out
}

// rounding is what sums of floats may be off by.
const rounding = 1e-9

func (c claim) holds(v float64) bool {
	switch c.bound {
	case ">=":
		return v >= c.value-rounding
	case "<=":
		return v <= c.value+rounding
	}
	return math.Abs(v-c.value) <= 0.5*math.Pow10(-c.decimals)+rounding
}

// show writes a found value so that it can be told from the claim.
func (c claim) show(v float64) string {
	decimals := max(4, c.decimals)
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if c.holds(v) || text != strconv.FormatFloat(c.value, 'f', decimals, 64) {
		return text
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
