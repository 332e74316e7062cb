// Package trec reads the two file formats of TREC evaluations: qrels, the
// relevance judgements, and runs, the ranked output of a system. Both are read
// as trec_eval reads them, except that what trec_eval silently misreads (text
// for a number, a fractional grade, NaN) is a problem here.
//
// Fields are separated by blanks as C's isspace knows them. Ids are opaque
// byte strings in valid UTF-8, never compared as numbers. The lines of a query
// may stand anywhere in the file; their order never matters. Blank lines, CRLF
// and a byte order mark are fine. All problems of a file are reported together.
package trec

import (
	"cmp"
	"io"
	"slices"

	"github.com/tiaptest/tiap/internal/intern"
)

// Qrels holds the judgements of one file. Queries ascend by bytes; the
// judgements of query i are Docs[i] with Grades[i] beside, in ascending byte
// order of the doc id, each doc once. A grade below 0 means that the doc was in
// the pool but not judged.
type Qrels struct {
	Queries []string
	Docs    [][]uint32 // symbols of the table of ids that was given
	Grades  [][]int32
}

// ReadQrels reads qrels, lines of query, iteration, doc and grade. The
// iteration is not looked at; the grade is a decimal integer of 32 bits. Doc
// ids that the table of ids lacks are added to it, in the order of the file.
// The file name is for messages only: r is plain text. Without a judgement the
// file is faulty. The error joins a [problem.Problem] for each fault.
func ReadQrels(file string, r io.Reader, ids *intern.Table) (*Qrels, error) {
	l, err := read(file, r, ids, &format[int32]{
		layout: "a qrels line is: query iteration doc grade",
		fields: 4,
		value:  grade,
		sort:   sortByDoc,
	})
	if err != nil {
		return nil, err
	}
	return &Qrels{Queries: l.queries, Docs: l.docs, Grades: l.values}, nil
}

// Run holds the rankings of one file, best first. Queries ascend by bytes; the
// ranking of query i is Docs[i] with Scores[i] beside, each doc once.
type Run struct {
	IDs     *intern.Table // numbered by first appearance in the file
	Queries []string
	Docs    [][]uint32  // symbols of IDs
	Scores  [][]float64 // may be infinite, never NaN or -0
	Tags    []string    // all that the file has, ascending
}

// Order says what ranks the hits of a run.
type Order int

const (
	// ByScore is trec_eval's order: score descending as float64, equal scores
	// by doc id descending by bytes. The rank column is not looked at.
	ByScore Order = iota
	// ByRank is the rank column, ascending.
	ByRank
)

// ReadRun reads a run, lines of query, iteration, doc, rank, score and tag.
// The iteration and what follows the tag are not looked at. Scores are what C's
// strtod reads to the end of the field, without NaN. Under ByRank the rank is a
// decimal integer of 32 bits, each once in a query. The file name is for
// messages only: r is plain text. Without a hit the file is faulty. The error
// joins a [problem.Problem] for each fault.
func ReadRun(file string, r io.Reader, order Order) (*Run, error) {
	if order == ByRank {
		l, err := read(file, r, new(intern.Table), &format[ranked]{
			layout: runLayout,
			fields: 6,
			more:   true,
			tag:    5,
			value:  rankedHit,
			sort:   sortByRank,
			unique: func(v ranked) uint32 { return uint32(v.rank) },
		})
		if err != nil {
			return nil, err
		}
		scores := make([][]float64, len(l.values))
		for i, values := range l.values {
			scores[i] = make([]float64, len(values))
			for j, v := range values {
				scores[i][j] = v.score
			}
		}
		return newRun(l, scores), nil
	}
	l, err := read(file, r, new(intern.Table), &format[float64]{
		layout: runLayout,
		fields: 6,
		more:   true,
		tag:    5,
		value:  scoredHit,
		sort:   sortByScore,
	})
	if err != nil {
		return nil, err
	}
	return newRun(l, l.values), nil
}

func newRun[V any](l *lists[V], scores [][]float64) *Run {
	return &Run{IDs: l.ids, Queries: l.queries, Docs: l.docs, Scores: scores, Tags: l.tags}
}

const runLayout = "a run line is: query Q0 doc rank score tag"

// ranked is what a run line says about its doc when the rank column counts.
type ranked struct {
	score float64
	rank  int32
}

// grade reads the end of a qrels line.
func grade(l *line) (int32, *fault) { return parseInt("grade", l.field(3)) }

// scoredHit reads the end of a run line, the rank unseen.
func scoredHit(l *line) (float64, *fault) { return parseScore(l.field(4)) }

// rankedHit reads the end of a run line, the rank too.
func rankedHit(l *line) (ranked, *fault) {
	score, bad := scoredHit(l)
	if bad != nil {
		return ranked{}, bad
	}
	rank, bad := parseInt("rank", l.field(3))
	return ranked{score, rank}, bad
}

func sortByDoc(ids *intern.Table, docs []uint32, grades []int32, scratch *[]entry[int32]) {
	byDoc := func(a, b uint32) int { return compareIDs(ids, a, b) }
	if !slices.IsSortedFunc(docs, byDoc) {
		sortEntries(docs, grades, scratch, func(a, b entry[int32]) int { return byDoc(a.doc, b.doc) })
	}
}

// sortByScore reads ids of equal scores only.
func sortByScore(ids *intern.Table, docs []uint32, scores []float64, scratch *[]entry[float64]) {
	for i := 1; i < len(scores); i++ {
		if scores[i] > scores[i-1] {
			sortEntries(docs, scores, scratch, func(a, b entry[float64]) int { return cmp.Compare(b.value, a.value) })
			break
		}
	}
	for i := 0; i < len(scores); {
		start := i
		for i++; i < len(scores) && scores[i] == scores[start]; i++ {
		}
		if tied := docs[start:i]; len(tied) > 1 {
			slices.SortFunc(tied, func(a, b uint32) int { return compareIDs(ids, b, a) })
		}
	}
}

func sortByRank(_ *intern.Table, docs []uint32, values []ranked, scratch *[]entry[ranked]) {
	byRank := func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) }
	if !slices.IsSortedFunc(values, byRank) {
		sortEntries(docs, values, scratch, func(a, b entry[ranked]) int { return byRank(a.value, b.value) })
	}
}
