package auditjson_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/auditjson"
)

type report = auditjson.Report[int, string, string, auditjson.Convention]

func written(r *report) func(io.Writer) error {
	return func(w io.Writer) error { return auditjson.Write(w, r) }
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	headline, value := "raw", 0.5
	want := &report{
		Schema:   auditjson.Schema,
		Scenario: auditjson.Scenario{Name: "<a> & b", Queries: 3, Unscorable: 1},
		Settings: auditjson.Settings{Depth: 60, Headline: &headline, Targets: []string{"raw"}, Level: 2},
		Systems:  []auditjson.System{{Name: "A", Covered: map[string]int{"raw": 2}, Forms: map[string]int{}}},
		Shared:   2,
		Scores:   []auditjson.Score{{System: "A", N: 2, Value: &value}, {System: "B"}},
		Pairs:    []string{"A - B"},
	}
	var got report
	require.NoError(t, auditjson.Read(written(want), &got))
	assert.Equal(t, want, &got)
	var text strings.Builder
	require.NoError(t, auditjson.Write(&text, want))
	assert.Contains(t, text.String(), `"name": "<a> & b"`)
}

func TestReadReportsErrors(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var got report
	require.ErrorIs(t, auditjson.Read(func(io.Writer) error { return full }, &got), full)
	broken := func(w io.Writer) error { _, err := io.WriteString(w, `{"schema":1}`); return err }
	require.ErrorContains(t, auditjson.Read(broken, &got), "the JSON report of the audit: ")
}

func TestWriteWith(t *testing.T) {
	t.Parallel()
	object := func(w io.Writer) error { _, err := io.WriteString(w, "{\n \"a\": 1\n}\n"); return err }
	for _, tt := range []struct {
		object any
		want   string
	}{
		{map[string]any{"b": []int{2}, "c": "<"}, "{\n \"a\": 1,\n \"b\": [\n  2\n ],\n \"c\": \"<\"\n}\n"},
		{map[string]any{}, "{\n \"a\": 1\n}\n"},
	} {
		var b strings.Builder
		require.NoError(t, auditjson.WriteWith(&b, object, tt.object))
		assert.Equal(t, tt.want, b.String())
	}
	full := errors.New("full")
	var b strings.Builder
	require.ErrorIs(t, auditjson.WriteWith(&b, func(io.Writer) error { return full }, 1), full)
	require.Error(t, auditjson.WriteWith(&b, object, func() {}))
	assert.Empty(t, b.String())
}
