package tiaptest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
)

// WriteTable writes the audit as aligned plain text: scores with their target
// and n, winners and flips, conventions, recommendations and diagnostics. Flips that
// are known findings are marked as such.
func (a *Audit) WriteTable(w io.Writer) error {
	var b strings.Builder
	a.writeHead(&b)
	a.writeScores(&b)
	a.writeWinners(&b)
	a.writeConventions(&b)
	a.writeRecommendations(&b)
	a.writeTargetOrders(&b)
	a.writeStale(&b)
	if len(a.report().Diagnostics) > 0 {
		b.WriteString("\nnoticed\n")
		for _, d := range a.report().Diagnostics {
			fmt.Fprintf(&b, "    %s\n", d)
		}
	}
	_, err := io.WriteString(w, harmless.Guard(b.String()))
	return err
}

func (a *Audit) writeHead(b *strings.Builder) {
	info := a.report().Scenario
	name := info.Name
	if name == "" {
		name = "unnamed scenario"
	}
	fmt.Fprintf(b, "%s: %s", printable(name), english.Count(info.Queries, "query", "queries"))
	if info.Unscorable > 0 {
		fmt.Fprintf(b, ", %d of them unscorable", info.Unscorable)
	}
	fmt.Fprintf(b, "\n%s, population %s\n", a.conventionText(), a.r.population)
	fmt.Fprintf(b, "shared subset: %d of %s", a.report().Shared.N, english.Count(len(a.r.queries), "query", "queries"))
	for _, c := range a.costs() {
		fmt.Fprintf(b, "; %s costs %d", c.system, c.n)
	}
	b.WriteString("\n")
}

func (a *Audit) writeScores(b *strings.Builder) {
	head := []string{"system", "target", "covered", "n"}
	for _, m := range a.r.metrics {
		head = append(head, m.String())
	}
	rows := [][]string{head}
	noise := false
	for _, s := range a.r.systems {
		for t, target := range a.r.targets {
			coverage := fmt.Sprint(s.covered[t])
			if s.unavailable(t) {
				coverage = "unavailable"
			}
			row := []string{s.Name, target.name, coverage, ""}
			for _, m := range a.r.metrics {
				score, _ := a.row(s.Name, target, m)
				row[3] = fmt.Sprint(score.N)
				row = append(row, scoreText(score))
				noise = noise || score.SD != nil
			}
			rows = append(rows, row)
		}
	}
	b.WriteString("\n")
	_ = table.Write(b, "", rows)
	if noise {
		b.WriteString("+- is the standard deviation over ingests, the noise of re-ingesting\n")
	}
}

// scoreText is a score with its noise.
func scoreText(s scoreRow) string {
	switch {
	case s.Value == nil:
		return "-"
	case s.SD != nil:
		return fmt.Sprintf("%.4f+-%.4f", *s.Value, *s.SD)
	}
	return fmt.Sprintf("%.4f", *s.Value)
}

// writeWinners writes a row for each pair and metric, and the flips under it.
func (a *Audit) writeWinners(b *strings.Builder) {
	if len(a.report().Pairs) == 0 {
		return
	}
	head := []string{"pair", "metric", "n"}
	for _, t := range a.r.targets {
		head = append(head, t.name)
	}
	rows := [][]string{append(head, "verdict")}
	var flips []string
	for i := range a.report().Pairs {
		p := &a.report().Pairs[i]
		row := []string{p.A + " - " + p.B, p.Metric, fmt.Sprint(p.N)}
		for _, t := range a.r.targets {
			row = append(row, p.winnerText(t.name))
		}
		rows = append(rows, append(row, a.verdict(p)))
		for j := range p.Flips {
			if p.Flips[j].Verdict == verdictFlip {
				flips = append(flips, a.flipSentence(p, &p.Flips[j])+a.knownText(&p.Flips[j]))
			}
		}
	}
	b.WriteString("\nwinners by target, with the gap\n")
	_ = table.Write(b, "    ", rows)
	for _, f := range flips {
		fmt.Fprintf(b, "%s\n", f)
	}
}

func (p *Pair) winnerText(target string) string {
	g, ok := p.Gaps[target]
	switch {
	case !ok || g.Value == nil:
		return "-"
	case p.Winners[target] == nil:
		return "tie"
	}
	return *p.Winners[target] + " " + phrase.Signed(*g.Value)
}

// verdict sums up a pair: the strongest grade of its flips, and how many of them are
// known, or what it is else.
func (a *Audit) verdict(p *Pair) string {
	worst := verdictSame
	var strongest Grade
	flips, known := 0, 0
	for i := range p.Flips {
		switch f := &p.Flips[i]; f.Verdict {
		case verdictFlip:
			flips++
			if _, ok := a.accepts(f); ok {
				known++
			}
			if f.Grade.rank() > strongest.rank() {
				strongest = f.Grade
			}
		case verdictTie:
			worst = verdictTie
		}
	}
	switch {
	case flips > 0:
		return fmt.Sprintf("flip (%s)", cmp.Or(string(strongest), "not graded")) + phrase.Known(known, flips)
	case len(p.Flips) == 0:
		return "-"
	}
	return worst
}

// knownText is what [Audit.Known] says, behind a sentence about a flip.
func (a *Audit) knownText(f *Flip) string {
	text, _ := a.Known(*f)
	if text == "" {
		return ""
	}
	return "; " + text
}

func (a *Audit) writeConventions(b *strings.Builder) {
	var flips []string
	for _, row := range a.report().Conventions {
		if row.Flip {
			flips = append(flips, fmt.Sprintf("%s - %s, %s under %s: %s", row.A, row.B, row.Metric, row.Target, row.text())+a.knownText(row.asFlip()))
		}
	}
	if len(flips) > 0 {
		b.WriteString("\nwinners that depend on a convention\n")
		for _, f := range flips {
			fmt.Fprintf(b, "    %s\n", f)
		}
	}
}

func (a *Audit) writeRecommendations(b *strings.Builder) {
	if len(a.report().Recommendations) == 0 {
		return
	}
	b.WriteString("\nrecommended by family\n")
	head := []string{"family", "metric", "n"}
	for _, t := range a.r.targets[:a.r.main] {
		head = append(head, t.name)
	}
	rows := [][]string{append(head, "verdict")}
	for _, rec := range a.report().Recommendations {
		row := []string{rec.Family, rec.Metric, fmt.Sprint(rec.N)}
		for _, t := range a.r.targets[:a.r.main] {
			w, ok := rec.Winners[t.name]
			switch {
			case w != nil:
				row = append(row, *w)
			case !ok || rec.N == 0:
				row = append(row, "-")
			default:
				row = append(row, "tie")
			}
		}
		verdict := rec.verdict()
		if _, unknown := a.knownPicks(&rec); rec.Flip && unknown == nil {
			verdict += phrase.Known(1, 1)
		}
		rows = append(rows, append(row, verdict))
	}
	_ = table.Write(b, "    ", rows)
}

// writeTargetOrders writes the orders of the metrics by which systems differ, of the
// targets that all of them have, as in [StableTargetOrder].
func (a *Audit) writeTargetOrders(b *strings.Builder) {
	byMetric := make(map[string][]targetOrder)
	for _, o := range a.report().TargetOrders {
		byMetric[o.Metric] = append(byMetric[o.Metric], o)
	}
	before := "\n"
	for _, m := range a.r.metrics {
		orders := commonTargets(byMetric[m.String()])
		if !slices.ContainsFunc(orders, func(o targetOrder) bool { return !slices.Equal(o.Order, orders[0].Order) }) {
			continue
		}
		parts := make([]string, len(orders))
		for i, o := range orders {
			parts[i] = o.System + " " + strings.Join(o.Order, " > ")
		}
		fmt.Fprintf(b, "%starget order differs on %s: %s\n", before, m, strings.Join(parts, "; "))
		before = ""
	}
}
