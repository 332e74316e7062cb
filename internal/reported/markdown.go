package reported

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/markdown"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/rank"
)

func (r *reader) markdown(text string) error {
	if strings.Count(text, "|")+strings.Count(text, "\n")+strings.Count(text, "\r") > 16*limit.Reported {
		return tooMany()
	}
	for _, t := range markdown.Tables(text) {
		around := r.prose(slices.Concat(nearest(t.Before), nearest(t.Heading), nearest(t.After)))
		metrics := make([]*rank.Metric, len(t.Header))
		columns := make([]Statement, len(t.Header))
		keys := make([]string, len(t.Header)) // what the columns state
		odd := make([]bool, len(t.Header))    // whether what the heads name is no metric and looks like one
		metric := false
		for i, head := range t.Header {
			if metrics[i], columns[i] = r.head(head); metrics[i] == nil {
				keys[i] = statementNames[strings.ToLower(plainCell(head))]
				odd[i] = slices.ContainsFunc(headWords(head), r.resembles)
			}
			metric = metric || metrics[i] != nil || odd[i]
		}
		for n, row := range t.Rows {
			stated := maps.Clone(around)
			for i, cell := range row {
				if keys[i] == "" {
					continue
				}
				stated[keys[i]] = plainCell(cell)
				if keys[i] == "system" && r.words.System(cell) {
					stated["system"] = cell
				}
			}
			line := t.Line + 2 + n
			if !metric {
				r.unreadRow(line, t.Header, row)
			}
			for i, cell := range row {
				if metrics[i] == nil && !odd[i] {
					continue
				}
				where := fmt.Sprintf("line %d, %s", line, phrase.Name(plainCell(t.Header[i])))
				value := numberIn(cell)
				if odd[i] {
					if value != "" {
						r.unread(where, value, notNamed)
					}
					continue
				}
				r.unreadCell(where, cell)
				if value == "" {
					continue
				}
				if strings.Contains(t.Header[i], "%") && !strings.HasSuffix(value, "%") {
					value += "%"
				}
				own := stated
				if len(columns[i]) > 0 {
					own = maps.Clone(stated)
					maps.Copy(own, columns[i])
				}
				r.found = append(r.found, Claim{where, *metrics[i], value, own})
			}
			if r.full() {
				return tooMany()
			}
		}
	}
	return nil
}

// nearest are the last paragraphs of a text, the last one first: as many as are read for
// one table.
func nearest(text string) []string {
	const paragraphs, bytes = 100, 64 << 10
	text, whole := text[max(0, len(text)-bytes):], len(text) <= bytes
	var out []string
	for len(out) < paragraphs {
		i := strings.LastIndex(text, "\n\n")
		if i < 0 {
			if whole {
				out = append(out, text)
			}
			break
		}
		out = append(out, text[i+2:])
		text = text[:i]
	}
	return out
}

// head reads the head of a column: a metric, perhaps with a target.
func (r *reader) head(text string) (*rank.Metric, Statement) {
	var metric *rank.Metric
	stated := Statement{}
	for _, word := range headWords(text) {
		m := r.metric(word)
		switch {
		case m != nil && metric == nil:
			metric = m
		case r.words.Target(word):
			stated["target"] = word
		}
	}
	return metric, stated
}

// headWords are the words in the head of a column.
func headWords(text string) []string {
	words := strings.FieldsFunc(plainCell(text), func(r rune) bool { return strings.ContainsRune(" ,;:/[]↑↓", r) })
	for i, word := range words {
		words[i] = strings.Trim(word, "()")
	}
	return words
}
