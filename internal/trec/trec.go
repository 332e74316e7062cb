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

	"github.com/tiaptest/tiap/internal/intern"
)

// Qrels holds the judgements of one file. Queries ascend by bytes; the
// judgements of query i are Docs[Start[i]:Start[i+1]], in ascending byte order
// of the doc id, each doc once. A grade below 0 means that the doc was in the
// pool but not judged.
type Qrels struct {
	Queries []string
	Start   []int // one longer than Queries
	Docs    []string
	Grades  []int32 // beside Docs
}

// ReadQrels reads qrels, lines of query, iteration, doc and grade. The
// iteration is not looked at; the grade is a decimal integer of 32 bits. The
// file name is for messages only: r is plain text. Without a judgement the
// file is faulty. The error joins a [problem.Problem] for each fault.
func ReadQrels(file string, r io.Reader) (*Qrels, error) {
	l, err := read(file, r, &format[int32]{
		layout:  "a qrels line is: query iteration doc grade",
		fields:  4,
		value:   grade,
		compare: byDoc,
	})
	if err != nil {
		return nil, err
	}
	names := stringsOf(l.ids)
	docs := make([]string, len(l.docs))
	for i, sym := range l.docs {
		docs[i] = names[sym]
	}
	return &Qrels{Queries: l.queries, Start: l.start, Docs: docs, Grades: l.values}, nil
}

// Run holds the rankings of one file, best first. Queries ascend by bytes; the
// ranking of query i is Docs[Start[i]:Start[i+1]], each doc once. Docs are
// symbols of IDs, which are numbered by first appearance in the file.
type Run struct {
	IDs     *intern.Table
	Queries []string
	Start   []int // one longer than Queries
	Docs    []uint32
	Scores  []float64 // beside Docs; may be infinite, never NaN or -0
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
		l, err := read(file, r, &format[ranked]{
			layout:  runLayout,
			fields:  6,
			value:   rankedHit,
			compare: byRank,
			unique:  func(v ranked) uint32 { return uint32(v.rank) },
		})
		if err != nil {
			return nil, err
		}
		scores := make([]float64, len(l.values))
		for i, v := range l.values {
			scores[i] = v.score
		}
		return &Run{IDs: l.ids, Queries: l.queries, Start: l.start, Docs: l.docs, Scores: scores}, nil
	}
	l, err := read(file, r, &format[float64]{
		layout:  runLayout,
		fields:  6,
		value:   scoredHit,
		compare: byScore,
	})
	if err != nil {
		return nil, err
	}
	return &Run{IDs: l.ids, Queries: l.queries, Start: l.start, Docs: l.docs, Scores: l.values}, nil
}

const runLayout = "a run line is: query Q0 doc rank score tag"

// ranked is what a run line says about its doc when the rank column counts.
type ranked struct {
	score float64
	rank  int32
}

// grade reads the end of a qrels line.
func grade(rest []byte) (int32, *fault) {
	text, rest := field(rest)
	if len(text) == 0 || !allBlank(rest) {
		return 0, miscounted
	}
	return parseInt("grade", text)
}

// scoredHit reads the end of a run line, rank and tag unseen.
func scoredHit(rest []byte) (float64, *fault) {
	_, rest = field(rest)
	text, rest := field(rest)
	if allBlank(rest) {
		return 0, miscounted
	}
	return parseScore(text)
}

// rankedHit reads the end of a run line, the rank too.
func rankedHit(rest []byte) (ranked, *fault) {
	text, _ := field(rest)
	score, bad := scoredHit(rest)
	if bad != nil {
		return ranked{}, bad
	}
	rank, bad := parseInt("rank", text)
	return ranked{score, rank}, bad
}

func byDoc(ids *intern.Table, a, b entry[int32]) int {
	return compareIDs(ids, a.doc, b.doc)
}

func byScore(ids *intern.Table, a, b entry[float64]) int {
	switch {
	case a.value > b.value:
		return -1
	case a.value < b.value:
		return 1
	}
	return compareIDs(ids, b.doc, a.doc)
}

func byRank(_ *intern.Table, a, b entry[ranked]) int {
	return cmp.Compare(a.value.rank, b.value.rank)
}
