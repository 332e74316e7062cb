package trec_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/trec"
)

// syntheticRun returns a run whose docs are drawn from a corpus, a power of two
// in size so that the odd strides repeat no doc. The lines of a query are
// shuffled if asked.
func syntheticRun(seed uint64, queries, hits, corpus int, shuffled bool) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b []byte
	at := make([]int, hits)
	for q := range queries {
		first, stride := rng.IntN(corpus), 1+2*rng.IntN(1000)
		for i := range at {
			at[i] = i
		}
		if shuffled {
			rng.Shuffle(hits, func(i, j int) { at[i], at[j] = at[j], at[i] })
		}
		for _, i := range at {
			b = append(b, 'q')
			b = strconv.AppendInt(b, int64(q), 10)
			b = append(b, " Q0 doc-"...)
			b = strconv.AppendInt(b, int64((first+i*stride)%corpus), 10)
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(i+1), 10)
			b = append(b, ' ')
			b = strconv.AppendFloat(b, float64(hits-i)+rng.Float64(), 'f', 6, 64)
			b = append(b, " bench\n"...)
		}
	}
	return b
}

// syntheticQrels returns qrels whose docs are drawn likewise.
func syntheticQrels(seed uint64, queries, docs, corpus int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b []byte
	for q := range queries {
		first, stride := rng.IntN(corpus), 1+2*rng.IntN(1000)
		for i := range docs {
			b = fmt.Appendf(b, "q%d 0 doc-%d %d\n", q, (first+i*stride)%corpus, rng.IntN(4))
		}
	}
	return b
}

func BenchmarkReadRun(b *testing.B) {
	for _, bm := range []struct {
		name                  string
		queries, hits, corpus int
		shuffled              bool
		order                 trec.Order
	}{
		{"20000x60", 20_000, 60, 1 << 17, false, trec.ByScore},
		{"2000x1000", 2_000, 1000, 1 << 17, false, trec.ByScore},
		{"large corpus", 20_000, 60, 1 << 22, false, trec.ByScore},
		{"shuffled", 20_000, 60, 1 << 17, true, trec.ByScore},
		{"by rank", 20_000, 60, 1 << 17, false, trec.ByRank},
	} {
		b.Run(bm.name, func(b *testing.B) {
			data := syntheticRun(1, bm.queries, bm.hits, bm.corpus, bm.shuffled)
			hits := bm.queries * bm.hits
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				run, err := trec.ReadRun("run", bytes.NewReader(data), bm.order)
				if err != nil || len(run.Docs) != bm.queries {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(hits)/b.Elapsed().Seconds(), "hits/s")
		})
	}
}

func BenchmarkReadQrels(b *testing.B) {
	data := syntheticQrels(1, 20_000, 20, 1<<17)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		qrels, err := trec.ReadQrels("qrels", bytes.NewReader(data), new(intern.Table))
		if err != nil || len(qrels.Docs) != 20_000 {
			b.Fatal(err)
		}
	}
}

// BenchmarkLines is the pass that every reader makes at least.
func BenchmarkLines(b *testing.B) {
	data := syntheticRun(1, 20_000, 60, 1<<17, false)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		total := 0
		err := lines.Parse(bytes.NewReader(data), func(b lines.Block) int {
			n := 0
			for range b.All() {
				n++
			}
			return n
		}, func(n int) error {
			total += n
			return nil
		})
		if err != nil || total != 20_000*60 {
			b.Fatal(err)
		}
	}
}

func BenchmarkSHA256(b *testing.B) {
	data := syntheticRun(1, 20_000, 60, 1<<17, false)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		sha256.Sum256(data)
	}
}
