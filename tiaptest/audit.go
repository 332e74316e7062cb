package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/stat"
)

// Audit holds the results of rescoring saved rankings under several targets. It
// is immutable and safe for concurrent use.
type Audit struct {
	asked  settings       // what the options came to
	report func() *report // made when it is first asked for
	r      *results
	shared []int32
	today  string // decides which known findings have ended
}

// Rescore scores the saved rankings of a bundle under every target and compares
// its systems. Problems of the bundle and of the options are reported together.
// The audit reads the bundle later on, so the bundle must not be changed
// afterwards.
func Rescore(b *Bundle, opts ...Option) (*Audit, error) {
	s, err := newSettings(opts)
	return audit(b, s, err)
}

// With returns the audit of the same bundle by the options of this one and further
// ones: [Rescore] with all of them. Where these choose a crediting, what becomes of
// uncovered units, a population or the statistics alone, no ranking is scored again.
func (a *Audit) With(opts ...Option) (*Audit, error) {
	asked := a.asked
	err := Options(opts).apply(&asked)
	if !reflect.DeepEqual(asked.compiling(), a.asked.compiling()) {
		return audit(a.r.bundle, &asked, err)
	}
	s, f, r := asked, *a.r.frame, *a.r
	s.headline = a.r.headline
	r.frame, f.settings = &f, &s
	if err := errors.Join(f.completeSettings(), err); err != nil {
		return nil, err
	}
	if !slices.Equal(s.metrics, a.r.metrics) {
		return newAudit(asked, f.rescore()), nil
	}
	return newAudit(asked, r.withLabels()), nil
}

// audit audits a bundle by settings that err tells the refused options of.
func audit(b *Bundle, asked *settings, err error) (*Audit, error) {
	s := *asked
	f, compileErr := compile(b, &s)
	if err := errors.Join(compileErr, err); err != nil {
		if f != nil {
			f.wait()
		}
		return nil, err
	}
	return newAudit(*asked, f.rescore()), nil
}

func newAudit(asked settings, r *results) *Audit {
	a := &Audit{asked: asked, r: r, today: time.Now().Format(time.DateOnly), shared: r.sharedByAll()}
	a.report = sync.OnceValue(func() *report { return r.report(a.shared) })
	return a
}

func (r *results) report(shared []int32) *report {
	systems := r.describeSystems()
	out := &report{
		Schema:       auditjson.Schema,
		Scenario:     r.describeScenario(),
		Settings:     r.describeSettings(),
		Systems:      systems,
		TargetOrders: r.targetOrders(shared),
		Diagnostics:  r.diagnostics(systems),
	}
	var wg sync.WaitGroup
	wg.Go(func() { out.Shared = r.describeShared(shared) })
	wg.Go(func() { out.Scores = r.scores(shared) })
	wg.Go(func() { out.Changes = r.changes() })
	wg.Go(func() { out.Pairs, out.Conventions = r.pairs(), r.conventions() })
	wg.Go(func() { out.Recommendations, out.Stale = r.recommendations(), r.staleHits() })
	wg.Wait()
	return out
}

// Shared describes the queries that are covered under every main target in
// every system. A target that a system has no score under, since it is
// unavailable or covers nothing there, shrinks nothing.
type Shared struct {
	N      int            `json:"n"`
	Digest string         `json:"digest"`
	Cost   map[string]int `json:"cost"` // queries that the subset would gain without that system
}

// Shared returns the shared subset of all systems and main targets.
func (a *Audit) Shared() Shared { return a.report().Shared }

// sharedByAll is the shared subset of the audit. Excluded targets shrink nothing,
// but where all are excluded from all systems nothing is covered.
func (r *results) sharedByAll() []int32 {
	covers := func(s *scored) bool { return len(comparableTargets([]*scored{s}, r.mainTargets())) > 0 }
	if !slices.ContainsFunc(r.systems, covers) {
		return nil
	}
	return r.subset(overShared, r.systems, r.mainTargets())
}

func (r *results) describeShared(subset []int32) Shared {
	s := Shared{N: len(subset), Digest: r.subsetDigest(subset), Cost: make(map[string]int)}
	for i := range r.systems {
		others := slices.Delete(slices.Clone(r.systems), i, i+1)
		s.Cost[r.systems[i].Name] = len(r.subset(overShared, others, r.mainTargets())) - len(subset)
	}
	return s
}

func (r *results) scores(sharedSubset []int32) []scoreRow {
	populations := []string{overCovered, overShared, overAll}
	if j := r.bundle.judged; j != nil && j.trec {
		populations = append(populations, overJudged, overMatched)
	}
	var rows []scoreRow
	for _, s := range r.systems {
		for t, target := range r.targets {
			for _, population := range populations {
				subset := r.scoreSubset(population, s, t, sharedSubset)
				for m, metric := range r.metrics {
					row := scoreRow{System: s.Name, Target: target.name, Subset: population, Metric: metric.String(), N: len(subset)}
					if per, ok := r.ingestValues(s, r.scheme(), t, m, subset); ok {
						v, _ := stat.Mean(per)
						row.Value, row.SD = &v, spread(per)
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// scoreSubset returns the queries over which one score is taken: none where the
// target has no score in the system. trec_eval scores judged queries without a
// relevant document as 0, so there a target that covers nothing has scores.
func (r *results) scoreSubset(population string, s *scored, t int, sharedSubset []int32) []int32 {
	trecOnly := population == overJudged || population == overMatched
	if s.unavailable(t) || s.covered[t] == 0 && !trecOnly {
		return nil
	}
	switch {
	case population == overShared && t < r.main:
		return sharedSubset
	case population == overShared:
		return r.subset(overShared, r.systems, []int{r.target(r.headline), t})
	}
	return r.subset(population, []*scored{s}, []int{t})
}

// target is the number of a target, or -1.
func (r *results) target(name string) int {
	return slices.IndexFunc(r.targets, func(t Target) bool { return t.name == name })
}

func (r *results) metric(m Metric) int { return slices.Index(r.metrics, m) }

// Score returns a system's score under a target over the audit's population.
// It is an error when the audit has no such score or the score is undefined, and when
// the audit's target of that name was made in another way: by other modifiers, or by a
// function where the given one is not.
func (a *Audit) Score(system string, target Target, metric Metric) (float64, error) {
	row, err := a.row(system, target, metric)
	if err != nil {
		return 0, err
	}
	if row.Value == nil {
		return 0, fmt.Errorf("%s of %s under %s is undefined over %s queries: %s", metric, system, target, row.Subset, a.whyUndefined(system, target))
	}
	return *row.Value, nil
}

func (a *Audit) row(system string, target Target, metric Metric) (scoreRow, error) {
	if err := a.has(system, target, metric); err != nil {
		return scoreRow{}, err
	}
	i := slices.IndexFunc(a.report().Scores, func(s scoreRow) bool {
		return s.System == system && s.Target == target.name && s.Metric == metric.String() && s.Subset == a.r.population
	})
	return a.report().Scores[i], nil
}

func (a *Audit) whyUndefined(system string, target Target) string {
	s, t := a.r.system(system), a.r.target(target.name)
	switch {
	case s.unavailable(t):
		return "the target is unavailable, " + s.whyUnavailable(t, "its")
	case s.covered[t] == 0:
		return "the target covers no query"
	}
	return "no query is covered everywhere"
}

// system returns the scored system of that name, or nil.
func (r *results) system(name string) *scored {
	i := slices.IndexFunc(r.systems, func(s *scored) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return r.systems[i]
}

// has reports names that the audit does not know.
func (a *Audit) has(system string, target Target, metric Metric) error {
	if a.r.system(system) == nil {
		return fmt.Errorf("the audit has no system %q; it has %s", system, strings.Join(a.systemNames(), ", "))
	}
	if err := a.hasTarget(target); err != nil {
		return err
	}
	return a.hasMetric(metric)
}

// hasTarget reports a target that the audit does not have: there is none of its name, or
// that one was made in another way. What only a function tells apart is the same, and
// judged input knows its targets by name.
func (a *Audit) hasTarget(target Target) error {
	t := a.r.target(target.name)
	if t < 0 {
		return fmt.Errorf("the audit has no target %s; it has %s", printable(target.name), join(a.r.targets))
	}
	own := a.r.targets[t]
	if a.r.bundle.judged != nil || target.nameAlone() || target.rule() == own.rule() {
		return nil
	}
	return fmt.Errorf("the target %s of the audit is %s, the one that is asked for is %s; ask for one of Audit.Targets, or give yours a name of its own", own, own.rule(), target.rule())
}

func (a *Audit) hasMetric(metric Metric) error {
	if a.r.metric(metric) >= 0 {
		return nil
	}
	mend := "add it with Metrics"
	if k := metric.m.K; k > 0 && slices.Contains(usualMetrics(k), metric) && slices.Equal(a.r.metrics, usualMetrics(a.r.depth)) {
		mend = fmt.Sprintf("set Depth(%d), or add it with Metrics", k)
	}
	return fmt.Errorf("the audit has no metric %s; it has %s; %s", metric, join(a.r.metrics), mend)
}

func (a *Audit) systemNames() []string {
	var names []string
	for _, s := range a.r.systems {
		names = append(names, s.Name)
	}
	return names
}

// PerQuery returns the values of single queries. Queries that are not covered
// under the target are left out, unless the audit's population counts them as 0.
// Queries outside the shared subset are there, so that [Audit.Score] need not be
// the mean. Metrics that are ratios of sums have no such values.
func (a *Audit) PerQuery(system string, target Target, metric Metric) (map[string]float64, error) {
	values, err := a.Values(system, target, metric)
	if err != nil {
		return nil, err
	}
	return maps.Collect(values), nil
}

// Values yields what [Audit.PerQuery] returns, ascending by the ids of the queries.
func (a *Audit) Values(system string, target Target, metric Metric) (iter.Seq2[string, float64], error) {
	if err := a.has(system, target, metric); err != nil {
		return nil, err
	}
	if metric.micro() {
		return nil, fmt.Errorf("%s is a ratio of sums over queries; it has no value for a single query", metric)
	}
	return a.r.named(a.r.perQuery(a.r.system(system), a.r.target(target.name), a.r.metric(metric))), nil
}

// named yields the ids of queries with their values, where these are defined.
func (r *results) named(values []*float64) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for q, v := range values {
			if v != nil && !yield(r.queries[q].ID, *v) {
				return
			}
		}
	}
}

// perQuery returns the value of each query, nil where it is undefined.
func (r *results) perQuery(s *scored, t, m int) []*float64 {
	values := make([]*float64, len(r.queries))
	if s.unavailable(t) {
		return values
	}
	from := s.mean.columns[r.scheme()][t].values[m]
	for q := range values {
		if r.defined(s, t, q) {
			values[q] = &from[q]
		}
	}
	return values
}

// defined reports whether a query has a value under a target: it is covered, or
// the population counts it as 0. A judged TREC query always has one, as in
// trec_eval.
func (r *results) defined(s *scored, t, q int) bool {
	if j := r.bundle.judged; j != nil && j.trec && r.rows[t][q] >= 0 {
		return true
	}
	return s.mean.covered[t][q] || r.population == overAll
}

// changeMetrics are those that changes between targets are counted by.
func changeMetrics(depth int) []Metric {
	return []Metric{NDCG(depth), MRR(depth), Recall(depth), Hit(depth), Top1()}
}

// changed is the difference from which on two scores of a query differ.
const changed = 1e-9

func (r *results) changes() []change {
	out := []change{}
	for _, s := range r.systems {
		for _, ts := range r.targetPairs() {
			if s.excluded(ts[0]) || s.excluded(ts[1]) {
				continue
			}
			subset := r.subset(overCovered, []*scored{s}, ts[:])
			c := change{System: s.Name, Targets: [2]string{r.targets[ts[0]].name, r.targets[ts[1]].name}, N: len(subset)}
			columns := s.mean.columns[r.scheme()]
			counts := []*int{&c.NDCG, &c.MRR, &c.Recall, &c.Hit, &c.Top1}
			for i, metric := range changeMetrics(r.depth) {
				m := slices.Index(r.computed, metric)
				for _, q := range subset {
					d := columns[ts[0]].values[m][q] - columns[ts[1]].values[m][q]
					if d > changed || d < -changed {
						*counts[i]++
					}
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// targetPairs are the pairs of targets that are set against each other: the
// main ones among themselves, those beside against the headline.
func (r *results) targetPairs() [][2]int {
	var out [][2]int
	for i := range r.main {
		for j := i + 1; j < r.main; j++ {
			out = append(out, [2]int{i, j})
		}
	}
	for t := r.main; t < len(r.targets); t++ {
		out = append(out, [2]int{r.target(r.headline), t})
	}
	return out
}

func (r *results) diagnostics(systems []auditjson.System) []diagnostic {
	out := slices.Concat(r.bundle.reported, r.notes)
	for _, s := range systems {
		if s.Links == nil && r.bundle.judged == nil {
			out = append(out, diagnostic{Kind: "uncounted-links", System: s.Name, Text: "too many links are inherited from parents to be counted"})
		}
	}
	for _, s := range r.systems {
		for t, n := range s.covered {
			if n == 0 && !s.unavailable(t) {
				out = append(out, diagnostic{Kind: "covered-0", System: s.Name, Text: fmt.Sprintf("target %s covers no query", r.targets[t])})
			}
		}
	}
	out = append(out, r.labelDiagnostics()...)
	slices.SortStableFunc(out, func(a, b diagnostic) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.System, b.System), cmp.Compare(a.Query, b.Query), cmp.Compare(a.Text, b.Text))
	})
	if out == nil {
		out = []diagnostic{}
	}
	return out
}
