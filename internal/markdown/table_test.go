package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/markdown"
)

// lines joins the lines of a text.
func lines(ls ...string) string { return strings.Join(ls, "\n") + "\n" }

func TestTables(t *testing.T) {
	t.Parallel()
	ab := []string{"a", "b"}
	rows := func(rows ...[]string) [][]string { return rows }
	for _, test := range []struct {
		name string
		text string
		want []markdown.Table
	}{
		{"nothing", "", nil},
		{"no table", lines("a | b", "c | d"), nil},
		{"table", lines("| a | b |", "| - | - |", "| 1 | 2 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"without end of line", "| a | b |\n|---|---|\n| 1 | 2 |", []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"without rows", lines("| a | b |", "|---|---|"), []markdown.Table{{Line: 1, Header: ab}}},
		{"no outer pipes", lines("a | b", "-|-", "1 | 2"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"one leading pipe", lines("| a | b", "--- | ---|", "1 | 2 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"one column", lines("| a |", "|---|", "| 1 |"), []markdown.Table{{Line: 1, Header: []string{"a"}, Rows: rows([]string{"1"})}}},
		{"alignment", lines("a | b | c | d", ":-- | :-: | --: | -", "1|2|3|4"), []markdown.Table{
			{Line: 1, Header: []string{"a", "b", "c", "d"}, Rows: rows([]string{"1", "2", "3", "4"})},
		}},
		{"indented by three", lines("   | a | b |", "   |---|---|", "   | 1 | 2 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"spaces after it", lines("| a | b |  ", "|---|---| ", "| 1 | 2 |   "), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"empty cells", lines("| a | b |", "|---|---|", "| | 2 |", "||2|"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"", "2"}, []string{"", "2"})}}},
		{"CRLF", "text\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\nafter\r\n", []markdown.Table{
			{Line: 3, Header: ab, Rows: rows([]string{"1", "2"}), Before: "text", After: "after"},
		}},
		{"CR alone", "| a | b |\r|---|---|\r| 1 | 2 |\r", []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"ragged rows", lines("| a | b |", "|---|---|", "| 1 |", "| 1 | 2 | 3 |", "|"), []markdown.Table{
			{Line: 1, Header: ab, Rows: rows([]string{"1", ""}, []string{"1", "2"}, []string{"", ""})},
		}},

		{"escaped pipe", lines(`| a \| x | b |`, "|---|---|", `| 1\|1 | 2\| |`), []markdown.Table{
			{Line: 1, Header: []string{"a | x", "b"}, Rows: rows([]string{"1|1", "2|"})},
		}},
		{"escaped pipe in code", lines("| a | b |", "|---|---|", "| `1\\|1` | 2 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"`1|1`", "2"})}}},
		{"escaped pipe at the end", lines("a | b", "---|---", `1 | 2\|`), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2|"})}}},
		{"pipe in code is not escaped", lines("| a | b |", "|---|---|", "| `1|1` |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"`1", "1`"})}}},
		{"other escapes", lines("| a | b |", "|---|---|", `| \* | \a |`), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{`\*`, `\a`})}}},

		{"delimiter of fewer columns", lines("| a | b |", "|---|", "| 1 | 2 |"), nil},
		{"delimiter of more columns", lines("| a | b |", "|---|---|---|"), nil},
		{"delimiter with letters", lines("| a | b |", "|---|--x|"), nil},
		{"delimiter of colons", lines("| a | b |", "|:|:|"), nil},
		{"delimiter with a gap", lines("| a | b |", "|- -|---|"), nil},
		{"underlined heading", lines("a", "---", "1"), nil},
		{"delimiter first", lines("|---|---|", "| 1 | 2 |"), nil},
		{"delimiter twice", lines("| - | - |", "|---|---|", "|---|---|"), []markdown.Table{{Line: 1, Header: []string{"-", "-"}, Rows: rows([]string{"---", "---"})}}},

		{"code fence", lines("```", "| a | b |", "|---|---|", "```", "| c | d |", "|---|---|"), []markdown.Table{
			{Line: 5, Header: []string{"c", "d"}},
		}},
		{"code fence of tildes", lines("~~~ text", "| a | b |", "|---|---|", "```", "~~~~", "| c | d |", "|---|---|"), []markdown.Table{
			{Line: 6, Header: []string{"c", "d"}},
		}},
		{"long code fence", lines("````", "```", "| a | b |", "|---|---|", "````"), nil},
		{"code fence that stays open", lines("```", "| a | b |", "|---|---|"), nil},
		{"a fence with a word closes nothing", lines("```", "``` go", "| a | b |", "|---|---|", "```", "| c | d |", "|---|---|"), []markdown.Table{{Line: 6, Header: []string{"c", "d"}}}},
		{"code in a line is no fence", lines("```code``` in a line", "", "| a | b |", "|---|---|"), []markdown.Table{{Line: 3, Header: ab, Before: "```code``` in a line"}}},
		{"indented code", lines("text", "", "    | a | b |", "    |---|---|", "    | 1 | 2 |"), nil},
		{"code indented by a tab", lines("\t| a | b |", "\t|---|---|"), nil},
		{"in a list", lines("1.  text", "", "    | a | b |", "    |---|---|"), []markdown.Table{{Line: 3, Header: ab, Before: "1.  text"}}},
		{"in a list of paragraphs", lines("-   one", "", "    two", "", "    | a | b |", "    |---|---|"), []markdown.Table{{Line: 5, Header: ab, Before: "-   one\n\ntwo"}}},
		{"code after a list", lines("- one", "", "two", "", "    | a | b |", "    |---|---|"), nil},
		{"comment", lines("<!--", "| a | b |", "|---|---|", "-->", "<!-- n = 5 --> | a | b |", "|---|---|"), nil},
		{"comment in a line", lines("n = 5 <!-- n = 6 -->", "", "| a <!-- | --> | b |", "|---|---|"), []markdown.Table{{Line: 3, Header: ab, Before: "n = 5"}}},
		{"comment that stays open", lines("<!-- n = 5", "| a | b |", "|---|---|"), nil},
		{"comment that is none", lines("text `<!--` text", "", "| a | b |", "|---|---|"), []markdown.Table{{Line: 3, Header: ab, Before: "text `<!--` text"}}},
		{"comment in code", lines("```", "<!--", "```", "| a | b |", "|---|---|"), []markdown.Table{{Line: 4, Header: ab}}},

		{"ended by an empty line", lines("| a | b |", "|---|---|", "| 1 | 2 |", "", "| 3 | 4 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"ended by a heading", lines("| a | b |", "|---|---|", "| 1 | 2 |", "# c | d"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},
		{"ended by a quotation", lines("| a | b |", "|---|---|", "| 1 | 2 |", "> c | d"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"}), After: "> c | d"}}},
		{"ended by code", lines("| a | b |", "|---|---|", "| 1 | 2 |", "``` a | b", "| 3 | 4 |"), []markdown.Table{{Line: 1, Header: ab, Rows: rows([]string{"1", "2"})}}},

		{
			"headings and text",
			lines("# One", "", "before", "the table", "", "| a | b |", "|---|---|", "| 1 | 2 |", "", "after", "the table", "", "more", "## Two ##", "| c | d |", "|---|---|", "text right below"),
			[]markdown.Table{
				{Line: 6, Header: ab, Rows: rows([]string{"1", "2"}), Heading: "One", Before: "before\nthe table", After: "after\nthe table"},
				{Line: 15, Header: []string{"c", "d"}, Heading: "Two", After: "text right below"},
			},
		},
		{
			"two tables below one heading",
			lines("# One", "first", "", "| a | b |", "|---|---|", "", "second", "", "| c | d |", "|---|---|"),
			[]markdown.Table{
				{Line: 4, Header: ab, Heading: "One", Before: "first", After: "second"},
				{Line: 9, Header: []string{"c", "d"}, Heading: "One", Before: "first\n\nsecond"},
			},
		},
		{"underlined heading above", lines("# One", "text", "", "Two", "===", "| a | b |", "|---|---|", "", "Three", "---"), []markdown.Table{{Line: 6, Header: ab, Heading: "Two"}}},
		{"hashes in a heading", lines("### C# ##", "| a | b |", "|---|---|", "", "#", "| a | b |", "|---|---|"), []markdown.Table{{Line: 2, Header: ab, Heading: "C#"}, {Line: 6, Header: ab}}},
		{"a hash is no heading", lines("# One", "#5 is text", "####### and so is this", "| a | b |", "|---|---|"), []markdown.Table{
			{Line: 4, Header: ab, Heading: "One", Before: "#5 is text\n####### and so is this"},
		}},
		{"the next table is not text below", lines("| a | b |", "|---|---|", "", "| c | d |", "|---|---|"), []markdown.Table{
			{Line: 1, Header: ab},
			{Line: 4, Header: []string{"c", "d"}},
		}},
		{"lines of a paragraph", lines("", "", "n = 5,", "depth 6", "", "", "| a | b |", "|---|---|", "text", "", "| c | d |", "|---|---|"), []markdown.Table{
			{Line: 7, Header: ab, Before: "n = 5,\ndepth 6", After: "text"},
			{Line: 11, Header: []string{"c", "d"}, Before: "n = 5,\ndepth 6\n\ntext"},
		}},
		{"code is not text below", lines("| a | b |", "|---|---|", "", "```", "n = 5", "```"), []markdown.Table{{Line: 1, Header: ab}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, markdown.Tables(test.text)); diff != "" {
				t.Errorf("Tables(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// FuzzTables checks that every table is well formed, whatever the text.
func FuzzTables(f *testing.F) {
	f.Add("# h\n\ntext\n| a | b |\n|---|:-:|\n| 1\\|2 | 3 |\nafter\n")
	f.Add("```\n| a |\n|-|\n```\r\n<!-- | a |\n|-| --> | b\n-|-")
	f.Add("a | b\r-|-\r1\\| | \\")
	f.Fuzz(func(t *testing.T, text string) {
		all := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
		last := 0
		for _, table := range markdown.Tables(text) {
			require.Greater(t, table.Line, last, "tables are in order")
			last = table.Line + len(table.Rows) + 1
			require.LessOrEqual(t, last, strings.Count(all, "\n")+1, "a table ends in the text")
			require.NotEmpty(t, table.Header)
			for _, row := range append(table.Rows, table.Header) {
				require.Len(t, row, len(table.Header))
				for _, cell := range row {
					require.Equal(t, strings.TrimSpace(cell), cell)
					require.False(t, strings.ContainsAny(cell, "\r\n"), "cell %q", cell)
				}
			}
			require.NotContains(t, table.Heading, "\n")
			require.NotContains(t, table.After, "\n\n", "one paragraph")
		}
	})
}

// The time must stay linear in the text, however it is made.
func TestTablesOfLongText(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for _, part := range []string{"| a | b |\n|---|---|\n", "<!--", "a\n", "<!-- x -->", "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\ntext\n\n"} {
		got := markdown.Tables(strings.Repeat(part, n))
		assert.LessOrEqual(t, len(got), n)
	}
}
