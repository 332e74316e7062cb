package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tiaptest/tiap/internal/synth"
)

var (
	runs     = flag.Int("n", 5, "counted `runs` of each command, after one that is not")
	trecEval = flag.String("trec_eval", "", "`path` of trec_eval, to be timed with one target")
	mtelmem  = flag.String("mtelmem", "", "`command` that scores with MTEL-Mem; RECORDS and TRACE stand for the files")
)

// sizes are those of the inputs. The shapes of one size hold the same rankings.
var sizes = []struct {
	queries, depth int
	shapes         []synth.Shape
}{
	{20_000, 60, []synth.Shape{synth.MTELMem, synth.TREC, synth.Bundle, synth.Bare, synth.IDs}},
	{10_000, 1_000, []synth.Shape{synth.MTELMem, synth.TREC, synth.Bundle, synth.Bare, synth.IDs}},
	{100_000, 60, []synth.Shape{synth.TREC, synth.Bundle, synth.Bare, synth.IDs}},
	{10_000, 60, []synth.Shape{synth.TREC}},
	{1_000_000, 60, []synth.Shape{synth.TREC}},
}

// times times whole audits beside sha256sum of the same files. Commands of one size
// run in turn, so that a machine whose speed drifts does so for all of them, and
// the medians are printed. It needs a system that tells the memory of a process
// that ended, such as Linux.
func times(dir string) (string, []figure, error) {
	tiaptest, err := build(dir, "tiaptest", "./tiaptest/cmd/tiaptest")
	if err != nil {
		return "", nil, err
	}
	var table, others strings.Builder
	fmt.Fprintf(&table, "%s. Medians of %d runs in turn.\n\n", machine(), *runs)
	table.WriteString("| input | queries x depth | MB | wall s | CPU s | peak MiB | sha256sum wall s | wall / sha256sum |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, size := range sizes {
		var inputs []input
		for _, shape := range size.shapes {
			in, err := newInput(dir, shape, size.queries, size.depth)
			if err != nil {
				return "", nil, err
			}
			inputs = append(inputs, in)
		}
		var commands [][]string
		for _, in := range inputs {
			commands = append(commands, in.commands(tiaptest)...)
		}
		measured, err := inTurn(commands)
		if err != nil {
			return "", nil, err
		}
		for _, in := range inputs {
			n := len(in.commands(tiaptest))
			in.tell(&table, &others, size.queries, size.depth, measured[:n])
			measured = measured[n:]
			if err := os.RemoveAll(in.dir); err != nil {
				return "", nil, err
			}
		}
	}
	return table.String() + others.String(), nil, nil
}

// input is what one row of the table is about.
type input struct {
	shape synth.Shape
	dir   string
	args  []string // that name it to the command
	files []string
	size  int64
}

func newInput(dir string, shape synth.Shape, queries, depth int) (in input, err error) {
	in.shape = shape
	if in.dir, in.args, err = files(dir, shape, queries, depth, 1); err != nil {
		return in, err
	}
	in.files, in.size, err = within(in.dir)
	return in, err
}

// commands are the audit, sha256sum and, where one is named, another scorer.
func (in *input) commands(tiaptest string) [][]string {
	at := func(name string) string { return filepath.Join(in.dir, name) }
	all := [][]string{
		append([]string{tiaptest, "audit", "-json", "-k", "60", "-metrics", "ndcg@60,recall@60,mrr@60"}, in.args...),
		append([]string{"sha256sum"}, in.files...),
	}
	switch {
	case in.shape == synth.MTELMem && *mtelmem != "":
		all = append(all, strings.Fields(strings.NewReplacer("RECORDS", at("records.jsonl"), "TRACE", at("trace.jsonl")).Replace(*mtelmem)))
	case in.shape == synth.TREC && *trecEval != "":
		all = append(all, []string{*trecEval, "-m", "ndcg_cut.60", "-m", "recall.60", "-m", "recip_rank", at("qrels.canonical.txt"), at("run-D1.txt")})
	}
	return all
}

// tell writes what the commands took.
func (in *input) tell(table, others *strings.Builder, queries, depth int, measured []cost) {
	a, sum := measured[0], measured[1]
	fmt.Fprintf(table, "| %s | %d x %d | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f |\n", in.shape, queries, depth, float64(in.size)/1e6,
		a.wall, a.cpu, a.peak, sum.wall, a.wall/sum.wall)
	if len(measured) > 2 {
		scorer := map[synth.Shape]*string{synth.MTELMem: mtelmem, synth.TREC: trecEval}[in.shape]
		name, _, _ := strings.Cut(*scorer, " ")
		fmt.Fprintf(others, "\n%s, %d x %d: `%s` takes %.2f s, %.0f times as long as the audit, and %.0f MiB.\n",
			in.shape, queries, depth, filepath.Base(name), measured[2].wall, measured[2].wall/a.wall, measured[2].peak)
	}
}

// machine says what the times were taken on.
func machine() string {
	return fmt.Sprintf("With %d processors, %s", runtime.NumCPU(), runtime.Version())
}

// within lists the files in a folder.
func within(dir string) (files []string, size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = append(files, path), size+info.Size()
		return nil
	})
	return files, size, err
}

// cost is what a process takes.
type cost struct{ wall, cpu, peak float64 } // s, s, MiB

// inTurn runs the commands one after the other, again and again, and returns the
// medians of each.
func inTurn(commands [][]string) ([]cost, error) {
	all := make([][]cost, len(commands))
	for n := range *runs + 1 {
		for i, args := range commands {
			c := exec.Command(args[0], args[1:]...)
			start := time.Now()
			if _, err := output(c); err != nil {
				return nil, err
			}
			f := cost{wall: time.Since(start).Seconds(), cpu: cpuOf(c)}
			f.peak = float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
			if n > 0 { // the first fills the caches
				all[i] = append(all[i], f)
			}
		}
	}
	medians := make([]cost, len(commands))
	for i, of := range all {
		middle := func(field func(cost) float64) float64 {
			values := make([]float64, len(of))
			for k, f := range of {
				values[k] = field(f)
			}
			return median(values)
		}
		medians[i] = cost{
			wall: middle(func(f cost) float64 { return f.wall }),
			cpu:  middle(func(f cost) float64 { return f.cpu }),
			peak: middle(func(f cost) float64 { return f.peak }),
		}
	}
	return medians, nil
}

// cpuOf is the CPU time of a process that ended, and of those it waited for, in s.
func cpuOf(c *exec.Cmd) float64 {
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
