package tiaptest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

func TestEligible(t *testing.T) {
	t.Parallel()
	summary := memory("summary", "summary")
	summary.Parents = []string{"fact", "batch"}
	batch := tiaptest.Memory{ID: "batch", Form: "fact", Sources: []tiaptest.Link{{Turn: "t2", Precision: "batch"}, {Turn: "t1", Precision: "container"}}}
	b := talk([]tiaptest.Memory{raw("turn", "t1"), fact("fact", "t1"), batch, summary, fact("lost", "t2"), raw("else", "t3")},
		"else", "batch", "turn", "fact", "summary")
	picky := tiaptest.Passing("picky", tiaptest.Source, func(_ string, _ tiaptest.Query, m tiaptest.Memory) bool { return m.ID != "batch" })
	a, err := tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Raw, tiaptest.Source, picky), tiaptest.Headline(tiaptest.Source), tiaptest.Depth(4))
	require.NoError(t, err)
	type row struct {
		id        string
		rank      int
		units     []int
		credited  int
		refused   bool
		precision string
	}
	list := func(target tiaptest.Target) (rows []row) {
		found, err := a.Eligible("A", target)
		require.NoError(t, err)
		for e := range found {
			assert.Equal(t, "Who lives in Oslo?", e.Query.Text)
			assert.Equal(t, 2, e.Of)
			assert.Zero(t, e.Ingest)
			rows = append(rows, row{e.Memory.ID, e.Rank, e.Units, e.Credited, e.Refused, e.Precision})
		}
		return rows
	}
	assert.Equal(t, []row{{"turn", 3, []int{0}, 1, false, "exact"}}, list(tiaptest.Raw))
	assert.Equal(t, []row{
		{"batch", 2, []int{0, 1}, 2, false, "batch"},
		{"turn", 3, []int{0}, 0, false, "exact"},
		{"fact", 4, []int{0}, 0, false, "exact"},
		{"lost", 0, []int{1}, 0, false, "exact"},
		{"summary", 0, []int{0, 1}, 0, false, "exact"}, // ranked below the depth
	}, list(tiaptest.Source))
	assert.Equal(t, []row{
		{"batch", 2, []int{0, 1}, 0, true, "batch"},
		{"turn", 3, []int{0}, 1, false, "exact"},
		{"fact", 4, []int{0}, 0, false, "exact"},
		{"lost", 0, []int{1}, 0, false, "exact"},
		{"summary", 0, []int{0, 1}, 0, false, "exact"},
	}, list(picky))
}

func TestEligibleErrors(t *testing.T) {
	t.Parallel()
	unlinked := talk([]tiaptest.Memory{raw("turn", "t1"), fact("fact")}, "fact")
	a, err := tiaptest.Rescore(unlinked)
	require.NoError(t, err)
	for _, c := range []struct {
		system string
		target tiaptest.Target
		want   string
	}{
		{"B", tiaptest.Raw, `no system "B"`},
		{"A", tiaptest.Exact(tiaptest.Raw), "no target exact(raw)"},
		{"A", tiaptest.Canonical, "canonical is unavailable in A"},
	} {
		_, err := a.Eligible(c.system, c.target)
		assert.ErrorContains(t, err, c.want)
	}
	judged, err := tiaptest.TREC{
		Qrels: map[string]string{"raw": writeFile(t, "qrels", "q1 0 d1 1\n")},
		Runs:  map[string]string{"A": writeFile(t, "run", "q1 Q0 d1 1 0.5 A\n")},
	}.Open()
	require.NoError(t, err)
	a, err = tiaptest.Rescore(judged)
	require.NoError(t, err)
	_, err = a.Eligible("A", tiaptest.Raw)
	assert.ErrorContains(t, err, "hold ids and no memories")
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestEligibleExplainsScores recomputes recall and the ranks that earn from what
// is eligible.
func TestEligibleExplainsScores(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		target := targetNamed(oneOf(t, "target", baseTargets...))
		if chance(t, 50, "some pass") {
			target = tiaptest.Passing("half", target, byHash)
		}
		const depth = 4
		recall, precision := tiaptest.Recall(depth), tiaptest.Precision(depth)
		a := rescored(t, b, tiaptest.Targets(target), tiaptest.Depth(depth), tiaptest.Headline(target), tiaptest.Metrics(recall, precision), tiaptest.Resamples(100))
		for _, system := range systemsOf(b) {
			found, err := a.Eligible(system, target)
			if err != nil {
				continue // unavailable
			}
			type key struct {
				query  string
				ingest int
			}
			covered, credited, gains := make(map[key][]int), make(map[key]int), make(map[key]int)
			for e := range found {
				k := key{e.Query.ID, e.Ingest}
				covered[k] = slices.Compact(slices.Sorted(slices.Values(append(covered[k], e.Units...))))
				credited[k] += e.Credited
				if e.Credited > 0 {
					gains[k]++
				}
				if e.Credited > 0 && (e.Rank == 0 || e.Refused) {
					t.Fatalf("%s earns at rank %d, refused %v", e.Memory.ID, e.Rank, e.Refused)
				}
			}
			recalls, precisions := must(a.PerIngest(system, target, recall)), must(a.PerIngest(system, target, precision))
			n := 0
			for i := range recalls {
				n += len(recalls[i])
				for q, got := range recalls[i] {
					k := key{q, i}
					if want := float64(credited[k]) / float64(len(covered[k])); got != want {
						t.Fatalf("recall of %s on %s is %v, %v by what is eligible\n%s", system, q, got, want, describe(b))
					}
					if want := float64(gains[k]) / depth; precisions[i][q] != want {
						t.Fatalf("precision of %s on %s is %v, %v by what is eligible\n%s", system, q, precisions[i][q], want, describe(b))
					}
				}
			}
			if n != len(covered) {
				t.Fatalf("%s: %d covered, %d by what is eligible", system, n, len(covered))
			}
		}
	})
}
