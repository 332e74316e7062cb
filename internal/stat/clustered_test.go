package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

func TestClusteredErrorByHand(t *testing.T) {
	t.Parallel()
	// Sums of the clusters 0.1, 0.2 and -0.3.
	se, g, ok := stat.ClusteredError([]float64{0.3, 0.2, -0.2, -0.3}, []int32{7, 2, 7, 9})
	require.True(t, ok)
	require.Equal(t, 3, g)
	require.InDelta(t, math.Sqrt(3./2*(0.01+0.04+0.09)), se, 1e-15)

	for _, clusters := range [][]int32{nil, {1}, {1, 1, 1}} {
		_, _, ok = stat.ClusteredError(make([]float64, len(clusters)), clusters)
		require.False(t, ok, "%v", clusters)
	}
	_, _, ok = stat.ClusteredError([]float64{math.MaxFloat64, math.MaxFloat64}, []int32{1, 2})
	require.False(t, ok)
}

func TestWelchClusteredByHand(t *testing.T) {
	t.Parallel()
	// Means 3 and 1; the influences of a are -0.5 and 0.5, those of b 0.5 and -0.5.
	r, ok := stat.WelchClustered([]float64{2, 4}, []float64{0, 2}, []int32{0, 1}, []int32{0, 2}, 0.95)
	require.True(t, ok)
	require.Equal(t, 2.0, r.Diff)
	se := math.Sqrt(3. / 2 * (0 + 0.25 + 0.25)) // cluster 0 cancels
	require.Equal(t, 2.0, r.DF)
	require.InDelta(t, stat.StudentP(2/se, 2), r.P, 1e-12)
	require.InDelta(t, 2-stat.StudentQuantile(0.95, 2)*se, r.Lo, 1e-12)
	require.InDelta(t, 2+stat.StudentQuantile(0.95, 2)*se, r.Hi, 1e-12)
}

func TestWelchClusteredUndefined(t *testing.T) {
	t.Parallel()
	one, two := []float64{1}, []float64{1, 2}
	for name, defined := range map[string]func() bool{
		"empty":       func() bool { _, ok := stat.WelchClustered(nil, two, nil, []int32{0, 1}, 0.95); return ok },
		"one cluster": func() bool { _, ok := stat.WelchClustered(two, two, []int32{3, 3}, []int32{3, 3}, 0.95); return ok },
		"level":       func() bool { _, ok := stat.WelchClustered(two, two, []int32{0, 1}, []int32{0, 1}, 1); return ok },
		"infinite": func() bool {
			_, ok := stat.WelchClustered([]float64{math.MaxFloat64, -math.MaxFloat64}, two, []int32{0, 1}, []int32{0, 1}, 0.95)
			return ok
		},
	} {
		assert.False(t, defined(), name)
	}
	// A sample of one has no variance of its own, and the clusters still have.
	_, ok := stat.WelchClustered(one, two, []int32{0}, []int32{0, 1}, 0.95)
	assert.True(t, ok)
	r, ok := stat.WelchClustered([]float64{0.3, 0.3}, []float64{0.3}, []int32{0, 1}, []int32{2}, 0.95)
	assert.True(t, ok)
	assert.Equal(t, stat.WelchResult{P: 1}, r)
}

// With a cluster for each value it is about Welch's test, and the names of the
// clusters do not matter.
func TestWelchClusteredOfSingleValues(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := normals(rng, 200), normals(rng, 150)
	ca, cb := make([]int32, len(a)), make([]int32, len(b))
	for i := range ca {
		ca[i] = int32(i)
	}
	for i := range cb {
		cb[i] = int32(1000 - i)
	}
	want, _ := stat.Welch(a, b, 0.95)
	got, ok := stat.WelchClustered(a, b, ca, cb, 0.95)
	require.True(t, ok)
	require.InDelta(t, want.Diff, got.Diff, 1e-12)
	require.InDelta(t, want.P, got.P, 0.01)
	require.InDelta(t, want.Lo, got.Lo, 0.01)

	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		value, cluster := rapid.Float64Range(-1, 1), rapid.Int32Range(0, 3)
		a, b := rapid.SliceOfN(value, n, n).Draw(t, "a"), rapid.SliceOfN(value, n, n).Draw(t, "b")
		ca, cb := rapid.SliceOfN(cluster, n, n).Draw(t, "ca"), rapid.SliceOfN(cluster, n, n).Draw(t, "cb")
		r, ok := stat.WelchClustered(a, b, ca, cb, 0.9)
		for i := range ca {
			ca[i], cb[i] = 100-ca[i], 100-cb[i]
		}
		renamed, ok2 := stat.WelchClustered(a, b, ca, cb, 0.9)
		require.Equal(t, ok, ok2)
		require.Equal(t, r, renamed)
		require.True(t, 0 <= r.P && r.P <= 1)
		require.LessOrEqual(t, r.Lo, r.Diff)
		require.LessOrEqual(t, r.Diff, r.Hi)
	})
}

// Where clusters have levels of their own, the clustered interval covers at its
// level and p is uniform; Welch's, which takes values as independent, is too short.
func TestWelchClusteredCovers(t *testing.T) {
	t.Parallel()
	const clusters, each, trials = 20, 6, 1500
	rng := rand.New(rand.NewPCG(5, 6))
	var ps []float64
	covered, naive := 0, 0
	for range trials {
		var x [2][]float64
		var c [2][]int32
		for k := range clusters {
			level := rng.NormFloat64()
			for range each {
				side := rng.IntN(2)
				if k%4 == 0 { // a conversation whose queries are nearly all of one side
					side = k / 4 % 2
				}
				x[side] = append(x[side], level+rng.NormFloat64())
				c[side] = append(c[side], int32(k))
			}
		}
		r, ok := stat.WelchClustered(x[0], x[1], c[0], c[1], 0.95)
		require.True(t, ok)
		if r.Lo <= 0 && 0 <= r.Hi {
			covered++
		}
		if w, _ := stat.Welch(x[0], x[1], 0.95); w.Lo <= 0 && 0 <= w.Hi {
			naive++
		}
		ps = append(ps, r.P)
	}
	t.Logf("covered %.3f, taking values as independent %.3f", float64(covered)/trials, float64(naive)/trials)
	assert.InDelta(t, 0.95, float64(covered)/trials, 0.03)
	assert.Less(t, naive, covered)
	requireNearUniform(t, ps)
}

// requireNearUniform allows for the approximation of few clusters.
func requireNearUniform(t *testing.T, ps []float64) {
	t.Helper()
	for _, at := range []float64{0.05, 0.2, 0.5, 0.8} {
		n := 0
		for _, p := range ps {
			if p <= at {
				n++
			}
		}
		assert.InDelta(t, at, float64(n)/float64(len(ps)), 0.05, "p <= %v", at)
	}
}
