package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/rank"
	"github.com/tiaptest/tiap/internal/table"
)

// Explain says in text how a query is scored: its gold turns; each system's
// ranking with form, links and gain per target; and for every evidence unit
// without credit the cause: not stored, stored but not as the target credits it,
// stored and not retrieved, below the depth, or no lineage. Of a system with
// repeats it explains the first ingest.
func (a *Audit) Explain(query string) (string, error) {
	r := a.r
	q := r.query(query)
	if q < 0 {
		for i := range r.bundle.Scenario.Queries {
			switch other := &r.bundle.Scenario.Queries[i]; {
			case other.ID != query:
			case len(r.categories) > 0 && !slices.Contains(r.categories, other.Category):
				return "", fmt.Errorf("query %q is not scored: its category %q is left out", query, other.Category)
			default:
				return "", fmt.Errorf("query %q is not scored: it has no usable evidence", query)
			}
		}
		return "", fmt.Errorf("the scenario has no query %q; its first is %q", query, r.queries[0].ID)
	}
	var b strings.Builder
	a.explainQuery(&b, q)
	for _, s := range r.systems {
		a.explanation(s, q).write(&b)
	}
	return harmless.Guard(b.String()), nil
}

func (a *Audit) explainQuery(b *strings.Builder, q int) {
	query := a.r.queries[q]
	b.WriteString(printable(query.ID))
	if query.Text != "" {
		fmt.Fprintf(b, " %q", query.Text)
	}
	if query.Category != "" {
		fmt.Fprintf(b, ", category %s", printable(query.Category))
	}
	b.WriteString("\n")
	turns := make(map[string]*Turn)
	for i := range a.r.bundle.Scenario.Turns {
		t := &a.r.bundle.Scenario.Turns[i]
		turns[t.ID] = t
	}
	for _, u := range query.Evidence {
		fmt.Fprintf(b, "    gold %s", printable(strings.Join(u.Turns, " or ")))
		if t := turns[u.Turns[0]]; t != nil && len(u.Turns) == 1 && t.Text != "" {
			fmt.Fprintf(b, " %q", t.Text)
		}
		b.WriteString("\n")
	}
	if query.Answer != "" {
		fmt.Fprintf(b, "    answer %q\n", query.Answer)
	}
	fmt.Fprintf(b, "    %s\n", a.conventionText())
}

// explanation writes how one system does on one query.
type explanation struct {
	a  *Audit
	s  *scored
	in *compiledIngest
	q  int

	work   *scorer
	ranked []uint32       // the whole ranking, uncut; nil for a query that failed or is absent
	gains  [][]rank.Hit   // per target
	rankOf map[uint32]int // symbol -> rank in the whole ranking
	walker *lineage.Walker
}

// explanation scores a query of a system's first ingest.
func (a *Audit) explanation(s *scored, q int) *explanation {
	in := s.compiled.ingests[0]
	e := &explanation{a: a, s: s, in: in, q: q, work: a.r.newScorer(in)}
	if row := in.rowOf[q]; row >= 0 {
		e.ranked = in.ranked(row)
	}
	e.rankOf = make(map[uint32]int, len(e.ranked))
	for i, sym := range e.ranked {
		e.rankOf[sym] = i + 1
	}
	for t := range a.r.targets {
		e.gains = append(e.gains, slices.Clone(e.work.result(a.r.scheme(), q, t).Hits))
	}
	return e
}

// links are those of a memory, ascending by the ids of the turns.
func (e *explanation) links(memory int32) []lineage.Link {
	if e.walker == nil {
		e.walker = e.in.store.lineage.Walker()
	}
	links := slices.Clone(e.walker.Links(memory))
	slices.SortFunc(links, func(a, b lineage.Link) int { return e.a.r.compareTurns(a.Turn, b.Turn) })
	return links
}

func (e *explanation) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s", printable(e.s.Name))
	if n := len(e.s.ingests); n > 1 {
		fmt.Fprintf(b, " (the first of %d ingests)", n)
	}
	row := e.in.rowOf[e.q]
	switch {
	case row < 0:
		b.WriteString(": the query is absent from the run\n")
	case e.in.Run.rows[row].failure != "":
		fmt.Fprintf(b, ": the query failed: %s\n", printable(e.in.Run.rows[row].failure))
	default:
		fmt.Fprintf(b, ": %s returned\n", english.Count(len(e.ranked), "id", "ids"))
	}
	e.writeRanking(b)
	e.writeScores(b)
	if e.in.store != nil {
		e.writeMissed(b)
	} else {
		e.writeUnranked(b)
	}
}

// firstRanks is how many ranks are listed whether or not they earn credit.
const firstRanks = 10

func (e *explanation) writeRanking(b *strings.Builder) {
	r := e.a.r
	head := []string{"rank", "memory", "form", "descends from"}
	rows := [][]string{append(head, texts(r.targets)...)}
	skipped := 0
	for i, sym := range e.ranked[:min(len(e.ranked), r.depth)] {
		cells, eligible := e.credits(sym, int32(i+1))
		if i >= firstRanks && !eligible {
			skipped++
			continue
		}
		if skipped > 0 {
			rows = append(rows, []string{"...", withoutCredit(skipped)})
			skipped = 0
		}
		form, links := e.describe(sym)
		rows = append(rows, append([]string{fmt.Sprint(i + 1), printable(e.in.Run.ids.String(sym)), form, links}, cells...))
	}
	if skipped > 0 {
		rows = append(rows, []string{"...", withoutCredit(skipped)})
	}
	if len(rows) > 1 {
		_ = table.Write(b, "    ", rows)
	}
}

func withoutCredit(n int) string { return english.Count(n, "id", "ids") + " without credit" }

// credits says for each target what a ranked id earns: its gain, "eligible" when
// its units were credited before, "-" when the target does not credit it.
func (e *explanation) credits(sym uint32, at int32) (cells []string, eligible bool) {
	c := slices.Index(e.work.symbols, int32(sym))
	for t := range e.a.r.targets {
		cell := "-"
		if c >= 0 && e.work.mayEarn(c, t) {
			cell, eligible = "eligible", true
		}
		if i := slices.IndexFunc(e.gains[t], func(h rank.Hit) bool { return h.Rank == at }); i >= 0 && !e.a.r.judgedOnly() {
			cell, eligible = "+"+decimal(e.gains[t][i].Gain), true
		}
		cells = append(cells, cell)
	}
	return cells, eligible
}

func (r *results) judgedOnly() bool { return r.bundle.judged != nil && r.bundle.judged.judgedOnly }

// describe names the form of a ranked id and the turns that it descends from, those
// that are evidence first.
func (e *explanation) describe(sym uint32) (form, links string) {
	if e.in.store == nil {
		return "-", "-"
	}
	m, ok := e.in.store.memory(e.in.Run.ids.String(sym))
	if !ok {
		return "unknown id", "-"
	}
	form = printable(e.in.Memories[m].Form)
	if state := stateOf(&e.in.Memories[m]); state != "" {
		form += " (" + state + ")"
	}
	all := e.links(m)
	if len(all) == 0 {
		return form, "no lineage"
	}
	const shown = 3
	var gold, others []string
	for _, l := range all {
		list := &others
		if e.gold(l.Turn) {
			list = &gold
		}
		if len(*list) == shown {
			continue
		}
		turn := printable(e.a.r.turn(l.Turn))
		if l.Routes&lineage.Route(lineage.Exact, false) == 0 {
			turn += " (" + routeName(l.Routes) + ")"
		}
		*list = append(*list, turn)
	}
	turns := append(gold, others...) // what earns credit is named before what else there is
	links = strings.Join(turns[:min(shown, len(turns))], ", ")
	if n := len(all) - shown; n > 0 {
		links += fmt.Sprintf(" and %d more", n)
	}
	return form, links
}

// gold reports whether a turn is evidence of the query.
func (e *explanation) gold(turn int32) bool {
	r := e.a.r
	for u := r.firstUnit[e.q]; u < r.firstUnit[e.q+1]; u++ {
		if slices.Contains(r.units.List(int(u)), turn) {
			return true
		}
	}
	return false
}

// stateOf says how a memory differs from an active one that is served.
func stateOf(m *Memory) string {
	var words []string
	if m.Status != "" && m.Status != statusActive {
		words = append(words, m.Status)
	}
	if m.NotServing {
		words = append(words, "not served")
	}
	return strings.Join(words, ", ")
}

func (e *explanation) writeScores(b *strings.Builder) {
	r := e.a.r
	head := []string{"target"}
	rows := [][]string{head}
	for _, m := range r.metrics {
		if !m.micro() {
			rows[0] = append(rows[0], m.String())
		}
	}
	for t, target := range r.targets {
		row := []string{target.name}
		for m, metric := range r.metrics {
			switch {
			case metric.micro():
			case !r.defined(e.s, t, e.q) || e.s.unavailable(t):
				row = append(row, "-")
			default:
				row = append(row, fmt.Sprintf("%.4f", e.s.ingests[0].columns[r.scheme()][t].values[m][e.q]))
			}
		}
		rows = append(rows, row)
	}
	_ = table.Write(b, "    ", rows)
}

// writeMissed names the cause for every unit without credit.
func (e *explanation) writeMissed(b *strings.Builder) {
	r := e.a.r
	first := r.firstUnit[e.q]
	for u := first; u < r.firstUnit[e.q+1]; u++ {
		var turns []string
		for _, n := range r.units.List(int(u)) {
			turns = append(turns, r.turn(n))
		}
		slices.Sort(turns)
		for t, target := range r.targets {
			if cause := e.cause(u-first, t); cause != "" {
				fmt.Fprintf(b, "    missed under %s: %s: %s\n", target, printable(strings.Join(turns, " or ")), cause)
			}
		}
	}
}

// cause says why a unit has no credit under a target, or nothing when it has.
func (e *explanation) cause(unit int32, t int) string {
	if e.s.unlinked[t] {
		return "no lineage: the store does not say what its memories descend from"
	}
	stored, below, lowest := "", "", 0
	for cand, memory := range e.work.memories {
		for _, p := range e.work.cands.Of(cand) {
			if p.Unit != unit || !p.Under(uint(t)) || e.work.refuses(cand, t) {
				continue
			}
			id := printable(e.in.Memories[memory].ID)
			sym := e.work.symbols[cand]
			at := 0 // not ranked
			if sym >= 0 {
				at = e.rankOf[uint32(sym)]
			}
			switch {
			case at > 0 && at <= e.a.r.depth:
				return ""
			case at > 0 && (below == "" || at < lowest):
				below, lowest = fmt.Sprintf("below the depth: %s at rank %d", id, at), at
			case at == 0 && (stored == "" || id < stored):
				stored = id
			}
		}
	}
	switch {
	case below != "":
		return below
	case stored != "":
		return "stored and not retrieved: " + stored
	}
	var others []string
	for i, m := range e.work.member {
		if m.unit == unit && (i == 0 || e.work.member[i-1].memory != m.memory || e.work.member[i-1].unit != unit) {
			others = append(others, e.describeMember(m))
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		var all names
		for _, other := range others {
			all.add(other)
		}
		return fmt.Sprintf("stored, but not as the target credits it: %s", all)
	}
	return "not stored: no memory descends from it"
}

// describeMember names a memory with what a target may refuse it for.
func (e *explanation) describeMember(of member) string {
	m := &e.in.Memories[of.memory]
	words := []string{printable(m.Form)}
	if state := stateOf(m); state != "" {
		words = append(words, state)
	}
	if of.routes&lineage.Route(lineage.Exact, false) == 0 {
		words = append(words, routeName(of.routes))
	}
	return fmt.Sprintf("%s (%s)", printable(m.ID), strings.Join(words, ", "))
}

// writeUnranked lists relevant ids of judged input that the ranking lacks.
func (e *explanation) writeUnranked(b *strings.Builder) {
	r := e.a.r
	n := len(e.work.symbols)
	for t, target := range r.targets {
		missing, below := 0, 0
		for c := range n {
			if !e.work.mayEarn(c, t) {
				continue
			}
			at := 0
			if sym := e.work.symbols[c]; sym >= 0 {
				at = e.rankOf[uint32(sym)]
			}
			switch {
			case at == 0:
				missing++
			case at > r.depth:
				below++
			}
		}
		if missing+below > 0 {
			fmt.Fprintf(b, "    missed under %s: %s not retrieved, %d below the depth\n", target, english.Count(missing, "relevant id", "relevant ids"), below)
		}
	}
}
