package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
)

// flipSentence says which target picks which system, and how sure that is.
func (a *Audit) flipSentence(p *Pair, f *Flip) string {
	t0, t1 := f.Targets[0], f.Targets[1]
	grade := string(f.Grade)
	if grade == "" {
		grade = "not graded"
	}
	if bare := a.r.bare([2]string{p.A, p.B}, f.Targets); bare != "" {
		grade += ", " + bare
	}
	return fmt.Sprintf("winner flip on %s: %s picks %s, %s picks %s (%s: shift %s)",
		p.Metric, t0, *p.Winners[t0], t1, *p.Winners[t1], grade, f.Shift.text())
}

// flipText is the full message of a flip.
func (a *Audit) flipText(p *Pair, f *Flip, full bool) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.flipSentence(p, f))
	a.writeBasis(&b, p)
	b.WriteByte('\n')
	a.writeGaps(&b, p, "target")
	fmt.Fprintf(&b, "\n    %s\n", a.gradeText(p, f, f.Shift))
	for _, line := range a.conventionLines(p) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	a.writeCarriers(&b, p, f, "", full)
	return b.String()
}

// gradeText says what the grade of a flip means, with the p values of shifts: its own,
// and those of others of its grade that are told with it.
func (a *Audit) gradeText(p *Pair, f *Flip, shifts ...Gap) string {
	first, second := p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]]
	switch {
	case !a.r.paired():
		return "not graded: a test needs the same queries in both systems"
	case !a.r.tested():
		return fmt.Sprintf("not graded: above %d systems gaps are not tested; name fewer with Systems", testedSystems)
	case f.Grade == "":
		return "not graded: " + a.r.bare([2]string{p.A, p.B}, f.Targets) + ", so that more labels can change the winner"
	case f.Shift.P == nil || first.PAdj == nil || second.PAdj == nil:
		return "fragile: there are too few queries for a test"
	}
	switch f.Grade {
	case Decisive:
		return fmt.Sprintf("decisive: both gaps are significant at %g", a.r.alpha)
	case Likely:
		return fmt.Sprintf("likely: the shift is significant at %g (p %s), the two gaps are not both", a.r.alpha, pRange(shifts))
	}
	return fmt.Sprintf("fragile: at %g neither the shift (p %s) nor both gaps are significant", a.r.alpha, pRange(shifts))
}

// pRange is the p value of gaps, or the least and the greatest. One without any is left
// out; "-" stands for none.
func pRange(gaps []Gap) string {
	var ps []float64
	for _, g := range gaps {
		if g.P != nil {
			ps = append(ps, *g.P)
		}
	}
	if len(ps) == 0 {
		return phrase.P(nil)
	}
	least, greatest := slices.Min(ps), slices.Max(ps)
	text := phrase.P(&least)
	if last := phrase.P(&greatest); last != text {
		text += " to " + last
	}
	return text
}

// writeBasis says on which queries and by which conventions a pair is compared.
func (a *Audit) writeBasis(b *strings.Builder, p *Pair) {
	r := a.r
	fmt.Fprintf(b, "    %s: %d of %s", populationName(p.Subset), p.N, english.Count(len(r.queries), "query", "queries"))
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
	fmt.Fprintf(b, "; %s different denominators\n", english.Count(p.DifferentDenominators, "has", "have"))
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
	if len(r.categories) > 0 {
		text += ", " + phrase.Categories(r.categories)
	}
	if r.cluster {
		text += ", resampled by scope"
	}
	if r.minEffect > auditjson.Defaults().MinEffect {
		text += fmt.Sprintf(", ties within %s", decimal(r.minEffect))
	}
	return text
}

// writeGaps writes the scores and gaps of a pair under each target, below a head.
func (a *Audit) writeGaps(b *strings.Builder, p *Pair, head string) {
	rows := [][]string{{head, p.A, p.B, "gap " + p.A + "-" + p.B, phrase.Level(a.r.alpha) + " CI", "p adj"}}
	for _, t := range a.r.targets {
		g, ok := p.Gaps[t.name]
		if !ok || g.Value == nil {
			continue
		}
		rows = append(rows, []string{t.name, a.pairScore(p, p.A, t), a.pairScore(p, p.B, t), phrase.Signed(*g.Value), phrase.Interval(g.CI), phrase.P(g.PAdj)})
	}
	_ = table.Write(b, "    ", rows)
}

// pairScore is a system's score over the queries of a pair.
func (a *Audit) pairScore(p *Pair, system string, t Target) string {
	r := a.r
	pair := []*scored{r.system(p.A), r.system(p.B)}
	targets := comparableTargets(pair, r.mainTargets())
	if p.Beside != "" {
		targets = comparableTargets(pair, []int{r.target(r.headline), r.target(p.Beside)})
	}
	m := slices.Index(texts(r.metrics), p.Metric)
	s, subset := r.system(system), r.pairSubset(pair, targets)
	v, ok := r.gapSide(s, subset, r.target(t.name), m)
	if !ok {
		return "-"
	}
	row := scoreRow{Value: &v}
	if per, ok := r.ingestValues(s, r.scheme(), r.target(t.name), m, subset); ok {
		row.SD = spread(per)
	}
	return scoreText(row)
}

// conventionLines say who leads by the other conventions, where that differs
// from the audit's own.
func (a *Audit) conventionLines(p *Pair) []string {
	var lines []string
	rows := a.conventionRows(p)
	if len(rows) == 0 {
		return nil
	}
	for i := 1; i < len(rows[0].outcomes); i++ {
		leads := make(map[string][]string)
		var leaders []string
		differs := false
		for _, row := range rows {
			leader := row.outcomes[i].leader()
			differs = differs || leader != row.outcomes[0].leader()
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
		lines = append(lines, rows[0].outcomes[i].differs+": "+strings.Join(parts, ", "))
	}
	return lines
}

func (a *Audit) conventionRows(p *Pair) []conventionRow {
	var out []conventionRow
	for _, row := range a.report().Conventions {
		if row.A == p.A && row.B == p.B && row.Metric == p.Metric {
			out = append(out, row)
		}
	}
	return out
}

// inReport says where all is that a message leaves out.
const inReport = "in the JSON report"

// writeCarriers names the queries that carry a flip, and the command that explains the
// first. which says which flip of several it is.
func (a *Audit) writeCarriers(b *strings.Builder, p *Pair, f *Flip, which string, full bool) {
	if f.CarriedBy == 0 {
		return
	}
	fmt.Fprintf(b, "    %scarried by %s", which, english.Count(f.CarriedBy, "query", "queries"))
	if f.LeaveOut != nil {
		fmt.Fprintf(b, "; leaving out %d removes it", *f.LeaveOut)
	}
	if len(a.r.system(p.A).ingests) > 1 || len(a.r.system(p.B).ingests) > 1 {
		b.WriteString("; ranks are of the first ingest")
	}
	b.WriteString(":\n")
	shown := min(phrase.Shown(full), len(f.Carriers))
	for _, c := range f.Carriers[:shown] {
		fmt.Fprintf(b, "        %s\n", a.carrierText(p, f, c))
	}
	switch n := f.CarriedBy - shown; {
	case n > 0 && f.CarriedBy > len(f.Carriers):
		fmt.Fprintf(b, "        and %d more, the first %d %s\n", n, len(f.Carriers), inReport)
	case n > 0:
		fmt.Fprintf(b, "        and %d more, %s\n", n, inReport)
	}
	if look := a.ExplainCommand(f.Carriers[0].Query); look != "" {
		fmt.Fprintf(b, "    look: %s\n", look)
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
			if n, form := r.firstCredit(s, r.target(t), q); n > 0 {
				rank = fmt.Sprintf("rank %d", n)
				if form != "" && form != t {
					rank += " (" + form + ")"
				}
			}
			at = append(at, t+" "+rank)
		}
		places = append(places, name+" "+strings.Join(at, ", "))
	}
	return text + ": " + strings.Join(places, "; ")
}

// queryText names a query with its text and gold turns.
func (r *results) queryText(q int) string {
	query := r.queries[q]
	return phrase.Query(query.ID, query.Text, query.Evidence, func(u Unit) []string { return u.Turns })
}

// firstCredit is the rank of the first credit of a query in the system's first
// ingest, 0 for none, and the form of the memory that earns it, where the store says.
func (r *results) firstCredit(s *scored, t, q int) (at int, form string) {
	in := s.compiled.ingests[0]
	for _, h := range r.newScorer(in).result(r.scheme(), q, t).Hits {
		if h.Items == 0 {
			continue
		}
		if in.store != nil {
			id := in.Run.ids.String(in.ranked(in.rowOf[q])[h.Rank-1])
			if m, ok := in.store.memory(id); ok {
				form = printable(in.Memories[m].Form)
			}
		}
		return int(h.Rank), form
	}
	return 0, ""
}
