package main

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// study is what goes on where the audit ends, as text.
type study struct{ *report.Added }

// writeText writes the table of an audit and the study below it.
func (s study) writeText(w io.Writer, a *tiaptest.Audit) error {
	var b strings.Builder
	if err := a.WriteTable(&b); err != nil {
		return err
	}
	b.WriteByte('\n')
	if err := s.Card.WriteText(&b); err != nil {
		return err
	}
	b.WriteByte('\n')
	if err := s.Sensitivity.WriteText(&b); err != nil {
		return err
	}
	table.Section(&b, "queries with spread evidence: all of it credited within the depth, by one memory, by a memory for each part", s.compositionRows())
	table.Section(&b, "fan-out of credit, by the precision of links", s.fanOutRows())
	table.Section(&b, "support of contested credits", s.supportRows())
	if s.Labels != nil {
		labelText{s.Labels}.writeText(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s study) compositionRows() [][]string {
	rows := [][]string{{"system", "target", "queries", "all", "by one", "by one each"}}
	for _, c := range s.Composition {
		if c.Queries > 0 {
			rows = append(rows, []string{c.System, c.Target, fmt.Sprint(c.Queries), fmt.Sprint(c.Passed), fmt.Sprint(c.Single), fmt.Sprint(c.Distinct)})
		}
	}
	return rows
}

func (s study) fanOutRows() [][]string {
	rows := [][]string{{"system", "target", "links", "memories", "credits", "units", "most units", "most queries", "credits of one"}}
	for _, c := range s.Composition {
		for _, f := range c.FanOut {
			rows = append(rows, []string{
				c.System, c.Target, f.Precision, fmt.Sprint(f.Memories), fmt.Sprint(f.Credits), fmt.Sprint(f.Units),
				fmt.Sprint(f.MaxUnits), fmt.Sprint(f.MaxQueries), fmt.Sprintf("%.2f", f.PerMemory),
			})
		}
	}
	return rows
}

func (s study) supportRows() [][]string {
	rows := [][]string{{"system", "target", "view", "contested", "labelled", "ties", "supported", "share", "95% CI"}}
	for _, v := range s.Support {
		rows = append(rows, append([]string{
			v.System, v.Target, string(v.View), fmt.Sprint(v.Contested), fmt.Sprint(v.Labelled), fmt.Sprint(v.Ties), fmt.Sprint(v.Supported),
		}, estimate(v.Share)...))
	}
	return rows
}

// labelText says what labels are worth.
type labelText struct{ *report.LabelWorth }

func (l labelText) writeText(b *strings.Builder) {
	fmt.Fprintf(b, "\nsupport labels: %d, %d of them good for no retrieved memory\ncounted by: %s\n", l.Labels, l.Unused, phrase.Text(l.Agreement[0].Rule))
	rows := [][]string{{"view", "ranks", "labels", "memories", "ties", "counts", "mean agreement", "Fleiss kappa", "95% CI"}}
	row := func(a *semantic.Agreement, ranks string) {
		var counts []string
		for _, class := range slices.Sorted(maps.Keys(a.Counts)) {
			counts = append(counts, fmt.Sprintf("%s %d", class, a.Counts[class]))
		}
		rows = append(rows, append([]string{
			string(a.View), ranks, fmt.Sprint(a.Labels), fmt.Sprint(a.Cases), fmt.Sprint(a.Ties), strings.Join(counts, ", "), phrase.Decimals(a.MeanPairwise),
		}, estimate(a.Fleiss)...))
	}
	for _, a := range l.Agreement {
		row(a, "all")
	}
	for bucket, a := range l.byRank() {
		row(a, bucket)
	}
	table.Section(b, "agreement of judges on "+phrase.Name(l.Dataset), rows)

	rows = [][]string{{"judge", "labelled twice", "differently"}}
	for _, s := range l.Agreement[0].Self {
		rows = append(rows, []string{s.Judge, fmt.Sprint(s.Repeated), fmt.Sprint(s.Differ)})
	}
	table.Section(b, "agreement of judges with themselves, three classes", rows)

	rows = [][]string{{"judge", "judge", "ranks", "memories", "agreement", "95% CI", "Cohen kappa", "95% CI"}}
	pairs := func(a *semantic.Agreement, ranks string) {
		for _, p := range a.Pairs {
			n := 0
			if p.Agreement != nil {
				n = p.Agreement.N
			}
			rows = append(rows, append(append([]string{p.A, p.B, ranks, fmt.Sprint(n)}, estimate(p.Agreement)...), estimate(p.Kappa)...))
		}
	}
	pairs(l.Agreement[0], "all")
	for bucket, a := range l.byRank() {
		pairs(a, bucket)
	}
	table.Section(b, "agreement of pairs of judges, three classes", rows)

	rows = [][]string{{"view", "class", "labelled by models", "and people", "share by models", "95% CI", "corrected", "95% CI"}}
	for _, p := range l.Prevalence {
		for _, class := range slices.Sorted(maps.Keys(p.Corrected)) {
			by, corrected := p.Model[class], p.Corrected[class]
			rows = append(rows, append(append([]string{string(p.View), class, fmt.Sprint(p.N), fmt.Sprint(p.Humans)}, estimate(&by)...), estimate(&corrected)...))
		}
	}
	table.Section(b, "shares by models, corrected by what people say", rows)
	if l.Uncorrected != "" {
		fmt.Fprintf(b, "\nshares by models are not corrected: %s\n", l.Uncorrected)
	}
}

// byRank yields the agreement on memories of each range of ranks, in their order.
func (l labelText) byRank() iter.Seq2[string, *semantic.Agreement] {
	return func(yield func(string, *semantic.Agreement) bool) {
		for _, bucket := range []string{"1-5", "6-20", "21-60", "61-"} {
			if a := l.Buckets[bucket]; a != nil && !yield(bucket, a) {
				return
			}
		}
	}
}

// estimate is a value and its interval in two cells.
func estimate(e *semantic.Estimate) []string {
	if e == nil {
		return []string{"-", "-"}
	}
	ci := "-"
	if len(e.CI) == 2 {
		ci = fmt.Sprintf("[%.4f, %.4f]", e.CI[0], e.CI[1])
	}
	return []string{phrase.Decimals(&e.Value), ci}
}
