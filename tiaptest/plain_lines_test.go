package tiaptest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/problem"
)

// decodesAlike checks that a decoder does with each line what jsonl.Decode does. It
// returns how many lines were read.
func decodesAlike[T any](t require.TestingT, d decoder[T], general func(line []byte) (T, *problem.Problem), lines [][]byte) (n int) {
	for _, line := range lines {
		want, wrong := general(line)
		var got T
		require.Empty(t, cmp.Diff(wrong, d.Decode(line, &got)), "%s", line)
		if wrong == nil {
			require.Empty(t, cmp.Diff(want, got), "%s", line)
			n++
		}
	}
	return n
}

// inGeneral reads a line the general way.
func inGeneral[T any](line []byte) (v T, wrong *problem.Problem) {
	wrong = jsonl.Decode(line, &v)
	return v, wrong
}

func memoryInGeneral(line []byte) (m Memory, wrong *problem.Problem) {
	l, wrong := inGeneral[memoryLine](line)
	if wrong == nil {
		m = l.memory()
	}
	return m, wrong
}

// allDecode does so with every decoder of lines.
func allDecode(t require.TestingT, lines [][]byte) (memories, queries, turns, records int) {
	return decodesAlike(t, newMemoryDecoder(), memoryInGeneral, lines),
		decodesAlike(t, newQueryDecoder(), inGeneral[queryLine], lines),
		decodesAlike(t, newTurnDecoder(), inGeneral[Turn], lines),
		decodesAlike(t, newRecordDecoder(), inGeneral[recordLine], lines)
}

// The quick way and the general one read the same from the same lines, and refuse
// the same lines.
func TestDecoders(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{`"a"`, `"a"`, `"a"`, `"b"`, `""`, `"\u00e9\n"`, `"é"`, `null`, `7`, `"\ud800"`})
	lists := rapid.SampledFrom([]string{
		`null`, `[]`, `["t1"]`, `["t1"]`, `["t1","t2"]`, `[null]`, `["t1",{"turn":"t2"}]`, `"t1"`, `[["t1"]]`, `[""]`, `["\u0074"]`,
		`[{"turn":"t1","precision":"batch","origin":"inferred"}]`, `[{"turn":"t1","Precision":"batch"}]`,
		`[{"turn":"t1","more":1}]`, `[{"turn":null}]`, `[{"turn":1}]`, `[{"turn":"t1","turn":"t2"}]`, `[{}]`,
		`[{"turn":"t1","Turn":"t2","TURN":null}]`, `[{"Turn":"t1"}]`, `[{"turn":"\ud800"}]`,
		`[{"id":"u","turns":["t1","t2"]}]`, `[{"turns":[]}]`, `[{"turns":["t1"],"Turns":null,"ID":"u","more":[1]}]`, `[{"Turns":["t1"]}]`, `[{"id":null,"turns":["t1"]}]`,
	})
	for _, test := range []struct {
		name         string
		texts, lists []string
		decode       func(t require.TestingT, lines [][]byte) int
	}{
		{"memory", memoryMembers[:6], memoryMembers[6:], func(t require.TestingT, lines [][]byte) int {
			return decodesAlike(t, newMemoryDecoder(), memoryInGeneral, lines)
		}},
		{"query", queryMembers[:7], queryMembers[7:], func(t require.TestingT, lines [][]byte) int {
			return decodesAlike(t, newQueryDecoder(), inGeneral[queryLine], lines)
		}},
		{"turn", turnMembers, nil, func(t require.TestingT, lines [][]byte) int {
			return decodesAlike(t, newTurnDecoder(), inGeneral[Turn], lines)
		}},
		{"record", recordMembers[:4], recordMembers[4:], func(t require.TestingT, lines [][]byte) int {
			return decodesAlike(t, newRecordDecoder(), inGeneral[recordLine], lines)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			values := map[string]*rapid.Generator[string]{"else": texts}
			for _, name := range test.texts {
				values[name] = texts
			}
			for _, name := range test.lists {
				values[name] = lists
			}
			if test.name == "memory" {
				values["serving"] = rapid.SampledFrom([]string{"true", "false", "null", `"true"`})
			}
			names := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(values))), 0, len(values), rapid.ID)
			decoded := 0
			rapid.Check(t, func(t *rapid.T) {
				members := names.Draw(t, "members")
				var lines [][]byte
				for range rapid.IntRange(1, 6).Draw(t, "lines") {
					if rapid.IntRange(0, 4).Draw(t, "other members") == 0 {
						members = names.Draw(t, "members")
					}
					parts := make([]string, len(members))
					for i, name := range members {
						parts[i] = fmt.Sprintf("%q:%s", name, values[name].Draw(t, name))
					}
					lines = append(lines, []byte("{"+strings.Join(parts, ",")+"}"))
				}
				decoded += test.decode(t, lines)
			})
			require.Positive(t, decoded)
		})
	}
}

// Of a plain line nothing is allocated but what it is read into, which many lines
// share.
func TestDecodersShareAllocations(t *testing.T) {
	sharesAllocations[Memory](t, newMemoryDecoder(), `{"id":"m1","form":"fact","sources":["t1",{"turn":"t2"}],"parents":["m2"],"text":"some text"}`)
	sharesAllocations[queryLine](t, newQueryDecoder(), `{"id":"q1","scope":"s","text":"some text","evidence":["t1","t2"]}`)
	sharesAllocations[Turn](t, newTurnDecoder(), `{"id":"t1","session":"s","speaker":"a","text":"some text"}`)
	sharesAllocations[recordLine](t, newRecordDecoder(), `{"query_id":"q1","query_text":"some text","raw_ids":["m1"],"source_ids":["m1","m2"],"canonical_ids":[]}`)
}

func sharesAllocations[T any](t *testing.T, d decoder[T], text string) {
	t.Helper()
	line, into := []byte(text), new(T)
	assert.Less(t, testing.AllocsPerRun(200, func() {
		*into = *new(T)
		if wrong := d.Decode(line, into); wrong != nil {
			t.Error(wrong)
		}
	}), 0.5, text)
}

func FuzzDecoders(f *testing.F) {
	for _, text := range []string{
		`{"id":"m1","form":"raw","sources":["t1",{"turn":"t2","precision":"batch"}],"parents":["m2"],"serving":false,"text":"a"}`,
		`{"id":"q1","query_id":"q1","evidence":["t1",["t2"],{"id":"u","turns":["t3","t4"]}]}` + "\n" + `{"id":"q2","evidence":["t1"]}`,
		`{"id":"t1","session":"s","speaker":"a","time":"2026-01-02","text":"\u00e9"}` + "\n" + `{"id":"t2","session":"s"}`,
		`{"query_id":"q1","category":3,"query_text":"a","raw_ids":[],"source_ids":["m1"],"canonical_ids":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { allDecode(t, bytes.Split(text, []byte("\n"))) })
}
