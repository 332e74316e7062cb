package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

// tree gives a value as encoding/json does with UseNumber.
func tree(t require.TestingT, v jsonl.Value) any {
	switch v.Kind() {
	case jsonl.Null:
		return nil
	case jsonl.False, jsonl.True:
		b, ok := v.Bool()
		require.True(t, ok)
		return b
	case jsonl.Number:
		return json.Number(v.Raw())
	case jsonl.String:
		s, ok := v.Bytes()
		require.True(t, ok)
		return string(s)
	case jsonl.Array:
		list := []any{}
		require.True(t, v.Elems(func(e jsonl.Value) bool {
			list = append(list, tree(t, e))
			return true
		}))
		return list
	}
	return decode(t, v.Raw())
}

func decode(t require.TestingT, text []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v))
	_, err := dec.Token()
	require.Equal(t, io.EOF, err)
	return v
}

func scan(t require.TestingT, line []byte) (members map[string]any, ok bool) {
	members = map[string]any{}
	ok = jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
		require.NotContains(t, members, string(name))
		members[string(name)] = tree(t, v)
		return true
	})
	return members, ok
}

// agree checks that Scan understands nothing that encoding/json would refuse
// or take for something else.
func agree(t require.TestingT, line []byte) (ok bool) {
	before := string(line)
	got, ok := scan(t, line)
	require.Equal(t, before, string(line), "the line was changed")
	if !ok {
		return false
	}
	require.True(t, json.Valid(line), "not JSON: %q", line)
	require.True(t, utf8.Valid(line), "not UTF-8: %q", line)
	want, isObject := decode(t, line).(map[string]any)
	require.True(t, isObject)
	for name, v := range want {
		if v == nil {
			delete(want, name)
		}
	}
	require.Equal(t, want, got, "encoding/json and Scan: %q", line)
	return true
}

func nested(open, shut string, depth int) string {
	return strings.Repeat(open, depth) + strings.Repeat(shut, depth)
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":%d`, i, i)
	}
	return "{" + b.String()[1:] + "}"
}

var understood = []string{
	`{}`,
	" \t{ \r\n} ",
	`{"a":1}`,
	`{"":""}`,
	`{"query_id":"conv-26/qa0","system":"d1","ranking":["mem_1","mem_22","a long id of several words"],"scores":[0.5,1e-3,-0]}`,
	`{"rank": 1, "score": 0.9, "id": "obs_1"}`,
	` { "a" : [ ] , "b" : [ 1 , "x" ] , "c" : { } , "d" : { "e" : null , "e" : 1 } } `,
	`{"t":true,"f":false,"n":null}`,
	`{"n":[0,-0,10,1.5,-1.50,1e5,1E+5,1.0e-05,12345678901234567890,1e999]}`,
	`{"s":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00\u0000\ufffd"}`,
	"{\"\u00e9\":\"\u00e9\u20AC\U0001F600\u007f\uFFFD\"}",
	`{"deep":` + nested("[", "]", 1000) + `}`,
	`{"deep":` + nested(`{"a":[`, "]}", 499) + `}`,
	manyMembers(32),
}

var refused = []string{
	"", " ", "{", "}", "{}}", "{},", "{}{}", "{} x", "[]", `"a"`, "1", "null", "\uFEFF{}", "{}\x00", "{}\v",
	`{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a" 1}`, `{"a"::1}`, `{"a":1,,"b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{"a":1;"b":2}`,
	`{"a":1} x`, `{"a":1}}`, `{"a":1}{}`, `{"a":1`, `{"a":`, `{"a"`, `{"a`, `{"a":1,`, `{"a":"`, `{"a":"x`, `{"a":[`, `{"a":[1`, `{"a":[1,`, `{"a":{"b"`, `{"a":{"b":`, `{"a":{"b":1`,
	`{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":[1}`, `{"a":{1}}`, `{"a":{"b"}}`, `{"a":{"b":1,}}`, `{"a":{"b" 1}}`, `{"a":{"b":1]}`, `{"a":{"b":x}}`,
	`{"a":tru}`, `{"a":truE}`, `{"a":trues}`, `{"a":nul`, `{"a":None}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":-Infinity}`,
	`{"a":01}`, `{"a":-}`, `{"a":-01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":1.e5}`, `{"a":1e}`, `{"a":1e+}`, `{"a":0x10}`, `{"a":1_000}`, `{"a":--1}`, `{"a":1.2.3}`, `{"a":[1.]}`,
	"{\"a\":\"\t\"}", "{\"a\":\"long enough for a word \x00\"}", "{\"a\x1f\":1}", `{"a":"\x"}`, `{"a":"\`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":"\u123`, `{"a":"\U0041"}`,
	`{"a":"\"}`,
	"{\"a\":\"\xff\"}", "{\"a\":\"\xc3\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xc0\x80\"}", "{\"\xff\":1}", "{\"a\":[{\"b\":\"12345678\x80\"}]}",
}

// What encoding/json takes, but Scan does not.
var left = []string{
	`{"a":1,"a":1}`, `{"a":1,"b":2,"a":null}`, `{"":1,"":2}`, `{"a long name 1":1,"a long name 1":2}`,
	`{"\u0061":1}`,
	`{"a":"\ud800"}`, `{"a":"\udc00"}`, `{"a":"\ud800\ud800"}`, `{"a":"\ud800x"}`, `{"a":"\ud83d\u0041"}`, `{"a":"\udc00\ud800"}`, `{"a":["\ud800"]}`,
	`{"deep":` + nested("[", "]", 1001) + `}`,
	manyMembers(33),
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, line := range understood {
		require.True(t, agree(t, []byte(line)), line)
	}
	for _, line := range refused {
		require.False(t, json.Valid([]byte(line)) && utf8.ValidString(line) && strings.Contains(line, "{"), line)
		require.False(t, agree(t, []byte(line)), line)
	}
	for _, line := range left {
		require.True(t, json.Valid([]byte(line)), line)
		require.False(t, agree(t, []byte(line)), line)
	}
}

// Each byte in each position of a string, so that words of eight are tried
// with every content at every offset.
func TestScanStringBytes(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for _, length := range []int{1, 7, 8, 9, 17} {
			for at := range length {
				s := bytes.Repeat([]byte{'x'}, length)
				s[at] = byte(c)
				line := append(append([]byte(`{"a":["`), s...), `"]}`...)
				ok := agree(t, line)
				if want := c >= ' ' && c < 0x80 && c != '"' && c != '\\'; ok != want && c != '\\' {
					t.Fatalf("byte 0x%02X at %d of %d: %v", c, at, length, ok)
				}
			}
		}
	}
}

// Names that agree in all but one byte are told apart.
func TestScanNames(t *testing.T) {
	t.Parallel()
	for length := 1; length < 40; length++ {
		for at := range length {
			a := strings.Repeat("x", length)
			b := a[:at] + "y" + a[at+1:]
			require.True(t, agree(t, fmt.Appendf(nil, `{%q:1,%q:2}`, a, b)))
			require.False(t, agree(t, fmt.Appendf(nil, `{%q:1,%q:2}`, b, b)))
		}
	}
}

func TestScanStops(t *testing.T) {
	t.Parallel()
	calls := 0
	require.False(t, jsonl.Scan([]byte(`{"a":1,"b":2,"c":3}`), func(name []byte, _ jsonl.Value) bool {
		calls++
		return string(name) != "b"
	}))
	require.Equal(t, 2, calls)
}

func TestScanLeavesNullsOut(t *testing.T) {
	t.Parallel()
	got, ok := scan(t, []byte(`{"a":null,"b":[null]}`))
	require.True(t, ok)
	require.Equal(t, map[string]any{"b": []any{nil}}, got)
}

func TestScanDoesNotAllocate(t *testing.T) {
	ids, scores := rankings(1, true), hits(1)
	require.Zero(t, testing.AllocsPerRun(10, func() { scanRanked(ids); scanHit(scores) }))
}

// jsonText draws JSON text, not always in its plainest form.
func jsonText(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\t \r\n"}).Draw(t, "space") }
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return jsonString().Draw(t, "string")
		case 1:
			return rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		case 2:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
		case 3:
			s, _ := json.Marshal(rapid.String().Draw(t, "text"))
			return string(s)
		case 4:
			elems := rapid.SliceOfN(jsonText(depth-1), 0, 5).Draw(t, "elements")
			return "[" + space() + strings.Join(elems, space()+","+space()) + space() + "]"
		}
		return jsonObject(depth-1).Draw(t, "object")
	})
}

func jsonString() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "mem_1", "twelve bytes", " ", "'", "/", "\u007f", "\u00e9", "\u20ac", "\U0001F600", "\uFFFD",
		`\n`, `\"`, `\\`, `\/`, `\u0041`, `\u0000`, `\uFFFD`, `\ud83d\ude00`, `\uD83D`, `\ude00`,
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(s []string) string { return `"` + strings.Join(s, "") + `"` })
}

func jsonObject(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\r\n\t"}).Draw(t, "space") }
		name := rapid.OneOf(
			rapid.SampledFrom([]string{`"query_id"`, `"ranking"`, `"scores"`, `"rank"`, `"ok"`, `"Ranking"`, `"items"`, `"\u0072ank"`}),
			jsonString())
		var members []string
		for range rapid.IntRange(0, 6).Draw(t, "members") {
			members = append(members, name.Draw(t, "name")+space()+":"+space()+jsonText(depth).Draw(t, "value"))
		}
		return "{" + space() + strings.Join(members, space()+","+space()) + space() + "}"
	})
}

// damaged draws an object whose bytes are mostly left as they are.
func damaged() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		line := []byte(jsonObject(3).Draw(t, "object"))
		at := rapid.IntRange(0, len(line)-1)
		switch rapid.IntRange(0, 7).Draw(t, "damage") {
		case 0:
			line[at.Draw(t, "at")] = rapid.SampledFrom([]byte("{}[]\",:\\ \n\x00\x80\xff0-.eEtnu")).Draw(t, "byte")
		case 1:
			i := at.Draw(t, "at")
			line = append(line[:i], line[i+1:]...)
		case 2:
			line = line[:at.Draw(t, "at")]
		}
		return line
	})
}

func TestScanAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { agree(t, damaged().Draw(t, "line")) })
}

func FuzzScan(f *testing.F) {
	for _, lines := range [][]string{understood, refused, left} {
		for _, line := range lines {
			if len(line) < 1000 {
				f.Add([]byte(line))
			}
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, line) })
}
