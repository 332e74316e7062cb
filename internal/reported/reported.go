// Package reported reads the values that results files report, JSON or the tables of
// Markdown files, with what they say about these.
package reported

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/rank"
)

// Claim is one reported value with what is stated about it.
type Claim struct {
	Where  string // in the file, such as "line 7, ndcg@10"
	Metric rank.Metric
	Value  string // as printed, but for a decimal comma, which is a point; % at its end makes it a percentage
	Stated Statement
}

// Undefined reports a value that is printed as NaN.
func (c Claim) Undefined() bool { return isNaN(c.Value) }

// Statement says what a value stands under: its "system", "target", "credit", "depth",
// "n" (queries), "population" and "uncovered", as they are printed. What is not stated is
// missing.
type Statement map[string]string

// Words says what the words of a file mean, in any case.
type Words struct {
	Metric func(name string) (rank.Metric, bool)
	Target func(name string) bool
	System func(name string) bool // in the case of the name
}

// Read reads the claims of a file, and says which numbers by metrics it does not read,
// and why. It is an error when the file is malformed or holds more than can be a report.
func Read(text []byte, words Words) (claims []Claim, unread []string, err error) {
	r := reader{words: words, said: make(map[string]Statement)}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		err = r.json(text)
	} else {
		err = r.markdown(string(text))
	}
	return r.found, r.missed, err
}

// reader collects the claims of a file.
type reader struct {
	words  Words
	line   string // of the value that is read, when there are several
	found  []Claim
	missed []string             // numbers by metrics that are not read
	said   map[string]Statement // by paragraphs
}

// metric is the metric of a name, or nil.
func (r *reader) metric(name string) *rank.Metric {
	m, ok := r.words.Metric(name)
	if !ok {
		return nil
	}
	return &m
}

// statementNames are the words for what a value stands under.
var statementNames = map[string]string{
	"system": "system", "name": "system", "model": "system",
	"target": "target", "scoring target": "target", "scoring_target": "target",
	"credit": "credit", "crediting": "credit",
	"depth": "depth", "k": "depth", "top_k": "depth",
	"n": "n", "queries": "n",
	"population": "population", "subset": "population",
	"uncovered": "uncovered",
}

// tooMany says that a file holds more than can be a report.
func tooMany() error {
	return &limit.Error{
		What: fmt.Sprintf("it holds more than %d values to check, or %d others", limit.Reported, 16*limit.Reported),
		Mend: "check a file of results alone, or several",
	}
}

// full reports whether the rest of the file is read no further.
func (r *reader) full() bool { return len(r.found)+len(r.missed) > limit.Reported }

// take reads the members that state something.
func (s Statement) take(o map[string]any) {
	for name, v := range o {
		key := statementNames[strings.ToLower(name)]
		if key == "" {
			continue
		}
		switch v := v.(type) {
		case string:
			s[key] = v
		case json.Number:
			s[key] = v.String()
		}
	}
}

func (s Statement) with(key, value string) Statement {
	s = maps.Clone(s)
	s[key] = value
	return s
}

// lastOf is the end of a path that is long.
func lastOf(path string) string {
	const most = 200 // bytes
	if len(path) <= most {
		return path
	}
	return "..." + strings.ToValidUTF8(path[len(path)-most:], "")
}
