package lines_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/lines"
)

type line struct {
	N    int
	Text string
}

func collect(b lines.Block) (ls []line) {
	if len(b.Data) == 0 {
		panic("an empty block")
	}
	if n := strings.Count(strings.TrimSuffix(string(b.Data), "\n"), "\n") + 1; b.Lines != n {
		panic(fmt.Sprintf("%d lines in a block of %d", b.Lines, n))
	}
	for n, text := range b.All() {
		ls = append(ls, line{n, string(text)})
	}
	return ls
}

// read gives all lines by Parse with small blocks.
func read(r io.Reader, size, workers int) (ls []line, err error) {
	err = lines.ParseSized(r, size, 1<<20, workers, collect, func(part []line) error {
		ls = append(ls, part...)
		return nil
	})
	return ls, err
}

// plain gives all lines in the simplest way.
func plain(text string) (ls []line) {
	sc := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
	sc.Buffer(nil, 64<<20)
	for n := 1; sc.Scan(); n++ {
		if strings.Trim(sc.Text(), " \t\r") != "" {
			ls = append(ls, line{n, sc.Text()})
		}
	}
	return ls
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []line
	}{
		{"nothing", "", nil},
		{"only an end", "\n", nil},
		{"one line", "a\n", []line{{1, "a"}}},
		{"no final end", "a\nb", []line{{1, "a"}, {2, "b"}}},
		{"crlf", "a\r\nb\r\n", []line{{1, "a"}, {2, "b"}}},
		{"one cr is the end's", "a\r\r\nb\rc\n", []line{{1, "a\r"}, {2, "b\rc"}}},
		{"final cr", "a\r", []line{{1, "a"}}},
		{"blank lines count", "\n \t\r\na\n\r\n\nb\n", []line{{3, "a"}, {6, "b"}}},
		{"spaces stay", " a \n", []line{{1, " a "}}},
		{"other space is no blank", "\v\n\u00A0\n", []line{{1, "\v"}, {2, "\u00A0"}}},
		{"bom", "\uFEFFa\nb\n", []line{{1, "a"}, {2, "b"}}},
		{"bom alone", "\uFEFF", nil},
		{"bom and blank", "\uFEFF\r\na", []line{{2, "a"}}},
		{"half a bom", "\xEF\xBB", []line{{1, "\xEF\xBB"}}},
		{"bom later", "a\n\uFEFFb\n", []line{{1, "a"}, {2, "\uFEFFb"}}},
		{"second bom", "\uFEFF\uFEFFa", []line{{1, "\uFEFFa"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size < 12; size++ {
				got, err := read(strings.NewReader(test.text), size, 2)
				require.NoError(t, err)
				require.Empty(t, cmp.Diff(test.want, got), "block size %d (-want +got)", size)
			}
		})
	}
}

func TestParseEqualsScanner(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r", " ", "a", "bc", "\u00E9", "\uFEFF", "longer than a block"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		size := rapid.IntRange(4, 40).Draw(t, "size")
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		r := rapid.SampledFrom([]func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r },
			iotest.OneByteReader,
			iotest.HalfReader,
			iotest.DataErrReader,
		}).Draw(t, "reader")(strings.NewReader(text))
		got, err := read(r, size, workers)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plain(text), got); d != "" {
			t.Fatalf("lines differ (-want +got):\n%s", d)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("a\nb\r\n\n \r\nc", 4, 2)
	f.Add("\uFEFFa\n"+strings.Repeat("long ", 20)+"\nb", 7, 1)
	f.Add("\xFF\xFEa\x00", 5, 1)
	f.Fuzz(func(t *testing.T, text string, size, workers int) {
		size, workers = 4+size&0xff, 1+workers&3
		got, err := read(strings.NewReader(text), size, workers)
		if strings.HasPrefix(text, "\xFF\xFE") || strings.HasPrefix(text, "\xFE\xFF") {
			require.ErrorContains(t, err, "UTF-16")
			require.Empty(t, got)
			return
		}
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(plain(text), got), "(-want +got)")
	})
}

// Not parallel: it sets GOMAXPROCS.
func TestParseWhateverGOMAXPROCS(t *testing.T) {
	var text bytes.Buffer
	for i := range 50_000 { // several blocks
		fmt.Fprintf(&text, "q%d %*d\n", i, i%140, i)
	}
	want := plain(text.String())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		var got []line
		blocks := 0
		err := lines.Parse(bytes.NewReader(text.Bytes()), collect, func(ls []line) error {
			got = append(got, ls...)
			blocks++
			return nil
		})
		require.NoError(t, err)
		require.Greater(t, blocks, 2)
		require.True(t, slices.Equal(want, got), "lines differ under GOMAXPROCS %d", procs)
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 5<<20/16)
	text := "a\n" + long + "\nb\n" + long
	var got []line
	err := lines.Parse(strings.NewReader(text), collect, func(ls []line) error {
		got = append(got, ls...)
		return nil
	})
	require.NoError(t, err)
	require.True(t, slices.Equal([]line{{1, "a"}, {2, long}, {3, "b"}, {4, long}}, got))
}

func TestLineLimit(t *testing.T) {
	t.Parallel()
	const limit = 100
	parse := func(length int, end string) (n int, err error) {
		text := "a\n\n" + strings.Repeat("x", length) + end
		err = lines.ParseSized(strings.NewReader(text), 8, limit, 1, collect, func(ls []line) error {
			n += len(ls)
			return nil
		})
		return n, err
	}
	for _, end := range []string{"", "\n", "\nb\n"} {
		n, err := parse(limit, end)
		require.NoError(t, err)
		require.Equal(t, 2+strings.Count(end, "b"), n)

		n, err = parse(limit+1, end)
		var readErr *lines.ReadError
		require.ErrorAs(t, err, &readErr)
		assert.Equal(t, 2, readErr.Line)
		assert.Equal(t, "cannot read beyond line 2: the next line is longer than 100 bytes; look what it holds; write one record on each line", err.Error())
		assert.Equal(t, 1, n, "the lines before are merged")
	}
}

func TestUTF16(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\xFF\xFEa\x00\n\x00", "\xFE\xFF\x00a\x00\n", "\xFF\xFE"} {
		got, err := read(strings.NewReader(text), 4, 1)
		require.ErrorContains(t, err, "the text is UTF-16, not UTF-8")
		require.Empty(t, got)
	}
	_, err := read(strings.NewReader("\xFF"), 4, 1)
	require.NoError(t, err, "one byte is no mark; whoever parses the line refuses it")
}

func TestReadError(t *testing.T) {
	t.Parallel()
	fault := errors.New("cable pulled")
	for _, test := range []struct {
		text  string
		lines int
	}{
		{"", 0},
		{"a", 0},
		{"a\n", 1},
		{"a\n\nb", 2},
		{"\uFEFFa\n\nb\nccccccccccccccccccccccccccc", 3},
	} {
		for size := 4; size < 12; size++ {
			got, err := read(io.MultiReader(strings.NewReader(test.text), iotest.ErrReader(fault)), size, 2)
			var readErr *lines.ReadError
			require.ErrorAs(t, err, &readErr)
			require.ErrorIs(t, err, fault)
			require.Equal(t, test.lines, readErr.Line)
			whole := test.text[:strings.LastIndexByte(test.text, '\n')+1]
			require.Empty(t, cmp.Diff(plain(whole), got), "whole lines, and only those (-want +got)")
		}
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestReaderWithoutProgress(t *testing.T) {
	t.Parallel()
	_, err := read(idleReader{}, 4, 1)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

// endless yields lines for ever and counts the bytes.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		if p[i] = 'x'; e.n%7 == 6 {
			p[i] = '\n'
		}
		e.n++
	}
	return len(p), nil
}

func TestMergeErrorStops(t *testing.T) {
	t.Parallel()
	fault := errors.New("enough")
	for workers := 1; workers <= 3; workers++ {
		synctest.Test(t, func(t *testing.T) { // fails if goroutines stay behind
			var running, parsed atomic.Int32
			merged := 0
			err := lines.ParseSized(new(endless), 64, 1000, workers,
				func(b lines.Block) int {
					running.Add(1)
					defer running.Add(-1)
					time.Sleep(time.Second)
					parsed.Add(1)
					return b.Line
				},
				func(int) error {
					if merged++; merged == 5 {
						return fault
					}
					return nil
				})
			require.Equal(t, fault, err)
			require.Equal(t, 5, merged)
			require.Zero(t, running.Load(), "Parse returned before its workers")
			require.LessOrEqual(t, parsed.Load(), int32(4+2*workers), "blocks were parsed in vain")
		})
	}
}

func TestMergePanicLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		require.PanicsWithValue(t, "merge", func() {
			_ = lines.ParseSized(new(endless), 64, 1000, 2, collect, func([]line) error { panic("merge") })
		})
	})
}

func TestBoundedMemory(t *testing.T) {
	t.Parallel()
	const size, workers = 64, 3
	synctest.Test(t, func(t *testing.T) {
		in := new(endless)
		merged := 0
		_ = lines.ParseSized(in, size, 1000, workers,
			func(b lines.Block) int { return len(b.Data) },
			func(n int) error {
				synctest.Wait() // until every other goroutine waits for this one
				require.LessOrEqual(t, in.n-merged, (2*workers+2)*size)
				if merged += n; merged > 100*size {
					return errors.New("enough")
				}
				return nil
			})
	})
}

func TestAllStopsEarly(t *testing.T) {
	t.Parallel()
	for n, text := range (lines.Block{Data: []byte("a\nb\nc\n"), Line: 7}).All() {
		if n == 8 {
			require.Equal(t, "b", string(text))
			return
		}
	}
	t.Fatal("line 8 not found")
}

// Neither a block nor a line must be able to grow over its neighbour.
func TestCapacityLimited(t *testing.T) {
	t.Parallel()
	err := lines.ParseSized(strings.NewReader("a\nbb\nccc\ndd"), 6, 100, 1,
		func(b lines.Block) int { return cap(b.Data) - len(b.Data) },
		func(spare int) error { assert.Zero(t, spare); return nil })
	require.NoError(t, err)
	b := lines.Block{Data: []byte("a\r\nb\n"), Line: 1}
	for _, text := range b.All() {
		_ = append(text, "zz"...)
	}
	require.Equal(t, "a\r\nb\n", string(b.Data))
}
