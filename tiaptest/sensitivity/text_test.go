package sensitivity_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func writeText(t testing.TB, r *sensitivity.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, r.WriteText(&b))
	return b.String()
}

func TestWriteText(t *testing.T) {
	t.Parallel()
	table := tableOf(t,
		row{"A", "raw", "ndcg@5", "0.5 0 0.25 1"}, row{"A", "raw", "ndcg@10", "0.75 0 0.5 1"}, row{"A", "canonical", "ndcg@5", "1 1 - -"}, row{"A", "canonical", "ndcg@10", "1 1 - -"},
		row{"B", "raw", "ndcg@5", "1 0 0 0"}, row{"B", "raw", "ndcg@10", "1 0 0 0.5"}, row{"B", "canonical", "ndcg@5", "0.5 1 1 1"}, row{"B", "canonical", "ndcg@10", "0.5 1 1 1"},
	)
	for _, system := range []string{"A", "B"} {
		addSizes(t, table, system, "raw", 1, 1, 1, 1)
		addSizes(t, table, system, "canonical", 1, 3, 0, 2)
		addF1(t, table, system, 1, 0.5, 0, 0.25)
		require.NoError(t, table.Add(sensitivity.Score{System: system, Target: "raw", Query: "q0", Size: ptr(1), Family: "f", Category: "temporal"}))
	}
	const want = `what the target changes: 2 systems, 4 queries, targets raw, canonical

changed queries between targets, of those covered under both
    system  metric   targets          n  changed  share   by 0.1  share   mean |shift|  mean shift
    A       ndcg@5   raw - canonical  2  2        100.0%  2       100.0%  0.7500        +0.7500
    A       ndcg@10  raw - canonical  2  2        100.0%  2       100.0%  0.6250        +0.6250
    B       ndcg@5   raw - canonical  4  4        100.0%  4       100.0%  0.8750        +0.6250
    B       ndcg@10  raw - canonical  4  4        100.0%  4       100.0%  0.7500        +0.5000

by category, ndcg@5
    system  targets          category  n  changed  share   by 0.1  share   mean |shift|  mean shift
    A       raw - canonical  temporal  1  1        100.0%  1       100.0%  0.5000        +0.5000
    B       raw - canonical  temporal  1  1        100.0%  1       100.0%  0.5000        -0.5000

shift against the difference of target-set sizes, ndcg@5
    system  targets          n  r        R2      size <0      size 0       size 1       size 2       size 3  size 4+
    A       raw - canonical  2  +1.0000  1.0000  -            +0.5000 n=1  -            +1.0000 n=1  -       -
    B       raw - canonical  4  +0.2582  0.0667  +1.0000 n=1  -0.5000 n=1  +1.0000 n=1  +1.0000 n=1  -       -

are covered queries easier
    system  covered under  measured by       covered  uncovered  mean    mean    gap      95% CI              p
    A       canonical      ndcg@5 under raw  2        2          0.2500  0.6250  -0.3750  [-2.6168, +1.8668]  0.5
    A       canonical      answer f1         2        2          0.7500  0.1250  +0.6250  [-1.1046, +2.3546]  0.2

order of targets, on shared queries
    system  metric   n  order
    A       ndcg@5   2  canonical > raw
    B       ndcg@5   2  canonical > raw
    A       ndcg@10  2  canonical > raw
    B       ndcg@10  2  canonical > raw

winner by scores joined over targets, on shared queries
    metric   n  rule       winner  overrules
    ndcg@5   2  mean       tie
    ndcg@5   2  min        B       canonical
    ndcg@5   2  geometric  B       canonical
    ndcg@5   2  rank       tie
    ndcg@10  2  mean       A       raw
    ndcg@10  2  min        B       canonical
    ndcg@10  2  geometric  tie
    ndcg@10  2  rank       tie

queries on which the targets agree, of shared ones
    metric   agree by  n  kept  share  system  spread  kept
    ndcg@5   credit    2  1     50.0%  A       0.7500  0.5000
    ndcg@5   credit    2  1     50.0%  B       0.2500  0.5000
    ndcg@5   0.1       2  0     0.0%   A       0.7500  -
    ndcg@5   0.1       2  0     0.0%   B       0.2500  -
    ndcg@10  credit    2  1     50.0%  A       0.6250  0.2500
    ndcg@10  credit    2  1     50.0%  B       0.2500  0.5000
    ndcg@10  0.1       2  0     0.0%   A       0.6250  -
    ndcg@10  0.1       2  0     0.0%   B       0.2500  -

alignment of scores with answers; lift is hit over miss
    system  metric   answer  target     n  Spearman  common n  Spearman  95% CI              lift     95% CI              p
    A       ndcg@5   f1      raw        4  +0.0000   2         +1.0000   -                   -0.0833  -                   -
    A       ndcg@5   f1      canonical  2  -         2         -         -                   -        -                   -
    A       ndcg@10  f1      raw        4  +0.0000   2         +1.0000   -                   -0.0833  -                   -
    A       ndcg@10  f1      canonical  2  -         2         -         -                   -        -                   -
    B       ndcg@5   f1      raw        4  +0.7746   4         +0.7746   [-0.8346, +0.9971]  +0.7500  -                   -
    B       ndcg@5   f1      canonical  4  -0.7746   4         -0.7746   [-0.9971, +0.8346]  -        -                   -
    B       ndcg@10  f1      raw        4  +0.6325   4         +0.6325   [-0.8857, +0.9939]  +0.3750  [-1.8668, +2.6168]  0.5
    B       ndcg@10  f1      canonical  4  -0.7746   4         -0.7746   [-0.9971, +0.8346]  -        -                   -

winners by answers and by target
    pair   metric   answer  n  better answers  raw  canonical
    A - B  ndcg@5   f1      2  tie             B    A
    A - B  ndcg@10  f1      2  tie             B    A

smallest gap that the shared queries show, ndcg@5, level 0.05, power 0.8
    pair   target     n  gap      sd      smallest  needed for the gap
    A - B  raw        2  -0.2500  0.3536  3.5206    18
    A - B  canonical  2  +0.2500  0.3536  3.5206    18

shift by depth, on shared queries
    system  metric   n  targets          shift    relative
    A       ndcg@5   2  raw - canonical  +0.7500  +300.0%
    A       ndcg@10  2  raw - canonical  +0.6250  +166.7%
    B       ndcg@5   2  raw - canonical  +0.2500  +50.0%
    B       ndcg@10  2  raw - canonical  +0.2500  +50.0%

recommended by convention
    family  metric   convention  n  raw  canonical
    f       ndcg@5   shared      2  B    A          flip
    f       ndcg@5   all         4  A    B          flip
    f       ndcg@5   covered     -  A    A          same
    f       ndcg@10  shared      2  B    A          flip
    f       ndcg@10  all         4  A    B          flip
    f       ndcg@10  covered     -  A    A          same
`
	got := writeText(t, analyze(t, table))
	assert.Equal(t, want, got)
	assert.NotContains(t, got, "\t")
	for line := range strings.Lines(got) {
		assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
	}
}

// What there is nothing of is not written, and that sizes and answers are not
// known is said.
func TestWriteTextOfLittle(t *testing.T) {
	t.Parallel()
	got := writeText(t, analyze(t, tableOf(t, row{"A", "raw", "hit", "1"})))
	assert.Equal(t, "what the target changes: 1 system, 1 query, targets raw\ntarget-set sizes are not known\nanswers are not known\n", got)

	// One row is a table; one system has no winner.
	got = writeText(t, analyze(t, tableOf(t, row{"A", "raw", "hit", "1"}, row{"A", "source", "hit", "0"})))
	assert.Contains(t, got, "    A       hit     raw - source  1  1        100.0%  1       100.0%  1.0000        -1.0000\n")
	assert.NotContains(t, got, "winner")

	assert.Equal(t, "what the target changes: 0 systems, 0 queries, targets \n", strings.Split(writeText(t, new(sensitivity.Report)), "target-set")[0])
}

// The head says what an audit was scored by.
func TestWriteTextOfAudit(t *testing.T) {
	t.Parallel()
	got := writeText(t, analyze(t, fromAudit(t, rescore(t, garden()))))
	assert.Contains(t, got, `what the target changes: 2 systems, 2 queries, targets raw, source, canonical
credit by evidence, uncovered units dropped, population shared, headline canonical
answers are not known

changed queries`)
	b := garden()
	b.Scenario.Headline = ""
	for i := range b.Scenario.Queries {
		b.Scenario.Queries[i].Scope = "talk"
	}
	got = writeText(t, analyze(t, fromAudit(t, rescore(t, b, tiaptest.Cluster(), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Population("all")))))
	assert.Contains(t, got, `targets raw, source, canonical
credit by memory, uncovered units dropped, population all
intervals and tests by scope
answers are not known
`)
}

// The target that goes best with the answers is marked.
func TestWriteTextMarksTheBest(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "0.9 0.1 0.8 0.2"}, row{"A", "source", "ndcg", "0.1 0.2 0.3 0.4"})
	addF1(t, table, "A", 0.1, 0.2, 0.3, 0.4)
	last := make(map[string]string) // word of the line of a target
	for line := range strings.Lines(writeText(t, analyze(t, table))) {
		if words := strings.Fields(line); strings.HasPrefix(line, "    A       ndcg    f1 ") {
			last[words[3]] = words[len(words)-1]
		}
	}
	assert.Equal(t, map[string]string{"raw": "-", "source": "best"}, last)
}

// Every pair has its power, by the first metric alone.
func TestWriteTextOfPairs(t *testing.T) {
	t.Parallel()
	var rows []row
	for i, system := range []string{"A", "B", "C"} {
		rows = append(rows, row{system, "raw", "ndcg", []string{"0 0", "0.25 0.5", "0.75 1"}[i]}, row{system, "raw", "hit", "1 0"})
	}
	_, power, ok := strings.Cut(writeText(t, analyze(t, tableOf(t, rows...))), "level 0.05, power 0.8\n")
	require.True(t, ok)
	assert.Equal(t, `    pair   target  n  gap      sd      smallest  needed for the gap
    A - B  raw     2  -0.3750  0.1768  1.7603    4
    A - C  raw     2  -0.8750  0.1768  1.7603    3
    B - C  raw     2  -0.5000  -       -         -
`, power)
}

// A name cannot begin a line of its own.
func TestWriteTextQuotesNames(t *testing.T) {
	t.Parallel()
	bad := "A\n--- FAIL: TestX"
	got := writeText(t, analyze(t, tableOf(t, row{bad, "raw\n--- FAIL", "hit\n--- FAIL", "1 0"}, row{bad, "source", "hit\n--- FAIL", "0 0"})))
	assert.NotContains(t, got, "\n---")
	assert.Contains(t, got, `"A\n--- FAIL: TestX"`)
}

// A difference that is minus nothing is written as one that is nothing.
func TestWriteTextOfMinusNothing(t *testing.T) {
	t.Parallel()
	got := writeText(t, &sensitivity.Report{Changes: []sensitivity.Change{{System: "A", MeanShift: ptr(math.Copysign(0, -1))}}})
	assert.Contains(t, got, " +0.0000\n")
	assert.NotContains(t, got, "-0.0000")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteTextReportsErrors(t *testing.T) {
	t.Parallel()
	require.EqualError(t, analyze(t, tableOf(t, row{"A", "raw", "hit", "1"})).WriteText(failing{}), "full")
}
