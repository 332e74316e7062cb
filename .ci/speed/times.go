package main

import (
	"bytes"
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

// row is a size of a kind of input.
type row struct {
	shape          synth.Shape
	queries, depth int
}

var rows = []row{
	{synth.MTELMem, 20_000, 60},
	{synth.Bundle, 20_000, 60},
	{synth.Bare, 20_000, 60},
	{synth.TREC, 20_000, 60},
	{synth.TREC, 10_000, 60},
	{synth.TREC, 100_000, 60},
	{synth.TREC, 1_000_000, 60},
	{synth.TREC, 10_000, 1_000},
	{synth.MTELMem, 10_000, 1_000},
	{synth.Bundle, 10_000, 1_000},
	{synth.Bare, 10_000, 1_000},
	{synth.Bundle, 100_000, 60},
	{synth.Bare, 100_000, 60},
}

// times times whole audits beside sha256sum of the same files. Commands of one row
// run in turn, so that a machine whose speed drifts does so for all of them, and
// the medians are printed. It needs a system that tells the memory of a process
// that ended, such as Linux.
func times(dir string) (string, []figure, error) {
	tiaptest, err := build(dir, "tiaptest", "./tiaptest/cmd/tiaptest")
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s. Medians of %d runs in turn.\n\n", machine(), *runs)
	b.WriteString("| input | queries x depth | MB | wall s | CPU s | peak MiB | sha256sum wall s | wall / sha256sum |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	var others []string
	for _, r := range rows {
		data, input, err := files(dir, r.shape, r.queries, r.depth, 1)
		if err != nil {
			return "", nil, err
		}
		sums, size, err := within(data)
		if err != nil {
			return "", nil, err
		}
		at := func(name string) string { return filepath.Join(data, name) }
		commands := [][]string{
			append([]string{tiaptest, "audit", "-json", "-k", "60", "-metrics", "ndcg@60,recall@60,mrr@60"}, input...),
			append([]string{"sha256sum"}, sums...),
		}
		switch {
		case r.shape == synth.MTELMem && *mtelmem != "":
			commands = append(commands, strings.Fields(strings.NewReplacer("RECORDS", at("records.jsonl"), "TRACE", at("trace.jsonl")).Replace(*mtelmem)))
		case r.shape == synth.TREC && *trecEval != "":
			commands = append(commands, []string{*trecEval, "-m", "ndcg_cut.60", "-m", "recall.60", "-m", "recip_rank", at("qrels.canonical.txt"), at("run-D1.txt")})
		}
		measured, err := inTurn(commands)
		if err != nil {
			return "", nil, err
		}
		a, sum := measured[0], measured[1]
		fmt.Fprintf(&b, "| %s | %d x %d | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f |\n", r.shape, r.queries, r.depth, float64(size)/1e6,
			a.wall, a.cpu, a.peak, sum.wall, a.wall/sum.wall)
		if len(measured) > 2 {
			others = append(others, fmt.Sprintf("%s, %d x %d: `%s` takes %.2f s, %.0f times as long as the audit, and %.0f MiB.",
				r.shape, r.queries, r.depth, filepath.Base(commands[2][0]), measured[2].wall, measured[2].wall/a.wall, measured[2].peak))
		}
		if err := os.RemoveAll(data); err != nil {
			return "", nil, err
		}
	}
	for _, o := range others {
		fmt.Fprintf(&b, "\n%s\n", o)
	}
	return b.String(), nil, nil
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
