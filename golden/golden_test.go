package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// quiet is a test that keeps what would fail it.
type quiet struct {
	testing.TB
	failures []string
}

func (q *quiet) Helper()                   {}
func (q *quiet) Name() string              { return "TestExample" }
func (q *quiet) Attr(string, string)       {}
func (q *quiet) Log(...any)                {}
func (q *quiet) Error(args ...any)         { q.failures = append(q.failures, fmt.Sprint(args...)) }
func (q *quiet) Errorf(f string, a ...any) { q.failures = append(q.failures, fmt.Sprintf(f, a...)) }

// recording lets the test write golden files into a folder of its own.
func recording(t *testing.T) (stop func()) {
	t.Helper()
	t.Setenv("TIAP_TESTDATA", t.TempDir())
	t.Setenv("CI", "")
	t.Setenv("TIAP_UPDATE", "1")
	return func() { require.NoError(t, os.Unsetenv("TIAP_UPDATE")) }
}

// copyKey gives what is recorded under a key to another one: in one run a key
// stands for one content.
func copyKey(t *testing.T, from, to string) {
	t.Helper()
	dir := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), from+".")
		if !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to+"."+rest), data, 0o666))
	}
}

func audit(t *testing.T, k *talk) *tiaptest.Audit {
	t.Helper()
	a, err := tiaptest.Rescore(k.bundle(), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10)))
	require.NoError(t, err)
	return a
}

func TestCheck(t *testing.T) {
	stop := recording(t)
	assert.True(t, golden.Check(t, "talk", audit(t, newTalk())))
	stop()
	assert.True(t, golden.Check(t, "talk", audit(t, newTalk())))

	flipped := newTalk()
	flipped.fact["D5"] = 1
	copyKey(t, "talk", "flipped")
	q := &quiet{TB: t}
	assert.False(t, golden.Check(q, "flipped", audit(t, flipped)))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "winner flip on ndcg@10")
	assert.Contains(t, q.failures[0], "to accept: ")

	missing := &quiet{TB: t}
	assert.False(t, golden.Check(missing, "other", audit(t, newTalk())))
	require.Len(t, missing.failures, 1)
}

func TestDiffWithItself(t *testing.T) {
	t.Parallel()
	r, err := golden.NewRecord(audit(t, newTalk()))
	require.NoError(t, err)
	d := golden.Diff(r, r)
	assert.Equal(t, golden.Same, d.Verdict)
	for _, f := range d.Findings {
		assert.Equal(t, golden.Same, f.Verdict, "%+v", f)
	}
}

// A change flip names the queries that carry it, whichever target gains.
func TestChangeFlipCarriers(t *testing.T) {
	t.Parallel()
	for _, ranks := range [][2]int{{3, 8}, {6, 4}} {
		k := newTalk()
		k.raw["D5"], k.fact["D5"] = ranks[0], ranks[1]
		want, err := golden.NewRecord(audit(t, newTalk()))
		require.NoError(t, err)
		got, err := golden.NewRecord(audit(t, k))
		require.NoError(t, err)
		d := golden.Diff(want, got)
		require.Equal(t, golden.ChangeFlip, d.Verdict, "%+v", d.Findings)
		require.Len(t, d.Findings[0].Targets, 2)
		assert.Equal(t, talkQueries, d.Findings[0].CarriedBy)
		require.NotEmpty(t, d.Findings[0].Carriers)
		assert.Positive(t, d.Findings[0].Carriers[0].Shift)
	}
}

func TestStore(t *testing.T) {
	stop := recording(t)
	system := newTalk().bundle().Systems[0]
	assert.True(t, golden.Store(t, "D1", system, golden.Texts()))
	stop()
	assert.True(t, golden.Store(t, "D1", system, golden.Texts()))

	less := newTalk()
	less.without = map[string]func(int) bool{"D1": func(q int) bool { return q == 7 }}
	copyKey(t, "D1", "less")
	q := &quiet{TB: t}
	assert.False(t, golden.Store(q, "less", less.bundle().Systems[0], golden.Texts()))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "t07")
	assert.NotContains(t, q.failures[0], "t08")
	assert.Contains(t, q.failures[0], "fact")
}

func TestTable(t *testing.T) {
	stop := recording(t)
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	const around = "# Results\n\n<!-- tiap:talk -->\n<!-- /tiap:talk -->\n\nThe end.\n"
	require.NoError(t, os.WriteFile(file, []byte(around), 0o666))
	a := audit(t, newTalk())
	assert.True(t, golden.Table(t, file, "talk", a))
	stop()
	assert.True(t, golden.Table(t, file, "talk", a))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "D5")
	assert.Contains(t, string(text), "canonical")
	assert.Contains(t, string(text), "\n\nThe end.\n")

	other := newTalk()
	other.fact["D5"] = 7
	q := &quiet{TB: t}
	assert.False(t, golden.Table(q, file, "talk", audit(t, other)))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "is not what the audit gives")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(after))

	unmarked := &quiet{TB: t}
	assert.False(t, golden.Table(unmarked, file, "nothing", a))
	require.Len(t, unmarked.failures, 1)
	assert.Contains(t, unmarked.failures[0], "<!-- tiap:nothing -->")
}
