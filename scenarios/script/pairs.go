package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// winner expects that a system leads another one, or every other one.
func winner(l *line) {
	n := len(l.args)
	system, target, metric := l.args[0], l.args[n-2], l.args[n-1]
	a := l.rescore(metric)
	a.check(l, l.args[:n-2], []string{target})
	others := slices.DeleteFunc(a.systems(), func(s string) bool { return s == system })
	if n == 4 {
		others = l.args[1:2]
	}
	if len(others) == 0 || others[0] == system {
		l.ts.Fatalf("%s has no other system to lead", system)
	}
	leads := true
	var found []string
	for _, other := range others {
		p, reversed, ok := a.pair(system, other, target)
		if !ok {
			l.ts.Fatalf("%s", a.incomparable(system, other, metric, target))
		}
		w := p.Winners[target]
		leads = leads && w != nil && *w == system
		found = append(found, fmt.Sprintf("%s on %s under %s: gap %s-%s %s, n %d",
			leader(w, system, other), metric, target, system, other, gapText(p.Gaps[target], reversed), p.N))
	}
	expected := system + " to lead " + strings.Join(others, ", ")
	l.judge(leads, strings.Join(found, "; "), expected)
}

func leader(winner *string, a, b string) string {
	switch {
	case winner == nil:
		return a + " and " + b + " are level"
	case *winner == a:
		return a + " leads " + b
	}
	return b + " leads " + a
}

var grades = []tiaptest.Grade{tiaptest.Fragile, tiaptest.Likely, tiaptest.Decisive}

func flipFlags(l *line) {
	l.in.Set.StringVar(&l.from, "from", "", "expect a flip of this `grade` at least: fragile, likely or decisive")
}

// flip expects that the winner of two systems differs between two targets.
func flip(l *line) {
	systems, targets, metric := l.args[:2], l.args[2:4], l.args[4]
	from := slices.Index(grades, tiaptest.Grade(l.from))
	if from < 0 && l.from != "" {
		l.ts.Fatalf("flip: -from %s: use fragile, likely or decisive", l.from)
	}
	if systems[0] == systems[1] || targets[0] == targets[1] {
		l.ts.Fatalf("flip: name two systems and two targets\n%s", l.usageLine())
	}
	a := l.rescore(metric)
	a.check(l, systems, targets)
	p, reversed, ok := a.pair(systems[0], systems[1], targets...)
	i := slices.IndexFunc(p.Flips, func(f tiaptest.Flip) bool {
		return slices.Contains(f.Targets[:], targets[0]) && slices.Contains(f.Targets[:], targets[1])
	})
	if !ok || i < 0 {
		l.ts.Fatalf("%s", a.incomparable(systems[0], systems[1], metric, targets...))
	}
	f := p.Flips[i]
	if f.Targets[0] != targets[0] {
		reversed = !reversed // the shift runs from the second target to the first
	}
	holds := f.Verdict == "flip" && slices.Index(grades, f.Grade) >= from
	expected := "a flip"
	if l.from != "" {
		expected += " from " + l.from + " on"
	}
	l.judge(holds, flipText(p, f, targets, reversed), expected)
}

func flipText(p tiaptest.Pair, f tiaptest.Flip, targets []string, reversed bool) string {
	if f.Verdict != "flip" {
		return fmt.Sprintf("no flip on %s: %s, %s, n %d", p.Metric, picks(p, targets[0]), picks(p, targets[1]), p.N)
	}
	text := fmt.Sprintf("winner flip on %s: %s, %s", p.Metric, picks(p, targets[0]), picks(p, targets[1]))
	if f.Grade != "" {
		text += fmt.Sprintf(" (%s: shift %s)", f.Grade, gapText(f.Shift, reversed))
	}
	text += fmt.Sprintf(", n %d", p.N)
	if f.LeaveOut != nil {
		text += fmt.Sprintf("; leaving out %s removes it", queries(*f.LeaveOut))
	}
	if len(f.Carriers) > 0 {
		text += "; carried by"
		for i, c := range f.Carriers[:min(3, len(f.Carriers))] {
			text += map[bool]string{true: " ", false: ", "}[i == 0] + c.Query
		}
		if more := f.CarriedBy - 3; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return text
}

func picks(p tiaptest.Pair, target string) string {
	if w := p.Winners[target]; w != nil {
		return target + " picks " + *w
	}
	return target + " picks neither"
}
