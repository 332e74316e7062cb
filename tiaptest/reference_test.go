package tiaptest_test

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestReference compares audits of random files, from their bytes to the numbers
// of the report, with a second implementation, written for plainness: encoding/json,
// strings, maps and recursion, nothing shared with the package. Numbers are equal
// bit for bit. The files are spelled in many ways; a few have many queries, long
// rankings, or more bytes than one block.
//
//	go test ./tiaptest -run '^TestReference$' -rapid.checks=100000
func TestReference(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(t *rapid.T, dir string){"bundle": bundleCase, "trec": trecCase, "mtelmem": mtelmemCase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			rapid.Check(t, func(t *rapid.T) { check(t, dir) })
		})
	}
}

func bundleCase(t *rapid.T, _ string) {
	b := drawBundle(t)
	giveRawParents(t, b)
	p := drawPlan(t, b)
	if chance(t, 3, "many queries") {
		repeatQueries(b, rapid.IntRange(60, 140).Draw(t, "queries"))
	}
	if chance(t, 2, "deep") {
		p.deepen(t, deepenRankings(b, rapid.IntRange(100, 1100).Draw(t, "further ids")))
	}
	s := drawSpelling(t)
	plain, fsys := s.bundle(b), fstest.MapFS{}
	for name, text := range plain {
		if path.Ext(name) == ".jsonl" {
			name, text = s.pack(name, text)
		}
		fsys[name] = &fstest.MapFile{Data: text}
	}
	read, err := tiaptest.OpenFS(fsys)
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	want := newReference(plain.bundle(), p).report()
	compareBits(t, want, read, p, plain)
	if !s.odd && chance(t, 25, "in memory") {
		compareBits(t, want, b, p, plain)
	}
}

func trecCase(t *rapid.T, dir string) {
	j := drawStudy(t, []string{"raw", "source", "canonical", "strict", "Raw"})
	p := j.plan(t, "shared", "all", "covered", "judged", "matched")
	s, byRank := drawSpelling(t), chance(t, 20, "by rank")
	plain, qrels, runs := j.trec(s, byRank)
	in := plain.trec(qrels, runs, byRank)
	in.level, in.judgedOnly = rapid.IntRange(1, 2).Draw(t, "level"), rapid.Bool().Draw(t, "judged only")
	at := s.save(t, dir, plain)
	for _, of := range []map[string]string{qrels, runs} {
		for name, file := range of {
			of[name] = at[file]
		}
	}
	b, err := tiaptest.TREC{Qrels: qrels, Runs: runs, RankColumn: byRank, Level: in.level, JudgedOnly: in.judgedOnly}.Open()
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	compareBits(t, newReference(in, p).report(), b, p, plain)
}

func mtelmemCase(t *rapid.T, dir string) {
	j := drawStudy(t, baseTargets)
	j.targets = slices.Clone(baseTargets) // those not judged stand in no record
	p := j.plan(t, "shared", "all", "covered")
	if chance(t, 15, "some categories") {
		p.Categories = []string{j.queries[0].Category}
	}
	s := drawSpelling(t)
	plain, records, traces := j.mtelmem(s)
	in := plain.mtelmem(records, traces...)
	at := s.save(t, dir, plain)
	files := tiaptest.MTELMem{Records: at[records]}
	for _, trace := range traces {
		files.Traces = append(files.Traces, at[trace])
	}
	b, err := files.Open()
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	compareBits(t, newReference(in, p).report(), b, p, plain)
}

// compareBits audits a bundle and compares the report with the facts wanted.
func compareBits(t *rapid.T, want facts, b *tiaptest.Bundle, p plan, plain files) {
	a, err := tiaptest.Rescore(b, p.options())
	if err != nil {
		t.Fatalf("%+v\n%s\n%v", p, plain, err)
	}
	if diff := differences(want, reported(t, a, p)); diff != "" {
		t.Fatalf("want (reference) against got (audit):\n%s\n%+v\n%s", diff, p, plain)
	}
}

func drawSpelling(t *rapid.T) *spelling { return spell(rapid.Uint64().Draw(t, "spelling")) }

// save writes files into a folder, packed or not, and returns where.
func (s *spelling) save(t *rapid.T, dir string, plain files) map[string]string {
	at := map[string]string{}
	for name, text := range plain {
		packed, text := s.pack(name, text)
		at[name] = filepath.Join(dir, packed)
		if err := os.WriteFile(at[name], text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return at
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

// reference scores what was read by the definitions of the design, one number at
// a time. A sum over queries, or over ingests, is that of total, queries ascending
// by id; a sum over ranks is a plain one, from rank 1 on.
type reference struct {
	plan
	*input
	scorable   []string               // ids, ascending
	units      map[string][]stringSet // of each query
	asked      map[string]string      // year of each query
	systems    []*subject             // ascending by name
	unscorable int

	remembered map[string]any
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

// total adds numbers with Neumaier's compensation.
func total(xs []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, x := range xs {
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	return sum + lost
}

func mean(xs []float64) float64 { return total(xs) / float64(len(xs)) }

func newReference(in *input, p plan) *reference {
	r := &reference{plan: p, input: in, units: map[string][]stringSet{}, asked: map[string]string{}, remembered: map[string]any{}}
	for _, q := range in.queries {
		if p.Categories != nil && !slices.Contains(p.Categories, q.Category) {
			continue
		}
		for _, u := range q.Evidence {
			unit := stringSet{}
			for _, t := range u.Turns {
				if len(in.turns) == 0 || in.turns[t] {
					unit[t] = true
				}
			}
			// Repeated evidence counts once.
			if len(unit) > 0 && !slices.ContainsFunc(r.units[q.ID], unit.equal) {
				r.units[q.ID] = append(r.units[q.ID], unit)
			}
		}
		if len(r.units[q.ID]) == 0 && !in.speaksOf(q.ID) {
			r.unscorable++
			continue
		}
		r.scorable = append(r.scorable, q.ID)
		r.asked[q.ID] = q.Time
	}
	sort.Strings(r.scorable)
	for _, s := range in.subjects {
		if p.Systems == nil || slices.Contains(p.Systems, s.Name) {
			r.systems = append(r.systems, s)
		}
	}
	sort.Slice(r.systems, func(i, j int) bool { return r.systems[i].Name < r.systems[j].Name })
	return r
}

// speaksOf tells whether judgements make a query scorable: one of TREC that is
// judged, even if nothing is relevant; one of MTEL-Mem with an id.
func (in *input) speaksOf(query string) bool {
	for _, queries := range in.judged {
		if ids, ok := queries[query]; ok && (in.trec || len(ids) > 0) {
			return true
		}
	}
	return false
}

// relevant counts the ids that are relevant to a query.
func (in *input) relevant(target, query string) int {
	n := 0
	for _, grade := range in.judged[target][query] {
		if grade >= in.level {
			n++
		}
	}
	return n
}

// once keeps what make makes, by a name.
func once[T any](r *reference, name string, make func() T) T {
	if v, ok := r.remembered[name]; ok {
		return v.(T)
	}
	v := make()
	r.remembered[name] = v
	return v
}

// lineage lists the links of a memory, its own and those of its ancestors. A link
// from parent to child has no precision or origin of its own, so that the
// weakest link of a chain is the one to the turn.
func lineage(in *stored, m tiaptest.Memory) []tiaptest.Link {
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
func eligible(in *stored, m tiaptest.Memory, target string, unit stringSet, asked string) bool {
	words, base := modifiers(target)
	if words["validat"] && !valid(m, asked) {
		return false
	}
	if !inForm(base, m) || words["current"] && (m.Status == "superseded" || m.Status == "deleted") {
		return false
	}
	links := lineage(in, m)
	if base == "raw" {
		links = links[:len(m.Sources)] // what it holds itself
	}
	for _, l := range links {
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
func (r *reference) coveredIn(in *stored, target, query string) bool {
	if r.judged != nil {
		return r.relevant(target, query) > 0
	}
	for _, m := range in.Memories {
		for _, u := range r.units[query] {
			if eligible(in, m, target, u, r.asked[query]) {
				return true
			}
		}
	}
	return false
}

func (r *reference) covered(s *subject, target, query string) bool {
	return once(r, fmt.Sprintf("covered %q %q %q", s.Name, target, query), func() bool {
		for _, in := range s.Ingests {
			if !r.coveredIn(in, target, query) {
				return false
			}
		}
		return true
	})
}

func (r *reference) coveredQueries(s *subject, target string) (out []string) {
	for _, q := range r.scorable {
		if r.covered(s, target, q) {
			out = append(out, q)
		}
	}
	return out
}

// unavailable: a store has no lineage at all for the target. A store with lineage
// that holds no memory of the target's kind can still speak about it.
func (r *reference) unavailable(s *subject, target string) bool {
	if r.judged != nil {
		return r.unspoken[target]
	}
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
func (r *reference) absent(s *subject, target string) bool {
	return once(r, fmt.Sprintf("absent %q %q", s.Name, target), func() bool {
		return r.unavailable(s, target) || len(r.coveredQueries(s, target)) == 0
	})
}

// ranking is what counts of a system's answer to a query.
func (r *reference) ranking(in *stored, query string) []string {
	k := in.Rankings[query]
	if k.Error != "" {
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
// of how many, over how many ranks; and the gains, with those of the best ranking.
type earned struct {
	at     map[int]int
	gain   map[int]float64
	items  int
	ideal  []float64
	length int
}

// earn credits a ranking. The scheme is "evidence/dropped", "evidence/counted" or
// "memory/dropped".
func (r *reference) earn(in *stored, target, query, scheme string) earned {
	return once(r, fmt.Sprintf("earned %p %q %q %s %s", in, target, query, scheme, r.Merge), func() earned {
		if r.judged != nil {
			return r.earnJudged(in, target, query)
		}
		e := r.earnStored(in, target, query, scheme)
		e.gain = map[int]float64{}
		for rank := range e.at {
			e.gain[rank] = 1
		}
		for range e.items {
			e.ideal = append(e.ideal, 1)
		}
		return e
	})
}

func (r *reference) earnStored(in *stored, target, query, scheme string) earned {
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

// earnJudged does so by judgements, as trec_eval. The gain is the grade; it asks
// for no level of relevance. The depth cuts before ids without judgement leave.
func (r *reference) earnJudged(in *stored, target, query string) earned {
	grades := r.judged[target][query]
	ids := r.ranking(in, query)
	if r.judgedOnly {
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			grade, ok := grades[id]
			return !ok || grade < 0
		})
	}
	e := earned{at: map[int]int{}, gain: map[int]float64{}, items: r.relevant(target, query), length: len(ids)}
	for i, id := range ids {
		if grade, ok := grades[id]; ok && grade >= r.level {
			e.at[i+1] = 1
		}
		if grades[id] > 0 {
			e.gain[i+1] = float64(grades[id])
		}
	}
	for _, grade := range grades {
		if grade > 0 {
			e.ideal = append(e.ideal, float64(grade))
		}
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(e.ideal)))
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

// gains counts the ranks up to k that credit something.
func (e earned) gains(k int) int {
	n := 0
	for rank := range e.at {
		if rank <= k {
			n++
		}
	}
	return n
}

// discount is that of nDCG. A gain is multiplied by it.
func discount(rank int) float64 { return 1 / math.Log2(float64(rank+1)) }

// metric is the value of a metric for one query. micro_recall has none.
func (e earned) metric(name string) float64 {
	word, cut, hasCut := strings.Cut(name, "@")
	k := 1 << 20
	if hasCut {
		k, _ = strconv.Atoi(cut)
	}
	if word == "ndcg" {
		dcg, best := 0.0, 0.0
		for rank := 1; rank <= min(k, e.length); rank++ {
			dcg += float64(e.gain[rank] * discount(rank))
		}
		for i, gain := range e.ideal[:min(k, len(e.ideal))] {
			best += float64(gain * discount(i+1))
		}
		if best == 0 {
			return 0
		}
		return dcg / best
	}
	if e.items == 0 {
		return 0
	}
	yes := map[bool]float64{true: 1}
	switch word {
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
func (r *reference) perQuery(s *subject, target, query, metric, scheme string) float64 {
	var values []float64
	for _, in := range s.Ingests {
		values = append(values, r.earn(in, target, query, scheme).metric(metric))
	}
	return mean(values)
}

// scores are the scores of a system's ingests over some queries.
func (r *reference) scores(s *subject, target, metric, scheme string, queries []string) (out []float64) {
	word, cut, hasCut := strings.Cut(metric, "@")
	k := 1 << 20
	if hasCut {
		k, _ = strconv.Atoi(cut)
	}
	for _, in := range s.Ingests {
		var values, of []float64
		for _, q := range queries {
			e := r.earn(in, target, q, scheme)
			if word == "micro_recall" {
				values, of = append(values, float64(e.credited(k))), append(of, float64(e.items))
			} else {
				values, of = append(values, e.metric(metric)), append(of, 1)
			}
		}
		if total(of) == 0 {
			return nil
		}
		out = append(out, total(values)/total(of))
	}
	return out
}

// score is nil where it is undefined.
func (r *reference) score(s *subject, target, metric, scheme string, queries []string) *float64 {
	per := r.scores(s, target, metric, scheme, queries)
	if per == nil {
		return nil
	}
	v := mean(per)
	return &v
}

func (r *reference) scheme() string { return r.Credit + "/" + r.Uncovered }

// shared is the queries covered under every target in every system, where the
// target has a score in the system.
func (r *reference) shared(systems []*subject, targets []string) (out []string) {
	for _, q := range r.scorable {
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
func (r *reference) comparable(systems []*subject, targets []string) (out []string) {
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
func (r *reference) compared(population string, systems []*subject, targets []string) (out []string) {
	switch {
	case len(targets) == 0:
		return nil
	case population == "all":
		return r.scorable
	case population == "shared":
		return r.shared(systems, targets)
	case population == "judged" || population == "matched":
		return r.judgedQueries(population, systems, targets)
	}
	for _, q := range r.scorable {
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

// judgedQueries are those that are judged under every target and, to be matched,
// ranked by every system.
func (r *reference) judgedQueries(population string, systems []*subject, targets []string) (out []string) {
	for _, q := range r.scorable {
		everywhere := true
		for _, t := range targets {
			_, ok := r.judged[t][q]
			everywhere = everywhere && ok
		}
		for _, s := range systems {
			for _, in := range s.Ingests {
				_, ok := in.Rankings[q]
				everywhere = everywhere && (ok || population == "judged")
			}
		}
		if everywhere {
			out = append(out, q)
		}
	}
	return out
}

// side is a system's score in a comparison.
func (r *reference) side(s *subject, target, metric, scheme, population string, compared []string) *float64 {
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
	f.put(len(r.scorable)+r.unscorable, "queries")
	f.put(r.unscorable, "unscorable")
	for _, s := range r.systems {
		r.describeSystem(f, s)
	}
	all := r.sharedByAll()
	f.put(len(all), "shared")
	for _, s := range r.systems {
		others := slices.DeleteFunc(slices.Clone(r.systems), func(o *subject) bool { return o == s })
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

func (r *reference) describeSystem(f facts, s *subject) {
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
		for _, q := range r.scorable {
			k, ok := in.Rankings[q]
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
			if ok && k.Error == "" && r.judged == nil && len(r.ranking(in, q)) < want {
				count["short rankings"]++ // named only when there are any
			}
		}
		for _, k := range in.Rankings {
			for _, l := range append(k.Lists, tiaptest.List{IDs: k.IDs}) {
				for _, id := range l.IDs {
					ranked[id] = true
				}
			}
		}
		judged := r.judgedIDs()
		for id := range ranked {
			if !stored[id] && !judged[id] {
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
		if r.unavailable(s, t) {
			missing = append(missing, t)
		} else {
			f.put(len(r.coveredQueries(s, t)), "%s: covered under %s", s.Name, t)
		}
	}
	f.put(strings.Join(missing, " "), "%s: unavailable", s.Name)
}

func (r *reference) describeScores(f facts, s *subject, target string, shared []string) {
	if !slices.Contains(r.Targets, target) {
		shared = r.shared(r.systems, []string{r.Headline, target})
	}
	populations := map[string][]string{"covered": r.coveredQueries(s, target), "shared": shared, "all": r.scorable}
	if r.trec {
		populations["judged"], populations["matched"] = nil, nil
	}
	for population, queries := range populations {
		switch {
		case population == "judged" || population == "matched":
			queries = r.judgedQueries(population, []*subject{s}, []string{target})
		case r.absent(s, target):
			queries = nil
		}
		for _, metric := range r.Metrics {
			at := fmt.Sprintf("score %s of %s under %s over %s", metric, s.Name, target, population)
			f.put(len(queries), "%s: n", at)
			f.put(r.score(s, target, metric, r.scheme(), queries), "%s", at)
			var sd *float64
			if per := r.scores(s, target, metric, r.scheme(), queries); len(per) > 1 {
				var squares []float64
				for _, v := range per {
					squares = append(squares, (v-mean(per))*(v-mean(per)))
				}
				v := math.Sqrt(total(squares) / float64(len(per)-1))
				sd = &v
			}
			f.put(sd, "%s: sd", at)
		}
	}
	for _, metric := range r.Metrics {
		for _, q := range r.scorable {
			_, judged := r.judged[target][q]
			counts := r.covered(s, target, q) || r.Population == "all" || r.trec && judged
			if !strings.HasPrefix(metric, "micro_recall") && !r.unavailable(s, target) && counts {
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

func (r *reference) describeChanges(f facts, s *subject, t, u string) {
	if r.absent(s, t) || r.absent(s, u) {
		return
	}
	at := fmt.Sprintf("changes of %s between %s and %s", s.Name, t, u)
	n := 0
	changed := map[string]int{"ndcg": 0, "mrr": 0, "recall": 0, "hit": 0, "top1": 0}
	for _, q := range r.scorable {
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

func (r *reference) describeOrder(f facts, s *subject, shared []string) {
	targets := r.comparable([]*subject{s}, r.Targets)
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

func (r *reference) describePair(f facts, a, b *subject, beside string, targets []string) {
	pair := []*subject{a, b}
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

func (r *reference) meanItems(s *subject, target, query string) float64 {
	var items []float64
	for _, in := range s.Ingests {
		items = append(items, float64(r.earn(in, target, query, r.scheme()).items))
	}
	return mean(items)
}

func minus(x, y *float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	d := *x - *y
	return &d
}

func (r *reference) describeConventions(f facts, a, b *subject) {
	pair := []*subject{a, b}
	targets := r.comparable(pair, r.Targets)
	conventions := stringSet{r.scheme() + "/" + r.Population: true}
	tried := []string{"evidence/dropped/shared", "memory/dropped/shared", "evidence/counted/shared", "evidence/dropped/all"}
	for _, scheme := range []string{"evidence/dropped", "memory/dropped", "evidence/counted"} {
		tried = append(tried, scheme+"/"+r.Population)
	}
	for _, population := range []string{"shared", "all"} {
		tried = append(tried, r.scheme()+"/"+population)
	}
	switch {
	case r.trec:
		tried = []string{"memory/dropped/shared", "memory/dropped/all", "memory/dropped/judged", "memory/dropped/matched"}
	case r.judged != nil:
		tried = []string{"memory/dropped/shared", "memory/dropped/all"}
	}
	for _, c := range tried {
		conventions[c] = true
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
			for _, k := range in.Rankings {
				if len(k.Lists) > 0 {
					return true
				}
			}
		}
	}
	return false
}

func (r *reference) describeRecommendations(f facts) {
	families := map[string][]*subject{}
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
func (r *reference) best(members []*subject, target, metric string, queries []string) *string {
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
