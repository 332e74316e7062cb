package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestReference compares audits of random bundles with a second implementation,
// written for plainness: strings, maps and recursion, nothing kept and nothing
// shared with the package.
func TestReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		p := drawPlan(t, b)
		a, err := tiaptest.Rescore(b, p.options())
		if err != nil {
			t.Fatalf("%+v\n%s\n%v", p, describe(b), err)
		}
		r := newReference(b, p)
		if diff := differences(r.report(), reported(t, a, p)); diff != "" {
			t.Fatalf("want (reference) against got (audit):\n%s\n%+v\n%s", diff, p, describe(b))
		}
	})
}

// TestMergedLists reads the whole merged order off the reciprocal ranks of one
// query for each memory. The lists are rotations of one another: sums of the same
// ranks in another order are ties, whatever their rounding.
func TestMergedLists(t *testing.T) {
	t.Parallel()
	compare := func(t rapid.TB, rule string, ids []string, lists []tiaptest.List) {
		b := &tiaptest.Bundle{}
		in := b.AddSystem("A", "").Ingests[0]
		for _, id := range ids {
			in.Memories = append(in.Memories, tiaptest.Memory{ID: id, Form: "fact", Sources: []tiaptest.Link{{Turn: id}}})
			b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: id, Evidence: []tiaptest.Unit{{Turns: []string{id}}}})
			addRanking(in, tiaptest.Ranking{Query: id, Lists: lists})
		}
		a, err := tiaptest.Rescore(b, tiaptest.Merge(rule), tiaptest.Metrics(tiaptest.MRR(0)), tiaptest.Depth(1000))
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.PerQuery("A", tiaptest.Source, tiaptest.MRR(0))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(lists, func(a, b tiaptest.List) int { return strings.Compare(a.Name, b.Name) })
		want := merged(rule, lists)
		for _, id := range ids {
			reciprocal := 0.0
			if i := slices.Index(want, id); i >= 0 {
				reciprocal = 1 / float64(i+1)
			}
			if got[id] != reciprocal {
				t.Fatalf("merge %s: %s has the reciprocal rank %v, want %v", rule, id, got[id], reciprocal)
			}
		}
	}
	rotated := func(ids []string, by int) []string { return slices.Concat(ids[by:], ids[:by]) }

	// 0 and 4 have the same ranks 1, 4, 5 and 8 here, summed in two orders.
	eight := strings.Fields("0 1 2 3 4 5 6 7")
	compare(t, "rrf", eight, []tiaptest.List{{Name: "a", IDs: eight}, {Name: "b", IDs: rotated(eight, 1)}, {Name: "c", IDs: rotated(eight, 4)}, {Name: "d", IDs: rotated(eight, 5)}})

	rapid.Check(t, func(t *rapid.T) {
		var ids []string
		for i := range rapid.IntRange(2, 40).Draw(t, "memories") {
			ids = append(ids, fmt.Sprintf("m%d", i))
		}
		var lists []tiaptest.List
		for _, name := range someOf(t, []string{"nodes", "edges", "episodes", ""}, 1, 4, "lists") {
			by := rapid.IntRange(0, len(ids)-1).Draw(t, "rotation")
			lists = append(lists, tiaptest.List{Name: name, IDs: rotated(ids, by)[:rapid.IntRange(len(ids)/2, len(ids)).Draw(t, "length")]})
		}
		compare(t, oneOf(t, "merge", "order", "interleave", "rrf"), ids, lists)
	})
}

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

// differences lists the facts that two reports do not share, numbers to within
// 1e-12.
func differences(want, got facts) string {
	var lines []string
	for name, w := range want {
		g, ok := got[name]
		x, isX := w.(float64)
		y, isY := g.(float64)
		switch {
		case !ok:
			lines = append(lines, fmt.Sprintf("%s: want %v, got no such entry", name, w))
		case isX && isY && math.Abs(x-y) <= 1e-12:
		case w != g:
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
	Scenario struct{ Queries, Unscorable int }
	Systems  []struct {
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
	Scores []struct {
		System, Target, Subset, Metric string
		N                              int
		Value, SD                      *float64
	}
	Changes []struct {
		System  string
		Targets [2]string
		N       int
		NDCG    int `json:"ndcg_changed"`
		MRR     int `json:"mrr_changed"`
		Recall  int `json:"recall_changed"`
		Hit     int `json:"hit_flips"`
		Top1    int `json:"top1_flips"`
	}
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

// reference scores a bundle by the definitions of the design, one number at a
// time.
type reference struct {
	plan
	bundle     *tiaptest.Bundle
	queries    []string               // scorable, ascending
	units      map[string][]stringSet // of each query
	systems    []*tiaptest.System     // ascending by name
	unscorable int
}

type stringSet map[string]bool

func (s stringSet) equal(o stringSet) bool {
	for x := range s {
		if !o[x] {
			return false
		}
	}
	return len(s) == len(o)
}

func newReference(b *tiaptest.Bundle, p plan) *reference {
	r := &reference{plan: p, bundle: b, units: map[string][]stringSet{}}
	turns := stringSet{}
	for _, t := range b.Scenario.Turns {
		turns[t.ID] = true
	}
	for _, q := range b.Scenario.Queries {
		if p.Categories != nil && !slices.Contains(p.Categories, q.Category) {
			continue
		}
		for _, u := range q.Evidence {
			unit := stringSet{}
			for _, t := range u.Turns {
				if len(turns) == 0 || turns[t] {
					unit[t] = true
				}
			}
			// Repeated evidence counts once.
			if len(unit) > 0 && !slices.ContainsFunc(r.units[q.ID], unit.equal) {
				r.units[q.ID] = append(r.units[q.ID], unit)
			}
		}
		if len(r.units[q.ID]) == 0 {
			r.unscorable++
			continue
		}
		r.queries = append(r.queries, q.ID)
	}
	sort.Strings(r.queries)
	for _, s := range b.Systems {
		if p.Systems == nil || slices.Contains(p.Systems, s.Name) {
			r.systems = append(r.systems, s)
		}
	}
	sort.Slice(r.systems, func(i, j int) bool { return r.systems[i].Name < r.systems[j].Name })
	return r
}

// lineage lists the links of a memory, its own and those of its ancestors. A link
// from parent to child has no precision or origin of its own, so that the
// weakest link of a chain is the one to the turn.
func lineage(in *tiaptest.Ingest, m tiaptest.Memory) []tiaptest.Link {
	links := slices.Clone(m.Sources)
	for i := range links {
		if links[i].Precision == "" {
			links[i].Precision = "exact"
		}
		if links[i].Origin == "" {
			links[i].Origin = "recorded"
		}
	}
	for _, parent := range m.Parents {
		for _, p := range in.Memories {
			if p.ID == parent {
				links = append(links, lineage(in, p)...)
			}
		}
	}
	return links
}

// modifiers splits a target such as current(exact(source)).
func modifiers(target string) (words stringSet, base string) {
	parts := strings.Split(strings.TrimRight(target, ")"), "(")
	words = stringSet{}
	for _, w := range parts[:len(parts)-1] {
		words[w] = true
	}
	return words, parts[len(parts)-1]
}

// inForm tells whether a target speaks of such memories at all.
func inForm(base string, m tiaptest.Memory) bool {
	switch base {
	case "raw":
		return m.Form == "raw"
	case "canonical":
		return m.Form != "raw" && !m.NotServing
	}
	return true
}

// eligible tells whether a memory may earn credit for an evidence unit.
func eligible(in *tiaptest.Ingest, m tiaptest.Memory, target string, unit stringSet) bool {
	words, base := modifiers(target)
	if !inForm(base, m) || words["current"] && (m.Status == "superseded" || m.Status == "deleted") {
		return false
	}
	for _, l := range lineage(in, m) {
		switch {
		case !unit[l.Turn], l.Origin == "inferred" && !words["inferred"], l.Precision != "exact" && words["exact"]:
			continue
		case base == "facts":
			if m.Form == "fact" && l.Precision == "exact" {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// coveredIn tells whether a store has an eligible memory for a query.
func (r *reference) coveredIn(in *tiaptest.Ingest, target, query string) bool {
	for _, m := range in.Memories {
		for _, u := range r.units[query] {
			if eligible(in, m, target, u) {
				return true
			}
		}
	}
	return false
}

func (r *reference) covered(s *tiaptest.System, target, query string) bool {
	for _, in := range s.Ingests {
		if !r.coveredIn(in, target, query) {
			return false
		}
	}
	return true
}

func (r *reference) coveredQueries(s *tiaptest.System, target string) (out []string) {
	for _, q := range r.queries {
		if r.covered(s, target, q) {
			out = append(out, q)
		}
	}
	return out
}

// unavailable: a store has no lineage at all for the target. A store with lineage
// that holds no memory of the target's kind can still speak about it.
func unavailable(s *tiaptest.System, target string) bool {
	_, base := modifiers(target)
	for _, in := range s.Ingests {
		of, without := 0, 0 // memories of the kind, with and without lineage
		elsewhere := 0
		for _, m := range in.Memories {
			linked := len(lineage(in, m)) > 0
			switch {
			case inForm(base, m) && linked:
				of++
			case inForm(base, m):
				without++
			case linked:
				elsewhere++
			}
		}
		if of == 0 && (without > 0 || elsewhere == 0) {
			return true
		}
	}
	return false
}

// absent tells whether a target has no score in a system.
func (r *reference) absent(s *tiaptest.System, target string) bool {
	return unavailable(s, target) || len(r.coveredQueries(s, target)) == 0
}

// ranking is what counts of a system's answer to a query.
func (r *reference) ranking(in *tiaptest.Ingest, query string) []string {
	k, ok := in.Run.Ranking(query)
	if !ok || k.Error != "" {
		return nil
	}
	ids := k.IDs
	if len(k.Lists) > 0 {
		lists := slices.Clone(k.Lists)
		sort.Slice(lists, func(i, j int) bool { return lists[i].Name < lists[j].Name })
		ids = merged(r.Merge, lists)
	}
	return ids[:min(len(ids), r.Depth)]
}

func merged(rule string, lists []tiaptest.List) []string {
	var out []string
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	if rule == "order" {
		for _, l := range lists {
			for _, id := range l.IDs {
				add(id)
			}
		}
		return out
	}
	for rank := range 100 {
		for _, l := range lists {
			if rank < len(l.IDs) {
				add(l.IDs[rank])
			}
		}
	}
	if rule == "rrf" {
		sum := map[string]*big.Rat{}
		for _, l := range lists {
			for i, id := range l.IDs {
				if sum[id] == nil {
					sum[id] = new(big.Rat)
				}
				sum[id].Add(sum[id], big.NewRat(1, int64(60+i+1)))
			}
		}
		sort.SliceStable(out, func(i, j int) bool { return sum[out[i]].Cmp(sum[out[j]]) > 0 })
	}
	return out
}

// earned is what a ranking earned: the items credited at each rank (from 1 on),
// of how many, over how many ranks.
type earned struct {
	at     map[int]int
	items  int
	length int
}

// earn credits a ranking. The scheme is "evidence/dropped", "evidence/counted" or
// "memory/dropped".
func (r *reference) earn(in *tiaptest.Ingest, target, query, scheme string) earned {
	units := r.units[query]
	belongs := map[string][]int{} // memory -> its units
	open := map[int]bool{}        // units that could be credited
	for _, m := range in.Memories {
		for i, u := range units {
			if eligible(in, m, target, u) {
				belongs[m.ID] = append(belongs[m.ID], i)
				open[i] = true
			}
		}
	}
	ids := r.ranking(in, query)
	e := earned{at: map[int]int{}, length: len(ids)}
	switch scheme {
	case "memory/dropped":
		e.items = len(belongs)
		for i, id := range ids {
			if len(belongs[id]) > 0 {
				e.at[i+1] = 1
			}
		}
		return e
	case "evidence/dropped":
		e.items = len(open)
	case "evidence/counted":
		e.items = len(units)
	}
	for i, id := range ids {
		for _, u := range belongs[id] {
			if open[u] {
				open[u] = false
				e.at[i+1]++
			}
		}
	}
	return e
}

// credited counts the items credited in the first k ranks.
func (e earned) credited(k int) int {
	n := 0
	for rank, items := range e.at {
		if rank <= k {
			n += items
		}
	}
	return n
}

// gains counts the ranks up to k that earn something.
func (e earned) gains(k int) int {
	n := 0
	for rank := range e.at {
		if rank <= k {
			n++
		}
	}
	return n
}

// metric is the value of a metric for one query. micro_recall has none.
func (e earned) metric(name string) float64 {
	word, cut, hasCut := strings.Cut(name, "@")
	k := 1 << 20
	if hasCut {
		k, _ = strconv.Atoi(cut)
	}
	if e.items == 0 {
		return 0
	}
	dcg := func(n int, earns func(rank int) bool) float64 {
		sum := 0.0
		for rank := 1; rank <= n; rank++ {
			if earns(rank) {
				sum += 1 / math.Log2(float64(rank+1))
			}
		}
		return sum
	}
	yes := map[bool]float64{true: 1}
	switch word {
	case "ndcg":
		return dcg(min(k, e.length), func(rank int) bool { return e.at[rank] > 0 }) /
			dcg(min(k, e.items), func(int) bool { return true })
	case "recall":
		return float64(e.credited(k)) / float64(e.items)
	case "hit":
		return yes[e.gains(k) > 0]
	case "top1":
		return yes[e.gains(1) > 0]
	case "all":
		return yes[e.credited(k) == e.items]
	case "mrr":
		for rank := 1; rank <= min(k, e.length); rank++ {
			if e.at[rank] > 0 {
				return 1 / float64(rank)
			}
		}
		return 0
	case "precision":
		if !hasCut {
			k = e.length
		}
		if k == 0 {
			return 0
		}
		return float64(e.gains(k)) / float64(k)
	case "rprec":
		return float64(e.gains(e.items)) / float64(e.items)
	case "ap":
		sum := 0.0
		for rank := 1; rank <= min(k, e.length); rank++ {
			if e.at[rank] > 0 {
				sum += float64(e.gains(rank)) / float64(rank)
			}
		}
		return sum / float64(e.items)
	}
	panic("no metric " + name)
}

// perQuery is the mean of a metric over the ingests.
func (r *reference) perQuery(s *tiaptest.System, target, query, metric, scheme string) float64 {
	sum := 0.0
	for _, in := range s.Ingests {
		sum += r.earn(in, target, query, scheme).metric(metric)
	}
	return sum / float64(len(s.Ingests))
}

// scores are the scores of a system's ingests over some queries.
func (r *reference) scores(s *tiaptest.System, target, metric, scheme string, queries []string) (out []float64) {
	for _, in := range s.Ingests {
		sum, of := 0.0, float64(len(queries))
		if word, cut, hasCut := strings.Cut(metric, "@"); word == "micro_recall" {
			k := 1 << 20
			if hasCut {
				k, _ = strconv.Atoi(cut)
			}
			of = 0
			for _, q := range queries {
				e := r.earn(in, target, q, scheme)
				sum += float64(e.credited(k))
				of += float64(e.items)
			}
		} else {
			for _, q := range queries {
				sum += r.earn(in, target, q, scheme).metric(metric)
			}
		}
		if of == 0 {
			return nil
		}
		out = append(out, sum/of)
	}
	return out
}

// score is nil where it is undefined.
func (r *reference) score(s *tiaptest.System, target, metric, scheme string, queries []string) *float64 {
	per := r.scores(s, target, metric, scheme, queries)
	if per == nil {
		return nil
	}
	mean := 0.0
	for _, v := range per {
		mean += v / float64(len(per))
	}
	return &mean
}

func (r *reference) scheme() string { return r.Credit + "/" + r.Uncovered }

// shared is the queries covered under every target in every system, where the
// target has a score in the system.
func (r *reference) shared(systems []*tiaptest.System, targets []string) (out []string) {
	for _, q := range r.queries {
		everywhere := true
		for _, s := range systems {
			for _, t := range targets {
				if !r.absent(s, t) && !r.covered(s, t, q) {
					everywhere = false
				}
			}
		}
		if everywhere {
			out = append(out, q)
		}
	}
	return out
}

// sharedByAll is the shared subset of the audit: empty when nothing is covered
// under any target.
func (r *reference) sharedByAll() []string {
	for _, s := range r.systems {
		for _, t := range r.Targets {
			if !r.absent(s, t) {
				return r.shared(r.systems, r.Targets)
			}
		}
	}
	return nil
}

// comparable keeps the targets that have a score in all of the systems.
func (r *reference) comparable(systems []*tiaptest.System, targets []string) (out []string) {
	for _, t := range targets {
		everywhere := true
		for _, s := range systems {
			everywhere = everywhere && !r.absent(s, t)
		}
		if everywhere {
			out = append(out, t)
		}
	}
	return out
}

// compared are the queries of a comparison over a population.
func (r *reference) compared(population string, systems []*tiaptest.System, targets []string) (out []string) {
	switch {
	case len(targets) == 0:
		return nil
	case population == "all":
		return r.queries
	case population == "shared":
		return r.shared(systems, targets)
	}
	for _, q := range r.queries {
		somewhere := false
		for _, s := range systems {
			for _, t := range targets {
				somewhere = somewhere || r.covered(s, t, q)
			}
		}
		if somewhere {
			out = append(out, q)
		}
	}
	return out
}

// side is a system's score in a comparison.
func (r *reference) side(s *tiaptest.System, target, metric, scheme, population string, compared []string) *float64 {
	if population == "covered" {
		compared = r.coveredQueries(s, target)
	}
	return r.score(s, target, metric, scheme, compared)
}

func (r *reference) lead(a, b string, gap *float64) *string {
	switch {
	case gap == nil:
		return nil
	case *gap > r.MinEffect:
		return &a
	case *gap < -r.MinEffect:
		return &b
	}
	return nil
}

// report makes the facts that the audit should report.
func (r *reference) report() facts {
	f := facts{}
	f.put(len(r.queries)+r.unscorable, "queries")
	f.put(r.unscorable, "unscorable")
	for _, s := range r.systems {
		r.describeSystem(f, s)
	}
	all := r.sharedByAll()
	f.put(len(all), "shared")
	for _, s := range r.systems {
		others := slices.DeleteFunc(slices.Clone(r.systems), func(o *tiaptest.System) bool { return o == s })
		f.put(len(r.shared(others, r.Targets))-len(all), "cost of %s", s.Name)
	}
	for _, s := range r.systems {
		for _, t := range slices.Concat(r.Targets, r.Beside) {
			r.describeScores(f, s, t, all)
		}
		for _, ts := range r.againstEachOther() {
			r.describeChanges(f, s, ts[0], ts[1])
		}
		r.describeOrder(f, s, all)
	}
	for i, a := range r.systems {
		for _, b := range r.systems[i+1:] {
			r.describePair(f, a, b, "", r.Targets)
			for _, t := range r.Beside {
				r.describePair(f, a, b, t, []string{r.Headline, t})
			}
			r.describeConventions(f, a, b)
		}
	}
	r.describeRecommendations(f)
	return f
}

func (r *reference) describeSystem(f facts, s *tiaptest.System) {
	count := map[string]int{"absent": 0, "failed": 0, "empty": 0, "unknown ids": 0}
	for _, in := range s.Ingests {
		stored, ranked := stringSet{}, stringSet{}
		for _, m := range in.Memories {
			stored[m.ID] = true
			count["memories of form "+m.Form]++
			best := map[string]string{}
			for _, l := range lineage(in, m) {
				// recorded before inferred, then exact, batch, container.
				rank := map[string]string{"recorded": "0", "inferred": "1"}[l.Origin] +
					map[string]string{"exact": "0", "batch": "1", "container": "2"}[l.Precision] + l.Origin + " " + l.Precision
				if best[l.Turn] == "" || rank < best[l.Turn] {
					best[l.Turn] = rank
				}
			}
			for _, rank := range best {
				count["links "+rank[2:]]++
			}
		}
		for _, q := range r.queries {
			k, ok := in.Run.Ranking(q)
			n := len(k.IDs)
			for _, l := range k.Lists {
				n += len(l.IDs)
			}
			switch {
			case !ok:
				count["absent"]++
			case k.Error != "":
				count["failed"]++
			case n == 0:
				count["empty"]++
			}
		}
		for k := range in.Run.All() {
			for _, l := range append(k.Lists, tiaptest.List{IDs: k.IDs}) {
				for _, id := range l.IDs {
					ranked[id] = true
				}
			}
		}
		for id := range ranked {
			if !stored[id] {
				count["unknown ids"]++
			}
		}
	}
	for name, n := range count {
		f.put(n, "%s: %s", s.Name, name)
	}
	f.put(len(s.Ingests), "%s: ingests", s.Name)
	var missing []string
	for _, t := range slices.Concat(r.Targets, r.Beside) {
		if unavailable(s, t) {
			missing = append(missing, t)
		} else {
			f.put(len(r.coveredQueries(s, t)), "%s: covered under %s", s.Name, t)
		}
	}
	f.put(strings.Join(missing, " "), "%s: unavailable", s.Name)
}

func (r *reference) describeScores(f facts, s *tiaptest.System, target string, shared []string) {
	if !slices.Contains(r.Targets, target) {
		shared = r.shared(r.systems, []string{r.Headline, target})
	}
	populations := map[string][]string{"covered": r.coveredQueries(s, target), "shared": shared, "all": r.queries}
	for population, queries := range populations {
		if r.absent(s, target) {
			queries = nil
		}
		for _, metric := range r.Metrics {
			at := fmt.Sprintf("score %s of %s under %s over %s", metric, s.Name, target, population)
			f.put(len(queries), "%s: n", at)
			f.put(r.score(s, target, metric, r.scheme(), queries), "%s", at)
			var sd *float64
			if per := r.scores(s, target, metric, r.scheme(), queries); len(per) > 1 {
				mean, squares := *r.score(s, target, metric, r.scheme(), queries), 0.0
				for _, v := range per {
					squares += (v - mean) * (v - mean)
				}
				v := math.Sqrt(squares / float64(len(per)-1))
				sd = &v
			}
			f.put(sd, "%s: sd", at)
		}
	}
	for _, metric := range r.Metrics {
		for _, q := range r.queries {
			counts := r.covered(s, target, q) || r.Population == "all"
			if !strings.HasPrefix(metric, "micro_recall") && !unavailable(s, target) && counts {
				f.put(r.perQuery(s, target, q, metric, r.scheme()), "query %s: %s of %s under %s", q, metric, s.Name, target)
			}
		}
	}
}

// againstEachOther lists the targets that are set against each other.
func (r *reference) againstEachOther() (out [][2]string) {
	for i, t := range r.Targets {
		for _, u := range r.Targets[i+1:] {
			out = append(out, [2]string{t, u})
		}
	}
	for _, t := range r.Beside {
		out = append(out, [2]string{r.Headline, t})
	}
	return out
}

func (r *reference) describeChanges(f facts, s *tiaptest.System, t, u string) {
	if r.absent(s, t) || r.absent(s, u) {
		return
	}
	at := fmt.Sprintf("changes of %s between %s and %s", s.Name, t, u)
	n := 0
	changed := map[string]int{"ndcg": 0, "mrr": 0, "recall": 0, "hit": 0, "top1": 0}
	for _, q := range r.queries {
		if !r.covered(s, t, q) || !r.covered(s, u, q) {
			continue
		}
		n++
		for word := range changed {
			metric := word
			if word != "top1" {
				metric = fmt.Sprintf("%s@%d", word, r.Depth)
			}
			if math.Abs(r.perQuery(s, t, q, metric, r.scheme())-r.perQuery(s, u, q, metric, r.scheme())) > 1e-9 {
				changed[word]++
			}
		}
	}
	f.put(n, "%s: n", at)
	for word, n := range changed {
		f.put(n, "%s: %s", at, word)
	}
}

func (r *reference) describeOrder(f facts, s *tiaptest.System, shared []string) {
	targets := r.comparable([]*tiaptest.System{s}, r.Targets)
	if len(targets) < 2 || len(shared) == 0 {
		return
	}
	for _, metric := range r.Metrics {
		value := map[string]float64{}
		for _, t := range targets {
			value[t] = *r.score(s, t, metric, r.scheme(), shared)
		}
		sorted := slices.Clone(targets)
		sort.Slice(sorted, func(i, j int) bool { return value[sorted[i]] > value[sorted[j]] })
		groups := [][]string{sorted[:1]}
		for i, t := range sorted[1:] {
			if value[sorted[i]]-value[t] > r.MinEffect {
				groups = append(groups, nil)
			}
			last := len(groups) - 1
			groups[last] = append(slices.Clone(groups[last]), t)
		}
		var order []string
		for _, tied := range groups {
			// Ties stand in the order in which the targets were given.
			sort.Slice(tied, func(i, j int) bool { return slices.Index(r.Targets, tied[i]) < slices.Index(r.Targets, tied[j]) })
			order = append(order, strings.Join(tied, "="))
		}
		f.put(fmt.Sprint(len(shared), order), "target order of %s on %s", s.Name, metric)
	}
}

func (r *reference) describePair(f facts, a, b *tiaptest.System, beside string, targets []string) {
	pair := []*tiaptest.System{a, b}
	targets = r.comparable(pair, targets)
	queries := r.compared(r.Population, pair, targets)
	different := 0
	for _, q := range queries {
		for _, t := range targets {
			if r.meanItems(a, t, q) != r.meanItems(b, t, q) {
				different++
				break
			}
		}
	}
	for _, metric := range r.Metrics {
		at := fmt.Sprintf("pair %s %s on %s", a.Name, b.Name, metric)
		if beside != "" {
			at += " beside " + beside
		}
		f.put(r.Population, "%s: subset", at)
		f.put(len(queries), "%s: n", at)
		f.put(different, "%s: different denominators", at)
		gaps := map[string]*float64{}
		for _, t := range targets {
			gaps[t] = minus(
				r.side(a, t, metric, r.scheme(), r.Population, queries),
				r.side(b, t, metric, r.scheme(), r.Population, queries))
			f.put(gaps[t], "%s: gap under %s", at, t)
			f.put(r.lead(a.Name, b.Name, gaps[t]), "%s: winner under %s", at, t)
		}
		for i, t := range targets {
			for _, u := range targets[i+1:] {
				if gaps[t] == nil || gaps[u] == nil {
					continue
				}
				first, second := r.lead("a", "b", gaps[t]), r.lead("a", "b", gaps[u])
				verdict := "flip"
				switch {
				case first == nil || second == nil:
					verdict = "tie"
				case *first == *second:
					verdict = "same"
				}
				f.put(verdict, "%s: verdict between %s and %s", at, t, u)
				f.put(minus(gaps[t], gaps[u]), "%s: shift between %s and %s", at, t, u)
			}
		}
	}
}

func (r *reference) meanItems(s *tiaptest.System, target, query string) float64 {
	sum := 0.0
	for _, in := range s.Ingests {
		sum += float64(r.earn(in, target, query, r.scheme()).items)
	}
	return sum / float64(len(s.Ingests))
}

func minus(x, y *float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	d := *x - *y
	return &d
}

func (r *reference) describeConventions(f facts, a, b *tiaptest.System) {
	pair := []*tiaptest.System{a, b}
	targets := r.comparable(pair, r.Targets)
	conventions := stringSet{
		"evidence/dropped/shared": true, "memory/dropped/shared": true, "evidence/counted/shared": true, "evidence/dropped/all": true,
		r.scheme() + "/" + r.Population: true,
	}
	for _, metric := range r.Metrics {
		for _, t := range targets {
			at := fmt.Sprintf("conventions of %s %s on %s under %s", a.Name, b.Name, metric, t)
			winners := stringSet{}
			for c := range conventions {
				cut := strings.LastIndex(c, "/")
				scheme, population := c[:cut], c[cut+1:]
				queries := r.compared(population, pair, targets)
				gap := minus(r.side(a, t, metric, scheme, population, queries), r.side(b, t, metric, scheme, population, queries))
				f.put(gap, "%s: gap by %s", at, c)
				w := r.lead(a.Name, b.Name, gap)
				f.put(w, "%s: winner by %s", at, c)
				if w != nil {
					winners[*w] = true
				}
			}
			f.put(len(winners) > 1, "%s: flip", at)
		}
	}
}

func (r *reference) describeRecommendations(f facts) {
	families := map[string][]*tiaptest.System{}
	for _, s := range r.systems {
		if s.Family != "" {
			families[s.Family] = append(families[s.Family], s)
		}
	}
	for family, members := range families {
		if len(members) < 2 {
			continue
		}
		targets := r.comparable(members, r.Targets)
		queries := r.compared(r.Population, members, targets)
		for _, metric := range r.Metrics {
			at := fmt.Sprintf("recommendation of family %s on %s", family, metric)
			winners := stringSet{}
			for _, t := range targets {
				w := r.best(members, t, metric, queries)
				f.put(w, "%s: winner under %s", at, t)
				if w != nil {
					winners[*w] = true
				}
			}
			f.put(len(queries), "%s: n", at)
			f.put(len(winners) > 1, "%s: flip", at)
		}
	}
}

// best is the member that leads all others.
func (r *reference) best(members []*tiaptest.System, target, metric string, queries []string) *string {
	for _, s := range members {
		leads := true
		for _, o := range members {
			if o == s {
				continue
			}
			gap := minus(
				r.side(s, target, metric, r.scheme(), r.Population, queries),
				r.side(o, target, metric, r.scheme(), r.Population, queries))
			w := r.lead(s.Name, o.Name, gap)
			leads = leads && w != nil && *w == s.Name
		}
		if leads {
			return &s.Name
		}
	}
	return nil
}

// judged is a random study with judgements in place of stores.
type judged struct {
	qrels      map[string]map[string]map[string]int     // target, query, document: grade
	runs       map[string]map[string]map[string]float64 // system, query, document: score
	level      int
	judgedOnly bool
	depth      int
	metrics    []string
}

// TestReferenceTREC compares scores of random qrels and runs with trec_eval's
// definitions.
func TestReferenceTREC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		b, err := j.write(t, dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		population := oneOf(t, "population", "shared", "all", "covered", "judged", "matched")
		a, err := tiaptest.Rescore(b, tiaptest.Depth(j.depth), tiaptest.Metrics(metricsNamed(j.metrics)...), tiaptest.Population(population), tiaptest.Resamples(100))
		if err != nil {
			t.Fatalf("%+v: %v", j, err)
		}
		got := facts{}
		for name, v := range reported(t, a, plan{Targets: slices.Sorted(maps.Keys(j.qrels)), Metrics: j.metrics}) {
			if strings.HasPrefix(name, "score ") || strings.HasPrefix(name, "query ") || name == "shared" {
				got[name] = v
			}
		}
		if diff := differences(j.report(population), got); diff != "" {
			t.Fatalf("want (reference) against got (audit):\n%s\n%+v", diff, j)
		}
	})
}

func drawJudged(t *rapid.T) judged {
	j := judged{
		qrels: map[string]map[string]map[string]int{}, runs: map[string]map[string]map[string]float64{},
		level: rapid.IntRange(1, 2).Draw(t, "level"), judgedOnly: rapid.Bool().Draw(t, "judged only"),
		depth: rapid.IntRange(1, 8).Draw(t, "depth"), metrics: drawMetrics(t, 1, 4),
	}
	queries := []string{"q1", "q2", "q10", "Q3"}[:rapid.IntRange(1, 4).Draw(t, "queries")]
	docs := strings.Fields("d0 d1 d2 d3 d10 D")
	for i, target := range someOf(t, []string{"raw", "source", "canonical"}, 1, 3, "targets") {
		j.qrels[target] = map[string]map[string]int{}
		for n, q := range queries {
			if n == 0 && i == 0 || chance(t, 80, "judged query") {
				j.qrels[target][q] = map[string]int{}
				for _, d := range someOf(t, docs, 1, len(docs), "judged") {
					j.qrels[target][q][d] = oneOf(t, "grade", 1, 0, -1, 2, 3)
				}
			}
		}
		if len(j.qrels[target]) == 0 {
			j.qrels[target][queries[0]] = map[string]int{docs[0]: 1}
		}
		if i == 0 {
			j.qrels[target][queries[0]][docs[0]] = 1
		}
	}
	for _, system := range someOf(t, []string{"A", "B"}, 1, 2, "systems") {
		j.runs[system] = map[string]map[string]float64{}
		for n, q := range queries {
			if n == 0 || chance(t, 80, "ranked query") {
				j.runs[system][q] = map[string]float64{}
				for _, d := range someOf(t, slices.Concat(docs, []string{"x1", "x2"}), 1, 8, "ranked") {
					j.runs[system][q][d] = oneOf(t, "score", 1, 0.5, 2, -1, 0)
				}
			}
		}
		j.runs[system][queries[0]][docs[0]] = oneOf(t, "score", 1, 0.5, 2)
	}
	return j
}

// write writes the files that TREC names.
func (j judged) write(t *rapid.T, dir string) tiaptest.TREC {
	files := tiaptest.TREC{Qrels: map[string]string{}, Runs: map[string]string{}, Level: j.level, JudgedOnly: j.judgedOnly}
	save := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for target, queries := range j.qrels {
		var w strings.Builder
		for q, docs := range queries {
			for d, grade := range docs {
				fmt.Fprintf(&w, "%s 0 %s %d\n", q, d, grade)
			}
		}
		files.Qrels[target] = save("qrels."+target, w.String())
	}
	for system, queries := range j.runs {
		var w strings.Builder
		for q, docs := range queries {
			for d, score := range docs {
				fmt.Fprintf(&w, "%s Q0 %s 0 %g tag\n", q, d, score)
			}
		}
		files.Runs[system] = save("run."+system, w.String())
	}
	return files
}

// metric is trec_eval's value for one query: 0 for a query that is not judged.
func (j judged) metric(system, target, query, name string) float64 {
	word, cut, hasCut := strings.Cut(name, "@")
	k := 1 << 20
	if hasCut {
		k, _ = strconv.Atoi(cut)
	}
	ids, relevant := j.ranking(system, target, query), j.relevant(target, query)
	grade := func(id string) int { return max(j.qrels[target][query][id], 0) }
	if word == "ndcg" {
		var ideal []int
		for id := range j.qrels[target][query] {
			ideal = append(ideal, grade(id))
		}
		sort.Sort(sort.Reverse(sort.IntSlice(ideal)))
		best, sum := 0.0, 0.0
		for i, g := range ideal[:min(len(ideal), k)] {
			best += float64(g) / math.Log2(float64(i+2))
		}
		for i, id := range ids[:min(len(ids), k)] {
			sum += float64(grade(id)) / math.Log2(float64(i+2))
		}
		if best == 0 {
			return 0
		}
		return sum / best
	}
	if relevant == 0 {
		return 0
	}
	hits := func(k int) int {
		n := 0
		for _, id := range ids[:min(len(ids), k)] {
			if grade(id) >= j.level {
				n++
			}
		}
		return n
	}
	yes := map[bool]float64{true: 1}
	switch word {
	case "recall":
		return float64(hits(k)) / float64(relevant)
	case "hit":
		return yes[hits(k) > 0]
	case "top1":
		return yes[hits(1) > 0]
	case "all":
		return yes[hits(k) == relevant]
	case "rprec":
		return float64(hits(relevant)) / float64(relevant)
	case "precision":
		if !hasCut {
			k = max(len(ids), 1)
		}
		return float64(hits(k)) / float64(k)
	case "mrr":
		for i := range ids[:min(len(ids), k)] {
			if hits(i+1) > 0 {
				return 1 / float64(i+1)
			}
		}
		return 0
	case "ap":
		sum := 0.0
		for i, id := range ids[:min(len(ids), k)] {
			if grade(id) >= j.level {
				sum += float64(hits(i+1)) / float64(i+1)
			}
		}
		return sum / float64(relevant)
	}
	panic("no metric " + name)
}

// ranking orders by score, ties by document, both descending; the depth cuts
// before documents without judgement leave.
func (j judged) ranking(system, target, query string) []string {
	scores := j.runs[system][query]
	ids := slices.Collect(maps.Keys(scores))
	sort.Slice(ids, func(a, b int) bool {
		if scores[ids[a]] != scores[ids[b]] {
			return scores[ids[a]] > scores[ids[b]]
		}
		return ids[a] > ids[b]
	})
	ids = ids[:min(len(ids), j.depth)]
	if j.judgedOnly {
		ids = slices.DeleteFunc(ids, func(id string) bool {
			grade, ok := j.qrels[target][query][id]
			return !ok || grade < 0
		})
	}
	return ids
}

func (j judged) relevant(target, query string) int {
	n := 0
	for _, grade := range j.qrels[target][query] {
		if grade >= j.level {
			n++
		}
	}
	return n
}

func (j judged) report(population string) facts {
	f := facts{}
	queries := stringSet{}
	for _, judged := range j.qrels {
		for q := range judged {
			queries[q] = true
		}
	}
	where := func(keep func(q string) bool) (out []string) {
		for q := range queries {
			if keep(q) {
				out = append(out, q)
			}
		}
		return out
	}
	covers := func(target string) bool {
		return len(where(func(q string) bool { return j.relevant(target, q) > 0 })) > 0
	}
	shared := where(func(q string) bool {
		some := false
		for target := range j.qrels {
			if covers(target) && j.relevant(target, q) == 0 {
				return false
			}
			some = some || covers(target)
		}
		return some
	})
	f.put(len(shared), "shared")
	for system, run := range j.runs {
		for target, judged := range j.qrels {
			subsets := map[string][]string{
				"covered": where(func(q string) bool { return j.relevant(target, q) > 0 }),
				"shared":  shared,
				"all":     where(func(string) bool { return true }),
				"judged":  where(func(q string) bool { return judged[q] != nil }),
				"matched": where(func(q string) bool { return judged[q] != nil && run[q] != nil }),
			}
			for subset, over := range subsets {
				if !covers(target) && subset != "judged" && subset != "matched" {
					over = nil
				}
				for _, metric := range j.metrics {
					at := fmt.Sprintf("score %s of %s under %s over %s", metric, system, target, subset)
					f.put(len(over), "%s: n", at)
					f.put(j.mean(system, target, metric, over), "%s", at)
					f.put(nil, "%s: sd", at)
				}
			}
			for _, metric := range j.metrics {
				if strings.HasPrefix(metric, "micro_recall") {
					continue
				}
				for q := range queries {
					if judged[q] != nil || population == "all" {
						f.put(j.metric(system, target, q, metric), "query %s: %s of %s under %s", q, metric, system, target)
					}
				}
			}
		}
	}
	return f
}

func (j judged) mean(system, target, metric string, over []string) *float64 {
	sum, of := 0.0, float64(len(over))
	if cut, ok := strings.CutPrefix(metric, "micro_recall"); ok {
		of = 0
		for _, q := range over {
			sum += math.Round(j.metric(system, target, q, "recall"+cut) * float64(j.relevant(target, q)))
			of += float64(j.relevant(target, q))
		}
	} else {
		for _, q := range over {
			sum += j.metric(system, target, q, metric)
		}
	}
	if of == 0 {
		return nil
	}
	sum /= of
	return &sum
}
