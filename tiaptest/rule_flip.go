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
				v.add(systems, targets, a.flipText(p, f, v)+known.advice(p.A, p.B, f.Targets))
			}
		}
	}
	if compared == 0 {
		v.nothing("it needs two systems that share queries under two targets" + a.r.excludedText())
		return
	}
	looked := slices.DeleteFunc(slices.Clone(a.r.systems), func(one *scored) bool {
		return !slices.ContainsFunc(a.r.systems, func(other *scored) bool { return other != one && s.about(one.Name, other.Name) })
	})
	for _, e := range a.r.exclusions(looked) {
		v.note(e.systems, []string{e.target}, e.String())
	}
	known.report(v)
}

// exclusion is a main target that takes part in no comparison of some systems.
type exclusion struct {
	target  string
	systems []string
	why     string
}

func (e exclusion) String() string {
	var list names
	for _, s := range e.systems {
		list.add(s)
	}
	return fmt.Sprintf("%s is left out for %s: %s", e.target, list, e.why)
}

// exclusions lists what takes part in no comparison of the given systems.
func (r *results) exclusions(systems []*scored) []exclusion {
	var out []exclusion
	for t := range r.main {
		unlinked := exclusion{target: r.targets[t].name, why: "the store has no lineage for it"}
		uncovered := exclusion{target: r.targets[t].name, why: "it covers no query there"}
		for _, s := range systems {
			switch {
			case s.unavailable[t]:
				unlinked.systems = append(unlinked.systems, s.Name)
			case s.covered[t] == 0:
				uncovered.systems = append(uncovered.systems, s.Name)
			}
		}
		for _, e := range []exclusion{unlinked, uncovered} {
			if len(e.systems) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

// excludedText is a line for each exclusion, to append to a sentence.
func (r *results) excludedText() string {
	text := ""
	for _, e := range r.exclusions(r.systems) {
		text += "\n    " + e.String()
	}
	return text
}

// flipSentence says which target picks which system, and how sure that is.
func (a *Audit) flipSentence(p *Pair, f *Flip) string {
	t0, t1 := f.Targets[0], f.Targets[1]
	grade := string(f.Grade)
	if !a.r.graded() {
		grade = "not graded"
	}
	return fmt.Sprintf("winner flip on %s: %s picks %s, %s picks %s (%s: shift %s)",
		p.Metric, t0, *p.Winners[t0], t1, *p.Winners[t1], grade, f.Shift.text())
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
	fmt.Fprintf(&b, "\n    %s\n", a.gradeText(p, f))
	for _, line := range a.conventionLines(p) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	a.writeCarriers(&b, p, f, v)
	if a.r.bundle.dir != "" && f.CarriedBy > 0 {
		fmt.Fprintf(&b, "    look: %s\n", a.explainCommand(f.Carriers[0].Query))
	}
	return b.String()
}

// gradeText says what the grade of a flip means.
func (a *Audit) gradeText(p *Pair, f *Flip) string {
	first, second := p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]]
	switch {
	case !a.r.paired():
		return "not graded: a test needs the same queries in both systems"
	case !a.r.tested():
		return fmt.Sprintf("not graded: above %d systems gaps are not tested; name fewer with Systems", testedSystems)
	case f.Shift.P == nil || first.PAdj == nil || second.PAdj == nil:
		return "fragile: there are too few queries for a test"
	case f.Grade == Decisive:
		return fmt.Sprintf("decisive: both gaps are significant at %g", a.r.alpha)
	case f.Grade == Likely:
		return fmt.Sprintf("likely: the shift is significant at %g (p %s), the two gaps are not both", a.r.alpha, pValue(f.Shift.P))
	}
	return fmt.Sprintf("fragile: at %g neither the shift (p %s) nor both gaps are significant", a.r.alpha, pValue(f.Shift.P))
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
	fmt.Fprintf(b, "; %s different denominators\n", plural(p.DifferentDenominators, "has", "have"))
	if !r.paired() {
		b.WriteString("    each score is over its own covered queries: not like for like\n")
	}
	fmt.Fprintf(b, "    %s\n", a.conventionText())
	first, second := r.system(p.A), r.system(p.B)
	for _, e := range r.exclusions([]*scored{first, second}) {
		fmt.Fprintf(b, "    %s\n", e)
	}
	if n, m := len(first.ingests), len(second.ingests); n > 1 || m > 1 {
		fmt.Fprintf(b, "    means over ingests (%d of %s, %d of %s) +- standard deviation\n", n, p.A, m, p.B)
		if n == 1 || m == 1 {
			b.WriteString("    one ingest cannot tell a difference from the noise of ingesting: repeat it\n")
		}
	}
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
	text += fmt.Sprintf("depth %d, headline %s", r.depth, headline)
	if r.cluster {
		text += ", resampled by scope"
	}
	if r.minEffect > defaultMinEffect {
		text += fmt.Sprintf(", ties within %s", decimal(r.minEffect))
	}
	return text
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
	s, c := r.system(system), comparison{subset: r.pairSubset(pair, targets)}
	v, ok := r.gapSide(s, c, r.target(t.name), m)
	if !ok {
		return "-"
	}
	row := scoreRow{Value: &v}
	if per, ok := r.ingestValues(s, r.scheme(), r.target(t.name), m, c.subset); ok {
		row.SD = spread(per)
	}
	return row.text()
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
		lines = append(lines, rows[0].words[i]+": "+strings.Join(parts, ", "))
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
	fmt.Fprintf(b, "    carried by %s", plural(f.CarriedBy, "query", "queries"))
	if f.LeaveOut != nil {
		fmt.Fprintf(b, "; leaving out %d removes it", *f.LeaveOut)
	}
	if len(a.r.system(p.A).ingests) > 1 || len(a.r.system(p.B).ingests) > 1 {
		b.WriteString("; ranks are of the first ingest")
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
	text := printable(query.ID)
	if query.Text != "" {
		text += fmt.Sprintf(" %q", shorten(query.Text, 60))
	}
	var turns []string
	for _, u := range query.Evidence {
		turns = append(turns, strings.Join(u.Turns, "|"))
	}
	if len(turns) > 0 {
		text += " gold " + printable(shorten(strings.Join(turns, ", "), 60))
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
		if row.defined() < 2 {
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
		text := a.conventionFlipText(&row, sentence)
		v.add(systems, targets, text+known.advice(row.A, row.B, [2]string{row.Target, row.Target}))
	}
	switch {
	case compared > 0:
		known.report(v)
	case !a.r.tested():
		v.nothing(fmt.Sprintf("above %d systems conventions are not compared, and the audit has %d; name fewer with Systems", testedSystems, len(a.r.systems)))
	default:
		v.nothing("it needs two systems that share queries under a target" + a.r.excludedText())
	}
}

// conventionFlipText is the full message of a flip between conventions.
func (a *Audit) conventionFlipText(row *conventionRow, sentence string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n    %s, population %s\n\n", sentence, a.conventionText(), a.r.population)
	rows := [][]string{{"credit by", "uncovered units", "population", "queries", "gap " + row.A + "-" + row.B, "winner"}}
	for i, key := range row.order {
		gap, winner := "undefined", "none"
		if g := row.Gaps[key]; g != nil {
			gap = signed(*g)
		}
		if w := row.Winners[key]; w != nil {
			winner = *w
		}
		choices := strings.Split(key, "/")
		if choices[0] == string(ByMemory) {
			choices[1] = "-"
		}
		rows = append(rows, append(choices, fmt.Sprint(row.n[i]), gap, winner))
	}
	_ = table.Write(&b, "    ", rows)
	b.WriteString("\n    the first row is the audit's own; report these choices with the score\n")
	return b.String()
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

// defined counts the conventions by which there is a gap.
func (c *conventionRow) defined() int {
	n := 0
	for _, gap := range c.Gaps {
		if gap != nil {
			n++
		}
	}
	return n
}

// text says who leads, and by which convention it is another one.
func (c *conventionRow) text() string {
	own := "neither"
	if w := c.Winners[c.order[0]]; w != nil {
		own = *w
	}
	var others []string
	words := make(map[string][]string)
	for i, key := range c.order {
		w := c.Winners[key]
		if w == nil || *w == own {
			continue
		}
		if words[*w] == nil {
			others = append(others, *w)
		}
		words[*w] = append(words[*w], c.words[i])
	}
	for i, other := range others {
		others[i] += " " + words[other][0]
		if more := len(words[other]) - 1; more > 0 {
			others[i] += " and by " + plural(more, "other choice", "other choices")
		}
	}
	return own + " leads, but " + strings.Join(others, ", ")
}
