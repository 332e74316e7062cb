package tiaptest

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"github.com/tiaptest/tiap/internal/auditjson"
)

// report is the JSON report, schema tiap.audit/v1.
type report = auditjson.Report[Shared, Pair, Recommendation, conventionRow]

// The rows of the report that have no exported type.
type (
	scoreRow    = auditjson.Score
	change      = auditjson.Change
	targetOrder = auditjson.TargetOrder
	staleness   = auditjson.Stale
	diagnostic  = auditjson.Diagnostic
)

func (r *results) describeScenario() auditjson.Scenario {
	return auditjson.Scenario{
		Name:       r.bundle.Scenario.Name,
		Digest:     r.digests().scenario,
		Queries:    len(r.queries) + r.unscorable,
		Unscorable: r.unscorable,
	}
}

func (r *results) describeSettings() auditjson.Settings {
	s := auditjson.Settings{
		Depth: r.depth, Credit: string(r.credit), Uncovered: r.uncovered, Population: r.population,
		Targets: texts(r.targets[:r.main]), Beside: texts(r.targets[r.main:]),
		Seed: r.seed, Resamples: r.resamples, Alpha: r.alpha, MinEffect: r.minEffect,
		Metrics: texts(r.metrics), Where: r.categories,
	}
	if r.headline != "" {
		s.Headline = &r.headline
	}
	if r.cluster {
		s.Cluster = "scope"
	}
	if r.hasLists() {
		s.Merge = r.merge
	}
	if j := r.bundle.judged; j != nil && j.trec {
		s.Level, s.JudgedOnly = j.level, j.judgedOnly
	}
	return s
}

// hasLists reports whether some ranking is several lists.
func (r *results) hasLists() bool { return slices.ContainsFunc(r.systems, (*scored).hasLists) }

func (s *scored) hasLists() bool {
	return slices.ContainsFunc(s.Ingests, func(in *Ingest) bool {
		return slices.ContainsFunc(in.Run.rows, func(w row) bool { return len(w.lists) > 0 })
	})
}

func (r *results) describeSystems() []auditjson.System {
	out := []auditjson.System{}
	digests, holdings := r.digests(), r.holdings()
	for i, s := range r.systems {
		info := auditjson.System{
			Name: s.Name, Family: s.Family, Unit: s.Unit, Lineage: s.Lineage,
			Ingests: len(s.ingests), Digest: digests.systems[i],
			Covered: make(map[string]int), Unavailable: []string{},
			Forms: holdings[i].forms, Links: holdings[i].links,
		}
		for t, target := range r.targets {
			if s.unavailable(t) {
				info.Unavailable = append(info.Unavailable, target.name)
			} else {
				info.Covered[target.name] = s.covered[t]
			}
		}
		for _, in := range s.compiled.ingests {
			info.UnknownIDs += in.unknown
			in.countRows(&info)
		}
		out = append(out, info)
	}
	return out
}

// countRows adds up what the run of an ingest lacks.
func (in *compiledIngest) countRows(info *auditjson.System) {
	for _, row := range in.rowOf {
		switch {
		case row < 0:
			info.Absent++
		case in.Run.rows[row].failure != "":
			info.Failed++
		case len(in.Run.rows[row].hits) == 0:
			info.Empty++
		}
	}
}

// WriteJSON writes the report as JSON, schema tiap.audit/v1. The same input
// gives the same bytes. Numbers have full precision; undefined ones are null.
func (a *Audit) WriteJSON(w io.Writer) error {
	return auditjson.Write(w, a.report())
}

// WritePerQuery writes one JSON object a line for each system, target, query
// and metric that has a value of single queries: {"system", "target", "query",
// "metric", "value"}. The value of a query that is not covered is null, unless
// the population counts it as 0.
func (a *Audit) WritePerQuery(w io.Writer) error {
	type line struct {
		System string   `json:"system"`
		Target string   `json:"target"`
		Query  string   `json:"query"`
		Metric string   `json:"metric"`
		Value  *float64 `json:"value"`
	}
	buf := bufio.NewWriter(w)
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	for _, s := range a.r.systems {
		for t, target := range a.r.targets {
			for m, metric := range a.r.metrics {
				if metric.micro() {
					continue
				}
				for q, v := range a.r.perQuery(s, t, m) {
					if err := e.Encode(line{s.Name, target.name, a.r.queries[q].ID, metric.String(), v}); err != nil {
						return err
					}
				}
			}
		}
	}
	return buf.Flush()
}
