package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/table"
)

// NoWinnerFlip fails when two systems have different winners under two targets,
// on the same rankings and the same queries, unless that is a known finding.
func NoWinnerFlip(metric Metric, opts ...RuleOption) Rule {
	return newRule("NoWinnerFlip", []fmt.Stringer{metric}, opts, []string{"From", "Between", "Above"}, func(a *Audit, v *verdicts, s ruleSettings) {
		verifyNoWinnerFlip(a, v, metric, s)
	})
}

func verifyNoWinnerFlip(a *Audit, v *verdicts, metric Metric, s ruleSettings) {
	if err := a.hasMetric(metric); err != nil {
		v.nothing(err.Error())
		return
	}
	if s.from != Fragile && !a.r.graded() {
		v.nothing(fmt.Sprintf("no flip is graded here, so none could be %s: tests need at most %d systems, scored on the same queries", s.from, testedSystems))
		return
	}
	known := newKnownSet(a, metric, func(f Finding) bool { return !f.ofConvention() && s.about(f.A, f.B) })
	compared := 0
	for i := range a.report.Pairs {
		p := &a.report.Pairs[i]
		if p.Metric != metric.String() || p.Beside != "" || !s.about(p.A, p.B) {
			continue
		}
		compared += len(p.Flips)
		for j := range p.Flips {
			f := &p.Flips[j]
			if f.Verdict != verdictFlip {
				continue
			}
			systems, targets := []string{p.A, p.B}, f.Targets[:]
			reason, accepted := known.accepts(p.A, p.B, f.Targets)
			switch {
			case accepted:
				v.note(systems, targets, "known: "+a.flipSentence(p, f)+": "+reason)
			case s.matters(f.Grade, p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]]):
				v.add(systems, targets, a.flipText(p, f, v))
			}
		}
	}
	if compared == 0 {
		v.nothing("it needs two systems that share queries under two targets")
	}
	known.report(v)
}

// flipSentence says which target picks which system, and how sure that is.
func (a *Audit) flipSentence(p *Pair, f *Flip) string {
	t0, t1 := f.Targets[0], f.Targets[1]
	return fmt.Sprintf("winner flip on %s: %s picks %s, %s picks %s (%s: shift %s)",
		p.Metric, t0, *p.Winners[t0], t1, *p.Winners[t1], f.Grade, f.Shift.text())
}

// text writes a gap as value [lower, upper].
func (g Gap) text() string {
	if g.Value == nil {
		return "undefined"
	}
	s := signed(*g.Value)
	if g.CI != nil {
		s += " " + interval(g.CI)
	}
	return s
}

func signed(x float64) string { return fmt.Sprintf("%+.4f", x) }

func interval(ci []float64) string {
	if ci == nil {
		return "-"
	}
	return fmt.Sprintf("[%+.4f, %+.4f]", ci[0], ci[1])
}

// flipText is the full message of a flip.
func (a *Audit) flipText(p *Pair, f *Flip, v *verdicts) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.flipSentence(p, f))
	a.writeBasis(&b, p)
	b.WriteByte('\n')
	a.writeGaps(&b, p)
	b.WriteByte('\n')
	for _, line := range a.conventionLines(p) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	a.writeCarriers(&b, p, f, v)
	if a.r.bundle.dir != "" {
		if f.CarriedBy > 0 {
			fmt.Fprintf(&b, "    look: %s\n", a.explainCommand(f.Carriers[0].Query))
		}
		fmt.Fprintf(&b, "    if this is known: add it to %s with a reason:\n", a.file("accepted.json"))
		fmt.Fprintf(&b, "        {\"a\": %q, \"b\": %q, \"metric\": %q, \"targets\": [%q, %q], \"reason\": \"...\"}\n", p.A, p.B, p.Metric, f.Targets[0], f.Targets[1])
	} else {
		fmt.Fprintf(&b, "    if this is known: state it with tiaptest.Known and a reason\n")
	}
	return b.String()
}

// explainCommand explains a query under the audit's own depth.
func (a *Audit) explainCommand(query string) string {
	command := "go tool tiaptest explain " + shellWord(a.r.bundle.dir) + " -query " + shellWord(query)
	if a.r.depth != 60 {
		command += fmt.Sprintf(" -k %d", a.r.depth)
	}
	return command
}

// shellWord quotes a word unless a shell reads it as it stands.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:+@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// writeBasis says on which queries and by which conventions a pair is compared.
func (a *Audit) writeBasis(b *strings.Builder, p *Pair) {
	r := a.r
	fmt.Fprintf(b, "    %s: %d of %d queries", populationName(p.Subset), p.N, len(r.queries))
	if p.Subset == overShared {
		for _, s := range []string{p.A, p.B} {
			other := p.A
			if s == p.A {
				other = p.B
			}
			if n := len(r.subset(overShared, []*scored{r.system(other)}, r.mainTargets())) - p.N; n > 0 {
				fmt.Fprintf(b, "; %s costs %d", s, n)
			}
		}
	}
	fmt.Fprintf(b, "; %d have different denominators\n", p.DifferentDenominators)
	fmt.Fprintf(b, "    %s\n", a.conventionText())
}

func populationName(subset string) string {
	if subset == overShared {
		return "shared subset"
	}
	return "population " + subset
}

// conventionText names the conventions that every number of the audit stands
// under.
func (a *Audit) conventionText() string {
	r := a.r
	headline := r.headline
	if headline == "" {
		headline = "undeclared"
	}
	text := fmt.Sprintf("credit by %s, ", r.credit)
	if r.credit == ByEvidence {
		text += fmt.Sprintf("uncovered units %s, ", r.uncovered)
	}
	return text + fmt.Sprintf("depth %d, headline %s", r.depth, headline)
}

// writeGaps writes the scores and gaps of a pair under each target.
func (a *Audit) writeGaps(b *strings.Builder, p *Pair) {
	rows := [][]string{{"target", p.A, p.B, "gap " + p.A + "-" + p.B, fmt.Sprintf("%g%% CI", 100*(1-a.r.alpha)), "p adj"}}
	for _, t := range a.r.targets {
		g, ok := p.Gaps[t.name]
		if !ok || g.Value == nil {
			continue
		}
		rows = append(rows, []string{t.name, a.pairScore(p, p.A, t), a.pairScore(p, p.B, t), signed(*g.Value), interval(g.CI), pValue(g.PAdj)})
	}
	_ = table.Write(b, "    ", rows)
}

func pValue(p *float64) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%.2g", *p)
}

// pairScore is a system's score over the queries of a pair.
func (a *Audit) pairScore(p *Pair, system string, t Target) string {
	r := a.r
	pair := []*scored{r.system(p.A), r.system(p.B)}
	targets := comparable(pair, r.mainTargets())
	if p.Beside != "" {
		targets = comparable(pair, []int{r.target(r.headline), r.target(p.Beside)})
	}
	m := slices.Index(texts(r.metrics), p.Metric)
	v, ok := r.gapSide(r.system(system), comparison{subset: r.pairSubset(pair, targets)}, r.target(t.name), m)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.4f", v)
}

// conventionLines say who leads by the other conventions, where that differs
// from the audit's own.
func (a *Audit) conventionLines(p *Pair) []string {
	var lines []string
	rows := a.conventionRows(p)
	if len(rows) == 0 {
		return nil
	}
	for i, key := range rows[0].order {
		if i == 0 {
			continue
		}
		leads := make(map[string][]string)
		var leaders []string
		differs := false
		for _, row := range rows {
			leader := "neither"
			if w := row.Winners[key]; w != nil {
				leader = *w
			}
			own := "neither"
			if w := row.Winners[row.order[0]]; w != nil {
				own = *w
			}
			differs = differs || own != leader
			if leads[leader] == nil {
				leaders = append(leaders, leader)
			}
			leads[leader] = append(leads[leader], row.Target)
		}
		if !differs {
			continue
		}
		var parts []string
		for _, l := range leaders {
			under := "under " + strings.Join(leads[l], " and ")
			if len(leaders) == 1 {
				under = "under every target"
			}
			parts = append(parts, l+" leads "+under)
		}
		lines = append(lines, rows[0].words[i]+" "+strings.Join(parts, ", "))
	}
	return lines
}

func (a *Audit) conventionRows(p *Pair) []conventionRow {
	var out []conventionRow
	for _, row := range a.report.Conventions {
		if row.A == p.A && row.B == p.B && row.Metric == p.Metric {
			out = append(out, row)
		}
	}
	return out
}

// shownCarriers is how many carriers a message names.
const shownCarriers = 3

func (a *Audit) writeCarriers(b *strings.Builder, p *Pair, f *Flip, v *verdicts) {
	if f.CarriedBy == 0 {
		return
	}
	fmt.Fprintf(b, "    carried by %d queries", f.CarriedBy)
	if f.LeaveOut != nil {
		fmt.Fprintf(b, "; leaving out %d removes it", *f.LeaveOut)
	}
	b.WriteString(":\n")
	shown := v.shown(len(f.Carriers), shownCarriers)
	for _, c := range f.Carriers[:shown] {
		fmt.Fprintf(b, "        %s\n", a.carrierText(p, f, c))
	}
	if n := f.CarriedBy - shown; n > 0 {
		fmt.Fprintf(b, "        and %d more\n", n)
	}
}

// carrierText shows a query with its gold turns and where each system has its
// first credit under the two targets.
func (a *Audit) carrierText(p *Pair, f *Flip, c Carrier) string {
	r := a.r
	q := r.query(c.Query)
	text := r.queryText(q)
	var places []string
	for _, name := range []string{p.A, p.B} {
		s := r.system(name)
		var at []string
		for _, t := range f.Targets {
			rank := "none"
			if n := r.firstCredit(s, r.target(t), q); n > 0 {
				rank = fmt.Sprintf("rank %d", n)
			}
			at = append(at, t+" "+rank)
		}
		places = append(places, name+" "+strings.Join(at, ", "))
	}
	return text + ": " + strings.Join(places, "; ")
}

// queryText names a query with its text and gold turns.
func (r *results) queryText(q int) string {
	query := &r.queries[q]
	text := query.ID
	if query.Text != "" {
		text += fmt.Sprintf(" %q", shorten(query.Text, 60))
	}
	var turns []string
	for _, u := range query.Evidence {
		turns = append(turns, strings.Join(u.Turns, "|"))
	}
	if len(turns) > 0 {
		text += " gold " + shorten(strings.Join(turns, ", "), 60)
	}
	return text
}

// firstCredit is the rank of the first credit of a query in the system's first
// ingest, 0 for none.
func (r *results) firstCredit(s *scored, t, q int) int {
	in := s.compiled.ingests[0]
	w := scorer{frame: r.frame, in: in, slot: make([]int32, in.Run.ids.Len())}
	hits := w.result(r.scheme(), q, t).Hits
	for _, h := range hits {
		if h.Items > 0 {
			return int(h.Rank)
		}
	}
	return 0
}

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-3]) + "..."
}

// NoConventionFlip fails when another crediting, rule for uncovered units or
// population names another winner than the audit's own under some target,
// unless that is a known finding.
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
	compared := 0
	for _, row := range a.report.Conventions {
		if row.Metric != metric.String() || !s.about(row.A, row.B) {
			continue
		}
		compared++
		if !row.Flip || !row.flipsBeyond(s.above) {
			continue
		}
		systems, targets := []string{row.A, row.B}, []string{row.Target}
		sentence := fmt.Sprintf("convention flip on %s under %s: %s", row.Metric, row.Target, row.text())
		if reason, ok := known.accepts(row.A, row.B, [2]string{row.Target, row.Target}); ok {
			v.note(systems, targets, "known: "+sentence+": "+reason)
			continue
		}
		text := sentence + "\n\n"
		var b strings.Builder
		rows := [][]string{{"convention", "gap " + row.A + "-" + row.B, "winner"}}
		for _, key := range row.order {
			gap, winner := "undefined", "none"
			if g := row.Gaps[key]; g != nil {
				gap = signed(*g)
			}
			if w := row.Winners[key]; w != nil {
				winner = *w
			}
			rows = append(rows, []string{key, gap, winner})
		}
		_ = table.Write(&b, "    ", rows)
		text += b.String() + "\n    report the conventions with the score; the audit's own stands first\n"
		if a.r.bundle.dir != "" {
			text += fmt.Sprintf("    if this is known: add it to %s with a reason:\n        {\"a\": %q, \"b\": %q, \"metric\": %q, \"targets\": [%q], \"reason\": \"...\"}\n",
				a.file("accepted.json"), row.A, row.B, row.Metric, row.Target)
		}
		v.add(systems, targets, text)
	}
	if compared == 0 {
		v.nothing("it needs two systems that share queries under a target")
	}
	known.report(v)
}

// flipsBeyond reports whether two conventions lead by more than a gap to
// different sides.
func (c *conventionRow) flipsBeyond(above float64) bool {
	lead := 0
	for _, gap := range c.Gaps {
		if gap == nil {
			continue
		}
		switch s := sign(*gap, above); {
		case s == 0:
		case lead == 0:
			lead = s
		case s != lead:
			return true
		}
	}
	return false
}

// text says who leads, and by which conventions it is another one.
func (c *conventionRow) text() string {
	own := "neither"
	if w := c.Winners[c.order[0]]; w != nil {
		own = *w
	}
	var others []string
	for i, key := range c.order {
		if w := c.Winners[key]; w != nil && *w != own {
			others = append(others, *w+" "+c.words[i])
		}
	}
	return own + " leads, but " + strings.Join(others, ", ")
}
