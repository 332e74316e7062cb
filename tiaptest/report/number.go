package report

import "fmt"

func signed(x float64) string { return fmt.Sprintf("%+.4f", x) }

func interval(ci []float64) string {
	if len(ci) != 2 {
		return "-"
	}
	return fmt.Sprintf("[%+.4f, %+.4f]", ci[0], ci[1])
}

func pValue(p *float64) string {
	if p == nil {
		return "-"
	}
	if *p < 1e-4 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.2g", *p)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}

func decimals(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}
