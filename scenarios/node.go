package scenarios

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/problem"
)

// kind is what a node is, as messages call it.
type kind string

const (
	nullKind   kind = "null"
	boolKind   kind = "a boolean"
	numberKind kind = "a number"
	stringKind kind = "a string"
	arrayKind  kind = "an array"
	objectKind kind = "an object"
)

// node is a value of a JSON file or of a Python literal.
type node struct {
	kind  kind
	line  int      // where it stands in the file, or ends
	text  string   // of a string, of a number as it is written
	names []string // of the members of an object, each once
	elems []node   // of an array, or the members of an object, in order
}

// member returns a member of an object; nil when there is none or it is null.
func (n *node) member(name string) *node {
	if i := slices.Index(n.names, name); i >= 0 && n.elems[i].kind != nullKind {
		return &n.elems[i]
	}
	return nil
}

// integer returns the digits of a number without fraction and exponent.
func (n *node) integer() (int, bool) {
	if n.kind != numberKind {
		return 0, false
	}
	v, err := strconv.Atoi(n.text)
	return v, err == nil
}

// faults collects what is wrong with the nodes of one file.
type faults struct {
	file string
	list problem.List
}

// add records a fault of a node. At is the way to it, such as sample conv-26, qa 30.
func (f *faults) add(n *node, at, what, mend string) {
	f.list.Add(f.file, n.line, at+": "+what, mend)
}

// enough is an error when there are so many faults that the file is read no further.
func (f *faults) enough() error {
	if f.list.Len() < limit.Problems {
		return nil
	}
	return &problem.Problem{File: f.file, What: fmt.Sprintf("reading stops after %d problems", limit.Problems), Mend: "mend these first"}
}

// is reports whether a node is of a kind, and records a fault unless it is.
func (f *faults) is(n *node, at string, want kind) bool {
	if n.kind != want {
		f.add(n, at, fmt.Sprintf("this is %s, not %s", n.kind, want), "make it "+string(want))
	}
	return n.kind == want
}

// optional returns a member that is absent or of a kind; another kind is a fault.
func (f *faults) optional(n *node, at, name string, want kind) *node {
	m := n.member(name)
	if m != nil && m.kind != want {
		f.add(m, at, fmt.Sprintf("%q is %s, not %s", name, m.kind, want), "make it "+string(want))
		return nil
	}
	return m
}

// required returns a member of a kind; else there is a fault and the result nil.
func (f *faults) required(n *node, at, name string, want kind) *node {
	if n.member(name) == nil {
		f.add(n, at, fmt.Sprintf("there is no %q", name), "add it as "+string(want))
		return nil
	}
	return f.optional(n, at, name, want)
}

// eachValue calls f with the JSON values of a file: the elements of an array, or
// one value after the other, as in JSON Lines, and says which. One value at a time
// is in memory.
func eachValue(file string, r io.Reader, f func(n *node) error) (array bool, err error) {
	in := bufio.NewReader(r)
	count := &lineCounter{r: in}
	dec := json.NewDecoder(count)
	broken := func(err error) error {
		at := dec.InputOffset()
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			// Offsets in errors of a Decoder leave out what it skips between values.
			rest, _ := io.ReadAll(dec.Buffered())
			if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(rest, new(json.RawMessage))); ok {
				at += max(e.Offset-1, 0)
			}
		} else if over, ok := errors.AsType[*limit.Error](err); ok {
			return &problem.Problem{File: file, Line: count.line(at), What: over.What, Mend: over.Mend}
		} else if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err // of the file itself
		}
		return &problem.Problem{File: file, Line: count.line(at), What: "malformed JSON: " + err.Error(), Mend: "if the file is cut off or damaged, get it again"}
	}
	array, err = opensArray(in)
	if err != nil {
		return array, err
	}
	if array {
		if _, err := dec.Token(); err != nil {
			return array, broken(err)
		}
	}
	var raw json.RawMessage
	for {
		count.most = dec.InputOffset() + limit.Line
		if !dec.More() {
			break
		}
		if err := dec.Decode(&raw); err != nil {
			return array, broken(err)
		}
		n, err := parseJSON(raw, count.line(dec.InputOffset()-int64(len(raw))))
		if err != nil {
			err.File = file
			return array, err
		}
		if err := f(&n); err != nil {
			return array, err
		}
	}
	if array {
		if _, err := dec.Token(); err != nil {
			return array, broken(err)
		}
	}
	switch _, err := dec.Token(); {
	case err == nil:
		return array, &problem.Problem{File: file, Line: count.line(dec.InputOffset()), What: "the file goes on after its end", Mend: "if it is damaged, get it again"}
	case err != io.EOF:
		return array, broken(err)
	}
	return array, nil
}

// opensArray reports whether the first character is that of an array.
func opensArray(r *bufio.Reader) (bool, error) {
	for {
		b, err := r.Peek(1)
		if err == io.EOF {
			return false, nil
		}
		if err != nil || !bytes.Contains([]byte(" \t\r\n"), b) {
			return err == nil && b[0] == '[', err
		}
		r.Discard(1)
	}
}

// parseJSON makes a node of a JSON value that begins in a line of its file.
func parseJSON(text []byte, line int) (node, *problem.Problem) {
	if !utf8.Valid(text) {
		for n := 1; n > 0; text = text[n:] { // up to the first byte that is none
			var r rune
			if r, n = utf8.DecodeRune(text); r == utf8.RuneError && n == 1 {
				break
			} else if r == '\n' {
				line++
			}
		}
		return node{}, &problem.Problem{Line: line, What: "the text is not UTF-8", Mend: "save the file as UTF-8"}
	}
	p := &jsonParser{text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: line}
	p.dec.UseNumber()
	n := p.value()
	return n, p.wrong
}

type jsonParser struct {
	text  []byte
	dec   *json.Decoder
	nodes int
	at    int // up to here lines are counted
	line  int
	wrong *problem.Problem
}

// token returns the next token, or nil and sets p.wrong.
func (p *jsonParser) token() json.Token {
	t, err := p.dec.Token()
	end := int(p.dec.InputOffset())
	p.line += bytes.Count(p.text[p.at:end], []byte("\n"))
	p.at = end
	if err != nil {
		p.fail("malformed JSON: "+err.Error(), "mend the syntax")
	}
	return t
}

func (p *jsonParser) fail(what, mend string) {
	if p.wrong == nil {
		p.wrong = &problem.Problem{Line: p.line, What: what, Mend: mend}
	}
}

func (p *jsonParser) value() node {
	t := p.token()
	n := node{kind: nullKind, line: p.line}
	if p.nodes++; p.nodes > limit.Values {
		p.fail(fmt.Sprintf("one value holds more than %d others", limit.Values), "look what it holds")
	}
	switch t := t.(type) {
	case bool:
		n.kind = boolKind
	case json.Number:
		n.kind, n.text = numberKind, t.String()
	case string:
		n.kind, n.text = stringKind, t
	case json.Delim:
		n.kind = arrayKind
		if t == '{' {
			n.kind = objectKind
		}
		seen := make(map[string]bool)
		for p.wrong == nil && p.dec.More() {
			if n.kind == objectKind {
				name, _ := p.token().(string)
				if seen[name] {
					p.fail(fmt.Sprintf("the member %q occurs twice in one object", name), "keep one of the two")
				}
				seen[name] = true
				n.names = append(n.names, name)
			}
			n.elems = append(n.elems, p.value())
		}
		if p.wrong == nil {
			p.token() // its end
		}
	}
	return n
}

// lineCounter finds the lines of offsets in what is read through it.
type lineCounter struct {
	r      io.Reader
	read   int64
	most   int64   // of read; 0 for any
	passed int     // newlines before all of ends
	ends   []int64 // offsets of the newlines that no offset has passed yet
}

func (c *lineCounter) Read(p []byte) (int, error) {
	if c.most > 0 && c.read > c.most {
		return 0, &limit.Error{What: "one value is longer than " + limit.Bytes(limit.Line), Mend: "look for a quotation mark or a bracket that does not close"}
	}
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// line returns the 1-based line of an offset, which is no less than that of the
// call before.
func (c *lineCounter) line(offset int64) int {
	i, _ := slices.BinarySearch(c.ends, offset)
	c.ends = c.ends[i:]
	c.passed += i
	return c.passed + 1
}
