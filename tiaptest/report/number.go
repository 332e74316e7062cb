package report

import "fmt"

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
