package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGateUsage(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name: "nothing to compare with",
			args: "gate DIR",
			stderr: `
tiaptest gate: name what to compare with: either -golden FILE or -base DIR
`,
		},
		{
			name: "two to compare with",
			args: "gate -golden DIR/g.json -base DIR DIR",
			stderr: `
tiaptest gate: -golden DIR/g.json and -base DIR: it compares with one of them; leave one out
`,
		},
		{
			name: "bad values, all at once",
			args: "gate -base DIR -format xml -base-missing pass -tolerance 1.5 -effect 1 DIR",
			stderr: `
tiaptest gate: -format xml: use text, json or markdown
tiaptest gate: -base-missing pass: use fail or report
tiaptest gate: -tolerance 1.5: it must lie between 0 and 1
tiaptest gate: -effect 1: it must be at least 0 and less than 1
`,
		},
		{
			name: "negative and undefined values",
			args: "gate -base DIR -tolerance -0.1 -effect NaN DIR",
			stderr: `
tiaptest gate: -tolerance -0.1: it must lie between 0 and 1
tiaptest gate: -effect NaN: it must be at least 0 and less than 1
`,
		},
		{
			name: "a base that is missing, with a golden file",
			args: "gate -golden DIR/g.json -base-missing report DIR",
			stderr: `
tiaptest gate: -base-missing report: only with -base; let a missing golden file pass by -report-only missing
`,
		},
		{
			name: "no number",
			args: "gate -base DIR -effect little DIR",
			stderr: `
tiaptest gate: invalid value "little" for flag -effect: parse error; see tiaptest gate -h
`,
		},
		{
			name: "unknown verdict",
			args: "gate -base DIR -fail-on tie,flop DIR",
			stderr: `
tiaptest gate: invalid value "tie,flop" for flag -fail-on: unknown verdict "flop"; the verdicts are identity-mismatch,missing,coverage-lost,inconclusive,tie,winner-flip,new-flip,flip-resolved,change-flip,recommendation-changed,regressed,improved,query-lost,same,new; see tiaptest gate -h
`,
		},
		{
			name: "both bundles",
			args: "gate -base DIR/base DIR",
			files: `
-- scenario.json --
{"schema":"tiap.scenario/v1","name":"tiny","headline":3}
-- base/scenario.json --
{"schema":"tiap.scenario/v1","name":4}
-- base/queries.jsonl --
{"id":"q1","evidence":["t1"]}
-- base/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
-- base/run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/scenario.json:1: "headline" holds a number in place of a string; write a string
DIR/base/scenario.json:1: "name" holds a number in place of a string; write a string
`,
		},
		{
			name:  "a golden file that is none",
			args:  "gate -golden DIR/scenario.json DIR",
			files: "",
			stderr: `
DIR/scenario.json: it is no golden file: its schema is "tiap.scenario/v1", this version reads tiap.golden/v1; restore it from version control, or name another file, which is recorded if it does not exist
`,
		},
	})
}

// In the base a leads under every target. In the head, whose memories have other
// ids, b leads under canonical.
const (
	gateBase = soundBundle + `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
{"query":"q2","ranking":["m3","m4","m1","m2"]}
-- systems/b/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","sources":["t1"]}
{"id":"m3","form":"raw","sources":["t2"]}
{"id":"m4","form":"fact","sources":["t2"]}
-- systems/b/run.jsonl --
{"query":"q1","ranking":["m3","m1","m4","m2"]}
{"query":"q2","ranking":["m1","m3","m2","m4"]}
`
	gateHead = `
-- systems/b/store.jsonl --
{"id":"x1","form":"raw","sources":["t1"]}
{"id":"x2","form":"fact","sources":["t1"]}
{"id":"x3","form":"raw","sources":["t2"]}
{"id":"x4","form":"fact","sources":["t2"]}
-- systems/b/run.jsonl --
{"query":"q1","ranking":["x2","x3","x1","x4"]}
{"query":"q2","ranking":["x4","x1","x3","x2"]}
`
)

func gateBundles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeFiles(t, filepath.Join(dir, "base"), gateBase)
	writeFiles(t, filepath.Join(dir, "renamed"), strings.NewReplacer(`"m`, `"other`).Replace(gateBase))
	writeFiles(t, filepath.Join(dir, "head"), gateBase, gateHead)
	return dir
}

// runGate runs the gate and expects an exit status and nothing on standard error.
func runGate(t *testing.T, dir string, want int, args string) string {
	t.Helper()
	status, stdout, stderr := start(dir, strings.Fields("gate -k 10 -metrics mrr@10 "+args)...)
	require.Empty(t, stderr, "standard error")
	require.Equal(t, want, status, "exit status, with\n%s", stdout)
	return strings.ReplaceAll(stdout, dir, "DIR")
}

// Each output has the verdict in one line.
func TestGateOutputs(t *testing.T) {
	t.Parallel()
	dir := gateBundles(t)
	const verdict = "failed: winner-flip; 3 of 4 findings fail; against DIR/base"

	text := runGate(t, dir, 1, "-base DIR/base DIR/head")
	first, _, _ := strings.Cut(text, "\n")
	assert.Equal(t, verdict, first)
	assert.Equal(t, 1, strings.Count(text, "failed:")+strings.Count(text, "passed:"), "%s", text)

	markdown := runGate(t, dir, 1, "-base DIR/base -format markdown DIR/head")
	first, _, _ = strings.Cut(markdown, "\n")
	assert.Equal(t, "**tiaptest gate "+verdict+"**", first)
	assert.Equal(t, 1, strings.Count(markdown, "failed:")+strings.Count(markdown, "passed:"), "%s", markdown)
	assert.Contains(t, markdown, "\n| winner-flip | yes | winner flip on mrr@10 under canonical: a -&gt; b | 2 |\n")

	var report struct {
		Schema, Verdict, Against string
		Failed                   bool
		Findings                 []struct {
			Verdict string
			Fails   bool
			Text    string
			Rows    []struct {
				Target        string
				Recorded, Now float64
			}
		}
		Accept string
	}
	out := runGate(t, dir, 1, "-base DIR/base -format json DIR/head")
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.Equal(t, "tiap.golden-diff/v1", report.Schema)
	assert.Equal(t, "winner-flip", report.Verdict)
	assert.Equal(t, "DIR/base", report.Against)
	assert.True(t, report.Failed)
	assert.Empty(t, report.Accept, "a base is not recorded")
	require.Len(t, report.Findings, 4)
	assert.Equal(t, "winner flip on mrr@10 under canonical: a -> b", report.Findings[1].Text)
	assert.Len(t, report.Findings[1].Rows, 3)
	fails := 0
	for _, f := range report.Findings {
		if f.Fails {
			fails++
		}
		assert.Contains(t, text, f.Text)
	}
	assert.Equal(t, 3, fails)

	runGate(t, dir, 1, "-base DIR/base -format markdown -o DIR/comment.md DIR/head")
	written, err := os.ReadFile(filepath.Join(dir, "comment.md"))
	require.NoError(t, err)
	assert.Equal(t, markdown, strings.ReplaceAll(string(written), dir, "DIR"))
}

// Memories may have other ids in the base.
func TestGateOtherIDs(t *testing.T) {
	t.Parallel()
	dir := gateBundles(t)
	assert.Equal(t, "passed: same; against DIR/base\n", runGate(t, dir, 0, "-base DIR/base DIR/renamed"))
	assert.Equal(t, "**tiaptest gate passed: same; against DIR/base**\n\ncredit by evidence, uncovered units dropped, population shared, depth 10, headline canonical\n",
		runGate(t, dir, 0, "-base DIR/base -format markdown DIR/renamed"))
	table := func(base string) string {
		text, _, _ := strings.Cut(runGate(t, dir, 1, "-base DIR/"+base+" -format markdown DIR/head"), "<details>")
		return strings.ReplaceAll(text, base, "base")
	}
	assert.Equal(t, table("base"), table("renamed"))
}

func TestGateMissing(t *testing.T) {
	t.Parallel()
	dir := gateBundles(t)
	assert.Equal(t, "failed: missing; 1 of 1 finding fails; against DIR/none\n\nmissing: there is no base DIR/none to compare with\n"+
		"    note: where a base may be missing, as on the first pull request, -base-missing report lets it pass\n",
		runGate(t, dir, 1, "-base DIR/none DIR/head"))
	assert.Equal(t, "passed: missing; 0 of 1 finding fails; against DIR/none\n\nmissing: there is no base DIR/none to compare with\n",
		runGate(t, dir, 0, "-base DIR/none -base-missing report DIR/head"))
	assert.Contains(t, runGate(t, dir, 1, "-golden DIR/none.json DIR/head"), "\n    to accept: TIAP_UPDATE=1 go tool tiaptest gate -k 10 -metrics mrr@10 -golden DIR/none.json DIR/head\n")
	assert.Contains(t, runGate(t, dir, 0, "-golden DIR/none.json -report-only missing DIR/head"), "passed: missing; 0 of 1 finding fails; against DIR/none.json\n")
	assert.NoFileExists(t, filepath.Join(dir, "none.json"))
}

// What is no golden file of an audit is refused by its name, and left alone even when
// golden files are recorded.
func TestGateGoldenOfOtherKind(t *testing.T) {
	dir := gateBundles(t)
	store := filepath.Join(dir, "parser.store.json")
	require.NoError(t, os.WriteFile(store, []byte(`{"schema":"tiap.golden-store/v1","memories":{}}`), 0o666))
	for _, update := range []string{"0", "force"} {
		t.Setenv("TIAP_UPDATE", update)
		for file, want := range map[string]string{
			"parser.store.json":        `it records a store, not an audit: its schema is "tiap.golden-store/v1", this version reads tiap.golden/v1; name another file or key`,
			"head/systems/a/run.jsonl": `it is no golden file: its schema is "", this version reads tiap.golden/v1; restore it from version control, or name another file, which is recorded if it does not exist`,
		} {
			before := readFile(t, filepath.Join(dir, file))
			status, stdout, stderr := start(dir, strings.Fields("gate -k 10 -metrics mrr@10 DIR/head -golden DIR/"+file)...)
			assert.Equal(t, 2, status, file)
			assert.Empty(t, stdout, file)
			assert.Equal(t, "DIR/"+file+": "+want+"\n", stderr)
			assert.Equal(t, before, readFile(t, filepath.Join(dir, file)))
		}
	}
	t.Setenv("TIAP_UPDATE", "")
	_, _, stderr := start(dir, strings.Fields("gate -k 10 -metrics mrr@10 DIR/head -golden DIR/head")...)
	assert.Contains(t, stderr, "DIR/head: it is a folder; give a file in its place\n")
}

// Entries of accepted.json that do nothing are noted, in every output, whatever
// the verdict; those that do something are not.
func TestGateStaleEntries(t *testing.T) {
	t.Parallel()
	dir := gateBundles(t)
	entry := func(metric, targets, until string) string {
		return `{"a":"a","b":"b","metric":"` + metric + `","targets":[` + targets + `],"reason":"why","until":"` + until + `"}`
	}
	accepted := "[" + strings.Join([]string{
		entry("mrr@10", `"raw","canonical"`, "9999-12-31"), // it holds
		entry("mrr@10", `"source","canonical"`, "2001-12-31"),
		entry("mrr@9", `"raw","canonical"`, ""),
	}, ",") + "]"
	for _, bundle := range []string{"head", "renamed"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, bundle, "accepted.json"), []byte(accepted), 0o666))
	}
	const ended = "note: known finding ended on 2001-12-31: winner flip of a and b on mrr@10 between canonical and source (why)\n"
	const unknown = "note: known finding is not looked for, the audit has no metric mrr@9: winner flip of a and b on mrr@9 between canonical and raw (why)\n"
	const gone = "note: known finding does not occur any more, remove it: winner flip of a and b on mrr@10 between canonical and raw (why)\n"
	text := runGate(t, dir, 1, "-base DIR/base DIR/head")
	assert.Contains(t, text, ended)
	assert.Contains(t, text, unknown)
	assert.Equal(t, 2, strings.Count(text, "note: known finding"), "%s", text)
	text = runGate(t, dir, 0, "-base DIR/base DIR/renamed")
	assert.Equal(t, "passed: same; against DIR/base\n\n"+gone+ended+unknown, text)
	assert.Contains(t, runGate(t, dir, 0, "-base DIR/base -format markdown DIR/renamed"), "- note: known finding ended on 2001-12-31")
	assert.Contains(t, runGate(t, dir, 0, "-base DIR/base -format json DIR/renamed"), "known finding ended on 2001-12-31")
	assert.Contains(t, runGate(t, dir, 1, "-golden DIR/none.json DIR/head"), ended)
}

// What the audit of the head noticed is noted too, in every output, whatever the
// verdict: each line that tiaptest audit has of it.
func TestGateDiagnostics(t *testing.T) {
	t.Parallel()
	dir := gateBundles(t)
	labels := `{"query":"q1","system":"a","memory":"m2","judge":"ann","kind":"human","label":"supports"}` + "\n"
	for _, bundle := range []string{"base", "head"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, bundle, "labels.jsonl"), []byte(labels), 0o666))
	}
	const beside = "-beside supported(canonical) "
	_, noticed, ok := strings.Cut(mustRun(t, dir, "audit -k 10 -metrics mrr@10 "+beside+"DIR/head"), "\nnoticed\n")
	require.True(t, ok)
	lines := strings.Split(strings.TrimSpace(noticed), "\n")
	require.Contains(t, noticed, "a: 1 of 2 contested credits has a label")
	for _, args := range []string{"", "-format markdown ", "-format json ", "-report-only winner-flip,new-flip,change-flip,regressed "} {
		status, stdout, stderr := start(dir, strings.Fields("gate -k 10 -metrics mrr@10 "+beside+args+"-base DIR/base DIR/head")...)
		assert.Empty(t, stderr)
		assert.Less(t, status, 2)
		for _, line := range lines {
			line = strings.TrimSpace(line)
			if args != "-format json " {
				line = "note: " + line
			}
			assert.Contains(t, stdout, line, args)
		}
	}
	assert.NotContains(t, runGate(t, dir, 1, "-base DIR/base DIR/head"), "note:", "nothing is noticed without the target")
}
