package filename_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/filename"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"a", "D1", "x.y", ".hidden", "..x", "a b", "con1", "console", "com", "com0", "com10", "lpt", "nul_", "auxiliary", "a.con", "été", "e\u0301te\u0301", "日本", "a'b", "a&b", "a%b", "コン",
	} {
		assert.NoError(t, filename.Check(name), name)
	}
	for name, want := range map[string]string{
		"":          "use a plain name",
		".":         "use a plain name",
		"..":        "use a plain name",
		"a/b":       "use a plain name",
		"/a":        "use a plain name",
		`a\b`:       "use a plain name",
		"C:":        "use a plain name",
		"con":       "a device",
		"CON":       "a device",
		"Aux":       "a device",
		"prn":       "a device",
		"nul":       "a device",
		"nul.txt":   "a device",
		"nul .a.b":  "a device",
		"com1":      "a device",
		"LPT9":      "a device",
		"com¹":      "a device",
		"conout$":   "a device",
		"a.":        "ends in a dot or a blank",
		"a ":        "ends in a dot or a blank",
		" ":         "ends in a dot or a blank",
		"...":       "ends in a dot or a blank",
		"a?":        "takes no '?' in names",
		"a\nb":      `takes no '\n' in names`,
		"a\x00":     `takes no '\x00' in names`,
		`"quoted"`:  `takes no '"' in names`,
		"<a>":       "takes no '<' in names",
		"a*b|c":     "takes no '*' in names",
		"::error::": "use a plain name",
	} {
		err := filename.Check(name)
		require.Error(t, err, "%q", name)
		assert.Contains(t, err.Error(), want, "%q", name)
		assert.Regexp(t, "^cannot name a folder", err, "%q", name)
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{{"a", "a", true}, {"Mine", "mINE", true}, {"É", "é", true}, {"a", "b", false}, {"a", "a1", false}, {"", "a", false}, {"ß", "ss", false}, {"\u00e9", "e\u0301", false}} {
		assert.Equal(t, c.want, filename.Same(c.a, c.b), "%q and %q", c.a, c.b)
		assert.Equal(t, c.want, filename.Same(c.b, c.a), "%q and %q", c.b, c.a)
	}
}

// TestFolder makes a folder of each name that passes: it is there under that name.
func TestFolder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune(`aCONULcom1. /\:*"é%~`)), 0, 8, -1).Draw(r, "name")
		if filename.Check(name) != nil {
			return
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(r, err)
		require.NoError(r, os.Mkdir(filepath.Join(dir, name), 0o777))
		entries, err := os.ReadDir(dir)
		require.NoError(r, err)
		require.Len(r, entries, 1)
		require.Equal(r, name, entries[0].Name())
	})
}
