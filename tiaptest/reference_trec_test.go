package tiaptest_test

import (
	"fmt"
	"maps"
	"math"
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
