package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/problem"
)

// malformed says why the line is not a JSON text in UTF-8, or returns nil.
// Places in it are bytes, counted from 1.
func malformed(line []byte) *problem.Problem {
	if len(bytes.TrimLeft(line, space)) == 0 {
		return &problem.Problem{What: "the line is empty", Mend: oneObject}
	}
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 {
			return &problem.Problem{
				What: fmt.Sprintf("byte %d (0x%02X) is not UTF-8", i+1, line[i]),
				Mend: "save the file as UTF-8",
			}
		}
		i += n
	}
	err := json.Unmarshal(line, new(json.RawMessage))
	if err == nil {
		return nil
	}
	syntax, ok := err.(*json.SyntaxError)
	if !ok || syntax.Offset < 1 || syntax.Offset > int64(len(line)) {
		return &problem.Problem{What: "malformed JSON: " + err.Error(), Mend: oneObject}
	}
	return explain(line, int(syntax.Offset)-1, syntax.Error())
}

// explain says what is wrong at line[i], where encoding/json gave up with the
// message.
func explain(line []byte, i int, message string) *problem.Problem {
	before := bytes.TrimRight(line[:i], space)
	switch {
	case message == "unexpected end of JSON input":
		return &problem.Problem{What: "the line ends before its JSON value does", Mend: "write one whole JSON object on each line"}
	case strings.HasSuffix(message, "after top-level value"):
		return &problem.Problem{What: fmt.Sprintf("something follows the JSON value at byte %d", i+1), Mend: oneObject}
	case strings.HasSuffix(message, "exceeded max depth"):
		return &problem.Problem{What: fmt.Sprintf("arrays and objects are nested too deep at byte %d", i+1)}
	}

	p := new(problem.Problem)
	if strings.HasSuffix(message, "beginning of value") || strings.HasSuffix(message, "in numeric literal") ||
		strings.Contains(message, "in literal") {
		word, start := wordAt(line, i)
		p.What = fmt.Sprintf("malformed JSON at byte %d: %s is no JSON value", start+1, shorten(word))
		switch lower := strings.ToLower(strings.TrimLeft(word, "+-")); lower {
		case "nan", "inf", "infinity":
			p.Mend = "write a number, or leave it out"
			return p
		case "none", "null", "nil", "undefined":
			p.Mend = "write null"
			return p
		case "true", "false":
			p.Mend = "write " + lower
			return p
		}
	}

	// encoding/json takes the first byte for a character.
	if r, _ := utf8.DecodeRune(line[i:]); r >= utf8.RuneSelf {
		message = strings.Replace(message, strconv.QuoteRune(rune(line[i])), strconv.QuoteRune(r), 1)
	}
	p.What = fmt.Sprintf("malformed JSON at byte %d: %s", i+1, message)
	switch c := line[i]; {
	case strings.HasSuffix(message, "in string literal"):
		p.Mend = fmt.Sprintf(`write it as the escape \u%04x`, c)
	case strings.Contains(message, "escape"):
		p.Mend = `write a backslash in a string as \\`
	case c == '\'':
		p.Mend = "put names and strings in double quotes"
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte{','}):
		p.Mend = "leave out the comma before it"
	}
	return p
}

// wordAt returns the run of letters and signs around line[i], and its start.
func wordAt(line []byte, i int) (string, int) {
	part := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '-' }
	start, end := i, i
	for start > 0 && part(line[start-1]) {
		start--
	}
	for end < len(line) && part(line[end]) {
		end++
	}
	return string(line[start:end]), start
}
