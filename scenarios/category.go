package scenarios

// categoryNames maps the numbers of LoCoMo's categories to the names of its
// paper. Other tools give the same numbers other names, so reports are keyed by
// the number.
var categoryNames = map[string]map[string]string{
	"locomo": {
		"1": "multi-hop",
		"2": "temporal",
		"3": "open-domain",
		"4": "single-hop",
		"5": "adversarial",
	},
}

// CategoryName returns the name of a category of queries:
//
//	locomo  1  multi-hop    the evidence is in several sessions
//	        2  temporal     when something happened
//	        3  open-domain  needs knowledge of the world beside the evidence
//	        4  single-hop   the evidence is in one place
//	        5  adversarial  asks for what was never said; the evidence is what it distorts
//
// The categories of LongMemEval and BEAM are names already. A category without a
// name of its own stands for itself.
func CategoryName(benchmark, category string) string {
	if name, ok := categoryNames[benchmark][category]; ok {
		return name
	}
	return category
}
