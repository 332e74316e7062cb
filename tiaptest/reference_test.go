package tiaptest_test

import (
	"fmt"
	"math"
	"math/big"
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

// reference scores a bundle by the definitions of the design, one number at a
// time.
type reference struct {
	plan
	bundle     *tiaptest.Bundle
	queries    []string               // scorable, ascending
	units      map[string][]stringSet // of each query
	asked      map[string]string      // year of each query
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
	r := &reference{plan: p, bundle: b, units: map[string][]stringSet{}, asked: map[string]string{}}
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
		r.asked[q.ID] = q.Time
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

// valid tells whether a memory was valid in the year in which a query is asked.
func valid(m tiaptest.Memory, asked string) bool {
	ended := m.ValidTo == "" && (m.Status == "superseded" || m.Status == "deleted")
	return asked != "" && !ended && m.ValidFrom <= asked && (m.ValidTo == "" || asked < m.ValidTo)
}

// eligible tells whether a memory may earn credit for an evidence unit of a query
// that is asked in some year.
func eligible(in *tiaptest.Ingest, m tiaptest.Memory, target string, unit stringSet, asked string) bool {
	words, base := modifiers(target)
	if words["validat"] && !valid(m, asked) {
		return false
	}
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
			if eligible(in, m, target, u, r.asked[query]) {
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
			if eligible(in, m, target, u, r.asked[query]) {
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
			want := min(r.Depth, len(in.Memories))
			if k.K > 0 {
				want = min(want, k.K)
			}
			if ok && k.Error == "" && len(r.ranking(in, q)) < want {
				count["short rankings"]++ // named only when there are any
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
	for _, rule := range []string{"order", "interleave", "rrf"} {
		if rule != r.Merge && r.hasLists() {
			conventions[r.scheme()+"/"+r.Population+"/"+rule] = true
		}
	}
	for _, metric := range r.Metrics {
		for _, t := range targets {
			at := fmt.Sprintf("conventions of %s %s on %s under %s", a.Name, b.Name, metric, t)
			winners := stringSet{}
			for c := range conventions {
				words := strings.Split(c, "/")
				scheme, population := words[0]+"/"+words[1], words[2]
				queries := r.compared(population, pair, targets)
				by := *r
				if len(words) > 3 {
					by.Merge = words[3]
				}
				gap := minus(by.side(a, t, metric, scheme, population, queries), by.side(b, t, metric, scheme, population, queries))
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

// hasLists tells whether some ranking is given as lists.
func (r *reference) hasLists() bool {
	for _, s := range r.systems {
		for _, in := range s.Ingests {
			for k := range in.Run.All() {
				if len(k.Lists) > 0 {
					return true
				}
			}
		}
	}
	return false
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
