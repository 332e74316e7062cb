package tiaptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// What code builds is checked as files are: no mistake yields a number.
func TestRescoreRefuses(t *testing.T) {
	t.Parallel()
	sound := func() *tiaptest.Bundle { return contest(system("A", "rf"), system("B", "fr")) }
	_, err := tiaptest.Rescore(sound())
	require.NoError(t, err)
	all := func(n int) (out []tiaptest.Target) {
		for i := range n {
			out = append(out, tiaptest.NewTarget(fmt.Sprintf("T%d", i), func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }))
		}
		return out
	}
	_, err = tiaptest.Rescore(sound(), tiaptest.Headline(all(1)[0]), tiaptest.Targets(all(64)...))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		change func(*tiaptest.Bundle)
		opts   []tiaptest.Option
		says   string
	}{
		"no system":            {change: func(b *tiaptest.Bundle) { b.Systems = nil }, says: "the bundle has no system; an audit needs at least one"},
		"a system unnamed":     {change: func(b *tiaptest.Bundle) { b.Systems[0].Name = "" }, says: "a system has no name; name it"},
		"two of a name":        {change: func(b *tiaptest.Bundle) { b.Systems[1].Name = "A" }, says: `two systems are named "A"; give each a name of its own`},
		"no ingest":            {change: func(b *tiaptest.Bundle) { b.Systems[1].Ingests = nil }, says: "system B has no ingest; it needs a store and a run"},
		"no query":             {change: func(b *tiaptest.Bundle) { b.Scenario.Queries = nil }, says: "the scenario has no query; add at least one"},
		"no query of category": {change: func(b *tiaptest.Bundle) { b.Scenario.Queries = nil }, opts: []tiaptest.Option{tiaptest.Where("x")}, says: `no query has the category "x"; there is no query`},
		"no ranking":           {change: func(b *tiaptest.Bundle) { b.Systems[1].Ingests[0].Run = tiaptest.Run{} }, says: "the run has no ranking; save at least one ranking"},
		"no targets":           {opts: []tiaptest.Option{tiaptest.Targets()}, says: "no targets; name at least one"},
		"the zero target":      {opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Target{})}, says: "a target has no name; use Raw, Source, Canonical or NewTarget"},
		"too many targets":     {opts: []tiaptest.Option{tiaptest.Headline(all(1)[0]), tiaptest.Targets(all(65)...)}, says: "65 targets; an audit takes at most 64"},
		"a target without rule": {opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Labelled("supported", tiaptest.Canonical, 1, nil))},
			says: "target supported(canonical) has no rule; give NewTarget a function"},
		"the zero headline": {opts: []tiaptest.Option{tiaptest.Headline(tiaptest.Target{})}, says: "the headline target has no name; use Raw, Source, Canonical or NewTarget"},
		"no categories":     {opts: []tiaptest.Option{tiaptest.Where()}, says: "no categories; name at least one, or leave Where out to keep all queries"},
		"no systems":        {opts: []tiaptest.Option{tiaptest.Systems([]string{}...)}, says: "no systems; name at least one, or leave Systems out to keep all"},
		"no metrics":        {opts: []tiaptest.Option{tiaptest.Metrics()}, says: "no metrics; name at least one"},
		"the zero metric":   {opts: []tiaptest.Option{tiaptest.Metrics(tiaptest.Metric{})}, says: "the zero Metric is none; use NDCG, Recall or another function of this package"},
		"a cut-off below 0": {opts: []tiaptest.Option{tiaptest.Metrics(tiaptest.NDCG(-1))}, says: "the cut-off must lie between 1 and "},
		"a metric twice":    {opts: []tiaptest.Option{tiaptest.Metrics(tiaptest.MRR(5), tiaptest.MRR(5))}, says: "metric mrr@5 is named twice; name it once"},
		"a target twice":    {opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Raw)}, says: "target raw is named twice; name it once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := sound()
			if tt.change != nil {
				tt.change(b)
			}
			a, err := tiaptest.Rescore(b, tt.opts...)
			assert.Nil(t, a)
			assert.ErrorContains(t, err, tt.says)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, err := tiaptest.OpenFS(nil)
	assert.EqualError(t, err, "a nil file system holds no bundle")
	for _, m := range []tiaptest.MTELMem{{}, {Records: "records.jsonl"}, {Traces: []string{"trace.jsonl"}}} {
		_, err := m.Open()
		assert.EqualError(t, err, "MTEL-Mem input needs a file of records and at least one trace")
	}
}

// A bundle is not written where it would be read together with a compressed file of
// before.
func TestWriteDirBesideCompressed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, tiny().WriteDir(dir))
	old := filepath.Join(dir, "queries.jsonl.zst")
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	assert.EqualError(t, tiny().WriteDir(dir), old+": an older form of queries.jsonl; remove it, since a bundle holds one of them")
	require.NoError(t, os.Remove(old))
	assert.NoError(t, tiny().WriteDir(dir))
}
