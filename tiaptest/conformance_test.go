package tiaptest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/tiaptest"
)

// scoreTolerance is how far a value may lie from the reference.
const scoreTolerance = 1e-9

// tally counts compared values and keeps the largest difference. A test and its
// subtests share one.
type tally struct {
	mu      sync.Mutex
	n, bad  int
	largest float64
	at      string
}

// newTally reports what was compared when the test and its subtests have ended.
func newTally(t *testing.T) *tally {
	c := &tally{}
	t.Cleanup(func() {
		switch {
		case t.Skipped():
		case c.n == 0:
			t.Error("nothing was compared")
		case c.largest == 0 && c.bad == 0:
			t.Logf("%d values compared, no difference", c.n)
		default:
			t.Logf("%d values compared, %d differ by more than %g, largest difference %g (%s)", c.n, c.bad, scoreTolerance, c.largest, c.at)
		}
	})
	return c
}

// mostReported is how many differences of a test are reported one by one.
const mostReported = 20

// value compares a value with its reference.
func (c *tally) value(t *testing.T, what string, got, want float64) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	d := math.Abs(got - want)
	if d > c.largest || math.IsNaN(d) {
		c.largest, c.at = d, what
	}
	if d <= scoreTolerance {
		return
	}
	if c.bad++; c.bad <= mostReported {
		t.Errorf("%s: got %v, want %v (difference %g)", what, got, want, d)
	} else {
		t.Fail()
	}
}

// same compares values that are no scores: names, verdicts.
func (c *tally) same(t *testing.T, what string, got, want any) {
	t.Helper()
	equal := reflect.DeepEqual(got, want)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if !equal {
		c.bad++
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// object is a JSON object as someone else's program reads it.
type object = map[string]any

func parseObject(t *testing.T, text []byte) object {
	t.Helper()
	var v object
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

func readObject(t *testing.T, file string) object {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return parseObject(t, text)
}

func readObjects(t *testing.T, file string) []object {
	t.Helper()
	var out []object
	for line := range bytes.Lines(readPlain(t, file)) {
		out = append(out, parseObject(t, line))
	}
	return out
}

// findObject returns the one object of a list in which these members have these
// values.
func findObject(t *testing.T, list any, members object) object {
	t.Helper()
	var found []object
next:
	for _, item := range list.([]any) {
		o := item.(object)
		for name, want := range members {
			if !reflect.DeepEqual(o[name], want) {
				continue next
			}
		}
		found = append(found, o)
	}
	require.Len(t, found, 1, "objects with %v", members)
	return found[0]
}

// numberIn returns a member that must be a number.
func numberIn(t *testing.T, o object, name string) float64 {
	t.Helper()
	v, ok := o[name].(float64)
	require.True(t, ok, "%s is %v, which is no number", name, o[name])
	return v
}

// reportedScore returns the value and the n of a score row.
func reportedScore(t *testing.T, report object, system, target, subset, metric string) (value, n float64) {
	t.Helper()
	row := findObject(t, report["scores"], object{"system": system, "target": target, "subset": subset, "metric": metric})
	return numberIn(t, row, "value"), numberIn(t, row, "n")
}

// perQueryKey names a value of a single query.
type perQueryKey struct{ system, target, query, metric string }

// readPerQuery reads what WritePerQuery writes, without undefined values.
func readPerQuery(t *testing.T, text []byte) map[perQueryKey]float64 {
	t.Helper()
	values := make(map[perQueryKey]float64)
	for line := range bytes.Lines(text) {
		v := parseObject(t, line)
		require.Equal(t, []string{"metric", "query", "system", "target", "value"}, slices.Sorted(maps.Keys(v)))
		if v["value"] == nil {
			continue
		}
		key := perQueryKey{v["system"].(string), v["target"].(string), v["query"].(string), v["metric"].(string)}
		if _, twice := values[key]; twice {
			t.Fatalf("%v stands twice", key)
		}
		values[key] = numberIn(t, v, "value")
	}
	return values
}

// outputs are what an audit writes.
type outputs struct{ json, table, perQuery []byte }

func writeAll(t *testing.T, b *tiaptest.Bundle, opts ...tiaptest.Option) outputs {
	t.Helper()
	a, err := tiaptest.Rescore(b, opts...)
	require.NoError(t, err)
	var js, table, per bytes.Buffer
	require.NoError(t, a.WriteJSON(&js))
	require.NoError(t, a.WriteTable(&table))
	require.NoError(t, a.WritePerQuery(&per))
	return outputs{js.Bytes(), table.Bytes(), per.Bytes()}
}

// outputs compares outputs byte by byte. It does not print them whole.
func (c *tally) outputs(t *testing.T, what string, want, got outputs) {
	t.Helper()
	for _, o := range []struct {
		name      string
		want, got []byte
	}{{"report", want.json, got.json}, {"table", want.table, got.table}, {"values of queries", want.perQuery, got.perQuery}} {
		require.NotEmpty(t, o.want)
		equal := bytes.Equal(o.want, o.got)
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
		if equal {
			continue
		}
		a, b := strings.Split(string(o.want), "\n"), strings.Split(string(o.got), "\n")
		for i := range min(len(a), len(b)) {
			require.Equal(t, a[i], b[i], "%s: line %d of the %s differs", what, i+1, o.name)
		}
		require.Equal(t, len(a), len(b), "%s: the lengths of the %s differ", what, o.name)
	}
}

// command is the built tiaptest command.
type command string

func buildCommand(t *testing.T) command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tiaptest.exe")
	out, err := exec.Command("go", "build", "-o", file, "./cmd/tiaptest").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return command(file)
}

// audit runs the command with the given number of processors.
func (c command) audit(t *testing.T, procs int, args ...string) outputs {
	t.Helper()
	per := filepath.Join(t.TempDir(), "per-query.jsonl")
	run := func(args ...string) []byte {
		cmd := exec.Command(string(c), append([]string{"audit"}, args...)...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%s", stderr.Bytes())
		return out
	}
	o := outputs{table: run(args...), json: run(append([]string{"-json", "-per-query", per}, args...)...)}
	var err error
	o.perQuery, err = os.ReadFile(per)
	require.NoError(t, err)
	return o
}

// readPlain reads a file, decompressing it by its name.
func readPlain(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	plain, err := lines.Decompress(file, f)
	require.NoError(t, err)
	defer plain.Close()
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	return text
}

func writeDataFile(t *testing.T, file string, text []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(file, text, 0o666))
}

func copyDataFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	writeDataFile(t, to, text)
}

// shuffledLines returns a file's text with its lines in another order.
func shuffledLines(t *testing.T, file string, r *rand.Rand) []byte {
	t.Helper()
	var list [][]byte
	in := bufio.NewScanner(bytes.NewReader(readPlain(t, file)))
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		list = append(list, slices.Clone(in.Bytes()))
	}
	require.NoError(t, in.Err())
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return append(bytes.Join(list, []byte("\n")), '\n')
}

// shuffleFolder copies a folder and shuffles the lines of its JSONL files. The
// copy has the same name, which names a bundle and a single system.
func shuffleFolder(t *testing.T, from string, r *rand.Rand) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	require.NoError(t, fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		file := filepath.Join(from, filepath.FromSlash(name))
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.Contains(name, ".jsonl"):
			writeDataFile(t, filepath.Join(to, filepath.FromSlash(strings.TrimSuffix(name, ".gz"))), shuffledLines(t, file, r))
		default:
			copyDataFile(t, file, filepath.Join(to, filepath.FromSlash(name)))
		}
		return nil
	}))
	return to
}

// shuffleCount is how many orders of the lines a test tries.
const shuffleCount = 3

// TestConformanceDeterminism runs the command on the data as they are and with
// the lines of every file shuffled, the systems in another order, on one
// processor and on two. It writes the bytes that an audit writes, always.
func TestConformanceDeterminism(t *testing.T) {
	t.Parallel()
	data := conformance.Data(t, ".")
	runs, cases := filepath.Join(data, "mtelmem", "runs"), filepath.Join(data, "treceval")
	c := newTally(t)
	exe := buildCommand(t)
	t.Run("densities", func(t *testing.T) {
		t.Parallel()
		bundleDeterminism(t, c, exe, lexicalBundle(t, runs))
	})
	t.Run("mem0", func(t *testing.T) {
		t.Parallel()
		bundleDeterminism(t, c, exe, filepath.Join(runs, "locomo-mem0"))
	})
	t.Run("mtel-mem", func(t *testing.T) {
		t.Parallel()
		records, traces := lexicalTraces(t, runs)
		mtelmemDeterminism(t, c, exe, records, traces)
	})
	for _, name := range []string{"c01_ties", "c07_three_targets", "c08_random_2000x100"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trecDeterminism(t, c, exe, filepath.Join(cases, name))
		})
	}
}

func bundleDeterminism(t *testing.T, c *tally, exe command, dir string) {
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	want := writeAll(t, b, tiaptest.Depth(60))
	c.outputs(t, "the command", want, exe.audit(t, 2, "-k", "60", dir))
	for seed := range uint64(shuffleCount) {
		r := rand.New(rand.NewPCG(seed, 7))
		other := shuffleFolder(t, dir, r)
		b, err := tiaptest.Open(other)
		require.NoError(t, err)
		slices.Reverse(b.Systems)
		c.outputs(t, fmt.Sprintf("shuffle %d", seed), want, writeAll(t, b))
		for _, procs := range []int{1, 2} {
			c.outputs(t, fmt.Sprintf("shuffle %d, %d processors", seed, procs), want, exe.audit(t, procs, "-k", "60", other))
		}
	}
}

func mtelmemDeterminism(t *testing.T, c *tally, exe command, records string, traces []string) {
	b, err := tiaptest.MTELMem{Records: records, Traces: traces}.Open()
	require.NoError(t, err)
	want := writeAll(t, b)
	for seed := range uint64(shuffleCount) {
		r := rand.New(rand.NewPCG(seed, 8))
		dir := t.TempDir()
		args := []string{"-records", filepath.Join(dir, filepath.Base(records))}
		writeDataFile(t, args[1], shuffledLines(t, records, r))
		for _, trace := range slices.Backward(traces) {
			file := filepath.Join(dir, filepath.Base(trace))
			writeDataFile(t, file, shuffledLines(t, trace, r))
			args = append(args, "-trace", file)
		}
		for _, procs := range []int{1, 2} {
			c.outputs(t, fmt.Sprintf("shuffle %d, %d processors", seed, procs), want, exe.audit(t, procs, args...))
		}
	}
}

// trecDeterminism adds a second system to a case: its run with other scores.
func trecDeterminism(t *testing.T, c *tally, exe command, dir string) {
	qrels, run := trecFiles(t, dir)
	runs := map[string]string{"a": run, "b": filepath.Join(t.TempDir(), "run.txt")}
	writeDataFile(t, runs["b"], otherScores(t, run))
	b, err := tiaptest.TREC{Qrels: qrels, Runs: runs}.Open()
	require.NoError(t, err)
	want := writeAll(t, b)
	for seed := range uint64(shuffleCount) {
		r := rand.New(rand.NewPCG(seed, 9))
		other := t.TempDir()
		var args []string
		for _, target := range slices.Backward(slices.Sorted(maps.Keys(qrels))) {
			file := filepath.Join(other, "qrels."+target)
			writeDataFile(t, file, shuffledLines(t, qrels[target], r))
			args = append(args, "-qrels", target+"="+file)
		}
		for _, name := range []string{"b", "a"} {
			file := filepath.Join(other, name)
			writeDataFile(t, file, shuffledLines(t, runs[name], r))
			args = append(args, "-run", name+"="+file)
		}
		for _, procs := range []int{1, 2} {
			c.outputs(t, fmt.Sprintf("shuffle %d, %d processors", seed, procs), want, exe.audit(t, procs, args...))
		}
	}
}
