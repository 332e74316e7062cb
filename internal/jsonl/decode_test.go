package jsonl_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

type entry struct {
	Query   string           `json:"query_id"`
	Ranking []string         `json:"ranking"`
	Scores  []float64        `json:"scores"`
	Gaps    []*float64       `json:"gaps"`
	Rank    int64            `json:"rank"`
	Small   uint8            `json:"small"`
	Short   int16            `json:"short"`
	Single  float32          `json:"single"`
	Score   *float64         `json:"score"`
	OK      bool             `json:"ok"`
	Items   []item           `json:"items"`
	Lists   [][]string       `json:"lists"`
	Config  map[string]any   `json:"config"`
	Names   map[string]int   `json:"names"`
	Maps    []map[string]any `json:"maps"`
	Time    time.Time        `json:"time"`
	Any     any              `json:"any,omitempty"`

	Untagged string
	//lint:ignore U1000 decoding must leave unexported fields alone
	hidden string
}

type item struct {
	Turn  string `json:"turn"`
	Grade *int   `json:"grade"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	half, two := 0.5, 2
	for line, want := range map[string]entry{
		`{}`:                         {},
		" {\t} \r\n":                 {},
		`{"unknown":{"a":[1,null]}}`: {},
		`{"query_id":"q1","ranking":["a","b"],"scores":[0.5,1e-3,-1],"rank":-3,"small":255,"score":0.5,"ok":true}`: {
			Query: "q1", Ranking: []string{"a", "b"}, Scores: []float64{0.5, 0.001, -1}, Rank: -3, Small: 255, Score: &half, OK: true,
		},
		` { "query_id" : "q1" , "ranking" : [ "a" , "b" ] , "score" : 0.5 } `: {
			Query: "q1", Ranking: []string{"a", "b"}, Score: &half,
		},
		`{"short":-32768,"single":1e38,"maps":[{"a":1}]}`: {Short: -32768, Single: 1e38, Maps: []map[string]any{{"a": 1.0}}},
		// escapes, in names too
		`{"query_\u0069d":"\ud83d\ude00\u00e9\n\ufffd"}`: {Query: "\U0001F600\u00e9\n\uFFFD"},
		// null as if absent
		`{"query_id":null,"ranking":null,"scores":null,"rank":null,"score":null,"items":null,"config":null,"time":null,"any":null}`: {},
		`{"items":[{"turn":null,"grade":null}]}`: {Items: []item{{}}},
		// exact names only
		`{"Query_ID":"x","RANKING":["x"],"items":[{"TURN":"x","turn":"t","grade":2}]}`: {Items: []item{{"t", &two}}},
		`{"":1,"Untagged":"x","hidden":"x","-":1}`:                                     {},
		`{"ranking":[],"items":[],"config":{}}`: {
			Ranking: []string{}, Items: []item{}, Config: map[string]any{},
		},
		`{"gaps":[0.5,null],"lists":[["a"],[]],"any":[null,1],"config":{"a":null,"A":"x"}}`: {
			Gaps: []*float64{&half, nil}, Lists: [][]string{{"a"}, {}}, Any: []any{nil, 1.0}, Config: map[string]any{"a": nil, "A": "x"},
		},
		`{"time":"2023-05-08T13:56:00Z"}`: {Time: time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)},
		// beyond what Scan understands
		manyMembers(33): {},
		`{"rank":1,"deep":` + nested("[", "]", 1001) + `}`: {Rank: 1},
		// only what is ignored is flawed
		`{"text":"\ud83d","n":1e999}`: {},
	} {
		var got entry
		p := jsonl.Decode([]byte(line), &got)
		require.Nil(t, p, "%s: %v", line, p)
		require.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(entry{})), "%s (-want +got)", line)
	}
}

func TestDecodeProblems(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		// syntax
		"":                                      "the line is empty; write one JSON object on each line",
		" \t":                                   "the line is empty; write one JSON object on each line",
		`{"rank":1`:                             "the line ends before its JSON value does; write one whole JSON object on each line",
		`{`:                                     "the line ends before its JSON value does; write one whole JSON object on each line",
		`{"query_id":"q`:                        "the line ends before its JSON value does; write one whole JSON object on each line",
		`{"rank":1} {"rank":2}`:                 "something follows the JSON value at byte 12; write one JSON object on each line",
		`{"rank":1},`:                           "something follows the JSON value at byte 11; write one JSON object on each line",
		`{"score":NaN}`:                         "malformed JSON at byte 10: NaN is no JSON value; write a number, or leave it out",
		`{"scores":[0.5, nan]}`:                 "malformed JSON at byte 17: nan is no JSON value; write a number, or leave it out",
		`{"scores":[-Infinity,1]}`:              "malformed JSON at byte 12: -Infinity is no JSON value; write a number, or leave it out",
		`{"score":+inf}`:                        "malformed JSON at byte 10: +inf is no JSON value; write a number, or leave it out",
		`{"score":None}`:                        "malformed JSON at byte 10: None is no JSON value; write null",
		`{"ok":True}`:                           "malformed JSON at byte 7: True is no JSON value; write true",
		`{"ok":FALSE}`:                          "malformed JSON at byte 7: FALSE is no JSON value; write false",
		`{'rank':1}`:                            `malformed JSON at byte 2: invalid character '\'' looking for beginning of object key string; put names and strings in double quotes`,
		`{"query_id":'q'}`:                      `malformed JSON at byte 13: invalid character '\'' looking for beginning of value; put names and strings in double quotes`,
		`{"rank":1,}`:                           "malformed JSON at byte 11: invalid character '}' looking for beginning of object key string; leave out the comma before it",
		`{"ranking":["a", ]}`:                   "malformed JSON at byte 18: invalid character ']' looking for beginning of value; leave out the comma before it",
		`{"ranking":]}`:                         "malformed JSON at byte 12: invalid character ']' looking for beginning of value",
		`{"rank":01}`:                           "malformed JSON at byte 10: invalid character '1' after object key:value pair",
		`{"rank":1.}`:                           "malformed JSON at byte 11: invalid character '}' after decimal point in numeric literal",
		`{"query_id":true"}`:                    "malformed JSON at byte 17: invalid character '\"' after object key:value pair",
		"{\"query_id\":\"None\tx\"}":            `malformed JSON at byte 18: invalid character '\t' in string literal; write it as the escape \u0009`,
		`{"query_id":"C:\nan\x"}`:               `malformed JSON at byte 21: invalid character 'x' in string escape code; write a backslash in a string as \\`,
		`{"query_id":"\u00g0"}`:                 `malformed JSON at byte 18: invalid character 'g' in \u hexadecimal character escape; write a backslash in a string as \\`,
		"{\u201crank\u201d:1}":                  "malformed JSON at byte 2: invalid character '\u201c' looking for beginning of object key string",
		"\uFEFF{}":                              "malformed JSON at byte 1: invalid character '\\ufeff' looking for beginning of value",
		"{\"query_id\":\"\xE9\"}":               "byte 14 (0xE9) is not UTF-8; save the file as UTF-8",
		"{\"text\":\"\xff\"}":                   "byte 10 (0xFF) is not UTF-8; save the file as UTF-8",
		`{"x":` + nested("[", "]", 10001) + `}`: "arrays and objects are nested too deep at byte 10005",
		// the line as a whole
		` ["a"] `:                   "the line is an array, not an object; write one JSON object on each line",
		` "a" `:                     `the line is the string "a", not an object; write one JSON object on each line`,
		` null `:                    "the line is null, not an object; write one JSON object on each line",
		` -12 `:                     "the line is the number -12, not an object; write one JSON object on each line",
		`{"rank":1,"x":2,"rank":1}`: `member "rank" occurs twice; keep one of the two`,
		`{"x":1,"\u0078":null}`:     `member "x" occurs twice; keep one of the two`,
		manyMembers(33)[:len(manyMembers(33))-1] + `,"m0":1}`: `member "m0" occurs twice; keep one of the two`,
		`{"items":[{"turn":"a","turn":"b"}]}`:                 `member "turn" in element 1 of "items" occurs twice; keep one of the two`,
		// types
		`{"query_id":7}`:               `"query_id" is the number 7, not a string; put it in double quotes`,
		`{"query_id":["q"]}`:           `"query_id" is an array, not a string; make it a string`,
		`{"ranking":"m1"}`:             `"ranking" is the string "m1", not an array of strings; make it an array of strings`,
		`{"ranking":{"a":1}}`:          `"ranking" is an object, not an array of strings; make it an array of strings`,
		`{"ranking":["a",null]}`:       `element 2 of "ranking" is null, not a string; make it a string`,
		`{"ranking":["a",true]}`:       `element 2 of "ranking" is true, not a string; make it a string`,
		`{"scores":[1,null]}`:          `element 2 of "scores" is null, not a number; make it a number`,
		`{"scores":[1,"0.5"]}`:         `element 2 of "scores" is the string "0.5", not a number; write the number without quotes`,
		`{"scores":[1e999]}`:           `element 1 of "scores" is the number 1e999, out of range for a number of 64 bits`,
		`{"scores":1}`:                 `"scores" is the number 1, not an array of numbers; make it an array of numbers`,
		`{"gaps":["x"]}`:               `element 1 of "gaps" is the string "x", not a number; write the number without quotes`,
		`{"gaps":1}`:                   `"gaps" is the number 1, not an array of numbers; make it an array of numbers`,
		`{"rank":1.0}`:                 `"rank" is the number 1.0, not an integer; make it an integer`,
		`{"rank":9223372036854775808}`: `"rank" is the number 9223372036854775808, out of range for an integer of 64 bits`,
		`{"small":-1}`:                 `"small" is the number -1, out of range for an integer from 0 on of 8 bits`,
		`{"small":256}`:                `"small" is the number 256, out of range for an integer from 0 on of 8 bits`,
		`{"short":32768}`:              `"short" is the number 32768, out of range for an integer of 16 bits`,
		`{"single":1e39}`:              `"single" is the number 1e39, out of range for a number of 32 bits`,
		`{"maps":[{},null]}`:           `element 2 of "maps" is null, not an object; make it an object`,
		`{"score":"0.5"}`:              `"score" is the string "0.5", not a number; write the number without quotes`,
		`{"score":false}`:              `"score" is false, not a number; make it a number`,
		`{"ok":"true"}`:                `"ok" is the string "true", not true or false; make it true or false`,
		`{"items":{}}`:                 `"items" is an object, not an array of objects; make it an array of objects`,
		`{"items":[1]}`:                `element 1 of "items" is the number 1, not an object; make it an object`,
		`{"items":[{},null]}`:          `element 2 of "items" is null, not an object; make it an object`,
		`{"items":[{},{"turn":1}]}`:    `"turn" in element 2 of "items" is the number 1, not a string; put it in double quotes`,
		`{"items":[{"grade":1.5}]}`:    `"grade" in element 1 of "items" is the number 1.5, not an integer; make it an integer`,
		`{"lists":["a"]}`:              `element 1 of "lists" is the string "a", not an array of strings; make it an array of strings`,
		`{"lists":[[],[1]]}`:           `element 1 of element 2 of "lists" is the number 1, not a string; put it in double quotes`,
		`{"config":[]}`:                `"config" is an array, not an object; make it an object`,
		`{"names":{"a":"b"}}`:          `"names" holds a wrong value (string), not an integer; make it an integer`,
		`{"time":"yesterday"}`:         `"time": parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`,
		// half a surrogate pair
		`{"query_id":"a\ud83d"}`:     `"query_id" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it`,
		`{"ranking":["a","\uDE00"]}`: `element 2 of "ranking" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it`,
		`{"any":{"a":["\ud83d"]}}`:   `"any" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it`,
		`{"x":1,"\ud83d":1}`:         `a member name has half a surrogate pair as an escape; write the whole character, or both \u escapes of it`,
		`{"items":[{"\ud83d":1}]}`:   `a member name in element 1 of "items" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it`,
		// long values are shortened, between characters
		`{"rank":"` + strings.Repeat("\u00e9", 31) + `"}`:  `"rank" is the string "` + strings.Repeat("\u00e9", 30) + `...", not an integer; write the number without quotes`,
		`{"rank":"x` + strings.Repeat("\u00e9", 31) + `"}`: `"rank" is the string "x` + strings.Repeat("\u00e9", 29) + `...", not an integer; write the number without quotes`,
	} {
		p := jsonl.Decode([]byte(line), new(entry))
		about := line[:min(len(line), 100)]
		if assert.NotNil(t, p, about) {
			assert.Equal(t, want, p.Error(), about)
		}
	}
}

// simple is what both readers are asked for below.
type simple struct {
	Query   *string   `json:"query_id"`
	Ranking []string  `json:"ranking"`
	Scores  []float64 `json:"scores"`
	Rank    *int64    `json:"rank"`
	OK      *bool     `json:"ok"`
	Items   []item    `json:"items"`
}

// byScan fills a simple by Scan; ok is false also when a type is wrong.
func byScan(line []byte) (s simple, ok bool) {
	fits := true
	ok = jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
		good := true
		switch string(name) {
		case "query_id":
			var b []byte
			if b, good = v.Bytes(); good {
				s.Query = new(string(b))
			}
		case "ranking":
			s.Ranking = []string{}
			good = v.Strings(func(b []byte) bool { s.Ranking = append(s.Ranking, string(b)); return true })
		case "scores":
			s.Scores = []float64{}
			good = v.Floats(func(x float64) bool { s.Scores = append(s.Scores, x); return true })
		case "rank":
			var n int64
			n, good = v.Int()
			s.Rank = &n
		case "ok":
			var b bool
			b, good = v.Bool()
			s.OK = &b
		case "items":
			s.Items = []item{}
			good = v.Elems(func(e jsonl.Value) bool {
				var it item
				fits := e.Kind() == jsonl.Object
				ok := jsonl.Scan(e.Raw(), func(name []byte, v jsonl.Value) bool {
					switch string(name) {
					case "turn":
						b, ok := v.Bytes()
						it.Turn = string(b)
						fits = fits && ok
					case "grade":
						n, ok := v.Int()
						it.Grade = new(int(n))
						fits = fits && ok
					}
					return true
				})
				s.Items = append(s.Items, it)
				return ok && fits
			})
		}
		fits = fits && good
		return true
	})
	return s, ok && fits
}

// folding matches lines with anything that encoding/json might take for the
// lower case letter of a name, and some more.
var folding = regexp.MustCompile(`[A-Z]|[^\x00-\x7F]|\\u(00[45]|0[^0]|[^0])`)

// consistent checks Decode against Scan and encoding/json.
func consistent(t require.TestingT, line []byte) (decoded bool) {
	var got simple
	before := string(line)
	p := jsonl.Decode(line, &got)
	require.Equal(t, before, string(line), "the line was changed")
	want, scanned := byScan(line)
	if p != nil {
		require.False(t, scanned, "Scan takes %q: %v", line, p)
		require.NotEmpty(t, p.What)
		require.True(t, utf8.ValidString(p.Error()), "%q", p.Error())
		require.NotContains(t, p.Error(), "\n")
		require.Less(t, len(p.Error()), 500)
		return false
	}
	require.True(t, json.Valid(line), "%q", line)
	require.True(t, utf8.Valid(line), "%q", line)
	if scanned {
		require.Equal(t, want, got, "Scan and Decode: %q", line)
	}
	if !folding.Match(line) {
		want = simple{}
		require.NoError(t, json.Unmarshal(line, &want), "%q", line)
		require.Equal(t, want, got, "encoding/json and Decode: %q", line)
	}
	return true
}

func TestDecodeAgreesWithScan(t *testing.T) {
	t.Parallel()
	decoded := 0
	rapid.Check(t, func(t *rapid.T) {
		if consistent(t, damaged().Draw(t, "line")) {
			decoded++
		}
		// Objects of members that fit.
		var members []string
		for _, m := range []struct{ name, text string }{
			{"query_id", jsonString().Draw(t, "query")},
			{"ranking", "[" + strings.Join(rapid.SliceOfN(jsonString(), 0, 3).Draw(t, "ranking"), ",") + "]"},
			{"scores", rapid.SampledFrom([]string{"[]", "[1,2.5e3 , -0]", "[0.1234567890123456]", "[1e400]"}).Draw(t, "scores")},
			{"rank", rapid.SampledFrom([]string{"1", "-0", "1.0", "1e2", "9223372036854775807", "9223372036854775808"}).Draw(t, "rank")},
			{"ok", rapid.SampledFrom([]string{"true", "false", "1"}).Draw(t, "ok")},
			{"items", rapid.SampledFrom([]string{"[]", `[{}]`, `[{"turn":"t","Turn":"u"},{"grade":1}]`, `[{"grade":null}]`, "[null]"}).Draw(t, "items")},
		} {
			if rapid.Bool().Draw(t, "present") {
				members = append(members, fmt.Sprintf("%q: %s", m.name, m.text))
			}
		}
		if consistent(t, []byte("{"+strings.Join(members, ", ")+"}")) {
			decoded++
		}
	})
	require.Positive(t, decoded)
}

func FuzzDecode(f *testing.F) {
	for _, lines := range [][]string{understood, refused, left} {
		for _, line := range lines {
			if len(line) < 1000 {
				f.Add([]byte(line))
			}
		}
	}
	f.Add([]byte(`{"query_id":"\u00e9","ranking":["a","\n"],"scores":[1,2.5],"rank":3,"ok":true,"items":[{"turn":"t","grade":1}]}`))
	f.Fuzz(func(t *testing.T, line []byte) { consistent(t, line) })
}
