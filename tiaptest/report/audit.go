package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// How much a document holds. What is left out is counted where it is missing.
const (
	maxPairs     = 200 // rows of a table of pairs
	maxFlips     = 200 // rows of the table of flips
	fullFlips    = 10  // flips with their carriers
	fullCarriers = 3   // carriers of a flip with their rankings
	maxForest    = 40  // pairs of a forest plot
	maxBars      = 120 // bars of a plot
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
	for _, next := range []func() (section, error){
		b.scoresSection, b.winnersSection, b.conventionsSection, b.gapsSection, b.flipsSection, b.rulesSection, b.spreadSection, b.powerSection,
		b.changedSection, b.categoriesSection, b.coverageSection, b.sizesSection, b.compositionSection, b.supportSection, b.depthsSection,
		b.joinedSection, b.answersSection, b.systemsSection, b.cardSection, b.noticedSection, b.digestsSection,
	} {
		s, err := next()
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
	if s.MinEffect > auditjson.Defaults().MinEffect {
		facts = append(facts, fact{"Ties within", words(strconv.FormatFloat(s.MinEffect, 'g', -1, 64))})
	}
	return append(facts, fact{"Intervals", words(fmt.Sprintf("%s, %d resamples, seed %d", phrase.Level(s.Alpha), s.Resamples, s.Seed))})
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
		return words(b.flipsText(flips), " ", lead), b.flipTone(b.foremost(flips))
	case len(main) == 0 || !slices.ContainsFunc(main, func(p *tiaptest.Pair) bool { return len(p.Flips) > 0 }):
		return words("No two targets could be compared: see what was noticed. ", lead), warn
	case slices.ContainsFunc(b.Conventions, func(c convention) bool { return c.Flip }):
		return words("No winner depends on the target, but ", b.conventionFlips(), ". ", lead), warn
	}
	if tied, n := b.tied(); tied > 0 {
		return words(fmt.Sprintf("No two targets have different winners, but %d of %d comparisons of two systems by a metric %s a target under which they are tied. ",
			tied, n, english.Noun(tied, "has", "have")), lead), warn
	}
	return words("No winner depends on the target, by any metric. ", lead), good
}

// foremost is the flip that is told first: the first one that is not known, or the
// first of all.
func (b *builder) foremost(flips []*tiaptest.Flip) *tiaptest.Flip {
	for _, f := range flips {
		if _, known := b.a.Known(*f); !known {
			return f
		}
	}
	return flips[0]
}

// flipsText tells the foremost of flips, and how many others there are.
func (b *builder) flipsText(flips []*tiaptest.Flip) text {
	f := b.foremost(flips)
	out := words("The winner depends on the target: ", b.flipSentence(b.pairOf(f), f))
	if known := b.known(f).text; known != nil {
		out = words(out, "; ", known)
	}
	out = words(out, ".")
	further, known := 0, 0
	for _, other := range flips {
		if other == f {
			continue
		}
		further++
		if _, ok := b.a.Known(*other); ok {
			known++
		}
	}
	if further > 0 {
		out = words(out, fmt.Sprintf(" %s%s.", english.Noun(further, "1 further flip is below", fmt.Sprintf("%d further flips are below", further)), phrase.Known(known, further)))
	}
	return out
}

// tied counts the comparisons by main targets that are tied under one, of how many.
func (b *parsed) tied() (tied, n int) {
	for i := range b.Pairs {
		p := &b.Pairs[i]
		if p.Beside != "" {
			continue
		}
		n++
		for _, w := range p.Winners {
			if w == nil {
				tied++
				break
			}
		}
	}
	return tied, n
}

// conventionFlips counts the winners that depend on a convention.
func (b *builder) conventionFlips() string {
	n, known := 0, 0
	for i := range b.Conventions {
		if !b.Conventions[i].Flip {
			continue
		}
		n++
		if _, ok := b.a.Known(*asFlip(&b.Conventions[i])); ok {
			known++
		}
	}
	return english.Count(n, "winner depends", "winners depend") + " on another choice of scoring" + phrase.Known(known, n)
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
	over := ""
	if best != nil {
		over = fmt.Sprintf("%.4f over %s", *best.Value, english.Count(best.N, "query", "queries"))
	}
	switch {
	case best == nil:
		return words("No system has a score ", where, ".")
	case len(b.Systems) == 1:
		return words(foreign(best.System), " has ", best.Metric, " ", over, " ", where, ".")
	case tied:
		return words("The best systems are tied by ", best.Metric, " at ", over, " ", where, ".")
	}
	return words(foreign(best.System), " has the highest ", best.Metric, ", ", over, ", ", where, ".")
}

// flipSentence says which target picks which system.
func (b *parsed) flipSentence(p *tiaptest.Pair, f *tiaptest.Flip) text {
	t0, t1 := f.Targets[0], f.Targets[1]
	return words(foreign(t0), " picks ", foreign(*p.Winners[t0]), ", ", foreign(t1), " picks ", foreign(*p.Winners[t1]),
		" by ", f.Metric, " (", grade(f), ")")
}

// target is the audit's target of that name.
func (b *builder) target(name string) tiaptest.Target {
	ts := b.a.Targets()
	return ts[slices.IndexFunc(ts, func(t tiaptest.Target) bool { return t.String() == name })]
}
