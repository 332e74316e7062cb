package jsonl_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

// value gives the value that the text is.
func value(t require.TestingT, text string) (v jsonl.Value) {
	ok := jsonl.Scan([]byte(`{"v":`+text+`}`), func(_ []byte, val jsonl.Value) bool { v = val; return true })
	require.True(t, ok, text)
	return v
}

func TestZeroValue(t *testing.T) {
	t.Parallel()
	var v jsonl.Value
	assert.Equal(t, jsonl.Null, v.Kind())
	assert.Empty(t, v.Raw())
	checkMethods(t, v, "")
}

// checkMethods checks that only the methods named give something.
func checkMethods(t *testing.T, v jsonl.Value, want string) {
	t.Helper()
	var got []string
	note := func(name string, ok bool) {
		if ok {
			got = append(got, name)
		}
	}
	_, ok := v.Bool()
	note("Bool", ok)
	_, ok = v.Bytes()
	note("Bytes", ok)
	_, ok = v.Float()
	note("Float", ok)
	_, ok = v.Int()
	note("Int", ok)
	note("Elems", v.Elems(func(jsonl.Value) bool { return true }))
	note("Strings", v.Strings(func([]byte) bool { return true }))
	note("Floats", v.Floats(func(float64) bool { return true }))
	assert.Equal(t, want, strings.Join(got, " "), "%s", v.Raw())
}

func TestValueKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`true`:                "Bool",
		`false`:               "Bool",
		`"a"`:                 "Bytes",
		`"\u0061"`:            "Bytes",
		`1`:                   "Float Int",
		`-1`:                  "Float Int",
		`1.0`:                 "Float",
		`1e2`:                 "Float",
		`9223372036854775808`: "Float",
		`1e999`:               "",
		`{}`:                  "",
		`[]`:                  "Elems Strings Floats",
		`["a"]`:               "Elems Strings",
		`["a","\n"]`:          "Elems Strings",
		`[1,2.5]`:             "Elems Floats",
		`[1,1e999]`:           "Elems",
		`["a",1]`:             "Elems",
		`["\n",1]`:            "Elems",
		`[1,"a"]`:             "Elems",
		`[null]`:              "Elems",
		`["a",null]`:          "Elems",
		`[["a"]]`:             "Elems",
	} {
		checkMethods(t, value(t, text), want)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(jsonString().Filter(func(s string) bool {
			return !strings.Contains(strings.ReplaceAll(s, `\ud83d\ude00`, ""), `\uD83D`) &&
				!strings.Contains(strings.ReplaceAll(s, `\ud83d\ude00`, ""), `\ude00`)
		})).Draw(t, "strings")
		sep := rapid.SampledFrom([]string{",", ", ", " ,\t"}).Draw(t, "separator")
		array := "[" + strings.Join(texts, sep) + "]"
		want := decode(t, []byte(array))
		got := []any{}
		require.True(t, value(t, array).Strings(func(s []byte) bool {
			got = append(got, string(s))
			return true
		}))
		require.Equal(t, want, got)
	})
}

func TestWalksStop(t *testing.T) {
	t.Parallel()
	for _, array := range []string{`["a","b","c"]`, `["a","\u0062","c"]`} {
		n := 0
		require.False(t, value(t, array).Strings(func(s []byte) bool { n++; return string(s) != "b" }))
		require.Equal(t, 2, n)
	}
	n := 0
	require.False(t, value(t, "[1,2,3]").Floats(func(x float64) bool { n++; return x != 2 }))
	require.False(t, value(t, "[1,2,3]").Elems(func(jsonl.Value) bool { n++; return n < 4 }))
	require.Equal(t, 4, n)
}

// No string may grow over its neighbour.
func TestBytesLimitCapacity(t *testing.T) {
	t.Parallel()
	line := []byte(`{"a":"x","b":["y","z"]}`)
	before := string(line)
	require.True(t, jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
		_ = append(name, "......"...)
		_ = append(v.Raw(), "......"...)
		s, _ := v.Bytes()
		_ = append(s, "......"...)
		v.Strings(func(s []byte) bool { _ = append(s, "......"...); return true })
		return true
	}))
	require.Equal(t, before, string(line))
}

// sameFloat checks a number against strconv, in an array too.
func sameFloat(t require.TestingT, text string) {
	want, err := strconv.ParseFloat(text, 64)
	got, ok := value(t, text).Float()
	if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%s: got %v (%v), strconv has %v (%v)", text, got, ok, want, err)
		t.FailNow()
	}
	var list []float64
	require.Equal(t, ok, value(t, "["+text+", "+text+"]").Floats(func(x float64) bool {
		list = append(list, x)
		return true
	}))
	if ok {
		require.Equal(t, []float64{got, got}, list)
	}
	r := jsonl.NewReader("a")
	require.True(t, r.Read([]byte(`{"a":[1]}`)))
	require.True(t, r.Read([]byte(`{"a":[`+text+`,`+text+`, `+text+`]}`)))
	list = nil
	require.Equal(t, ok, r.Floats(0, func(x float64) bool {
		list = append(list, x)
		return true
	}))
	if ok {
		require.Equal(t, []float64{got, got, got}, list)
	}
}

func TestFloat(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0", "-0", "0.0", "-0.0", "1", "0.1", "0.3", "-0.7", "100", "1e22", "1e23", "1e-400", "1e308", "1e309", "5e-324",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740995", // ties to even
		"9007199254740993.0", "9007199254740993.00", "9007199254740993.01", "900719925474099.3",
		"18014398509481986", "18014398509481990", "9999999999999999999", "0.9999999999999999999", "0.0000000000000000001",
		"12345678901234567890", "0.12345678901234567890", "1.8446744073709551616", "0.99999999999999994", "0.00000000000000000000000001",
		"12345678.12345678", "1234567.1234567", "123456789.123456789",
	} {
		sameFloat(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		sameFloat(t, rapid.StringMatching(`-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,20})?`).Draw(t, "decimal"))
		sameFloat(t, rapid.StringMatching(`-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
	})
	// Written as scores are, and exactly between two doubles.
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		x := rng.Float64() * math.Pow(10, float64(rng.IntN(5)))
		sameFloat(t, strconv.FormatFloat(x, 'f', -1, 64))
		sameFloat(t, strconv.FormatFloat(x, 'f', rng.IntN(18)+1, 64))
		m := 1<<53 + rng.Uint64N(1<<53) // doubles are 2 apart here
		sameFloat(t, fmt.Sprintf("%d", m|1))
		sameFloat(t, fmt.Sprintf("%d.%0*d", m|1, 1+rng.IntN(3), 0))
		// Closest to the middle below and above it, with 19 digits.
		middle := new(big.Int).SetUint64(1<<53 + rng.Uint64N(1<<53) | 1) // of 2^54
		middle.Mul(middle, big.NewInt(1e18)).Rsh(middle, 54)
		sameFloat(t, fmt.Sprintf("0.%018d", middle))
		sameFloat(t, fmt.Sprintf("0.%018d", middle.Uint64()+1))
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "-12": -12,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		got, ok := value(t, text).Int()
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"1.0", "1e0", "9223372036854775808", "-9223372036854775809", `"1"`} {
		_, ok := value(t, text).Int()
		require.False(t, ok, text)
	}
}
