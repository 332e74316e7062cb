package problem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/problem"
)

func TestError(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]problem.Problem{
		`run.jsonl:3: query "q1" stands twice; keep one`: {File: "run.jsonl", Line: 3, What: `query "q1" stands twice`, Mend: "keep one"},
		"run.jsonl:3: it is wrong":                       {File: "run.jsonl", Line: 3, What: "it is wrong"},
		"run.jsonl: the file is empty; add a line":       {File: "run.jsonl", What: "the file is empty", Mend: "add a line"},
		"system A: it is wrong; mend it":                 {What: "system A: it is wrong", Mend: "mend it"},
		"it is wrong":                                    {Line: 4, What: "it is wrong"},
		`a\nb.jsonl:1: system é "\t" \x16\xff�\u2028 \ twice; leave \r\n out`: {
			File: "a\nb.jsonl", Line: 1, What: "system é \"\t\" \x16\xff\ufffd\u2028 \\ twice", Mend: "leave \r\n out",
		},
	} {
		assert.Equal(t, want, p.Error())
	}
}

func TestListOfNone(t *testing.T) {
	t.Parallel()
	var l problem.List
	assert.NoError(t, l.Err())
	assert.Zero(t, l.Len())
	l.Append(new(problem.List))
	assert.NoError(t, l.Err())
	assert.Zero(t, l.Len())
}

func TestListJoins(t *testing.T) {
	t.Parallel()
	var l problem.List
	l.Add("a.jsonl", 1, "first", "mend it")
	l.Add("b.jsonl", 0, "second", "")
	err := l.Err()
	assert.EqualError(t, err, "a.jsonl:1: first; mend it\nb.jsonl: second")
	assert.Equal(t, 2, l.Len())
	p, ok := errors.AsType[*problem.Problem](err)
	require.True(t, ok)
	assert.Equal(t, problem.Problem{File: "a.jsonl", Line: 1, What: "first", Mend: "mend it"}, *p)
}

// fill adds the problems of lines from to to of a file.
func fill(l *problem.List, file string, from, to int) {
	for i := from; i <= to; i++ {
		l.Add(file, i, fmt.Sprintf("wrong %d", i), "")
	}
}

func TestListLimit(t *testing.T) {
	t.Parallel()
	for n, last := range map[int]string{
		19:   "a.jsonl:19: wrong 19",
		20:   "a.jsonl:20: wrong 20",
		21:   "and 1 more problem in a.jsonl",
		22:   "and 2 more problems in a.jsonl",
		1000: "and 980 more problems in a.jsonl",
	} {
		var l problem.List
		fill(&l, "a.jsonl", 1, n)
		lines := strings.Split(l.Err().Error(), "\n")
		assert.Len(t, lines, min(n, 21))
		assert.Equal(t, last, lines[len(lines)-1])
		assert.Equal(t, "a.jsonl:1: wrong 1", lines[0])
		assert.Equal(t, n, l.Len())
	}
}

func last(l *problem.List) string {
	lines := strings.Split(l.Err().Error(), "\n")
	return lines[len(lines)-1]
}

// TestListLimitNamesFile: the last line names a file only when all the problems
// that it stands for are in it.
func TestListLimitNamesFile(t *testing.T) {
	t.Parallel()
	var code problem.List
	fill(&code, "", 1, 25)
	assert.Equal(t, "and 5 more problems", last(&code))

	var l problem.List
	fill(&l, "a.jsonl", 1, 10)
	fill(&l, "b.jsonl", 1, 10)
	fill(&l, "a.jsonl", 11, 12)
	assert.Equal(t, "and 2 more problems in a.jsonl", last(&l))
	fill(&l, "b.jsonl", 11, 11)
	assert.Equal(t, "and 3 more problems", last(&l))
}

func TestAppend(t *testing.T) {
	t.Parallel()
	var l, m problem.List
	fill(&l, "a.jsonl", 1, 15)
	fill(&m, "b.jsonl", 1, 30)
	l.Append(&m)
	assert.Equal(t, 45, l.Len())
	assert.Equal(t, 30, m.Len(), "the other list is only read")
	lines := strings.Split(l.Err().Error(), "\n")
	require.Len(t, lines, 21)
	assert.Equal(t, "b.jsonl:1: wrong 1", lines[15], "after those of the first list")
	assert.Equal(t, "b.jsonl:5: wrong 5", lines[19])
	assert.Equal(t, "and 25 more problems", lines[20], "those dropped before are counted too")

	var all problem.List
	all.Append(&m)
	assert.Equal(t, "and 10 more problems in b.jsonl", last(&all))
	fill(&all, "b.jsonl", 31, 31)
	assert.Equal(t, "and 11 more problems in b.jsonl", last(&all))
	var mixed problem.List
	mixed.Append(&all)
	mixed.Append(&l)
	assert.Equal(t, "and 56 more problems", last(&mixed))
}
