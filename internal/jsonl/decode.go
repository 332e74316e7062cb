package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/problem"
)

// Decode stores the object on the line in the zero struct that v points to. It
// returns nil or what is wrong and how to mend it, without file and line; v may
// have been filled in part then.
//
// It does what encoding/json does, but stricter, in nested structs too. A
// member goes to the field whose json tag is exactly its name, others are
// ignored. A member that is null counts as absent; a null among the elements of
// a slice is refused unless these are pointers, interfaces or decode
// themselves. Names that occur twice and halves of surrogate pairs are refused,
// the latter not in members that are ignored.
//
// Fields without a json tag are left alone; of a tag only the name counts.
// Strings, booleans, numbers, pointers, slices and structs are decoded here,
// all else, and what has an UnmarshalJSON method, by encoding/json.
func Decode(line []byte, v any) *problem.Problem {
	strict := Scan(line, anything)
	if !strict {
		if p := malformed(line); p != nil {
			return p
		}
	}
	line = bytes.Trim(line, space)
	if line[0] != '{' {
		return &problem.Problem{What: "the line is " + describe(valueAt(line, 0)) + ", not an object", Mend: oneObject}
	}
	if f := object(line, strict, reflect.ValueOf(v).Elem()); f != nil {
		return &problem.Problem{What: f.place + f.what, Mend: f.mend}
	}
	return nil
}

func anything([]byte, Value) bool { return true }

const (
	space        = " \t\r\n" // of JSON
	oneObject    = "write one JSON object on each line"
	halfPair     = " has half a surrogate pair as an escape"
	mendHalfPair = `write the whole character, or both \u escapes of it`
)

// fault says what is wrong with a value. Its place is put together on the way
// out: `"turn" in element 2 of "items"`.
type fault struct {
	place, what, mend string
	element           bool // the last part of place is an element
}

// in adds the next outer part to the place.
func (f *fault) in(part string, element bool) *fault {
	switch {
	case f.place == "":
		f.place = part
	case f.element:
		f.place += " of " + part
	default:
		f.place += " in " + part
	}
	f.element = element
	return f
}

// indexes maps struct types to their fields by the names of their tags.
var indexes sync.Map // reflect.Type to map[string]int

func fieldsOf(t reflect.Type) map[string]int {
	if m, ok := indexes.Load(t); ok {
		return m.(map[string]int)
	}
	m := make(map[string]int)
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			m[name] = i
		}
	}
	indexes.Store(t, m)
	return m
}

// object decodes the text of an object. Strict says that Scan understands it.
func object(text []byte, strict bool, dst reflect.Value) *fault {
	fields := fieldsOf(dst.Type())
	var seen map[string]bool
	if !strict {
		seen = make(map[string]bool)
	}
	for i := first(text); text[i] != '}'; {
		end := endOfString(text, i)
		name := text[i+1 : end-1]
		if !strict { // else there are no escapes and no name occurs twice
			if halfSurrogate(name) {
				return &fault{place: "a member name", what: halfPair, mend: mendHalfPair}
			}
			name = appendUnescaped(nil, name)
			if seen[string(name)] {
				return &fault{place: "member " + quote(string(name)), what: " occurs twice", mend: "keep one of the two"}
			}
			seen[string(name)] = true
		}
		i = skipSpace(text, skipSpace(text, end)+1)
		v := valueAt(text, i)
		if k, ok := fields[string(name)]; ok && v.kind != Null {
			if f := decode(v, dst.Field(k)); f != nil {
				return f.in(quote(string(name)), false)
			}
		}
		i = next(text, i+len(v.raw))
	}
	return nil
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	plainString = reflect.TypeFor[string]()
)

func decode(v Value, dst reflect.Value) *fault {
	t := dst.Type()
	if v.kind == String && t == plainString {
		if bytes.IndexByte(v.raw, '\\') < 0 {
			dst.SetString(string(v.raw[1 : len(v.raw)-1]))
			return nil
		}
	} else if t.PkgPath() != "" {
		if _, ok := dst.Addr().Interface().(json.Unmarshaler); ok {
			return foreign(v, dst)
		}
	}
	fits := false
	switch k := t.Kind(); k {
	case reflect.Pointer:
		if v.kind == Null {
			return nil
		}
		dst.Set(reflect.New(t.Elem()))
		return decode(v, dst.Elem())
	case reflect.Struct:
		if v.kind == Object {
			return object(v.raw, Scan(v.raw, anything), dst)
		}
	case reflect.Slice:
		if v.kind == Array {
			return slice(v, dst)
		}
	case reflect.String:
		if v.kind == String && halfSurrogate(v.raw) {
			return &fault{what: halfPair, mend: mendHalfPair}
		}
		var s []byte
		if s, fits = v.Bytes(); fits {
			dst.SetString(string(s))
		}
	case reflect.Bool:
		var b bool
		if b, fits = v.Bool(); fits {
			dst.SetBool(b)
		}
	case reflect.Float32, reflect.Float64:
		var x float64
		if x, fits = v.Float(); fits {
			if fits = !dst.OverflowFloat(x); fits {
				dst.SetFloat(x)
			}
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var n int64
		if n, fits = v.Int(); fits {
			if fits = !dst.OverflowInt(n); fits {
				dst.SetInt(n)
			}
		}
	default:
		if v.kind == Null && k != reflect.Interface {
			break
		}
		return foreign(v, dst)
	}
	if !fits {
		return mismatch(v, t)
	}
	return nil
}

func slice(v Value, dst reflect.Value) (f *fault) {
	n := 0
	v.Elems(func(Value) bool { n++; return true })
	if n == 0 {
		dst.Set(reflect.MakeSlice(dst.Type(), 0, 0))
		return nil
	}
	dst.Grow(n)
	dst.SetLen(n)
	i := 0
	v.Elems(func(e Value) bool {
		if f = decode(e, dst.Index(i)); f != nil {
			f.in("element "+strconv.Itoa(i+1), true)
		}
		i++
		return f == nil
	})
	return f
}

// foreign leaves the decoding to encoding/json.
func foreign(v Value, dst reflect.Value) *fault {
	if halfSurrogate(v.raw) {
		return &fault{what: halfPair, mend: mendHalfPair}
	}
	err := json.Unmarshal(v.raw, dst.Addr().Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return &fault{what: ": " + err.Error()}
	case wrong.Type == dst.Type():
		return mismatch(v, dst.Type())
	}
	want := wanted(wrong.Type)
	return &fault{
		what: fmt.Sprintf(" holds a wrong value (%s), not %s", wrong.Value, want),
		mend: "make it " + want,
	}
}

// mismatch says that v is no value of type t.
func mismatch(v Value, t reflect.Type) *fault {
	want := wanted(t)
	f := &fault{
		what: fmt.Sprintf(" is %s, not %s", describe(v), want),
		mend: "make it " + want,
	}
	k := t.Kind()
	whole := v.kind == Number && !bytes.ContainsAny(v.raw, ".eE")
	switch {
	case v.kind == Number && k == reflect.String:
		f.mend = "put it in double quotes"
	case v.kind == String && (isInteger(k) || isFloat(k)):
		f.mend = "write the number without quotes"
	case whole && isInteger(k), v.kind == Number && isFloat(k):
		f.what = fmt.Sprintf(" is %s, out of range for %s of %d bits", describe(v), want, t.Bits())
		f.mend = ""
	}
	return f
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
	case reflect.PointerTo(t).Implements(unmarshaler):
		return "values" // of several kinds, perhaps
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

// describe says in words what a value is; a short one is shown.
func describe(v Value) string {
	switch v.kind {
	case Object:
		return "an object"
	case Array:
		return "an array"
	case String:
		var s string
		json.Unmarshal(v.raw, &s) // takes halves of surrogate pairs too
		return "the string " + quote(s)
	case Number:
		return "the number " + shorten(string(v.raw))
	}
	return string(v.raw)
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
