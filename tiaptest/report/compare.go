package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/stat"
	"github.com/tiaptest/tiap/tiaptest"
)

// Compare writes what changed from one audit to a later one, such as from the
// target branch of a pull request to its head: scores of each system against its
// earlier self on the queries that both can be compared on, change flips, winners,
// winner flips, coverage and what was noticed. Systems are matched by name. The
// options are those of a report's look. There is no JSON of a comparison, which is
// an error; write both audits.
func Compare(w io.Writer, f Format, base, head *tiaptest.Audit, opts ...Option) error {
	o := newOptions(opts)
	if err := f.known(); err != nil {
		return err
	}
	if f == JSON {
		return errors.New("a comparison has no JSON form; write both audits as JSON")
	}
	d, err := comparisonDocument(base, head)
	if err != nil {
		return err
	}
	return d.write(w, f, o)
}

// CompareFile writes what [Compare] does to a file, as [WriteFile] does.
func CompareFile(file string, base, head *tiaptest.Audit, opts ...Option) error {
	return writeFile(file, func(w io.Writer, f Format) error { return Compare(w, f, base, head, opts...) })
}

// comparison makes the document of two audits.
type comparison struct {
	base, head *builder
	changes    []change
}

// change is what one system gained or lost under one target.
type change struct {
	system, target       string
	n                    int
	before, after        float64
	difference           float64
	ci                   []float64
	better, equal, worse int
	gone, came           int         // queries that can be compared in the earlier, or the later, state alone
	lost                 []lostQuery // largest loss first
}

type lostQuery struct {
	id            string
	before, after float64
}

func comparisonDocument(base, head *tiaptest.Audit) (*document, error) {
	var c comparison
	for _, side := range []struct {
		to **builder
		a  *tiaptest.Audit
	}{{&c.base, base}, {&c.head, head}} {
		p, err := parse(side.a)
		if err != nil {
			return nil, err
		}
		*side.to = &builder{parsed: p, a: side.a}
	}
	if err := c.measure(); err != nil {
		return nil, err
	}
	d := &document{title: words("Comparison of ", c.head.name(), " with its earlier state"), basis: c.head.basis()}
	d.verdict, d.tone = c.verdict()
	for _, s := range []section{c.settingsSection(), c.changesSection(), c.winnersSection(), c.flipsSection(), c.scoresSection(), c.coverageSection(), c.noticedSection(), c.digestsSection()} {
		if len(s.blocks) > 0 {
			d.sections = append(d.sections, s)
		}
	}
	return d, nil
}

// systems are those of both audits.
func (c *comparison) systems() []string {
	return slices.DeleteFunc(slices.Clone(c.head.a.Systems()), func(s string) bool { return !slices.Contains(c.base.a.Systems(), s) })
}

// targets are the main targets of both audits.
func (c *comparison) targets() []string {
	return slices.DeleteFunc(slices.Clone(c.head.Settings.Targets), func(t string) bool { return !slices.Contains(c.base.Settings.Targets, t) })
}

// metric is the first metric of the later audit that both have and that has
// values of single queries.
func (c *comparison) metric() (tiaptest.Metric, bool) {
	for _, name := range c.head.Settings.Metrics {
		m, err := tiaptest.ParseMetric(name)
		if err == nil && !strings.HasPrefix(name, "micro") && slices.Contains(c.base.Settings.Metrics, name) {
			return m, true
		}
	}
	return tiaptest.Metric{}, false
}

// measure compares each system with its earlier self.
func (c *comparison) measure() error {
	metric, ok := c.metric()
	if !ok {
		return nil
	}
	for _, name := range c.systems() {
		before, err := c.base.a.SharedQueries(name)
		if err != nil {
			return err
		}
		after, err := c.head.a.SharedQueries(name)
		if err != nil {
			return err
		}
		common := intersect(before, after)
		for _, target := range c.targets() {
			x, err := c.base.a.PerQuery(name, c.base.target(target), metric)
			if err != nil {
				return err
			}
			y, err := c.head.a.PerQuery(name, c.head.target(target), metric)
			if err != nil {
				return err
			}
			ch := change{system: name, target: target, gone: len(before) - len(common), came: len(after) - len(common)}
			c.count(&ch, common, x, y)
			c.changes = append(c.changes, ch)
		}
	}
	return nil
}

// intersect returns what two ascending lists share.
func intersect(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool {
		_, found := slices.BinarySearch(b, s)
		return !found
	})
}

// count compares the values of single queries. They are resampled as the later
// audit resamples its own.
func (c *comparison) count(ch *change, queries []string, before, after map[string]float64) {
	s := c.head.Settings
	var differences, x, y []float64
	var clusters []int32
	scopes := make(map[string]int32)
	for _, q := range queries {
		v, ok := before[q]
		w, ok2 := after[q]
		if !ok || !ok2 {
			continue
		}
		x, y, differences = append(x, v), append(y, w), append(differences, w-v)
		if s.Cluster != "" {
			query, _ := c.head.a.Query(q)
			if _, ok := scopes[query.Scope]; !ok {
				scopes[query.Scope] = int32(len(scopes))
			}
			clusters = append(clusters, scopes[query.Scope])
		}
		switch {
		case w-v > changed:
			ch.better++
		case v-w > changed:
			ch.worse++
			ch.lost = append(ch.lost, lostQuery{q, v, w})
		default:
			ch.equal++
		}
	}
	ch.n = len(differences)
	if ch.n == 0 {
		return
	}
	ch.before, _ = stat.Mean(x)
	ch.after, _ = stat.Mean(y)
	ch.difference = ch.after - ch.before
	if s.Resamples > 0 && ch.n > 1 {
		samples := stat.Bootstrap(stat.Plan{N: ch.n, Clusters: clusters, Resamples: s.Resamples, Seed: s.Seed}, []stat.Column{{Num: differences}})
		low, high := stat.Interval(samples[0], 1-s.Alpha)
		ch.ci = []float64{low, high}
	}
	slices.SortStableFunc(ch.lost, func(a, b lostQuery) int { return cmp.Compare(b.before-b.after, a.before-a.after) })
}

// flipped are the systems that gain under one target and lose under another.
func (c *comparison) flipped() []string {
	gains, losses := make(map[string]bool), make(map[string]bool)
	for _, ch := range c.changes {
		switch c.sign(ch) {
		case 1:
			gains[ch.system] = true
		case -1:
			losses[ch.system] = true
		}
	}
	maps.DeleteFunc(gains, func(s string, _ bool) bool { return !losses[s] })
	return slices.Sorted(maps.Keys(gains))
}

// sign is 1 for a gain, -1 for a loss and 0 for neither.
func (c *comparison) sign(ch change) int {
	if ch.n == 0 {
		return 0
	}
	return decide.Sign(ch.difference, c.head.Settings.MinEffect)
}

// differences are the settings that differ, and whether queries do. Numbers under
// different settings or on different queries say nothing about a change; how
// intervals are made only moves intervals.
func (c *comparison) differences() []fact {
	var out []fact
	before := c.base.basis()
	for _, f := range c.head.basis() {
		// The shared subset and the number of queries are data.
		if f.name == "Shared subset" || f.name == "Queries" || f.name == "Intervals" {
			continue
		}
		old := words("not set")
		if i := slices.IndexFunc(before, func(g fact) bool { return g.name == f.name }); i >= 0 {
			old = before[i].value
		}
		if old.String() != f.value.String() {
			out = append(out, fact{f.name, words(old, " before, ", f.value, " now")})
		}
	}
	if c.base.Scenario.Digest != c.head.Scenario.Digest {
		out = append(out, fact{"Queries", words("their content differs")})
	}
	return out
}

// verdict sums up the comparison.
func (c *comparison) verdict() (text, tone) {
	flipped, won := c.flipped(), c.wonLost()
	switch {
	case len(c.systems()) == 0:
		return words("No system is in both audits: nothing is compared."), warn
	case len(c.differences()) > 0:
		return words("The audits were scored by different settings or on different queries: the numbers do not say what the change did."), warn
	case len(flipped) > 0:
		return words("Change flip: ", foreigns(flipped), english.Noun(len(flipped), " gains", " gain"), " under one target and ", english.Noun(len(flipped), "loses", "lose"), " under another, against the earlier state."), bad
	case won > 0:
		return words(fmt.Sprintf("%d %s changed.", won, english.Noun(won, "winner", "winners"))), bad
	}
	worse, better, gone := 0, 0, 0
	for _, ch := range c.changes {
		gone = max(gone, ch.gone)
		switch c.sign(ch) {
		case 1:
			better++
		case -1:
			worse++
		}
	}
	switch {
	case gone > 0:
		return words(fmt.Sprintf("A system lost %d %s that it could be compared on; no winner changed.", gone, english.Noun(gone, "query", "queries"))), warn
	case worse > 0:
		return words(fmt.Sprintf("%d %s of a system under a target fell and none rose there; no winner changed.", worse, english.Noun(worse, "score", "scores"))), warn
	case better > 0:
		return words(fmt.Sprintf("%d %s of a system under a target rose, none fell, and no winner changed.", better, english.Noun(better, "score", "scores"))), good
	}
	return words("No score and no winner changed."), good
}

func (c *comparison) settingsSection() section {
	s := section{id: "settings", title: "What else differs"}
	var items list
	for _, f := range c.differences() {
		items = append(items, words(f.name, ": ", f.value))
	}
	for _, x := range []struct {
		a, b *builder
		word string
	}{{c.head, c.base, "new"}, {c.base, c.head, "gone"}} {
		var names []string
		for _, n := range x.a.a.Systems() {
			if !slices.Contains(x.b.a.Systems(), n) {
				names = append(names, n)
			}
		}
		if len(names) > 0 {
			items = append(items, words(english.Noun(len(names), "System ", "Systems "), x.word, ": ", foreigns(names[:min(10, len(names))]), fmt.Sprintf(" (%d)", len(names))))
		}
	}
	if len(items) > 0 {
		s.blocks = []block{items}
	}
	return s
}

// changesSection sets each system against its earlier self.
func (c *comparison) changesSection() section {
	s := section{id: "changes", title: "Changes"}
	metric, ok := c.metric()
	if !ok || len(c.changes) == 0 {
		return s
	}
	level := phrase.Level(c.head.Settings.Alpha)
	t := table{
		caption: words("Each system against its earlier state by ", metric.String(), ", on the queries that both can be compared on; ", level, " interval of the paired bootstrap; lost and new queries can be compared in one state alone"),
		head:    columns("system", "verdict", "target", "n#", "before#", "now#", "change#", level+" CI", "better#", "equal#", "worse#", "lost#", "new#"),
	}
	flipped := c.flipped()
	plot := forest{axis: "change by " + metric.String()}
	var lost table
	lost.caption = words("Queries with the largest losses by ", metric.String())
	lost.head = columns("system", "target", "query", "text", "before#", "now#")
	for _, ch := range c.changes {
		if ch.n == 0 {
			t.rows = append(t.rows, cells(foreign(ch.system), "nothing in common", foreign(ch.target), ch.n, "-", "-", "-", "-", 0, 0, 0, ch.gone, ch.came))
			continue
		}
		verdict := cell{text: words("same"), tone: muted}
		of := plain
		switch c.sign(ch) {
		case 1:
			verdict, of = cell{text: words("gains"), tone: good}, first
		case -1:
			verdict, of = cell{text: words("loses"), tone: warn}, second
		}
		if slices.Contains(flipped, ch.system) && c.sign(ch) != 0 {
			verdict = cell{text: words(verdict.text, ": change flip"), tone: bad}
		}
		t.rows = append(t.rows, cells(foreign(ch.system), verdict, foreign(ch.target), ch.n, fmt.Sprintf("%.4f", ch.before), fmt.Sprintf("%.4f", ch.after),
			phrase.Signed(ch.difference), phrase.Interval(ch.ci), ch.better, ch.equal, ch.worse, ch.gone, ch.came))
		if len(plot.groups) == 0 || plot.groups[len(plot.groups)-1].label.String() != foreign(ch.system).String() {
			plot.groups = append(plot.groups, forestGroup{label: foreign(ch.system)})
		}
		last := &plot.groups[len(plot.groups)-1]
		last.rows = append(last.rows, forestRow{label: foreign(ch.target), value: ch.difference, ci: ch.ci, tone: of})
		const most = 5
		for _, q := range ch.lost[:min(most, len(ch.lost))] {
			query, _ := c.head.a.Query(q.id)
			lost.rows = append(lost.rows, cells(foreign(ch.system), foreign(ch.target), foreign(q.id), quoted(query.Text), fmt.Sprintf("%.4f", q.before), fmt.Sprintf("%.4f", q.after)))
		}
	}
	if len(plot.groups) > 0 {
		plot.groups = plot.groups[:min(maxForest, len(plot.groups))]
		s.blocks = append(s.blocks, figure{caption: words("Change of each system by ", metric.String()), alt: fmt.Sprintf("Changes of %d systems; their numbers are in the table below", len(plot.groups)), plot: plot})
	}
	s.blocks = append(s.blocks, t.limit(3*maxPairs))
	if len(lost.rows) > 0 {
		s.blocks = append(s.blocks, lost.limit(maxPairs))
	}
	return s
}

// pairsOf are the pairs of both audits by the same metric, with the earlier one
// first.
func (c *comparison) pairsOf() [][2]*tiaptest.Pair {
	type key struct{ a, b, metric, beside string }
	before := make(map[key]*tiaptest.Pair, len(c.base.Pairs))
	for i := range c.base.Pairs {
		p := &c.base.Pairs[i]
		before[key{p.A, p.B, p.Metric, p.Beside}] = p
	}
	var out [][2]*tiaptest.Pair
	for i := range c.head.Pairs {
		p := &c.head.Pairs[i]
		if q := before[key{p.A, p.B, p.Metric, p.Beside}]; q != nil {
			out = append(out, [2]*tiaptest.Pair{q, p})
		}
	}
	return out
}

// wonLost counts the winners that changed into another system.
func (c *comparison) wonLost() int {
	n := 0
	for _, p := range c.pairsOf() {
		for _, target := range c.targets() {
			v, w := p[0].Winners[target], p[1].Winners[target]
			if v != nil && w != nil && *v != *w {
				n++
			}
		}
	}
	return n
}

// winnersSection lists the winners that changed, into a tie or out of one too.
func (c *comparison) winnersSection() section {
	s := section{id: "winners", title: "Winners"}
	t := table{caption: words("Winners that changed, with their lead"), head: columns("pair", "metric", "target", "before", "now")}
	pairs := c.pairsOf()
	for _, p := range pairs {
		for _, target := range c.targets() {
			v, w := winnerCell(p[0], target), winnerCell(p[1], target)
			a, b := p[0].Winners[target], p[1].Winners[target]
			if a != nil && b != nil && *a == *b || a == nil && b == nil {
				continue
			}
			t.rows = append(t.rows, cells(pairName(p[1]), p[1].Metric, foreign(target), v, w))
		}
	}
	switch {
	case len(pairs) == 0:
	case len(t.rows) == 0:
		s.blocks = []block{paragraph{text: words(fmt.Sprintf("No winner changed in %d comparisons of two systems by a metric.", len(pairs)))}}
	default:
		s.blocks = []block{t.limit(maxPairs)}
	}
	return s
}

// flipsSection lists the winner flips that came and went.
func (c *comparison) flipsSection() section {
	s := section{id: "flips", title: "Winner flips"}
	type key struct {
		a, b, metric string
		targets      [2]string
	}
	find := func(b *builder) map[key]*tiaptest.Flip {
		out := make(map[key]*tiaptest.Flip)
		for _, f := range b.flips() {
			out[key{f.A, f.B, f.Metric, f.Targets}] = f
		}
		return out
	}
	before, after := find(c.base), find(c.head)
	t := table{caption: words("Winner flips between targets that came or went"), head: columns("pair", "metric", "targets", "before", "now")}
	row := func(f *tiaptest.Flip, was, is cell) {
		t.rows = append(t.rows, cells(words(foreign(f.A), " - ", foreign(f.B)), f.Metric, words(foreign(f.Targets[0]), " and ", foreign(f.Targets[1])), was, is))
	}
	none := cell{text: words("none"), tone: muted}
	flip := func(b *builder, f *tiaptest.Flip) cell {
		c := cell{text: words("flip (", grade(f), ")"), tone: b.flipTone(f)}
		if known := b.known(f).text; known != nil {
			c.text = words(c.text, "; ", known)
		}
		return c
	}
	for _, f := range c.head.flips() {
		if before[key{f.A, f.B, f.Metric, f.Targets}] == nil {
			row(f, none, flip(c.head, f))
		}
	}
	for _, f := range c.base.flips() {
		if after[key{f.A, f.B, f.Metric, f.Targets}] == nil {
			row(f, flip(c.base, f), none)
		}
	}
	s.blocks = []block{paragraph{text: words(fmt.Sprintf("%d before, %d now.", len(before), len(after)))}}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	return s
}

// scoresSection lists the scores of both audits, each over its own population.
func (c *comparison) scoresSection() section {
	s := section{id: "scores", title: "Scores"}
	t := table{
		caption: words("Scores of both audits, each over its own population (", c.base.Settings.Population, " before, ", c.head.Settings.Population, " now): their n may differ"),
		head:    columns("system", "target", "metric", "n before#", "n now#", "before#", "now#", "difference#"),
	}
	for i := range c.head.Scores {
		now := &c.head.Scores[i]
		if now.Subset != c.head.Settings.Population {
			continue
		}
		was := c.base.score(now.System, now.Target, c.base.Settings.Population, now.Metric)
		if was == nil {
			continue
		}
		difference := words("-")
		if was.Value != nil && now.Value != nil {
			difference = words(phrase.Signed(*now.Value - *was.Value))
		}
		t.rows = append(t.rows, cells(foreign(now.System), foreign(now.Target), now.Metric, was.N, now.N, scoreCell(was), scoreCell(now), difference))
	}
	if len(t.rows) > 0 {
		s.blocks = []block{t.limit(3 * maxPairs)}
	}
	return s
}

// coverageSection lists where more or fewer queries are covered.
func (c *comparison) coverageSection() section {
	s := section{id: "coverage", title: "Coverage"}
	t := table{caption: words("Covered queries that changed"), head: columns("system", "target", "before#", "now#", "difference#")}
	for _, name := range c.systems() {
		was := c.base.Systems[slices.IndexFunc(c.base.Systems, func(s system) bool { return s.Name == name })]
		is := c.head.Systems[slices.IndexFunc(c.head.Systems, func(s system) bool { return s.Name == name })]
		for _, target := range c.targets() {
			if n, m := was.Covered[target], is.Covered[target]; n != m {
				of := good
				if m < n {
					of = warn
				}
				t.rows = append(t.rows, cells(foreign(name), foreign(target), n, m, cell{text: words(fmt.Sprintf("%+d", m-n)), tone: of}))
			}
		}
	}
	if len(t.rows) > 0 {
		s.blocks = []block{t.limit(maxPairs)}
	}
	return s
}

// noticedSection lists what was not noticed before.
func (c *comparison) noticedSection() section {
	s := section{id: "noticed", title: "Newly noticed"}
	t := table{caption: words("What was noticed in the data and was not before"), head: columns("kind", "system", "query", "what")}
	for _, d := range c.head.Diagnostics {
		if !slices.Contains(c.base.Diagnostics, d) {
			t.rows = append(t.rows, cells(foreign(d.Kind), foreign(d.System), foreign(d.Query), quoted(d.Text)))
		}
	}
	if len(t.rows) > 0 {
		s.blocks = []block{t.limit(maxNoticed)}
	}
	return s
}

// digestsSection says which data changed.
func (c *comparison) digestsSection() section {
	s := section{id: "digests", title: "Data digests", details: true}
	t := table{caption: words("Digests of the content: equal ones mean equal content"), head: columns("of", "before", "now", "content")}
	row := func(of text, was, is string) {
		v := cell{text: words("changed"), tone: warn}
		if was == is {
			v = cell{text: words("same"), tone: muted}
		}
		t.rows = append(t.rows, cells(of, words(was), words(is), v))
	}
	row(words("scenario"), c.base.Scenario.Digest, c.head.Scenario.Digest)
	for _, is := range c.head.Systems {
		if i := slices.IndexFunc(c.base.Systems, func(s system) bool { return s.Name == is.Name }); i >= 0 {
			row(foreign(is.Name), c.base.Systems[i].Digest, is.Digest)
		}
	}
	s.blocks = []block{t.limit(maxPairs)}
	return s
}
