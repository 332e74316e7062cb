package trec_test

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/trec"
)

// hit is a line of a run or of qrels, as the slow reader sees it.
type hit struct {
	doc   string
	score float64
	value int // rank or grade
	line  int
}

// listing is what a file says: query by query, in order.
type listing struct {
	Queries []string
	Docs    [][]string
	Scores  [][]float64
	Grades  [][]int32
	Tags    []string
}

var (
	decimal     = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	hexadecimal = regexp.MustCompile(`^[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?$`)
	infinite    = regexp.MustCompile(`^[+-]?(?i:inf|infinity)$`)
)

func slowInt(text string) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err == nil
}

func slowScore(text string) (float64, bool) {
	switch {
	case decimal.MatchString(text), infinite.MatchString(text):
	case hexadecimal.MatchString(text):
		if !strings.ContainsAny(text, "pP") {
			text += "p0"
		}
	default:
		return 0, false
	}
	score, _ := strconv.ParseFloat(text, 64) // the error can only be ErrRange
	if score == 0 {
		score = 0
	}
	return score, true
}

// kind is the file and order that the slow reader is to read.
type kind int

const (
	qrels kind = iota
	runByScore
	runByRank
)

// slow reads a file in the most obvious way. It returns the listing, or the
// lines with problems, malformed lines first.
func slow(data string, k kind) (listing, []int) {
	isBlank := func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }
	var malformed, repeated []int
	byQuery := map[string][]hit{}
	tags := map[string]bool{}
	docs, ranks := map[[2]string]bool{}, map[[2]string]bool{}
	for i, text := range strings.Split(strings.TrimPrefix(data, "\xEF\xBB\xBF"), "\n") {
		fields := strings.FieldsFunc(text, isBlank)
		if len(fields) == 0 {
			continue
		}
		h, ok := hit{line: i + 1}, true
		switch k {
		case qrels:
			if ok = len(fields) == 4; ok {
				h.value, ok = slowInt(fields[3])
			}
		default:
			if ok = len(fields) >= 6; ok {
				h.score, ok = slowScore(fields[4])
			}
			if k == runByRank && ok {
				h.value, ok = slowInt(fields[3])
			}
		}
		// Within a line CR would end one elsewhere.
		ok = ok && !strings.Contains(strings.TrimSuffix(text, "\r"), "\r")
		if !ok || !utf8.ValidString(fields[0]) || !utf8.ValidString(fields[2]) {
			malformed = append(malformed, i+1)
			continue
		}
		h.doc = fields[2]
		if k != qrels {
			tags[fields[5]] = true
		}
		if key := [2]string{fields[0], h.doc}; docs[key] {
			repeated = append(repeated, i+1)
		} else {
			docs[key] = true
		}
		if key := [2]string{fields[0], strconv.Itoa(h.value)}; k == runByRank && ranks[key] {
			repeated = append(repeated, i+1)
		} else {
			ranks[key] = true
		}
		byQuery[fields[0]] = append(byQuery[fields[0]], h)
	}
	if len(byQuery) == 0 && len(malformed) == 0 {
		return listing{}, []int{0}
	}
	if len(malformed)+len(repeated) > 0 {
		return listing{}, append(malformed, repeated...)
	}

	var l listing
	for tag := range tags {
		l.Tags = append(l.Tags, tag)
	}
	sort.Strings(l.Tags)
	for query := range byQuery {
		l.Queries = append(l.Queries, query)
	}
	sort.Strings(l.Queries)
	for _, query := range l.Queries {
		hits := byQuery[query]
		sort.SliceStable(hits, func(i, j int) bool {
			a, b := hits[i], hits[j]
			switch {
			case k == runByRank:
				return a.value < b.value
			case k == runByScore && a.score != b.score:
				return a.score > b.score
			case k == runByScore:
				return a.doc > b.doc
			}
			return a.doc < b.doc
		})
		var docs []string
		var scores []float64
		var grades []int32
		for _, h := range hits {
			docs = append(docs, h.doc)
			if k == qrels {
				grades = append(grades, int32(h.value))
			} else {
				scores = append(scores, h.score)
			}
		}
		l.Docs = append(l.Docs, docs)
		l.Scores = append(l.Scores, scores)
		l.Grades = append(l.Grades, grades)
	}
	return l, nil
}

// read reads a file with the package.
func read(data string, k kind) (listing, error) {
	var l listing
	if k == qrels {
		ids := new(intern.Table)
		ids.AddString("d7") // of a file before
		q, err := trec.ReadQrels("f", strings.NewReader(data), ids)
		if err != nil {
			if q != nil {
				panic("a result beside an error")
			}
			return listing{}, err
		}
		l.Queries = q.Queries
		for i := range q.Queries {
			l.Docs = append(l.Docs, texts(ids, q.Docs[i]))
			l.Grades = append(l.Grades, q.Grades[i])
			l.Scores = append(l.Scores, nil)
		}
		return l, nil
	}
	order := trec.ByScore
	if k == runByRank {
		order = trec.ByRank
	}
	r, err := trec.ReadRun("f", strings.NewReader(data), order)
	if err != nil {
		if r != nil {
			panic("a result beside an error")
		}
		return listing{}, err
	}
	l.Queries, l.Tags = r.Queries, r.Tags
	for i := range r.Queries {
		l.Docs = append(l.Docs, texts(r.IDs, r.Docs[i]))
		l.Scores = append(l.Scores, r.Scores[i])
		l.Grades = append(l.Grades, nil)
	}
	return l, nil
}

// texts returns the strings of symbols.
func texts(ids *intern.Table, symbols []uint32) []string {
	var all []string
	for _, sym := range symbols {
		all = append(all, ids.String(sym))
	}
	return all
}

// problemLines returns the lines of the problems that err spells out.
func problemLines(t require.TestingT, err error) []int {
	var at []int
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok, "%v", err)
	for _, err := range joined.Unwrap() {
		var p *problem.Problem
		if errors.As(err, &p) {
			at = append(at, p.Line)
		}
	}
	return at
}

// agree fails unless package and slow reader say the same about a file.
func agree(t require.TestingT, data string, k kind) {
	want, faulty := slow(data, k)
	same(t, data, k, want, faulty)
}

func same(t require.TestingT, data string, k kind, want listing, faulty []int) {
	got, err := read(data, k)
	if faulty != nil {
		require.Error(t, err)
		require.Equal(t, faulty[:min(20, len(faulty))], problemLines(t, err))
		return
	}
	require.NoError(t, err)
	if !reflect.DeepEqual(want, got) {
		require.Fail(t, "listing (-want +got):\n"+cmp.Diff(want, got))
	}
}

func TestSlowReader(t *testing.T) {
	t.Parallel()
	l, faulty := slow("b 0 y 1 1 t\na 0 x 1 1 t\nb 0 z 2 0x10 t\n", runByScore)
	require.Empty(t, faulty)
	require.Equal(t, []string{"a", "b"}, l.Queries)
	require.Equal(t, [][]string{{"x"}, {"z", "y"}}, l.Docs)
	require.Equal(t, [][]float64{{1}, {16, 1}}, l.Scores)
	_, faulty = slow("a 0 x 1\na 0 y z\na 0 x 1\n", qrels)
	require.Equal(t, []int{2, 3}, faulty)
	require.True(t, slices.IsSorted(faulty))
}
