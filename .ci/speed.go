// Speed times whole audits beside sha256sum of the same files, and writes the
// table of docs/speed.md:
//
//	go run .ci/speed.go -o docs/speed.md
//	go run .ci/speed.go -trec_eval PATH -mtelmem 'python3 SCRIPT RECORDS TRACE'
//
// The files are synthetic (internal/synth, seed 1). Commands of one row run in
// turn, so that a machine whose speed drifts does so for all of them, and the
// medians are printed. Nothing else should run. It needs a system that tells the
// memory of a process that ended, such as Linux.
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
)

var (
	runs     = flag.Int("n", 5, "counted `runs` of each command, after one that is not")
	out      = flag.String("o", "", "`file` to write the table to, in place of standard output")
	trecEval = flag.String("trec_eval", "", "`path` of trec_eval, to be timed with one target")
	mtelmem  = flag.String("mtelmem", "", "`command` that scores with MTEL-Mem; RECORDS and TRACE stand for the files")
)

// row is a size of a kind of input.
type row struct {
	shape          string
	queries, depth int
}

var rows = []row{
	{"mtelmem", 20_000, 60},
	{"bundle", 20_000, 60},
	{"trec", 10_000, 60},
	{"trec", 100_000, 60},
	{"trec", 1_000_000, 60},
	{"trec", 10_000, 1_000},
	{"bundle", 100_000, 60},
}

func main() {
	flag.Parse()
	if err := speed(); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func speed() error {
	dir, err := os.MkdirTemp("", "tiap-speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := func(name, pkg string) string {
		path := filepath.Join(dir, name)
		build := exec.Command("go", "build", "-o", path, pkg)
		build.Stderr = os.Stderr
		if e := build.Run(); e != nil && err == nil {
			err = fmt.Errorf("go build %s: %w", pkg, e)
		}
		return path
	}
	tiaptest, synth := tool("tiaptest", "./tiaptest/cmd/tiaptest"), tool("synth", "./internal/synth/cmd/synth")
	if err != nil {
		return err
	}

	var b bytes.Buffer
	fmt.Fprint(&b, `# Speed

Whole processes: `+"`tiaptest audit -json`"+` with three targets and ndcg@60, recall@60 and mrr@60, beside `+"`sha256sum`"+` of the same files in the same run. Medians of `)
	fmt.Fprintf(&b, "%d runs in turn, with %d processors, %s. Made by `go run .ci/speed.go -o docs/speed.md`, which says how to time trec_eval and MTEL-Mem beside it.\n\n", *runs, runtime.NumCPU(), runtime.Version())
	b.WriteString("| input | queries x depth | MB | wall s | CPU s | peak MiB | sha256sum wall s | wall / sha256sum |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	var others []string
	for _, r := range rows {
		data := filepath.Join(dir, "data")
		generate := exec.Command(synth, "-shape", r.shape, "-queries", fmt.Sprint(r.queries), "-depth", fmt.Sprint(r.depth), "-o", data)
		generate.Stderr = os.Stderr
		if err := generate.Run(); err != nil {
			return fmt.Errorf("synth: %w", err)
		}
		files, size, err := within(data)
		if err != nil {
			return err
		}
		at := func(name string) string { return filepath.Join(data, name) }
		audit := []string{tiaptest, "audit", "-json", "-k", "60", "-metrics", "ndcg@60,recall@60,mrr@60"}
		var other []string
		switch r.shape {
		case "mtelmem":
			audit = append(audit, "-records", at("records.jsonl"), "-trace", at("trace.jsonl"))
			if *mtelmem != "" {
				other = strings.Fields(strings.NewReplacer("RECORDS", at("records.jsonl"), "TRACE", at("trace.jsonl")).Replace(*mtelmem))
			}
		case "trec":
			for _, t := range []string{"raw", "source", "canonical"} {
				audit = append(audit, "-qrels", t+"="+at("qrels."+t+".txt"))
			}
			audit = append(audit, "-run", at("run-D1.txt"))
			if *trecEval != "" {
				other = []string{*trecEval, "-m", "ndcg_cut.60", "-m", "recall.60", "-m", "recip_rank", at("qrels.canonical.txt"), at("run-D1.txt")}
			}
		default:
			audit = append(audit, data)
		}
		commands := [][]string{audit, append([]string{"sha256sum"}, files...)}
		if other != nil {
			commands = append(commands, other)
		}
		measured, err := inTurn(commands)
		if err != nil {
			return err
		}
		a, sum := measured[0], measured[1]
		fmt.Fprintf(&b, "| %s | %d x %d | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f |\n", r.shape, r.queries, r.depth, float64(size)/1e6,
			a.wall, a.cpu, a.peak, sum.wall, a.wall/sum.wall)
		if other != nil {
			others = append(others, fmt.Sprintf("%s, %d x %d: `%s` takes %.2f s, %.0f times as long as the audit, and %.0f MiB.", r.shape, r.queries, r.depth, filepath.Base(other[0]), measured[2].wall, measured[2].wall/a.wall, measured[2].peak))
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	for _, o := range others {
		fmt.Fprintf(&b, "\n%s\n", o)
	}
	if *out == "" {
		_, err = os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(*out, b.Bytes(), 0o644)
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

type figures struct{ wall, cpu, peak float64 } // s, s, MiB

// inTurn runs the commands one after the other, again and again, and returns the
// medians of each.
func inTurn(commands [][]string) ([]figures, error) {
	all := make([][]figures, len(commands))
	for n := range *runs + 1 {
		for i, args := range commands {
			c := exec.Command(args[0], args[1:]...)
			var stderr bytes.Buffer
			c.Stderr = &stderr
			start := time.Now()
			if err := c.Run(); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", args[0], err, stderr.Bytes())
			}
			f := figures{wall: time.Since(start).Seconds(), cpu: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()}
			f.peak = float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
			if n > 0 { // the first fills the caches
				all[i] = append(all[i], f)
			}
		}
	}
	medians := make([]figures, len(commands))
	for i, of := range all {
		middle := func(field func(figures) float64) float64 {
			values := make([]float64, len(of))
			for k, f := range of {
				values[k] = field(f)
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		medians[i] = figures{
			wall: middle(func(f figures) float64 { return f.wall }),
			cpu:  middle(func(f figures) float64 { return f.cpu }),
			peak: middle(func(f figures) float64 { return f.peak }),
		}
	}
	return medians, nil
}
