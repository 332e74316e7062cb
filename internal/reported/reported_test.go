package reported_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/rank"
	"github.com/tiaptest/tiap/internal/reported"
)

// words are those of an audit of one system and target by one metric.
var words = reported.Words{
	Metric: func(name string) (rank.Metric, bool) {
		return rank.Metric{Kind: rank.NDCG, K: 10}, strings.EqualFold(name, "ndcg@10")
	},
	Target: func(name string) bool { return strings.EqualFold(name, "raw") },
	System: func(name string) bool { return name == "D1" },
}

func ExampleRead() {
	claims, unread, err := reported.Read([]byte(`Scored by evidence over 453 queries.

| system | target | nDCG@10 | R@10 |
| ------ | ------ | ------- | ---- |
| D1     | raw    | 61,4 %  | 0.7  |
`), words)
	for _, c := range claims {
		fmt.Printf("%s: %s %v\n", c.Where, c.Value, c.Stated)
	}
	fmt.Println(unread, err)
	// Output:
	// line 5, nDCG@10: 61.4 map[credit:evidence n:453 system:D1 target:raw]
	// [line 5, R@10 = 0.7: no metric has this name] <nil>
}

// JSON and Markdown say the same by their own means.
func TestRead(t *testing.T) {
	t.Parallel()
	want := reported.Claim{Metric: rank.Metric{Kind: rank.NDCG, K: 10}, Value: "0.5", Stated: reported.Statement{"system": "D1", "target": "raw", "n": "3"}}
	for text, where := range map[string]string{
		`{"system":"D1","target":"raw","queries":3,"ndcg@10":0.5}`:                             "ndcg@10",
		"\ufeff" + `{"D1":{"raw":{"n":"3","metric":"nDCG@10","value":0.5}}}`:                   "D1.raw.value",
		"{}\n" + `{"settings":{"model":"D1","n":3},"rows":[{"ndcg@10":{"raw":{"mean":0.5}}}]}`: "line 2, rows[0].ndcg@10.raw.mean",
		"n = 3\n\n|Model|raw nDCG@10|\n|-|-|\n|D1|**0.5**|\n":                                  "line 5, raw nDCG@10",
		"## Target raw, 3 queries\n\n| system | ndcg@10 |\n|--|--|\n| D1 | 🏆 0,5 |\n":          "line 5, ndcg@10",
	} {
		claims, unread, err := reported.Read([]byte(text), words)
		require.NoError(t, err, text)
		assert.Empty(t, unread, text)
		want.Where = where
		assert.Equal(t, []reported.Claim{want}, claims, text)
	}
	assert.True(t, reported.Claim{Value: "NaN"}.Undefined())
	assert.False(t, reported.Claim{Value: "0"}.Undefined())
}

// A file that is no report is an error, or holds nothing.
func TestReadNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "no table", "{}", "[]", `{"ndcg@10":"high"}`, "|a|\n|-|\n|0.5|\n"} {
		claims, unread, err := reported.Read([]byte(text), words)
		require.NoError(t, err, text)
		assert.Empty(t, claims, text)
		assert.Empty(t, unread, text)
	}
	_, _, err := reported.Read([]byte(`{"ndcg@10":`), words)
	require.ErrorContains(t, err, "malformed JSON")
}
