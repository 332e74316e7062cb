package reported

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/rank"
)

// unread keeps a number that stands by a metric and is not read as a value of it.
func (r *reader) unread(where, number, why string) {
	r.missed = append(r.missed, fmt.Sprintf("%s = %s: %s", where, phrase.Name(number), why))
}

// Why a number is not read.
const (
	notNamed = "no metric has this name"
	notPlain = "it is not a plain number"
	notFirst = "the first number alone is read"
	notScore = "it does not lie between 0 and 100"
	notFound = "it is neither a value nor a mean, nor of a system or target"
	notInRow = "the metric stands in a row; give it a column"
)

// resembling are names that other programs give to metrics.
var resembling = regexp.MustCompile(`(?i)^\pL[\pL\d_.-]*@\d+$|^(?:ndcg|mrr|map|recall|precision|hits?|success|top)(?:@.*|[_-]?\d+)$` +
	`|^(?:ndcg|map)_cut[_.]\d+$|^p_\d+$|^recip_rank$|^map$`)

// resembles reports whether a word is no metric and looks like one.
func (r *reader) resembles(word string) bool {
	return r.metric(word) == nil && resembling.MatchString(word)
}

var (
	digit      = regexp.MustCompile(`\d`)
	difference = regexp.MustCompile(`^[(\[]?\s*[-+−–±∆Δ↑↓▲▼△▽]|\s[-+−]\.?\d`)
	second     = regexp.MustCompile(`^\s*(?:/|\||;|→|->|vs\.?)\s*\D?\d`)
)

// unreadCell keeps a cell below a metric that holds a number and is none, and one that
// holds a second number.
func (r *reader) unreadCell(where, cell string) {
	plain := plainCell(cell)
	number, behind := leadingNumber(plain)
	switch {
	case number != "":
		if second.MatchString(behind) {
			r.unread(where, plain, notFirst)
		}
	case digit.MatchString(plain) && !difference.MatchString(plain):
		r.unread(where, plain, notPlain)
	}
}

// unreadRow keeps the first number behind the name of a metric in a row that stands in the
// column of a system, target or value. Names that are plain words too, such as "all" or
// "recall", count with a cut-off alone.
func (r *reader) unreadRow(line int, header, row []string) {
	name := ""
	for i, cell := range row {
		word := plainCell(cell)
		switch m := r.metric(word); {
		case name != "":
			if number := numberIn(cell); number != "" && r.ofScores(header[i]) {
				r.unread(fmt.Sprintf("line %d, %s", line, phrase.Name(name)), number, notInRow)
				return
			}
		case m != nil && (m.K > 0 || m.Kind == rank.NDCG || m.Kind == rank.MRR), r.resembles(word):
			name = word
		}
	}
}

// ofScores reports whether a column without a metric may hold scores.
func (r *reader) ofScores(head string) bool {
	head = plainCell(head)
	return r.words.Target(head) || r.words.System(head) || slices.Contains([]string{"value", "score", "mean"}, strings.ToLower(head))
}

// unreadMember keeps a member of an object that stands for a metric and holds a number that
// is not read.
func (r *reader) unreadMember(where string, member any, why string) {
	if number := firstNumber(member); number != "" && !difference.MatchString(number) {
		r.unread(r.line+where, number, why)
	}
}

// whyUnread says why a member that should hold a value is not read.
func whyUnread(member any) string {
	switch member.(type) {
	case json.Number:
		return notScore
	case string:
		return notPlain
	}
	return notFound
}

// firstNumber is the first text in a member that is or holds a number.
func firstNumber(member any) string {
	switch m := member.(type) {
	case json.Number:
		return m.String()
	case string:
		if digit.MatchString(m) {
			return m
		}
	case []any:
		for _, e := range m {
			if number := firstNumber(e); number != "" {
				return number
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if number := firstNumber(m[name]); number != "" {
				return number
			}
		}
	}
	return ""
}
