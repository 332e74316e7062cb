package reported

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/rank"
)

// bounded reports as an error that JSON has more values, or more of them within each
// other, than is read. A value stands first, or behind a comma or a bracket.
func bounded(text []byte) error {
	values, depth := 1, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			values++
			if depth++; depth > limit.Depth {
				return &limit.Error{What: fmt.Sprintf("more than %d JSON values stand within each other", limit.Depth), Mend: "check a file of results"}
			}
		case ']', '}':
			depth--
		case ',', '\n':
			values++
		}
	}
	if values > 16*limit.Reported {
		return tooMany()
	}
	return nil
}

func (r *reader) json(text []byte) error {
	if err := bounded(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if r.full() {
			return tooMany()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		end := d.InputOffset()
		if err != nil {
			return fmt.Errorf("malformed JSON: %w", err)
		}
		if r.line != "" || len(bytes.TrimSpace(text[end:])) > 0 {
			r.line = fmt.Sprintf("line %d, ", 1+bytes.Count(text[:end], []byte("\n")))
		}
		r.value("", v, Statement{}, nil)
	}
}

// value reads a value with what is stated around it, and the metric that it is of, if
// one is.
func (r *reader) value(path string, v any, around Statement, of *rank.Metric) {
	if r.full() {
		return
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			r.value(fmt.Sprintf("%s[%d]", path, i), e, around, of)
		}
	case map[string]any:
		r.object(path, v, around, of)
	}
}

func (r *reader) object(path string, o map[string]any, around Statement, of *rank.Metric) {
	stated := maps.Clone(around)
	if settings, ok := o["settings"].(map[string]any); ok {
		stated.take(settings)
	}
	stated.take(o)
	word, named := o["metric"].(string)
	odd := named && r.resembles(word)
	at := func(name string) string { return lastOf(strings.TrimPrefix(path+"."+phrase.Name(name), ".")) }
	for _, name := range slices.Sorted(maps.Keys(o)) {
		inner, metric, said := stated, of, name == "value" || name == "mean"
		switch own := r.metric(name); {
		case said && odd:
			r.unreadMember(at(name)+" of "+phrase.Name(word), o[name], notNamed)
			continue
		case said && named:
			metric = r.metric(word)
		case own != nil:
			metric, said = own, true
		case r.words.Target(name):
			inner, said = stated.with("target", name), true
		case r.words.System(name):
			inner, said = stated.with("system", name), true
		case r.resembles(name):
			r.unreadMember(at(name), o[name], notNamed)
			continue
		}
		before := len(r.found) + len(r.missed)
		if printed := printedIn(o[name]); printed == "" {
			r.value(at(name), o[name], inner, metric)
		} else if said && metric != nil {
			r.found = append(r.found, Claim{r.line + at(name), *metric, printed, inner})
		}
		if said && metric != nil && len(r.found)+len(r.missed) == before {
			r.unreadMember(at(name), o[name], whyUnread(o[name]))
		}
	}
}

// printedIn is the number between 0 and 100 that a member holds, as it stands in
// the file.
func printedIn(member any) string {
	printed := ""
	switch m := member.(type) {
	case json.Number:
		printed = m.String()
	case string:
		printed = withPoint(strings.TrimSpace(m))
	}
	if isNaN(printed) {
		return printed
	}
	if numberIn(printed) != printed {
		return ""
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(printed, "%"), 64)
	if err != nil || f > 100 {
		return ""
	}
	return printed
}
