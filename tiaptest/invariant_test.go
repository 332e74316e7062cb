package tiaptest_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// credit is a memory that may earn credit for a unit of a query.
type credit struct {
	ingest        int
	query, memory string
	unit          int
}

// creditsOf are the credits that a target allows in a system; ok is false when it
// is unavailable.
func creditsOf(t *rapid.T, b *tiaptest.Bundle, system, target string) (credits map[credit]bool, ok bool) {
	t.Helper()
	a := rescored(t, b, tiaptest.Targets(targetNamed(target)), tiaptest.Depth(7), tiaptest.Metrics(tiaptest.Top1()), tiaptest.Resamples(100))
	found, err := a.Eligible(system, targetNamed(target))
	if err != nil {
		return nil, false
	}
	credits = map[credit]bool{}
	for e := range found {
		for _, u := range e.Units {
			credits[credit{e.Ingest, e.Query.ID, e.Memory.ID, u}] = true
		}
	}
	return credits, true
}

// TestNestedCredits: what a target allows, a wider one allows too, memory by
// memory and unit by unit, ranked or not; Raw and Canonical share nothing.
func TestNestedCredits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		system := oneOf(t, "system", systemsOf(b)...)
		pair := oneOf(t, "targets", append(nested, [2]string{"raw", "canonical"}, [2]string{"validat(canonical)", "canonical"}, [2]string{"validat(source)", "source"})...)
		less, ok := creditsOf(t, b, system, pair[0])
		more, wider := creditsOf(t, b, system, pair[1])
		if !ok || !wider {
			return
		}
		disjoint := pair == [2]string{"raw", "canonical"}
		for c := range less {
			if more[c] == disjoint {
				t.Fatalf("%+v: allowed under %s, and under %s: %v\n%s", c, pair[0], pair[1], more[c], describe(b))
			}
		}
	})
}

// TestFurtherFamily: the recommendation of a family is made among its members on
// their own queries; systems of other families, whatever they cover, change
// nothing in it. One over the queries that all systems share would change.
func TestFurtherFamily(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		for i := len(b.Systems); i < 3; i++ {
			b.Systems = append(b.Systems, &tiaptest.System{Name: fmt.Sprint("further ", i), Ingests: []*tiaptest.Ingest{drawIngest(t, b, []string{"c/0", "c/1"})}})
		}
		for i, s := range b.Systems {
			s.Family = []string{"f", "f", "g", "g"}[i]
		}
		p := drawPlan(t, b)
		p.Systems = nil
		all := parsed(t, rescored(t, b, p.options()))
		for _, want := range all.Recommendations {
			alone := &tiaptest.Bundle{Scenario: b.Scenario, Systems: slices.DeleteFunc(slices.Clone(b.Systems), func(s *tiaptest.System) bool { return s.Family != want.Family })}
			got := parsed(t, rescored(t, alone, p.options()))
			found := false
			for _, r := range got.Recommendations {
				if r.Metric != want.Metric {
					continue
				}
				found = true
				if diff := gocmp.Diff(r, want); diff != "" {
					t.Fatalf("family alone (-) and among others (+):\n%s\n%+v\n%s", diff, p, describe(b))
				}
			}
			if !found {
				t.Fatalf("no recommendation for family %s on %s", want.Family, want.Metric)
			}
		}
	})
}
