package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/tiaptest"
)

// audited is an audit with its JSON report, which is where the commands find what
// they need.
type audited struct {
	*tiaptest.Audit
	bundle *tiaptest.Bundle
	report auditjson.Report[tiaptest.Shared, tiaptest.Pair, tiaptest.Recommendation, struct{}]
}

func newAudited(a *tiaptest.Audit, b *tiaptest.Bundle) (*audited, error) {
	out := &audited{Audit: a, bundle: b}
	return out, auditjson.Read(a.WriteJSON, &out.report)
}

func (a *audited) systems() []string {
	var names []string
	for _, s := range a.report.Systems {
		names = append(names, s.Name)
	}
	return names
}

// check ends the script when the audit has no such systems or targets.
func (a *audited) check(l *line, systems, targets []string) {
	for _, s := range systems {
		if names := a.systems(); !slices.Contains(names, s) {
			l.ts.Fatalf("the audit has no system %q; it has %s", s, strings.Join(names, ", "))
		}
	}
	for _, t := range targets {
		if names := slices.Concat(a.report.Settings.Targets, a.report.Settings.Beside); !slices.Contains(names, t) {
			l.ts.Fatalf("the audit has no target %q; it has %s; add it with -targets or -beside", t, strings.Join(names, ", "))
		}
	}
}

// pair returns the comparison of two systems under the given targets: that under
// the main targets, or that of the headline with one beside it. There is none where
// they share no query.
func (a *audited) pair(first, second string, targets ...string) (p tiaptest.Pair, reversed, ok bool) {
	lacking := func(t string) bool { return p.Gaps[t].Value == nil }
	for _, p = range a.report.Pairs {
		ofThem := p.A == first && p.B == second || p.A == second && p.B == first
		about := p.Beside == "" || slices.Contains(targets, p.Beside)
		if ofThem && about && !slices.ContainsFunc(targets, lacking) {
			return p, p.A != first, true
		}
	}
	return tiaptest.Pair{}, false, false
}

// incomparable says why two systems cannot be compared under targets.
func (a *audited) incomparable(first, second, metric string, targets ...string) string {
	text := fmt.Sprintf("%s and %s cannot be compared on %s under %s", first, second, metric, strings.Join(targets, " and "))
	beside := func(t string) bool { return slices.Contains(a.report.Settings.Beside, t) }
	headline := func(t string) bool { h := a.report.Settings.Headline; return h != nil && *h == t }
	if len(targets) == 2 && slices.ContainsFunc(targets, beside) && !slices.ContainsFunc(targets, headline) {
		return text + ": a target beside is compared with the headline alone; name both with -targets"
	}
	why := ": they share no query there"
	for _, s := range a.report.Systems {
		if s.Name != first && s.Name != second {
			continue
		}
		for _, t := range targets {
			switch {
			case slices.Contains(s.Unavailable, t):
				why = fmt.Sprintf(": %s is unavailable in %s", t, s.Name)
			case s.Covered[t] == 0:
				why = fmt.Sprintf(": %s covers no query of %s", t, s.Name)
			}
		}
	}
	return text + why
}

// gapText writes the gap of a pair with its interval, for the order of names that
// was asked for.
func gapText(g tiaptest.Gap, reversed bool) string {
	v, ci := *g.Value, slices.Clone(g.CI)
	if reversed {
		v = -v
		if len(ci) == 2 {
			ci[0], ci[1] = -ci[1], -ci[0]
		}
	}
	text := signed(v)
	if len(ci) == 2 {
		text += fmt.Sprintf(" [%s, %s]", signed(ci[0]), signed(ci[1]))
	}
	return text
}

// signed writes a difference. Unlike that of internal/phrase, one that rounds to 0 has
// no sign: a line may name its systems in either order.
func signed(v float64) string {
	text := fmt.Sprintf("%+.4f", v)
	if strings.Trim(text, "+-0.") == "" {
		return "0.0000"
	}
	return text
}

func queries(n int) string { return english.Count(n, "query", "queries") }
