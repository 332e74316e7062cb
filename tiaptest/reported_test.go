package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// twoOfThree has mrr@5 of 0.611111 under raw for A and 0.277778 for B. Source
// gives the same to A; canonical gives 0.333333 to A and 0.611111 to B.
func twoOfThree() *tiaptest.Bundle {
	return contest(system("A", "rf", ".r.f", "..r.f"), system("B", "..r.f", "f.r", "f...r"))
}

// A file that states all.
const soundPage = `# Results

Scores at depth 5 over 3 shared queries, credit by evidence.

| System | raw MRR@5 | canonical MRR@5 |
| ------ | --------- | --------------- |
| A      | 0.611     | 0.3167          |
| B      | 0.29      | 73.3%           |
`

// reportedCase is a results file. What ReportedIn finds in it is compared with
// testdata/reported/<name>.golden, unless it finds nothing.
type reportedCase struct {
	name, text string
	bundle     *tiaptest.Bundle
	opts       tiaptest.Options
	passes     bool // nothing fails; there may be notes
}

func reportedCases() []reportedCase {
	page := func(replacements ...string) string {
		for i := 0; i < len(replacements); i += 2 {
			if !strings.Contains(soundPage, replacements[i]) {
				panic(replacements[i])
			}
		}
		return strings.NewReplacer(replacements...).Replace(soundPage)
	}
	stated := `"system":"A","target":"raw","credit":"evidence","depth":5,"n":3`
	object := func(members string) string { return "{" + stated + "," + members + "}\n" }
	without := func(part string) string {
		return "{" + strings.ReplaceAll(strings.ReplaceAll(","+stated, ","+part, "")+`,"mrr@5":0.6111}`, "{,", "{")[1:] + "\n"
	}
	own := tiaptest.NewTarget("Served", func(m tiaptest.Memory, _ []tiaptest.Link, _ tiaptest.Unit) bool { return m.Form == "fact" })
	return []reportedCase{
		{name: "json", text: object(`"mrr@5":0.6111,"nDCG@5":0.71`), passes: true},
		{name: "json-metric-and-value", text: object(`"metric":"MRR@5","value":0.611111111111111`), passes: true},
		{name: "json-nested", passes: true, text: `{"settings": {"credit": "evidence", "depth": 5}, "n": 3, "results": {
			"A": {"raw": {"mrr@5": 0.61, "top1": 0.33}, "canonical": {"mrr@5": 0.32}},
			"B": {"raw": {"mrr@5": 0.29}}}}`},
		{name: "json-list", passes: true, text: `[{"n":3,"credit":"evidence","scores":[{"name":"A","target":"raw","mrr@5":0.6},{"name":"B","target":"raw","mrr@5":0.3}]}]`},
		{name: "json-metric-around", passes: true, text: "{" + stated + `,"mrr@5":{"mean":0.6111,"ci":[0.4,0.8],"sd":0.3},"top1":{"value":0.33,"n":3}}` + `
			{"credit":"evidence","n":3,"mrr@5":{"raw":{"A":0.611,"B":0.29},"canonical":{"A":{"mean":0.3167}}}}`},
		{name: "json-wrong-metric-around", text: "{" + stated + `,"mrr@5":{"mean":0.7111},"top1":{"value":0.43}}` + `
			{"credit":"evidence","n":3,"mrr@5":{"raw":{"A":0.621,"B":0.39},"canonical":{"A":{"mean":0.4167}}}}`},
		{name: "json-lines", text: object(`"mrr@5":0.6111`) + object(`"mrr@5":0.62`)},
		{name: "json-inner-overrules", text: `{` + stated + `,"other":{"target":"canonical","mrr@5":0.3167},"mrr@5":0.6111}`, passes: true},
		{name: "json-text-and-percent", text: object(`"mrr@5":"61.1%","ndcg@5":71,"recall@5":"1.0","top1":33.3`), passes: true},
		{name: "json-wrong-percent", text: object(`"mrr@5":"61.2%","top1":34.3`)},
		{name: "json-bom", text: "\ufeff" + object(`"mrr@5":0.6111`), passes: true},
		{name: "json-case", text: `{"System":"A","Target":"Raw","Crediting":"by Evidence","Depth":5,"Queries":"3","Population":"Shared","MRR@5":0.6111}`, passes: true},
		{name: "json-other-numbers", text: object(`"mrr@5":0.6111,"runs":0.5,"hit":null,"recall":"high","precision":-0.1,"ap":101,"rprec":true,"value":0.3`), passes: true},
		{name: "json-no-target", text: without(`"target":"raw"`)},
		{name: "json-no-credit", text: without(`"credit":"evidence"`)},
		{name: "json-no-n", text: without(`"n":3`)},
		{name: "json-no-system", text: without(`"system":"A"`)},
		{name: "json-only-system", text: without(`"system":"A"`), bundle: contest(system("A", "rf", ".r.f", "..r.f")), passes: true},
		{name: "json-no-depth", text: without(`"depth":5`), passes: true}, // mrr@5 says it
		{name: "json-no-depth-no-cut-off", text: strings.ReplaceAll(without(`"depth":5`), "mrr@5", "mrr")},
		{name: "json-nothing-stated", text: `{"mrr@5":0.6111,"top1":0.33}`},
		{name: "json-hidden-target", text: `{"D1":{"mrr@5":0.6111,"credit":"evidence","n":3},"scores":{"raw":{"n":3,"credit":"evidence","system":"A","mrr@5":0.6111}}}`},
		{name: "json-wrong-value", text: object(`"mrr@5":0.6112,"ndcg@5":0.7103099178571527`)},
		{name: "json-last-digit", text: object(`"mrr@5":0.6,"mrr@4":0.61,"mrr@3":0.611,"top1":0.3333333333333333`), passes: true},
		{name: "json-wrong-last-digit", text: object(`"mrr@5":0.7,"mrr@4":0.62,"mrr@3":0.610,"top1":0.3333333333333433,"recall@5":0.99999999`)},
		{name: "json-exponent", text: object(`"mrr@5":6.1e-1,"top1":3.3E-1`), passes: true},
		{name: "json-wrong-exponent", text: object(`"mrr@5":6.2e-1,"top1":3.3E-2`)},
		{name: "json-other-n", text: strings.ReplaceAll(object(`"mrr@5":0.6111`), `"n":3`, `"n":1533`)},
		{name: "json-other-credit", text: strings.ReplaceAll(object(`"mrr@5":0.6111`), "evidence", "memory")},
		{name: "json-other-depth", text: strings.ReplaceAll(object(`"mrr@5":0.6111,"mrr@10":0.6111,"mrr":0.6111`), `"depth":5`, `"depth":10`)},
		{name: "json-depth-of-no-matter", text: strings.ReplaceAll(object(`"mrr@5":0.6111,"mrr@3":0.6111`), `"depth":5`, `"depth":60`), passes: true},
		{name: "json-cut-off-beyond-depth", text: without(`"depth":5`) + strings.ReplaceAll(without(`"depth":5`), "mrr@5", "mrr@10") + object(`"mrr@10":0.6111`)},
		{name: "json-no-number-of-depth", text: strings.ReplaceAll(object(`"mrr@5":0.6111`), `"depth":5`, `"depth":"all"`)},
		{name: "json-other-uncovered", text: object(`"uncovered":"counted","mrr@5":0.6111`)},
		{name: "json-populations", text: object(`"subset":"covered","mrr@5":0.6111`) + object(`"subset":"all","mrr@5":0.6111`) + object(`"population":"mine","mrr@5":0.6111`)},
		{name: "json-undefined", text: strings.ReplaceAll(object(`"mrr@5":0.6111`), "raw", "canonical"), bundle: unlinked(twoOfThree(), 0, "fact")},
		{name: "json-other-system", text: object(`"mrr@5":0.6111`) + strings.ReplaceAll(object(`"mrr@5":0.9`), `"A"`, `"C"`), passes: true},
		{name: "json-other-target", text: object(`"mrr@5":0.6111`) + strings.ReplaceAll(object(`"mrr@5":0.9`), "raw", "exact(raw)"), passes: true},
		{name: "json-other-systems-alone", text: strings.ReplaceAll(object(`"mrr@5":0.9`), `"A"`, `"C"`)},
		{name: "json-many", text: strings.Repeat(object(`"mrr@5":0.7`)+without(`"target":"raw"`), 12)},
		{name: "json-odd-names", text: `{"a\n--- FAIL: b":{"system":"A","target":"raw","credit":"evidence\r\n","n":3,"mrr@5":0.6},"b":{"target":"raw","credit":"evidence","n":"3\n","system":"A","mrr@5":0.6},"c":{"target":"raw","credit":"evidence","n":3,"system":"A\u0007","mrr@5":0.6}}`},
		{name: "json-own-target", text: strings.ReplaceAll(object(`"mrr@5":0.3167`), "raw", "served"), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, own), tiaptest.Headline(tiaptest.Raw)}, passes: true},
		{name: "json-by-memory", text: strings.ReplaceAll(object(`"mrr@5":0.6111`), "evidence", "memory"), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}, passes: true},
		{name: "json-malformed", text: `{"mrr@5": 0.6,}`},
		{name: "json-cut", text: `{"mrr@5": 0.6`},
		{name: "json-followed-by-text", text: object(`"mrr@5":0.6111`) + "and more"},
		{name: "json-without-metric", text: `{"system":"A","accuracy":0.5,"n":3}`},

		{name: "page", text: soundPage, passes: true},
		{name: "page-crlf", text: strings.ReplaceAll(soundPage, "\n", "\r\n"), passes: true},
		{name: "page-emphasis", text: page("| A  ", "| **A**  ", "0.611 ", "`0.611` ", "| B   ", "| [B](b.md)   ", "0.29 ", "__0.29__ ± 0.1 "), passes: true},
		{name: "page-row-columns", passes: true, text: `
n = 3, top 5

system | target    | crediting   | mrr@5 | top1
-------|-----------|-------------|-------|-----
A      | raw       | by evidence | 0.61  | 0.33
B      | Canonical | evidence    | 0.73  | 0.67
`},
		{name: "page-below", passes: true, text: `
| system | MRR@5 |
| ------ | ----- |
| A      | 0.61  |

Raw target, scored by evidence, n=3. Under the canonical target A has less.
`},
		{name: "page-tags", text: page("0.611 ", "<b>0.611</b> ", "0.29 ", "0.29<sup>1</sup> ", "73.3%", "<span class=best>73.3%</span>"), passes: true},
		{name: "page-wrong-in-tags", text: page("0.611 ", "<b>0.621</b> ", "0.29 ", "<0.29 ")},
		{name: "page-decimal-comma", text: page("0.611 ", "0,611 ", "0.29 ", "0,29 ", "73.3%", "73,3 %"), passes: true},
		{name: "page-wrong-decimal-comma", text: page("0.3167", "0,4167", "0.29 ", "0,31 ", "73.3%", "73,4%")},
		{name: "json-decimal-comma", text: object(`"mrr@5":"0,6111","top1":"33,3%"`), passes: true},
		{name: "json-wrong-decimal-comma", text: object(`"mrr@5":"0,6211"`)},
		{name: "page-wrong", text: page("0.611 ", "0.621 ", "73.3%", "73.4%")},
		{name: "page-percent-in-head", text: page("raw MRR@5", "raw MRR@5 (%)", "0.611", "61.1", "0.29", "29"), passes: true},
		{name: "page-percent-in-head-below-1", text: page("raw MRR@5", "raw MRR@5 (%)", "0.611", "0.611", "0.29", "29.")},
		{name: "page-differences", text: page("0.611 ", "+0.61 ", "0.29 ", "−0.29", "73.3%", "-0.733"), passes: true},
		{name: "page-empty-cells", text: page("0.611", "-", "0.29 ", "n/a ", "73.3%", ""), passes: true},
		{name: "page-no-target", text: page("raw MRR", "MRR")},
		{name: "page-no-credit", text: page(", credit by evidence", "")},
		{name: "page-no-n", text: page(" over 3 shared queries", "")},
		{name: "page-no-system", text: page("System", "Method")},
		{name: "page-hidden-credit", text: page(", credit by evidence.", ".\n\n<!-- credit by evidence -->")},
		{name: "page-in-code", text: page("# Results", "```", "73.3%           |\n", "73.3% |\n```\n")},
		{name: "page-other-depth", text: page("depth 5", "depth 10", "raw MRR@5", "raw MRR")},
		{name: "page-n-of-all", text: page("3 shared queries", "3 of 1,533 queries"), passes: true},
		{name: "page-n-of-thousands", text: "Scored by evidence; n = 1,200.\n\n| system | raw MRR@5 |\n| --- | --- |\n| A | 1.0 |\n", bundle: contest(system("A", times(1200, "rf")...)), passes: true},
		{name: "page-other-n", text: page("3 shared queries", "1,533 queries")},
		{name: "page-nearest-text", passes: true, text: `# Scores under the raw target

All scores are credited by evidence over 3 queries.

| system | MRR@5 |
| --- | --- |
| A | 0.611 |

## More

By evidence, n = 3.

No target is perfect. Target canonical:

| system | MRR@5 |
| --- | --- |
| A | 0.317 |

Target raw:

| system | MRR@5 |
| --- | --- |
| A | 0.611 |
`},
		{name: "page-underscores", text: page("| A ", `| my\_A `, "| B ", "| __B "), bundle: renamed(twoOfThree(), "my_A", "__B"), passes: true},
		{name: "page-percent", text: page("0.611 ", "61.1 ", "0.3167", "32%", "0.29", ".29"), passes: true},
		{name: "page-honours", text: page("0.611 ", "🏆 0.611 ", "0.3167", "**0.3167**†", "0.29 ", "★ 0.29 ", "73.3%", "$73.3\\%$"), passes: true},
		{name: "page-wrong-honours", text: page("0.611 ", "🏆 0.621 ", "0.3167", "**0.4167**†", "0.29 ", "★ 0.39 ", "73.3%", "$74.3\\%$")},
		{name: "page-undefined", text: page("0.3167", "NaN"), bundle: unlinked(twoOfThree(), 0, "fact"), passes: true},
		{name: "page-wrong-undefined", text: page("0.611 ", "NaN ", "0.29 ", "nan ")},
		{name: "page-unread", text: page("0.611 ", "~0.611 ", "0.3167", "0.3167 / 0.7", "0.29 ", "&nbsp;0.29 "), passes: true},
		{name: "page-unread-alone", text: page("0.611 ", "~0.611 ", "0.3167", "see 5", "0.29 ", "&lt;0.29 ", "73.3%", "(73.3%)")},
		{name: "page-differences-of-kinds", text: page("0.611 ", "(+0.1) ", "0.3167", "▲ 0.3", "0.29 ", "±0.1", "73.3%", "B +3%") + "\n| raw MRR@5 | system |\n| --- | --- |\n| 0.61 | A |\n", passes: true},
		{name: "page-other-names", passes: true, text: page("canonical MRR@5", "canonical R@10", "0.3167", "0.9")},
		{name: "page-other-names-alone", text: page("raw MRR@5", "NDCG10", "canonical MRR@5", "recip_rank")},
		{name: "page-metrics-in-rows", text: soundPage + "\n| metric | A | B |\n| --- | --- | --- |\n| **nDCG@10** | 0.5 | 0.6 |\n| all | 3 | 4 |\n| recall | 3 | |\n| R@10 | - | 0.4 |\n", passes: true},
		{name: "page-metrics-in-rows-alone", text: "| metric | system | score |\n| --- | --- | --- |\n| MRR | A | 0.6 |\n"},
		{name: "page-odd-heads", text: page("raw MRR@5", "raw a\tb MRR@5", "canonical MRR@5", "MRR@\t5", "0.611 ", "0.621 ")},
		{name: "page-no-metrics", text: soundPage + "\n| category | count | P95 | mail@host |\n| --- | --- | --- | --- |\n| all | 3 | 99 | 4 |\n| ndcg@10 | 3 | 9 | 5 |\n", passes: true},
		{name: "json-unread", text: object(`"mrr@5":0.6111,"ndcg@5":"~0.71","top1":"🏆 0.33","recall@5":[1,1],"hit@5":{"score":0.9},"ap@5":"high","rprec":{"why":"none"},"all@5":-0.2,"R@10":0.4,"map":{"raw":0.5},"P95":3`), passes: true},
		{name: "json-unread-alone", text: object(`"R@10":0.4`) + object(`"metric":"Hits@5","value":0.5`) + object(`"ndcg@all":0.4`)},
		{name: "json-metric-and-mean", text: object(`"metric":"mrr@5","mean":0.6111`), passes: true},
		{name: "json-wrong-metric-and-mean", text: object(`"metric":"mrr@5","mean":0.6211`)},
		{name: "json-undefined-nan", text: strings.ReplaceAll(object(`"mrr@5":"NaN"`), "raw", "canonical"), bundle: unlinked(twoOfThree(), 0, "fact"), passes: true},
		{name: "json-wrong-nan", text: object(`"mrr@5":"NaN"`)},
		{name: "page-without-table", text: "# Results\n\nnDCG@60 is 0.51.\n"},
		{name: "page-empty", text: ""},
		{name: "page-without-metric", text: "| system | accuracy |\n| --- | --- |\n| A | 0.5 |\n"},
	}
}

// renamed gives the systems other names.
func renamed(b *tiaptest.Bundle, names ...string) *tiaptest.Bundle {
	for i, name := range names {
		b.Systems[i].Name = name
	}
	return b
}

func TestReportedIn(t *testing.T) {
	t.Parallel()
	want := make(map[string]bool)
	for _, c := range reportedCases() {
		require.False(t, want[c.name], "two cases are named %s", c.name)
		want[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.bundle == nil {
				c.bundle = twoOfThree()
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "results")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o666))
			rule := tiaptest.ReportedIn(file)
			text, broken := foundText(t, rule.Verify(auditOf(c.bundle, c.opts)), dir)
			if c.passes {
				assert.Zero(t, broken, "violations:\n%s", text)
			} else {
				assert.NotZero(t, broken, "violations:\n%s", text)
			}
			golden := filepath.Join("testdata", "reported", c.name+".golden")
			if text != "" {
				compareGolden(t, golden, text)
			} else {
				assert.NoFileExists(t, golden, "nothing was found")
			}
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "reported"))
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, want[strings.TrimSuffix(e.Name(), ".golden")], "no case writes testdata/reported/%s", e.Name())
	}
}

func TestReportedInNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "none.md"), dir} {
		err := auditOf(same()).Verify(tiaptest.ReportedIn(file))
		require.Error(t, err)
		assert.Regexp(t, `^ReportedIn\(.*\) compared nothing: .*(no such file|is a (folder|directory))`, err.Error())
	}
}

// TestReportedInOfReports holds each audit against its own JSON report, and
// against one in which a single score is another.
func TestReportedInOfReports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	dir := t.TempDir()
	for i, a := range []*tiaptest.Audit{
		auditOf(twoOfThree()),
		auditOf(flipped(6), tiaptest.Population("all"), tiaptest.Beside(tiaptest.Current(tiaptest.Canonical))),
		auditOf(unlinked(same(), 1, "fact"), tiaptest.Credit(tiaptest.ByMemory)),
		auditOf(contest(system("A", "r", "rs|rsf").again(".r", "s.r|rs"), system("B", "r", "rs")), tiaptest.Uncovered("counted")),
	} {
		var b bytes.Buffer
		require.NoError(t, a.WriteJSON(&b))
		file := filepath.Join(dir, fmt.Sprintf("audit%d.json", i))
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
		assert.Empty(t, tiaptest.ReportedIn(file).Verify(a))

		var report map[string]any
		require.NoError(t, json.Unmarshal(b.Bytes(), &report))
		scores := report["scores"].([]any)
		changed := 0
		for _, s := range scores {
			row := s.(map[string]any)
			value, ok := row["value"].(float64)
			if !ok {
				continue
			}
			row["value"] = value * 0.999
			if value == 0 {
				row["value"] = 0.001
			}
			changed++
			text, err := json.Marshal(report)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, text, 0o666))
			assert.ErrorContains(t, a.Verify(tiaptest.ReportedIn(file)), "1 value that the audit does not give", "%v", row)
			row["value"] = value
		}
		assert.NotZero(t, changed)
	}
}

// TestReportedInPrinted prints every score with every number of decimals, as a
// fraction and as a percentage: as printed it fits, one unit off it does not.
func TestReportedInPrinted(t *testing.T) {
	t.Parallel()
	a := auditOf(contest(system("A", "r", ".r", "..r", "...r", "....r", ".....", "r")), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw))
	file := filepath.Join(t.TempDir(), "results.md")
	verify := func(metric tiaptest.Metric, printed string) error {
		text := fmt.Sprintf("raw target, by evidence, 7 queries\n\n| %s |\n| --- |\n| %s |\n", metric, printed)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return a.Verify(tiaptest.ReportedIn(file))
	}
	for _, m := range []tiaptest.Metric{mrr, ndcg, recall, micro} {
		value, err := a.Score("A", tiaptest.Raw, m)
		require.NoError(t, err)
		unit := 0.1
		for decimals := 1; decimals <= 9; decimals++ {
			assert.NoError(t, verify(m, fmt.Sprintf("%.*f", decimals, value)))
			assert.Error(t, verify(m, fmt.Sprintf("%.*f", decimals, value+unit)))
			assert.Error(t, verify(m, fmt.Sprintf("%.*f", decimals, value-unit)))
			assert.NoError(t, verify(m, fmt.Sprintf("%.*f%%", decimals, 100*value)))
			assert.Error(t, verify(m, fmt.Sprintf("%.*f%%", decimals, 100*value+unit)))
			assert.Error(t, verify(m, fmt.Sprintf("%.*f%%", decimals, 100*value-unit)))
			unit /= 10
		}
	}
}

// FuzzReportedIn verifies files of any content: no panic, and messages of the
// usual form.
func FuzzReportedIn(f *testing.F) {
	for _, c := range reportedCases() {
		f.Add([]byte(c.text))
	}
	a := auditOf(twoOfThree())
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "results")
		require.NoError(t, os.WriteFile(file, text, 0o666))
		found := tiaptest.ReportedIn(file).Verify(a)
		foundText(t, found, dir)
		again := tiaptest.ReportedIn(file).Verify(a)
		require.Equal(t, found, again)
	})
}
