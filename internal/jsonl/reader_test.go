package jsonl_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

// chosen are the members that the tests of Reader ask for.
var chosen = []string{"query_id", "rank", "a", "", "no member"}

// alike checks that a Reader takes the same values from each line as Scan does,
// whatever lines came before. It returns how many were understood.
func alike(t require.TestingT, lines [][]byte) (n int) {
	r := jsonl.NewReader(chosen...)
	for _, line := range lines {
		before := string(line)
		want := map[string]any{}
		scanned := jsonl.Scan(line, func(name []byte, v jsonl.Value) bool {
			want[string(name)] = tree(t, v)
			return true
		})
		require.Equal(t, scanned, r.Read(line), "%q", lines)
		require.Equal(t, before, string(line), "the line was changed")
		if !scanned {
			continue
		}
		n++
		for i, name := range chosen {
			require.Equal(t, want[name], tree(t, r.Value(i)), "%q in %q of %q", name, line, lines)
			same(t, r.Value(i).Strings, func(f func([]byte) bool) bool { return r.Strings(i, f) })
			same(t, r.Value(i).Floats, func(f func(float64) bool) bool { return r.Floats(i, f) })
		}
	}
	return n
}

// same checks that two functions such as [jsonl.Value.Strings] agree, to the bit.
func same[E []byte | float64](t require.TestingT, each, again func(func(E) bool) bool) {
	collect := func(each func(func(E) bool) bool) (ok bool, all string) {
		ok = each(func(e E) bool {
			all += fmt.Sprintf("%x,", e)
			return true
		})
		return ok, all
	}
	wantOK, want := collect(each)
	ok, got := collect(again)
	require.Equal(t, wantOK, ok)
	if ok {
		require.Equal(t, want, got)
	}
	if n := strings.Count(want, ","); ok && n > 0 { // f can end both
		for _, each := range []func(func(E) bool) bool{each, again} {
			left := n
			require.False(t, each(func(E) bool { left--; return left > 0 }))
			require.Zero(t, left)
		}
	}
}

// variants draws lines that are the first one but for some values or bytes.
func variants() *rapid.Generator[[][]byte] {
	return rapid.Custom(func(t *rapid.T) (lines [][]byte) {
		pattern := damaged().Draw(t, "first")
		for range rapid.IntRange(1, 5).Draw(t, "lines") {
			switch rapid.IntRange(0, 5).Draw(t, "next") {
			case 0: // other values and space
				pattern = damaged().Draw(t, "line")
			case 1: // a byte more or less
				at := rapid.IntRange(0, len(pattern)).Draw(t, "at")
				b := rapid.SampledFrom([]byte("{}[]\",:\\ 1-.eu\xc3")).Draw(t, "byte")
				pattern = bytes.Join([][]byte{pattern[:at], {b}, pattern[at:]}, nil)
			case 2: // a value in place of the first colon's
				if name, rest, ok := bytes.Cut(pattern, []byte(":")); ok {
					_, after, _ := bytes.Cut(rest, []byte(","))
					pattern = bytes.Join([][]byte{name, []byte(":" + jsonText(1).Draw(t, "value") + ","), after}, nil)
				}
			}
			lines = append(lines, bytes.Clone(pattern))
		}
		return lines
	})
}

func TestReaderAgreesWithScan(t *testing.T) {
	t.Parallel()
	understood := 0
	rapid.Check(t, func(t *rapid.T) { understood += alike(t, variants().Draw(t, "lines")) })
	require.Positive(t, understood)
}

// Lines that follow one another, each pattern understood or not for a reason of
// its own.
func TestReader(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"the same line":             {`{"a":1,"rank":2}`, `{"a":1,"rank":2}`},
		"a longer value":            {`{"a":1,"rank":2}`, `{"a":12,"rank":2}`, `{"a":1,"rank":2}`},
		"a digit more at the end":   {`{"a":1}`, `{"a":12}`, `{"a":1}`},
		"a prefix that is a number": {`{"a":1.0,"rank":2}`, `{"a":1.,"rank":2}`, `{"a":1,"rank":2}`},
		"another kind":              {`{"a":1,"rank":2}`, `{"a":"1","rank":[2]}`, `{"a":{"b":1},"rank":null}`, `{"a":1,"rank":2}`},
		"another order":             {`{"a":1,"rank":2}`, `{"rank":2,"a":1}`},
		"a member less":             {`{"a":1,"rank":2}`, `{"a":1}`, `{"rank":2}`, `{}`, `{"a":1,"rank":2}`},
		"a name twice":              {`{"a":1,"rank":2}`, `{"a":1,"a":2}`, `{"a":1,"rank":2}`},
		"space":                     {`{"a":1,"rank":2}`, `{"a": 1,"rank":2}`, `{"a":1 ,"rank":2}`, `{"a":1,"rank":2} `, ` {"a":1,"rank":2}`},
		"cut off":                   {`{"a":1,"rank":2}`, `{"a":1,"rank":2`, `{"a":1,"rank":`, `{"a":1`, `{`, ``, `{"a":1,"rank":2}`},
		"something after":           {`{"a":1,"rank":2}`, `{"a":1,"rank":2}}`, `{"a":1,"rank":2},`, `{"a":1,"rank":2}`},
		"strings":                   {`{"a":["x","y"]}`, `{"a":["x","z"]}`, `{"a": [ "" , "uvwxyz12345" ]}`, `{"a":[]}`, `{"a":["x"]}`, `{"a":null}`, `{"a":["x"]}`},
		"strings that are none":     {`{"a":["x","y"]}`, `{"a":["x" "y"]}`, `{"a":["x",]}`, `{"a":["x","y"]}`, `{"a":["x",1]}`, `{"a":["x"`, `{"a":["x","y"]}`, `{"a":["x","y"},"b":1}`},
		"strings with escapes":      {`{"a":["x","y"]}`, `{"a":["x","\u00e9\"y\""]}`, `{"a":["x","é"]}`, "{\"a\":[\"x\",\"\xff\"]}", "{\"a\":[\"x\",\"\t\"]}", `{"a":["x","y"]}`},
		"strings of another member": {`{"a":["x","y"],"rank":["u"]}`, `{"a":["x","y"],"rank":["uv","w"]}`, `{"a":"x","rank":["uv","w"]}`, `{"a":["z"],"rank":["uv","w"]}`},
		"numbers":                   {`{"a":[1,2]}`, `{"a":[0.5,0.25]}`, `{"a": [ -1e3 , 12.3456789 ]}`, `{"a":[0.999999,0.1234567,0.12345678,1.5e1,0]}`, `{"a":[]}`, `{"a":["x"]}`, `{"a":[1e400]}`, `{"a":[1,2]}`},
		"numbers that are none":     {`{"a":[1,2]}`, `{"a":[0.5 0.5]}`, `{"a":[0.5,]}`, `{"a":[0.5,"x"]}`, `{"a":[0.,0.123456]}`, `{"a":[00.5,0.1]}`, `{"a":[0.1.2,0.1]}`, `{"a":[0.1234x,0.1]}`, `{"a":[0.5,0.25`, `{"a":[1,2]}`},
		"a string that goes on":     {`{"a":"x","rank":2}`, `{"a":"x\",\"rank\":2}`, `{"a":"x\"","rank":2}`, `{"a":"x","rank":2}`},
		"a string that is no UTF-8": {`{"a":"xy"}`, "{\"a\":\"x\xff\"}", `{"a":"xy"}`},
		"a long beginning alike":    {`{"query_id":"conv-26/question 1","a":"memory 1"}`, `{"query_id":"conv-26/question 1","a":"memory 2"}`, `{"query_id":"conv-26/question 2","a":"memory 2"}`},
	} {
		var texts [][]byte
		for _, line := range lines {
			texts = append(texts, []byte(line))
		}
		assert.Positive(t, alike(t, texts), name)
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	text := hits(100)
	r := jsonl.NewReader(hitNames...)
	read := func() {
		for line := range bytes.Lines(text) {
			readHit(r, bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	read()
	require.Zero(t, testing.AllocsPerRun(10, read))
}

func FuzzReader(f *testing.F) {
	for _, lines := range [][]string{understood, refused, left} {
		for i, line := range lines {
			if next := lines[(i+1)%len(lines)]; len(line)+len(next) < 1000 {
				f.Add([]byte(line + "\n" + strings.ReplaceAll(line, "a", next) + "\n" + next))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { alike(t, bytes.Split(text, []byte("\n"))) })
}

// Lines may change once they are forgotten.
func TestForget(t *testing.T) {
	t.Parallel()
	r := jsonl.NewReader("a", "b")
	buffer := []byte(`{"a":"xy","b":"z"}`)
	require.True(t, r.Read(buffer))
	r.Forget()
	require.Equal(t, jsonl.Null, r.Value(0).Kind())
	require.False(t, r.Strings(0, func([]byte) bool { return true }))
	copy(buffer, `{"a":"x","b":"yz"}`)
	require.True(t, r.Read(buffer))
	assert.Equal(t, `"x"`, string(r.Value(0).Raw()))
	assert.Equal(t, `"yz"`, string(r.Value(1).Raw()))
}
