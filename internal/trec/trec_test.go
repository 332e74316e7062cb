package trec_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/trec"
)

func TestReadQrels(t *testing.T) {
	t.Parallel()
	var ids intern.Table
	ids.AddString("a")
	q, err := trec.ReadQrels("q", strings.NewReader("q2 0 b 1\nq10 0 x -1\nq2 0 a +2\nq2 0 B 0\nq10 Q0 d10 3\n"), &ids)
	require.NoError(t, err)
	assert.Equal(t, &trec.Qrels{
		Queries: []string{"q10", "q2"},
		Docs:    [][]uint32{{4, 2}, {3, 0, 1}},
		Grades:  [][]int32{{3, -1}, {0, 2, 1}},
	}, q)
	assert.Equal(t, []string{"a", "b", "x", "B", "d10"}, texts(&ids, []uint32{0, 1, 2, 3, 4}))
}

func TestReadRun(t *testing.T) {
	t.Parallel()
	const file = "q2 Q0 a 1 0.5 t\nq1 Q0 c 9 1 t\nq2 Q0 b 3 0.5 t\nq2 Q0 c 2 7 t\nq1 Q0 a 7 2 t\n"
	for _, tt := range []struct {
		order  trec.Order
		docs   [][]string
		scores [][]float64
	}{
		{trec.ByScore, [][]string{{"a", "c"}, {"c", "b", "a"}}, [][]float64{{2, 1}, {7, 0.5, 0.5}}},
		{trec.ByRank, [][]string{{"a", "c"}, {"a", "c", "b"}}, [][]float64{{2, 1}, {0.5, 7, 0.5}}},
	} {
		r, err := trec.ReadRun("r", strings.NewReader(file), tt.order)
		require.NoError(t, err)
		assert.Equal(t, []string{"q1", "q2"}, r.Queries)
		assert.Equal(t, tt.scores, r.Scores)
		assert.Equal(t, tt.docs, [][]string{texts(r.IDs, r.Docs[0]), texts(r.IDs, r.Docs[1])})
		var ids []string
		for sym := range r.IDs.Len() {
			ids = append(ids, r.IDs.String(uint32(sym)))
		}
		assert.Equal(t, []string{"a", "c", "b"}, ids)
	}
}

// TestTies has the order of trec_eval: ids compare as bytes, and descend.
func TestTies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		want       []string
	}{
		{"by bytes, not numbers", "1 0 d10 1 1.0 t\n1 0 d2 2 1 t\n1 0 d9 3 1e0 t\n", []string{"d9", "d2", "d10"}},
		{"case counts", "1 0 a 1 1 t\n1 0 B 2 1 t\n", []string{"a", "B"}},
		{"a prefix is less", "1 0 ab 1 1 t\n1 0 abc 2 1 t\n", []string{"abc", "ab"}},
		{"by bytes beyond ASCII", "1 0 \u00e9 1 1 t\n1 0 z 2 1 t\n1 0 \U0001F600 2 1 t\n1 0 \uFFFD 2 1 t\n", []string{"\U0001F600", "\uFFFD", "\u00e9", "z"}},
		{"-0 equals 0", "1 0 a 1 0 t\n1 0 b 2 -0 t\n1 0 c 3 0.0 t\n", []string{"c", "b", "a"}},
		{"doubles, not floats", "1 0 b 1 0.10000000001 t\n1 0 a 2 0.10000000002 t\n", []string{"a", "b"}},
		{"infinities tie", "1 0 a 1 inf t\n1 0 b 2 1e999 t\n1 0 c 3 9e307 t\n1 0 d 4 -inf t\n", []string{"b", "a", "c", "d"}},
	} {
		l, err := read(tt.file, runByScore)
		require.NoError(t, err, tt.name)
		assert.Equal(t, [][]string{tt.want}, l.Docs, tt.name)
	}
}

// TestLayout has files that say the same as the first of their kind.
func TestLayout(t *testing.T) {
	t.Parallel()
	for k, files := range map[kind][]string{
		qrels: {
			"q 0 a 1\nq 0 b 2\n",
			"q 0 a 1\nq 0 b 2",
			"\xEF\xBB\xBFq 0 a 1\r\nq 0 b 2\r\n",
			"\n \t\n\v\nq\t0   a \t1\n\r\n\r\n  q 0 b 2 \t\n\n",
			"q iteration a 01\nq \xff b +2\n",
		},
		runByScore: {
			"q Q0 a 1 2 t\nq Q0 b 2 1 t\n",
			"q Q0 b 2 1 t\nq Q0 a 1 2 t",
			"\xEF\xBB\xBFq Q0 a 1 2 t\r\nq Q0 b 2 1 t\r\n",
			"\n \f\nq\t0   a \t1  2 t\n\r\n\r\n  q 0 b 2 \t1   t \t\n\n",
			"q \xff a x 2.0 t \xff\nq 0 b x 1 t further fields, any \xff\n",
			"q 0 a 5 2 t\nq 0 b 5 1 t\n",
		},
		runByRank: {
			"q Q0 a 1 2 t\nq Q0 b 2 1 t\n",
			"q Q0 b 2 1 t\nq Q0 a 1 2 t",
			"q Q0 a -7 2 t\nq Q0 b +0 1 t\n",
		},
	} {
		want, err := read(files[0], k)
		require.NoError(t, err)
		for _, file := range files[1:] {
			got, err := read(file, k)
			require.NoError(t, err, "%q", file)
			assert.Empty(t, cmp.Diff(want, got), "%q", file)
		}
	}
}

// TestScores has what C's strtod reads to the end, and what it does not.
func TestScores(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0": 0, "-0": 0, "+0.0": 0, "-0e5": 0, "1": 1, "+1": 1, "-1.5": -1.5, "1.": 1, ".5": 0.5, "-.5e1": -5,
		"1e3": 1000, "1E+3": 1000, "25e-1": 2.5, "007": 7,
		"0x10": 16, "0X1F": 31, "-0x.8": -0.5, "0x1.8p3": 12, "0x1P-1": 0.5, "0x1.": 1, "-0x0": 0,
		"inf": math.Inf(1), "+INF": math.Inf(1), "-inf": math.Inf(-1), "Infinity": math.Inf(1), "-INFINITY": math.Inf(-1),
		"1e999": math.Inf(1), "-1e999": math.Inf(-1), "0x1p99999": math.Inf(1), "1e-999": 0, "-1e-999": 0,
		"0.1":                         0.1,
		"9007199254740993":            9007199254740992, // 2^53+1 rounds to even
		"9007199254740995":            9007199254740996,
		"900719925474099.3":           900719925474099.25,
		"18446744073709551616":        1 << 64,
		"12345678901234567890123":     12345678901234567890123,
		"0.00000000000000000001":      1e-20,
		"0.0000000000000000000000003": 3e-25,
		"123456789012345678e-17":      1.23456789012345678,
		"4.9e-324":                    math.SmallestNonzeroFloat64,
		"17976931348623157e292":       math.MaxFloat64,
	} {
		l, err := read("q 0 d 1 "+text+" t\n", runByScore)
		if assert.NoError(t, err, text) {
			// Bits, so that -0 shows.
			assert.Equal(t, math.Float64bits(want), math.Float64bits(l.Scores[0][0]), text)
		}
	}
	for _, text := range []string{
		"x", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1.5.2", "1,5", "1_000", "0x", "0x.", "0xp1", "0x1p", "0x1_0", "0x_1p0", "0xg",
		"--1", "+-1", "1f", "1 000", "infin", "in", "1e5.0", "0b1", "0o7", "\u0661", "i\u00f1f",
	} {
		// Only the first field of "1 000" is the score, so give it a line of its own.
		if strings.Contains(text, " ") {
			continue
		}
		for _, k := range []kind{runByScore, runByRank} {
			_, err := read("q 0 d 1 "+text+" t\n", k)
			assert.ErrorContains(t, err, "f:1: score "+strconv.Quote(text)+" is not a number", text)
		}
	}
	for _, text := range []string{"nan", "NaN", "-nan", "+NAN", "nan()", "nan(0x7f_a)"} {
		for _, k := range []kind{runByScore, runByRank} {
			_, err := read("q 0 d 1 "+text+" t\n", k)
			assert.ErrorContains(t, err, "f:1: a NaN score has no order: ", text)
		}
	}
	for _, text := range []string{"nano", "nan(", "nan)", "nan(-)"} {
		_, err := read("q 0 d 1 "+text+" t\n", runByScore)
		assert.ErrorContains(t, err, "is not a number", text)
	}
}

// TestDecimals compares with strconv, bit by bit.
func TestDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[+-]?[0-9]{1,25}(\.[0-9]{0,25})?`),
			rapid.StringMatching(`[0-9]{1,8}\.[0-9]{8,11}`),
			rapid.StringMatching(`[+-]?0\.0{0,10}[0-9]{1,18}`),
			rapid.Custom(func(t *rapid.T) string {
				return strconv.FormatFloat(rapid.Float64().Draw(t, "x"), 'f', rapid.IntRange(-1, 20).Draw(t, "decimals"), 64)
			}),
		).Draw(t, "text")
		want, _ := strconv.ParseFloat(text, 64)
		l, err := read("q 0 d 1 "+text+" t", runByScore)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(want+0), math.Float64bits(l.Scores[0][0]))
	})
}

func TestGrades(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{
		"0": 0, "-0": 0, "+1": 1, "-1": -1, "007": 7, "0000000000000000000000000000002": 2,
		"2147483647": math.MaxInt32, "-2147483648": math.MinInt32,
	} {
		l, err := read("q 0 d "+text, qrels)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, l.Grades[0][0], text)
		}
	}
	for text, want := range map[string]string{
		"1.5": "is not an integer", "1.0": "is not an integer", "1e3": "is not an integer", "0x1": "is not an integer", "inf": "is not an integer",
		"x": "is not a number", "-": "is not a number", "+": "is not a number", "1-": "is not a number", "nan": "is not a number", "1_0": "is not a number",
		"2147483648": "does not fit into 32 bits", "-2147483649": "does not fit into 32 bits", "99999999999999999999999": "does not fit into 32 bits", "18446744073709551617": "does not fit into 32 bits",
	} {
		_, err := read("q 0 d "+text, qrels)
		assert.ErrorContains(t, err, "f:1: grade "+strconv.Quote(text)+" "+want, text)
		_, err = read("q 0 d "+text+" 1 t", runByRank)
		assert.ErrorContains(t, err, "f:1: rank "+strconv.Quote(text)+" "+want, text)
		_, err = read("q 0 d "+text+" 1 t", runByScore)
		assert.NoError(t, err, text)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		name string
		kind kind
		file string
		want string
	}{
		{"no line", qrels, "", "f: the file is empty; a qrels line is: query iteration doc grade"},
		{"only blank lines", runByScore, "\n \t\r\n\v\n", "f: the file is empty; a run line is: query Q0 doc rank score tag"},
		{"only a byte order mark", runByRank, "\xEF\xBB\xBF", "f: the file is empty; a run line is: query Q0 doc rank score tag"},
		{"too few fields in qrels", qrels, "\nq 0 d\n", "f:2: the number of fields is 3, not 4; a qrels line is: query iteration doc grade"},
		{"one field", qrels, "q\n", "f:1: the number of fields is 1, not 4; a qrels line is: query iteration doc grade"},
		{"two fields", runByScore, "q Q0\n", "f:1: the number of fields is 2, not 6; a run line is: query Q0 doc rank score tag"},
		{"too many fields in qrels", qrels, "q 0 d 1 x\n", "f:1: the number of fields is 5, not 4; a qrels line is: query iteration doc grade"},
		{"a run for qrels", qrels, "q Q0 d 1 0.5 t\n", "f:1: the number of fields is 6, not 4; a qrels line is: query iteration doc grade"},
		{"qrels for a run", runByScore, "q 0 d 1\n", "f:1: the number of fields is 4, not 6; a run line is: query Q0 doc rank score tag"},
		{"no tag", runByScore, "q Q0 d 1 0.5 \r\n", "f:1: the number of fields is 5, not 6; a run line is: query Q0 doc rank score tag"},
		{"lines ended by CR", runByScore, "q Q0 d 1 0.5 t\rq Q0 e 2 0.4 t\r", "f:1: a line ends in CR alone, which no line does here; end lines in LF or CR LF"},
		{"one line ended by CR", runByScore, "q Q0 d 1 0.5 t\r\nq Q0 e 2 0.4 t\rq Q0 f 3 0.3 t\n", "f:2: a line ends in CR alone, which no line does here; end lines in LF or CR LF"},
		{"no tag, by rank", runByRank, "q Q0 d 1 0.5\n", "f:1: the number of fields is 5, not 6; a run line is: query Q0 doc rank score tag"},
		{"text for a score", runByScore, "q Q0 d 1 high t\n", `f:1: score "high" is not a number; a score is a number such as 12.5 or 1e-3`},
		{"NaN", runByScore, "q Q0 d 1 NaN t\n", `f:1: a NaN score has no order: "NaN"; leave the line out or give it a number`},
		{"text for a grade", qrels, "q 0 d relevant\n", `f:1: grade "relevant" is not a number; a grade is written in decimal digits only, such as 1`},
		{"a fractional grade", qrels, "q 0 d 1.9\n", `f:1: grade "1.9" is not an integer; a grade is written in decimal digits only, such as 1`},
		{"a large grade", qrels, "q 0 d 9999999999\n", `f:1: grade "9999999999" does not fit into 32 bits; a grade lies between -2147483648 and 2147483647`},
		{"text for a rank", runByRank, "q 0 d first 1 t\n", `f:1: rank "first" is not a number; a rank is written in decimal digits only, such as 1`},
		{"query in Latin-1", qrels, "q\xe9 0 d 1\n", `f:1: id "q\xe9" is not valid UTF-8; convert the file to UTF-8`},
		{"doc in Latin-1", runByScore, "q 0 ok 1 1 t\nq 0 \xe9 1 1 t\n", `f:2: id "\xe9" is not valid UTF-8; convert the file to UTF-8`},
		{"doc twice in qrels", qrels, "q 0 d 1\nq 0 e 1\n\nq 1 d 0\n", `f:4: query "q" has doc "d" twice, first on line 1; keep one of the lines`},
		{"doc twice in a run", runByScore, "q 0 d 1 1 t\np 0 d 1 1 t\nq 0 d 2 0.5 t\n", `f:3: query "q" has doc "d" twice, first on line 1; keep one of the lines`},
		{"doc three times", runByScore, "q 0 d 1 1 t\nq 0 d 2 2 t\nq 0 d 3 3 t\n", `f:2: query "q" has doc "d" twice, first on line 1; keep one of the lines
f:3: query "q" has doc "d" twice, first on line 1; keep one of the lines`},
		{"rank twice", runByRank, "q 0 d 7 1 t\np 0 d 7 1 t\nq 0 e +7 0.5 t\n",
			`f:3: query "q" has rank 7 twice: doc "e" here, doc "d" on line 1; number the ranks without repetition, or order by score`},
		{"line twice, by rank", runByRank, "q 0 d -7 1 t\nq 0 d -7 1 t\n", `f:2: query "q" has doc "d" twice, first on line 1; keep one of the lines
f:2: query "q" has rank -7 twice: doc "d" here, doc "d" on line 1; number the ranks without repetition, or order by score`},
		{"several, malformed lines first", runByScore, "q 0 d 1 1 t\nq 0 d 2 1 t\nq 0 d x\nq 0 e 1 x t\nq 0 d 1 1 t\n",
			`f:3: the number of fields is 4, not 6; a run line is: query Q0 doc rank score tag
f:4: score "x" is not a number; a score is a number such as 12.5 or 1e-3
f:2: query "q" has doc "d" twice, first on line 1; keep one of the lines
f:5: query "q" has doc "d" twice, first on line 1; keep one of the lines`},
		{"a long field", runByScore, "q 0 d 1 " + long + " t\n", `f:1: score "` + long[:100] + `"... is not a number; a score is a number such as 12.5 or 1e-3`},
		{"more than are spelled out", qrels, strings.Repeat("q 0 d\n", 23),
			strings.Join(numbered("f:%d: the number of fields is 3, not 4; a qrels line is: query iteration doc grade", 20), "\n") + "\nand 3 more problems in f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := read(tt.file, tt.kind)
			require.EqualError(t, err, tt.want)
		})
	}
}

// TestProblemsOfOneLine has many lines with two problems each.
func TestProblemsOfOneLine(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 200 {
		fmt.Fprintf(&file, "q 0 d%d %d 1 t\n", i%100, i%100)
	}
	_, err := read(file.String(), runByRank)
	require.Error(t, err)
	texts := strings.Split(err.Error(), "\n")
	require.Len(t, texts, 21)
	for i := range 10 {
		assert.Contains(t, texts[2*i], fmt.Sprintf(`f:%d: query "q" has doc "d%d" twice`, 101+i, i))
		assert.Contains(t, texts[2*i+1], fmt.Sprintf(`f:%d: query "q" has rank %d twice`, 101+i, i))
	}
}

func numbered(format string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i+1))
	}
	return all
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the gzip data is cut off")
	for _, tt := range []struct{ name, file, want string }{
		{"after sound lines", "q 0 a 1\nq 0 b 1\nq 0 c", "f:3: reading stops here: the gzip data is cut off; if the file is truncated or corrupt, copy or export it again"},
		{"at once", "", "f:1: reading stops here: the gzip data is cut off; if the file is truncated or corrupt, copy or export it again"},
		{"after other problems", "q 0 a\nq 0 b 1\nq 0 b 1\n",
			`f:1: the number of fields is 3, not 4; a qrels line is: query iteration doc grade
f:4: reading stops here: the gzip data is cut off; if the file is truncated or corrupt, copy or export it again
f:3: query "q" has doc "b" twice, first on line 2; keep one of the lines`},
	} {
		q, err := trec.ReadQrels("f", io.MultiReader(strings.NewReader(tt.file), iotest.ErrReader(broken)), new(intern.Table))
		assert.EqualError(t, err, tt.want, tt.name)
		assert.Nil(t, q, tt.name)
	}
}

// file draws a file of few ids, so that much repeats, with some faults.
func file(k kind) *rapid.Generator[[]string] {
	pick := func(t *rapid.T, label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	line := rapid.Custom(func(t *rapid.T) string {
		blank := pick(t, "blank", " ", "\t", "  ", " \t\v")
		fields := []string{
			pick(t, "query", "q1", "q10", "q2", "q", "Q1", "\u00e9", "q1234567", "q12345678", "q1234567/2", "q1234567/10"),
			pick(t, "iteration", "0", "Q0"),
			"d" + strconv.Itoa(rapid.IntRange(0, 40).Draw(t, "doc")),
		}
		if k == qrels {
			fields = append(fields, pick(t, "grade", "0", "1", "2", "-1", "+3", "00"))
		} else {
			fields = append(fields, strconv.Itoa(rapid.IntRange(-50, 50).Draw(t, "rank")),
				pick(t, "score", "0", "-0", "1", "1.0", "0x1", "1e0", "2.5", "inf", "-3", "0.1", "0.10000000000000001"),
				pick(t, "tag", "tag", "tag", "tag", "t"))
		}
		if rapid.IntRange(0, 99).Draw(t, "fault") == 0 {
			fields[rapid.IntRange(0, len(fields)-1).Draw(t, "field")] = pick(t, "with", "x", "1.5", "\xff", "", "a b", "nan")
		}
		return pick(t, "indent", "", "", " ") + strings.Join(fields, blank) + pick(t, "end", "", "", "\r", " ")
	})
	return rapid.SliceOfN(rapid.OneOf(line, line, line, line, rapid.SampledFrom([]string{"", " ", "\r"})), 0, 30)
}

func TestAgreesWithSlowReader(t *testing.T) {
	t.Parallel()
	for _, k := range []kind{qrels, runByScore, runByRank} {
		t.Run(strconv.Itoa(int(k)), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				agree(t, strings.Join(file(k).Draw(t, "lines"), "\n"), k)
			})
		})
	}
}

func TestShufflingLinesChangesNothing(t *testing.T) {
	t.Parallel()
	for _, k := range []kind{qrels, runByScore, runByRank} {
		t.Run(strconv.Itoa(int(k)), func(t *testing.T) {
			t.Parallel()
			sound := 0
			rapid.Check(t, func(t *rapid.T) {
				lines := file(k).Draw(t, "lines")
				want, errWant := read(strings.Join(lines, "\n"), k)
				got, err := read(strings.Join(rapid.Permutation(lines).Draw(t, "shuffled"), "\n"), k)
				if errWant != nil {
					require.Error(t, err)
					return
				}
				require.NoError(t, err)
				require.Empty(t, cmp.Diff(want, got))
				sound++
			})
			assert.Positive(t, sound)
		})
	}
}

// TestManyBlocks reads files that several goroutines share, so it sets how many
// there are and can't run beside other tests.
func TestManyBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rng := rand.New(rand.NewPCG(1, 2))
	shuffled := func(data []byte) string {
		lines := strings.SplitAfter(string(data), "\n")
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return strings.Join(lines, "")
	}
	run := syntheticRun(1, 600, 100, 1<<13, true)
	repeated := string(run) + string(run[:5000])
	for _, tt := range []struct {
		name  string
		data  string
		kind  kind
		sound bool
	}{
		{"run", string(run), runByScore, true},
		{"shuffled run by rank", shuffled(run), runByRank, true},
		{"shuffled repeated lines", shuffled([]byte(repeated)), runByRank, false},
		{"shuffled qrels", shuffled(syntheticQrels(1, 2000, 60, 1<<13)), qrels, true},
	} {
		require.Greater(t, len(tt.data), 2<<20, tt.name)
		var first string
		want, faulty := slow(tt.data, tt.kind)
		require.Equal(t, tt.sound, faulty == nil, tt.name)
		for _, procs := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			same(t, tt.data, tt.kind, want, faulty)
			if tt.kind == qrels {
				continue
			}
			// The numbering of the ids and the texts are the same as well.
			r, err := trec.ReadRun("f", strings.NewReader(tt.data), map[kind]trec.Order{runByRank: trec.ByRank}[tt.kind])
			all := fmt.Sprint(err)
			if err == nil {
				all = fmt.Sprint(r.Docs)
			}
			if procs == 1 {
				first = all
			}
			require.Equal(t, first, all, "%s, GOMAXPROCS %d", tt.name, procs)
		}
	}
}

// TestAllocation measures the whole process, so it can't run beside other tests.
func TestAllocation(t *testing.T) {
	run := string(syntheticRun(1, 500, 100, 1<<13, true))
	assert.Less(t, testing.AllocsPerRun(3, func() {
		if _, err := trec.ReadRun("f", strings.NewReader(run), trec.ByScore); err != nil {
			t.Fatal(err)
		}
	}), 1000.0, "50,000 lines")

	var before, after runtime.MemStats
	blank := strings.Repeat("\n", 8<<20)
	runtime.ReadMemStats(&before)
	_, err := read(blank, qrels)
	runtime.ReadMemStats(&after)
	assert.Error(t, err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "8 MiB of blank lines")
}

func FuzzReadQrels(f *testing.F) {
	f.Add("q2 0 b 1\nq1 0 a -1\r\n\nq2\t0  a 0")
	f.Add("\xEF\xBB\xBFq 0 d 1.5\nq 0 d\nq 0 \xff 1\n")
	f.Add("q 0 d 1\nq 0 d 1\n")
	f.Fuzz(func(t *testing.T, data string) {
		if strings.HasPrefix(data, "\xFF\xFE") || strings.HasPrefix(data, "\xFE\xFF") {
			_, err := read(data, qrels)
			require.Error(t, err)
			return
		}
		agree(t, data, qrels)
	})
}

func FuzzReadRun(f *testing.F) {
	f.Add("q2 Q0 b 1 0.5 t\nq1 Q0 a 1 -0 t\r\n\nq2\t0  a 2 0x1.8p3 t more", true)
	f.Add("\xEF\xBB\xBFq 0 d 1 nan t\nq 0 d\nq 0 \xff 1 1 t\n", false)
	f.Add("q 0 d 1 1e3 t\nq 0 d 1 inf t\nq 0 e 1 .5e-400 t", true)
	f.Fuzz(func(t *testing.T, data string, byRank bool) {
		k := runByScore
		if byRank {
			k = runByRank
		}
		if strings.HasPrefix(data, "\xFF\xFE") || strings.HasPrefix(data, "\xFE\xFF") {
			_, err := read(data, k)
			require.Error(t, err)
			return
		}
		agree(t, data, k)
	})
}
