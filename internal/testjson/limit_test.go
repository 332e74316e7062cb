package testjson_test

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/testjson"
)

// generated reads what write writes, and returns what was read and how much memory it
// takes.
func generated(write func(w io.Writer)) (run *testjson.Run, bytes int64, err error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 64<<10)
		write(b)
		b.Flush()
		w.Close()
	}()
	var reader testjson.Reader
	_, err = reader.Read(r)
	r.Close() // so that a writer whose events are refused ends
	runtime.GC()
	runtime.ReadMemStats(&after)
	return reader.Run(), int64(after.HeapAlloc) - int64(before.HeapAlloc), err
}

func write(w io.Writer, action, test, rest string) {
	fmt.Fprintf(w, `{"Action":%q,"Package":"p","Test":%q%s}`+"\n", action, test, rest)
}

// Tests that pass cost nothing, however many names they have. Not parallel: it
// measures memory.
func TestManyTestsPass(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	const n = 400_000
	run, held, err := generated(func(w io.Writer) {
		write(w, "run", "TestAll", "")
		for i := range n {
			name := fmt.Sprintf("TestAll/%d", i)
			write(w, "output", name, `,"Output":"seen\n"`)
			write(w, "pass", name, "")
		}
		write(w, "pass", "TestAll", "")
		fmt.Fprintln(w, `{"Action":"pass","Package":"p"}`)
	})
	require.NoError(t, err)
	assert.Equal(t, n+1, run.Packages[0].Passed)
	assert.Empty(t, run.Packages[0].Tests)
	assert.Less(t, held, int64(8<<20))
}

// What is kept has a limit, whatever it is, and so has memory.
func TestManyEventsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of megabytes of events")
	}
	long := strings.Repeat("x", 50<<10)
	for name, one := range map[string]func(w io.Writer, i int){
		"tests that have not ended": func(w io.Writer, i int) { write(w, "run", fmt.Sprint("Test", i), "") },
		"tests that fail": func(w io.Writer, i int) {
			write(w, "output", fmt.Sprint("Test", i), `,"Output":"seen\n"`)
			write(w, "fail", fmt.Sprint("Test", i), "")
		},
		"tests that say something": func(w io.Writer, i int) {
			write(w, "attr", fmt.Sprint("Test", i), fmt.Sprintf(`,"Key":"k","Value":%q`, long))
			write(w, "pass", fmt.Sprint("Test", i), "")
		},
		"folders": func(w io.Writer, i int) {
			write(w, "artifacts", "Test", fmt.Sprintf(`,"Path":%q`, fmt.Sprint(i, long)))
		},
		"long names": func(w io.Writer, i int) { write(w, "run", fmt.Sprint("Test", i, "/", long), "") },
		"packages":   func(w io.Writer, i int) { fmt.Fprintf(w, `{"Action":"pass","Package":"p%d"}`+"\n", i) },
		"builds":     func(w io.Writer, i int) { fmt.Fprintf(w, `{"ImportPath":"p%d","Action":"build-fail"}`+"\n", i) },
	} {
		t.Run(name, func(t *testing.T) {
			run, held, err := generated(func(w io.Writer) {
				for i := range 10_000_000 {
					if name == "folders" && i%100 == 0 {
						write(w, "pass", "Test", "")
					}
					one(w, i)
					if _, err := w.Write(nil); err != nil {
						return
					}
				}
			})
			var over *limit.Error
			require.ErrorAs(t, err, &over)
			assert.Regexp(t, `^line \d+: the tests and packages until here that failed, have not ended or said something take more than 64 MiB; test fewer packages at once$`, err.Error())
			assert.Less(t, held, int64(3*limit.Events))
			if name != "packages" { // those that passed before have
				assert.False(t, run.OK())
			}
			t.Logf("%d MiB", held>>20)
		})
	}
}

// Tests that run may print what they like: it is dropped in time.
func TestManyTestsPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	const n = 40_000
	text := strings.Repeat("x", 4<<10) // of each: 160 MiB
	run, held, err := generated(func(w io.Writer) {
		for i := range n {
			write(w, "output", fmt.Sprint("Test", i), fmt.Sprintf(`,"Output":%q`, text))
		}
		for i := range n {
			write(w, []string{"pass", "fail"}[i/(n-1)], fmt.Sprint("Test", i), "")
		}
	})
	require.NoError(t, err)
	p := run.Packages[0]
	assert.Equal(t, n-1, p.Passed)
	require.Len(t, p.Tests, 1)
	assert.Contains(t, p.Tests[0].Output.String(), "[4096 bytes left out]")
	assert.Less(t, held, int64(limit.Events/2))
}

// However many slashes a name has, a hundred are looked at.
func TestAbove(t *testing.T) {
	t.Parallel()
	above := func(name string) (out []string) {
		for a := range (&testjson.Test{Name: name}).Above() {
			out = append(out, a)
		}
		return out
	}
	assert.Equal(t, []string{"A/b", "A"}, above("A/b/c"))
	assert.Empty(t, above("A"))
	assert.Len(t, above(strings.Repeat("a/", 100)+"a"), 100)
	assert.Len(t, above(strings.Repeat("a/", 101)+"a"), 100)
}
