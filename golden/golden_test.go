package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// ordered keeps what a test logs in the order in which it does.
type ordered struct {
	quiet
	said []string
}

func (o *ordered) Log(args ...any)   { o.said = append(o.said, fmt.Sprint(args...)) }
func (o *ordered) Error(args ...any) { o.said = append(o.said, fmt.Sprint(args...)) }

// What fails is said first, so that readers and tools that take the first line of a
// failed test see it.
func TestCheckFailuresFirst(t *testing.T) {
	stop := recording(t)
	assert.True(t, golden.Check(t, "order", rescore(5)))
	stop()
	copyKey(t, "order", "order-flipped")
	var o ordered
	assert.False(t, golden.Check(&o, "order-flipped", rescore(1)))
	require.Len(t, o.said, 2)
	assert.Contains(t, o.said[0], "winner flip on mrr@10 under source: D1 -> D5")
	assert.Contains(t, o.said[1], "improved on mrr@10: D5 gains")
}

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

// A mistake in the options fails, whatever is there to compare with and whatever
// is to be reported only.
func TestCheckOptionMistake(t *testing.T) {
	stop := recording(t)
	require.True(t, golden.Check(t, "mistake", audit(t, newTalk())))
	stop()
	for name, o := range map[string]golden.Option{
		"min effect -1: it must be at least 0 and less than 1": golden.MinEffect(-1),
		"tolerance 2: it must lie between 0 and 1":             golden.Tolerance(2),
		`unknown verdict "winner-flips"`:                       golden.FailOn("winner-flips"),
	} {
		opts := []golden.Option{golden.ReportOnly(golden.IdentityMismatch, golden.Missing), o}
		for _, key := range []string{"mistake", "mistake-missing"} {
			q := &quiet{TB: t}
			assert.False(t, golden.Check(q, key, audit(t, newTalk()), opts...))
			require.Len(t, q.failures, 1)
			assert.Contains(t, q.failures[0], "golden "+key+": "+name)
		}
		_, err := golden.Compare("base", audit(t, newTalk()), audit(t, newTalk()), opts...)
		assert.ErrorContains(t, err, name)
		_, err = golden.Compare("base", nil, audit(t, newTalk()), opts...)
		assert.ErrorContains(t, err, name)
		record, err := golden.NewRecord(audit(t, newTalk()))
		require.NoError(t, err)
		assert.True(t, golden.Diff(record, record, opts...).Failed())
	}
	q := &quiet{TB: t}
	assert.True(t, golden.Check(q, "mistake", audit(t, newTalk()), golden.ReportOnly(golden.IdentityMismatch), golden.MinEffect(0)))
}

// A golden file that was edited fails with the command that records it again, which
// mends it; a file that is none is not written over.
func TestCheckEdited(t *testing.T) {
	stop := recording(t)
	require.True(t, golden.Check(t, "edited", audit(t, newTalk())))
	file := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "edited.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), `"D1"`, `"D5"`)), 0o666))
	require.NoError(t, os.Unsetenv("TIAP_UPDATE"))
	q := &quiet{TB: t}
	assert.False(t, golden.Check(q, "edited", audit(t, newTalk())))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "it was edited, or merged by hand")
	assert.Contains(t, q.failures[0], "\n    to record again: TIAP_UPDATE=1 go test ")
	t.Setenv("TIAP_UPDATE", "1")
	assert.True(t, golden.Check(t, "edited", audit(t, newTalk())))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(after))

	const scenario = `{"schema":"tiap.scenario/v1","name":"talk"}`
	require.NoError(t, os.WriteFile(file, []byte(scenario), 0o666))
	q = &quiet{TB: t}
	assert.False(t, golden.Check(q, "edited", audit(t, newTalk())))
	after, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, scenario, string(after))
	stop()
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

// A ratio of sums decides winners where the queries are the same, and nothing
// about a system alone.
func TestMicroRecall(t *testing.T) {
	t.Parallel()
	rec := func(raw, fact int) *golden.Record {
		k := newTalk()
		k.raw["D1"], k.fact["D5"] = raw, fact
		r, err := golden.NewRecord(rescoreWith(t, k.bundle(), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MicroRecall(1))))
		require.NoError(t, err)
		return r
	}
	d := golden.Diff(rec(1, 5), rec(4, 1))
	require.Equal(t, golden.WinnerFlip, d.Verdict)
	var texts []string
	for _, f := range d.Findings {
		texts = append(texts, f.Text)
		assert.NotContains(t, []golden.Verdict{golden.Regressed, golden.Improved, golden.ChangeFlip}, f.Verdict)
	}
	assert.Contains(t, texts, "winner flip on micro_recall@1 under source: D1 -> D5")
	assert.Equal(t, golden.Same, golden.Diff(rec(1, 5), rec(1, 5)).Verdict)
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

// A parser that drops a fact of every turn that has any: exactly these turns are
// named, with what it costs and which winners it changes.
func TestStoreDroppedFacts(t *testing.T) {
	stop := recording(t)
	was, err := talkIn("facts")
	require.NoError(t, err)
	is, err := talkIn("facts-dropped")
	require.NoError(t, err)
	require.True(t, golden.Store(t, "facts", was.bundle().Systems[1], golden.Audited(audit(t, was))))
	stop()
	copyKey(t, "facts", "dropped")
	q := &quiet{TB: t}
	require.False(t, golden.Store(q, "dropped", is.bundle().Systems[1], golden.Audited(audit(t, is))))
	require.Len(t, q.failures, 1)
	var turns string
	for i := range talkQueries {
		if had := i % 3; had > 0 {
			turns += fmt.Sprintf("        t%02d fact %d -> %d\n", i, had, had-1)
		}
	}
	assert.Equal(t, `store changed: D5 has 63 memories, recorded 89; 26 turns lost forms, 0 turns gained some

                                                    recorded  now
    memories                                        89        63
    form fact                                       39        13
    queries covered under canonical                 26        13
    target-set size under source                    1.9750    1.3250
    target-set size under canonical                 1.5000    1.0000
    winner by ndcg@10 of D1 and D5 under canonical  D5        D1
    winner by ndcg@10 of D1 and D5 under source     D5        D1

    turns that lost forms:
`+turns+"    to accept: TIAP_UPDATE=1 go test -count=1 -run '^TestExample$' github.com/tiaptest/tiap/golden", q.failures[0])
}

// What an option adds is compared, and so is whether it was given.
func TestStoreOptions(t *testing.T) {
	stop := recording(t)
	k := newTalk()
	s, audited := k.bundle().Systems[0], golden.Audited(audit(t, k))
	require.True(t, golden.Store(t, "plain", s))
	require.True(t, golden.Store(t, "both", s, golden.Texts(), audited))
	stop()
	assert.True(t, golden.Store(t, "both", s, audited, golden.Texts()), "in any order")
	file := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "plain.store.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append([]byte("\ufeff"), text...), 0o666))
	assert.True(t, golden.Store(t, "plain", s), "a byte order mark does not matter")
	for i, tt := range []struct {
		recorded string
		now      []golden.StoreOption
		want     string
	}{
		{"plain", []golden.StoreOption{golden.Texts()}, "without options, this is with Texts"},
		{"plain", []golden.StoreOption{audited}, "without options, this is with Audited"},
		{"both", []golden.StoreOption{golden.Texts()}, "with Audited and Texts, this is with Texts"},
		{"both", []golden.StoreOption{audited}, "with Audited and Texts, this is with Audited"},
		{"both", nil, "with Audited and Texts, this is without options"},
	} {
		key := fmt.Sprintf("options%d", i)
		copyKey(t, tt.recorded, key)
		q := &quiet{TB: t}
		assert.False(t, golden.Store(q, key, s, tt.now...), tt.want)
		require.Len(t, q.failures, 1)
		assert.Contains(t, q.failures[0], "options differ: recorded is the store of D1 "+tt.want+"\n    to accept: TIAP_UPDATE=1 go test ")
	}
}

// A turn that loses two forms is one turn, and long lists are shown in full only
// with -v.
func TestStoreLongList(t *testing.T) {
	store := func(forms ...string) *tiaptest.System {
		b := &tiaptest.Bundle{}
		s := b.AddSystem("S", "")
		for i := range 80 {
			for _, f := range forms {
				s.AddMemory(fmt.Sprintf("%s%d", f, i), f, fmt.Sprintf("t%02d", i))
			}
		}
		return s
	}
	stop := recording(t)
	require.True(t, golden.Store(t, "many", store("raw", "fact", "event")))
	stop()
	copyKey(t, "many", "few")
	q := &quiet{TB: t}
	require.False(t, golden.Store(q, "few", store("raw", "edge")))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "; 80 turns lost forms, 80 turns gained some\n")
	if testing.Verbose() {
		assert.Contains(t, q.failures[0], "\n        t79 fact 1 -> 0\n")
		return
	}
	assert.Contains(t, q.failures[0], "\n        t24 fact 1 -> 0\n        and 110 more; -v shows all\n")
	assert.Contains(t, q.failures[0], "\n        t49 edge 0 -> 1\n        and 30 more; -v shows all\n")
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

// A tenth of the queries may go unanswered where a tenth is tolerated, and no more.
func TestUnansweredWithinTolerance(t *testing.T) {
	t.Parallel()
	rec := func(failed int) *golden.Record {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "unanswered"}}
		b.AddTurn("t1", "one")
		s := b.AddSystem("S", "").AddMemory("m", "raw", "t1")
		for i := range 20 {
			q := fmt.Sprintf("q%02d", i)
			b.AddQuery(q, "which?", "one")
			if i < failed {
				require.NoError(t, s.Ingests[0].Run.Add(tiaptest.Ranking{Query: q, Error: "down"}))
			} else {
				s.AddRanking(q, "m")
			}
		}
		r, err := golden.NewRecord(rescoreWith(t, b, tiaptest.Metrics(tiaptest.MRR(10))))
		require.NoError(t, err)
		return r
	}
	verdict := func(failed int) golden.Verdict {
		d := golden.Diff(rec(0), rec(failed), golden.Tolerance(0.1))
		i := slices.IndexFunc(d.Findings, func(f golden.Finding) bool { return strings.Contains(f.Text, "failed queries") })
		require.GreaterOrEqual(t, i, 0)
		assert.Equal(t, d.Findings[i].Verdict == golden.CoverageLost, d.Failed())
		return d.Findings[i].Verdict
	}
	assert.Equal(t, golden.QueryLost, verdict(1))
	assert.Equal(t, golden.QueryLost, verdict(2))
	assert.Equal(t, golden.CoverageLost, verdict(3))
	assert.Equal(t, golden.CoverageLost, verdict(20), "no answer at all")
}

// Absent queries are counted over all ingests: more ingests are no loss.
func TestAbsentQueries(t *testing.T) {
	t.Parallel()
	rec := func(ingests, absent int) *golden.Record {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "absent"}}
		b.AddTurn("t1", "one")
		b.AddQuery("q1", "which?", "one")
		b.AddQuery("q2", "which again?", "one")
		s := b.AddSystem("S", "")
		for n := range ingests {
			if n > 0 {
				s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
			}
			s.AddMemory("m", "raw", "t1")
			for _, q := range []string{"q1", "q2"}[absent:] {
				s.AddRanking(q, "m")
			}
		}
		r, err := golden.NewRecord(rescoreWith(t, b, tiaptest.Metrics(tiaptest.MRR(10))))
		require.NoError(t, err)
		return r
	}
	lost := func(want, got *golden.Record) (texts []string) {
		for _, f := range golden.Diff(want, got).Findings {
			if f.Verdict == golden.CoverageLost {
				texts = append(texts, f.Text)
			}
		}
		return texts
	}
	assert.Empty(t, lost(rec(1, 1), rec(3, 1)))
	assert.Empty(t, lost(rec(3, 1), rec(1, 1)))
	assert.Equal(t, []string{"coverage lost: S has 3 absent and 0 failed queries in 3 ingests, recorded 0 absent and 0 failed queries (tolerance 1%)"}, lost(rec(1, 0), rec(3, 1)))
}
