package phrase_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/phrase"
)

// TestShown: -v shows more, and not all.
func TestShown(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3, phrase.Shown(false))
	assert.Equal(t, 10, phrase.Shown(true))
}

func TestName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"q1": "q1", "a b": "a b", `a"b\c`: `a"b\c`, "日本": "日本",
		"": `""`, " a": `" a"`, "a ": `"a "`, "a\nb": `"a\nb"`, "a\u202eb": `"a\u202eb"`, "a\xff": `"a\xff"`,
	} {
		assert.Equal(t, want, phrase.Name(id))
	}
	rapid.Check(t, func(r *rapid.T) {
		id := rapid.String().Draw(r, "id")
		assert.NotContains(r, phrase.Name(id), "\n")
		assert.NotEmpty(r, phrase.Name(id))
	})
}

// TestText: what prints stands as it is, and all else is told apart by quotes.
func TestText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "", "a": "a", " a ": " a ", `a"b\c`: `a"b\c`, "日本": "日本", "\ufffd": "\ufffd",
		"a\nb": `"a\nb"`, "a\tb": `"a\tb"`, "a\u202eb": `"a\u202eb"`, "a\u00a0b": `"a\u00a0b"`, "a\xff": `"a\xff"`,
	} {
		assert.Equal(t, want, phrase.Text(s))
	}
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.String().Draw(r, "s")
		text := phrase.Text(s)
		if text != s {
			back, err := strconv.Unquote(text)
			require.NoError(r, err)
			assert.Equal(r, s, back)
		}
		assert.NotContains(r, text, "\n")
	})
}

func TestQuery(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 60)
	for _, c := range []struct {
		id, text string
		units    [][]string
		want     string
	}{
		{"q1", "", nil, "q1"},
		{"q 1", "where?", nil, `q 1 "where?"`},
		{"q1", "where?\n", [][]string{{"t1"}}, `q1 "where?\n" gold t1`},
		{"q\n", "", [][]string{{"t1", "t2"}, {"t3"}}, `"q\n" gold t1|t2, t3`},
		{"q1", "", [][]string{{"t\n"}}, `q1 gold "t\n"`},
		{"q1", long, [][]string{{long}}, `q1 "` + long + `" gold ` + long},
		{"q1", long + "é", [][]string{{long}, {"t"}}, `q1 "` + long[:2*57] + `..." gold ` + long[:2*57] + "..."},
	} {
		assert.Equal(t, c.want, phrase.Query(c.id, c.text, c.units, func(turns []string) []string { return turns }))
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "+0.0000", 0.5: "+0.5000", -0.25: "-0.2500", 1.23456: "+1.2346"} {
		assert.Equal(t, want, phrase.Signed(x))
	}
	assert.Equal(t, "+0.0000", phrase.Signed(math.Copysign(0, -1)))
	for _, none := range [][]float64{nil, {}, {1}, {1, 2, 3}} {
		assert.Equal(t, "-", phrase.Interval(none))
	}
	assert.Equal(t, "[-0.1000, +0.0000]", phrase.Interval([]float64{-0.1, math.Copysign(0, -1)}))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64][2]string{0: {"0.0000", "0.0%"}, 0.12345: {"0.1235", "12.3%"}, 1: {"1.0000", "100.0%"}} {
		assert.Equal(t, want, [2]string{phrase.Decimals(&x), phrase.Percent(&x)})
	}
	assert.Equal(t, "-", phrase.Decimals(nil))
	assert.Equal(t, "-", phrase.Percent(nil))
}

// TestEntries: each has a line of its own, and together they are the list.
func TestEntries(t *testing.T) {
	t.Parallel()
	type entry struct {
		A string `json:"a"`
	}
	assert.Empty(t, phrase.Entries[entry](nil, "  "))
	assert.Equal(t, "\n  [{\"a\":\"<1>\"}]", phrase.Entries([]entry{{"<1>"}}, "  "))
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SliceOfN(rapid.Map(rapid.String(), func(s string) entry { return entry{strings.ToValidUTF8(s, "?")} }), 1, 4).Draw(r, "list")
		text := phrase.Entries(list, "\t")
		assert.Equal(r, len(list), strings.Count(text, "\n"))
		assert.Equal(r, len(list), strings.Count(text, "\n\t"))
		var back []entry
		require.NoError(r, json.Unmarshal([]byte(text), &back))
		assert.Equal(r, list, back)
	})
}

func TestP(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "-", phrase.P(nil))
	for p, want := range map[float64]string{1: "1", 0.1234: "0.12", 0.05: "0.05", 0.00123: "0.0012", 0.0001: "0.0001", 0.00009999: "<0.0001", 0: "<0.0001"} {
		assert.Equal(t, want, phrase.P(&p))
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	assert.Empty(t, phrase.Known(0, 2))
	assert.Equal(t, ", 1 of 2 known", phrase.Known(1, 2))
	assert.Equal(t, ", known", phrase.Known(2, 2))
	assert.Equal(t, ", known", phrase.Known(1, 1))
}

func TestLevel(t *testing.T) {
	t.Parallel()
	for alpha, want := range map[float64]string{
		0.05: "95%", 0.1: "90%", 0.07: "93%", 0.001: "99.9%", 0.00125: "99.875%", 0.05 / 24: "99.7917%", 0.9: "10%", 1e-9: "99.9999999%",
	} {
		assert.Equal(t, want, phrase.Level(alpha))
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "category 1", phrase.Categories([]string{"1"}))
	assert.Equal(t, `categories 1, 2, "a\n"`, phrase.Categories([]string{"1", "2", "a\n"}))
	assert.Equal(t, `category ""`, phrase.Categories([]string{""}))
}
