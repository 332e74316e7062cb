package tiaptest

import (
	"fmt"
	"maps"
	"strings"
)

// SharedQueries returns the ids, ascending, of the queries on which the given
// systems are compared under the main targets: those of the audit's population
// for these systems alone. One system gives the queries that it can be compared
// with an earlier state of itself on.
func (a *Audit) SharedQueries(systems ...string) ([]string, error) {
	var chosen []*scored
	for _, name := range systems {
		s := a.r.system(name)
		if s == nil {
			return nil, fmt.Errorf("the audit has no system %q; it has %s", name, strings.Join(a.systemNames(), ", "))
		}
		chosen = append(chosen, s)
	}
	subset := a.r.pairSubset(chosen, comparableTargets(chosen, a.r.mainTargets()))
	ids := make([]string, len(subset))
	for i, q := range subset {
		ids[i] = a.r.queries[q].ID
	}
	return ids, nil
}

// PerIngest returns the values of single queries in each ingest of a system, in
// their order, as [Audit.PerQuery] does for the means. A query that one ingest
// does not cover is left out of that ingest alone.
func (a *Audit) PerIngest(system string, target Target, metric Metric) ([]map[string]float64, error) {
	if _, err := a.Values(system, target, metric); err != nil {
		return nil, err
	}
	s, t, m := a.r.system(system), a.r.target(target.name), a.r.metric(metric)
	out := make([]map[string]float64, len(s.ingests))
	for i, in := range s.ingests {
		alone := &scored{compiled: s.compiled, ingests: s.ingests[i : i+1], mean: in, unlabelled: s.unlabelled}
		out[i] = maps.Collect(a.r.named(a.r.perQuery(alone, t, m)))
	}
	return out, nil
}

// Digests names the content of a system's stores and of its runs, whatever its
// order in files. Equal digests mean equal content.
func (a *Audit) Digests(system string) (store, run string, err error) {
	s := a.r.system(system)
	if s == nil {
		return "", "", fmt.Errorf("the audit has no system %q; it has %s", system, strings.Join(a.systemNames(), ", "))
	}
	var stores, runs digest
	for n, in := range s.Ingests {
		in.addTo(&stores, n)
		in.Run.addTo(&runs, n)
	}
	return stores.String(), runs.String(), nil
}

// Query returns a query of the audit, scorable ones only.
func (a *Audit) Query(id string) (Query, bool) {
	if q := a.r.query(id); q >= 0 {
		return *a.r.queries[q], true
	}
	return Query{}, false
}
