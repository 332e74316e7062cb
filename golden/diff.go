package golden

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
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

	nowLevel, changeLevel string // of the intervals, as 95%
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
	c.stat = cmp.Or(got.stat, want.stat, statisticsOf(auditjson.Defaults()))
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
	stat      *statistics
	want, got *Record
	d         *Difference
	winners   map[string]decided // by pair, target and metric
}

// decided is what was found about a winner.
type decided struct {
	verdict Verdict
	known   bool
}

func (c *comparison) add(f Finding) {
	f.ranks = c.firstCredits(&f)
	f.shape = cmp.Or(f.shape, withoutMetric(&f))
	f.Fails = c.s.fails[f.Verdict]
	c.d.Findings = append(c.d.Findings, f)
}

// addUnless adds a finding, which fails nothing if it is known.
func (c *comparison) addUnless(known bool, f Finding) {
	if !known {
		c.add(f)
		return
	}
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
	if !slices.Equal(slices.Sorted(slices.Values(w.Where)), slices.Sorted(slices.Values(g.Where))) {
		lines = append(lines, fmt.Sprintf("categories: recorded %s, now %s", w.categories(), g.categories()))
	}
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

// categories names those whose queries are kept.
func (id *identity) categories() string {
	if len(id.Where) == 0 {
		return "all"
	}
	return strings.TrimPrefix(phrase.Categories(id.Where), "categories ")
}

// short is the beginning of a digest.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}

// targetsOf are the targets that a record has something of: those of the protocol
// in its order, then others by name.
func targetsOf[T any](m map[string]T) []string {
	place := func(t string) int { return slices.Index([]string{"canonical", "source", "raw"}, t) }
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(b), place(a)), strings.Compare(a, b))
	})
}

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
