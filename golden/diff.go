package golden

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// Finding is one thing that differs from what was recorded.
type Finding struct {
	Verdict Verdict  `json:"verdict"`
	Fails   bool     `json:"fails"`
	Text    string   `json:"text"` // a sentence
	Systems []string `json:"systems,omitempty"`
	Targets []string `json:"targets,omitempty"`
	Metric  string   `json:"metric,omitempty"`
	N       int      `json:"n,omitempty"` // queries compared

	// Carriers are the queries that moved, with the change in the direction of
	// the finding, largest first, or all that were lost. CarriedBy counts those
	// without which no change would remain, of which Carriers are the first twenty,
	// and LeaveOut how few must be left out for the recorded winner, or tie, to
	// return.
	Carriers  []tiaptest.Carrier `json:"carriers,omitempty"`
	CarriedBy int                `json:"carried_by,omitempty"`
	LeaveOut  int                `json:"leave_out,omitempty"`

	block *block
	shape string              // the text without metric and numbers: findings of one shape are told as one
	ranks map[string][]credit // of carriers, by query
}

// credit is where a system earns the first credit for a query under a target: a rank,
// or "none".
type credit struct{ target, system, was, is string }

// row is the numbers of a finding under one target: the score of a system, or the
// gap of two.
type row struct {
	Target   string    `json:"target"`
	Recorded float64   `json:"recorded"`
	Now      float64   `json:"now"`
	NowCI    []float64 `json:"now_ci,omitempty"`
	Change   float64   `json:"change"`
	ChangeCI []float64 `json:"change_ci,omitempty"`
	Floor    float64   `json:"noise_floor,omitempty"`
}

// block is what the findings on one comparison by one metric have in common.
type block struct {
	what  string // the gap or the score
	gap   bool   // it is a gap
	basis []string
	few   string // what too few ingests cannot tell, if so: a line of basis
	rows  []row
}

// Difference is the outcome of comparing a record with the recorded one.
type Difference struct {
	Verdict  Verdict
	Findings []Finding // in the order of verdicts
	Notes    []string  // what the comparison could not tell and what was recorded; the command adds what the audit noticed

	want, got *content
	accept    string          // the command that accepts the difference
	source    string          // what was compared with
	base      *tiaptest.Audit // likewise, where it is no golden file
}

// Failed reports whether a finding fails.
func (d *Difference) Failed() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Fails })
}

// Diff compares a record with the one that was recorded. Numbers are compared on
// the queries that both have, and only when the identity of both is the same.
// Mistakes in the options are a finding too.
func Diff(want, got *Record, opts ...Option) *Difference {
	return diff(want, got, newSettings(opts))
}

func diff(want, got *Record, s *settings) *Difference {
	c := &comparison{s: s, want: want, got: got, d: &Difference{want: &want.content, got: &got.content}, winners: make(map[string]decided)}
	if want.note != "" {
		c.d.Notes = append(c.d.Notes, want.note)
	}
	c.d.Notes = append(c.d.Notes, got.stale...)
	if c.identity(); len(c.d.Findings) == 0 {
		c.systems()
		c.pairs()
		c.recommendations()
	}
	c.d.finish()
	return c.d
}

// finish sorts the findings and decides the verdict.
func (d *Difference) finish() {
	slices.SortStableFunc(d.Findings, func(a, b Finding) int { return cmp.Compare(order[a.Verdict], order[b.Verdict]) })
	d.Verdict = Same
	if len(d.Findings) > 0 {
		d.Verdict = d.Findings[0].Verdict
	}
	if i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Fails }); i >= 0 {
		d.Verdict = d.Findings[i].Verdict
	}
}

type comparison struct {
	s         *settings
	want, got *Record
	d         *Difference
	winners   map[string]decided // by pair, target and metric
}

// decided is what was found about a winner.
type decided struct {
	verdict Verdict
	known   string
}

func (c *comparison) add(f Finding) {
	f.ranks = c.firstCredits(&f)
	f.shape = cmp.Or(f.shape, withoutMetric(&f))
	f.Fails = c.s.fails[f.Verdict]
	c.d.Findings = append(c.d.Findings, f)
}

// addKnown adds a finding that is known and so fails nothing.
func (c *comparison) addKnown(f Finding, known string) {
	f.Text = knownPrefix + f.Text
	f.shape = withoutMetric(&f)
	c.d.Findings = append(c.d.Findings, f)
}

// identity compares what must agree before numbers are compared.
func (c *comparison) identity() {
	w, g := c.want.content.Identity, c.got.content.Identity
	var lines []string
	differ := func(what string, was, is any) {
		if fmt.Sprint(was) != fmt.Sprint(is) {
			lines = append(lines, fmt.Sprintf("%s: recorded %v, now %v", what, was, is))
		}
	}
	for _, p := range c.s.problems {
		lines = append(lines, "option: "+p)
	}
	if w.Digest != g.Digest {
		lines = append(lines, fmt.Sprintf("queries: the scenario %s has other queries or evidence than the recorded %s (digest %s, recorded %s)", g.Scenario, w.Scenario, short(g.Digest), short(w.Digest)))
	}
	differ("crediting", w.Credit, g.Credit)
	differ("uncovered units", w.Uncovered, g.Uncovered)
	differ("population", w.Population, g.Population)
	differ("depth", w.Depth, g.Depth)
	differ("metrics", strings.Join(w.Metrics, ","), strings.Join(g.Metrics, ","))
	differ("headline", cmp.Or(w.Headline, "undeclared"), cmp.Or(g.Headline, "undeclared"))
	differ("categories", cmp.Or(strings.Join(w.Where, ","), "all"), cmp.Or(strings.Join(g.Where, ","), "all"))
	differ("merge of lists", cmp.Or(w.Merge, "none"), cmp.Or(g.Merge, "none"))
	differ("resampled by", cmp.Or(w.Cluster, "query"), cmp.Or(g.Cluster, "query"))
	differ("relevance level", w.Level, g.Level)
	differ("judged documents only", w.JudgedOnly, g.JudgedOnly)
	if c.s.fixedRuns {
		for _, ws := range c.want.content.Systems {
			if gs := c.got.content.system(ws.Name); gs != nil && gs.Run != ws.Run {
				lines = append(lines, fmt.Sprintf("runs: %s has other rankings than recorded, and FixedRuns requires the same (digest %s, recorded %s)", ws.Name, short(gs.Run), short(ws.Run)))
			}
		}
	}
	if len(lines) > 0 {
		c.add(Finding{Verdict: IdentityMismatch, Text: "identity mismatch: what was recorded is not comparable, no numbers are compared", block: &block{basis: lines}})
	}
}

func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}

// systems compares each system with its recorded self.
func (c *comparison) systems() {
	for i := range c.want.content.Systems {
		w := &c.want.content.Systems[i]
		g := c.got.content.system(w.Name)
		if g == nil {
			c.add(Finding{Verdict: Missing, Systems: []string{w.Name}, Text: fmt.Sprintf("missing: system %s is recorded and is not in the audit", w.Name)})
			continue
		}
		for _, t := range targetsOf(w.Covered) {
			c.coverage(w, g, t)
		}
		for _, t := range targetsOf(g.Covered) {
			if _, ok := w.Covered[t]; !ok {
				c.add(Finding{Verdict: New, Systems: []string{w.Name}, Targets: []string{t}, Text: fmt.Sprintf("new: %s under %s is not recorded", w.Name, t)})
			}
		}
		// The counts are over all ingests, of which there may be more than recorded.
		if was, is := w.Absent+w.Failed, g.Absent+g.Failed; is*w.Ingests > was*g.Ingests {
			c.add(Finding{
				Verdict: QueryLost, Systems: []string{w.Name},
				Text: fmt.Sprintf("query lost: %s has %s, recorded %s", w.Name, g.unanswered(), w.unanswered()),
			})
		}
		c.memories(w, g)
		c.selves(w, g)
	}
	for _, g := range c.got.content.Systems {
		if c.want.content.system(g.Name) == nil {
			c.add(Finding{Verdict: New, Systems: []string{g.Name}, Text: fmt.Sprintf("new: system %s is not recorded", g.Name)})
		}
	}
}

func (s *systemRecord) unanswered() string {
	text := fmt.Sprintf("%d absent and %d failed queries", s.Absent, s.Failed)
	if s.Ingests > 1 {
		text += fmt.Sprintf(" in %d ingests", s.Ingests)
	}
	return text
}

// targetsOf are the targets that a record has something of: those of the protocol
// in its order, then others by name.
func targetsOf[T any](m map[string]T) []string {
	place := func(t string) int { return slices.Index([]string{"canonical", "source", "raw"}, t) }
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(b), place(a)), strings.Compare(a, b))
	})
}

// coverage compares which queries a target covers in a system.
func (c *comparison) coverage(w, g *systemRecord, t string) {
	was := w.Covered[t]
	is, ok := g.Covered[t]
	if !ok {
		c.add(Finding{Verdict: Missing, Systems: []string{w.Name}, Targets: []string{t}, Text: fmt.Sprintf("missing: target %s is recorded and has no score in %s", t, w.Name)})
		return
	}
	lost, names := max(0, was.N-is.N), []string(nil)
	if c.scored() {
		before, after := c.want.scores.covered(w.Name, t), c.got.scores.covered(w.Name, t)
		if len(before) == was.N && len(after) == is.N {
			names = missingFrom(before, after)
			lost = len(names)
		}
	}
	noise := beyond
	f := Finding{Systems: []string{w.Name}, Targets: []string{t}, N: was.N}
	text := ""
	if ws, gs := w.Counts[t], g.Counts[t]; len(ws) >= fewestIngests && len(gs) >= fewestIngests {
		if e, ok := repeated(floats(gs), floats(ws), len(c.want.content.Systems)*len(w.Covered)); ok {
			if e.value >= 0 {
				e.noise = explained
			}
			noise = e.noise
			text = fmt.Sprintf("; ingests change by %+.1f [%+.1f, %+.1f], noise %.1f", e.value, e.ci[0], e.ci[1], e.floor)
		}
	}
	f.Verdict = c.s.coverage(lost, was.N, noise)
	if f.Verdict == Same {
		return
	}
	f.Text = fmt.Sprintf("%s: %s under %s covers %d queries, recorded %d; %d of the recorded are lost (tolerance %g%%)%s",
		words(f.Verdict), w.Name, t, is.N, was.N, lost, 100*c.s.tolerance, text)
	for _, id := range names {
		f.Carriers = append(f.Carriers, tiaptest.Carrier{Query: id})
	}
	c.add(f)
}

// memories notes how many memories a system stores. It is no verdict: a store that
// only lost what no query needs serves as well as before, and one ingest of a
// language model differs from the next. What costs coverage or score is judged by
// these, and Store judges stores.
func (c *comparison) memories(w, g *systemRecord) {
	if len(w.Memories) == 0 || len(g.Memories) == 0 {
		return
	}
	was, is := w.stored(), g.stored()
	if was != is {
		c.d.Notes = append(c.d.Notes, fmt.Sprintf("%s stores %s, recorded %s", w.Name, is, was))
	}
}

// stored says how many memories a system stores, the mean over its ingests.
func (s *systemRecord) stored() string {
	count := func(n int) string {
		if s.Ingests <= 1 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%.1f", float64(n)/float64(s.Ingests))
	}
	total := 0
	var forms []string
	for _, f := range slices.Sorted(maps.Keys(s.Memories)) {
		total += s.Memories[f]
		forms = append(forms, phrase.Name(f)+" "+count(s.Memories[f]))
	}
	text := count(total) + " memories"
	if s.Ingests > 1 {
		text += " an ingest"
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(forms, ", "))
}

func floats(ns []int) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n)
	}
	return out
}

// missingFrom are the ids of a sorted list that another one lacks.
func missingFrom(all, some []string) []string {
	var out []string
	for _, id := range all {
		if _, ok := slices.BinarySearch(some, id); !ok {
			out = append(out, id)
		}
	}
	return out
}

func words(v Verdict) string { return strings.ReplaceAll(string(v), "-", " ") }

// scored reports whether both have the scores of single queries.
func (c *comparison) scored() bool { return c.want.scores != nil && c.got.scores != nil }

// ingests says how far noise between ingests can be told in one system.
type ingests int

const (
	single    ingests = iota // too few ingests
	unchanged                // the very same stores and runs: no noise between the two
	several                  // at least three each
)

func (c *comparison) ingests(system string) ingests {
	w, g := c.want.content.system(system), c.got.content.system(system)
	switch {
	case w.Store == g.Store && w.Run == g.Run:
		return unchanged
	case w.Ingests >= fewestIngests && g.Ingests >= fewestIngests:
		return several
	}
	return single
}

// selves compares a system's scores with its recorded ones.
func (c *comparison) selves(w, g *systemRecord) {
	if c.ingests(w.Name) == unchanged && w.Compared == g.Compared {
		return
	}
	if !c.scored() {
		c.add(Finding{Verdict: Inconclusive, Systems: []string{w.Name}, Text: fmt.Sprintf(
			"inconclusive: %s has another store or other rankings than recorded, and without the scores of single queries its changes are not judged", w.Name)})
		return
	}
	inWant, inGot := common(c.want.scores, c.got.scores, setKey(w.Name), setKey(w.Name))
	for _, metric := range c.want.content.Identity.Metrics {
		c.self(w, g, metric, inWant, inGot)
	}
}

func (c *comparison) self(w, g *systemRecord, metric string, inWant, inGot []int) {
	b := &block{what: "score of " + w.Name}
	b.basis, b.few = c.basis(len(inWant), w.Compared.N, g.Compared.N, w.Name)
	tests := len(c.want.content.Systems) * len(w.Covered) * len(c.want.content.Identity.Metrics)
	changes, byIngest := make(map[string][]float64), make(map[string]evidence)
	verdictOf, changeOf := make(map[string]Verdict), make(map[string]float64)
	var targets []string
	for _, t := range targetsOf(w.Covered) {
		// A ratio of sums (micro_recall) has no scores of single queries and so no
		// interval to judge a change by; recall at its depth has.
		was, ok1 := c.want.scores.means(w.Name, t, metric, inWant)
		is, ok2 := c.got.scores.means(w.Name, t, metric, inGot)
		if !ok1 || !ok2 || len(was) == 0 {
			continue
		}
		targets = append(targets, t)
		changes[t] = minus(is, was)
		e := paired(changes[t], c.scopesAt(inGot))
		if c.ingests(w.Name) == several {
			now, recorded := c.got.scores.ingestMeans(w.Name, t, metric, inGot), c.want.scores.ingestMeans(w.Name, t, metric, inWant)
			if r, ok := repeated(now, recorded, tests); ok {
				e, byIngest[t] = r, r.noise
			}
		}
		verdictOf[t], changeOf[t] = c.s.self(e.value, e.noise), e.value
		b.rows = append(b.rows, row{Target: t, Recorded: mean(was), Now: mean(is), Change: e.value, ChangeCI: e.ci, Floor: e.floor})
	}
	f := Finding{Verdict: Same, Systems: []string{w.Name}, Metric: metric, N: len(inWant), block: b}
	consider := func(v Verdict) {
		if v != Same && (f.Verdict == Same || f.Verdict == Inconclusive || v != Inconclusive && order[v] < order[f.Verdict]) {
			f.Verdict = v
		}
	}
	for i, t := range targets {
		consider(verdictOf[t])
		for _, u := range targets[i+1:] {
			shift := paired(minus(changes[t], changes[u]), c.scopesAt(inGot)).noise
			if noise, ok := byIngest[t]; ok {
				shift = noise || byIngest[u] // either change may be noise
			}
			v := c.s.changeFlip([2]float64{changeOf[t], changeOf[u]}, shift)
			if v == ChangeFlip && f.Verdict != ChangeFlip {
				f.Targets = []string{t, u}
				f.carry(c.got.scores, inGot, scaled(minus(changes[t], changes[u]), float64(c.s.sign(changeOf[t]))))
			}
			consider(v)
		}
	}
	if f.Verdict == Same {
		return
	}
	if f.Verdict != ChangeFlip {
		for _, t := range targets {
			if verdictOf[t] == f.Verdict {
				f.Targets = append(f.Targets, t)
			}
		}
		if len(f.Targets) == 0 {
			f.Targets = targets
		}
		total := make([]float64, len(inGot))
		for _, t := range f.Targets {
			for i, d := range changes[t] {
				if f.Verdict == Regressed {
					d = -d
				}
				total[i] += d / float64(len(f.Targets))
			}
		}
		if f.Verdict == Regressed || f.Verdict == Improved {
			f.carry(c.got.scores, inGot, total)
		}
	}
	var parts, shape []string
	for _, t := range targets {
		switch c.s.sign(changeOf[t]) {
		case 1:
			parts = append(parts, fmt.Sprintf("gains %.4f under %s", changeOf[t], t))
			shape = append(shape, "gains under "+t)
		case -1:
			parts = append(parts, fmt.Sprintf("loses %.4f under %s", -changeOf[t], t))
			shape = append(shape, "loses under "+t)
		}
	}
	f.Text = fmt.Sprintf("%s on %s: %s %s", words(f.Verdict), metric, w.Name, strings.Join(parts, ", "))
	f.shape = fmt.Sprintf("%s: %s %s", words(f.Verdict), w.Name, strings.Join(shape, ", "))
	c.add(f)
}

func minus(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}

// scopesAt are the scopes of queries, nil unless these are resampled by scope.
func (c *comparison) scopesAt(at []int) []string {
	if c.got.scores.scopes == nil {
		return nil
	}
	out := make([]string, len(at))
	for i, k := range at {
		out[i] = c.got.scores.scopes[k]
	}
	return out
}

// basis says on which queries and by how many ingests systems are compared; few is
// the line about too few ingests, if there is one.
func (c *comparison) basis(n, was, is int, systems ...string) (lines []string, few string) {
	lines = []string{fmt.Sprintf("%d queries are compared: those of the %d recorded and the %d of now that are in both", n, was, is)}
	var alone, floor []string
	for _, s := range systems {
		switch c.ingests(s) {
		case single:
			w, g := c.want.content.system(s), c.got.content.system(s)
			alone = append(alone, fmt.Sprintf("%s (recorded %d, now %d)", s, w.Ingests, g.Ingests))
		case several:
			floor = append(floor, s)
		}
	}
	if len(floor) > 0 {
		lines = append(lines, "ingest means by Welch's test for "+strings.Join(floor, ", ")+"; noise is the standard deviation of one ingest")
	}
	if len(alone) > 0 {
		few = fmt.Sprintf("fewer than %d ingests of %s: if what builds its store is not deterministic, this cannot tell a change from the noise of ingesting", fewestIngests, strings.Join(alone, ", "))
		lines = append(lines, few)
	}
	return lines, few
}

// gaps holds the gaps of a pair by one metric, by target.
type gaps struct {
	targets       []string
	was, is       map[string]float64
	perWas, perIs map[string][]float64 // by query, if known
	ingestWas     map[string][]float64 // by ingest, where both systems allow it
	ingestIs      map[string][]float64
	inWant, inGot []int
	n             int
	incomparable  string
	untested      bool // noise between ingests matters and is not known
}

// gaps computes the gaps of a pair on the queries that both records have.
func (c *comparison) gaps(w, g *pairRecord, metric string) gaps {
	x := gaps{was: make(map[string]float64), is: make(map[string]float64), perWas: make(map[string][]float64), perIs: make(map[string][]float64)}
	for _, t := range targetsOf(w.Margins) {
		if v := g.Margins[t][metric]; v != nil && w.Margins[t][metric] != nil {
			x.targets = append(x.targets, t)
			x.was[t], x.is[t] = float64(*w.Margins[t][metric]), float64(*v)
		}
	}
	x.n = g.Compared.N
	byQuery := c.scored() && c.got.content.Identity.Population != "covered" && !strings.HasPrefix(metric, "micro_recall")
	if !byQuery {
		if w.Compared.Digest != g.Compared.Digest {
			x.incomparable = fmt.Sprintf("the queries differ (recorded %d, now %d) and single queries have no score to compare by", w.Compared.N, g.Compared.N)
		}
		x.untested = c.repeats(w.A, w.B)
		return x
	}
	key := setKey(w.A, w.B)
	x.inWant, x.inGot = common(c.want.scores, c.got.scores, key, key)
	x.n = len(x.inGot)
	if x.n == 0 {
		x.incomparable = "no query is compared in both"
		return x
	}
	x.targets = slices.DeleteFunc(x.targets, func(t string) bool {
		was, ok1 := c.want.scores.gap(w.A, w.B, t, metric, x.inWant)
		is, ok2 := c.got.scores.gap(w.A, w.B, t, metric, x.inGot)
		if !ok1 || !ok2 {
			return true
		}
		x.perWas[t], x.perIs[t], x.was[t], x.is[t] = was, is, mean(was), mean(is)
		return false
	})
	if c.repeats(w.A, w.B) {
		x.ingestWas, x.ingestIs = make(map[string][]float64), make(map[string][]float64)
		for _, t := range x.targets {
			x.ingestWas[t] = c.want.scores.ingestGaps(w.A, w.B, t, metric, x.inWant)
			x.ingestIs[t] = c.got.scores.ingestGaps(w.A, w.B, t, metric, x.inGot)
		}
	}
	return x
}

// repeats reports whether the noise between ingests of two systems can be told.
func (c *comparison) repeats(first, second string) bool {
	a, b := c.ingests(first), c.ingests(second)
	return a != single && b != single && (a == several || b == several)
}

// gap returns the gap of two systems in each query.
func (q *queryScores) gap(a, b, target, metric string, at []int) ([]float64, bool) {
	va, ok1 := q.means(a, target, metric, at)
	vb, ok2 := q.means(b, target, metric, at)
	return minus(va, vb), ok1 && ok2
}

// ingestGaps pairs the ingests of two systems as they come, which leaves the
// gaps independent of each other. A single ingest stands beside each of the
// other system's. Where one system has more ingests, those left over count in the
// mean of the gaps, and not in their spread.
func (q *queryScores) ingestGaps(a, b, target, metric string, at []int) []float64 {
	va, vb := q.ingestMeans(a, target, metric, at), q.ingestMeans(b, target, metric, at)
	for len(va) == 1 && len(va) < len(vb) {
		va = slices.Repeat(va, len(vb))
	}
	for len(vb) == 1 && len(vb) < len(va) {
		vb = slices.Repeat(vb, len(va))
	}
	gaps := minus(va, vb)
	if len(va) != len(vb) {
		rest := mean(va) - mean(vb) - mean(gaps)
		for i := range gaps {
			gaps[i] += rest
		}
	}
	return gaps
}

// change is the evidence that the gap under a target, or the shift between two,
// is another than recorded. The saved rankings of single ingests are what they
// are: nothing explains a difference away. Of several ingests without scores of
// their own, as by micro_recall, noise may explain any.
func (x *gaps) change(tests int, t string, u ...string) (evidence, *estimate) {
	if x.ingestIs == nil {
		return evidence(x.untested), nil
	}
	is, was := x.ingestIs[t], x.ingestWas[t]
	if len(u) > 0 {
		is, was = minus(is, x.ingestIs[u[0]]), minus(was, x.ingestWas[u[0]])
	}
	e, ok := repeated(is, was, tests)
	if !ok {
		return explained, nil
	}
	return e.noise, &e
}

// pairs compares the winners of each recorded pair.
func (c *comparison) pairs() {
	for i := range c.want.content.Pairs {
		w := &c.want.content.Pairs[i]
		if c.got.content.system(w.A) == nil || c.got.content.system(w.B) == nil {
			continue // reported with the system
		}
		g := c.got.content.pair(w.A, w.B)
		if g == nil || c.want.content.system(w.A) == nil || c.want.content.system(w.B) == nil {
			c.add(Finding{Verdict: Missing, Systems: []string{w.A, w.B}, Text: fmt.Sprintf("missing: the pair of %s and %s is not in both records", w.A, w.B)})
			continue
		}
		for _, metric := range c.want.content.Identity.Metrics {
			c.pair(w, g, metric)
		}
	}
}

func (c *comparison) pair(w, g *pairRecord, metric string) {
	systems := []string{w.A, w.B}
	x := c.gaps(w, g, metric)
	b := &block{gap: true, what: fmt.Sprintf("gap %s-%s", w.A, w.B)}
	b.basis, b.few = c.basis(x.n, w.Compared.N, g.Compared.N, w.A, w.B)
	tests := len(c.want.content.Pairs) * len(x.targets) * len(c.want.content.Identity.Metrics)
	if x.incomparable != "" {
		for _, t := range x.targets {
			if c.s.winner(x.was[t], x.is[t], beyond) == Same {
				continue
			}
			c.winners[winnerKey(w.A, w.B, t, metric)] = decided{verdict: Inconclusive}
			c.add(Finding{Verdict: Inconclusive, Systems: systems, Targets: []string{t}, Metric: metric, N: x.n,
				Text: fmt.Sprintf("inconclusive on %s under %s: the gap of %s and %s was %+.4f and is %+.4f, but %s", metric, t, w.A, w.B, x.was[t], x.is[t], x.incomparable)})
		}
		return
	}
	for _, t := range x.targets {
		noise, e := x.change(tests, t)
		r := row{Target: t, Recorded: x.was[t], Now: x.is[t], Change: x.is[t] - x.was[t]}
		if e != nil {
			r.ChangeCI, r.Floor = e.ci, e.floor
		}
		b.rows = append(b.rows, r)
		v := c.s.winner(x.was[t], x.is[t], noise)
		known := ""
		if v == WinnerFlip {
			known = c.knownUnder(w, &x, metric, t)
		}
		c.winners[winnerKey(w.A, w.B, t, metric)] = decided{v, known}
		if v == Same {
			continue
		}
		f := Finding{Verdict: v, Systems: systems, Targets: []string{t}, Metric: metric, N: x.n, block: b}
		f.Text = fmt.Sprintf("%s on %s under %s: %s -> %s", words(v), metric, t, c.leader(w, x.was[t]), c.leader(w, x.is[t]))
		switch {
		case v == Inconclusive && e != nil:
			f.Text += fmt.Sprintf("; the gap changes by %+.4f %s, noise %.4f", e.value, phrase.Interval(e.ci), e.floor)
		case v == Inconclusive && x.untested:
			f.Text += "; there are no scores of single ingests to tell it from noise"
		}
		if x.perIs[t] != nil {
			up := 1.0
			if x.is[t] < x.was[t] {
				up = -1
			}
			f.carry(c.got.scores, x.inGot, scaled(minus(x.perIs[t], x.perWas[t]), up))
			if v == WinnerFlip {
				f.LeaveOut = c.s.leaveOut(scaled(x.perIs[t], up), c.s.sign(float64(up*x.was[t])))
			}
		}
		if v == WinnerFlip && known != "" {
			c.addKnown(f, known)
		} else {
			c.add(f)
		}
	}
	for i, t := range x.targets {
		for _, u := range x.targets[i+1:] {
			c.flip(w, x, b, metric, t, u, tests)
		}
	}
	for i := range b.rows {
		if r := &b.rows[i]; len(c.d.Findings) > 0 && x.perIs[r.Target] != nil && c.d.Findings[len(c.d.Findings)-1].block == b {
			r.NowCI = paired(x.perIs[r.Target], c.scopesAt(x.inGot)).ci
			if r.ChangeCI == nil {
				r.ChangeCI = paired(minus(x.perIs[r.Target], x.perWas[r.Target]), c.scopesAt(x.inGot)).ci
			}
		}
	}
}

func winnerKey(a, b, target, metric string) string {
	return setKey(a, b) + "\t" + target + "\t" + metric
}

func scaled(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x * by
	}
	return out
}

// flip compares whether two targets name different winners.
func (c *comparison) flip(w *pairRecord, x gaps, b *block, metric, t, u string, tests int) {
	_, was := c.want.content.known(w.A, w.B, metric, t, u)
	known, is := c.got.content.known(w.A, w.B, metric, t, u)
	noise, _ := x.change(tests, t, u)
	v := c.s.flip([2]float64{x.was[t], x.was[u]}, [2]float64{x.is[t], x.is[u]}, was, is, noise)
	if v == Same {
		return
	}
	f := Finding{Verdict: v, Systems: []string{w.A, w.B}, Targets: []string{t, u}, Metric: metric, N: x.n, block: b}
	f.Text = fmt.Sprintf("%s on %s: %s picks %s, %s picks %s", words(v), metric, t, c.leader(w, x.is[t]), u, c.leader(w, x.is[u]))
	switch {
	case v == FlipResolved:
		f.Text += fmt.Sprintf("; recorded %s and %s", c.leader(w, x.was[t]), c.leader(w, x.was[u]))
	case v == NewFlip && was:
		f.Text += "; it was recorded as known and is not known any more"
	}
	if x.perIs[t] != nil && v == NewFlip {
		shift := minus(x.perIs[t], x.perIs[u])
		up := 1.0
		if mean(shift) < 0 {
			up = -1
		}
		f.carry(c.got.scores, x.inGot, scaled(shift, up))
	}
	if v == NewFlip && is {
		c.addKnown(f, known)
		return
	}
	c.add(f)
}

// knownUnder returns the text of a known flip of the pair that another winner
// under a target is part of, so that it is known too: a flip between that target
// and another that agreed when recorded and do not now. Where they disagreed
// before, the known flip says nothing about a winner that reversed.
func (c *comparison) knownUnder(w *pairRecord, x *gaps, metric, t string) string {
	for _, u := range x.targets {
		text, ok := c.got.content.known(w.A, w.B, metric, t, u)
		if ok && !c.s.flips(x.was[t], x.was[u]) && c.s.flips(x.is[t], x.is[u]) {
			return text
		}
	}
	return ""
}

// leader names who leads by a gap.
func (c *comparison) leader(p *pairRecord, gap float64) string {
	switch c.s.sign(gap) {
	case 1:
		return p.A
	case -1:
		return p.B
	}
	return "a tie"
}

// firstCredits says at which ranks the systems of a finding earn the first credit
// for its carriers, recorded and now: reciprocal rank tells it, if it is a metric
// of the audit and no mean over ingests.
func (c *comparison) firstCredits(f *Finding) map[string][]credit {
	metrics := c.want.content.Identity.Metrics
	i := slices.IndexFunc(metrics, func(m string) bool { return m == "mrr" || strings.HasPrefix(m, "mrr@") })
	if i < 0 || !c.scored() || f.block == nil {
		return nil
	}
	out := make(map[string][]credit)
	for _, carrier := range f.Carriers {
		for _, t := range f.Targets {
			for _, s := range f.Systems {
				was, ok1 := c.want.scores.firstCredit(columnKey{s, t, metrics[i]}, carrier.Query)
				is, ok2 := c.got.scores.firstCredit(columnKey{s, t, metrics[i]}, carrier.Query)
				if ok1 && ok2 {
					out[carrier.Query] = append(out[carrier.Query], credit{t, s, was, is})
				}
			}
		}
	}
	return out
}

// How many carriers a finding keeps.
const keptCarriers = 20

// carry names the queries with the largest changes in the direction of the
// finding.
func (f *Finding) carry(q *queryScores, at []int, changes []float64) {
	total := 0.0
	by := make([]int, len(changes))
	for i := range changes {
		by[i] = i
		total += changes[i]
	}
	slices.SortStableFunc(by, func(i, j int) int { return cmp.Compare(changes[j], changes[i]) })
	sum := 0.0
	f.Carriers, f.CarriedBy = nil, 0
	for n, i := range by {
		if changes[i] <= 0 || sum >= total-1e-12 {
			break
		}
		if len(f.Carriers) < keptCarriers {
			f.Carriers = append(f.Carriers, tiaptest.Carrier{Query: q.ids[at[i]], Shift: changes[i]})
		}
		f.CarriedBy = n + 1
		sum += changes[i]
	}
}

// leaveOut counts how few queries must be left out until the sign of the mean
// gap is want or below: those with the largest gaps go first. It is 0 where
// leaving out does not help.
func (s *settings) leaveOut(gaps []float64, want int) int {
	sorted := slices.Sorted(slices.Values(gaps))
	left := 0.0
	for _, g := range sorted {
		left += g
	}
	for n := len(sorted) - 1; n > 0; n-- {
		left -= sorted[n]
		if s.sign(left/float64(n)) <= want {
			return len(sorted) - n
		}
	}
	return 0
}

// recommendations compares the best members of families.
func (c *comparison) recommendations() {
	for i := range c.want.content.Recommendations {
		w := &c.want.content.Recommendations[i]
		all := c.want.content.members(w.Family)
		members := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !slices.Contains(c.got.content.members(w.Family), s) })
		if len(members) < 2 {
			continue
		}
		var inWant, inGot []int
		if c.scored() {
			inWant, inGot = common(c.want.scores, c.got.scores, setKey(all...), setKey(c.got.content.members(w.Family)...))
		}
		for _, t := range targetsOf(w.Winners) {
			for _, metric := range c.want.content.Identity.Metrics {
				c.recommendation(w, members, t, metric, inWant, inGot)
			}
		}
	}
}

func (c *comparison) recommendation(w *recommendationRecord, members []string, t, metric string, inWant, inGot []int) {
	if len(inGot) == 0 || strings.HasPrefix(metric, "micro_recall") {
		c.unjudged(w, members, t, metric)
		return
	}
	was, ok1 := c.best(c.want.scores, members, t, metric, inWant)
	is, ok2 := c.best(c.got.scores, members, t, metric, inGot)
	if !ok1 || !ok2 || was == is {
		return
	}
	f := Finding{
		Verdict: RecommendationChanged, Systems: members, Targets: []string{t}, Metric: metric, N: len(inGot),
		Text: fmt.Sprintf("recommendation changed on %s under %s: family %s %s -> %s", metric, t, w.Family, cmp.Or(was, "a tie"), cmp.Or(is, "a tie")),
	}
	if was == "" || is == "" {
		f.Verdict = Tie
		f.Text = "tie" + strings.TrimPrefix(f.Text, "recommendation changed")
		c.add(f)
		return
	}
	d := c.winners[winnerKey(was, is, t, metric)]
	if d.verdict == Inconclusive {
		return // said of the pair
	}
	if c.repeats(was, is) {
		tests := len(c.want.content.Recommendations) * len(w.Winners) * len(c.want.content.Identity.Metrics)
		now, recorded := c.got.scores.ingestGaps(was, is, t, metric, inGot), c.want.scores.ingestGaps(was, is, t, metric, inWant)
		if e, ok := repeated(now, recorded, tests); !ok || e.noise == explained {
			f.Verdict = Inconclusive
			f.Text = "inconclusive" + strings.TrimPrefix(f.Text, "recommendation changed")
			c.add(f)
			return
		}
	}
	switch {
	case d.known != "":
		c.addKnown(f, d.known)
	default:
		c.add(f)
	}
}

// unjudged says that a family has another best member than recorded where single
// queries have no scores to judge it by, unless the two members as a pair say so.
func (c *comparison) unjudged(w *recommendationRecord, members []string, t, metric string) {
	i := slices.IndexFunc(c.got.content.Recommendations, func(g recommendationRecord) bool { return g.Family == w.Family })
	if i < 0 {
		return
	}
	was, is := w.winner(t, metric), c.got.content.Recommendations[i].winner(t, metric)
	if v := c.winners[winnerKey(was, is, t, metric)].verdict; was == is || v != "" && (v != Same || len(members) == 2) {
		return
	}
	c.add(Finding{
		Verdict: Inconclusive, Systems: members, Targets: []string{t}, Metric: metric,
		Text: fmt.Sprintf("inconclusive on %s under %s: family %s %s -> %s, without common queries that have scores of their own", metric, t, w.Family, was, is),
	})
}

// best names the member with the highest score, "" for a tie.
func (c *comparison) best(q *queryScores, members []string, t, metric string, at []int) (name string, ok bool) {
	first, second := -2.0, -2.0
	for _, m := range members {
		vs, ok := q.means(m, t, metric, at)
		if !ok {
			return "", false
		}
		if v := mean(vs); v > first {
			first, second, name = v, first, m
		} else if v > second {
			second = v
		}
	}
	if c.s.sign(first-second) == 0 {
		name = ""
	}
	return name, true
}
