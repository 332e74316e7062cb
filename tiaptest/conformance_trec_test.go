package tiaptest_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/tiaptest"
)

// TestConformanceTREC compares every query and mean of the reference tables with
// trec_eval's values.
func TestConformanceTREC(t *testing.T) {
	t.Parallel()
	trecCases(t, conformance.Data(t, "treceval"), 9, checkTREC)
}

// TestTREC does so for the generated cases that the repository holds.
func TestTREC(t *testing.T) {
	t.Parallel()
	trecCases(t, filepath.Join("testdata", "treceval"), 7, checkTREC)
}

// TestConformanceTRECAsBundle turns the cases into bundles in which every
// relevant document is a memory with a unit of its own. Both creditings then are
// trec_eval's.
func TestConformanceTRECAsBundle(t *testing.T) {
	t.Parallel()
	trecCases(t, conformance.Data(t, "treceval"), 9, checkAsBundle)
}

func TestTRECAsBundle(t *testing.T) {
	t.Parallel()
	trecCases(t, filepath.Join("testdata", "treceval"), 7, checkAsBundle)
}

// trecCases checks all tables of a folder of cases, of which there must be so
// many.
func trecCases(t *testing.T, dir string, cases int, check func(t *testing.T, c *tally, file string)) {
	c := newTally(t)
	tables, err := filepath.Glob(filepath.Join(dir, "*", "expected.*.full.tsv*"))
	require.NoError(t, err)
	folders := make(map[string]bool)
	for _, file := range tables {
		folders[filepath.Dir(file)] = true
		name, err := filepath.Rel(dir, file)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			check(t, c, file)
		})
	}
	assert.GreaterOrEqual(t, len(folders), cases, "cases in %s", dir)
}

// trecTable holds trec_eval's values by query; the row "all" is their mean.
type trecTable struct {
	measures []string
	rows     map[string][]float64
}

func readTRECTable(t *testing.T, file string) trecTable {
	t.Helper()
	head, body, _ := strings.Cut(strings.TrimSpace(string(readPlain(t, file))), "\n")
	table := trecTable{strings.Split(head, "\t")[1:], make(map[string][]float64)}
	for line := range strings.SplitSeq(body, "\n") {
		fields := strings.Split(line, "\t")
		require.Len(t, fields, len(table.measures)+1)
		require.Nil(t, table.rows[fields[0]], "two rows of query %s", fields[0])
		for _, f := range fields[1:] {
			v, err := strconv.ParseFloat(f, 64)
			require.NoError(t, err)
			table.rows[fields[0]] = append(table.rows[fields[0]], v)
		}
	}
	require.Contains(t, table.rows, "all")
	return table
}

// metrics are all metrics of the table.
func (table trecTable) metrics(t *testing.T) []tiaptest.Metric {
	t.Helper()
	var metrics []tiaptest.Metric
	for _, measure := range table.measures {
		for _, name := range trecMetrics(t, measure) {
			m, err := tiaptest.ParseMetric(name)
			require.NoError(t, err)
			metrics = append(metrics, m)
		}
	}
	return metrics
}

// trecMetrics are the names of trec_eval's measures here.
func trecMetrics(t *testing.T, measure string) []string {
	t.Helper()
	whole := map[string]string{
		"ndcg": "ndcg", "recip_rank": "mrr", "map": "ap", "Rprec": "rprec", "set_recall": "recall", "set_P": "precision",
		"success_1": "top1",
	}
	cut := map[string]string{"ndcg_cut": "ndcg", "recall": "recall", "P": "precision", "success": "hit", "map_cut": "ap"}
	var names []string
	if name, ok := whole[measure]; ok {
		names = append(names, name)
	}
	if i := strings.LastIndexByte(measure, '_'); i > 0 {
		if name, ok := cut[measure[:i]]; ok {
			names = append(names, name+"@"+measure[i+1:])
		}
	}
	if len(names) == 0 {
		require.Contains(t, []string{"set_F", "bpref"}, measure, "a measure that is not known")
	}
	return names
}

// trecCall is how trec_eval was called for a table.
type trecCall struct {
	target     string
	depth      int // -M
	level      int // -l
	judgedOnly bool
	subset     string // of the means
	base       bool
}

var trecVariant = regexp.MustCompile(`^expected\.(?:(source|canonical)\.?)?(base|c|J|M\d+|l\d+)?\.full\.tsv(?:\.gz)?$`)

// callOf reads the call off the name of the table.
func callOf(t *testing.T, file string) trecCall {
	t.Helper()
	parts := trecVariant.FindStringSubmatch(filepath.Base(file))
	require.NotNil(t, parts, "a table that is not known")
	variant := parts[2]
	call := trecCall{target: cmp.Or(parts[1], "raw"), depth: 100_000, level: 1, subset: "matched", base: variant == "base"}
	switch {
	case variant == "c":
		call.subset = "judged"
	case variant == "J":
		call.judgedOnly = true
	case strings.HasPrefix(variant, "M"):
		call.depth, _ = strconv.Atoi(variant[1:])
	case strings.HasPrefix(variant, "l"):
		call.level, _ = strconv.Atoi(variant[1:])
	}
	return call
}

// checkTREC compares one table.
func checkTREC(t *testing.T, c *tally, file string) {
	call := callOf(t, file)
	in := tiaptest.TREC{Runs: make(map[string]string), Level: call.level, JudgedOnly: call.judgedOnly}
	in.Qrels, in.Runs["run"] = trecFiles(t, filepath.Dir(file))
	b, err := in.Open()
	require.NoError(t, err)

	table := readTRECTable(t, file)
	a, err := tiaptest.Rescore(b, tiaptest.Depth(call.depth), tiaptest.Metrics(table.metrics(t)...))
	require.NoError(t, err)
	var js, lines bytes.Buffer
	require.NoError(t, a.WriteJSON(&js))
	require.NoError(t, a.WritePerQuery(&lines))
	report, written := parseObject(t, js.Bytes()), readPerQuery(t, lines.Bytes())
	of, err := b.Target(call.target)
	require.NoError(t, err)

	subsets := []string{call.subset}
	if call.base && sameWithC(t, filepath.Dir(file)) {
		subsets = append(subsets, "judged")
	}
	for column, measure := range table.measures {
		for _, name := range trecMetrics(t, measure) {
			m, err := tiaptest.ParseMetric(name)
			require.NoError(t, err)
			values, err := a.PerQuery("run", of, m)
			require.NoError(t, err)
			for query, row := range table.rows {
				if query == "all" {
					continue
				}
				got, ok := values[query]
				require.True(t, ok, "query %s has no %s", query, name)
				c.value(t, query+" "+measure, got, row[column])
				other, ok := written[perQueryKey{"run", call.target, query, name}]
				require.True(t, ok, "query %s has no %s in what is written", query, name)
				c.value(t, query+" "+measure+" written", other, row[column])
			}
			// What the table leaves out is judged, but absent from the run.
			for query, got := range values {
				if _, ok := table.rows[query]; !ok {
					require.Equal(t, "matched", call.subset, "query %s is not in the table", query)
					c.value(t, query+" "+measure+" of an absent query", got, 0)
				}
			}
			for _, subset := range subsets {
				got, n := reportedScore(t, report, "run", call.target, subset, name)
				c.value(t, "all "+measure+" "+subset, got, table.rows["all"][column])
				c.value(t, "n "+measure+" "+subset, n, float64(len(table.rows)-1))
			}
		}
	}
}

// checkAsBundle compares one table with the scores of a bundle. Queries without
// a relevant document have no evidence there and no score; nDCG is compared
// where every grade is 1.
func checkAsBundle(t *testing.T, c *tally, file string) {
	call := callOf(t, file)
	if call.judgedOnly {
		return // a bundle has no judgements beside its memories
	}
	qrels, run := trecFiles(t, filepath.Dir(file))
	b := &tiaptest.Bundle{}
	s := b.AddSystem("run", "")
	graded := false
	evidence, descent := make(map[string][]tiaptest.Unit), make(map[string][]string)
	for line := range strings.Lines(string(readPlain(t, qrels[call.target]))) {
		f := strings.Fields(line)
		grade, err := strconv.Atoi(f[3])
		require.NoError(t, err)
		graded = graded || grade > 1
		if evidence[f[0]] == nil {
			evidence[f[0]] = []tiaptest.Unit{}
		}
		if grade >= call.level {
			turn := f[0] + " " + f[2]
			evidence[f[0]] = append(evidence[f[0]], tiaptest.Unit{Turns: []string{turn}})
			descent[f[2]] = append(descent[f[2]], turn)
		}
	}
	for query, units := range evidence {
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: query, Evidence: units})
	}
	for doc, turns := range descent {
		s.AddMemory(doc, "fact", turns...)
	}
	type hit struct {
		doc   string
		score float64
	}
	rankings := make(map[string][]hit)
	for line := range strings.Lines(string(readPlain(t, run))) {
		f := strings.Fields(line)
		score, err := strconv.ParseFloat(f[4], 64)
		require.NoError(t, err)
		rankings[f[0]] = append(rankings[f[0]], hit{f[2], score})
	}
	for query, hits := range rankings {
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc)) })
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = h.doc
		}
		s.AddRanking(query, ids...)
	}

	table := readTRECTable(t, file)
	for _, crediting := range []tiaptest.Crediting{tiaptest.ByEvidence, tiaptest.ByMemory} {
		a, err := tiaptest.Rescore(b, tiaptest.Credit(crediting), tiaptest.Depth(call.depth),
			tiaptest.Metrics(table.metrics(t)...), tiaptest.Targets(tiaptest.Source))
		require.NoError(t, err)
		for column, measure := range table.measures {
			if graded && strings.HasPrefix(measure, "ndcg") {
				continue
			}
			for _, name := range trecMetrics(t, measure) {
				m, err := tiaptest.ParseMetric(name)
				require.NoError(t, err)
				values, err := a.PerQuery("run", tiaptest.Source, m)
				require.NoError(t, err)
				for query, row := range table.rows {
					switch got, ok := values[query]; {
					case query == "all":
					case ok:
						c.value(t, query+" "+measure+" by "+string(crediting), got, row[column])
					default:
						require.Empty(t, evidence[query], "query %s has no %s", query, name)
						c.value(t, query+" "+measure+" of an unscorable query", 0, row[column])
					}
				}
			}
		}
	}
}

// sameWithC reports whether trec_eval -c gives the values of the base table, so
// that there is no table for it.
func sameWithC(t *testing.T, dir string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "VARIANTS.txt"))
	if os.IsNotExist(err) {
		return false
	}
	require.NoError(t, err)
	return regexp.MustCompile(`(?m)^c: .*= base`).Match(text)
}

// trecFiles finds the qrels by target, and the run of a case.
func trecFiles(t *testing.T, dir string) (qrels map[string]string, run string) {
	t.Helper()
	qrels = make(map[string]string)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		switch strings.TrimSuffix(e.Name(), ".gz") {
		case "qrels.txt", "qrels.test":
			qrels["raw"] = file
		case "qrels.source.txt":
			qrels["source"] = file
		case "qrels.canonical.txt":
			qrels["canonical"] = file
		case "run.txt", "results.test":
			run = file
		}
	}
	require.NotEmpty(t, qrels)
	require.NotEmpty(t, run)
	return qrels, run
}

// otherScores gives the documents of a run other scores, with many ties.
func otherScores(t *testing.T, file string) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range strings.Lines(string(readPlain(t, file))) {
		f := strings.Fields(line)
		sum := 0
		for _, b := range []byte(f[0] + f[2]) {
			sum = (sum*31 + int(b)) % 97
		}
		fmt.Fprintln(&out, f[0], f[1], f[2], f[3], sum, "other")
	}
	return out.Bytes()
}

// TestTRECDeterminism shuffles the lines of the repository's own cases.
func TestTRECDeterminism(t *testing.T) {
	t.Parallel()
	c := newTally(t)
	exe := buildCommand(t)
	for _, name := range []string{"c01_ties", "c07_three_targets"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trecDeterminism(t, c, exe, filepath.Join("testdata", "treceval", name))
		})
	}
}
