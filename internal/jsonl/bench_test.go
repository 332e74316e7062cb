package jsonl_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/jsonl"
)

type ranked struct {
	Query   string    `json:"query_id"`
	System  string    `json:"system"`
	Ranking []string  `json:"ranking"`
	Scores  []float64 `json:"scores"`
}

type hit struct {
	Query  string  `json:"query_id"`
	System string  `json:"system"`
	ID     string  `json:"retrieved_id"`
	Rank   int64   `json:"rank"`
	Score  float64 `json:"score"`
}

var (
	rankedNames = []string{"query_id", "system", "ranking", "scores"}
	hitNames    = []string{"query_id", "system", "retrieved_id", "rank", "score"}
)

// rankings are lines with 60 ids, and with 60 scores where asked.
func rankings(n int, scores bool) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for q := range n {
		r := ranked{Query: fmt.Sprintf("conv-26/qa%d", q), System: "d1"}
		for range 60 {
			r.Ranking = append(r.Ranking, fmt.Sprintf("mem_%d", rng.IntN(5000)))
			if scores {
				r.Scores = append(r.Scores, rng.Float64())
			}
		}
		line, _ := json.Marshal(r)
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

// hits are lines with one hit each, spaced as Python's json.dumps does.
func hits(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"benchmark": "demo", "system": "s", "query_id": "q%d", "retrieved_id": "obs_%d", "rank": %d, "score": %.4f}`+"\n",
			i/60, rng.IntN(5000), i%60+1, rng.Float64())
	}
	return b.Bytes()
}

func scanRanked(line []byte) (sum int) {
	var query, system, ranking, scores jsonl.Value
	ok := jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
		switch string(name) {
		case "query_id":
			query = v
		case "system":
			system = v
		case "ranking":
			ranking = v
		case "scores":
			scores = v
		}
		return true
	})
	q, ok1 := query.Bytes()
	s, ok2 := system.Bytes()
	sum = len(q) + len(s)
	ok3 := ranking.Strings(func(s []byte) bool { sum += len(s); return true })
	ok4 := scores.Kind() == jsonl.Null || scores.Floats(func(x float64) bool { sum += int(x); return true })
	if !(ok && ok1 && ok2 && ok3 && ok4) {
		panic("not understood")
	}
	return sum
}

func scanHit(line []byte) (sum int) {
	var query, system, id, rank, score jsonl.Value
	ok := jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
		switch string(name) {
		case "query_id":
			query = v
		case "system":
			system = v
		case "retrieved_id":
			id = v
		case "rank":
			rank = v
		case "score":
			score = v
		}
		return true
	})
	q, ok1 := query.Bytes()
	s, ok2 := system.Bytes()
	d, ok3 := id.Bytes()
	r, ok4 := rank.Int()
	x, ok5 := score.Float()
	if !(ok && ok1 && ok2 && ok3 && ok4 && ok5) {
		panic("not understood")
	}
	return len(q) + len(s) + len(d) + int(r) + int(x)
}

func readRanked(r *jsonl.Reader, line []byte) (sum int) {
	ok := r.Read(line)
	q, ok1 := r.Value(0).Bytes()
	s, ok2 := r.Value(1).Bytes()
	sum = len(q) + len(s)
	ok3 := r.Strings(2, func(s []byte) bool { sum += len(s); return true })
	ok4 := r.Value(3).Kind() == jsonl.Null || r.Floats(3, func(x float64) bool { sum += int(x); return true })
	if !(ok && ok1 && ok2 && ok3 && ok4) {
		panic("not understood")
	}
	return sum
}

func readHit(r *jsonl.Reader, line []byte) int {
	ok := r.Read(line)
	q, ok1 := r.Value(0).Bytes()
	s, ok2 := r.Value(1).Bytes()
	d, ok3 := r.Value(2).Bytes()
	n, ok4 := r.Value(3).Int()
	x, ok5 := r.Value(4).Float()
	if !(ok && ok1 && ok2 && ok3 && ok4 && ok5) {
		panic("not understood")
	}
	return len(q) + len(s) + len(d) + int(n) + int(x)
}

// BenchmarkScan reads lines with all their values, beside other passes over the
// same bytes: cutting into lines, SHA-256, encoding/json.
func BenchmarkScan(b *testing.B) {
	for _, shape := range []struct {
		name string
		text []byte
		scan func([]byte) int
		read func(*jsonl.Reader, []byte) int
		dst  func() any
		r    *jsonl.Reader
	}{
		{"ids", rankings(2000, false), scanRanked, readRanked, func() any { return new(ranked) }, jsonl.NewReader(rankedNames...)},
		{"ids+scores", rankings(2000, true), scanRanked, readRanked, func() any { return new(ranked) }, jsonl.NewReader(rankedNames...)},
		{"hits", hits(20_000), scanHit, readHit, func() any { return new(hit) }, jsonl.NewReader(hitNames...)},
	} {
		each := func(name string, f func(line []byte)) {
			b.Run(shape.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(shape.text)))
				b.ReportAllocs()
				for b.Loop() {
					for rest := shape.text; len(rest) > 0; {
						i := bytes.IndexByte(rest, '\n')
						f(rest[:i])
						rest = rest[i+1:]
					}
				}
			})
		}
		total := 0
		each("Scan", func(line []byte) { total += shape.scan(line) })
		each("Reader", func(line []byte) { total += shape.read(shape.r, line) })
		each("IndexByte", func([]byte) {})
		each("sha256", func(line []byte) { _ = sha256.Sum256(line) })
		each("encoding_json", func(line []byte) { require.NoError(b, json.Unmarshal(line, shape.dst())) })
		require.NotZero(b, total)
	}
}

// BenchmarkDecode decodes the same lines, beside encoding/json.
func BenchmarkDecode(b *testing.B) {
	line := bytes.TrimSpace(rankings(1, true))
	for name, f := range map[string]func(v any) bool{
		"Decode":        func(v any) bool { return jsonl.Decode(line, v) == nil },
		"encoding_json": func(v any) bool { return json.Unmarshal(line, v) == nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if !f(new(ranked)) {
					b.Fatal("refused")
				}
			}
		})
	}
}
