package tiaptest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest"
)

// reportedIn is what the rule finds in a file, "" for nothing.
func reportedIn(t testing.TB, b *tiaptest.Bundle, file string) string {
	t.Helper()
	var out []string
	for _, v := range tiaptest.ReportedIn(file).Verify(auditOf(b)) {
		out = append(out, v.Text)
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), file, "FILE")
}

// Every limit of a results file is met, and exceeded by one.
func TestReportedLimits(t *testing.T) {
	t.Parallel()
	const stated = `"system":"A","target":"raw","credit":"evidence","depth":5,"n":3`
	const tooMany = "compared nothing: FILE: it holds more than 131072 values to check, or 2097152 others; check a file of results alone, or several"
	nested := func(depth int) string {
		return strings.Repeat("[", depth-1) + "{" + stated + `,"mrr@5":0.6111}` + strings.Repeat("]", depth-1)
	}
	values := func(n int) string {
		return "{" + stated + `,"mrr@5":0.6111,"runs":[0` + strings.Repeat(",0", n-9) + "]}"
	}
	scores := func(n int) string {
		return "{" + stated + `,"scores":[` + strings.Repeat(`{"mrr@5":0.6111},`, n-1) + `{"mrr@5":0.6111}]}`
	}
	others := func(before string, n int) string { return before + strings.Repeat(`{"r@1":1}`, n) }
	metrics := func(n int) string {
		text := "{" + stated + `,"depth":5`
		for k := range n {
			text += fmt.Sprintf(`,"recall@%d":1`, k+5)
		}
		return text + "}"
	}
	page := func(n int) string {
		return "A at depth 5, n = 3, by evidence, system\n\n| system | raw mrr@5 |\n| --- | --- |\n" + strings.Repeat("|A|0.6111\n", n)
	}
	for name, tt := range map[string]struct{ at, beyond, says string }{
		"depth":             {nested(limit.Depth), nested(limit.Depth + 1), "compared nothing: FILE: more than 100 JSON values stand within each other; check a file of results"},
		"JSON values":       {values(16 * limit.Reported), values(16*limit.Reported + 1), tooMany},
		"values in JSON":    {scores(limit.Reported), scores(limit.Reported + 1), tooMany},
		"values in tables":  {page(limit.Reported), page(limit.Reported + 1), tooMany},
		"unread numbers":    {others(scores(1), limit.Reported-1), others(scores(1), limit.Reported), tooMany},
		"lines of Markdown": {page(1) + strings.Repeat("\n", 16*limit.Reported-16), page(1) + strings.Repeat("\r", 16*limit.Reported), tooMany},
		"metrics":           {metrics(limit.Metrics), metrics(limit.Metrics + 1), "compared nothing: FILE: it holds values of more than 1000 metrics; check the files one by one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "results")
			require.NoError(t, os.WriteFile(file, []byte(tt.at), 0o600))
			found := reportedIn(t, twoOfThree(), file)
			assert.NotContains(t, found, "compared nothing", "%.500s", found)
			require.NoError(t, os.WriteFile(file, []byte(tt.beyond), 0o600))
			assert.Contains(t, fmt.Sprintf("%.500s", reportedIn(t, twoOfThree(), file)), tt.says)
		})
	}
}

func TestReportedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	assert.Empty(t, reportedIn(t, twoOfThree(), write("page.md.gz", packed(soundPage))))
	wrong := strings.Replace(soundPage, "0.29", "0.28", 1)
	assert.Contains(t, reportedIn(t, twoOfThree(), write("wrong.md.GZ", packed(wrong))), "FILE reports 1 value that the audit does not give")

	assert.Contains(t, reportedIn(t, twoOfThree(), write("bomb.md.gz", packed(strings.Repeat(" ", 64<<20)))),
		"compared nothing: FILE: the gzip data unpacks to more than 32 MiB and 256 times its size; look what it holds; if that is sound, give the file unpacked")
	assert.Contains(t, reportedIn(t, twoOfThree(), write("plain.md.gz", []byte(soundPage))), "not gzip data")
	large := write("large.md", nil)
	require.NoError(t, os.Truncate(large, limit.File+1))
	assert.Contains(t, reportedIn(t, twoOfThree(), large), "compared nothing: FILE: it has more than 64 MiB; give the file that is meant, or leave out what is not needed")
	assert.Contains(t, reportedIn(t, twoOfThree(), dir), "compared nothing: FILE: it is a folder; give a file in its place")
	assert.Contains(t, reportedIn(t, twoOfThree(), dir+"/none"), "compared nothing: FILE: no such file or directory")
}

// What stands far above a table does not say what it holds, and a long path of a
// value is cut.
func TestReportedNear(t *testing.T) {
	t.Parallel()
	table := soundPage[strings.Index(soundPage, "| System"):]
	said := "Scores at depth 5 over 3 shared queries, credit by evidence.\n\n"
	for name, tt := range map[string]struct {
		text string
		near bool
	}{
		"99 paragraphs":         {said + strings.Repeat("And.\n\n", 99) + table, true},
		"100 paragraphs":        {said + strings.Repeat("And.\n\n", 100) + table, false},
		"a long paragraph":      {said + strings.Repeat("and\n", 16<<10-60) + "\n" + table, true},
		"a paragraph too long":  {said + strings.Repeat("and\n", 16<<10) + "\n" + table, false},
		"a heading":             {"# at depth 5 over 3 shared queries, credit by evidence\n\n" + table, true},
		"a heading too long":    {"# " + strings.Repeat("and ", 16<<10) + "at depth 5 over 3 shared queries, credit by evidence\n\n" + table, false},
		"a paragraph below":     {table + "\n" + said, true},
		"a long one below":      {table + "\n" + strings.Repeat("and ", 16<<10) + said, false},
		"nearest first":         {"Over 4 queries.\n\n" + said + table, true},
		"nearest first, wrong":  {said + "Over 4 queries.\n\n" + table, false},
		"heading after all":     {"# Over 4 queries\n\n" + said + table, true},
		"above before below":    {said + table + "\nOver 4 queries.\n", true},
		"heading before below":  {"# at depth 5 over 3 shared queries, credit by evidence\n\n" + table + "\nOver 4 queries.\n", true},
		"below, but is another": {table + "\nOver 4 queries, credit by evidence.\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "page.md")
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			found := reportedIn(t, twoOfThree(), file)
			assert.Equal(t, tt.near, found == "", "%.500s", found)
		})
	}
	file := filepath.Join(t.TempDir(), "results.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"`+strings.Repeat("é", 1000)+`":{"mrr@5":0.6111}}`), 0o600))
	assert.Contains(t, reportedIn(t, twoOfThree(), file), "\n    ..."+strings.Repeat("é", 97)+".mrr@5: mrr@5 = 0.6111 does not state its system, target, credit, n")
}
