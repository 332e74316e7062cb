package tiaptest

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lineage"
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
		Digest:     r.bundle.scenarioDigest(),
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
	for _, s := range r.systems {
		info := auditjson.System{
			Name: s.Name, Family: s.Family, Unit: s.Unit, Lineage: s.Lineage,
			Ingests: len(s.ingests), Digest: s.digest(),
			Covered: make(map[string]int), Unavailable: []string{}, Forms: make(map[string]int),
		}
		for t, target := range r.targets {
			if s.unavailable(t) {
				info.Unavailable = append(info.Unavailable, target.name)
			} else {
				info.Covered[target.name] = s.covered[t]
			}
		}
		counted := true
		for _, in := range s.compiled.ingests {
			info.UnknownIDs += in.unknown
			in.count(&info)
			counted = in.countLinks(&info, len(r.turnNames)) && counted
		}
		if !counted {
			info.Links = nil
		}
		out = append(out, info)
	}
	return out
}

// count adds up what an ingest holds.
func (in *compiledIngest) count(info *auditjson.System) {
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
	for i := range in.Memories {
		info.Forms[in.Memories[i].Form]++
	}
}

// countLinks adds up the resolved links of an ingest, and reports false when there
// are too many for that.
func (in *compiledIngest) countLinks(info *auditjson.System, turns int) bool {
	if in.store == nil {
		return true
	}
	byRoutes, ok := in.store.lineage.Count(turns, limit.Counted)
	if !ok {
		return false
	}
	if info.Links == nil {
		info.Links = make(map[string]int)
	}
	for routes, n := range byRoutes {
		if n > 0 {
			info.Links[routeName(lineage.Routes(routes))] += n
		}
	}
	return true
}

// routeName names the best route of a link: recorded before inferred, then
// exact before batch before container.
func routeName(routes lineage.Routes) string {
	best := appendLinks(nil, "", routes)[0]
	return best.Origin + " " + best.Precision
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
