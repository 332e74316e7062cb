package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parsePython reads a Python literal as repr writes it for a value of JSON:
// dictionaries with strings for keys, lists, strings, numbers, True, False and
// None. Anything else that Python would read is refused. The nodes have the line.
func parsePython(text string, line int) (node, error) {
	p := &pythonParser{text: text, line: line}
	n, err := p.value(0)
	if err == nil {
		if p.space(); p.at < len(text) {
			err = p.wrong("the literal goes on after its end")
		}
	}
	if err != nil {
		return node{}, err
	}
	return n, nil
}

// maxDepth is how deep lists and dictionaries may be nested.
const maxDepth = 100

type pythonParser struct {
	text string
	at   int
	line int
}

func (p *pythonParser) wrong(what string) error {
	return fmt.Errorf("%s (character %d of the literal)", what, utf8.RuneCountInString(p.text[:p.at])+1)
}

func (p *pythonParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next returns the byte at the next place that is no space, or 0 at the end.
func (p *pythonParser) next() byte {
	if p.space(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *pythonParser) value(depth int) (node, error) {
	n := node{line: p.line}
	switch c := p.next(); {
	case c == 0 && p.at == len(p.text):
		return n, p.wrong("the literal is cut off")
	case depth > maxDepth:
		return n, p.wrong("the literal is nested too deep")
	case c == '{' || c == '[':
		return p.list(depth)
	case c == '\'' || c == '"':
		s, err := p.quoted()
		n.kind, n.text = stringKind, s
		return n, err
	case c == '-' || c >= '0' && c <= '9':
		s, err := p.number()
		n.kind, n.text = numberKind, s
		return n, err
	}
	start := p.at
	for p.at < len(p.text) && (p.text[p.at]|0x20 >= 'a' && p.text[p.at]|0x20 <= 'z') {
		p.at++
	}
	switch p.text[start:p.at] {
	case "True", "False":
		n.kind = boolKind
	case "None":
		n.kind = nullKind
	default:
		p.at = start
		return n, p.wrong("no dictionary, list, string, number, True, False or None")
	}
	return n, nil
}

// list reads a list or a dictionary.
func (p *pythonParser) list(depth int) (node, error) {
	n := node{line: p.line, kind: arrayKind}
	end := byte(']')
	if p.text[p.at] == '{' {
		n.kind, end = objectKind, '}'
	}
	seen := make(map[string]bool)
	p.at++
	for first := true; p.next() != end; first = false {
		if !first {
			if p.next() != ',' {
				return n, p.wrong("no comma and no " + string(end))
			}
			p.at++
		}
		if n.kind == objectKind {
			if c := p.next(); c != '\'' && c != '"' {
				return n, p.wrong("a key is no string")
			}
			key, err := p.quoted()
			if err != nil {
				return n, err
			}
			if seen[key] {
				return n, p.wrong(fmt.Sprintf("the key %q occurs twice in one dictionary", key))
			}
			seen[key] = true
			if p.next() != ':' {
				return n, p.wrong("no colon after a key")
			}
			p.at++
			n.names = append(n.names, key)
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.elems = append(n.elems, v)
	}
	p.at++
	return n, nil
}

// quoted reads a string in single or double quotes.
func (p *pythonParser) quoted() (string, error) {
	quote := p.text[p.at]
	start := p.at
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case quote:
			p.at++
			return b.String(), nil
		case '\n':
			return "", p.wrong("a string goes over the end of a line")
		case '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.at = start
	return "", p.wrong("a string does not end")
}

// escape reads an escape sequence of those that repr writes.
func (p *pythonParser) escape() (rune, error) {
	if p.at+1 == len(p.text) {
		return 0, p.wrong("the literal is cut off")
	}
	digits := 0
	switch c := p.text[p.at+1]; c {
	case '\\', '\'', '"':
		p.at += 2
		return rune(c), nil
	case 'n':
		p.at += 2
		return '\n', nil
	case 'r':
		p.at += 2
		return '\r', nil
	case 't':
		p.at += 2
		return '\t', nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 0, p.wrong(fmt.Sprintf("the unknown escape \\%c", c))
	}
	end := p.at + 2 + digits
	if end > len(p.text) {
		return 0, p.wrong("the literal is cut off")
	}
	n, err := strconv.ParseUint(p.text[p.at+2:end], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, p.wrong("an escape that is no character")
	}
	p.at = end
	return rune(n), nil
}

// number reads an integer or a decimal fraction.
func (p *pythonParser) number() (string, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	text := p.text[start:p.at]
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		p.at = start
		return "", p.wrong("malformed number")
	}
	return text, nil
}
