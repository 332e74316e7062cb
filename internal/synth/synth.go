// Package synth writes synthetic runs of conversational-memory systems, of any
// size, for benchmarks and tests.
//
// The data are invented from a seed: conversations of turns, stores with raw
// turns and with memories derived from them, questions with gold turns, and
// rankings in which the gold stands above chance. The shapes of a run tell the
// same story: one Config gives the same queries, the same rankings and the same
// eligible memories whichever files they are written to. A shape of its own is a
// benchmark, which has no rankings.
package synth

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/internal/problem"
)

// Shape selects the files that Write makes.
type Shape string

const (
	// Bundle is a folder with scenario.json, queries.jsonl, turns.jsonl and, for
	// each system, systems/<name>/{system.json,store.jsonl,run.jsonl}.
	Bundle Shape = "bundle"

	// Bare is the same bundle without turns, texts, answers and times: ids, links,
	// categories and rankings.
	Bare Shape = "bare"

	// IDs is Bare without scores, so that its rankings are ids alone.
	IDs Shape = "ids"

	// MTELMem is records.jsonl, one query a line with its flat eligible ids, and
	// trace.jsonl, one hit a line, system after system. Eligible ids are those
	// of the densest system, whose store includes all others.
	MTELMem Shape = "mtelmem"

	// TREC is qrels.{raw,source,canonical}.txt with the eligible ids of MTELMem,
	// and run-<system>.txt. About one score in eight equals the one before; the
	// order of such hits is arbitrary, so that a reader which breaks ties by id
	// sees them in another order than the rank column has.
	TREC Shape = "trec"

	// LongMemEval is longmemeval.json, a benchmark in the format of LongMemEval
	// with one instance of about 450 kB for each query. Depth and Systems play
	// no part.
	LongMemEval Shape = "longmemeval"
)

// Config describes the data. Equal configs give equal bytes.
type Config struct {
	Shape   Shape
	Queries int // at least 1; fifty of them share a conversation of a run
	Depth   int // hits of each ranking, 1 to 10000
	Systems int // at least 1; D1, D5, D8, D9, D10, ...: a family by the facts kept of a turn
	Seed    uint64
	Gzip    bool // compress all but the small .json files, adding .gz to their names
}

const maxDepth = 10_000 // scores have six decimals and must be able to fall at each rank

// Write makes the files of c in dir, which it creates where needed. A folder
// that holds something already is an error: what is left there of an earlier
// call would become part of the data.
func Write(dir string, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	switch held, err := os.ReadDir(dir); {
	case err != nil:
		return err
	case len(held) > 0:
		return &problem.Problem{File: dir, What: "the folder is not empty", Mend: "name a new one"}
	}
	g := &generator{Config: c, dir: dir}
	switch c.Shape {
	case MTELMem:
		return g.writeMTELMem()
	case TREC:
		return g.writeTREC()
	case LongMemEval:
		return g.writeLongMemEval()
	default:
		return g.writeBundle()
	}
}

func (c Config) check() error {
	var l problem.List
	switch c.Shape {
	case Bundle, Bare, IDs, MTELMem, TREC, LongMemEval:
	default:
		l.Add("", 0, fmt.Sprintf("unknown shape %q", string(c.Shape)), "use bundle, bare, ids, mtelmem, trec or longmemeval")
	}
	if c.Queries < 1 {
		l.Add("", 0, fmt.Sprintf("%d queries", c.Queries), "ask for at least 1")
	}
	if c.Depth < 1 || c.Depth > maxDepth {
		l.Add("", 0, fmt.Sprintf("depth %d", c.Depth), fmt.Sprintf("use 1 to %d", maxDepth))
	}
	if c.Systems < 1 {
		l.Add("", 0, fmt.Sprintf("%d systems", c.Systems), "ask for at least 1")
	}
	return l.Err()
}

// bare reports a bundle without turns, texts, answers and times.
func (c Config) bare() bool { return c.Shape == Bare || c.Shape == IDs }

// A generator holds what the writers of the shapes share. Everything that it
// draws is a function of the seed and of the place it is drawn for, so the
// writers may go over conversations and systems in any order and repeatedly.
type generator struct {
	Config
	dir string
}

// purpose keeps the random streams of one place apart.
type purpose uint64

const (
	forStructure purpose = iota
	forRanking
	forTurnText
	forMemoryText
	forQueryText
)

// draw returns the randomness for the nth item of a conversation.
func (g *generator) draw(p purpose, conversation, n int) *rand.Rand {
	pcg := rand.NewPCG(g.Seed, uint64(p)<<60^uint64(conversation)<<28^uint64(n))
	pcg.Uint64() // the first numbers of neighbouring seeds are alike
	return rand.New(pcg)
}

// density is the largest number of facts that the system keeps of a turn.
func density(system int) int {
	published := [...]int{1, 5, 8} // the densities compared in arXiv 2605.24060
	if system < len(published) {
		return published[system]
	}
	return system - len(published) + published[len(published)-1] + 1
}

func systemName(system int) string { return fmt.Sprintf("D%d", density(system)) }

// create opens a data file; name is slash-separated and below the folder.
func (g *generator) create(name string) (*file, error) {
	if g.Gzip {
		name += ".gz"
	}
	return createFile(filepath.Join(g.dir, filepath.FromSlash(name)), g.Gzip)
}
