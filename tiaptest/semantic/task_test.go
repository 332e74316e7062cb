package semantic_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// tasks are the orchard's cases under both targets: five texts, each twice.
func tasks() []semantic.Case { return must(semantic.Contested(audited(), semanticTargets...)) }

// answers fills in the label of one memory of the orchard's tasks.
func answers(t *testing.T, text string, label semantic.Label) io.Reader {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, semantic.WriteJSONL(&out, tasks()))
	var kept strings.Builder
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, text) {
			line = strings.Replace(line, `"label":""`, `"label":"`+string(label)+`"`, 1)
		}
		kept.WriteString(line)
	}
	return strings.NewReader(kept.String())
}

// TestWrite shows each task once, and nothing that could bear on the label.
func TestWrite(t *testing.T) {
	t.Parallel()
	var table, lines bytes.Buffer
	require.NoError(t, semantic.WriteCSV(&table, tasks()))
	require.NoError(t, semantic.WriteJSONL(&lines, tasks()))
	rows, err := csv.NewReader(&table).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "question", "answer", "memory", "label"}, rows[0])
	require.Len(t, rows, 6)
	assert.Equal(t, []string{"When was the pear tree planted?", "in March", "There is a pear tree.", ""}, rows[1][1:])
	n := 1
	for line := range strings.Lines(lines.String()) {
		var v map[string]string
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		assert.Equal(t, map[string]string{"id": rows[n][0], "question": rows[n][1], "answer": rows[n][2], "memory": rows[n][3], "label": ""}, v)
		n++
	}
	assert.Equal(t, 6, n)

	require.ErrorContains(t, semantic.WriteCSV(io.Discard, []semantic.Case{{Query: "q", Question: "?", System: "A", Memory: "m"}}), `memory "m" of A on query "q" has no text`)
	require.ErrorContains(t, semantic.WriteJSONL(io.Discard, []semantic.Case{{Query: "q", Text: "x"}}), "the query has no text")
}

// shownAs is a text as WriteCSV writes it.
func shownAs(t require.TestingT, text string) string {
	var out bytes.Buffer
	require.NoError(t, semantic.WriteCSV(&out, []semantic.Case{{Query: "q", Question: text, Answer: text, Text: text}}))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Equal(t, rows[1][3], rows[1][1])
	require.Equal(t, rows[1][3], rows[1][2])
	return rows[1][3]
}

// TestWriteCSVHarmless keeps spreadsheets from running what a memory says.
func TestWriteCSVHarmless(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "  =1": "'  =1",
		"|cmd": "'|cmd", "%1": "'%1", "＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠A": "'＠A", "\u00a0=1": "'\u00a0=1", "\u3000-1": "'\u3000-1", "\ufeff=1": "'\ufeff=1",
		"\u200b=1": "'\u200b=1", "\x00=1": "'\x00=1", "\x0b@A": "'\x0b@A", "\n=1": "'\n=1", "\ta": "'\ta", "\ra": "'\ra", "\na": "'\na", " \t\n -1": "' \t\n -1",
		`=HYPERLINK("http://127.0.0.1/?"&A1,"look")`: `'=HYPERLINK("http://127.0.0.1/?"&A1,"look")`, "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
		"'=1": "''=1", "''": "'''", "'quoted": "''quoted",
		"a=1": "a=1", "1-2": "1-2", " a": " a", "\"=1\"": "\"=1\"", ";=1": ";=1", `say "no", then`: `say "no", then`, "two\nlines": "two\nlines",
	} {
		assert.Equal(t, want, shownAs(t, cell), "%q", cell)
	}
}

// TestWriteCSVKeepsTexts takes the apostrophe off a cell that begins with one: what
// is left is the text. No cell begins with what a spreadsheet runs.
func TestWriteCSVKeepsTexts(t *testing.T) {
	t.Parallel()
	hostile := rapid.StringOfN(rapid.SampledFrom([]rune("=+-@|%＝＋－＠'\"\t\r\n ,;\u00a0\u200b\ufeff\x00a1é\u65e5")), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(hostile, rapid.StringN(1, 20, -1)).Draw(t, "text")
		cell := shownAs(t, text)
		// The reader of encoding/csv turns a line break of two bytes into one of one.
		require.Equal(t, strings.ReplaceAll(text, "\r\n", "\n"), strings.TrimPrefix(cell, "'"))
		require.NotContains(t, "=+-@|%\t\r\n", cell[:1])
		require.NotRegexp(t, `^[\s\p{Z}\p{Cc}\p{Cf}]+[=+\-@|%]`, cell)
	})
}

func TestReadAnswers(t *testing.T) {
	t.Parallel()
	var table bytes.Buffer
	require.NoError(t, semantic.WriteCSV(&table, tasks()))
	rows := must(csv.NewReader(&table).ReadAll())
	rows[1][4], rows[3][4] = "Supports ", "does_not_support"
	by := semantic.Judgement{Judge: "first reader", Kind: semantic.Human, Sample: "spring", Query: "ignored"}
	save := func(comma rune, rows [][]string) string {
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Comma = comma
		require.NoError(t, w.WriteAll(rows))
		return out.String()
	}
	for _, text := range []string{save(',', rows), "\ufeff" + save(';', rows), strings.ReplaceAll(save(',', rows), "\n", "\r\n"), save(',', append(slices.Clone(rows), rows[1]))} {
		ls, err := semantic.ReadAnswers("Answers.CSV", strings.NewReader(text), tasks(), by)
		require.NoError(t, err)
		list := slicesOf(ls)
		require.Len(t, list, 2)
		assert.Equal(t, "q1", list[0].Query)
		assert.Equal(t, "vague", list[0].Memory)
		assert.Equal(t, "first reader", list[0].Judge)
		assert.Equal(t, "spring", list[0].Sample)
		assert.Equal(t, semantic.Supports, list[0].Label)
		assert.Len(t, list[0].TextSHA256, 64)
		assert.Equal(t, semantic.DoesNotSupport, list[1].Label)
	}

	change := func(row, column int, to string) string {
		changed := make([][]string, len(rows))
		for i := range rows {
			changed[i] = slices.Clone(rows[i])
		}
		changed[row][column] = to
		return save(',', changed)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a label that is none":          {change(2, 4, "yes"), `a.csv:3: the label is "yes"`},
		"an id of no case":              {change(2, 0, "0123"), `a.csv:3: the id "0123" is of none of the cases`},
		"a task labelled twice":         {save(',', append(slices.Clone(rows), []string{rows[1][0], rows[1][1], rows[1][2], rows[1][3], "partial"})), "a.csv:7: the id \"" + rows[1][0] + "\" stands twice, labelled supports and partial"},
		"columns apart":                 {change(3, 0, rows[1][0]), "a.csv:4: the id \"" + rows[1][0] + "\" is not that of the question and memory beside it"},
		"another question":              {change(1, 1, "When was it planted?"), `a.csv:2: column question shows another text than the case of id "` + rows[1][0] + `" has; put back what was written, and label that`},
		"another answer":                {change(3, 2, "in May"), "a.csv:4: column answer shows another text"},
		"another memory":                {change(1, 3, rows[1][3]+"!"), "a.csv:2: column memory shows another text"},
		"no memory any more":            {change(1, 3, ""), "a.csv:2: column memory shows another text"},
		"a memory without its question": {"label,id,memory\nsupports," + rows[1][0] + "," + rows[2][3] + "\n", "a.csv:2: column memory shows another text"},
		"no columns":                    {"x,y\n1,2\n", "a.csv:1: the table has no columns id and label"},
		"an empty file":                 {"", "a.csv:1: no table"},
		"a row that is too short":       {save(',', rows) + "1,2\n", "a.csv:7: the row cannot be read"},
		"no labels":                     {save(',', rows[:1]), "no row has a label"},
	} {
		_, err := semantic.ReadAnswers("a.csv", strings.NewReader(c.text), tasks(), by)
		require.ErrorContains(t, err, c.want, name)
	}
	for name, text := range map[string]string{
		"other space":            change(1, 3, strings.ReplaceAll(rows[1][3], " ", "\r\n ")),
		"a text without a label": change(2, 3, rows[2][3]+"!"),
		"two columns":            "label,id\nsupports," + rows[1][0] + "\n",
		"a memory is left":       "label,id,memory\nsupports," + rows[1][0] + "," + rows[1][3] + "\n",
	} {
		_, err := semantic.ReadAnswers("a.csv", strings.NewReader(text), tasks(), by)
		require.NoError(t, err, name)
	}
	broken := []semantic.Case{{Query: "q", Question: "caf\xe9?", Answer: "\xff\xff", Text: "\xe9 x"}}
	var written bytes.Buffer
	require.NoError(t, semantic.WriteJSONL(&written, broken))
	_, err := semantic.ReadAnswers("a.jsonl", strings.NewReader(strings.Replace(written.String(), `"label":""`, `"label":"partial"`, 1)), broken, by)
	require.NoError(t, err, "what is no UTF-8 is not to be had in JSON")
	blank := []semantic.Case{{Query: "q", Question: " ", Text: "\t"}, {Query: "q", Question: "?", Text: "x"}}
	var lines bytes.Buffer
	require.NoError(t, semantic.WriteJSONL(&lines, blank[1:]))
	id := lines.String()[len(`{"id":"`):][:17]
	_, err = semantic.ReadAnswers("a.csv", strings.NewReader("id,label\n"+id+",partial\n"), blank, by)
	require.NoError(t, err, "what does not show is not what a memory without words shows")
	_, err = semantic.ReadAnswers("a.jsonl", strings.NewReader(fmt.Sprintf("{\"id\":%q,\"question\":%q,\"memory\":%q,\"label\":\"partial\"}\n", rows[1][0], rows[2][1], rows[2][3])), tasks(), by)
	require.ErrorContains(t, err, "a.jsonl:1: the id")
	require.ErrorContains(t, err, "is not that of the question and memory beside it")
	several := fmt.Sprintf("{\"id\":%q,\"question\":\"?\",\"answer\":\"\",\"memory\":%q,\"label\":\"partial\"}\n{\"id\":%[1]q,\"label\":\"partial\"}\n", rows[1][0], rows[1][3])
	_, err = semantic.ReadAnswers("a.jsonl", strings.NewReader(several), tasks(), by)
	require.EqualError(t, err, `a.jsonl:1: columns question and answer show another text than the case of id "`+rows[1][0]+`" has; put back what was written, and label that`)
	_, err = semantic.ReadAnswers("a.jsonl", strings.NewReader("{\"id\":\"0123\",\"label\":\"supports\"}\n{\"id\":1}\n"), tasks(), by)
	require.ErrorContains(t, err, "a.jsonl:1: ")
	require.ErrorContains(t, err, "a.jsonl:2: ")
	_, err = semantic.ReadAnswers("a.csv", strings.NewReader(save(',', rows)), tasks(), semantic.Judgement{Judge: "m", Kind: semantic.Model})
	require.ErrorContains(t, err, "a model without a name")
}

// TestAssign deals every task out, a share of them to everybody.
func TestAssign(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cases := drawCases(t)
		judges := []string{"c", "a", "b"}[:rapid.IntRange(1, 3).Draw(t, "judges")]
		overlap := rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "overlap")
		dealt, err := semantic.Assign(cases, judges, overlap, 5)
		require.NoError(t, err)
		again, err := semantic.Assign(rapid.Permutation(cases).Draw(t, "order"), judges, overlap, 5)
		require.NoError(t, err)
		require.Equal(t, dealt, again)
		distinct, times := make(map[string]bool), make(map[string]int)
		task := func(c semantic.Case) string { return c.Query + "\x00" + c.Text }
		for _, c := range cases {
			distinct[task(c)] = true
		}
		least, most := len(cases), 0
		for _, judge := range judges {
			own := make(map[string]bool)
			for _, c := range dealt[judge] {
				require.False(t, own[task(c)], "a judge sees no task twice")
				own[task(c)] = true
				times[task(c)]++
			}
			least, most = min(least, len(own)), max(most, len(own))
		}
		require.Len(t, times, len(distinct))
		require.LessOrEqual(t, most-least, 1)
		shared := 0
		for _, n := range times {
			if n == len(judges) {
				shared++
			} else {
				require.Equal(t, 1, n)
			}
		}
		if len(judges) > 1 {
			require.InDelta(t, overlap*float64(len(distinct)), shared, 0.5)
		}
	})
	for _, c := range []struct {
		judges  []string
		overlap float64
	}{{nil, 0.1}, {[]string{"a", "a"}, 0.1}, {[]string{"a"}, 1.1}, {[]string{"a"}, -1}} {
		_, err := semantic.Assign(tasks(), c.judges, c.overlap, 1)
		require.Error(t, err)
	}
}

// TestAssignOrders shows judges the shared tasks in orders of their own.
func TestAssignOrders(t *testing.T) {
	t.Parallel()
	var cases []semantic.Case
	for i := range 40 {
		cases = append(cases, semantic.Case{Query: fmt.Sprint("q", i), Text: "x"})
	}
	dealt := must(semantic.Assign(cases, []string{"a", "b"}, 1, 1))
	assert.NotEqual(t, dealt["a"], dealt["b"])
	assert.ElementsMatch(t, dealt["a"], dealt["b"])
	assert.NotEqual(t, dealt["a"], must(semantic.Assign(cases, []string{"a", "b"}, 1, 2))["a"])
}

func TestDisputed(t *testing.T) {
	t.Parallel()
	ls := labelsOf(
		said("a", map[string]semantic.Label{"q1 vague": full, "q1 dated": full, "q2 both": part}),
		said("b", map[string]semantic.Label{"q1 vague": none, "q1 dated": full, "q2 both": full}),
		said("chair", map[string]semantic.Label{"q2 both": full}),
	)
	ids := func(v semantic.View, o semantic.Options) (out []string) {
		for _, c := range must(semantic.Disputed(tasks(), ls, v, o)) {
			out = append(out, c.Query+" "+c.Memory)
		}
		return out
	}
	assert.Equal(t, []string{"q1 vague", "q2 both"}, ids(semantic.ThreeClass, semantic.Options{}))
	assert.Equal(t, []string{"q1 vague"}, ids(semantic.Relevant, semantic.Options{}))
	assert.Equal(t, []string{"q1 vague"}, ids(semantic.ThreeClass, semantic.Options{Adjudicator: "chair"}))
	_, err := semantic.Disputed(tasks(), ls, "", semantic.Options{})
	require.Error(t, err)
}

var _ tiaptest.Rule = semantic.MinSupport(tiaptest.Source, nil, 1, semantic.Options{})

// TestAnswersReadBack fills in what was written of hostile texts, and reads each
// label back for its own case. Rows that were torn apart are refused.
func TestAnswersReadBack(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.SampledFrom([]rune("=+-@'\"\t\r\n ,;\u00a0\ufeff\x00ab日")), 1, 6, -1)
	all := []semantic.Label{full, part, none}
	rapid.Check(t, func(t *rapid.T) {
		var cases []semantic.Case
		for i, text := range rapid.SliceOfNDistinct(text, 1, 6, rapid.ID).Draw(t, "texts") {
			cases = append(cases, semantic.Case{Query: fmt.Sprint("q", i), Question: text, Answer: text, System: "A", Memory: fmt.Sprint("m", i), Text: text})
		}
		var out bytes.Buffer
		require.NoError(t, semantic.WriteCSV(&out, cases))
		rows, err := csv.NewReader(&out).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, len(cases)+1)
		want := make(map[string]semantic.Label)
		for i, c := range cases {
			want[c.Query] = rapid.SampledFrom(all).Draw(t, "label")
			rows[i+1][4] = string(want[c.Query])
		}
		read := func(rows [][]string) (*semantic.Labels, error) {
			var saved bytes.Buffer
			require.NoError(t, csv.NewWriter(&saved).WriteAll(append(rows[:1:1], rapid.Permutation(rows[1:]).Draw(t, "order")...)))
			return semantic.ReadAnswers("a.csv", &saved, cases, semantic.Judgement{Judge: "a", Kind: semantic.Human})
		}
		ls, err := read(rows)
		require.NoError(t, err)
		got := make(map[string]semantic.Label)
		for j := range ls.All() {
			got[j.Query] = j.Label
		}
		require.Equal(t, want, got)

		words := func(c semantic.Case) string { return strings.Join(strings.Fields(c.Text), " ") }
		if len(cases) < 2 || words(cases[0]) == words(cases[1]) {
			return
		}
		rows[1][0], rows[2][0] = rows[2][0], rows[1][0]
		_, err = read(rows)
		require.ErrorContains(t, err, "is not that of the question and memory beside it")
	})
}

func FuzzReadAnswers(f *testing.F) {
	var table, lines bytes.Buffer
	require.NoError(f, semantic.WriteCSV(&table, tasks()))
	require.NoError(f, semantic.WriteJSONL(&lines, tasks()))
	f.Add(strings.ReplaceAll(table.String(), ",\n", ",supports\n"), true)
	f.Add("\ufeff"+strings.ReplaceAll(strings.ReplaceAll(table.String(), ",\n", ",partial\n"), ",", ";"), true)
	f.Add("label,id\nsupports,\"", true)
	f.Add(strings.ReplaceAll(lines.String(), `"label":""`, `"label":"supports"`), false)
	f.Fuzz(func(t *testing.T, text string, table bool) {
		name := "a.jsonl"
		if table {
			name = "a.csv"
		}
		ls, err := semantic.ReadAnswers(name, strings.NewReader(text), tasks(), semantic.Judgement{Judge: "a", Kind: semantic.Human})
		if err != nil {
			require.ErrorContains(t, err, name)
			return
		}
		require.NotZero(t, ls.Len())
		require.LessOrEqual(t, ls.Len(), 5, "each task once")
		for j := range ls.All() {
			require.Equal(t, "a", j.Judge)
			require.Contains(t, []semantic.Label{full, part, none}, j.Label)
		}
	})
}
