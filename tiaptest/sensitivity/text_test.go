package sensitivity_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		row{"A", "raw", "ndcg@5", "0.5 0 0.25 1"}, row{"A", "raw", "ndcg@10", "0.5 0 0.5 1"}, row{"A", "canonical", "ndcg@5", "1 1 - -"}, row{"A", "canonical", "ndcg@10", "1 1 - -"},
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
    A       ndcg@10  raw - canonical  2  2        100.0%  2       100.0%  0.7500        +0.7500
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
`
	got := writeText(t, analyze(t, table))
	require.Greater(t, len(got), len(want))
	assert.Equal(t, want, got[:len(want)])
	for _, title := range []string{
		"\nwinner by scores joined over targets, on shared queries\n", "\nqueries on which the targets agree, of shared ones\n",
		"\nalignment of scores with answers; lift is hit over miss\n", "\nwinners by answers and by target\n",
		"\nsmallest gap that the shared queries show, ndcg@5, level 0.05, power 0.8\n", "\nshift by depth, on shared queries\n",
		"\nrecommended by convention\n",
	} {
		assert.Contains(t, got, title)
	}
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
}

// A name cannot begin a line of its own.
func TestWriteTextQuotesNames(t *testing.T) {
	t.Parallel()
	bad := "A\n--- FAIL: TestX"
	got := writeText(t, analyze(t, tableOf(t, row{bad, "raw\n--- FAIL", "hit\n--- FAIL", "1 0"}, row{bad, "source", "hit\n--- FAIL", "0 0"})))
	assert.NotContains(t, got, "\n---")
	assert.Contains(t, got, `"A\n--- FAIL: TestX"`)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteTextReportsErrors(t *testing.T) {
	t.Parallel()
	require.EqualError(t, analyze(t, tableOf(t, row{"A", "raw", "hit", "1"})).WriteText(failing{}), "full")
}
