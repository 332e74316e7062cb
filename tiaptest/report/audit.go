package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// How much a document holds. What is left out is counted where it is missing.
const (
	maxPairs     = 200 // rows of a table of pairs
	maxFlips     = 200 // rows of the table of flips
	fullFlips    = 10  // flips with their carriers
	fullCarriers = 3   // carriers of a flip with their rankings
	maxForest    = 40  // pairs of a forest plot
	maxSpread    = 6   // pairs with a histogram
	maxNoticed   = 200 // diagnostics
	maxPerQuery  = 40  // systems of a table made from values of single queries
	maxDepths    = 8   // depth curves
)

// builder makes the document of one audit.
type builder struct {
	*parsed
	a *tiaptest.Audit
	o options
}

// auditDocument makes the document of an audit.
func auditDocument(a *tiaptest.Audit, o options) (*document, error) {
	p, err := parse(a)
	if err != nil {
		return nil, err
	}
	b := &builder{parsed: p, a: a, o: o}
	d := &document{title: words("Audit of ", b.name()), basis: b.basis()}
	d.verdict, d.tone = b.verdict()
	for _, make := range []func() (section, error){
		b.scoresSection, b.winnersSection, b.gapsSection, b.flipsSection, b.rulesSection, b.spreadSection, b.categoriesSection,
		b.coverageSection, b.sizesSection, b.supportSection, b.depthsSection, b.alignmentSection, b.systemsSection, b.cardSection,
		b.noticedSection, b.digestsSection,
	} {
		s, err := make()
		if err != nil {
			return nil, err
		}
		if len(s.blocks) > 0 {
			d.sections = append(d.sections, s)
		}
	}
	return d, nil
}

func (b *parsed) name() text {
	if b.Scenario.Name == "" {
		return words("an unnamed scenario")
	}
	return foreign(b.Scenario.Name)
}

// basis lists what every number stands under.
func (b *parsed) basis() []fact {
	s := b.Settings
	headline := words("undeclared")
	if h := b.headline(); h != "" {
		headline = foreign(h)
	}
	credit := "by " + s.Credit
	if s.Credit == string(tiaptest.ByEvidence) {
		credit += ", uncovered units " + s.Uncovered
	}
	queries := fmt.Sprint(b.Scenario.Queries)
	if b.Scenario.Unscorable > 0 {
		queries += fmt.Sprintf(", %d of them unscorable", b.Scenario.Unscorable)
	}
	facts := []fact{
		{"Headline target", headline},
		{"Other targets", foreigns(slices.DeleteFunc(b.targets(), func(t string) bool { return t == b.headline() }))},
		{"Credit", words(credit)},
		{"Depth", words(s.Depth)},
		{"Population", words(s.Population)},
		{"Shared subset", words(b.sharedText())},
		{"Queries", words(queries)},
	}
	if s.Merge != "" {
		facts = append(facts, fact{"Lists merged by", words(s.Merge)})
	}
	if s.Cluster != "" {
		facts = append(facts, fact{"Resampled by", words(s.Cluster)})
	}
	if len(s.Where) > 0 {
		facts = append(facts, fact{"Categories", foreigns(s.Where)})
	}
	if s.MinEffect > 1e-9 {
		facts = append(facts, fact{"Ties within", words(strconv.FormatFloat(s.MinEffect, 'g', -1, 64))})
	}
	return append(facts, fact{"Intervals", words(fmt.Sprintf("%g%%, %d resamples, seed %d", 100*(1-s.Alpha), s.Resamples, s.Seed))})
}

func (b *parsed) sharedText() text {
	out := words(fmt.Sprintf("%d of %d queries", b.Shared.N, b.scorable()))
	type cost struct {
		system string
		n      int
	}
	var costs []cost
	for _, name := range slices.Sorted(maps.Keys(b.Shared.Cost)) {
		if n := b.Shared.Cost[name]; n > 0 {
			costs = append(costs, cost{name, n})
		}
	}
	slices.SortStableFunc(costs, func(a, b cost) int { return b.n - a.n })
	const shown = 3
	for _, c := range costs[:min(shown, len(costs))] {
		out = words(out, "; ", foreign(c.system), fmt.Sprintf(" costs %d", c.n))
	}
	return out
}

// verdict says whether the winner depends on the target.
func (b *builder) verdict() (text, tone) {
	metric := b.metric()
	pairs := b.pairsBy(metric)
	main := slices.DeleteFunc(slices.Clone(pairs), func(p *tiaptest.Pair) bool { return p.Beside != "" })
	lead := b.leaderText()
	switch flips := b.flips(); {
	case len(b.Systems) < 2:
		return words("One system: no winner is asked for. ", lead), plain
	case len(flips) > 0:
		f := flips[0]
		p := b.pairOf(f)
		out := words("The winner depends on the target: ", b.flipSentence(p, f), ".")
		if n := len(flips) - 1; n > 0 {
			out = words(out, fmt.Sprintf(" %s.", plural(n, "1 further flip is below", fmt.Sprintf("%d further flips are below", n))))
		}
		return words(out, " ", lead), bad
	case len(main) == 0 || !slices.ContainsFunc(main, func(p *tiaptest.Pair) bool { return len(p.Flips) > 0 }):
		return words("No two targets could be compared: see what was noticed. ", lead), warn
	case slices.ContainsFunc(b.Conventions, func(c convention) bool { return c.Flip }):
		return words("No winner depends on the target, but ", b.conventionFlips(), " on another choice of scoring. ", lead), warn
	}
	return words("No winner depends on the target, by any metric. ", lead), good
}

func (b *parsed) conventionFlips() string {
	n := 0
	for _, c := range b.Conventions {
		if c.Flip {
			n++
		}
	}
	return plural(n, "1 winner depends", fmt.Sprintf("%d winners depend", n))
}

// leaderText names the system with the highest score under the headline target.
func (b *parsed) leaderText() text {
	target := b.headline()
	if target == "" {
		return words("No headline target is declared.")
	}
	var best *score
	tied := false
	for _, s := range b.Systems {
		row := b.score(s.Name, target, b.Settings.Population, b.metric())
		switch {
		case row == nil || row.Value == nil:
		case best == nil || *row.Value > *best.Value+b.Settings.MinEffect:
			best, tied = row, false
		case *row.Value >= *best.Value-b.Settings.MinEffect:
			tied = true
		}
	}
	where := words("under ", foreign(target), ", the headline target")
	switch {
	case best == nil:
		return words("No system has a score ", where, ".")
	case len(b.Systems) == 1:
		return words(foreign(best.System), fmt.Sprintf(" has %s %.4f over %d queries ", best.Metric, *best.Value, best.N), where, ".")
	case tied:
		return words("The best systems are tied by ", best.Metric, fmt.Sprintf(" at %.4f over %d queries ", *best.Value, best.N), where, ".")
	}
	return words(foreign(best.System), fmt.Sprintf(" has the highest %s, %.4f over %d queries, ", best.Metric, *best.Value, best.N), where, ".")
}

// flipSentence says which target picks which system.
func (b *parsed) flipSentence(p *tiaptest.Pair, f *tiaptest.Flip) text {
	t0, t1 := f.Targets[0], f.Targets[1]
	return words(foreign(t0), " picks ", foreign(*p.Winners[t0]), ", ", foreign(t1), " picks ", foreign(*p.Winners[t1]),
		" by ", f.Metric, " (", grade(f), ")")
}

// scoresSection lists every score with its target and n.
func (b *builder) scoresSection() (section, error) {
	s := section{id: "scores", title: "Scores"}
	s.blocks = append(s.blocks, b.scoreTable(b.Settings.Population))
	for _, other := range []string{"covered", "shared", "all", "judged", "matched"} {
		if other == b.Settings.Population || b.Scores == nil || b.score(b.Scores[0].System, b.Scores[0].Target, other, b.Scores[0].Metric) == nil {
			continue
		}
		if b.sameScores(other) {
			continue
		}
		s.blocks = append(s.blocks, group{title: words("Over population ", other), folded: true, blocks: []block{b.scoreTable(other)}})
	}
	return s, nil
}

// sameScores reports whether another population has the same queries and scores
// as the audit's own.
func (b *builder) sameScores(population string) bool {
	for i := range b.Scores {
		s := &b.Scores[i]
		if s.Subset != population {
			continue
		}
		own := b.score(s.System, s.Target, b.Settings.Population, s.Metric)
		if own == nil || own.N != s.N || decimals(own.Value) != decimals(s.Value) {
			return false
		}
	}
	return true
}

func (b *builder) scoreTable(population string) table {
	t := table{
		caption: words("Scores over population ", population, ", credit by ", b.Settings.Credit, fmt.Sprintf(", depth %d", b.Settings.Depth)),
		head:    columns("system", "target", "n#"),
	}
	for _, m := range b.Settings.Metrics {
		t.head = append(t.head, column{words(m), true})
	}
	if h := b.headline(); h != "" {
		t.caption = words(t.caption, ", headline ", foreign(h))
	}
	noise := false
	for _, s := range b.Systems {
		for _, target := range b.targets() {
			row := cells(foreign(s.Name), foreign(target), "-")
			if target == b.headline() {
				row[1].tone = strongest
			}
			for _, m := range b.Settings.Metrics {
				c := cell{text: words("-"), tone: muted}
				if sc := b.score(s.Name, target, population, m); sc != nil {
					row[2].text = words(sc.N)
					c = scoreCell(sc)
					noise = noise || sc.SD != nil
				}
				row = append(row, c)
			}
			if slices.Contains(s.Unavailable, target) {
				row[2] = cell{text: words("unavailable"), tone: warn}
			}
			t.rows = append(t.rows, row)
		}
	}
	if noise {
		t.caption = words(t.caption, "; +- is the standard deviation over ingests")
	}
	return t
}

func scoreCell(s *score) cell {
	switch {
	case s.Value == nil:
		return cell{text: words("-"), tone: muted}
	case s.SD != nil:
		return cell{text: words(fmt.Sprintf("%.4f +- %.4f", *s.Value, *s.SD))}
	}
	return cell{text: words(fmt.Sprintf("%.4f", *s.Value))}
}

// winnersSection holds the winners by target, by convention and by family.
func (b *builder) winnersSection() (section, error) {
	s := section{id: "winners", title: "Winners"}
	if len(b.Pairs) == 0 {
		return s, nil
	}
	if n := len(b.Systems); n > 3 {
		s.blocks = append(s.blocks, b.winnersFigure())
	}
	s.blocks = append(s.blocks, b.winnersTable(b.metric()))
	s.blocks = append(s.blocks, b.otherMetrics("Winners by other metrics", b.winnersTable)...)
	s.blocks = append(s.blocks, b.conventionBlocks()...)
	if t := b.recommendations(); len(t.rows) > 0 {
		s.blocks = append(s.blocks, t)
	}
	if t := b.targetOrders(); len(t.rows) > 0 {
		s.blocks = append(s.blocks, t)
	}
	return s, nil
}

func (b *builder) winnersTable(metric string) table {
	t := table{caption: words("Winner of each pair and its lead by ", metric), head: append(columns("pair", "n#"), targetColumns(b.targets(), false)...)}
	t.head = append(t.head, columns("verdict")...)
	pairs := b.pairsBy(metric)
	for _, p := range pairs[:min(maxPairs, len(pairs))] {
		row := cells(pairName(p), p.N)
		for _, target := range b.targets() {
			row = append(row, winnerCell(p, target))
		}
		t.rows = append(t.rows, append(row, pairVerdict(p)))
	}
	t.more = max(0, len(pairs)-maxPairs)
	return t
}

func pairName(p *tiaptest.Pair) text { return words(foreign(p.A), " - ", foreign(p.B)) }

// winnerCell names the winner of a pair under a target.
func winnerCell(p *tiaptest.Pair, target string) cell {
	g, ok := p.Gaps[target]
	switch {
	case !ok || g.Value == nil:
		return cell{text: words("-"), tone: muted}
	case p.Winners[target] == nil:
		return cell{text: words("tie"), tone: muted}
	case *p.Winners[target] == p.A:
		return cell{text: words(foreign(p.A), " ", signed(*g.Value)), tone: first}
	}
	return cell{text: words(foreign(p.B), " ", signed(-*g.Value)), tone: second}
}

func pairVerdict(p *tiaptest.Pair) cell {
	var top *tiaptest.Flip
	tie := false
	for i := range p.Flips {
		f := &p.Flips[i]
		tie = tie || f.Verdict == verdictTie
		if f.Verdict == verdictFlip && (top == nil || gradeRank(f.Grade) > gradeRank(top.Grade)) {
			top = f
		}
	}
	switch {
	case top != nil:
		return cell{text: words("flip (", grade(top), ")"), tone: bad}
	case tie:
		return cell{text: words("tie"), tone: muted}
	case len(p.Flips) == 0:
		return cell{text: words("-"), tone: muted}
	}
	return cell{text: words("same"), tone: good}
}

// winnersFigure shows the winners of many pairs at a glance.
func (b *builder) winnersFigure() figure {
	var panels []matrixPanel
	var alt []string
	at := make(map[string]int)
	var names []text
	for i, s := range b.Systems {
		at[s.Name] = i
		names = append(names, foreign(s.Name))
	}
	pairs := b.pairsBy(b.metric())
	for _, target := range b.Settings.Targets {
		m := matrixPanel{title: foreign(target), leads: make([][]int8, len(names))}
		wins := make([]int, len(names))
		for i := range m.leads {
			m.leads[i] = make([]int8, len(names))
		}
		for _, p := range pairs {
			if p.Beside != "" || p.Winners[target] == nil {
				continue
			}
			i, j := at[p.A], at[p.B]
			if *p.Winners[target] == p.B {
				i, j = j, i
			}
			m.leads[i][j], m.leads[j][i] = 1, -1
			wins[i]++
		}
		best := slices.Index(wins, slices.Max(wins))
		alt = append(alt, fmt.Sprintf("under %s %s leads in %d of its %d pairs, the most", clean(target, nameLength), names[best], wins[best], len(names)-1))
		panels = append(panels, m)
	}
	return figure{
		caption: words("Which system of a row leads which of a column by ", b.metric(), ", under each target"),
		alt:     strings.Join(alt, "; "), plot: matrix{names, panels},
	}
}

// conventionBlocks show the winners by other conventions of scoring.
func (b *builder) conventionBlocks() []block {
	keys := b.conventionKeys()
	if len(keys) == 0 {
		return nil
	}
	of := func(metric string) table {
		t := table{caption: words("Winner by ", metric, " under each convention: credit / uncovered units / population; the first is this audit's own"), head: columns("pair", "target")}
		for _, k := range keys {
			t.head = append(t.head, column{words(strings.ReplaceAll(k, "/", " / ")), false})
		}
		t.head = append(t.head, columns("verdict")...)
		for i := range b.Conventions {
			c := &b.Conventions[i]
			if c.Metric != metric {
				continue
			}
			row := cells(words(foreign(c.A), " - ", foreign(c.B)), foreign(c.Target))
			for _, k := range keys {
				row = append(row, conventionCell(c, k))
			}
			v := cell{text: words("same"), tone: good}
			if c.Flip {
				v = cell{text: words("differs"), tone: bad}
			}
			t.rows = append(t.rows, append(row, v))
		}
		return t.limit(maxPairs)
	}
	return append([]block{of(b.metric())}, b.otherMetrics("Conventions by other metrics", of)...)
}

// otherMetrics folds the tables of all metrics but the first into one group.
func (b *parsed) otherMetrics(title string, of func(metric string) table) []block {
	g := group{title: words(title), folded: true}
	for _, m := range b.Settings.Metrics[1:] {
		g.blocks = append(g.blocks, of(m))
	}
	if len(g.blocks) == 0 {
		return nil
	}
	return []block{g}
}

func conventionCell(c *convention, key string) cell {
	gap, w := c.Gaps[key], c.Winners[key]
	switch {
	case gap == nil:
		return cell{text: words("-"), tone: muted}
	case w == nil:
		return cell{text: words("tie"), tone: muted}
	case *w == c.A:
		return cell{text: words(foreign(c.A), " ", signed(*gap)), tone: first}
	}
	return cell{text: words(foreign(c.B), " ", signed(-*gap)), tone: second}
}

func (b *builder) recommendations() table {
	t := table{caption: words("Recommended member of each family"), head: append(columns("family", "metric", "n#"), targetColumns(b.Settings.Targets, false)...)}
	t.head = append(t.head, columns("verdict")...)
	for _, r := range b.Recommendations {
		row := cells(foreign(r.Family), r.Metric, r.N)
		for _, target := range b.Settings.Targets {
			w, ok := r.Winners[target]
			switch {
			case !ok:
				row = append(row, cell{text: words("-"), tone: muted})
			case w == nil:
				row = append(row, cell{text: words("tie"), tone: muted})
			default:
				row = append(row, cell{text: foreign(*w)})
			}
		}
		v := cell{text: words("same"), tone: good}
		if r.Flip {
			v = cell{text: words("differs"), tone: bad}
		}
		t.rows = append(t.rows, append(row, v))
	}
	return t.limit(maxPairs)
}

// targetOrders lists the orders of the first metric when they differ between
// systems.
func (b *builder) targetOrders() table {
	t := table{caption: words("Order in which the targets score each system by ", b.metric(), ": what a target changes depends on the system"), head: columns("system", "order")}
	var orders []string
	for _, o := range b.TargetOrders {
		if o.Metric == b.metric() {
			orders = append(orders, strings.Join(o.Order, " > "))
			t.rows = append(t.rows, cells(foreign(o.System), quoted(strings.Join(o.Order, " > "))))
		}
	}
	slices.Sort(orders)
	if len(slices.Compact(orders)) < 2 {
		return table{}
	}
	return t.limit(maxPairs)
}

// gapsSection shows the gaps of the first metric with their intervals.
func (b *builder) gapsSection() (section, error) {
	s := section{id: "gaps", title: "Gaps"}
	pairs := b.pairsBy(b.metric())
	if len(pairs) == 0 {
		return s, nil
	}
	level := fmt.Sprintf("%g%%", 100*(1-b.Settings.Alpha))
	t := table{
		caption: words("Gap of each pair by ", b.metric(), ": score of the first system minus score of the second, with its ", level, " interval; p is adjusted over pairs and targets"),
		head:    columns("pair", "target", "gap#", level+" CI", "p adj#"),
	}
	plot := forest{axis: "gap by " + b.metric()}
	clear, rows := 0, 0
	for i, p := range pairs {
		group := forestGroup{label: pairName(p)}
		for _, target := range b.targets() {
			g, ok := p.Gaps[target]
			if !ok || g.Value == nil {
				continue
			}
			t.rows = append(t.rows, cells(pairName(p), foreign(target), signed(*g.Value), interval(g.CI), pValue(g.PAdj)))
			if i >= maxForest {
				continue
			}
			row := forestRow{label: foreign(target), value: *g.Value, tone: winnerCell(p, target).tone}
			if len(g.CI) == 2 {
				row.ci = g.CI
			}
			group.rows = append(group.rows, row)
			rows++
			if row.ci != nil && (row.ci[0] > 0 || row.ci[1] < 0) {
				clear++
			}
		}
		if len(group.rows) > 0 {
			plot.groups = append(plot.groups, group)
		}
	}
	caption := words("Gaps by ", b.metric(), " with their ", level, " intervals; right of 0 the first system of a pair leads")
	if n := len(pairs) - maxForest; n > 0 {
		caption = words(caption, fmt.Sprintf("; %d further pairs are not drawn", n))
	}
	if len(plot.groups) > 0 {
		s.blocks = append(s.blocks, figure{caption: caption, alt: fmt.Sprintf("%d %s; 0 lies outside the intervals of %d", rows, plural(rows, "gap", "gaps"), clear), plot: plot})
		s.blocks = append(s.blocks, group{title: words("Gaps as a table"), folded: true, numbers: true, blocks: []block{t.limit(3 * maxPairs)}})
	}
	return s, nil
}

// rulesSection says which rules the audit keeps.
func (b *builder) rulesSection() (section, error) {
	s := section{id: "rules", title: "Rules"}
	t := table{caption: words("Rules that were checked"), head: columns("rule", "result")}
	var details []block
	for _, r := range b.o.rules {
		result := cell{text: words("holds"), tone: good}
		for _, v := range r.Verify(b.a) {
			if v.Note {
				if result.tone == good {
					result = cell{text: words("holds, with a note"), tone: warn}
				}
			} else {
				result = cell{text: words("broken"), tone: bad}
			}
			sentence, rest, _ := strings.Cut(strings.TrimSpace(v.Text), "\n")
			if rest == "" {
				details = append(details, paragraph{text: quoted(sentence)})
			} else {
				details = append(details, group{title: quoted(sentence), folded: true, blocks: []block{newMessage(rest)}})
			}
		}
		t.rows = append(t.rows, []cell{{text: quoted(r.String())}, result})
	}
	if len(t.rows) > 0 {
		s.blocks = append([]block{t}, details...)
	}
	return s, nil
}

// noticedSection lists the diagnostics.
func (b *builder) noticedSection() (section, error) {
	s := section{id: "noticed", title: "Noticed", details: true}
	t := table{caption: words("What was noticed in the data"), head: columns("kind", "system", "query", "what")}
	for _, d := range b.Diagnostics {
		t.rows = append(t.rows, cells(foreign(d.Kind), foreign(d.System), foreign(d.Query), quoted(d.Text)))
	}
	if len(t.rows) == 0 {
		s.blocks = []block{paragraph{text: words("Nothing was noticed in the data.")}}
		return s, nil
	}
	s.blocks = []block{t.limit(maxNoticed)}
	return s, nil
}

// digestsSection names the data that was audited.
func (b *builder) digestsSection() (section, error) {
	s := section{id: "digests", title: "Data digests", details: true}
	t := table{caption: words("Digests of the content, whatever its order in files: equal ones mean equal content"), head: columns("of", "what", "digest")}
	t.rows = append(t.rows,
		cells(words("scenario"), words("queries with their evidence"), words(b.Scenario.Digest)),
		cells(words("shared subset"), words("ids of queries"), words(b.Shared.Digest)))
	for _, sys := range b.Systems {
		store, run, err := b.a.Digests(sys.Name)
		if err != nil {
			return s, err
		}
		t.rows = append(t.rows,
			cells(foreign(sys.Name), words("store"), words(store)),
			cells(foreign(sys.Name), words("run"), words(run)))
	}
	s.blocks = []block{t}
	return s, nil
}

func signed(x float64) string { return fmt.Sprintf("%+.4f", x) }

func interval(ci []float64) string {
	if len(ci) != 2 {
		return "-"
	}
	return fmt.Sprintf("[%+.4f, %+.4f]", ci[0], ci[1])
}

func pValue(p *float64) string {
	if p == nil {
		return "-"
	}
	if *p < 1e-4 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.2g", *p)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
