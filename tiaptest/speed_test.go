package tiaptest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/synth"
	"github.com/tiaptest/tiap/tiaptest"
)

// synthetic writes one system's rankings and returns how to open them, and their
// folder.
func synthetic(t testing.TB, shape synth.Shape, queries, depth int) (open func() *tiaptest.Bundle, dir string) {
	dir = t.TempDir()
	require.NoError(t, synth.Write(dir, synth.Config{Shape: shape, Queries: queries, Depth: depth, Systems: 1, Seed: 1}))
	at := func(name string) string { return filepath.Join(dir, name) }
	return func() (b *tiaptest.Bundle) {
		var err error
		switch shape {
		case synth.Bundle:
			b, err = tiaptest.Open(dir)
		case synth.MTELMem:
			b, err = tiaptest.MTELMem{Records: at("records.jsonl"), Traces: []string{at("trace.jsonl")}}.Open()
		case synth.TREC:
			b, err = tiaptest.TREC{
				Qrels: map[string]string{"raw": at("qrels.raw.txt"), "source": at("qrels.source.txt"), "canonical": at("qrels.canonical.txt")},
				Runs:  map[string]string{"D1": at("run-D1.txt")},
			}.Open()
		}
		require.NoError(t, err)
		return b
	}, dir
}

var shapes = []synth.Shape{synth.MTELMem, synth.TREC, synth.Bundle}

func auditAll(t testing.TB, b *tiaptest.Bundle) {
	a, err := tiaptest.Rescore(b, tiaptest.Depth(60), tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.Recall(60), tiaptest.MRR(60)))
	require.NoError(t, err)
	require.NoError(t, a.WriteJSON(io.Discard))
}

// TestAllocations guards speed without a clock: reading and scoring allocate per
// query and per memory, and nothing per hit. It is not parallel, as
// testing.AllocsPerRun demands. Executed statements are guarded by .ci/speed -check.
func TestAllocations(t *testing.T) {
	const queries = 1000
	for _, shape := range shapes {
		t.Run(string(shape), func(t *testing.T) {
			count := func(depth int) float64 {
				open, _ := synthetic(t, shape, queries, depth)
				return testing.AllocsPerRun(3, func() { auditAll(t, open()) })
			}
			shallow, deep := count(20), count(120)
			t.Logf("%.0f allocations at depth 20, %.0f at depth 120", shallow, deep)
			assert.Less(t, deep-shallow, 0.05*100*queries, "for 100 more hits a query, which come in more blocks")
			assert.Less(t, shallow, 30.0*queries, "of which a query has six memories and three turns in a bundle")
		})
	}
}

// BenchmarkAudit reads and scores three targets by three metrics. Beside it stand
// the plain costs of the same bytes: a scan for lines, a digest, and unpacking them.
func BenchmarkAudit(b *testing.B) {
	const queries, depth = 5000, 60
	for _, shape := range shapes {
		open, dir := synthetic(b, shape, queries, depth)
		var text []byte
		require.NoError(b, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			text = append(text, data...)
			return err
		}))
		measure := func(name string, do func()) {
			b.Run(string(shape)+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64(b.N)*queries*depth/b.Elapsed().Seconds(), "hits/s")
			})
		}
		measure("audit", func() { auditAll(b, open()) })
		measure("scan", func() {
			s := bufio.NewScanner(bytes.NewReader(text))
			s.Buffer(nil, 1<<20)
			for s.Scan() {
			}
			require.NoError(b, s.Err())
		})
		measure("sha256", func() { sha256.Sum256(text) })
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(text)
		require.NoError(b, err)
		require.NoError(b, w.Close())
		measure("gunzip", func() {
			r, err := gzip.NewReader(bytes.NewReader(packed.Bytes()))
			require.NoError(b, err)
			_, err = io.Copy(io.Discard, r)
			require.NoError(b, err)
		})
	}
}
