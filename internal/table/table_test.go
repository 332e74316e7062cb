package table_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/table"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		indent string
		rows   [][]string
		want   string
	}{
		{"no row", "    ", nil, ""},
		{"one cell", "", [][]string{{"a"}}, "a\n"},
		{
			"columns are as wide as their widest cell", "    ",
			[][]string{{"target", "D1", "gap"}, {"raw", "0.1853", "+0.0173"}, {"canonical", "-", "-"}},
			"    target     D1      gap\n" +
				"    raw        0.1853  +0.0173\n" +
				"    canonical  -       -\n",
		},
		{
			"characters are counted, not bytes", "",
			[][]string{{"Järvelin", "1"}, {"Kekalain", "2"}, {"→", "3"}},
			"Järvelin  1\nKekalain  2\n→         3\n",
		},
		{
			"rows of different length", "  ",
			[][]string{{"a"}, {"b", "long", "c"}, {"d", "e"}},
			"  a\n  b  long  c\n  d  e\n",
		},
		{
			"no blanks at the end of a line", "  ",
			[][]string{{"a", "", ""}, {"long", "b", ""}, {"", "", ""}, {}},
			"  a\n  long  b\n\n\n",
		},
		{"an empty cell keeps its column", "", [][]string{{"", "x"}, {"ab", "y"}}, "    x\nab  y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			require.NoError(t, table.Write(&b, tt.indent, tt.rows))
			assert.Equal(t, tt.want, b.String())
		})
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"target", "n"}, {"raw\n::error::", "1"}}
	var b strings.Builder
	table.Section(&b, "title", rows[:1])
	table.Section(&b, "title", nil)
	assert.Empty(t, b.String(), "a head alone")
	table.Section(&b, "ti\ntle", rows)
	assert.Equal(t, "\n\"ti\\ntle\"\n    target            n\n    \"raw\\n::error::\"  1\n", b.String())
	b.Reset()
	table.Section(&b, "", rows)
	assert.Equal(t, "\n    target            n\n    \"raw\\n::error::\"  1\n", b.String())
	assert.Equal(t, "raw\n::error::", rows[1][0], "what is given stays as it is")
}

type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsErrors(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, table.Write(failing{}, "", [][]string{{"a"}}), errFull)
}
