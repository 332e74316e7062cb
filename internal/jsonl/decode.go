package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/problem"
)

// Decode stores the object on the line in the zero struct that v points to. It
// returns nil or what is wrong and how to mend it, without file and line; v may
// have been filled in part then.
//
// encoding/json judges the syntax and decodes the values. Around it Decode is
// stricter, in nested structs too: a member goes to the field whose json tag is
// exactly its name, others are ignored; a member that is null counts as absent;
// a null among the elements of a slice is refused unless these are pointers,
// interfaces or decode themselves. Names that occur twice and halves of
// surrogate pairs are refused, the latter not in members that are ignored.
//
// Fields without a json tag are left alone; of a tag only the name counts.
func Decode(line []byte, v any) *problem.Problem {
	if p := malformed(line); p != nil {
		return p
	}
	line = bytes.Trim(line, space)
	if line[0] != '{' {
		return &problem.Problem{What: "the line is " + describe(line) + ", not an object", Mend: oneObject}
	}
	return object(line, reflect.ValueOf(v).Elem(), nil)
}

const space = " \t\r\n" // of JSON

const oneObject = "write one JSON object on each line"

// place is where in the object a value stands: a member of up or, with an index
// above 0, an element.
type place struct {
	up    *place
	name  string
	index int
}

func (at *place) String() string {
	self := quote(at.name)
	if at.index > 0 {
		self = "element " + strconv.Itoa(at.index)
	}
	switch {
	case at.up == nil:
		return self
	case at.index > 0:
		return self + " of " + at.up.String()
	}
	return self + " in " + at.up.String()
}

// object decodes text, an object at the place, or the line's when that is nil.
func object(text []byte, dst reflect.Value, at *place) *problem.Problem {
	fields := make(map[string]reflect.Value)
	for i := range dst.NumField() {
		if name, _, _ := strings.Cut(dst.Type().Field(i).Tag.Get("json"), ","); name != "" {
			fields[name] = dst.Field(i)
		}
	}
	seen := make(map[string]bool)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.Token() // the brace; the syntax is known to be right from here on
	for dec.More() {
		before := dec.InputOffset()
		token, _ := dec.Token()
		name := token.(string)
		here := &place{up: at, name: name}
		if halfSurrogate(text[before:dec.InputOffset()]) {
			return &problem.Problem{What: "the name " + here.String() + " has half a surrogate pair as an escape", Mend: mendSurrogate}
		}
		if seen[name] {
			return &problem.Problem{What: "member " + here.String() + " occurs twice", Mend: "keep one of the two"}
		}
		seen[name] = true
		var val json.RawMessage
		dec.Decode(&val)
		if field, ok := fields[name]; ok && string(val) != "null" {
			if p := value(val, field, here); p != nil {
				return p
			}
		}
	}
	return nil
}

const mendSurrogate = `write the whole character, or both \u escapes of it`

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// value decodes text, which is valid and has no space around it.
func value(text []byte, dst reflect.Value, at *place) *problem.Problem {
	t := dst.Type()
	null := string(text) == "null"
	switch own := reflect.PointerTo(t).Implements(unmarshaler); {
	case own:
	case t.Kind() == reflect.Pointer:
		if null {
			return nil
		}
		dst.Set(reflect.New(t.Elem()))
		return value(text, dst.Elem(), at)
	case null && t.Kind() != reflect.Interface:
		return mismatch(text, t, at)
	case t.Kind() == reflect.Slice:
		if text[0] != '[' {
			return mismatch(text, t, at)
		}
		var elems []json.RawMessage
		json.Unmarshal(text, &elems)
		dst.Set(reflect.MakeSlice(t, len(elems), len(elems)))
		for i, elem := range elems {
			if p := value(elem, dst.Index(i), &place{up: at, index: i + 1}); p != nil {
				return p
			}
		}
		return nil
	case t.Kind() == reflect.Struct:
		if text[0] != '{' {
			return mismatch(text, t, at)
		}
		return object(text, dst, at)
	}
	if halfSurrogate(text) {
		return &problem.Problem{What: at.String() + " has half a surrogate pair as an escape", Mend: mendSurrogate}
	}
	err := json.Unmarshal(text, dst.Addr().Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return &problem.Problem{What: at.String() + ": " + err.Error()}
	case wrong.Type == t:
		return mismatch(text, t, at)
	}
	want := wanted(wrong.Type)
	return &problem.Problem{
		What: fmt.Sprintf("%s holds a wrong value (%s), not %s", at, wrong.Value, want),
		Mend: "make it " + want,
	}
}

// mismatch says that text is no value of type t.
func mismatch(text []byte, t reflect.Type, at *place) *problem.Problem {
	want := wanted(t)
	p := &problem.Problem{
		What: fmt.Sprintf("%s is %s, not %s", at, describe(text), want),
		Mend: "make it " + want,
	}
	k := t.Kind()
	number := text[0] == '-' || '0' <= text[0] && text[0] <= '9'
	whole := number && !bytes.ContainsAny(text, ".eE")
	switch {
	case number && k == reflect.String:
		p.Mend = "put it in double quotes"
	case text[0] == '"' && (isInteger(k) || isFloat(k)):
		p.Mend = "write the number without quotes"
	case whole && isInteger(k), number && isFloat(k):
		p.What = fmt.Sprintf("%s is %s, out of range for %s of %d bits", at, describe(text), want, t.Bits())
		p.Mend = ""
	}
	return p
}

func isInteger(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }
func isFloat(k reflect.Kind) bool   { return k == reflect.Float32 || k == reflect.Float64 }

// wanted says in words what the values of a type are.
func wanted(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.String:
		return "a string"
	case k == reflect.Bool:
		return "true or false"
	case isFloat(k):
		return "a number"
	case reflect.Uint <= k && k <= reflect.Uint64:
		return "an integer from 0 on"
	case isInteger(k):
		return "an integer"
	case k == reflect.Pointer:
		return wanted(t.Elem())
	case k == reflect.Slice, k == reflect.Array:
		return "an array of " + plural(t.Elem())
	}
	return "an object"
}

func plural(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.String:
		return "strings"
	case isFloat(k):
		return "numbers"
	case isInteger(k):
		return "integers"
	case k == reflect.Pointer:
		return plural(t.Elem())
	case k == reflect.Struct, k == reflect.Map:
		return "objects"
	}
	return "values"
}

// describe says in words what JSON text is; short text is shown.
func describe(text []byte) string {
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		var s string
		json.Unmarshal(text, &s)
		return "the string " + quote(s)
	case 't', 'f', 'n':
		return string(text)
	}
	return "the number " + shorten(string(text))
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

// shorten keeps messages readable.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
