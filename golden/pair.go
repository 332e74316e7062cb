package golden

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
)

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

// pair compares the winners of two systems by one metric, and whether targets name
// different ones.
func (c *comparison) pair(w, g *pairRecord, metric string) {
	x := c.gaps(w, g, metric)
	if x.incomparable != "" {
		c.incomparable(x)
		return
	}
	before := len(c.d.Findings)
	for i := range x.under {
		c.winner(x, &x.under[i])
	}
	for i := range x.under {
		for j := range x.under[i+1:] {
			c.flip(x, &x.under[i], &x.under[i+1+j])
		}
	}
	if len(c.d.Findings) > before && x.inGot != nil {
		c.intervals(x)
	}
}

// incomparable says which winners seem to be others that cannot be compared.
func (c *comparison) incomparable(x *gaps) {
	for _, g := range x.under {
		if c.s.winner(g.was, g.is, beyond) == Same {
			continue
		}
		c.winners[winnerKey(x.a, x.b, g.target, x.metric)] = decided{verdict: Inconclusive}
		f := x.finding(Inconclusive, g.target)
		f.Text = fmt.Sprintf("inconclusive on %s under %s: the gap of %s and %s was %+.4f and is %+.4f, but %s", x.metric, g.target, x.a, x.b, g.was, g.is, x.incomparable)
		c.add(f)
	}
}

// winner compares who leads under a target.
func (c *comparison) winner(x *gaps, g *gap) {
	noise, e := c.change(x, g)
	r := row{Target: g.target, Recorded: g.was, Now: g.is, Change: g.is - g.was}
	if e != nil {
		r.ChangeCI, r.changeLevel, r.Floor = e.ci, phrase.Level(e.alpha), e.floor
	}
	x.block.rows = append(x.block.rows, r)
	v := c.s.winner(g.was, g.is, noise)
	known := v == WinnerFlip && c.knownUnder(x, g)
	c.winners[winnerKey(x.a, x.b, g.target, x.metric)] = decided{v, known}
	if v == Same {
		return
	}
	f := x.finding(v, g.target)
	f.Text = fmt.Sprintf("%s on %s under %s: %s -> %s", words(v), x.metric, g.target, c.leader(x, g.was), c.leader(x, g.is))
	switch {
	case v == Inconclusive && e != nil:
		f.Text += fmt.Sprintf("; the gap changes by %+.4f %s (%s CI), noise %.4f", e.value, phrase.Interval(e.ci), phrase.Level(e.alpha), e.floor)
	case x.untested:
		f.Text += "; there are no scores of single ingests to tell it from noise"
	}
	if g.queriesIs != nil {
		up := 1.0
		if g.is < g.was {
			up = -1
		}
		f.carry(c.got.scores, x.inGot, scaled(minus(g.queriesIs, g.queriesWas), up))
		if v == WinnerFlip {
			f.LeaveOut = c.s.leaveOut(scaled(g.queriesIs, up), c.s.sign(float64(up*g.was)))
		}
	}
	c.addUnless(known, f)
}

// flip compares whether two targets name different winners.
func (c *comparison) flip(x *gaps, g, h *gap) {
	was, is := c.want.content.known(x.a, x.b, x.metric, g.target, h.target), c.got.content.known(x.a, x.b, x.metric, g.target, h.target)
	noise, _ := c.change(x, g, h)
	v := c.s.flip([2]float64{g.was, h.was}, [2]float64{g.is, h.is}, was, is, noise)
	if v == Same {
		return
	}
	f := x.finding(v, g.target, h.target)
	f.Text = fmt.Sprintf("%s on %s: %s picks %s, %s picks %s", words(v), x.metric, g.target, c.leader(x, g.is), h.target, c.leader(x, h.is))
	switch {
	case v == FlipResolved:
		f.Text += fmt.Sprintf("; recorded %s and %s", c.leader(x, g.was), c.leader(x, h.was))
	case v == NewFlip && was:
		f.Text += "; it was recorded as known and is not known any more"
	}
	if v == NewFlip && g.queriesIs != nil {
		shift := minus(g.queriesIs, h.queriesIs)
		up := 1.0
		if mean(shift) < 0 {
			up = -1
		}
		f.carry(c.got.scores, x.inGot, scaled(shift, up))
	}
	c.addUnless(v == NewFlip && is, f)
}

// intervals adds those of the gaps, and of their changes, to the rows of a pair.
func (c *comparison) intervals(x *gaps) {
	for i, g := range x.under {
		r := &x.block.rows[i]
		r.NowCI, r.nowLevel = c.stat.paired(g.queriesIs, c.scopesAt(x.inGot)).ci, phrase.Level(c.stat.alpha)
		if r.ChangeCI == nil {
			r.ChangeCI, r.changeLevel = c.stat.paired(minus(g.queriesIs, g.queriesWas), c.scopesAt(x.inGot)).ci, r.nowLevel
		}
	}
}

// knownUnder reports whether another winner under a target is part of a known flip of
// the pair, so that it is known too: of a flip between that target and another that
// agreed when recorded and do not now. Where they disagreed before, the known flip
// says nothing about a winner that reversed.
func (c *comparison) knownUnder(x *gaps, g *gap) bool {
	return slices.ContainsFunc(x.under, func(h gap) bool {
		return c.got.content.known(x.a, x.b, x.metric, g.target, h.target) && !c.s.flips(g.was, h.was) && c.s.flips(g.is, h.is)
	})
}

// leader names who leads by a gap.
func (c *comparison) leader(x *gaps, gap float64) string {
	switch c.s.sign(gap) {
	case 1:
		return x.a
	case -1:
		return x.b
	}
	return tied
}

func winnerKey(a, b, target, metric string) string {
	return setKey(a, b) + "\t" + target + "\t" + metric
}

// gaps are those of a pair by one metric, on the queries that both records have.
type gaps struct {
	a, b, metric  string
	under         []gap
	n             int   // queries
	inWant, inGot []int // where they are, if single ones have scores
	block         *block
	tests         int    // so many are made by all pairs and metrics
	incomparable  string // why, if so
	repeated      bool   // there are ingests enough to know the noise between them,
	untested      bool   // or no scores of theirs to tell it by
}

// gap is the gap of two systems under one target, recorded and now.
type gap struct {
	target                string
	was, is               float64
	queriesWas, queriesIs []float64 // by query, if known
	ingestsWas, ingestsIs []float64 // by ingest, if repeated
}

// finding begins one about gaps.
func (x *gaps) finding(v Verdict, targets ...string) Finding {
	return Finding{Verdict: v, Systems: []string{x.a, x.b}, Targets: targets, Metric: x.metric, N: x.n, block: x.block}
}

// gaps computes the gaps of a pair.
func (c *comparison) gaps(w, g *pairRecord, metric string) *gaps {
	x := &gaps{a: w.A, b: w.B, metric: metric, n: g.Compared.N, block: &block{gap: true, what: fmt.Sprintf("gap %s-%s", w.A, w.B)}}
	for _, t := range targetsOf(w.Margins) {
		if was, is := w.Margins[t][metric], g.Margins[t][metric]; was != nil && is != nil {
			x.under = append(x.under, gap{target: t, was: float64(*was), is: float64(*is)})
		}
	}
	byQuery := c.scored() && c.got.content.Identity.Population != "covered" && !isRatio(metric)
	switch {
	case byQuery:
		c.gapsByQuery(x)
	case w.Compared.Digest != g.Compared.Digest:
		x.incomparable = fmt.Sprintf("the queries differ (recorded %d, now %d) and single queries have no score to compare by", w.Compared.N, g.Compared.N)
	default:
		x.untested = c.repeats(w.A, w.B)
	}
	x.block.basis, x.block.few = c.basis(x.n, w.Compared.N, g.Compared.N, w.A, w.B)
	x.tests = len(c.want.content.Pairs) * len(x.under) * len(c.want.content.Identity.Metrics)
	return x
}

// gapsByQuery computes gaps from the scores of single queries, and drops those that
// these do not tell.
func (c *comparison) gapsByQuery(x *gaps) {
	key := setKey(x.a, x.b)
	x.inWant, x.inGot = common(c.want.scores, c.got.scores, key, key)
	x.n, x.repeated = len(x.inGot), c.repeats(x.a, x.b)
	if x.n == 0 {
		x.incomparable = "no query is compared in both"
		return
	}
	var told []gap
	for _, g := range x.under {
		var ok1, ok2 bool
		g.queriesWas, ok1 = c.want.scores.gap(x.a, x.b, g.target, x.metric, x.inWant)
		g.queriesIs, ok2 = c.got.scores.gap(x.a, x.b, g.target, x.metric, x.inGot)
		if !ok1 || !ok2 {
			continue
		}
		g.was, g.is = mean(g.queriesWas), mean(g.queriesIs)
		if x.repeated {
			g.ingestsWas = c.want.scores.ingestGaps(x.a, x.b, g.target, x.metric, x.inWant)
			g.ingestsIs = c.got.scores.ingestGaps(x.a, x.b, g.target, x.metric, x.inGot)
		}
		told = append(told, g)
	}
	x.under = told
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
	switch {
	case len(va) == 1:
		va = slices.Repeat(va, len(vb))
	case len(vb) == 1:
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

// change is the evidence that a gap, or the shift between two, is another than
// recorded. The saved rankings of single ingests are what they are: nothing explains a
// difference away. Of several ingests without scores of their own, as by micro_recall,
// noise may explain any.
func (c *comparison) change(x *gaps, g *gap, h ...*gap) (evidence, *estimate) {
	if !x.repeated {
		return evidence(x.untested), nil
	}
	was, is := g.ingestsWas, g.ingestsIs
	if len(h) > 0 {
		was, is = minus(was, h[0].ingestsWas), minus(is, h[0].ingestsIs)
	}
	e, ok := c.stat.repeated(is, was, x.tests)
	if !ok {
		return explained, nil
	}
	return e.noise, &e
}
