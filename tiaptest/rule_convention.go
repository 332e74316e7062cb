package tiaptest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
)

// NoConventionFlip fails when another crediting, rule for uncovered units,
// population or, for rankings that are several lists, merge rule names another
// winner than the audit's own under some target, unless that is a known finding.
func NoConventionFlip(metric Metric, opts ...RuleOption) Rule {
	return newRule("NoConventionFlip", []fmt.Stringer{metric}, opts, []string{"Between", "Above"}, func(a *Audit, v *verdicts, s ruleSettings) {
		verifyNoConventionFlip(a, v, metric, s)
	})
}

func verifyNoConventionFlip(a *Audit, v *verdicts, metric Metric, s ruleSettings) {
	if err := a.hasMetric(metric); err != nil {
		v.nothing(err.Error())
		return
	}
	known := newKnownSet(a, metric, func(f Finding) bool { return f.ofConvention() && s.about(f.A, f.B) })
	compared, alone := 0, false
	for _, row := range a.report().Conventions {
		if row.Metric != metric.String() || !s.about(row.A, row.B) {
			continue
		}
		if n := row.defined(); n < 2 {
			alone = alone || n == 1
			continue
		}
		compared++
		if !row.Flip || !row.flips(s.above) {
			continue
		}
		systems, targets := []string{row.A, row.B}, []string{row.Target}
		sentence := fmt.Sprintf("convention flip on %s under %s: %s", row.Metric, row.Target, row.text())
		if f, holds := known.of(row.asFlip()); holds {
			v.note(systems, targets, "known: "+sentence+": "+f.why())
			continue
		}
		text := a.conventionFlipText(&row, sentence)
		v.add(systems, targets, text+a.advice(row.asFlip()))
	}
	switch {
	case compared > 0:
		known.report(v)
	case !a.r.tested():
		v.nothing(fmt.Sprintf("above %d systems conventions are not compared, and the audit has %d; name fewer with Systems", testedSystems, len(a.r.systems)))
	case alone:
		v.nothing("the systems share no query, so that there is a score by one convention alone; leave a system or target out with Systems or Targets, or leave this rule out")
	default:
		v.nothing(a.r.unpaired(1, "two systems that share queries under a target"))
	}
}

// conventionFlipText is the full message of a flip between conventions.
func (a *Audit) conventionFlipText(row *conventionRow, sentence string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n    %s, population %s\n\n", sentence, a.conventionText(), a.r.population)
	rows := [][]string{{"credit by", "uncovered units", "population", "queries", "gap " + row.A + "-" + row.B, "winner"}}
	lists := a.r.hasLists()
	if lists {
		rows[0] = slices.Insert(rows[0], 3, "lists by")
	}
	for _, o := range row.outcomes {
		uncovered, gap, winner := o.uncovered(), "undefined", "none"
		if o.credit() == ByMemory {
			uncovered = "-"
		}
		if o.gap != nil {
			gap = phrase.Signed(*o.gap)
		}
		if o.winner != nil {
			winner = *o.winner
		}
		cells := []string{string(o.credit()), uncovered, o.population}
		if lists {
			cells = append(cells, cmp.Or(o.merge, a.r.merge))
		}
		rows = append(rows, append(cells, fmt.Sprint(o.n), gap, winner))
	}
	_ = table.Write(&b, "    ", rows)
	b.WriteString("\n    the first row is the audit's own; report these choices with the score\n")
	return b.String()
}

// asFlip is a flip between conventions as a known finding has it: of one target.
func (c *conventionRow) asFlip() *Flip {
	return &Flip{A: c.A, B: c.B, Metric: c.Metric, Targets: [2]string{c.Target, c.Target}, Verdict: verdictFlip}
}

// defined counts the conventions by which there is a gap.
func (c *conventionRow) defined() int {
	n := 0
	for _, o := range c.outcomes {
		if o.gap != nil {
			n++
		}
	}
	return n
}
