package tiaptest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
)

// WriteTable writes the audit as aligned plain text: scores with their target
// and n, winners and flips, conventions, recommendations and diagnostics. Flips that
// are known findings are marked as such.
//
// Lists that grow with the pairs of systems are cut: the pairs, the winner flips, the
// flips between conventions and the recommendations are written up to 60 rows each. A
// longer list has flips that are not known first, then those that are, by grade and by
// shift; below it stands how many rows are left out and how many of them flip. Costs of
// the shared subset and orders of targets name up to 10 systems. All is in the JSON
// report, and [Systems] keeps fewer systems.
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
	costs := a.costs()
	for _, c := range costs[:min(mostSystems, len(costs))] {
		fmt.Fprintf(b, "; %s costs %d", c.system, c.n)
	}
	b.WriteString(moreSystems(len(costs) - mostSystems))
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
	var flips []*Flip
	var pairs []*Pair
	of := make(map[*Flip]*Pair)
	for i := range a.report().Pairs {
		p := &a.report().Pairs[i]
		pairs = append(pairs, p)
		for j := range p.Flips {
			if f := &p.Flips[j]; f.Verdict == verdictFlip {
				flips, of[f] = append(flips, f), p
			}
		}
	}
	shown, left := foremost(pairs, mostRows, a.pairWeight)
	for _, p := range shown {
		row := []string{p.A + " - " + p.B, p.Metric, fmt.Sprint(p.N)}
		for _, t := range a.r.targets {
			row = append(row, p.winnerText(t.name))
		}
		rows = append(rows, append(row, a.verdict(p)))
	}
	b.WriteString("\nwinners by target, with the gap\n")
	_ = table.Write(b, "    ", rows)
	writeLeft(b, left, a.pairWeight)
	shownFlips, leftFlips := foremost(flips, mostRows, a.weight)
	for _, f := range shownFlips {
		fmt.Fprintf(b, "%s%s\n", a.flipSentence(of[f], f), a.knownText(f))
	}
	if n := len(leftFlips); n > 0 {
		fmt.Fprintf(b, "and %s (%s%s)%s\n", english.Count(n, "more winner flip", "more winner flips"), grades(leftFlips), phrase.Known(a.countKnown(leftFlips), n), whereAll)
	}
}

// whereAll says where all is that the table leaves out.
const whereAll = "; the JSON report has all (-json), and -systems compares fewer systems"

// writeLeft says how many rows of a table are left out, and how many of them flip.
func writeLeft[T any](b *strings.Builder, left []T, weight func(T) float64) {
	if len(left) == 0 {
		return
	}
	flips := "none"
	if n := len(slices.DeleteFunc(slices.Clone(left), func(row T) bool { return weight(row) == 0 })); n > 0 {
		flips = fmt.Sprint(n)
	}
	fmt.Fprintf(b, "    and %s, %s of them with a flip%s\n", english.Count(len(left), "more row", "more rows"), flips, whereAll)
}

// moreSystems counts the systems beyond those that are listed.
func moreSystems(n int) string {
	if n <= 0 {
		return ""
	}
	return "; and " + english.Count(n, "more system", "more systems")
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
	var flips []*Flip
	for i := range p.Flips {
		switch f := &p.Flips[i]; f.Verdict {
		case verdictFlip:
			flips = append(flips, f)
			if f.Grade.rank() > strongest.rank() {
				strongest = f.Grade
			}
		case verdictTie:
			worst = verdictTie
		}
	}
	switch {
	case len(flips) > 0:
		return fmt.Sprintf("flip (%s)", cmp.Or(string(strongest), "not graded")) + phrase.Known(a.countKnown(flips), len(flips))
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
	var flips []*conventionRow
	for i := range a.report().Conventions {
		if row := &a.report().Conventions[i]; row.Flip {
			flips = append(flips, row)
		}
	}
	if len(flips) == 0 {
		return
	}
	b.WriteString("\nwinners that depend on a convention\n")
	shown, left := foremost(flips, mostRows, func(row *conventionRow) float64 { return a.weight(row.asFlip()) })
	for _, row := range shown {
		fmt.Fprintf(b, "    %s - %s, %s under %s: %s%s\n", row.A, row.B, row.Metric, row.Target, row.text(), a.knownText(row.asFlip()))
	}
	if n := len(left); n > 0 {
		var of []*Flip
		for _, row := range left {
			of = append(of, row.asFlip())
		}
		fmt.Fprintf(b, "    and %d more%s%s\n", n, phrase.Known(a.countKnown(of), n), whereAll)
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
	known := func(rec *Recommendation) bool {
		_, unknown := a.knownPicks(rec)
		return rec.Flip && unknown == nil
	}
	weight := func(rec *Recommendation) float64 {
		switch {
		case !rec.Flip:
			return 0
		case known(rec):
			return 1
		}
		return 2
	}
	var all []*Recommendation
	for i := range a.report().Recommendations {
		all = append(all, &a.report().Recommendations[i])
	}
	shown, left := foremost(all, mostRows, weight)
	for _, rec := range shown {
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
		if known(rec) {
			verdict += phrase.Known(1, 1)
		}
		rows = append(rows, append(row, verdict))
	}
	_ = table.Write(b, "    ", rows)
	writeLeft(b, left, weight)
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
		orders := auditjson.CommonTargets(byMetric[m.String()])
		if !slices.ContainsFunc(orders, func(o targetOrder) bool { return !slices.Equal(o.Order, orders[0].Order) }) {
			continue
		}
		said := make(map[string]bool)
		shown, left := foremost(orders, mostSystems, func(o targetOrder) float64 { // each order once, then the others
			order := strings.Join(o.Order, " > ")
			if said[order] {
				return 0
			}
			said[order] = true
			return 1
		})
		parts := make([]string, len(shown))
		for i, o := range shown {
			parts[i] = o.System + " " + strings.Join(o.Order, " > ")
		}
		fmt.Fprintf(b, "%starget order differs on %s: %s%s\n", before, m, strings.Join(parts, "; "), moreSystems(len(left)))
		before = ""
	}
}
