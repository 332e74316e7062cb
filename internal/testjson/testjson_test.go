package testjson_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/testjson"
)

// events writes events from lines of the form "action package test rest", where - is
// no test and rest the output, the attribute or the build that failed.
func events(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		f := strings.SplitN(l, " ", 4)
		for len(f) < 4 {
			f = append(f, "")
		}
		if f[2] == "-" {
			f[2] = ""
		}
		switch f[0] {
		case "output":
			fmt.Fprintf(&b, `{"Action":"output","Package":%q,"Test":%q,"Output":%q}`, f[1], f[2], f[3]+"\n")
		case "attr":
			key, value, _ := strings.Cut(f[3], " ")
			fmt.Fprintf(&b, `{"Action":"attr","Package":%q,"Test":%q,"Key":%q,"Value":%q}`, f[1], f[2], key, value)
		case "artifacts":
			fmt.Fprintf(&b, `{"Action":"artifacts","Package":%q,"Test":%q,"Path":%q}`, f[1], f[2], f[3])
		case "build-output", "build-fail":
			output := ""
			if f[0] == "build-output" {
				output = strings.TrimSpace(f[2]+" "+f[3]) + "\n"
			}
			fmt.Fprintf(&b, `{"ImportPath":%q,"Action":%q,"Output":%q}`, f[1], f[0], output)
		case "raw":
			b.WriteString(strings.TrimPrefix(l, "raw "))
		default:
			fmt.Fprintf(&b, `{"Time":"2026-01-02T03:04:05Z","Action":%q,"Package":%q,"Test":%q,"Elapsed":0.5,"FailedBuild":%q}`, f[0], f[1], f[2], f[3])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func read(t require.TestingT, inputs ...string) *testjson.Run {
	r := testjson.Reader{Note: func(line string) bool { return strings.Contains(line, "note") }}
	for _, in := range inputs {
		_, err := r.Read(strings.NewReader(in))
		require.NoError(t, err)
	}
	return r.Run()
}

// describe says what a run holds, a line each.
func describe(r *testjson.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ok %v, ran %d\n", r.OK(), r.Ran())
	for _, x := range r.Builds {
		fmt.Fprintf(&b, "build %s: %q\n", x.Path, x.Output.String())
	}
	for _, p := range r.Packages {
		fmt.Fprintf(&b, "%s %s: %d passed, %d failed, %d skipped, %d unended", p.Path, p.Result, p.Passed, p.Failed, p.Skipped, p.Unended)
		if p.Cached {
			b.WriteString(", cached")
		}
		if p.FailedBuild != "" {
			b.WriteString(", not built: " + p.FailedBuild)
		}
		if !p.Output.Empty() {
			fmt.Fprintf(&b, ": %q", p.Output.String())
		}
		b.WriteByte('\n')
		for _, t := range p.Tests {
			fmt.Fprintf(&b, "  %s %s %q", t.Name, t.Result, t.Output.String())
			for _, x := range []any{t.Attrs, t.Artifacts, t.Notes} {
				if s := fmt.Sprint(x); s != "[]" {
					b.WriteString(" " + s)
				}
			}
			b.WriteByte('\n')
		}
	}
	if !r.Other.Empty() {
		fmt.Fprintf(&b, "other %q\n", r.Other.String())
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"passes", []string{
			"start p", "run p A", "output p A === RUN   A", "output p A text", "run p A/s", "pass p A/s", "pass p A", "run p B", "skip p B", "output p - ok", "pass p",
		}, `
ok true, ran 2
p passed: 2 passed, 0 failed, 1 skipped, 0 unended
`},
		{"fails", []string{
			"start p", "run p A", "output p A === RUN   A", "run p A/s", "output p A/s     a_test.go:3: broken", "output p A/s     --- FAIL: A/s (0.00s)", "fail p A/s",
			"output p A --- FAIL: A (0.00s)", "fail p A", "run p B", "pass p B", "output p - FAIL", "fail p",
		}, `
ok false, ran 3
p failed: 1 passed, 2 failed, 0 skipped, 0 unended: "FAIL\n"
  A/s failed "    a_test.go:3: broken\n"
  A failed ""
`},
		{"packages interleaved, sorted by path", []string{
			"start q", "start p", "run q A", "run p A", "fail p A", "pass q A", "fail p", "output q - ok  \tq\t(cached)", "pass q",
		}, `
ok false, ran 2
p failed: 0 passed, 1 failed, 0 skipped, 0 unended
  A failed ""
q passed: 1 passed, 0 failed, 0 skipped, 0 unended, cached
`},
		{"what a passing test says is kept", []string{
			"start p", "run p A", "artifacts p A /x", "attr p A k v w", "output p A note this", "output p A not that", "pass p A", "run p B", "attr p B k v", "skip p B", "pass p",
		}, `
ok true, ran 1
p passed: 1 passed, 0 failed, 1 skipped, 0 unended
  A passed "" [{k v w}] [/x] [note this]
  B skipped "" [{k v}]
`},
		{"build fails", []string{
			"build-output b [p.test]", "build-output b [p.test]", "build-fail b", "build-output c warning", "start p", "output p - FAIL", "fail p - b", "start q", "run q A", "pass q A", "pass q",
		}, `
ok false, ran 1
build b: "[p.test]\n[p.test]\n"
p failed: 0 passed, 0 failed, 0 skipped, 0 unended, not built: b: "FAIL\n"
q passed: 1 passed, 0 failed, 0 skipped, 0 unended
`},
		{"a failed build that no package names", []string{"build-fail b", "start q", "run q A", "pass q A", "pass q"}, `
ok false, ran 1
build b: ""
q passed: 1 passed, 0 failed, 0 skipped, 0 unended
`},
		{"no tests", []string{"start p", "output p - ?   \tp\t[no test files]", "skip p"}, `
ok true, ran 0
p skipped: 0 passed, 0 failed, 0 skipped, 0 unended
`},
		{"fails without a failed test", []string{"start p", "run p A", "pass p A", "output p - exit status 3", "fail p"}, `
ok false, ran 1
p failed: 1 passed, 0 failed, 0 skipped, 0 unended: "exit status 3\n"
`},
		{"times out", []string{
			"start p", "run p A", "output p A panic: test timed out after 2s", "run p B", "pause p B", "fail p",
		}, `
ok false, ran 0
p failed: 0 passed, 0 failed, 0 skipped, 2 unended
  A did not end "panic: test timed out after 2s\n"
  B did not end ""
`},
		// syscall.Exit(0) in a test: the go command is content, and gives the end of the package to the test.
		{"leaves early", []string{"start p", "run p A", "pass p A", "run p B", "output p B ok  \tp\t0.003s", "pass p B"}, `
ok false, ran 2
p did not end: 2 passed, 0 failed, 0 skipped, 0 unended
`},
		{"cut short", []string{"start p", "run p A", "pass p A", "run p B", "output p B text", "start q"}, `
ok false, ran 1
p did not end: 1 passed, 0 failed, 0 skipped, 1 unended
  B did not end "text\n"
q did not end: 0 passed, 0 failed, 0 skipped, 0 unended
`},
		{"a package passes though a test has not ended", []string{"start p", "run p A", "pass p"}, `
ok false, ran 0
p failed: 0 passed, 0 failed, 0 skipped, 1 unended
  A did not end ""
`},
		{"a package passes though a test failed", []string{"start p", "run p A", "fail p A", "pass p"}, `
ok false, ran 1
p failed: 0 passed, 1 failed, 0 skipped, 0 unended
  A failed ""
`},
		{"benchmarks have no end", []string{"start p", "run p BenchmarkA", "run p BenchmarkA/x", "output p BenchmarkA/x BenchmarkA/x-2 1 1 ns/op", "pass p"}, `
ok true, ran 0
p passed: 0 passed, 0 failed, 0 skipped, 0 unended
`},
		{"a benchmark in a package that fails", []string{"start p", "run p BenchmarkA", "output p BenchmarkA panic: x", "fail p"}, `
ok false, ran 0
p failed: 0 passed, 0 failed, 0 skipped, 1 unended
  BenchmarkA did not end "panic: x\n"
`},
		{"repeated, and failed once", []string{"start p", "run p A", "fail p A", "run p A", "pass p A", "fail p", "start p", "run p A", "pass p A", "pass p"}, `
ok false, ran 3
p failed: 2 passed, 1 failed, 0 skipped, 0 unended
  A failed ""
`},
		{"repeated, and the second time cut short", []string{"start p", "run p A", "pass p A", "pass p", "start p"}, `
ok false, ran 1
p did not end: 1 passed, 0 failed, 0 skipped, 0 unended
`},
		{"failed, and the second time cut short", []string{"start p", "fail p", "start p"}, `
ok false, ran 0
p did not end: 0 passed, 0 failed, 0 skipped, 0 unended
`},
		{"failed, and the second time without tests", []string{"start p", "fail p", "skip p"}, `
ok false, ran 0
p failed: 0 passed, 0 failed, 0 skipped, 0 unended
`},
		{"lines that are no events", []string{
			"raw go: downloading example.com/x v1.0.0", "raw ", "raw {}", "raw {\"action", "raw {\"Time\":\"x\"}", "raw [1]", "start p", "raw \x1b[31mred", "run p A", "pass p A", "pass p", "raw text",
		}, `
ok true, ran 1
p passed: 1 passed, 0 failed, 0 skipped, 0 unended
other "go: downloading example.com/x v1.0.0\n{}\n{\"action\n{\"Time\":\"x\"}\n[1]\n\x1b[31mred\ntext\n"
`},
		{"one binary, whose events name no package", []string{`raw {"Action":"start"}`, `raw {"Action":"run","Test":"A"}`, `raw {"Action":"pass","Test":"A"}`, `raw {"Action":"pass"}`}, `
ok true, ran 1
 passed: 1 passed, 0 failed, 0 skipped, 0 unended
`},
		{"events of later versions", []string{"start p", "telepathy p A", "run p A", "pass p A", "telepathy p", "pass p"}, `
ok true, ran 1
p passed: 1 passed, 0 failed, 0 skipped, 0 unended
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, strings.TrimPrefix(tt.want, "\n"), describe(read(t, events(tt.events...))))
		})
	}
}

// Several inputs are several runs; none makes up for another.
func TestReadSeveral(t *testing.T) {
	t.Parallel()
	pass, cut := events("start p", "run p A", "pass p A", "pass p"), events("start p", "run p A")
	assert.Equal(t, "ok true, ran 2\np passed: 2 passed, 0 failed, 0 skipped, 0 unended\n", describe(read(t, pass, pass)))
	for _, inputs := range [][]string{{pass, cut}, {cut, pass}} {
		run := read(t, inputs...)
		assert.False(t, run.OK())
		assert.Equal(t, 1, run.Packages[0].Unended)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	run := read(t, events("start p", "run p A", "run p A/b", "run p A/b/c", "output p A/b/c x", "fail p A/b/c", "output p A/b own words", "fail p A/b", "fail p A",
		"run p D", "fail p D", "run p E", "attr p E k v", "pass p E", "run p F", "fail p"))
	var names []string
	for _, x := range run.Packages[0].Failures() {
		names = append(names, x.Name)
	}
	assert.Equal(t, []string{"A/b/c", "A/b", "D", "F"}, names)
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "\n\n", "ok  \tp\t0.1s\n", "{}\n", "null\n", `"Action"` + "\n"} {
		var r testjson.Reader
		n, err := r.Read(strings.NewReader(in))
		require.NoError(t, err)
		assert.Zero(t, n, "%q", in)
		assert.Zero(t, r.Run().Ran())
	}
	var r testjson.Reader
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(events("start p", "run p A", "pass p A", "pass p", "start q")), iotest.ErrReader(broken))
	n, err := r.Read(in)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, 5, n)
	assert.False(t, r.Run().OK(), "what was cut off has not ended")
}

// A line that was to be an event and is none is an error: it may be the one that says
// that something failed.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	pass := events("start p", "run p A", "pass p A", "pass p")
	const mend = "; keep all that go test -json writes, and only that"
	for _, tt := range []struct{ in, want string }{
		{pass + "{", "line 5 is an event that is cut off or broken (1 such line)" + mend},
		{pass + "{}", "line 5 is an event that is cut off or broken (1 such line)" + mend},
		{pass + `{"Time":"2026-01-02T03:04:05Z","Action":"start","Package":"ex.test/sum/`, "line 5 is an event that is cut off or broken (1 such line)" + mend},
		{`{"Time":"20` + pass, "line 1 is an event that is cut off or broken (1 such line)" + mend},
		{`{"Action":3}` + "\n" + pass + `{"ImportPath":"x` + "\n\n", "line 1 is an event that is cut off or broken (2 such lines)" + mend},
		{`{"Action":"output","Output":"` + strings.Repeat("x", 2<<20) + "\"}\n" + pass, "line 1 is an event that is cut off or broken (1 such line)" + mend},
		{pass, ""},
		{strings.TrimSuffix(pass, "\n"), ""},
		{pass + "text without an end", ""},
		{pass + "{ \n", ""},
		{`x{"Time":` + "\n" + pass, ""},
	} {
		var r testjson.Reader
		n, err := r.Read(strings.NewReader(tt.in))
		if tt.want == "" {
			require.NoError(t, err, "%.200q", tt.in)
			assert.Equal(t, 4, n)
		} else {
			require.EqualError(t, err, tt.want, "%.200q", tt.in)
		}
	}
}

// A line of any length is read; one that is too long is cut and no event.
func TestReadLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	run := read(t, events("start p", "run p A", "output p A "+long, "fail p A", "raw {"+strings.Repeat("y", 3<<20), "fail p"))
	text := run.Packages[0].Tests[0].Output.String()
	assert.Less(t, len(text), 50_000)
	assert.Contains(t, text, " bytes left out]\n")
	assert.Equal(t, 1, run.Packages[0].Failed)
	assert.Less(t, len(run.Other.String()), 50_000)
}

// What passing tests print is not kept, and what failing ones print only up to a
// bound.
func TestMemory(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	go func() {
		for i := range 600 {
			action := []string{"pass", "fail"}[i%2]
			for range 4 {
				fmt.Fprintf(w, `{"Action":"output","Package":"p","Test":"T%d","Output":%q}`+"\n", i, strings.Repeat("x", 16<<10))
			}
			fmt.Fprintf(w, `{"Action":%q,"Package":"p","Test":"T%d"}`+"\n", action, i)
		}
		w.Close()
	}()
	var reader testjson.Reader
	n, err := reader.Read(r)
	require.NoError(t, err)
	assert.Equal(t, 600*5, n)
	run := reader.Run()
	kept := 0
	for _, x := range run.Packages[0].Tests {
		kept += len(x.Output.String())
	}
	assert.Len(t, run.Packages[0].Tests, 300)
	assert.Greater(t, kept, 7<<20)
	assert.Less(t, kept, 9<<20, "of %d", 300*4*16<<10)
	assert.Contains(t, run.Packages[0].Tests[299].Output.String(), "[65536 bytes left out]")
}

// The beginning and the end of a text are kept, whatever the pieces it came in.
func TestTextProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.IntRange(0, 40_000), 1, 6).Draw(t, "pieces")
		var all strings.Builder
		lines := []string{"start p", "run p A"}
		for i, n := range pieces {
			piece := strings.Repeat(string(rune('a'+i)), n)
			all.WriteString(piece + "\n")
			lines = append(lines, "output p A "+piece)
		}
		got := read(t, events(append(lines, "fail p A", "fail p")...)).Packages[0].Tests[0].Output
		head, tail, cut := strings.Cut(got.String(), " bytes left out]\n")
		if !cut {
			require.Equal(t, all.String(), got.String())
			return
		}
		head = head[:strings.LastIndex(head, "[")-1]
		require.True(t, strings.HasPrefix(all.String(), head))
		require.True(t, strings.HasSuffix(all.String(), tail))
		require.GreaterOrEqual(t, len(head), 16<<10-1)
		require.GreaterOrEqual(t, len(tail), 16<<10)
	})
}

// A run that is cut off within an event is not whole, and neither is one cut off
// between the events of a package.
func TestCutShort(t *testing.T) {
	t.Parallel()
	all := events("start p", "start q", "run p A", "output p A x", "run q B", "pass p A", "pass p", "pass q B", "pass q")
	require.True(t, read(t, all).OK())
	for n := len(all) - 2; n > 0; n-- {
		var r testjson.Reader
		_, err := r.Read(strings.NewReader(all[:n]))
		if run := r.Run(); err == nil && run.OK() {
			t.Fatalf("passes though it ends after %q", all[:n])
		}
	}
}

// A run that fails never passes, wherever it is cut off, unless that is between two
// packages.
func TestCutShortProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all strings.Builder
		whole := map[int]bool{0: true}
		packages := rapid.IntRange(1, 4).Draw(t, "packages")
		bad := rapid.IntRange(0, packages-1).Draw(t, "bad")
		for i := range packages {
			p, result := fmt.Sprintf("ex.test/sum/%d", i), "pass"
			if i == bad {
				result = "fail"
			}
			all.WriteString(events("start "+p, "run "+p+" A", "output "+p+" A "+rapid.String().Draw(t, "output"), result+" "+p+" A", "output "+p+" - "+result, result+" "+p))
			whole[all.Len()-1], whole[all.Len()] = i < bad, i < bad
		}
		n := rapid.IntRange(1, all.Len()).Draw(t, "cut")
		var r testjson.Reader
		_, err := r.Read(strings.NewReader(all.String()[:n]))
		require.Equal(t, whole[n], err == nil && r.Run().OK(), "%q", all.String()[:n])
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(events("start p", "run p A", "output p A note", "attr p A k v", "artifacts p A /x", "fail p A", "output p - FAIL", "fail p - b", "build-output b x", "build-fail b")))
	f.Add([]byte("{\"Action\":3}\n{\"Action\":\"pass\"}\n{\"Time\":"))
	f.Add([]byte("{\"Action\":\"start\"}\r\ntext\n{\"Action\":\"pass\"}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := testjson.Reader{Note: func(line string) bool { return len(line)%2 == 0 }}
		n, err := r.Read(strings.NewReader(string(in)))
		run := r.Run()
		if err != nil && !strings.Contains(err.Error(), "cut off or broken") || n == 0 && len(run.Packages)+len(run.Builds) > 0 {
			t.Fatalf("%d events, error %v:\n%s", n, err, describe(run))
		}
		again := testjson.Reader{Note: r.Note}
		_, errAgain := again.Read(iotest.OneByteReader(strings.NewReader(string(in))))
		if a, b := fmt.Sprint(describe(run), err), fmt.Sprint(describe(again.Run()), errAgain); a != b {
			t.Fatalf("read in single bytes it is\n%s\nand not\n%s", b, a)
		}
		failures := 0
		for _, p := range run.Packages {
			for _, x := range p.Tests {
				if x.Result == testjson.Failed || x.Result == testjson.Unended {
					failures++
				}
			}
			if p.Failed+p.Unended != failures || failures > 0 && run.OK() {
				t.Fatalf("%d failures, %d counted: %s", failures, p.Failed+p.Unended, describe(run))
			}
			failures = 0
		}
	})
}

// BenchmarkRead reads the events of passing tests that print a little.
func BenchmarkRead(b *testing.B) {
	var lines []string
	for i := range 2000 {
		name := fmt.Sprintf("TestA/case_%d", i)
		lines = append(lines, "run p "+name, "output p "+name+" === RUN   "+name, "output p "+name+"     a_test.go:3: what the test has to say", "output p "+name+" --- PASS: "+name+" (0.00s)", "pass p "+name)
	}
	text := events(append(lines, "pass p")...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if r := read(b, text); r.Ran() != 2000 {
			b.Fatalf("%d tests", r.Ran())
		}
	}
}
