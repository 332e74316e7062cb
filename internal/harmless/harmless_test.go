package harmless

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/hostile"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":         "plain",
		"a\nb\tc":       "a b c",
		"\x1b[31m":      `\x1b[31m`,
		"\u202eabc":     `\u202eabc`,
		"\u009b":        `\u009b`,
		"\xff":          `\xff`,
		"\ufffd":        "\ufffd",
		"\ufffe":        `\ufffe`,
		"a\u200db":      "a\u200db",
		"0123456789abc": "0123456789... (13 characters)",
	} {
		assert.Equal(t, want, Clean(in, 10), "%q", in)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\\::x", Guard("::x"))
	assert.Equal(t, "a ::x\n\\::error::\n  \\::y\n## [z]", Guard("a ::x\n::error::\n  ::y\n##[z]"))
}

// foreignTexts draws texts in which signs of markup are frequent.
func foreignTexts() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom([]string{"`", "``", "|", `\`, "<", "&", "##[", "::", "{", "}", "$", "%", "[", "\n", "\x1b", "\u202e", "\xff", "a", " ", "=", "-", "?`"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
}

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := foreignTexts().Draw(t, "s")
		got := Clean(s, 20)
		require.True(t, utf8.ValidString(got))
		for _, r := range got {
			require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d', "%q holds %U", got, r)
		}
		n := utf8.RuneCountInString(got)
		require.LessOrEqual(t, n, 20*8+len("... (1234 characters)"))
		if utf8.RuneCountInString(s) <= 20 {
			require.Equal(t, got, Clean(got, 200), "a second time changes nothing")
		}
	})
}

// A code span ends where it should: no run inside it is as long as its fence.
func TestCodeSpanProperties(t *testing.T) {
	t.Parallel()
	runs := regexp.MustCompile("`+")
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(foreignTexts().Draw(t, "s"), 100)
		span := codeSpan(s)
		found := runs.FindAllString(span, -1)
		require.GreaterOrEqual(t, len(found), 2)
		for _, run := range found[1 : len(found)-1] {
			require.NotEqual(t, found[0], run, "%q", span)
		}
		require.Equal(t, found[0], found[len(found)-1], "%q", span)
		require.NotRegexp(t, `[^\\]\|`, span, "a pipe would end the cell")
	})
}

// Text is itself or one code span, whatever it holds.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":          "plain",
		"two words":      "two words",
		"a-b_c":          "a-b_c",
		"a--b":           "`a--b`",
		"_a_":            "`_a_`",
		"GH-1":           "`GH-1`",
		"1234567":        "`1234567`",
		"a deadbeef":     "`a deadbeef`",
		"123456":         "123456",
		"deadbeefs":      "deadbeefs",
		"@everyone":      "`@everyone`",
		"a|b":            "`a\\|b`",
		"a `b` c":        "``a `b` c``",
		"`b":             "`` `b ``",
		"<script>":       "`<script>`",
		"##[error]":      "`## [error]`",
		"https://x.test": "`https://x.test`",
	} {
		assert.Equal(t, want, Markdown(in), "%q", in)
	}
}

// A block ends with its fence and nowhere before.
func TestBlock(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "```\na\nb\n```\n", Block("a\nb"))
	assert.Equal(t, "`````\n````\n# b\n`````\n", Block("````\n# b"))
}

// What a browser reads in an element is the text itself, and Markdown reads nothing
// in it.
func TestElementProperties(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`&#\d+;`)
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(foreignTexts().Draw(t, "s"), 100)
		inside := strings.TrimSuffix(strings.TrimPrefix(Element(s), "<code>"), "</code>")
		require.Equal(t, s, html.UnescapeString(inside))
		if s != Element(s) {
			require.NotRegexp(t, "[!-/:-@\\[-`{-~]", reference.ReplaceAllString(inside, ""))
		}
	})
}

// Clean leaves what is not hidden, but line breaks.
func TestHidden(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{
		'a': false, ' ': false, '表': false, '\u0301': false, '\u200d': false, '\u200c': false, '\ufffd': false, '\u00a0': false,
		'\n': true, '\t': true, '\x1b': true, '\x7f': true, '\u009b': true, '\u200b': true, '\u202e': true, '\u2066': true, '\u2028': true, '\u2029': true,
		'\ufeff': true, '\u00ad': true, '\ue000': true, '\ufffe': true, '\U000e0041': true, '\U0001ffff': true,
	} {
		assert.Equal(t, want, Hidden(r), "%U", r)
		if r != '\n' && r != '\t' && r != '\u2028' && r != '\u2029' {
			assert.Equal(t, want, Clean(string(r), 9) != string(r), "%U", r)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a\n\n    b\\x1b c\n\\::error::\n## [x]\nd", Lines("a\n\n\tb\x1b\rc\n::error::\n##[x]\nd"))
	assert.Empty(t, Lines(""))
	for _, h := range hostile.Texts() {
		assert.Empty(t, hostile.Fault(Lines("a\n"+h.Text+"\n  "+h.Text)), h.Name)
	}
}
