package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/synth"
)

// statements counts the statements of this module that audits execute: the
// statements of each block of a coverage profile, times how often it was entered.
// A loop over bytes counts for each of them; one call of the standard library is
// one statement, whatever it does inside. So a count tells a pass over the hits
// that was not there, and little of how long a statement takes.
//
// A figure is a slope between two sizes, without what an audit costs whatever its
// size: between 20 and 120 hits of a query, and between 1,000 and 2,000 queries of
// 20 hits. Twice as many queries again must cost twice as much. What a hit costs is
// counted in three parts, since a pass over hits is a statement or two of each, and
// less than what the seeds of hash tables change in the counts of package intern.
func statements(dir string) (string, []figure, error) {
	tool, err := build(dir, "counted", "./tiaptest/cmd/tiaptest", "-cover", "-covermode=count", "-coverpkg=./tiaptest/...,./internal/...")
	if err != nil {
		return "", nil, err
	}
	c := counter{dir: dir, tool: tool}
	var figures []figure
	add := func(row string, value, room float64) { figures = append(figures, figure{row, value, room}) }
	for _, shape := range []synth.Shape{synth.MTELMem, synth.TREC, synth.Bundle} {
		shallow, deep := c.audit(shape, 1000, 20), c.audit(shape, 1000, 120)
		twice, again := c.audit(shape, 2000, 20), c.audit(shape, 4000, 20)
		if c.err != nil {
			return "", nil, c.err
		}
		hits := func(in ...string) float64 { return (deep.of(in...) - shallow.of(in...)) / (1000 * 100) }
		bytes, ids := hits("internal/jsonl/", "internal/lines/", "internal/trec/"), hits("internal/intern/")
		add(string(shape)+", a hit more: its bytes", bytes, 0.005)
		add(string(shape)+", a hit more: its id", ids, 0.15)
		add(string(shape)+", a hit more: the rest", hits("")-bytes-ids, 0.005)
		first, next := twice.of("")-shallow.of(""), again.of("")-twice.of("")
		add(string(shape)+", a query of 20 hits more", first/1000, 0.05)
		if ratio := next / 2 / first; math.Abs(ratio-1) > 0.05 {
			return "", nil, fmt.Errorf("%s: from 2,000 to 4,000 queries each costs %.2f times as many statements as from 1,000 to 2,000", shape, ratio)
		}
	}
	c.kernels(add)
	if c.err != nil {
		return "", nil, c.err
	}

	var b strings.Builder
	b.WriteString("| one more of what | executed statements |\n| --- | ---: |\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "| %s | %.2f |\n", f.row, f.value)
	}
	return b.String(), figures, nil
}

// kernels counts the statements of package stat that a pair of systems costs.
func (c *counter) kernels(add func(row string, value, room float64)) {
	// Two systems under three targets are six columns.
	few, n := c.pair(1000, "-resamples", "200")
	many, _ := c.pair(1000, "-resamples", "1200")
	add("bootstrap, a resample, column and compared query", (many.of("internal/stat/")-few.of("internal/stat/"))/1000/6/float64(n), 0.05)
	// Below 30 queries three gaps and the three shifts between them are tested by
	// 9,999 swaps each.
	swaps, n := c.pair(28)
	add("randomization, a swap of all compared queries", swaps.of("internal/stat/randomization.go")/9_999/6, 0.05)
	if c.err == nil && (n <= 13 || n >= 30) {
		c.err = fmt.Errorf("%d queries are compared: too many or too few for sampled swaps", n)
	}
}

// counts are executed statements by file, whose path starts in the module.
type counts map[string]float64

// of adds up those of files whose path has one of the prefixes.
func (c counts) of(prefixes ...string) (n float64) {
	for file, in := range c {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(file, p) }) {
			n += in
		}
	}
	return n
}

// counter counts statements of audits and keeps the first error.
type counter struct {
	dir, tool string
	err       error
}

// audit counts the statements of an audit of one system.
func (c *counter) audit(shape synth.Shape, queries, depth int) counts {
	n, _ := c.count(shape, queries, depth, 1, "-metrics", "ndcg@60,recall@60,mrr@60")
	return n
}

// pair counts those of an audit of two systems by one metric, and returns the
// queries that they are compared on.
func (c *counter) pair(queries int, flags ...string) (statements counts, compared int) {
	return c.count(synth.Bundle, queries, 20, 2, append(flags, "-metrics", "ndcg@20")...)
}

func (c *counter) count(shape synth.Shape, queries, depth, systems int, flags ...string) (statements counts, compared int) {
	if c.err != nil {
		return nil, 0
	}
	statements, compared, c.err = c.run(shape, queries, depth, systems, flags)
	return statements, compared
}

func (c *counter) run(shape synth.Shape, queries, depth, systems int, flags []string) (statements counts, compared int, err error) {
	_, input, err := files(c.dir, shape, queries, depth, systems)
	if err != nil {
		return nil, 0, err
	}
	profile, text := filepath.Join(c.dir, "profile"), filepath.Join(c.dir, "profile.txt")
	if err := errors.Join(os.RemoveAll(profile), os.Mkdir(profile, 0o777)); err != nil {
		return nil, 0, err
	}
	audit := exec.Command(c.tool, slices.Concat([]string{"audit", "-json", "-k", "200"}, flags, input)...)
	// One processor and no collection: neither the order of goroutines nor what a
	// pool keeps then changes much.
	audit.Env = append(os.Environ(), "GOCOVERDIR="+profile, "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	report, err := output(audit)
	if err != nil {
		return nil, 0, err
	}
	var found struct{ Pairs []struct{ N int } }
	if err := json.Unmarshal(report, &found); err != nil {
		return nil, 0, err
	}
	if len(found.Pairs) > 0 {
		compared = found.Pairs[0].N
	}
	if _, err := output(exec.Command("go", "tool", "covdata", "textfmt", "-i="+profile, "-o="+text)); err != nil {
		return nil, 0, err
	}
	lines, err := os.ReadFile(text)
	if err != nil {
		return nil, 0, err
	}
	statements = make(counts)
	for line := range strings.Lines(string(lines)) {
		// path/file.go:line.column,line.column statements count
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "github.com/tiaptest/tiap/"), ":")
		in, err1 := strconv.ParseFloat(fields[1], 64)
		times, err2 := strconv.ParseFloat(fields[2], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, 0, fmt.Errorf("coverage profile: %w", err)
		}
		statements[file] += in * times
	}
	return statements, compared, nil
}
