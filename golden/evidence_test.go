package golden

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/stat"
	"github.com/tiaptest/tiap/tiaptest"
)

// usual are the statistics of an audit that asks for none.
var usual = statisticsOf(auditjson.Defaults())

// The change of ingest means is Welch's, at a level that as many tests divide.
func TestRepeated(t *testing.T) {
	t.Parallel()
	now, recorded := []float64{0.25, 0.5, 0.75}, []float64{0.5, 0.5, 1.25}
	for _, tests := range []int{0, 1, 8} {
		e, ok := usual.repeated(now, recorded, tests)
		require.True(t, ok)
		w, _ := stat.Welch(now, recorded, 1-0.05/float64(max(1, tests)))
		assert.Equal(t, -0.25, e.value)
		assert.Equal(t, []float64{w.Lo, w.Hi}, e.ci)
		assert.Equal(t, explained, e.noise)
		// Squares of 0.125 and of 0.375 over four degrees of freedom.
		assert.InDelta(t, math.Sqrt(0.5/4), e.floor, 1e-15)
	}
	// P is 0.008: beyond noise as one test, not as one of eight.
	now = []float64{0.75, 0.5, 0.625}
	recorded = []float64{0.125, 0.25, 0}
	w, _ := stat.Welch(now, recorded, 0.95)
	require.InDelta(t, 0.008, w.P, 0.0005)
	one, _ := usual.repeated(now, recorded, 1)
	assert.Equal(t, beyond, one.noise)
	eight, _ := usual.repeated(now, recorded, 8)
	assert.Equal(t, explained, eight.noise)
	assert.Less(t, one.ci[1]-one.ci[0], eight.ci[1]-eight.ci[0])

	for _, few := range [][]float64{nil, {1}} {
		e, ok := usual.repeated(few, recorded, 1)
		assert.False(t, ok)
		assert.Empty(t, e)
	}
}

func TestDeviation(t *testing.T) {
	t.Parallel()
	// Squares of 2 and of 6 over four degrees of freedom.
	assert.InDelta(t, math.Sqrt2, deviation([]float64{1, 2, 3}, []float64{5, 5, 8}), 1e-15)
	assert.InDelta(t, 2, deviation([]float64{3, 5, 7}, []float64{9}), 1e-15)
	assert.Zero(t, deviation([]float64{4, 4, 4}))
	assert.Zero(t, deviation([]float64{3}, []float64{9}), "single values do not deviate")
	assert.Zero(t, deviation())
}

func TestMean(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 0.5, mean([]float64{0.25, 0.75}))
	assert.True(t, math.IsNaN(mean(nil)))
	assert.True(t, math.IsNaN(mean([]float64{0.5, math.NaN()})), "one query has no value")
}

// What an interval that ends at 0 says is explained; without an interval all is.
func TestPaired(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		changes []float64
		scopes  []string
		value   float64
		noise   evidence
		ci      []float64
	}{
		{[]float64{0.5}, nil, 0.5, explained, nil},
		{[]float64{0.5, 0.5}, nil, 0.5, beyond, []float64{0.5, 0.5}},
		{[]float64{-0.5, -0.5}, nil, -0.5, beyond, []float64{-0.5, -0.5}},
		{[]float64{0, 0}, nil, 0, explained, []float64{0, 0}},
		{[]float64{0, 1}, nil, 0.5, explained, []float64{0, 1}},
		{[]float64{-1, 0}, nil, -0.5, explained, []float64{-1, 0}},
		{[]float64{-1, 1}, nil, 0, explained, []float64{-1, 1}},
		// Of two talks one has the queries that gain.
		{[]float64{0, 1, 1, 0, 1, 1}, []string{"a", "b", "b", "a", "b", "b"}, 2.0 / 3, explained, []float64{0, 1}},
		{[]float64{0.5, 1, 0.5, 1}, []string{"a", "b", "a", "b"}, 0.75, beyond, []float64{0.5, 1}},
	} {
		e := usual.paired(tt.changes, tt.scopes)
		assert.InDelta(t, tt.value, e.value, 1e-15, "%v", tt.changes)
		assert.Equal(t, tt.noise, e.noise, "%v", tt.changes)
		assert.Equal(t, tt.ci, e.ci, "%v", tt.changes)
		assert.Zero(t, e.floor)
	}
	none := usual.paired(nil, nil)
	assert.True(t, math.IsNaN(none.value))
	assert.Equal(t, explained, none.noise)
	assert.Nil(t, none.ci)
	// By query the same changes vary less than by talk.
	changes, talks := []float64{0, 0, 0, 0, 1, 1, 1, 1}, []string{"a", "a", "a", "a", "b", "b", "b", "b"}
	assert.Equal(t, []float64{0, 1}, usual.paired(changes, talks).ci)
	assert.Greater(t, usual.paired(changes, nil).ci[0], 0.0)
	assert.Less(t, usual.paired(changes, nil).ci[1], 1.0)
}

// TestStatisticsOfTheAudit: a comparison resamples as the audit that is compared, and
// names the level of its intervals.
func TestStatisticsOfTheAudit(t *testing.T) {
	t.Parallel()
	record := func(state int, opts ...tiaptest.Option) *Record {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Headline: "raw"}}
		a, other := b.AddSystem("A", ""), b.AddSystem("B", "")
		for q := range 12 {
			id := fmt.Sprint("q", q)
			b.AddTurn("t"+id, "word "+id+".").AddQuery(id, "which?", "word "+id+".")
			a.AddMemory("m"+id, "raw", "t"+id)
			other.AddMemory("m"+id, "raw", "t"+id)
		}
		for q := range 12 {
			id := fmt.Sprint("q", q)
			order := func(right bool) []string {
				if right {
					return []string{"m" + id}
				}
				return []string{fmt.Sprint("mq", (q+1)%12), "m" + id}
			}
			a.AddRanking(id, order(q*5%12 < 8-4*state)...)
			other.AddRanking(id, order(q*7%12 < 5+2*state)...)
		}
		opts = append(opts, tiaptest.Metrics(tiaptest.MRR(5)), tiaptest.Targets(tiaptest.Raw))
		audit, err := tiaptest.Rescore(b, opts...)
		require.NoError(t, err)
		r, err := NewRecord(audit)
		require.NoError(t, err)
		return r
	}
	text := func(d *Difference) string {
		var b strings.Builder
		require.NoError(t, d.WriteText(&b, nil))
		return b.String()
	}
	was := record(0)
	usually := text(Diff(was, record(1)))
	require.Contains(t, usually, "95% CI")
	for _, tt := range []struct {
		option tiaptest.Option
		level  string
	}{
		{tiaptest.Alpha(0.07), "93% CI"}, {tiaptest.Seed(1), "95% CI"}, {tiaptest.Resamples(150), "95% CI"},
	} {
		got := text(Diff(was, record(1, tt.option)))
		assert.Contains(t, got, tt.level)
		assert.NotEqual(t, usually, got, tt.option)
	}
	// A record that was read says nothing of it, and then the other one does.
	read := record(1)
	read.stat = nil
	assert.Equal(t, usually, text(Diff(was, read)))
	assert.Contains(t, text(Diff(record(0, tiaptest.Alpha(0.07)), read)), "93% CI")
	read, old := record(1), record(0)
	read.stat, old.stat = nil, nil
	assert.Equal(t, usually, text(Diff(old, read)))
}

// TestLevels: where the intervals of a column have several levels each names its own.
func TestLevels(t *testing.T) {
	t.Parallel()
	ci := []float64{0, 1}
	one := &block{what: "score of A", rows: []row{{Target: "raw", ChangeCI: ci, changeLevel: "95%"}, {Target: "source"}}}
	two := &block{what: "score of A", rows: []row{{Target: "raw", ChangeCI: ci, changeLevel: "99%"}}}
	table := (&told{metrics: []string{"a"}, blocks: []*block{one}}).table()
	assert.Equal(t, "95% CI of change", table[0][4])
	assert.Equal(t, "[+0.0000, +1.0000]", table[1][4])
	assert.Equal(t, "-", table[2][4])
	table = (&told{metrics: []string{"a", "b"}, blocks: []*block{one, two}}).table()
	assert.Equal(t, "CI of change", table[0][5])
	assert.Equal(t, "[+0.0000, +1.0000] at 95%", table[1][5])
	assert.Equal(t, "-", table[2][5])
	assert.Equal(t, "[+0.0000, +1.0000] at 99%", table[3][5])
}
