package sensitivity

import (
	"fmt"
	"io"
	"math"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// ReadScores adds the scores of a JSONL file, one [Score] a line:
//
//	{"system":"D1","target":"raw","query":"q1","metric":"ndcg@60","value":0.5}
//
// It is what [tiaptest.Audit.WritePerQuery] writes; family, category and size
// may stand beside. A value that is null or absent says that the query is not
// covered, but a file without any value or size is an error. "query_id" may stand for
// "query". A name that ends in .gz or .zst is decompressed. Problems name file
// and line and are reported together; lines without fault are added.
func (t *Table) ReadScores(name string, r io.Reader) error {
	n, err := t.readScores(name, r)
	if err == nil && n == 0 {
		return &problem.Problem{File: name, What: `not one line has a "value"`, Mend: `a line is {"system","target","query","metric","value"}`}
	}
	return err
}

// readScores counts the lines that say something: a value, or a size alone.
func (t *Table) readScores(name string, r io.Reader) (said int, err error) {
	type scoreLine struct {
		System   string   `json:"system"`
		Target   string   `json:"target"`
		Query    string   `json:"query"`
		QueryID  string   `json:"query_id"`
		Metric   string   `json:"metric"`
		Value    *float64 `json:"value"`
		Family   string   `json:"family"`
		Category string   `json:"category"`
		Size     *int     `json:"size"`
	}
	err = readLines(name, r, math.MaxInt, func(line int, l *scoreLine, faults *problem.List) {
		query, ok := queryID(l.Query, l.QueryID, name, line, faults)
		if !ok {
			return
		}
		if l.Value != nil || l.Metric == "" && l.Size != nil {
			said++
		}
		t.add(Score{l.System, l.Target, query, l.Metric, l.Value, l.Family, l.Category, l.Size}, name, line, faults)
	})
	return said, err
}

// ReadAnswers adds the answers of a JSONL file, one [Answer] a line:
//
//	{"query":"q1","system":"D1","f1":0.5,"correct":true}
//
// Answers of systems or to queries that the table has no scores of are not used, and
// [Report.Strangers] counts them.
// Otherwise as [Table.ReadScores].
func (t *Table) ReadAnswers(name string, r io.Reader) error {
	type answerLine struct {
		Query   string   `json:"query"`
		QueryID string   `json:"query_id"`
		System  string   `json:"system"`
		F1      *float64 `json:"f1"`
		Correct *bool    `json:"correct"`
	}
	return readLines(name, r, limit.Labels, func(line int, l *answerLine, faults *problem.List) {
		if query, ok := queryID(l.Query, l.QueryID, name, line, faults); ok {
			t.addAnswer(Answer{query, l.System, l.F1, l.Correct}, name, line, faults)
		}
	})
}

func queryID(id, alias, file string, line int, faults *problem.List) (string, bool) {
	if id != "" && alias != "" && id != alias {
		faults.Add(file, line, fmt.Sprintf("the line has two query ids, %q and %q", id, alias), "keep one of them")
		return "", false
	}
	if id == "" {
		id = alias
	}
	return id, true
}

// readLines calls f on the lines of a file, in order. A file without lines is an
// error, and so is one with more than most.
func readLines[T any](name string, r io.Reader, most int, f func(line int, v *T, faults *problem.List)) error {
	plain, err := lines.Decompress(name, r)
	if err != nil {
		return &problem.Problem{File: name, What: err.Error()}
	}
	defer plain.Close()
	type parsed struct {
		line int
		v    T
		bad  *problem.Problem
	}
	n := 0
	var faults problem.List
	err = lines.Parse(plain, func(b lines.Block) []parsed {
		var list []parsed
		for line, text := range b.All() {
			list = append(list, parsed{line: line})
			p := &list[len(list)-1]
			p.bad = jsonl.Decode(text, &p.v)
		}
		return list
	}, func(list []parsed) error {
		for i := range list {
			if n++; n > most {
				return &lines.ReadError{Line: list[i].line - 1, Err: &limit.Error{
					What: fmt.Sprintf("the file has more than %d lines", most), Mend: "keep those of the queries and systems that are looked at",
				}}
			}
			if p := &list[i]; p.bad != nil {
				faults.Add(name, p.line, p.bad.What, p.bad.Mend)
			} else {
				f(p.line, &p.v, &faults)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		line, what, mend := lines.Explain(err)
		faults.Add(name, line, what, mend)
	case n == 0:
		faults.Add(name, 0, "the file is empty", "it needs one object a line")
	}
	return faults.Err()
}
