package scenarios

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// repr writes a node as Python's repr does, in a notation that pyliteral reads.
func repr(n node) string {
	switch n.kind {
	case nullKind:
		return "None"
	case boolKind:
		return "True"
	case numberKind:
		return n.text
	case stringKind:
		quote := "'"
		if strings.Contains(n.text, "'") && !strings.Contains(n.text, `"`) {
			quote = `"`
		}
		text := strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\x00`, "\u200b", `\u200b`, "\U000e0001", `\U000e0001`).Replace(n.text)
		return quote + text + quote
	}
	var parts []string
	for i, e := range n.elems {
		part := repr(e)
		if n.kind == objectKind {
			part = repr(node{kind: stringKind, text: n.names[i]}) + ": " + part
		}
		parts = append(parts, part)
	}
	if n.kind == objectKind {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

var nodes = rapid.Custom(func(t *rapid.T) node { return drawNode(t, 3) })

func drawNode(t *rapid.T, depth int) node {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab'\"\\\n\r\t\x00é\u200b\U000e0001\U0001f600: ,{}[]")))
	kinds := []kind{nullKind, boolKind, numberKind, stringKind, arrayKind, objectKind}
	if depth == 0 {
		kinds = kinds[:4]
	}
	n := node{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), line: 7}
	switch n.kind {
	case numberKind:
		n.text = strconv.Itoa(rapid.Int().Draw(t, "number"))
	case stringKind:
		n.text = text.Draw(t, "text")
	case objectKind:
		n.names = rapid.SliceOfNDistinct(text, 0, 4, rapid.ID).Draw(t, "names")
	}
	size := len(n.names)
	if n.kind == arrayKind {
		size = rapid.IntRange(0, 4).Draw(t, "size")
	}
	for range size {
		n.elems = append(n.elems, drawNode(t, depth-1))
	}
	if size == 0 {
		n.names = nil
	}
	return n
}

// What is written as repr does is read as it was.
func TestParsePythonRepr(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := nodes.Draw(t, "node")
		got, err := parsePython(repr(want), 7)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(node{})))
	})
}

func TestParsePython(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`'it''s'`, ""},
		{`"it's"`, "it's"},
		{`'it\'s "so"'`, `it's "so"`},
		{`'\x41\u00e9\U0001F600\\n'`, "Aé😀\\n"},
		{`'😀'`, "😀"},
		{` 'x' `, "x"},
		{`-12`, "-12"},
		{`1e-05`, "1e-05"},
		{`''`, ""},
	} {
		n, err := parsePython(test.text, 1)
		if test.text == `'it''s'` {
			require.ErrorContains(t, err, "the literal goes on after its end (character 5 of the literal)")
			continue
		}
		require.NoError(t, err, test.text)
		assert.Equal(t, test.want, n.text)
	}
	n, err := parsePython(`{'a': [1, None, True, False], "b": {}}`, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, n.names)
	assert.Equal(t, []kind{numberKind, nullKind, boolKind, boolKind}, []kind{n.elems[0].elems[0].kind, n.elems[0].elems[1].kind, n.elems[0].elems[2].kind, n.elems[0].elems[3].kind})
	assert.Equal(t, objectKind, n.elems[1].kind)
}

func TestParsePythonErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{``, "the literal is cut off (character 1 of the literal)"},
		{`é`, "no dictionary, list, string, number, True, False or None (character 1"},
		{`{'é' 1}`, "no colon after a key (character 6"},
		{`{1: 2}`, "a key is no string (character 2"},
		{`{'a': 1, 'a': 2}`, `the key "a" occurs twice in one dictionary`},
		{`{'a': 1,}`, "a key is no string (character 9"},
		{`[1 2]`, "no comma and no ] (character 4"},
		{`[1,]`, "no dictionary, list, string"},
		{`[1`, "no comma and no ]"},
		{`[`, "the literal is cut off"},
		{`(1, 2)`, "no dictionary, list, string"},
		{`{'a'}`, "no colon"},
		{`true`, "no dictionary, list, string"},
		{`null`, "no dictionary, list, string"},
		{`nan`, "no dictionary, list, string"},
		{`array([1])`, "no dictionary, list, string"},
		{`b'x'`, "no dictionary, list, string"},
		{`'x`, "a string does not end (character 1"},
		{`'x\`, "the literal is cut off"},
		{`'\`, "the literal is cut off"},
		{`'\u12`, "the literal is cut off"},
		{`'\u12zz'`, "an escape that is no character (character 2"},
		{`'\ud83d\ude00'`, "an escape that is no character"},
		{`'\Uffffffff'`, "an escape that is no character"},
		{`'\q'`, `the unknown escape \q`},
		{"'a\nb'", "a string goes over the end of a line (character 3"},
		{`1.2.3`, "malformed number (character 1"},
		{`-`, "malformed number"},
		{`1 2`, "the literal goes on after its end (character 3"},
		{strings.Repeat("[", 200), "the literal is nested too deep"},
	} {
		_, err := parsePython(test.text, 1)
		require.ErrorContains(t, err, test.want, test.text)
	}
	deep := strings.Repeat("[", maxDepth) + "1" + strings.Repeat("]", maxDepth)
	_, err := parsePython(deep, 1)
	require.NoError(t, err)
}

// pythonSample is the literal of the sample row.
func pythonSample(t testing.TB) string {
	text, err := os.ReadFile("testdata/beam/hf_row_sample.json")
	require.NoError(t, err)
	var row struct {
		Questions string `json:"probing_questions"`
	}
	require.NoError(t, json.Unmarshal(text, &row))
	return row.Questions
}

// The literal of the row says what the JSON of the repository does.
func TestParsePythonSample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/beam/chats/100K/1/probing_questions/probing_questions.json")
	require.NoError(t, err)
	want, wrong := parseJSON(text, 1)
	require.Nil(t, wrong)
	got, err := parsePython(pythonSample(t), 1)
	require.NoError(t, err)
	lines := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".line" }, cmp.Ignore())
	assert.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(node{}), lines))
}

func TestParsePythonTruncated(t *testing.T) {
	t.Parallel()
	text := pythonSample(t)
	for n := 0; n < len(text); n += 97 {
		_, err := parsePython(text[:n], 1)
		require.Error(t, err, "cut at byte %d", n)
	}
}

func FuzzPythonLiteral(f *testing.F) {
	f.Add(pythonSample(f))
	for _, seed := range []string{`{'a': [1, -2.5, None, True], "it's": '\x41\u00e9\U0001f600\n'}`, `[[], {}, '']`, `{'a'`, `'\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parsePython(text, 7)
		if err != nil {
			require.Contains(t, err.Error(), " of the literal)")
			return
		}
		check(t, n, utf8.ValidString(text))
		again, err := parsePython(repr(n), 7)
		require.NoError(t, err, repr(n))
		require.Empty(t, cmp.Diff(n, again, cmp.AllowUnexported(node{})))
	})
}

// check looks for what no node has.
func check(t *testing.T, n node, valid bool) {
	require.True(t, !valid || utf8.ValidString(n.text))
	if n.kind == objectKind {
		require.Len(t, n.elems, len(n.names))
	}
	for _, e := range n.elems {
		check(t, e, valid)
	}
}
