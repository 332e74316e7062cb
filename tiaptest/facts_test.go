package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// facts are statements of a report with their values: a float64, a string, or
// nil for what is undefined.
type facts map[string]any

func (f facts) put(value any, format string, args ...any) {
	name := fmt.Sprintf(format, args...)
	if _, dup := f[name]; dup {
		panic("two facts are named " + name)
	}
	switch v := value.(type) {
	case int:
		value = float64(v)
	case *float64:
		value = nil
		if v != nil {
			value = *v
		}
	case *string:
		value = nil
		if v != nil {
			value = *v
		}
	case bool:
		value = strconv.FormatBool(v)
	}
	f[name] = value
}

// differences lists the facts that two reports do not share. Of numbers the bits
// count.
func differences(want, got facts) string {
	var lines []string
	for name, w := range want {
		g, ok := got[name]
		x, isX := w.(float64)
		y, isY := g.(float64)
		switch {
		case !ok:
			lines = append(lines, fmt.Sprintf("%s: want %v, got no such entry", name, w))
		case isX && isY && math.Float64bits(x) == math.Float64bits(y):
		case isX || isY || w != g: // 0 and -0 too
			lines = append(lines, fmt.Sprintf("%s: want %v, got %v", name, w, g))
		}
	}
	for name, g := range got {
		if _, ok := want[name]; !ok {
			lines = append(lines, fmt.Sprintf("%s: want no such entry, got %v", name, g))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// auditJSON is what the test reads of a report.
type auditJSON struct {
	Scenario    struct{ Queries, Unscorable int }
	Diagnostics []struct{ Kind, System, Text string }
	Systems     []struct {
		Name, Family string
		Ingests      int
		Covered      map[string]int
		Unavailable  []string
		Absent       int
		Failed       int
		Empty        int
		UnknownIDs   int `json:"unknown_ids"`
		Forms, Links map[string]int
	}
	Shared struct {
		N    int
		Cost map[string]int
	}
	Scores      []scoreJSON
	Changes     []changeJSON
	Pairs       []pairJSON
	Conventions []struct {
		A, B, Metric, Target string
		Gaps                 map[string]*float64
		Winners              map[string]*string
		Flip                 bool
	}
	Recommendations []struct {
		Family, Metric string
		N              int
		Winners        map[string]*string
		Flip           bool
	}
	TargetOrders []struct {
		System, Metric string
		N              int
		Order          []string
	} `json:"target_orders"`
}

type scoreJSON struct {
	System, Target, Subset, Metric string
	N                              int
	Value, SD                      *float64
}

type changeJSON struct {
	System  string
	Targets [2]string
	N       int
	NDCG    int `json:"ndcg_changed"`
	MRR     int `json:"mrr_changed"`
	Recall  int `json:"recall_changed"`
	Hit     int `json:"hit_flips"`
	Top1    int `json:"top1_flips"`
}

type pairJSON struct {
	A, B, Metric, Subset, Beside string
	N                            int
	DifferentDenominators        int `json:"different_denominators"`
	Gaps                         map[string]gapJSON
	Winners                      map[string]*string
	Flips                        []flipJSON
}

type gapJSON struct {
	Value *float64
	CI    []float64
	P     *float64
	PAdj  *float64 `json:"p_adj"`
}

type flipJSON struct {
	Targets   [2]string
	Verdict   string
	Grade     *string
	Shift     gapJSON
	LeaveOut  *int `json:"leave_out"`
	CarriedBy int  `json:"carried_by"`
	Carriers  []struct {
		Query string
		Shift float64
	}
}

func parsed(t *rapid.T, a *tiaptest.Audit) (report auditJSON) {
	var text bytes.Buffer
	if err := a.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// reported takes the facts out of a report.
func reported(t *rapid.T, a *tiaptest.Audit, p plan) facts {
	report, f := parsed(t, a), facts{}
	f.put(report.Scenario.Queries, "queries")
	f.put(report.Scenario.Unscorable, "unscorable")
	for _, s := range report.Systems {
		f.put(s.Ingests, "%s: ingests", s.Name)
		f.put(strings.Join(s.Unavailable, " "), "%s: unavailable", s.Name)
		f.put(s.Absent, "%s: absent", s.Name)
		f.put(s.Failed, "%s: failed", s.Name)
		f.put(s.Empty, "%s: empty", s.Name)
		f.put(s.UnknownIDs, "%s: unknown ids", s.Name)
		for name, n := range s.Covered {
			f.put(n, "%s: covered under %s", s.Name, name)
		}
		for name, n := range s.Forms {
			f.put(n, "%s: memories of form %s", s.Name, name)
		}
		for name, n := range s.Links {
			f.put(n, "%s: links %s", s.Name, name)
		}
	}
	for _, d := range report.Diagnostics {
		if d.Kind == "short-ranking" {
			count, _, _ := strings.Cut(d.Text, " ")
			n, _ := strconv.Atoi(count)
			f.put(n, "%s: short rankings", d.System)
		}
	}
	f.put(report.Shared.N, "shared")
	for name, n := range report.Shared.Cost {
		f.put(n, "cost of %s", name)
	}
	for _, s := range report.Scores {
		at := fmt.Sprintf("score %s of %s under %s over %s", s.Metric, s.System, s.Target, s.Subset)
		f.put(s.N, "%s: n", at)
		f.put(s.Value, "%s", at)
		f.put(s.SD, "%s: sd", at)
	}
	for _, s := range report.Systems {
		for _, target := range slices.Concat(p.Targets, p.Beside) {
			for _, metric := range p.Metrics {
				if strings.HasPrefix(metric, "micro_recall") {
					continue
				}
				values, err := a.PerQuery(s.Name, targetNamed(target), metricsNamed([]string{metric})[0])
				if err != nil {
					t.Fatal(err)
				}
				for q, v := range values {
					f.put(v, "query %s: %s of %s under %s", q, metric, s.Name, target)
				}
			}
		}
	}
	for _, c := range report.Changes {
		at := fmt.Sprintf("changes of %s between %s and %s", c.System, c.Targets[0], c.Targets[1])
		f.put(c.N, "%s: n", at)
		f.put(c.NDCG, "%s: ndcg", at)
		f.put(c.MRR, "%s: mrr", at)
		f.put(c.Recall, "%s: recall", at)
		f.put(c.Hit, "%s: hit", at)
		f.put(c.Top1, "%s: top1", at)
	}
	for _, pair := range report.Pairs {
		at := fmt.Sprintf("pair %s %s on %s", pair.A, pair.B, pair.Metric)
		if pair.Beside != "" {
			at += " beside " + pair.Beside
		}
		f.put(pair.Subset, "%s: subset", at)
		f.put(pair.N, "%s: n", at)
		f.put(pair.DifferentDenominators, "%s: different denominators", at)
		for target, g := range pair.Gaps {
			f.put(g.Value, "%s: gap under %s", at, target)
		}
		for target, w := range pair.Winners {
			f.put(w, "%s: winner under %s", at, target)
		}
		for _, flip := range pair.Flips {
			f.put(flip.Verdict, "%s: verdict between %s and %s", at, flip.Targets[0], flip.Targets[1])
			f.put(flip.Shift.Value, "%s: shift between %s and %s", at, flip.Targets[0], flip.Targets[1])
		}
	}
	for _, c := range report.Conventions {
		at := fmt.Sprintf("conventions of %s %s on %s under %s", c.A, c.B, c.Metric, c.Target)
		f.put(c.Flip, "%s: flip", at)
		for name, g := range c.Gaps {
			f.put(g, "%s: gap by %s", at, name)
		}
		for name, w := range c.Winners {
			f.put(w, "%s: winner by %s", at, name)
		}
	}
	for _, rec := range report.Recommendations {
		at := fmt.Sprintf("recommendation of family %s on %s", rec.Family, rec.Metric)
		f.put(rec.N, "%s: n", at)
		f.put(rec.Flip, "%s: flip", at)
		for target, w := range rec.Winners {
			f.put(w, "%s: winner under %s", at, target)
		}
	}
	for _, o := range report.TargetOrders {
		f.put(fmt.Sprint(o.N, o.Order), "target order of %s on %s", o.System, o.Metric)
	}
	return f
}
