package sensitivity

import (
	"fmt"
	"io"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
)

// WriteText writes the report as aligned plain text. Of the metrics of a table
// it writes the first one alone where every metric has a table of its own; all
// are in the JSON. What is undefined is "-".
func (r *Report) WriteText(w io.Writer) error {
	b := &text{targets: r.Targets}
	if len(r.Metrics) > 0 {
		b.metric = r.Metrics[0]
	}
	b.head(r)
	b.changes(r.Changes)
	b.categories(r.Changes)
	b.sizes(r.SizeShifts)
	b.coverage(r.CoverageBias)
	b.orders(r.TargetOrders)
	b.aggregations(r.Aggregations)
	b.agreement(r.Agreement)
	b.alignment(r.Alignment)
	b.matches(r.WinnerMatches)
	b.strangers(r.Strangers)
	b.power(r.Power)
	b.depths(r.Depths)
	b.conventions(r.Conventions)
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a report being written.
type text struct {
	strings.Builder
	targets []string
	metric  string // the first one
}

func (b *text) section(title string, rows [][]string) { table.Section(&b.Builder, title, rows) }

func (b *text) head(r *Report) {
	fmt.Fprintf(b, "what the target changes: %s, %s, targets %s\n",
		english.Count(len(r.Systems), "system", "systems"), english.Count(r.Queries, "query", "queries"), phrase.Text(strings.Join(r.Targets, ", ")))
	if r.Credit != "" {
		fmt.Fprintf(b, "credit by %s, uncovered units %s, population %s", r.Credit, r.Uncovered, r.Population)
		if r.Headline != "" {
			fmt.Fprintf(b, ", headline %s", phrase.Name(r.Headline))
		}
		b.WriteString("\n")
	}
	if r.Cluster != "" {
		fmt.Fprintf(b, "intervals and tests by %s\n", r.Cluster)
	}
	if len(r.SizeShifts) == 0 {
		b.WriteString("target-set sizes are not known\n")
	}
	if len(r.Alignment) == 0 {
		b.WriteString("answers are not known\n")
	}
}

func (b *text) changes(list []Change) {
	rows := [][]string{{"system", "metric", "targets", "n", "changed", "share", "by 0.1", "share", "mean |shift|", "mean shift"}}
	for _, c := range list {
		if c.Category == "" {
			rows = append(rows, append([]string{c.System, c.Metric, pair(c.Targets)}, c.cells()...))
		}
	}
	b.section("changed queries between targets, of those covered under both", rows)
}

func (c *Change) cells() []string {
	return []string{
		count(c.N), count(c.Changed), phrase.Percent(c.ChangedShare), count(c.Large), phrase.Percent(c.LargeShare),
		phrase.Decimals(c.MeanAbs), signed(c.MeanShift),
	}
}

func (b *text) categories(list []Change) {
	rows := [][]string{{"system", "targets", "category", "n", "changed", "share", "by 0.1", "share", "mean |shift|", "mean shift"}}
	for _, c := range list {
		if c.Category != "" && c.Metric == b.metric {
			rows = append(rows, append([]string{c.System, pair(c.Targets), c.Category}, c.cells()...))
		}
	}
	b.section("by category, "+b.metric, rows)
}

func (b *text) sizes(list []SizeShift) {
	head := []string{"system", "targets", "n", "r", "R2"}
	for _, bin := range sizeBins {
		head = append(head, "size "+bin)
	}
	rows := [][]string{head}
	for _, s := range list {
		if s.Metric != b.metric {
			continue
		}
		row := []string{s.System, pair(s.Targets), count(s.N), signed(s.Correlation), phrase.Decimals(s.R2)}
		for _, bin := range s.Bins {
			cell := "-"
			if bin.N > 0 {
				cell = fmt.Sprintf("%s n=%d", signed(bin.MeanShift), bin.N)
			}
			if bin.T != nil {
				cell += fmt.Sprintf(" t=%.2f", *bin.T)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	b.section("shift against the difference of target-set sizes, "+b.metric, rows)
}

func (b *text) coverage(list []CoverageBias) {
	rows := [][]string{{"system", "covered under", "measured by", "covered", "uncovered", "mean", "mean", "gap", "95% CI", "p"}}
	for _, c := range list {
		if c.Metric != b.metric || c.Gap.Value == nil {
			continue
		}
		by := "answer " + c.Answer
		if c.Answer == "" {
			by = c.Metric + " under " + c.Base
		}
		rows = append(rows, append([]string{
			c.System, c.Target, by, count(c.Covered), count(c.Uncovered), phrase.Decimals(c.CoveredMean), phrase.Decimals(c.UncoveredMean),
		}, gapCells(c.Gap)...))
	}
	b.section("are covered queries easier", rows)
}

func (b *text) orders(list []TargetOrder) {
	rows := [][]string{{"system", "metric", "n", "order"}}
	for _, o := range list {
		rows = append(rows, []string{o.System, o.Metric, count(o.N), strings.Join(o.Order, " > ")})
	}
	b.section("order of targets, on shared queries", rows)
}

func (b *text) aggregations(list []Aggregation) {
	rows := [][]string{{"metric", "n", "rule", "winner", "overrules"}}
	for _, a := range list {
		if len(a.Scores) > 1 {
			rows = append(rows, []string{a.Metric, count(a.N), a.Rule, name(a.Winner), strings.Join(a.Overrules, ", ")})
		}
	}
	b.section("winner by scores joined over targets, on shared queries", rows)
}

func (b *text) agreement(list []Agreement) {
	rows := [][]string{{"metric", "agree by", "n", "kept", "share", "system", "spread", "kept"}}
	for _, a := range list {
		for _, s := range a.Systems {
			rows = append(rows, []string{a.Metric, a.By, count(a.N), count(a.Kept), phrase.Percent(a.Share), s.System, phrase.Decimals(s.Spread), phrase.Decimals(s.KeptSpread)})
		}
	}
	b.section("queries on which the targets agree, of shared ones", rows)
}

func (b *text) alignment(list []Alignment) {
	rows := [][]string{{"system", "metric", "answer", "target", "n", "Spearman", "common n", "Spearman", "95% CI", "lift", "95% CI", "p", ""}}
	for _, a := range list {
		for _, t := range a.Targets {
			best := ""
			if a.Best != nil && *a.Best == t.Target {
				best = "best"
			}
			row := []string{a.System, a.Metric, a.Answer, t.Target, count(t.N), signed(t.Spearman), count(a.Common), signed(t.CommonSpearman), phrase.Interval(t.CommonSpearmanCI)}
			rows = append(rows, append(append(row, gapCells(t.Lift)...), best))
		}
	}
	b.section("alignment of scores with answers; lift is hit over miss", rows)
}

func (b *text) strangers(s *Strangers) {
	if s == nil {
		return
	}
	more := ""
	if n := s.N - len(s.First); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(b, "\n%d of %d answers %s no system and query of the scores and %s left out: %s%s\n",
		s.N, s.Of, english.Noun(s.N, "fits", "fit"), english.Noun(s.N, "is", "are"), phrase.Text(strings.Join(s.First, ", ")), more)
}

func (b *text) matches(list []WinnerMatch) {
	head := []string{"pair", "metric", "answer", "n", "better answers"}
	rows := [][]string{append(head, b.targets...)}
	for _, m := range list {
		row := []string{m.A + " - " + m.B, m.Metric, m.Answer, count(m.N), name(m.AnswerWinner)}
		for _, t := range b.targets {
			row = append(row, b.winner(m.Winners, t))
		}
		rows = append(rows, row)
	}
	b.section("winners by answers and by target", rows)
}

func (b *text) power(list []Power) {
	rows := [][]string{{"pair", "target", "n", "gap", "sd", "smallest", "needed for the gap"}}
	for _, p := range list {
		if p.Metric != b.metric {
			continue
		}
		needed := "-"
		if p.Needed != nil {
			needed = count(*p.Needed)
		}
		rows = append(rows, []string{p.A + " - " + p.B, p.Target, count(p.N), signed(p.Gap), phrase.Decimals(p.SD), phrase.Decimals(p.Smallest), needed})
	}
	b.section(fmt.Sprintf("smallest gap that the shared queries show, %s, level %v, power %v", b.metric, powerAlpha, powerChance), rows)
}

func (b *text) depths(list []Depth) {
	rows := [][]string{{"system", "metric", "n", "targets", "shift", "relative"}}
	for _, d := range list {
		for _, c := range d.Cuts {
			for _, s := range c.Shifts {
				relative := "-"
				if s.Relative != nil {
					relative = fmt.Sprintf("%+.1f%%", 100**s.Relative)
				}
				rows = append(rows, []string{d.System, fmt.Sprintf("%s@%d", d.Metric, c.K), count(c.N), pair(s.Targets), signed(s.Shift), relative})
			}
		}
	}
	b.section("shift by depth, on shared queries", rows)
}

func (b *text) conventions(list []Convention) {
	head := []string{"family", "metric", "convention", "n"}
	rows := [][]string{append(append(head, b.targets...), "")}
	for _, c := range list {
		n := count(c.N)
		if c.Population == "covered" {
			n = "-"
		}
		row := []string{c.Family, c.Metric, c.String(), n}
		for _, t := range b.targets {
			row = append(row, b.winner(c.Recommended, t))
		}
		verdict := "same"
		if c.Flip {
			verdict = "flip"
		}
		rows = append(rows, append(row, verdict))
	}
	b.section("recommended by convention", rows)
}

// winner is a cell: the winner under a target, if there was a comparison.
func (b *text) winner(winners map[string]*string, target string) string {
	if w, ok := winners[target]; ok {
		return name(w)
	}
	return "-"
}

func name(winner *string) string {
	if winner == nil {
		return "tie"
	}
	return *winner
}

func pair(targets [2]string) string { return targets[0] + " - " + targets[1] }

func count(n int) string { return fmt.Sprint(n) }

// signed writes a difference, "-" for none.
func signed(v *float64) string {
	if v == nil {
		return "-"
	}
	return phrase.Signed(*v)
}

func gapCells(g tiaptest.Gap) []string {
	return []string{signed(g.Value), phrase.Interval(g.CI), phrase.P(g.P)}
}
