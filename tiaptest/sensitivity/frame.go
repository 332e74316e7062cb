package sensitivity

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// frame is a table in order: names sorted, values by number.
type frame struct {
	systems, targets, metrics, queries, categories []string

	main     int // the first main targets are compared among themselves, others with the headline
	headline int // or -1

	columns   map[[3]int]values // by system, target, metric
	sizes     map[[2]int]values // by system and target
	answers   map[string][]values
	strangers *Strangers
	category  []string // of each query
	cluster   []int32  // of each query; nil when queries are independent
	family    []string // of each system

	all map[int][]int // what sharedByAll has found
}

// values are the values of all queries, where they are there.
type values struct {
	v  []float64
	ok []bool
	n  int // that are there
}

func newValues(n int) values { return values{v: make([]float64, n), ok: make([]bool, n)} }

func (c *values) set(q int, v float64) {
	c.v[q], c.ok[q] = v, true
	c.n++
}

func (c *values) at(queries []int) []float64 {
	out := make([]float64, len(queries))
	for i, q := range queries {
		out[i] = c.v[q]
	}
	return out
}

// Qualities of answers.
const (
	answerF1      = "f1"
	answerCorrect = "correct"
)

func (t *Table) frame() (*frame, error) {
	if len(t.columns) == 0 {
		return nil, errors.New("the table has no scores; add some")
	}
	f := &frame{
		systems: slices.Sorted(maps.Keys(t.families)),
		targets: slices.SortedFunc(maps.Keys(t.targets), func(a, b string) int {
			return cmp.Or(cmp.Compare(t.targetOrder(a), t.targetOrder(b)), cmp.Compare(a, b))
		}),
		columns: make(map[[3]int]values), sizes: make(map[[2]int]values), answers: make(map[string][]values),
		all: make(map[int][]int),
	}
	order := t.order()
	for _, n := range order {
		f.queries = append(f.queries, t.queries[n])
	}
	metrics := make(map[string]bool)
	for c := range t.columns {
		metrics[c.metric] = true
	}
	f.metrics = slices.SortedFunc(maps.Keys(metrics), compareMetrics)
	f.main = len(f.targets) - len(t.beside)
	f.headline = slices.Index(f.targets, t.headline)

	systems, targets := numbers(f.systems), numbers(f.targets)
	byMetric := numbers(f.metrics)
	for c, from := range t.columns {
		f.columns[[3]int{systems[c.system], targets[c.target], byMetric[c.metric]}] = from.inOrder(order)
	}
	for p, from := range t.sizes {
		f.sizes[[2]int{systems[p.system], targets[p.target]}] = from.inOrder(order)
	}
	categories := make(map[string]bool)
	for _, n := range order {
		f.category = append(f.category, t.categories[n])
		categories[t.categories[n]] = true
	}
	delete(categories, "")
	f.categories = slices.Sorted(maps.Keys(categories))
	if t.scopes != nil {
		scopes := numbers(slices.Compact(slices.Sorted(slices.Values(t.scopes))))
		for _, n := range order {
			f.cluster = append(f.cluster, int32(scopes[t.scopes[n]]))
		}
	}
	for _, s := range f.systems {
		f.family = append(f.family, t.families[s])
	}
	return f, f.addAnswers(t, systems)
}

// order are the numbers of the queries by their ids, ascending.
func (t *Table) order() []int {
	order := make([]int, len(t.queries))
	for n := range order {
		order[n] = n
	}
	if !slices.IsSorted(t.queries) {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.queries[a], t.queries[b]) })
	}
	return order
}

// inOrder are the values of queries in an order of their numbers.
func (c *cells) inOrder(order []int) values {
	out := newValues(len(order))
	for q, n := range order {
		if v, said := c.of(n); said == aValue {
			out.set(q, v)
		}
	}
	return out
}

// Strangers counts answers of systems or to queries that have no scores.
type Strangers struct {
	N     int      `json:"n"`
	Of    int      `json:"of"`    // answers in all
	First []string `json:"first"` // up to ten, ascending, each as "query" of "system"
}

// namedStrangers is how many are named.
const namedStrangers = 10

// addAnswers takes over the answers to queries of the table. That there is none
// among many means that the two use different names.
func (f *frame) addAnswers(t *Table, systems map[string]int) error {
	if len(t.answers) == 0 {
		return nil
	}
	matched, queries := 0, numbers(f.queries)
	var strange []string
	for system, answers := range t.answers {
		s, knownSystem := systems[system]
		for query, a := range answers {
			q, known := queries[query]
			if !known || !knownSystem {
				strange = append(strange, fmt.Sprintf("%q of %q", query, system))
				continue
			}
			matched++
			if a.F1 != nil {
				f.answer(answerF1, s).set(q, *a.F1)
			}
			if a.Correct != nil {
				v := 0.0
				if *a.Correct {
					v = 1
				}
				f.answer(answerCorrect, s).set(q, v)
			}
		}
	}
	if matched == 0 {
		return errors.New("not one answer belongs to a system and a query of the scores; give both the same names")
	}
	if n := len(strange); n > 0 {
		slices.Sort(strange)
		f.strangers = &Strangers{N: n, Of: n + matched, First: slices.Clip(strange[:min(n, namedStrangers)])}
	}
	return nil
}

// answer returns the answers of a system by a quality.
func (f *frame) answer(quality string, system int) *values {
	if f.answers[quality] == nil {
		for range f.systems {
			f.answers[quality] = append(f.answers[quality], newValues(len(f.queries)))
		}
	}
	return &f.answers[quality][system]
}

// qualities are those that some answer has.
func (f *frame) qualities() []string { return slices.Sorted(maps.Keys(f.answers)) }

func numbers(names []string) map[string]int {
	m := make(map[string]int, len(names))
	for i, name := range names {
		m[name] = i
	}
	return m
}

// targetOrder puts the targets of the TIAP protocol first, in its order, then
// other main targets, then those beside.
func (t *Table) targetOrder(target string) int {
	if t.beside[target] {
		return 4
	}
	if i := slices.Index([]string{"raw", "source", "canonical"}, target); i >= 0 {
		return i
	}
	return 3
}

// metricOrder puts the metric that most is said by first.
var metricOrder = []string{"ndcg", "recall", "mrr", "hit", "precision", "ap", "rprec", "all", "top1"}

func compareMetrics(a, b string) int {
	stemA, cutA := cutOff(a)
	stemB, cutB := cutOff(b)
	place := func(stem string) int {
		if i := slices.Index(metricOrder, stem); i >= 0 {
			return i
		}
		return len(metricOrder)
	}
	return cmp.Or(cmp.Compare(place(stemA), place(stemB)), cmp.Compare(stemA, stemB), cmp.Compare(cutA, cutB), cmp.Compare(a, b))
}

// cutOff splits ndcg@60 into ndcg and 60. A name without cut-off has 0.
func cutOff(metric string) (stem string, k int) {
	stem, text, ok := strings.Cut(metric, "@")
	k, err := strconv.Atoi(text)
	if !ok || err != nil || k < 1 {
		return metric, 0
	}
	return stem, k
}

// column returns the values of a system under a target by a metric.
func (f *frame) column(s, t, m int) values {
	if c, ok := f.columns[[3]int{s, t, m}]; ok {
		return c
	}
	return newValues(len(f.queries))
}

// comparable returns the main targets under which all of the systems have values.
func (f *frame) comparable(systems []int, m int) []int {
	var out []int
	for t := range f.main {
		if !slices.ContainsFunc(systems, func(s int) bool { return f.column(s, t, m).n == 0 }) {
			out = append(out, t)
		}
	}
	return out
}

// shared returns the queries covered under all of the targets in all of the
// systems, none without a target.
func (f *frame) shared(systems, targets []int, m int) []int {
	var columns []values
	for _, s := range systems {
		for _, t := range targets {
			columns = append(columns, f.column(s, t, m))
		}
	}
	return f.inAll(columns...)
}

// inAll returns the queries that have a value in every one of the columns.
func (f *frame) inAll(columns ...values) []int {
	out := []int{}
	if len(columns) == 0 {
		return out
	}
next:
	for q := range f.queries {
		for _, c := range columns {
			if !c.ok[q] {
				continue next
			}
		}
		out = append(out, q)
	}
	return out
}

// scores returns the mean of each target over queries, by name.
func (f *frame) scores(s int, targets []int, m int, queries []int) map[string]*float64 {
	out := make(map[string]*float64)
	for _, t := range targets {
		c := f.column(s, t, m)
		out[f.targets[t]] = mean(c.at(queries))
	}
	return out
}

// winners returns the leading system under each target over queries. One system
// alone does not lead.
func (f *frame) winners(systems, targets []int, m int, queries []int) map[string]*string {
	out := make(map[string]*string)
	for _, t := range targets {
		scores := make([]*float64, len(systems))
		for i, s := range systems {
			c := f.column(s, t, m)
			scores[i] = mean(c.at(queries))
		}
		out[f.targets[t]] = leader(f.names(systems), scores)
	}
	return out
}

func (f *frame) names(systems []int) []string {
	out := make([]string, len(systems))
	for i, s := range systems {
		out[i] = f.systems[s]
	}
	return out
}

// common is what systems are compared on together: the systems that have values
// under some main target, the main targets under which all of them have, and the
// queries covered under all of these.
type common struct{ systems, targets, queries []int }

// commons yields what all systems have in common by each metric, where two targets
// can be set against each other.
func (f *frame) commons() iter.Seq2[int, common] {
	return func(yield func(int, common) bool) {
		for m := range f.metrics {
			c := common{systems: f.scored(m)}
			c.targets = f.comparable(c.systems, m)
			c.queries = f.shared(c.systems, c.targets, m)
			if len(c.targets) > 1 && len(c.queries) > 0 && !yield(m, c) {
				return
			}
		}
	}
}

// scored are the systems that have values under some main target.
func (f *frame) scored(m int) []int {
	var out []int
	for s := range f.systems {
		if len(f.comparable([]int{s}, m)) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// sharedByAll are the queries that each system covers under every main target that
// it has values under: the shared subset of an audit.
func (f *frame) sharedByAll(m int) []int {
	if queries, known := f.all[m]; known {
		return queries
	}
	var columns []values
	for s := range f.systems {
		for _, t := range f.comparable([]int{s}, m) {
			columns = append(columns, f.column(s, t, m))
		}
	}
	f.all[m] = f.inAll(columns...)
	return f.all[m]
}

// clusters are those of queries.
func (f *frame) clusters(queries []int) []int32 {
	out := make([]int32, len(queries))
	for i, q := range queries {
		out[i] = f.cluster[q]
	}
	return out
}

// targetPairs are the main targets among themselves, and the headline against
// each target beside.
func (f *frame) targetPairs() [][2]int {
	var out [][2]int
	for i := range f.main {
		for j := i + 1; j < f.main; j++ {
			out = append(out, [2]int{i, j})
		}
	}
	for t := f.main; t < len(f.targets) && f.headline >= 0; t++ {
		out = append(out, [2]int{f.headline, t})
	}
	return out
}

func (f *frame) pairName(ts [2]int) [2]string { return [2]string{f.targets[ts[0]], f.targets[ts[1]]} }
