package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// studied is a bundle of two variants with texts, and labels of two judges and
// answers to put into it.
const (
	studied = `
-- scenario.json --
{"schema":"tiap.scenario/v1","name":"tiny","headline":"canonical"}
-- queries.jsonl --
{"id":"q1","scope":"c1","text":"When was the tree planted?","answer":"in March","evidence":["t1"]}
{"id":"q2","scope":"c1","text":"Which trees are there?","answer":"pear and apple","evidence":["t1","t2"]}
-- systems/a/system.json --
{"family":"f","unit":"memory","lineage":"recorded at ingest","forms":{"fact":"one sentence"}}
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"],"text":"We planted the pear tree in March."}
{"id":"m2","form":"fact","sources":["t1"],"text":"a tree in March"}
{"id":"m3","form":"raw","sources":["t2"],"text":"The apple tree too."}
{"id":"m4","form":"fact","sources":["t1","t2"],"text":"apple and pear"}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
{"query":"q2","ranking":["m4","m3","m2","m1"]}
-- systems/b/system.json --
{"family":"f","unit":"memory","lineage":"recorded at ingest","forms":{"fact":"one sentence"}}
-- systems/b/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"],"text":"We planted the pear tree in March."}
{"id":"m2","form":"fact","sources":["t1"],"text":"a tree in March"}
{"id":"m3","form":"raw","sources":["t2"],"text":"The apple tree too."}
-- systems/b/run.jsonl --
{"query":"q1","ranking":["m2","m1","m3"]}
{"query":"q2","ranking":["m3","m2","m1"]}
`
	studiedLabels = `
-- labels.jsonl --
{"query":"q1","system":"a","memory":"m2","judge":"one","kind":"human","label":"supports"}
{"query":"q1","system":"a","memory":"m4","judge":"one","kind":"human","label":"does_not_support"}
{"query":"q1","system":"a","memory":"m2","judge":"two","kind":"model","model":"m","label":"supports"}
{"query":"q1","system":"a","memory":"m4","judge":"two","kind":"model","model":"m","label":"does_not_support"}
{"query":"q2","system":"a","memory":"m4","judge":"two","kind":"model","model":"m","label":"supports"}
{"query":"q2","system":"a","memory":"gone","judge":"two","kind":"model","model":"m","label":"supports"}
`
	studiedAnswers = `
-- answers.jsonl --
{"query":"q1","system":"a","f1":0.5}
{"query":"q2","system":"a","f1":1}
{"query":"q1","system":"b","f1":1}
{"query":"q2","system":"b","f1":0}
`
)

func members(t *testing.T, text string) map[string]json.RawMessage {
	t.Helper()
	m := make(map[string]json.RawMessage)
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}

// The study adds members to the report and changes none: what stands before them is
// the report byte for byte. The same input gives the same bytes.
func TestStudyAddsMembers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, files, args string
		added             []string
	}{
		{"alone", "", "-sensitivity", []string{"card", "composition", "sensitivity"}},
		{"labels and depths", studiedLabels + studiedAnswers, "-sensitivity -depths 1,2,4", []string{"card", "composition", "labels", "sensitivity", "support"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, studied, tt.files)
			plain := mustRun(t, dir, "audit -json DIR")
			full := mustRun(t, dir, "audit -json DIR "+tt.args)
			before, ok := strings.CutSuffix(plain, "\n}\n")
			require.True(t, ok)
			assert.True(t, strings.HasPrefix(full, before+",\n \"card\": {"), "the report comes first and is unchanged")

			own, all := members(t, plain), members(t, full)
			for name := range own {
				delete(all, name)
			}
			assert.Equal(t, tt.added, slices.Sorted(maps.Keys(all)))

			assert.Equal(t, full, mustRun(t, dir, "audit -json DIR "+tt.args), "twice")
			text := mustRun(t, dir, "audit DIR "+tt.args)
			assert.True(t, strings.HasPrefix(text, mustRun(t, dir, "audit DIR")), "the table comes first")
			editFiles(t, dir, "", func(text string) string {
				lines := strings.SplitAfter(text, "\n")
				slices.Reverse(lines)
				return strings.Join(lines, "")
			})
			assert.Equal(t, full, mustRun(t, dir, "audit -json DIR "+tt.args), "lines in another order")
			assert.Equal(t, text, mustRun(t, dir, "audit DIR "+tt.args), "lines in another order")
		})
	}
}

// Labels and answers in a bundle are not looked at unless something asks for them.
// A study of nothing says what is missing, and that the audit alone is possible.
func TestStudyOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t8"]}
-- systems/b/store.jsonl --
{"id":"m1","form":"fact","sources":["t9"]}
-- records.jsonl --
{"query_id":"q1","raw_ids":[],"source_ids":["m2"],"canonical_ids":["m2"]}
-- trace.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m2","rank":1}
`)
	const nothing = "tiaptest audit: -sensitivity: the audit has no value: its targets cover no query of any system; "
	const alone = "; leave -sensitivity out to see the audit alone\n"
	for args, want := range map[string]string{
		"DIR": nothing + "let the memories descend from turns of the evidence, by the same ids (sources in store.jsonl, Memory.Sources in code)" + alone,
		"-targets raw -records DIR/records.jsonl -trace DIR/trace.jsonl": nothing + "name the ids that each target credits in the records" + alone,
	} {
		status, _, stderr := start(dir, strings.Fields("audit -sensitivity "+args)...)
		assert.Equal(t, 2, status, args)
		assert.Equal(t, want, stderr, args)
	}
	assert.Contains(t, mustRun(t, dir, "audit DIR"), "a: target raw covers no query")
}

func TestStudyNotAskedFor(t *testing.T) {
	t.Parallel()
	plain, with := t.TempDir(), t.TempDir()
	writeFiles(t, plain, studied)
	writeFiles(t, with, studied, "-- labels.jsonl --\nnonsense\n-- answers.jsonl --\nnonsense\n")
	for _, args := range []string{"audit DIR", "audit -json DIR"} {
		assert.Equal(t, mustRun(t, plain, args), mustRun(t, with, args), args)
	}
}

func TestStudy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, studiedLabels, studiedAnswers)
	var s report.Added
	require.NoError(t, json.Unmarshal([]byte(mustRun(t, dir, "audit -json -sensitivity -depths 1,2 DIR")), &s))

	assert.True(t, s.Card.Holds())
	assert.NotEmpty(t, s.Sensitivity.Changes)
	require.Len(t, s.Sensitivity.Alignment, 10, "by system and metric")
	require.Len(t, s.Sensitivity.Conventions, 3*3*5, "for each metric")
	require.NotEmpty(t, s.Sensitivity.Depths)
	assert.Equal(t, []int{1, 2}, []int{s.Sensitivity.Depths[0].Cuts[0].K, s.Sensitivity.Depths[0].Cuts[1].K})

	require.Len(t, s.Composition, 6)
	a := s.Composition[4]
	a.FanOut = nil
	assert.Equal(t, &semantic.Composition{System: "a", Target: "canonical", Queries: 1, Passed: 1, Single: 1, Distinct: 1}, a)

	// Of a's contested credits under Canonical m2 on q1 and m4 on q2 are labelled.
	require.Len(t, s.Support, 8)
	assert.Equal(t, semantic.Strict, s.Support[4].View)
	assert.Equal(t, semantic.Support{System: "a", Target: "canonical", Contested: 2, Labelled: 2, Supported: 2, Share: s.Support[4].Share}, s.Support[4].Support)
	assert.Equal(t, 6, s.Labels.Labels)
	assert.Equal(t, 1, s.Labels.Unused)
	require.Len(t, s.Labels.Agreement, 3)
	assert.InDelta(t, 1, *s.Labels.Agreement[0].MeanPairwise, 1e-12)
	require.Len(t, s.Labels.Prevalence, 3)
	assert.Empty(t, s.Labels.Uncorrected)
	assert.Equal(t, 5, s.Labels.Buckets["1-5"].Labels)

	text := mustRun(t, dir, "audit -sensitivity -depths 1,2 DIR")
	for _, title := range []string{
		"reporting card of tiny", "what the target changes: ", "alignment of scores with answers", "shift by depth", "recommended by convention",
		"queries with spread evidence", "fan-out of credit", "support of contested credits", "support labels: 6, 1 of them good for no retrieved memory",
		"agreement of judges on tiny", "counted by: repeats once, ties none", "agreement of pairs of judges", "shares by models, corrected",
	} {
		assert.Contains(t, text, "\n"+title)
	}
	assert.Contains(t, text, "memory/dropped/shared", "the whole study of conventions")
}

// What people did not label corrects nothing, and the reason is said.
func TestStudyWithoutCorrection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, strings.ReplaceAll(studiedLabels, "\"judge\":\"one\",\"kind\":\"human\"", "\"judge\":\"three\",\"kind\":\"model\",\"model\":\"n\""))
	text := mustRun(t, dir, "audit -sensitivity DIR")
	assert.Contains(t, text, "\nshares by models are not corrected: ")
}

// The rules of labels hold for everything that the labels say.
func TestStudyRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, studiedLabels)
	for rule, want := range map[string]struct{ labels, labelled, supported, models int }{
		"-k 60":                  {5, 2, 2, 3}, // no rule
		"-label-rule kind=human": {2, 1, 1, 0},
		"-label-rule kind=model": {3, 2, 2, 0},
	} {
		var s report.Added
		text := mustRun(t, dir, "audit -json -sensitivity "+rule+" -beside supported[judge=two](canonical) -report DIR/report.md DIR")
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		assert.Equal(t, want.labels, s.Labels.Buckets["1-5"].Labels, rule)
		assert.Equal(t, want.models > 0, len(s.Labels.Prevalence) > 0, rule)
		seen := 0
		for _, m := range s.Support {
			if m.System == "a" && m.Target == "canonical" {
				assert.Equal(t, []int{2, want.labelled, want.supported}, []int{m.Contested, m.Labelled, m.Supported}, "%s %s", rule, m.View)
				seen++
			}
		}
		assert.Equal(t, 2, seen, "two views")
		assert.Contains(t, text, `"supported[judge=two](canonical)"`, "the rules of a name are its own")
		shown := readFile(t, filepath.Join(dir, "report.md"))
		assert.Regexp(t, fmt.Sprintf(`(?m)^\| a +\| canonical +\| +2 \| +%d \|`, want.labelled), shown, rule)
	}
}

// Labels may lie elsewhere and be compressed.
func TestStudyFiles(t *testing.T) {
	t.Parallel()
	inside, outside, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	writeFiles(t, inside, studied, studiedLabels, studiedAnswers)
	writeFiles(t, outside, studied)
	writeFiles(t, elsewhere, studiedLabels, studiedAnswers)
	compress := func(text string) string { return string(gzipped(t, text)) }
	editFiles(t, elsewhere, ".gz", compress)
	want := mustRun(t, inside, "audit -json -sensitivity DIR")
	assert.NotEqual(t, want, mustRun(t, outside, "audit -json -sensitivity DIR"))
	assert.Equal(t, want, mustRun(t, outside, "audit -json -sensitivity DIR -labels "+filepath.Join(elsewhere, "labels.jsonl.gz")+" -answers "+filepath.Join(elsewhere, "answers.jsonl.gz")))
	editFiles(t, inside, ".gz", compress)
	assert.Equal(t, want, mustRun(t, inside, "audit -json -sensitivity DIR"), "compressed in the bundle")
}

// Qrels name no memories: nothing is said of composition and labels.
func TestStudyOfQrels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, soundTREC)
	var s report.Added
	require.NoError(t, json.Unmarshal([]byte(mustRun(t, dir, auditTREC+" -json -sensitivity")), &s))
	assert.NotNil(t, s.Composition)
	assert.Empty(t, s.Composition)
	assert.Nil(t, s.Support)
	assert.False(t, s.Card.Holds())
	dir = t.TempDir()
	writeFiles(t, dir, soundMTELMem)
	mustRun(t, dir, auditMTELMem+" -sensitivity")
}

// Supported targets are read wherever targets are named, by every command that
// audits.
func TestSupportedTargets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, studiedLabels)
	r := parseReport(t, mustRun(t, dir, "audit -json -k 10 -metrics recall@10 -targets raw,canonical -beside supported(canonical),supported+partial+unlabelled(current(canonical)) -systems a DIR"))
	for target, want := range map[string]float64{
		"canonical": 1, "supported(canonical)": 1, "supported+partial+unlabelled(current(canonical))": 1,
	} {
		got, n := r.score(t, target, "recall@10")
		assert.InDelta(t, want, got, 1e-12, target)
		assert.Equal(t, 2, n)
	}
	// The only fact of q2 that is judged holds both turns; without its label nothing
	// is supported there.
	writeFiles(t, dir, strings.Replace(studiedLabels, `"memory":"m4","judge":"two","kind":"model","model":"m","label":"supports"`, `"memory":"m4","judge":"two","kind":"model","model":"m","label":"partial"`, 1))
	for args, want := range map[string]float64{
		"supported(canonical)":            0.5,
		"supported+partial(canonical)":    1,
		"supported+unlabelled(canonical)": 0.75, // m2 has no label on q2 and holds one of two turns
	} {
		r := parseReport(t, mustRun(t, dir, "audit -json -k 10 -metrics recall@10 -targets raw,"+args+" -headline "+args+" -systems a DIR"))
		got, _ := r.score(t, args, "recall@10")
		assert.InDelta(t, want, got, 1e-12, args)
	}
	assert.Contains(t, mustRun(t, dir, "explain -query q2 -beside supported(canonical) DIR"), "supported(canonical)")
	assert.NotEmpty(t, mustRun(t, dir, "gate -base DIR -beside supported(canonical) DIR"))
}

// Qrels may be named as they like.
func TestQrelsNamedSupported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, soundTREC)
	r := parseReport(t, mustRun(t, dir, "audit -json -qrels supported=DIR/raw.qrels -run DIR/a.run -targets supported -headline supported"))
	got, _ := r.score(t, "supported", "hit@60")
	assert.InDelta(t, 1, got, 1e-12)
}

func TestRefusedStudy(t *testing.T) {
	t.Parallel()
	badLabels := "-- labels.jsonl --\n{\"query\":\"q1\",\"system\":\"a\",\"memory\":\"m2\",\"judge\":\"one\",\"kind\":\"human\",\"label\":\"maybe\"}\n"
	testRefused(t, []refusal{
		{
			name: "flags of the study without it",
			args: "audit -depths 5,10 -answers DIR/a.jsonl DIR",
			stderr: `
tiaptest audit: -answers DIR/a.jsonl: only with -sensitivity
tiaptest audit: -depths 5,10: only with -sensitivity
`,
		},
		{
			name: "bad depths",
			args: "audit -sensitivity -depths 0,x,70,5,5 DIR",
			stderr: `
tiaptest audit: -depths 0,x,70,5,5: "0" is no whole number from 1 on; write them as in -depths 5,10,20
tiaptest audit: -depths 0,x,70,5,5: "x" is no whole number from 1 on; write them as in -depths 5,10,20
tiaptest audit: -depths 0,x,70,5,5: 70 is beyond the depth 60; raise it with -k
tiaptest audit: -depths 0,x,70,5,5: 5 stands twice; name it once
`,
		},
		{
			name: "one depth",
			args: "audit -sensitivity -depths 5 DIR",
			stderr: `
tiaptest audit: -depths 5: one depth compares nothing; name two or more
`,
		},
		{
			name: "labels that nothing uses",
			args: "audit -labels DIR/labels.jsonl DIR",
			stderr: `
tiaptest audit: -labels DIR/labels.jsonl: no target asks for labels; name one such as supported(canonical)
`,
		},
		{
			name: "a rule that nothing uses",
			args: "audit -label-rule kind=human -label-rule judge=one DIR",
			stderr: `
tiaptest audit: -label-rule judge=one,kind=human: no target asks for labels; name one such as supported(canonical)
`,
		},
		{
			name: "a rule that is none",
			args: "audit -label-rule by=one DIR",
			stderr: `
tiaptest audit: invalid value "by=one" for flag -label-rule: unknown field "by"; use judge, model, sample, kind, adjudicator, repeats or ties; see tiaptest audit -h
`,
		},
		{
			name: "a rule without labels",
			args: "audit -sensitivity -label-rule kind=human DIR",
			stderr: `
tiaptest audit: -label-rule kind=human: there are no labels; name them with -labels FILE or put labels.jsonl into the bundle
`,
		},
		{
			name:  "rules that no label meets",
			args:  "audit -sensitivity -label-rule judge=One -label-rule model=n -label-rule sample=s -label-rule adjudicator=chair DIR",
			files: studiedLabels,
			stderr: `
tiaptest audit: -label-rule: no label is of judge One; there are labels of one, two
tiaptest audit: -label-rule: no label is of model n; there are labels of m
tiaptest audit: -label-rule: no label is of sample s; the labels name none
tiaptest audit: -label-rule: no label is of adjudicator chair; there are labels of one, two
`,
		},
		{
			name:  "rules that no label meets together",
			args:  "explain -query q1 -beside supported(canonical) -label-rule judge=one -label-rule kind=model DIR",
			files: studiedLabels,
			stderr: `
tiaptest explain: -label-rule: no label is of all of judge=one,kind=model; ask for less
`,
		},
		{
			name:  "labels in two files",
			args:  "audit -sensitivity DIR",
			files: studiedLabels + "-- labels.jsonl.gz --\n-- answers.jsonl --\n-- answers.jsonl.zst --\n",
			stderr: `
DIR/labels.jsonl: the file exists as labels.jsonl and labels.jsonl.gz; keep one of them
`,
		},
		{
			name:  "answers in two files",
			args:  "audit -sensitivity DIR",
			files: "-- answers.jsonl --\n-- answers.jsonl.zst --\n",
			stderr: `
DIR/answers.jsonl: the file exists as answers.jsonl and answers.jsonl.zst; keep one of them
`,
		},
		{
			name:  "labels that are a folder",
			args:  "audit -beside supported(canonical) DIR",
			files: "-- labels.jsonl/x --\n",
			stderr: `
DIR/labels.jsonl: it is a folder; give a file in its place
`,
		},
		{
			name:  "rules in the name of a target",
			args:  "audit -beside supported[kind=human,judge=two](canonical),supported[judge=three]+partial(canonical),supported[by=x](canonical),supported[](canonical) DIR",
			files: studiedLabels,
			stderr: `
target supported[kind=human,judge=two](canonical): no label is of all of judge=two,kind=human; ask for less
target supported[judge=three]+partial(canonical): no label is of judge three; there are labels of one, two
target supported[by=x](canonical): unknown field "by"; use judge, model, sample, kind, adjudicator, repeats or ties
target supported[](canonical): "" is no choice; write FIELD=VALUE, as kind=human
`,
		},
		{
			name: "no labels for two targets",
			args: "audit -targets raw,supported(canonical) -beside supported+partial(canonical) DIR",
			stderr: `
target supported(canonical) needs support labels, and there are none; name them with -labels FILE or put labels.jsonl into the bundle
target supported+partial(canonical) needs support labels, and there are none; name them with -labels FILE or put labels.jsonl into the bundle
`,
		},
		{
			name:  "supported targets that are none",
			args:  "audit -beside supported,supported+full(canonical),supported(cannonical),current(supported(canonical)) DIR",
			files: studiedLabels,
			stderr: `
unknown target "supported"; use supported(...), supported+partial(...), supported+unlabelled(...) or supported+partial+unlabelled(...) around one, as in supported(canonical)
unknown target "supported+full(canonical)"; use supported(...), supported+partial(...), supported+unlabelled(...) or supported+partial+unlabelled(...) around one, as in supported(canonical)
unknown target "cannonical"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one
target "current(supported(canonical))": write supported(...) around all other modifiers, as in supported(current(canonical))
`,
		},
		{
			name:  "bad labels are reported once",
			args:  "audit -beside supported(canonical),supported+partial(canonical) DIR",
			files: badLabels,
			stderr: `
DIR/labels.jsonl:1: the label is "maybe"; write supports, partial or does_not_support
`,
		},
		{
			name:  "bad labels of a study",
			args:  "audit -sensitivity DIR",
			files: badLabels,
			stderr: `
DIR/labels.jsonl:1: the label is "maybe"; write supports, partial or does_not_support
`,
		},
		{
			name: "labels that are missing",
			args: "audit -sensitivity -labels DIR/none.jsonl DIR",
			stderr: `
DIR/none.jsonl: no such file or directory; name a file of labels
`,
		},
		{
			name:  "bad answers",
			args:  "audit -sensitivity DIR",
			files: "-- answers.jsonl --\n{\"query\":\"q1\",\"system\":\"a\",\"f1\":50}\n",
			stderr: `
DIR/answers.jsonl:1: the answer of system "a" to query "q1" has f1 50; f1 lies in [0, 1]; divide percentages by 100
`,
		},
		{
			name:  "answers to other queries",
			args:  "audit -sensitivity DIR",
			files: "-- answers.jsonl --\n{\"query\":\"q9\",\"system\":\"a\",\"f1\":0.5}\n",
			stderr: `
DIR/answers.jsonl: not one answer belongs to a system and a query of the scores; give both the same names
`,
		},
		{
			name: "answers that are missing",
			args: "audit -sensitivity -answers DIR/none.jsonl DIR",
			stderr: `
DIR/none.jsonl: no such file or directory; name a file of answers
`,
		},
		{
			name:  "labels for qrels",
			sound: soundTREC,
			args:  auditTREC + " -sensitivity -labels DIR/labels.jsonl",
			files: studiedLabels,
			stderr: `
tiaptest audit: -labels judge memories, and qrels and records name none; leave them out
`,
		},
	})
}
