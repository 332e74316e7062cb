package report

import (
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// Sensitivity adds what the target changes: changed queries, coverage bias, shifts by
// target-set size, depth curves, what families recommend by every convention,
// targets joined by aggregation or filtered by agreement, how far targets go with
// answers, and the smallest gap that the queries can show. The report must come from
// the same audit; its Depths and Conventions may be replaced before by those of
// [sensitivity.Depths] and [sensitivity.Conventions].
func Sensitivity(r *sensitivity.Report) Option {
	return option{"Sensitivity", func(o *options) { o.sensitivity = r }}
}

// studiedMetrics are the metrics of the audit that the study has.
func (b *builder) studiedMetrics() []string {
	return slices.DeleteFunc(slices.Clone(b.Settings.Metrics), func(m string) bool { return !slices.Contains(b.o.sensitivity.Metrics, m) })
}

// studied is the first of them, "" when there is none: then the study is not one of
// this audit.
func (b *builder) studied() string {
	if ms := b.studiedMetrics(); len(ms) > 0 {
		return ms[0]
	}
	return ""
}

// byMetric are the rows of one metric.
func byMetric[T any](rows []T, metric string, of func(*T) string) []*T {
	var out []*T
	for i := range rows {
		if of(&rows[i]) == metric {
			out = append(out, &rows[i])
		}
	}
	return out
}

// named is a winner, a tie when there is none, and nothing where nothing was
// compared.
func named(winners map[string]*string, target string) cell {
	switch w, ok := winners[target]; {
	case !ok:
		return cell{text: words("-"), tone: muted}
	case w == nil:
		return cell{text: words("tie"), tone: muted}
	default:
		return cell{text: foreign(*w)}
	}
}

// gapCells are a gap with its interval and p.
func gapCells(g tiaptest.Gap) []cell {
	value := "-"
	if g.Value != nil {
		value = phrase.Signed(*g.Value)
	}
	return cells(value, phrase.Interval(g.CI), phrase.P(g.P))
}

// clustered is what a caption says of intervals and tests by clusters.
func (b *builder) clustered() string {
	if b.o.sensitivity.Cluster == "" {
		return ""
	}
	return "; each " + b.o.sensitivity.Cluster + " counts as one observation"
}

func targetPair(targets [2]string) text {
	return words(foreign(targets[0]), " to ", foreign(targets[1]))
}
