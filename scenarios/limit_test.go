package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/scenarios"
)

// A sample may hold so many values, be so long, and have so many problems, and no more.
func TestSampleLimits(t *testing.T) {
	t.Parallel()
	sample := func(inside string) string {
		return `[{"sample_id":"conv-1","conversation":{"speaker_a":"Ada","session_1_date_time":"9:05 am on 12 March, 2031","session_1":[{"speaker":"Ada","dia_id":"D1:1","text":"I moved."}]},` +
			`"qa":[{"question":"Who moved?","answer":"Ada","evidence":["D1:1"],"category":4}],"more":[` + inside + `]}]`
	}
	const values = 18 // of the sample, without those inside
	for name, tt := range map[string]struct{ at, beyond, says string }{
		"values": {
			sample("0" + strings.Repeat(",0", limit.Values-values-1)), sample("0" + strings.Repeat(",0", limit.Values-values)),
			"FILE:1: one value holds more than 524288 others; look what it holds",
		},
		"length": {
			sample(`"` + strings.Repeat("x", limit.Line-64<<10) + `"`), sample(`"` + strings.Repeat("x", 2*limit.Line) + `"`),
			"FILE:1: one value is longer than 32 MiB; look for a quotation mark or a bracket that does not close",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				t.Skip("reads 100 MiB")
			}
			file := filepath.Join(t.TempDir(), "locomo.json")
			require.NoError(t, os.WriteFile(file, []byte(tt.at), 0o600))
			b, err := scenarios.LoCoMo(file)
			require.NoError(t, err)
			assert.Len(t, b.Scenario.Queries, 1)
			require.NoError(t, os.WriteFile(file, []byte(tt.beyond), 0o600))
			_, err = scenarios.LoCoMo(file)
			assert.EqualError(t, err, strings.ReplaceAll(tt.says, "FILE", file))
		})
	}
	for n, says := range map[int]string{
		limit.Problems - 1: "and 979 more problems in FILE",
		limit.Problems + 1: "FILE: reading stops after 1000 problems; mend these first",
	} {
		file := filepath.Join(t.TempDir(), "beam.jsonl")
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("{}\n", n)), 0o600))
		_, err := scenarios.BEAM(file)
		assert.ErrorContains(t, err, strings.ReplaceAll(says, "FILE", file))
		require.NoError(t, os.WriteFile(file, []byte("[{}"+strings.Repeat(",{}", n-1)+"]"), 0o600))
		_, err = scenarios.LoCoMo(file)
		assert.ErrorContains(t, err, strings.ReplaceAll(says, "FILE", file))
	}
}

// JSON that is cut off, or of which not all is JSON, is named by its line.
func TestMalformedSamples(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"[{\n\"a\":1,\n}]":         ":3: malformed JSON: ",
		"[\n{\"a\":[1}]}]":         ":2: malformed JSON: ",
		"[\n{\"a\":1,\"a\":2}]":    `:2: the member "a" occurs twice in one object; keep one of the two`,
		"[\n\n{\"a\":\"\xff\"}]":   ":3: the text is not UTF-8; save the file as UTF-8",
		"[]\n\n[]":                 ":3: the file goes on after its end; if it is damaged, get it again",
		"[{\"sample_id\":\"a\"}\n": ": malformed JSON: ",
	} {
		file := filepath.Join(t.TempDir(), "locomo.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := scenarios.LoCoMo(file)
		assert.ErrorContains(t, err, says, "%q", text)
	}
}
