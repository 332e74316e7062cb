package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// A test without the import, and one that uses much of it.
const (
	without = "package user\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n"
	with    = `package user

import (
	"testing"

	"github.com/tiaptest/tiap/tiaptest"
)

func TestRetrieval(t *testing.T) {
	ndcg := tiaptest.NDCG(60)
	a := tiaptest.Load(t, "testdata", tiaptest.Depth(60))
	tiaptest.Check(t, a, tiaptest.TargetsReported(), tiaptest.SharedSubset(100), tiaptest.CompleteRuns(),
		tiaptest.NoWinnerFlip(ndcg), tiaptest.NoConventionFlip(ndcg))
}
`
)

// weight is what a test module costs.
type weight struct {
	size                     int64
	cold, changed, unchanged float64 // CPU s, to build its test
	packages                 []string
}

// importing measures what importing tiaptest costs a test, and the time of the
// recorded part of the quickstart.
func importing(dir string) (string, []figure, error) {
	bare, err := weigh(dir, "without", without)
	if err != nil {
		return "", nil, err
	}
	full, err := weigh(dir, "with", with)
	if err != nil {
		return "", nil, err
	}
	const recordedTests = "^Test(Garden|Recorded|WhatWouldFail|Readme)$"
	quickstart, err := testTime("./scenarios/quickstart", recordedTests)
	if err != nil {
		return "", nil, err
	}

	var std, own, others []string
	for _, p := range full.packages {
		switch first, _, _ := strings.Cut(p, "/"); {
		case slices.Contains(bare.packages, p):
		case strings.HasPrefix(p, "github.com/tiaptest/tiap/"):
			own = append(own, strings.TrimPrefix(p, "github.com/tiaptest/tiap/"))
		case strings.Contains(first, "."):
			others = append(others, p)
		default:
			std = append(std, p)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", machine(), "linux/amd64 without cgo")
	b.WriteString("| a test module | without | with | added |\n| --- | ---: | ---: | ---: |\n")
	mega := func(bytes int64) string { return strconv.FormatFloat(float64(bytes)/1e6, 'f', 2, 64) }
	const sizes = "size of its test binary, MB"
	fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", sizes, mega(bare.size), mega(full.size), mega(full.size-bare.size))
	for _, row := range []struct {
		name string
		of   func(weight) float64
	}{
		{"build with an empty cache, CPU s", func(w weight) float64 { return w.cold }},
		{"build after a change of the test, CPU s", func(w weight) float64 { return w.changed }},
		{"build with nothing changed, CPU s", func(w weight) float64 { return w.unchanged }},
	} {
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f |\n", row.name, row.of(bare), row.of(full), row.of(full)-row.of(bare))
	}
	fmt.Fprintf(&b, "\nThe import adds %d packages of the standard library, %d of this module and %d of others:\n\n", len(std), len(own), len(others))
	for _, list := range [][]string{std, own, others} {
		fmt.Fprintf(&b, "    %s\n", strings.Join(list, " "))
	}
	fmt.Fprintf(&b, "\nThe tests of the quickstart that ingest nothing, `go test ./scenarios/quickstart -run '%s'`, take %.3f s of test time.\n", recordedTests, quickstart)
	return b.String(), []figure{{sizes, float64(full.size-bare.size) / 1e6, 0.1}}, nil
}

// weigh builds the test of a module of one file.
func weigh(dir, name, test string) (w weight, err error) {
	checkout, err := os.Getwd()
	if err != nil {
		return w, err
	}
	module := filepath.Join(dir, name)
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return w, err
	}
	if err := os.Mkdir(module, 0o777); err != nil {
		return w, err
	}
	file := filepath.Join(module, "user_test.go")
	for path, text := range map[string]string{
		filepath.Join(module, "go.mod"): "module example.com/user\n\ngo 1.26\n\n" + usermodule.Requires(checkout),
		filepath.Join(module, "go.sum"): string(sum),
		file:                            test,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return w, err
		}
	}
	command := func(cache string, args ...string) (text string, cpu float64, err error) {
		c := exec.Command("go", args...)
		c.Dir = module
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if cache != "" {
			c.Env = append(c.Env, "GOCACHE="+cache)
		}
		printed, err := output(c)
		return string(printed), cpuOf(c), err
	}
	list, _, err := command("", "list", "-deps", "-test", ".")
	if err != nil {
		return w, err
	}
	for _, p := range strings.Fields(list) {
		if !strings.HasPrefix(p, "example.com/") && !strings.HasPrefix(p, "[") {
			w.packages = append(w.packages, p)
		}
	}
	binary := filepath.Join(module, "user.test")
	if *check { // the clock plays no part
		if _, _, err := command("", "test", "-c", "-o", binary); err != nil {
			return w, err
		}
	} else {
		var cold, changed, unchanged []float64
		for n := range *runs {
			cache := filepath.Join(dir, fmt.Sprint("cache-", name, n))
			for i, into := range []*[]float64{&cold, &changed, &unchanged} {
				if i == 1 {
					if err := os.WriteFile(file, fmt.Append(nil, test, "\nvar _ = ", n, "\n"), 0o666); err != nil {
						return w, err
					}
				}
				_, cpu, err := command(cache, "test", "-c", "-o", binary)
				if err != nil {
					return w, err
				}
				*into = append(*into, cpu)
			}
			if err := os.RemoveAll(cache); err != nil {
				return w, err
			}
		}
		w.cold, w.changed, w.unchanged = median(cold), median(changed), median(unchanged)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return w, err
	}
	w.size = info.Size()
	return w, nil
}

var testedIn = regexp.MustCompile(`(?m)^ok\s+\S+\s+([0-9.]+)s$`)

// testTime is the time that go test prints of a package, the median of several.
func testTime(pkg, tests string) (float64, error) {
	if *check {
		return 0, nil
	}
	var all []float64
	for range *runs + 1 {
		text, err := output(exec.Command("go", "test", "-count=1", "-run", tests, pkg))
		if err != nil {
			return 0, err
		}
		found := testedIn.FindSubmatch(text)
		if found == nil {
			return 0, fmt.Errorf("go test %s printed no time:\n%s", pkg, text)
		}
		seconds, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return 0, err
		}
		all = append(all, seconds)
	}
	return median(all[1:]), nil // the first fills the caches
}
