package script

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// audit prints the table of the audit that the next lines are about. Negated, it
// expects that there is none, and prints why to standard error; a folder that
// cannot be read is no bundle with faults, but more likely a misspelt one.
func audit(l *line) {
	a, err := l.tryRescore("")
	switch {
	case err != nil && l.neg && l.readable():
		fmt.Fprintln(l.ts.Stderr(), l.clean(err.Error()))
		return
	case err != nil:
		l.ts.Fatalf("%s", l.clean(err.Error()))
	}
	var b strings.Builder
	l.ts.Check(a.WriteTable(&b))
	l.printf("%s", b.String())
	if l.neg {
		l.ts.Fatalf("the audit is possible; expected a fault")
	}
}

// readable reports whether what should hold the bundle is a folder that can be read.
func (l *line) readable() bool {
	if len(l.dirs) == 0 {
		return true
	}
	_, err := os.ReadDir(l.ts.MkAbs(l.dirs[0]))
	return err == nil
}

func explain(l *line) {
	text, err := l.rescore("").Explain(l.args[0])
	l.ts.Check(err)
	l.printf("%s", text)
}

// claimed is the number that the line expects as its argument i, if there is one.
func (l *line) claimed(i int) (c claim, ok bool) {
	if i >= len(l.args) {
		return claim{}, false
	}
	c, ok = parseClaim(l.args[i])
	if !ok {
		l.ts.Fatalf("%s: %q is no number; write 0.51, >=0.51 or <=0.51\n%s", l.name, l.args[i], l.usageLine())
	}
	return c, true
}

func score(l *line) {
	system, target, metric := l.args[0], l.args[1], l.args[2]
	want, claimed := l.claimed(3)
	a := l.rescore(metric)
	a.check(l, []string{system}, []string{target})
	for _, row := range a.report.Scores {
		if row.System != system || row.Target != target || row.Subset != a.report.Settings.Population {
			continue
		}
		if row.Value == nil {
			l.noScore(a, claimed)
			return
		}
		found := fmt.Sprintf("%s of %s under %s is %s, population %s, n %d", metric, system, target, want.show(*row.Value), row.Subset, row.N)
		if claimed {
			l.judge(want.holds(*row.Value), found, want.text)
		} else {
			l.judge(true, found, "a score")
		}
		return
	}
	l.ts.Fatalf("the audit has no %s of %s under %s", metric, system, target)
}

// noScore judges a score that is undefined, of which no value can be expected.
func (l *line) noScore(a *audited, claimed bool) {
	target, err := l.in.Target(a.bundle, l.args[1])
	l.ts.Check(err)
	metric, err := tiaptest.ParseMetric(l.args[2])
	l.ts.Check(err)
	_, why := a.Score(l.args[0], target, metric)
	if claimed {
		l.ts.Fatalf("%v", why)
	}
	l.judge(false, why.Error(), "a score")
}

func coverage(l *line) {
	system, target := l.args[0], l.args[1]
	want, claimed := l.claimed(2)
	a := l.rescore("")
	a.check(l, []string{system}, []string{target})
	i := slices.Index(a.systems(), system)
	s := a.report.Systems[i]
	if slices.Contains(s.Unavailable, target) {
		found := fmt.Sprintf("%s is unavailable in %s: its store has no lineage for it", target, system)
		if claimed {
			l.ts.Fatalf("%s", found)
		}
		l.judge(false, found, "a coverage")
		return
	}
	covered, all := s.Covered[target], a.report.Scenario.Queries-a.report.Scenario.Unscorable
	share := float64(covered) / float64(all)
	found := fmt.Sprintf("%s covers %d of %s under %s (%s)", system, covered, queries(all), target, want.show(share))
	if claimed {
		l.judge(want.holds(share), found, want.text)
	} else {
		l.judge(true, found, "a coverage")
	}
}

func subset(l *line) {
	want, claimed := l.claimed(0)
	if !claimed && l.neg {
		l.wrongUsage()
	}
	a := l.rescore("", tiaptest.Population("shared"))
	n, by := a.Shared().N, "all systems"
	if len(l.args) > 1 {
		systems := l.args[1:]
		a.check(l, systems, nil)
		ids, err := a.SharedQueries(systems...)
		l.ts.Check(err)
		n, by = len(ids), strings.Join(systems, ", ")
	}
	found := fmt.Sprintf("shared by %s: %d of %s", by, n, queries(a.report.Scenario.Queries-a.report.Scenario.Unscorable))
	if len(l.args) < 2 {
		for _, s := range a.systems() {
			if cost := a.Shared().Cost[s]; cost > 0 {
				found += fmt.Sprintf("; %s costs %d", s, cost)
			}
		}
	}
	l.judge(!claimed || want.holds(float64(n)), found, want.text)
}

func recommend(l *line) {
	family, target, metric := l.args[0], l.args[1], l.args[2]
	a := l.rescore(metric)
	a.check(l, nil, []string{target})
	i := slices.IndexFunc(a.report.Recommendations, func(r tiaptest.Recommendation) bool { return r.Family == family })
	if i < 0 {
		l.ts.Fatalf("no family %q with at least two systems; say in system.json which systems are its members", family)
	}
	rec := a.report.Recommendations[i]
	best, compared := rec.Winners[target]
	if !compared || rec.N == 0 {
		l.ts.Fatalf("the members of family %s cannot be compared on %s under %s", family, metric, target)
	}
	member := "none, the best are tied"
	if best != nil {
		member = *best
	}
	found := fmt.Sprintf("%s of family %s under %s recommends %s, n %d", metric, family, target, member, rec.N)
	if len(l.args) == 4 {
		a.check(l, l.args[3:], nil)
		l.judge(best != nil && *best == l.args[3], found, l.args[3])
	} else {
		l.judge(best != nil, found, "a recommendation")
	}
}
