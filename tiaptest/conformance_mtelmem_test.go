package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/tiaptest"
)

// The published density runs of arXiv 2605.24060.
const (
	d1 = "locomo-lexical-d1"
	d5 = "locomo-lexical-d5"
	d8 = "locomo-lexical-d8"
)

var (
	densities   = []string{d1, d5, d8}
	targetNames = []string{"raw", "source", "canonical"}
)

// lexicalBundle makes one bundle of the three density runs, which have the same
// queries.
func lexicalBundle(t *testing.T, runs string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "locomo")
	writeDataFile(t, filepath.Join(dir, "scenario.json"),
		[]byte(`{"schema":"tiap.scenario/v1","name":"locomo","unit":"dialogue turn","headline":"canonical"}`))
	queries := filepath.Join(runs, d1, "queries.jsonl")
	copyDataFile(t, queries, filepath.Join(dir, "queries.jsonl"))
	for _, name := range densities {
		require.Equal(t, readPlain(t, queries), readPlain(t, filepath.Join(runs, name, "queries.jsonl")))
		to := filepath.Join(dir, "systems", name)
		writeDataFile(t, filepath.Join(to, "system.json"), []byte(`{"family":"density"}`))
		for _, file := range []string{"store.jsonl", "run.jsonl"} {
			copyDataFile(t, filepath.Join(runs, name, file), filepath.Join(to, file))
		}
	}
	return dir
}

// metricOf are the metrics behind the names of the published aggregates.
var metricOf = map[string]string{
	"top1_hit_rate":     "top1",
	"hit_rate_at_k":     "hit@60",
	"recall_at_k":       "recall@60",
	"mrr":               "mrr@60",
	"ndcg_at_k":         "ndcg@60",
	"micro_recall_at_k": "micro_recall@60",
}

// countOf are the members of a report's changes behind the published counts.
var countOf = map[string]string{
	"shared_queries":       "n",
	"hit_flip_count":       "hit_flips",
	"top1_flip_count":      "top1_flips",
	"recall_changed_count": "recall_changed",
	"mrr_changed_count":    "mrr_changed",
	"ndcg_changed_count":   "ndcg_changed",
}

// aggregates compares the scores and counts of one system with expected ones.
// known holds, by names such as source.recall_at_k, by how much a value is known
// to differ from what the data give.
func (c *tally) aggregates(t *testing.T, report object, system string, expected, known object) {
	t.Helper()
	shift := func(name string) float64 {
		d, _ := known[name].(float64)
		return d
	}
	queries := numberIn(t, report["scenario"].(object), "queries")
	covered := findObject(t, report["systems"], object{"name": system})["covered"].(object)
	for target, members := range expected["targets"].(object) {
		for name, want := range members.(object) {
			what := system + ": " + target + "." + name
			switch metric, scored := metricOf[name]; {
			case scored:
				for _, subset := range []string{"covered", "shared"} {
					got, _ := reportedScore(t, report, system, target, subset, metric)
					c.value(t, what+" "+subset, got, want.(float64)+shift(target+"."+name))
				}
			case name == "queries":
				_, n := reportedScore(t, report, system, target, "covered", "ndcg@60")
				c.value(t, what, n, want.(float64))
				c.value(t, what+" covered", covered[target].(float64), want.(float64))
			case name == "zero_target_cases":
				c.value(t, what, queries-covered[target].(float64), want.(float64))
			case slices.Contains([]string{"total_hits", "total_relevant", "multi_member_cases", "group_size_histogram"}, name):
				// Not in a report; the first two make up micro_recall.
			default:
				t.Errorf("%s: unknown value %v", what, want)
			}
		}
	}
	for pair, members := range expected["pairwise"].(object) {
		first, second, ok := strings.Cut(pair, "_vs_")
		require.True(t, ok, pair)
		row := findObject(t, report["changes"], object{"system": system, "targets": []any{first, second}})
		for name, want := range members.(object) {
			require.Contains(t, countOf, name)
			c.value(t, system+": "+pair+"."+name, numberIn(t, row, countOf[name]), want.(float64)+shift(pair+"."+name))
		}
	}
}

// TestConformancePublished compares the report with everything that is published
// on the density runs. That the command writes the same report is shown by
// TestConformanceDeterminism.
func TestConformancePublished(t *testing.T) {
	t.Parallel()
	runs := conformance.Data(t, "mtelmem/runs")
	c := newTally(t)
	b, err := tiaptest.Open(lexicalBundle(t, runs))
	require.NoError(t, err)
	report := parseObject(t, writeAll(t, b, tiaptest.Depth(60)).json)
	c.same(t, "schema", report["schema"], "tiap.audit/v1")
	flat := parseObject(t, writeAll(t, b, tiaptest.Credit(tiaptest.ByMemory)).json)
	for _, system := range densities {
		expected := readObject(t, filepath.Join(runs, system, "expected.json"))
		c.aggregates(t, report, system, expected["published"].(object), nil)
		c.aggregates(t, flat, system, object{"targets": expected["flat_crediting"], "pairwise": object{}}, nil)
	}
	for target, member := range map[string]string{"raw": d1, "source": d8, "canonical": d1} {
		winners := findObject(t, report["recommendations"], object{"family": "density", "metric": "ndcg@60"})["winners"].(object)
		c.same(t, "recommended under "+target, winners[target], member)
	}
}

// TestConformancePublishedQueries compares the values of single queries.
func TestConformancePublishedQueries(t *testing.T) {
	t.Parallel()
	runs := conformance.Data(t, "mtelmem/runs")
	c := newTally(t)
	b, err := tiaptest.Open(lexicalBundle(t, runs))
	require.NoError(t, err)
	values := readPerQuery(t, writeAll(t, b, tiaptest.Metrics(
		tiaptest.NDCG(60), tiaptest.Recall(60), tiaptest.MRR(60), tiaptest.Hit(60), tiaptest.Top1(), tiaptest.Precision(60),
	)).perQuery)
	flat := readPerQuery(t, writeAll(t, b, tiaptest.Credit(tiaptest.ByMemory), tiaptest.Metrics(tiaptest.NDCG(60))).perQuery)
	used := 0
	for _, system := range densities {
		hits, relevant := make(map[string]float64), make(map[string]float64)
		for _, line := range readObjects(t, filepath.Join(runs, system, "per_query.jsonl")) {
			query := line["query_id"].(string)
			for _, target := range targetNames {
				what := system + ": " + query + " " + target
				at := func(metric string) float64 {
					v, ok := values[perQueryKey{system, target, query, metric}]
					require.True(t, ok, "%s has no %s", what, metric)
					used++
					return v
				}
				want := line[target].(object)
				for name, metric := range map[string]string{"ndcg": "ndcg@60", "recall": "recall@60", "mrr": "mrr@60", "hit": "hit@60", "top1": "top1"} {
					c.value(t, what+" "+metric, at(metric), numberIn(t, want, name))
				}
				// Every memory of these runs descends from one turn: the hits
				// are as many as the ranks that earn.
				c.value(t, what+" hits", at("precision@60")*60, numberIn(t, want, "hits"))
				if numberIn(t, want, "hits") > 0 {
					c.value(t, what+" rel", numberIn(t, want, "hits")/numberIn(t, want, "recall"), numberIn(t, want, "rel"))
				}
				hits[target] += numberIn(t, want, "hits")
				relevant[target] += numberIn(t, want, "rel")
				v, ok := flat[perQueryKey{system, target, query, "ndcg@60"}]
				require.True(t, ok, what)
				c.value(t, what+" flat", v, numberIn(t, line["flat_ndcg"].(object), target))
			}
		}
		published := readObject(t, filepath.Join(runs, system, "expected.json"))["published"].(object)["targets"].(object)
		for _, target := range targetNames {
			c.value(t, system+": hits under "+target, hits[target], numberIn(t, published[target].(object), "total_hits"))
			c.value(t, system+": rel under "+target, relevant[target], numberIn(t, published[target].(object), "total_relevant"))
		}
	}
	assert.Len(t, values, used, "values of queries that are not published")
}

// TestConformanceFlips compares gaps and winners under both creditings, and what
// the crediting alone decides.
func TestConformanceFlips(t *testing.T) {
	t.Parallel()
	data := conformance.Data(t, "mtelmem")
	c := newTally(t)
	b, err := tiaptest.Open(lexicalBundle(t, filepath.Join(data, "runs")))
	require.NoError(t, err)
	reports := map[string]object{
		"group": parseObject(t, writeAll(t, b).json),
		"flat":  parseObject(t, writeAll(t, b, tiaptest.Credit(tiaptest.ByMemory)).json),
	}
	convention := map[string]string{"group": "evidence/dropped/shared", "flat": "memory/dropped/shared"}
	pairs := readObject(t, filepath.Join(data, "flips.json"))["native_pairs"].([]any)
	require.Len(t, pairs, 3)
	for _, item := range pairs {
		pair := item.(object)
		systems := object{"a": pair["a"], "b": pair["b"]}
		name := fmt.Sprintf("%s - %s", pair["a"], pair["b"])
		row := func(report object, list, metric string, more object) object {
			members := object{"metric": metric}
			for _, o := range []object{systems, more} {
				for k, v := range o {
					members[k] = v
				}
			}
			return findObject(t, report[list], members)
		}
		for crediting, report := range reports {
			for short, metric := range map[string]string{"ndcg": "ndcg@60", "mrr": "mrr@60"} {
				published := pair[crediting+"_"+short].(object)
				got := row(report, "pairs", metric, nil)
				c.value(t, name+": n", numberIn(t, got, "n"), numberIn(t, pair, "queries"))
				for _, target := range targetNames {
					what := strings.Join([]string{name, crediting, metric, target}, " ")
					want := published[target].(object)
					for _, side := range []string{"a", "b"} {
						v, _ := reportedScore(t, report, pair[side].(string), target, "shared", metric)
						c.value(t, what+": "+side, v, numberIn(t, want, side))
					}
					c.value(t, what+": gap", numberIn(t, got["gaps"].(object)[target].(object), "value"), numberIn(t, want, "gap"))
					c.same(t, what+": winner", got["winners"].(object)[target], want["winner"])
					// Each report shows the other crediting as a convention.
					for _, r := range reports {
						conv := row(r, "conventions", metric, object{"target": target})
						c.value(t, what+": gap by convention", numberIn(t, conv["gaps"].(object), convention[crediting]), numberIn(t, want, "gap"))
						c.same(t, what+": winner by convention", conv["winners"].(object)[convention[crediting]], want["winner"])
					}
				}
				flips := 0
				for _, f := range got["flips"].([]any) {
					if f.(object)["verdict"] == "flip" {
						flips++
					}
				}
				c.same(t, name+" "+crediting+" "+metric+": flip", flips > 0, published["winner_differs_across_targets"])
			}
		}
		var alone []any
		for _, target := range targetNames {
			conv := row(reports["group"], "conventions", "ndcg@60", object{"target": target})
			winners := conv["winners"].(object)
			if winners[convention["group"]] != winners[convention["flat"]] {
				alone = append(alone, target)
				c.same(t, name+" "+target+": convention flip", conv["flip"], true)
			}
		}
		c.same(t, name+": flips of crediting alone", alone, pair["crediting_alone_flips_ndcg"])
	}

	gaps := findObject(t, reports["group"]["conventions"], object{"a": d1, "b": d5, "metric": "ndcg@60", "target": "canonical"})["gaps"].(object)
	assert.InDelta(t, 0.0065, numberIn(t, gaps, "evidence/dropped/shared"), 0.00005)
	assert.InDelta(t, -0.0228, numberIn(t, gaps, "evidence/counted/shared"), 0.00005)
	counted := parseObject(t, writeAll(t, b, tiaptest.Uncovered("counted")).json)
	pair := findObject(t, counted["pairs"], object{"a": d1, "b": d5, "metric": "ndcg@60"})
	c.value(t, "canonical gap with uncovered units counted",
		numberIn(t, pair["gaps"].(object)["canonical"].(object), "value"), numberIn(t, gaps, "evidence/counted/shared"))
}

// TestConformanceMem0 rescores the published Mem0 run, in which memories descend
// from many turns. Its store is rebuilt: what that changes on some queries is
// known, value by value; on the others everything is exact.
func TestConformanceMem0(t *testing.T) {
	t.Parallel()
	dir := conformance.Data(t, "mtelmem/runs/locomo-mem0")
	const system = "locomo-mem0"
	c := newTally(t)
	expected := readObject(t, filepath.Join(dir, "expected.json"))
	published, rebuilt := expected["published"].(object), expected["not_reproduced"].(object)
	for name := range rebuilt {
		assert.NotRegexp(t, `^raw\.|\.(mrr|top1_hit_rate|hit_rate_at_k|queries)$`, name, "exact on all queries")
	}

	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	report := parseObject(t, writeAll(t, b).json)
	c.aggregates(t, report, system, published, rebuilt)
	all := expected["reconstruction_all_queries"].(object)
	c.aggregates(t, report, system, object{"targets": all["targets"], "pairwise": object{}}, nil)

	excluded := make(map[string]bool)
	for _, e := range expected["exclude"].([]any) {
		excluded[e.(object)["query_id"].(string)] = true
	}
	b.Scenario.Queries = slices.DeleteFunc(b.Scenario.Queries, func(q tiaptest.Query) bool { return excluded[q.ID] })
	resolved := expected["resolved"].(object)
	require.Len(t, b.Scenario.Queries, int(numberIn(t, resolved, "queries")))
	c.aggregates(t, parseObject(t, writeAll(t, b).json), system, resolved, nil)
}

// reversedD1 is D1 with every ranking turned round.
const reversedD1 = "reversed"

// lexicalTraces writes the published run D1 as MTEL-Mem records and trace, and a
// second system beside it.
func lexicalTraces(t *testing.T, runs string) (records string, traces []string) {
	t.Helper()
	type memory struct {
		ID      string
		Form    string
		Sources []string
	}
	type query struct {
		ID       string `json:"query_id"`
		Category string
		Evidence []string
	}
	type ranking struct {
		Query   string `json:"query_id"`
		Ranking []string
	}
	dir := t.TempDir()
	byTurn := make(map[string][]memory)
	for _, m := range parseLines[memory](t, filepath.Join(runs, d1, "store.jsonl")) {
		for _, turn := range m.Sources {
			byTurn[turn] = append(byTurn[turn], m)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for _, q := range parseLines[query](t, filepath.Join(runs, d1, "queries.jsonl")) {
		raw, source, canonical := []string{}, []string{}, []string{}
		for _, turn := range q.Evidence {
			for _, m := range byTurn[turn] {
				source = append(source, m.ID)
				if m.Form == "raw" {
					raw = append(raw, m.ID)
				} else {
					canonical = append(canonical, m.ID)
				}
			}
		}
		require.NoError(t, e.Encode(object{"query_id": q.ID, "category": q.Category, "raw_ids": raw, "source_ids": source, "canonical_ids": canonical}))
	}
	records = filepath.Join(dir, "records.jsonl")
	writeDataFile(t, records, out.Bytes())
	for _, system := range []string{d1, reversedD1} {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		for _, r := range parseLines[ranking](t, filepath.Join(runs, d1, "run.jsonl")) {
			if system == reversedD1 {
				slices.Reverse(r.Ranking)
			}
			for i, id := range r.Ranking {
				require.NoError(t, e.Encode(object{"system": system, "query_id": r.Query, "retrieved_id": id, "rank": i + 1, "score": 1 / float64(i+1)}))
			}
		}
		trace := filepath.Join(dir, system+".jsonl")
		writeDataFile(t, trace, out.Bytes())
		traces = append(traces, trace)
	}
	return records, traces
}

func parseLines[T any](t *testing.T, file string) []T {
	t.Helper()
	var out []T
	for line := range bytes.Lines(readPlain(t, file)) {
		var v T
		require.NoError(t, json.Unmarshal(line, &v))
		out = append(out, v)
	}
	return out
}

// TestConformanceMTELMemFiles scores a published run through MTEL-Mem's own file
// formats, which carry no evidence units: the published flat values come out.
func TestConformanceMTELMemFiles(t *testing.T) {
	t.Parallel()
	runs := conformance.Data(t, "mtelmem/runs")
	c := newTally(t)
	records, traces := lexicalTraces(t, runs)
	b, err := tiaptest.MTELMem{Records: records, Traces: traces}.Open()
	require.NoError(t, err)
	out := writeAll(t, b)
	expected := readObject(t, filepath.Join(runs, d1, "expected.json"))
	c.aggregates(t, parseObject(t, out.json), d1, object{"targets": expected["flat_crediting"], "pairwise": object{}}, nil)
	values := readPerQuery(t, out.perQuery)
	for _, line := range readObjects(t, filepath.Join(runs, d1, "per_query.jsonl")) {
		query := line["query_id"].(string)
		for _, target := range targetNames {
			got, ok := values[perQueryKey{d1, target, query, "ndcg@60"}]
			require.True(t, ok, query)
			c.value(t, query+" "+target, got, numberIn(t, line["flat_ndcg"].(object), target))
		}
	}
}

func TestConformanceMTELMemFormats(t *testing.T) {
	t.Parallel()
	mtelmemFormats(t, conformance.Data(t, "formats/mtel-mem"))
}

func TestMTELMemFormats(t *testing.T) {
	t.Parallel()
	mtelmemFormats(t, filepath.Join("testdata", "mtelmem"))
}

// mtelmemFormats reads each shape of trace. The expected values are worked out by
// hand from the records
//
//	q1: raw raw_2; source raw_2, obs_1; canonical obs_1
//	q2: raw and source raw_3, raw_5; no canonical
//
// Under canonical only q1 is covered.
func mtelmemFormats(t *testing.T, dir string) {
	c := newTally(t)
	records := filepath.Join(dir, "target_mappings.jsonl")
	// Records in another order still meet the query of a trace, by its text.
	reversed := filepath.Join(t.TempDir(), "records.jsonl")
	list := slices.Collect(bytes.Lines(readPlain(t, records)))
	slices.Reverse(list)
	writeDataFile(t, reversed, bytes.Join(list, nil))
	second := 1 / math.Log2(3) // discount of rank 2
	half := 1 / (1 + second)   // nDCG of the first of two items at rank 1
	type scores struct{ ndcg, recall, mrr, hit, top1 float64 }
	type values map[string]map[string]scores // by target and query
	for _, tt := range []struct {
		trace, system string
		want          values
	}{
		// q1 ranks obs_1, raw_2; q2 ranks raw_5.
		{"ranked_trace.jsonl", "s", values{
			"raw":       {"q1": {second, 1, 0.5, 1, 0}, "q2": {half, 0.5, 1, 1, 1}},
			"source":    {"q1": {1, 1, 1, 1, 1}, "q2": {half, 0.5, 1, 1, 1}},
			"canonical": {"q1": {1, 1, 1, 1, 1}},
		}},
		// q1 ranks raw_2, a session, raw_1; q2 is absent.
		{"paper_trace_memoryos.jsonl", "paper_trace_memoryos", values{
			"raw":       {"q1": {1, 1, 1, 1, 1}, "q2": {}},
			"source":    {"q1": {half, 0.5, 1, 1, 1}, "q2": {}},
			"canonical": {"q1": {}},
		}},
	} {
		for order, records := range map[string]string{"": records, " reversed": reversed} {
			t.Run(tt.system+order, func(t *testing.T) {
				t.Parallel()
				b, err := tiaptest.MTELMem{Records: records, Traces: []string{filepath.Join(dir, tt.trace)}}.Open()
				require.NoError(t, err)
				got := readPerQuery(t, writeAll(t, b).perQuery)
				n := 0
				for target, queries := range tt.want {
					for query, want := range queries {
						for metric, value := range map[string]float64{"ndcg@60": want.ndcg, "recall@60": want.recall, "mrr@60": want.mrr, "hit@60": want.hit, "top1": want.top1} {
							key := perQueryKey{tt.system, target, query, metric}
							require.Contains(t, got, key)
							c.value(t, target+" "+query+" "+metric, got[key], value)
							n++
						}
					}
				}
				assert.Len(t, got, n)
			})
		}
	}

	mem0 := filepath.Join(dir, "paper_trace_mem0.jsonl")
	t.Run("disjoint ids", func(t *testing.T) {
		t.Parallel()
		b, err := tiaptest.MTELMem{Records: records, Traces: []string{mem0}}.Open()
		require.NoError(t, err)
		_, err = tiaptest.Rescore(b)
		require.ErrorContains(t, err, "paper_trace_mem0.jsonl: not one of the 2 ids of the run is among the judged ids")
		assert.ErrorContains(t, err, "different id spaces")
	})
	t.Run("matching ids", func(t *testing.T) {
		t.Parallel()
		matching := filepath.Join(t.TempDir(), "records.jsonl")
		writeDataFile(t, matching, []byte(`{"query_id":"q1","query_text":"When did Ada plant the pear tree?",`+
			`"raw_ids":["00000002-0000-4000-8000-000000000002"],`+
			`"source_ids":["00000001-0000-4000-8000-000000000001","00000002-0000-4000-8000-000000000002"],`+
			`"canonical_ids":["00000001-0000-4000-8000-000000000001"]}`+"\n"))
		b, err := tiaptest.MTELMem{Records: matching, Traces: []string{mem0}}.Open()
		require.NoError(t, err)
		got := readPerQuery(t, writeAll(t, b).perQuery)
		for target, want := range map[string]float64{"raw": second, "source": 1, "canonical": 1} {
			key := perQueryKey{"paper_trace_mem0", target, "q1", "ndcg@60"}
			require.Contains(t, got, key)
			c.value(t, target, got[key], want)
		}
	})
}
