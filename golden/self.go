package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
)

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

// selfChange is what became of a system's score under one target.
type selfChange struct {
	target  string
	value   float64
	queries []float64 // of single queries
	verdict Verdict
	tested  bool     // noise between ingests is known,
	noise   evidence // and may explain it
}

// self compares a system's scores by one metric with its recorded ones.
func (c *comparison) self(w, g *systemRecord, metric string, inWant, inGot []int) {
	b := &block{what: "score of " + w.Name}
	b.basis, b.few = c.basis(len(inWant), w.Compared.N, g.Compared.N, w.Name)
	var changes []selfChange
	for _, t := range targetsOf(w.Covered) {
		if x, r, ok := c.selfChange(w, t, metric, inWant, inGot); ok {
			changes, b.rows = append(changes, x), append(b.rows, r)
		}
	}
	f := Finding{Verdict: Same, Systems: []string{w.Name}, Metric: metric, N: len(inWant), block: b}
	for i := range changes {
		t := &changes[i]
		f.Verdict = graver(f.Verdict, t.verdict)
		for j := range changes[i+1:] {
			u := &changes[i+1+j]
			v := c.changeFlip(t, u, inGot)
			if v == ChangeFlip && f.Verdict != ChangeFlip {
				f.Targets = []string{t.target, u.target}
				f.carry(c.got.scores, inGot, scaled(minus(t.queries, u.queries), float64(c.s.sign(t.value))))
			}
			f.Verdict = graver(f.Verdict, v)
		}
	}
	if f.Verdict == Same {
		return
	}
	if f.Verdict != ChangeFlip {
		f.oneWay(changes, c.got.scores, inGot)
	}
	var parts, shape []string
	for _, x := range changes {
		switch c.s.sign(x.value) {
		case 1:
			parts = append(parts, fmt.Sprintf("gains %.4f under %s", x.value, x.target))
			shape = append(shape, "gains under "+x.target)
		case -1:
			parts = append(parts, fmt.Sprintf("loses %.4f under %s", -x.value, x.target))
			shape = append(shape, "loses under "+x.target)
		}
	}
	f.Text = fmt.Sprintf("%s on %s: %s %s", words(f.Verdict), metric, w.Name, strings.Join(parts, ", "))
	f.shape = fmt.Sprintf("%s: %s %s", words(f.Verdict), w.Name, strings.Join(shape, ", "))
	c.add(f)
}

// selfChange compares a system's score under one target with the recorded one. A ratio
// of sums (micro_recall) has no scores of single queries and so no interval to judge a
// change by; recall at its depth has.
func (c *comparison) selfChange(w *systemRecord, t, metric string, inWant, inGot []int) (x selfChange, r row, ok bool) {
	was, ok1 := c.want.scores.means(w.Name, t, metric, inWant)
	is, ok2 := c.got.scores.means(w.Name, t, metric, inGot)
	if !ok1 || !ok2 || len(was) == 0 {
		return x, r, false
	}
	x.target, x.queries = t, minus(is, was)
	e := c.stat.paired(x.queries, c.scopesAt(inGot))
	if c.ingests(w.Name) == several {
		tests := len(c.want.content.Systems) * len(w.Covered) * len(c.want.content.Identity.Metrics)
		now, recorded := c.got.scores.ingestMeans(w.Name, t, metric, inGot), c.want.scores.ingestMeans(w.Name, t, metric, inWant)
		if by, ok := c.stat.repeated(now, recorded, tests); ok {
			e, x.tested, x.noise = by, true, by.noise
		}
	}
	x.value, x.verdict = e.value, c.s.self(e.value, e.noise)
	return x, row{Target: t, Recorded: mean(was), Now: mean(is), Change: e.value, ChangeCI: e.ci, changeLevel: phrase.Level(e.alpha), Floor: e.floor}, true
}

// changeFlip judges the changes of one system under two targets.
func (c *comparison) changeFlip(t, u *selfChange, at []int) Verdict {
	shift := t.noise || u.noise // either may be noise
	if !t.tested {
		shift = c.stat.paired(minus(t.queries, u.queries), c.scopesAt(at)).noise
	}
	return c.s.changeFlip([2]float64{t.value, u.value}, shift)
}

// graver is the verdict of two that a finding has: the one that is decided first, if
// it is not that nothing can be told.
func graver(v, w Verdict) Verdict {
	switch {
	case w == Same, v != Same && v != Inconclusive && (w == Inconclusive || order[v] <= order[w]):
		return v
	}
	return w
}

// oneWay names the targets under which a finding holds, and the queries whose mean
// change under these carries it.
func (f *Finding) oneWay(changes []selfChange, q *queryScores, at []int) {
	under := slices.DeleteFunc(slices.Clone(changes), func(x selfChange) bool { return x.verdict != f.Verdict })
	for _, x := range under {
		f.Targets = append(f.Targets, x.target)
	}
	if f.Verdict != Regressed && f.Verdict != Improved {
		return
	}
	total := make([]float64, len(at))
	for _, x := range under {
		for i, d := range x.queries {
			if f.Verdict == Regressed {
				d = -d
			}
			total[i] += d / float64(len(under))
		}
	}
	f.carry(q, at, total)
}
