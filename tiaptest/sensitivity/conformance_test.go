package sensitivity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// scoreTolerance is how far a value may lie from the published one.
const scoreTolerance = 1e-9

// comparison counts compared values and keeps the largest difference.
type comparison struct {
	n       int
	largest float64
	at      string
}

func compare(t *testing.T) *comparison {
	c := &comparison{}
	t.Cleanup(func() {
		if c.n == 0 && !t.Skipped() {
			t.Error("nothing was compared")
		}
		t.Logf("%d values compared, largest difference %g %s", c.n, c.largest, c.at)
	})
	return c
}

func (c *comparison) value(t *testing.T, what string, got *float64, want any) {
	t.Helper()
	c.n++
	require.NotNil(t, got, what)
	d := math.Abs(*got - want.(float64))
	if d > c.largest {
		c.largest, c.at = d, what
	}
	require.LessOrEqual(t, d, scoreTolerance, what)
}

func (c *comparison) same(t *testing.T, what string, got, want any) {
	t.Helper()
	c.n++
	require.EqualValues(t, want, got, what)
}

type object = map[string]any

func readObject(t *testing.T, file string) object {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var o object
	require.NoError(t, json.Unmarshal(text, &o))
	return o
}

// readPlain reads a file, decompressing it by its name.
func readPlain(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	plain, err := lines.Decompress(file, f)
	require.NoError(t, err)
	defer plain.Close()
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	return text
}

// publishedRuns are the files of published scores by the names of the runs.
var publishedRuns = map[string]string{
	"locomo-lexical-d1":   "locomo-lexical-d1",
	"locomo-lexical-d5":   "locomo-lexical-d5",
	"locomo-lexical-d8":   "locomo-lexical-d8",
	"longmemeval-lexical": "longmemeval-lexical-d5",
	"longmemeval-bge-m3":  "longmemeval-bge-m3-d5",
}

// families are the runs that each run is published beside.
var families = map[string][]string{
	"locomo-lexical-d1":   densities,
	"locomo-lexical-d5":   densities,
	"locomo-lexical-d8":   densities,
	"longmemeval-lexical": {"longmemeval-lexical", "longmemeval-bge-m3"},
	"longmemeval-bge-m3":  {"longmemeval-lexical", "longmemeval-bge-m3"},
}

var (
	densities   = []string{"locomo-lexical-d1", "locomo-lexical-d5", "locomo-lexical-d8"}
	targetNames = []string{"raw", "source", "canonical"}
	metricNames = []string{"ndcg", "mrr", "hit", "top1"}
)

// publishedScores makes a table of the published scores of some runs. Queries are
// named by their numbers and, since these count the queries of a run, those of
// LongMemEval by the run too: its runs have 470 and 439.
func publishedScores(t *testing.T, runs ...string) *sensitivity.Table {
	t.Helper()
	dir := conformance.Data(t, "mtelmem/scores")
	var table sensitivity.Table
	for _, run := range runs {
		for line := range bytes.Lines(readPlain(t, filepath.Join(dir, publishedRuns[run]+".jsonl.gz"))) {
			var l struct {
				Query                  int
				Category               string
				AnswerF1               *float64 `json:"answer_f1"`
				Raw, Source, Canonical map[string]float64
			}
			require.NoError(t, json.Unmarshal(line, &l))
			query := strconv.Itoa(l.Query)
			if strings.HasPrefix(run, "longmemeval") {
				query = run + "/" + query
			}
			for i, values := range []map[string]float64{l.Raw, l.Source, l.Canonical} {
				for _, metric := range metricNames {
					s := sensitivity.Score{System: run, Target: targetNames[i], Query: query, Metric: metric, Category: l.Category, Family: "density"}
					if values != nil {
						v := values[metric]
						s.Value = &v
					}
					require.NoError(t, table.Add(s))
				}
			}
			if l.AnswerF1 != nil {
				require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: query, System: run, F1: l.AnswerF1}))
			}
		}
	}
	return &table
}

func analyze(t testing.TB, table *sensitivity.Table) *sensitivity.Report {
	t.Helper()
	r, err := sensitivity.Analyze(table)
	require.NoError(t, err)
	return r
}

// change finds the changes of a system over all categories.
func change(t *testing.T, r *sensitivity.Report, metric string, targets [2]string) sensitivity.Change {
	t.Helper()
	for _, c := range r.Changes {
		if c.Metric == metric && c.Targets == targets && c.Category == "" {
			return c
		}
	}
	t.Fatalf("no changes by %s between %v", metric, targets)
	return sensitivity.Change{}
}

// TestConformanceScores compares the numbers of each published run: scores per
// target, changes per pair of targets, rank correlation with the answers.
func TestConformanceScores(t *testing.T) {
	t.Parallel()
	tables := readObject(t, filepath.Join(conformance.Data(t, "mtelmem"), "paper_tables.json"))
	for run := range publishedRuns {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			c := compare(t)
			r := analyze(t, publishedScores(t, run))
			family := analyze(t, publishedScores(t, families[run]...)).Conventions
			require.Len(t, family, 4*3)
			perTarget := tables["per_run_target"].(object)[run].(object)
			perPair := tables["per_run_pair"].(object)[run].(object)
			spearman := tables["alignment_spearman"].(object)[run].(object)
			require.Len(t, perTarget, 3)
			require.Len(t, perPair, 3)
			require.Len(t, spearman, 3)
			for target, want := range perTarget {
				c.perTarget(t, family, run, target, want.(object))
			}
			for i, first := range targetNames {
				for _, second := range targetNames[i+1:] {
					c.perPair(t, r, [2]string{first, second}, perPair[first+"_vs_"+second].(object))
				}
			}
			for target, want := range spearman {
				c.spearman(t, r, target, want.(object))
			}
			c.categories(t, r)
		})
	}
}

// perTarget compares the scores of a run over what each target covers.
func (c *comparison) perTarget(t *testing.T, rows []sensitivity.Convention, run, target string, want object) {
	t.Helper()
	require.Len(t, want, 5)
	for _, row := range rows {
		if row.Population != "covered" {
			continue
		}
		member := map[string]string{"ndcg": "ndcg", "mrr": "mrr", "hit": "hit_rate", "top1": "top1"}[row.Metric]
		c.value(t, target+" "+row.Metric, row.Scores[target][run], want[member])
		c.same(t, target+" n", row.Queries[target][run], want["queries"])
	}
}

func (c *comparison) perPair(t *testing.T, r *sensitivity.Report, targets [2]string, want object) {
	what := fmt.Sprint(targets)
	ndcg := change(t, r, "ndcg", targets)
	c.same(t, what+" n", ndcg.N, want["shared_queries"])
	c.same(t, what+" changed", ndcg.Changed, want["ndcg_changed"])
	c.value(t, what+" share changed", ndcg.ChangedShare, want["fraction_ndcg_changed"])
	c.same(t, what+" hit flips", change(t, r, "hit", targets).Changed, want["hit_flips"])
	c.same(t, what+" top1 flips", change(t, r, "top1", targets).Changed, want["top1_flips"])
	c.same(t, what+" mrr changed", change(t, r, "mrr", targets).Changed, want["mrr_changed"])
	c.same(t, what+" large", ndcg.Large, want["ge_0_1"])
	c.value(t, what+" share large", ndcg.LargeShare, want["fraction_abs_delta_ge_0_1"])
	c.value(t, what+" mean |shift|", ndcg.MeanAbs, want["mean_abs_delta"])
	c.value(t, what+" mean shift", ndcg.MeanShift, want["mean_delta"])
	require.Len(t, want, 10)
}

func (c *comparison) spearman(t *testing.T, r *sensitivity.Report, target string, want object) {
	for _, metric := range []string{"ndcg", "mrr"} {
		for _, a := range r.Alignment {
			if a.Metric != metric {
				continue
			}
			i := slices.IndexFunc(a.Targets, func(a sensitivity.TargetAlignment) bool { return a.Target == target })
			require.GreaterOrEqual(t, i, 0)
			c.value(t, target+" Spearman of "+metric, a.Targets[i].Spearman, want["spearman_"+metric+"_vs_f1"])
			c.same(t, target+" n", a.Targets[i].N, want["n"])
		}
	}
	require.Len(t, want, 3)
}

// categories checks that the counts of categories add up to those of all.
func (c *comparison) categories(t *testing.T, r *sensitivity.Report) {
	type key struct {
		metric  string
		targets [2]string
	}
	sum := make(map[key]int)
	for _, ch := range r.Changes {
		k := key{ch.Metric, ch.Targets}
		if ch.Category == "" {
			sum[k] += ch.Changed
		} else {
			sum[k] -= ch.Changed
		}
	}
	for k, left := range sum {
		c.same(t, fmt.Sprintf("%v: changed queries of no category", k), left, 0)
	}
}

// TestConformanceConventions holds the conventions study: which density the
// published lexical runs recommend depends on the population.
func TestConformanceConventions(t *testing.T) {
	t.Parallel()
	table := publishedScores(t, densities...)
	c := compare(t)
	r := analyze(t, table)
	tables := readObject(t, filepath.Join(conformance.Data(t, "mtelmem"), "paper_tables.json"))
	density := tables["density"].(object)["table"].(object)["lexical"].(object)
	for _, row := range r.Conventions {
		if row.Population == "shared" {
			c.same(t, "n", row.N, tables["density"].(object)["common_matched_subset"].(object)["lexical"])
		}
		for target, want := range density {
			want := want.(object)
			switch {
			case row.Population == "shared" && (row.Metric == "ndcg" || row.Metric == "mrr"):
				member := map[string]string{"ndcg": "ndcg_group", "mrr": "mrr"}[row.Metric]
				for _, d := range []string{"d1", "d5", "d8"} {
					c.value(t, target+" "+d, row.Scores[target]["locomo-lexical-"+d], want[d].(object)[member])
				}
				c.same(t, "winner under "+target, *row.Recommended[target], "locomo-lexical-"+want["winner_"+member].(string))
			case row.Population == "all" && row.Metric == "ndcg":
				c.same(t, "n", row.N, 1533)
				c.same(t, "winner under "+target, *row.Recommended[target], "locomo-lexical-d8")
				require.False(t, row.Flip)
				rounded := map[string]float64{"raw": 0.1801, "source": 0.2956, "canonical": 0.2134}[target]
				require.InDelta(t, rounded, *row.Scores[target]["locomo-lexical-d8"], 5e-5)
			}
		}
	}
}

// lexicalBundle is the bundle of the three density runs, of which 453 queries
// have rankings.
func lexicalBundle(t *testing.T) *tiaptest.Bundle {
	t.Helper()
	runs := conformance.Data(t, "mtelmem/runs")
	dir := filepath.Join(t.TempDir(), "locomo")
	write := func(text []byte, elem ...string) {
		file := filepath.Join(append([]string{dir}, elem...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, text, 0o666))
	}
	write([]byte(`{"schema":"tiap.scenario/v1","name":"locomo","headline":"canonical"}`), "scenario.json")
	write(readPlain(t, filepath.Join(runs, densities[0], "queries.jsonl")), "queries.jsonl")
	for _, name := range densities {
		write([]byte(`{"family":"density"}`), "systems", name, "system.json")
		for _, file := range []string{"store.jsonl", "run.jsonl"} {
			write(readPlain(t, filepath.Join(runs, name, file)), "systems", name, file)
		}
	}
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	return b
}

// TestConformanceCreditings compares the recommendations by evidence and by
// memory with the published ones.
func TestConformanceCreditings(t *testing.T) {
	t.Parallel()
	b := lexicalBundle(t)
	c := compare(t)
	tables := readObject(t, filepath.Join(conformance.Data(t, "mtelmem"), "paper_tables.json"))
	density := tables["density"].(object)["table"].(object)["lexical"].(object)
	rows, err := sensitivity.Conventions(rescore(t, b, tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.MRR(60))))
	require.NoError(t, err)
	require.Len(t, rows, 3*2*3)
	for _, row := range rows {
		t.Logf("%s %s/%s/%s n=%d flip=%v", row.Metric, row.Credit, row.Uncovered, row.Population, row.N, row.Flip)
		for _, n := range row.Queries {
			require.Equal(t, map[string]int{densities[0]: 453, densities[1]: 453, densities[2]: 453}, n)
		}
		if row.Uncovered != "dropped" {
			continue
		}
		member := "mrr"
		if row.Metric == "ndcg@60" {
			member = map[string]string{"evidence": "ndcg_group", "memory": "ndcg_flat"}[row.Credit]
		}
		for target, want := range density {
			want := want.(object)
			for _, d := range []string{"d1", "d5", "d8"} {
				c.value(t, target+" "+d, row.Scores[target]["locomo-lexical-"+d], want[d].(object)[member])
			}
			c.same(t, "winner under "+target, *row.Recommended[target], "locomo-lexical-"+want["winner_"+member].(string))
		}
	}
}

// TestConformanceDepths compares the depth table of the density runs.
func TestConformanceDepths(t *testing.T) {
	t.Parallel()
	b := lexicalBundle(t)
	c := compare(t)
	tables := readObject(t, filepath.Join(conformance.Data(t, "mtelmem"), "paper_tables.json"))
	runs := tables["depth_sensitivity_453"].(object)["runs"].(object)
	rows, err := sensitivity.Depths(rescore(t, b), []int{10, 20, 40, 60})
	require.NoError(t, err)
	for _, row := range rows {
		if row.Metric != "ndcg" {
			continue
		}
		want := runs[row.System].(object)
		require.Len(t, row.Cuts, len(want))
		for _, cut := range row.Cuts {
			require.Equal(t, 453, cut.N)
			for target, v := range want[strconv.Itoa(cut.K)].(object) {
				c.value(t, fmt.Sprintf("%s under %s at %d", row.System, target, cut.K), cut.Scores[target], v)
			}
		}
	}
	require.Equal(t, 36, c.n)
}

// TestConformanceChanges compares the changes of an audit's table with the counts
// published for each run.
func TestConformanceChanges(t *testing.T) {
	t.Parallel()
	b := lexicalBundle(t)
	c := compare(t)
	for _, run := range densities {
		a, err := tiaptest.Rescore(b, tiaptest.Systems(run))
		require.NoError(t, err)
		table, err := sensitivity.FromAudit(a)
		require.NoError(t, err)
		r := analyze(t, table)
		published := readObject(t, filepath.Join(conformance.Data(t, "mtelmem/runs"), run, "expected.json"))["published"].(object)["pairwise"].(object)
		for i, first := range targetNames {
			for _, second := range targetNames[i+1:] {
				want := published[first+"_vs_"+second].(object)
				for member, metric := range map[string]string{
					"hit_flip_count": "hit@60", "top1_flip_count": "top1", "recall_changed_count": "recall@60",
					"mrr_changed_count": "mrr@60", "ndcg_changed_count": "ndcg@60",
				} {
					got := change(t, r, metric, [2]string{first, second})
					c.same(t, run+" "+first+" "+second+" "+member, got.Changed, want[member])
					c.same(t, run+" "+first+" "+second+" n", got.N, want["shared_queries"])
				}
				require.Len(t, want, 6)
			}
		}
	}
}

// TestConformanceSizes counts the target sets of the density runs from their
// files, and compares what follows from them with what an audit's table gives.
func TestConformanceSizes(t *testing.T) {
	t.Parallel()
	b := lexicalBundle(t)
	c := compare(t)
	for _, run := range densities {
		a, err := tiaptest.Rescore(b, tiaptest.Systems(run))
		require.NoError(t, err)
		table, err := sensitivity.FromAudit(a)
		require.NoError(t, err)
		got := analyze(t, table)

		var scores bytes.Buffer
		require.NoError(t, a.WritePerQuery(&scores))
		var counted sensitivity.Table
		require.NoError(t, counted.ReadScores("", &scores))
		countTargetSets(t, &counted, run)
		want := analyze(t, &counted)
		require.Len(t, got.SizeShifts, 5*3)
		for i, w := range want.SizeShifts {
			g := got.SizeShifts[i]
			c.same(t, "bins", g.Bins, w.Bins)
			c.same(t, "n", g.N, 453)
			if w.Correlation == nil { // no shift between source and canonical by top1
				require.Nil(t, g.Correlation)
				continue
			}
			c.value(t, "correlation", g.Correlation, *w.Correlation)
			if g.Metric == "ndcg@60" {
				t.Logf("%s %s: r %.4f R2 %.4f", run, g.Targets, *g.Correlation, *g.R2)
			}
		}
	}
}

func countTargetSets(t *testing.T, table *sensitivity.Table, run string) {
	t.Helper()
	dir := filepath.Join(conformance.Data(t, "mtelmem/runs"), run)
	type memory struct {
		Form    string
		Sources []string
	}
	var store []memory
	for line := range bytes.Lines(readPlain(t, filepath.Join(dir, "store.jsonl"))) {
		var m memory
		require.NoError(t, json.Unmarshal(line, &m))
		store = append(store, m)
	}
	for line := range bytes.Lines(readPlain(t, filepath.Join(dir, "queries.jsonl"))) {
		var q struct {
			ID       string `json:"query_id"`
			Evidence []string
		}
		require.NoError(t, json.Unmarshal(line, &q))
		var raw, canonical int
		for _, m := range store {
			switch {
			case !slices.ContainsFunc(m.Sources, func(turn string) bool { return slices.Contains(q.Evidence, turn) }):
			case m.Form == "raw":
				raw++
			default:
				canonical++
			}
		}
		both := raw + canonical
		for target, n := range map[string]*int{"raw": &raw, "source": &both, "canonical": &canonical} {
			require.NoError(t, table.Add(sensitivity.Score{System: run, Target: target, Query: q.ID, Size: n}))
		}
	}
}
