package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

// label may stand as a string: "x" for {"name":"x"}.
type label struct{ Name string }

func (l *label) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		if err := json.Unmarshal(text, &l.Name); err != nil {
			return err
		}
	} else if err := json.Unmarshal(text, (*struct{ Name string })(l)); err != nil {
		return err
	}
	if l.Name == "" {
		return errors.New("no name; give one")
	}
	return nil
}

func (l *label) SetWord(s string) bool {
	l.Name = s
	return s != ""
}

// labelled has members of all kinds that a Decoder treats in ways of their own.
type labelled struct {
	Query   *string   `json:"query_id"`
	Ranking []string  `json:"ranking"`
	Scores  []float64 `json:"scores"`
	Rank    int64     `json:"rank"`
	OK      bool      `json:"ok"`
	Items   []item    `json:"items"`
	A       string    `json:"a"`
	Label   label     `json:"label"`
	Labels  []label   `json:"labels"`
}

// decodesAlike checks that a Decoder does with each line what Decode does. It
// returns how many were decoded.
func decodesAlike(t require.TestingT, lines [][]byte) (n int) {
	d := jsonl.NewDecoder[labelled]()
	for _, line := range lines {
		var want, got labelled
		wrong := jsonl.Decode(line, &want)
		require.Equal(t, wrong, d.Decode(line, &got), "%q", lines)
		if wrong == nil {
			require.Equal(t, want, got, "%q", lines)
			n++
		}
	}
	return n
}

func TestDecoderAgreesWithDecode(t *testing.T) {
	t.Parallel()
	decoded := 0
	rapid.Check(t, func(t *rapid.T) { decoded += decodesAlike(t, variants().Draw(t, "lines")) })
	require.Positive(t, decoded)
}

func TestDecoder(t *testing.T) {
	t.Parallel()
	for text, decoded := range map[string]int{
		`{"label":"x","labels":["y",{"name":"z"},"\u0041"]}`: 1,
		`{"label":""}`:                                    0,
		`{"label":"\ud800"}`:                              0,
		`{"labels":["x",""]}`:                             0,
		`{"labels":["x",null]}`:                           0,
		`{"labels":[]}` + "\n" + `{"labels":["x"]}`:       2,
		`{"a":"x","rank":1}` + "\n" + `{"a":1,"rank":1}`:  1,
		`{"a":"x","rank":1}` + "\n" + `{"rank":"1"}`:      1,
		`{"a":"x","rank":1}` + "\n" + `{"a":"y","ok":1}`:  1,
		`{"a":"x","ok":null}` + "\n" + `{"a":"x","ok":}`:  1,
		`{"items":[{"turn":"t"},{"turn":"u","grade":2}]}`: 1,
		`{"items":[{"turn":"t","turn":"u"}]}`:             0,
	} {
		assert.Equal(t, decoded, decodesAlike(t, bytes.Split([]byte(text), []byte("\n"))), text)
	}
}

func TestDecoderSharesAllocations(t *testing.T) {
	line := []byte(`{"a":"some text","ranking":["mem_1","mem_2","mem_3"],"label":"x","labels":["y","z"],"rank":1}`)
	d := jsonl.NewDecoder[labelled]()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		var v labelled
		if d.Decode(line, &v) != nil {
			t.Error("refused")
		}
	}), 4.0, "the struct, its two slices, strings now and then")
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"a":"x","label":"y","labels":["z",{"name":"\n"}]}` + "\n" + `{"a":"x","label":"y","labels":[{"name":""}]}`))
	for _, line := range understood {
		if len(line) < 1000 {
			f.Add([]byte(line + "\n" + strings.ReplaceAll(line, "a", "rank")))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { decodesAlike(t, bytes.Split(text, []byte("\n"))) })
}
