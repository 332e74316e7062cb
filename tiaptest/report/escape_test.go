package report

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// foreignTexts draws texts in which signs of markup are frequent.
func foreignTexts() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom([]string{"`", "``", "|", `\`, "<", "&", "##[", "::", "{", "}", "$", "%", "[", "\n", "\x1b", "\u202e", "\xff", "a", " ", "=", "-", "?`"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
}

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := foreignTexts().Draw(t, "s")
		got := clean(s, 20)
		require.True(t, utf8.ValidString(got))
		for _, r := range got {
			require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d', "%q holds %U", got, r)
		}
		n := utf8.RuneCountInString(got)
		require.LessOrEqual(t, n, 20*8+len("... (1234 characters)"))
		if utf8.RuneCountInString(s) <= 20 {
			require.Equal(t, got, clean(got, 200), "a second time changes nothing")
		}
	})
}

// What an XML parser reads is the text itself.
func TestEscapeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clean(foreignTexts().Draw(t, "s"), 100)
		var element struct {
			Attribute string `xml:"a,attr"`
			Text      string `xml:",chardata"`
		}
		require.NoError(t, xml.Unmarshal([]byte(`<p a="`+escape(s)+`">`+escape(s)+`</p>`), &element))
		require.Equal(t, s, element.Text)
		require.Equal(t, s, element.Attribute)
		require.NotContains(t, escape(s), "##[")
	})
}

// A code span ends where it should: no run inside it is as long as its fence.
func TestCodeSpanProperties(t *testing.T) {
	t.Parallel()
	runs := regexp.MustCompile("`+")
	rapid.Check(t, func(t *rapid.T) {
		s := clean(foreignTexts().Draw(t, "s"), 100)
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

func TestEscapeLaTeXProperties(t *testing.T) {
	t.Parallel()
	escapes := regexp.MustCompile(`\\[a-zA-Z]+|\\[{}$&#%_]`)
	rapid.Check(t, func(t *rapid.T) {
		s := clean(foreignTexts().Draw(t, "s"), 100)
		bare := escapes.ReplaceAllString(escapeLaTeX(s), "")
		require.NotRegexp(t, `[\\$&#%_~^<>|"]`, bare)
		require.Equal(t, strings.Count(bare, "{"), strings.Count(bare, "}"))
		for _, r := range bare {
			require.LessOrEqual(t, r, rune(0x17f))
		}
	})
}
