package report

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/harmless"
)

// foreignTexts draws texts in which signs of markup are frequent.
func foreignTexts() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom([]string{"`", "``", "|", `\`, "<", "&", "##[", "::", "{", "}", "$", "%", "[", "\n", "\x1b", "\u202e", "\xff", "a", " ", "=", "-", "?`"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
}

// What an XML parser reads is the text itself.
func TestEscapeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := harmless.Clean(foreignTexts().Draw(t, "s"), 100)
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

func TestEscapeLaTeXProperties(t *testing.T) {
	t.Parallel()
	escapes := regexp.MustCompile(`\\[a-zA-Z]+|\\[{}$&#%_]`)
	rapid.Check(t, func(t *rapid.T) {
		s := harmless.Clean(foreignTexts().Draw(t, "s"), 100)
		bare := escapes.ReplaceAllString(escapeLaTeX(s), "")
		require.NotRegexp(t, `[\\$&#%_~^<>|"]`, bare)
		require.Equal(t, strings.Count(bare, "{"), strings.Count(bare, "}"))
		for _, r := range bare {
			require.LessOrEqual(t, r, rune(0x17f))
		}
	})
}
