package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// What is written is filled and read back, and makes the labels of an audit.
func TestContested(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cases.csv", "cases.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, studied)
			file := filepath.Join(dir, name)
			status, stdout, stderr := start(dir, "contested", "DIR", "-o", "DIR/"+name)
			require.Equal(t, 0, status, stderr)
			assert.Empty(t, stdout)
			assert.Equal(t, "4 cases to judge, for 7 contested credits, written to DIR/"+name+"\n", stderr)
			text := readFile(t, file)
			assert.NotContains(t, text, "canonical", "blinded")
			assert.Equal(t, 4, strings.Count(text, "a tree in March")+strings.Count(text, "apple and pear"), "each task once, though two systems retrieve it")

			filled := strings.NewReplacer(",\n", ",supports\n", `"label":""`, `"label":"supports"`).Replace(text)
			require.NoError(t, os.WriteFile(file, []byte(filled), 0o666))
			mustRun(t, dir, "contested DIR -filled DIR/"+name+" -judge anyone -sample-name first -o DIR/labels.jsonl")
			labels := readFile(t, filepath.Join(dir, "labels.jsonl"))
			assert.Equal(t, 4, strings.Count(labels, `"judge":"anyone","kind":"human","sample":"first","label":"supports"}`), labels)
			by := mustRun(t, dir, "contested DIR -filled DIR/"+name+" -judge anyone -model m")
			assert.Equal(t, 4, strings.Count(by, `"judge":"anyone","kind":"model","model":"m","label":"supports"}`), by)

			r := parseReport(t, mustRun(t, dir, "audit -json -metrics ndcg@10 -beside supported(canonical) DIR"))
			want, _ := r.score(t, "canonical", "ndcg@10")
			got, _ := r.score(t, "supported(canonical)", "ndcg@10")
			assert.InDelta(t, want, got, 1e-12, "all is supported")
		})
	}
}

func TestContestedSample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	status, first, strata := start(dir, "contested", "-sample", "1", "DIR")
	assert.Equal(t, 0, status)
	const drawn = "retrieved memories drawn for each target and range of ranks; those of one query and text are one case:\n" +
		"target     ranks  drawn  of\ncanonical  1-5    %[1]d      6\nsource     1-5    %[1]d      6\n"
	assert.Equal(t, fmt.Sprintf(drawn, 1), strata)
	assert.LessOrEqual(t, strings.Count(first, "\n"), 2)
	draws := make(map[string]bool)
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		_, draw, _ := start(dir, "contested", "-sample", "1", "-seed", seed, "DIR")
		_, again, _ := start(dir, "contested", "-sample", "1", "-seed", seed, "DIR")
		assert.Equal(t, draw, again, seed)
		draws[draw] = true
	}
	assert.Greater(t, len(draws), 1, "the seed decides")

	// Both targets draw m2 of q1: canonical credits it in two systems, source in one.
	_, _, stderr := start(dir, "contested", "-sample", "1", "-seed", "3", "DIR", "-o", "DIR/one.csv")
	assert.Equal(t, "1 case to judge, for 3 of 7 contested credits, written to DIR/one.csv\n"+fmt.Sprintf(drawn, 1), stderr)
	_, _, stderr = start(dir, "contested", "-sample", "9", "DIR", "-o", "DIR/all.csv")
	assert.Equal(t, "4 cases to judge, for 7 contested credits, written to DIR/all.csv\n"+fmt.Sprintf(drawn, 6), stderr, "as without -sample")
}

// A target that one system lacks is contested in the others.
func TestContestedWithoutLineage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, "-- systems/b/store.jsonl --\n{\"id\":\"m1\",\"form\":\"raw\"}\n{\"id\":\"m2\",\"form\":\"fact\",\"text\":\"x\"}\n{\"id\":\"m3\",\"form\":\"raw\"}\n")
	assert.NotEmpty(t, mustRun(t, dir, "contested DIR"))
	text := mustRun(t, dir, "audit -sensitivity DIR")
	assert.Contains(t, text, "system b has no lineage for the headline target canonical")
	writeFiles(t, dir, studiedLabels)
	assert.Contains(t, mustRun(t, dir, "audit -sensitivity DIR"), "support of contested credits")
}

// A model is asked once about each case: not by a dry run, and not again.
func TestContestedAsk(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	refusing := new(atomic.Bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusing.Load() {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		asked.Add(1)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"partial"}}]}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	command := "contested DIR -ask " + server.URL + "/v1 -model m -o DIR/labels.jsonl"
	assert.Equal(t, "4 cases: 0 labelled before, 4 would be asked, 4 without a label\n", mustRun(t, dir, command+" -dry-run"))
	assert.Zero(t, asked.Load())

	refusing.Store(true)
	status, stdout, stderr := start(dir, strings.Fields(command)...)
	assert.Equal(t, 2, status)
	assert.Equal(t, "4 cases: 0 labelled before, 0 labelled now, 4 without a label\n", stdout)
	assert.Contains(t, stderr, "\ntiaptest contested: 4 of 4 cases have no label; the same command asks them again\n")
	refusing.Store(false)

	status, stdout, stderr = start(dir, strings.Fields(command+" -sample 1 -workers 2 -v")...)
	assert.Equal(t, 0, status)
	drawn := asked.Load()
	assert.Contains(t, []int32{1, 2}, drawn, "one for each of two targets")
	assert.Contains(t, stdout, "0 labelled before")
	assert.Contains(t, stderr, "have a label\n")
	assert.Contains(t, stderr, "target     ranks  drawn  of\n")

	assert.Equal(t, fmt.Sprintf("4 cases: %d labelled before, %d labelled now, 0 without a label\n", drawn, 4-drawn), mustRun(t, dir, command))
	assert.Equal(t, "4 cases: 4 labelled before, 0 labelled now, 0 without a label\n", mustRun(t, dir, command))
	assert.Equal(t, int32(4), asked.Load())
	assert.Equal(t, 4, strings.Count(readFile(t, filepath.Join(dir, "labels.jsonl")), `"judge":"m","kind":"model","model":"m"`))
	assert.Contains(t, mustRun(t, dir, "audit -sensitivity DIR"), "support labels: 4, 0 of them good for no retrieved memory")
}

// Cases that cannot be judged are left out of whatever is written and asked, and named.
func TestContestedUnfit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"partial"}}]}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	writeFiles(t, dir, studied, `
-- queries.jsonl --
{"id":"q1","scope":"c1","answer":"in March","evidence":["t1"]}
{"id":"q2","scope":"c1","text":"Which trees are there?","answer":"pear and apple","evidence":["t1","t2"]}
`)
	const note = `tiaptest contested: left out: 2 of 4 cases cannot be judged
memory "m2" of a on query "q1": the query has no text to judge by; give it one: "text" in queries.jsonl, Query.Text in code
memory "m4" of a on query "q1": the query has no text to judge by; give it one: "text" in queries.jsonl, Query.Text in code
`
	ask := "contested DIR -ask " + server.URL + " -model m -o DIR/labels.jsonl"
	for _, c := range []struct{ command, stdout, stderr string }{
		{ask + " -dry-run", "2 cases: 0 labelled before, 2 would be asked, 2 without a label\n", note},
		{ask, "2 cases: 0 labelled before, 2 labelled now, 0 without a label\n", note},
		{ask, "2 cases: 2 labelled before, 0 labelled now, 0 without a label\n", note},
		{"contested DIR -o DIR/cases.csv", "", note + "2 cases to judge, for 4 contested credits, written to DIR/cases.csv\n"},
		{"contested DIR -assign ann -o DIR/cases.csv", "", note + "judge  cases  file\nann    2      DIR/cases.ann.csv\n"},
	} {
		status, stdout, stderr := start(dir, strings.Fields(c.command)...)
		assert.Equal(t, 0, status, c.command)
		assert.Equal(t, c.stdout, stdout, c.command)
		assert.Equal(t, c.stderr, stderr, c.command)
	}
	assert.Equal(t, int32(2), asked.Load())
	assert.Equal(t, 3, strings.Count(readFile(t, filepath.Join(dir, "cases.csv")), "\n"))

	writeFiles(t, dir, "-- queries.jsonl --\n{\"id\":\"q1\",\"evidence\":[\"t1\"]}\n{\"id\":\"q2\",\"evidence\":[\"t1\",\"t2\"]}\n")
	for _, command := range []string{ask, ask + " -dry-run", "contested DIR"} {
		status, stdout, stderr := start(dir, strings.Fields(command)...)
		assert.Equal(t, 2, status, command)
		assert.Empty(t, stdout, command)
		assert.Contains(t, stderr, "4 of 4 cases cannot be judged\n", command)
	}
	assert.Equal(t, int32(2), asked.Load())
}

// What bears on scores alone, and on no list of cases, is no flag.
func TestContestedFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	for _, flag := range []string{"-metrics=hit@5", "-resamples=200", "-alpha=0.1", "-cluster", "-uncovered=counted", "-population=all", "-min-effect=0.1"} {
		mustRun(t, dir, "audit "+flag+" DIR")
		status, _, stderr := start(dir, "contested", flag, "DIR")
		assert.Equal(t, 2, status, flag)
		name, _, _ := strings.Cut(flag, "=")
		assert.Equal(t, "tiaptest contested: flag provided but not defined: "+name+"; see tiaptest contested -h\n", stderr)
	}
	assert.NotEmpty(t, mustRun(t, dir, "contested -k 5 -seed 2 -targets canonical -headline canonical -systems a -credit evidence -merge order DIR"))
	_, help, _ := start(dir, "contested", "-h")
	assert.NotContains(t, help, "-resamples")
	assert.Contains(t, help, "(default 1337)")
}

// A model that is not there is given up.
func TestContestedUnavailable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	status, stdout, stderr := start(dir, "contested", "DIR", "-ask", server.URL, "-model", "m", "-workers", "4", "-o", "DIR/labels.jsonl")
	assert.Equal(t, 2, status)
	assert.Equal(t, "4 cases: 0 labelled before, 0 labelled now, 4 without a label\n", stdout)
	assert.Contains(t, stderr, "the collection ended early, after 3 cases in a row without an answer: ")
}

func TestRefusedContested(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name: "flags that do not go together",
			args: "contested -sample -1 -judge one -model m -sample-name s DIR",
			stderr: `
tiaptest contested: -sample -1: it must be at least 0
tiaptest contested: -judge: only with -filled or -ask
tiaptest contested: -model: only with -filled or -ask
tiaptest contested: -sample-name: only with -filled or -ask
`,
		},
		{
			name: "labels that would look like a table",
			args: "contested -ask http://127.0.0.1:1/v1 -model m -o DIR/x.csv DIR",
			stderr: `
tiaptest contested: -o DIR/x.csv: labels are no table for a spreadsheet but a JSON object a line; name it labels.jsonl
`,
		},
		{
			name: "filled labels that would look like a table",
			args: "contested -filled DIR/cases.csv -judge ann -o DIR/x.CSV DIR",
			stderr: `
tiaptest contested: -o DIR/x.CSV: labels are no table for a spreadsheet but a JSON object a line; name it labels.jsonl
`,
		},
		{
			name: "rules that exclude each other",
			args: "contested -disputed three -label-rule kind=human -label-rule kind=model DIR",
			stderr: `
tiaptest contested: invalid value "kind=model" for flag -label-rule: kind=model after kind=human: they exclude each other; keep one of them; see tiaptest contested -h
`,
		},
		{
			name: "filled by nobody",
			args: "contested -filled DIR/cases.csv -sample 3 DIR",
			stderr: `
tiaptest contested: -filled DIR/cases.csv: say who filled it with -judge NAME
tiaptest contested: -sample: not with -filled, whose rows are the sample
`,
		},
		{
			name: "people who cannot be told apart",
			args: "contested -assign ann,Ann,,a/b -overlap 1.5 DIR",
			stderr: `
tiaptest contested: -assign ann,Ann,,a/b: name the files with -o FILE.csv, which becomes FILE.NAME.csv for each
tiaptest contested: -assign ann,Ann,,a/b: Ann is named twice, in whatever case; name each once
tiaptest contested: -assign ann,Ann,,a/b: "" cannot be a part of a file's name; use letters and digits
tiaptest contested: -assign ann,Ann,,a/b: "a/b" cannot be a part of a file's name; use letters and digits
tiaptest contested: -overlap 1.5: it must lie between 0 and 1
`,
		},
		{
			name: "an overlap of nobody",
			args: "contested -overlap 0.3 DIR",
			stderr: `
tiaptest contested: -overlap: only with -assign
`,
		},
		{
			name: "people and a filled file, disputed",
			args: "contested -assign ann,bob -disputed three -filled DIR/c.csv -judge ann -o DIR/l.csv DIR",
			stderr: `
tiaptest contested: -assign ann,bob: it deals cases out to people; leave out -ask and -filled
tiaptest contested: -disputed: not with -filled, whose rows are the disputed ones
tiaptest contested: -o DIR/l.csv: labels are no table for a spreadsheet but a JSON object a line; name it labels.jsonl
`,
		},
		{
			name:  "more people than cases",
			sound: studied,
			args:  "contested -assign a,b,c,d,e -overlap 0 -o DIR/cases.csv DIR",
			stderr: `
tiaptest contested: -assign a,b,c,d,e: there are not enough cases for all; e would get none
`,
		},
		{
			name:  "a view that is none",
			sound: studied,
			args:  "contested -disputed all DIR",
			files: studiedLabels,
			stderr: `
tiaptest contested: -disputed all: it must be three, relevant or strict
`,
		},
		{
			name:  "disputed without labels",
			sound: studied,
			args:  "contested -disputed three DIR",
			stderr: `
tiaptest contested: -disputed three: there are no labels; name them with -labels FILE or put labels.jsonl into the bundle
`,
		},
		{
			name:  "rules that nothing uses",
			sound: studied,
			args:  "contested -label-rule kind=human DIR",
			stderr: `
tiaptest contested: -label-rule kind=human: no target asks for labels; name one such as supported(canonical)
`,
		},
		{
			name: "flags of a model without one",
			args: "contested -dry-run -workers 0 -per-minute -1 -key-env K -v DIR",
			stderr: `
tiaptest contested: -dry-run: only with -ask
tiaptest contested: -key-env: only with -ask
tiaptest contested: -per-minute: only with -ask
tiaptest contested: -v: only with -ask
tiaptest contested: -workers: only with -ask
tiaptest contested: -workers 0: it must be at least 1
tiaptest contested: -per-minute -1: it must be at least 0
`,
		},
		{
			name: "a model without name and file",
			args: "contested -ask http://127.0.0.1:1/v1 DIR",
			stderr: `
tiaptest contested: -ask http://127.0.0.1:1/v1: name the model with -model NAME
tiaptest contested: -ask http://127.0.0.1:1/v1: name the file of labels with -o labels.jsonl
`,
		},
		{
			name: "a model and a filled file",
			args: "contested -ask http://127.0.0.1:1/v1 -filled DIR/cases.csv -o DIR/labels.jsonl DIR",
			stderr: `
tiaptest contested: -filled and -ask: use one
`,
		},
		{
			name:  "a key that is not set",
			sound: studied,
			args:  "contested -ask http://127.0.0.1:1/v1 -model m -key-env TIAP_TEST_NO_SUCH_KEY -o DIR/labels.jsonl DIR",
			stderr: `
tiaptest contested: -key-env TIAP_TEST_NO_SUCH_KEY: the variable is not set
`,
		},
		{
			name: "filled file that is missing",
			args: "contested -filled DIR/cases.csv -judge one DIR",
			stderr: `
DIR/cases.csv: no such file or directory; name the file that was filled
`,
		},
		{
			name:  "filled with another word",
			sound: studied,
			args:  "contested -filled DIR/cases.jsonl -judge one DIR",
			files: "-- cases.jsonl --\n{\"id\":\"0\",\"label\":\"yes\"}\n",
			stderr: `
DIR/cases.jsonl:1: the id "0" is of none of the cases; read the answers with the cases that were written
`,
		},
		{
			name: "memories without text",
			args: "contested DIR",
			stderr: `
2 of 2 cases cannot be judged
memory "m2" of a on query "q1" has no text to judge; give it one: "text" in store.jsonl, Memory.Text in code
memory "m4" of a on query "q2" has no text to judge; give it one: "text" in store.jsonl, Memory.Text in code
`,
		},
		{
			name: "no target to contest",
			args: "contested -targets raw -headline raw DIR",
			stderr: `
tiaptest contested: no target contests Raw; add source or canonical to -targets
`,
		},
		{
			name:  "nothing to judge",
			args:  "contested DIR",
			files: "-- systems/a/store.jsonl --\n{\"id\":\"m1\",\"form\":\"raw\",\"sources\":[\"t1\"]}\n{\"id\":\"m2\",\"form\":\"raw\",\"sources\":[\"t1\"]}\n{\"id\":\"m3\",\"form\":\"raw\",\"sources\":[\"t2\"]}\n{\"id\":\"m4\",\"form\":\"raw\",\"sources\":[\"t2\"]}\n",
			stderr: `
tiaptest contested: nothing to judge: no memory is retrieved that only source or canonical may credit
`,
		},
		{
			name:  "no lineage",
			args:  "contested DIR",
			files: "-- systems/a/store.jsonl --\n{\"id\":\"m1\",\"form\":\"raw\"}\n{\"id\":\"m2\",\"form\":\"fact\"}\n{\"id\":\"m3\",\"form\":\"raw\"}\n{\"id\":\"m4\",\"form\":\"fact\"}\n",
			stderr: `
tiaptest contested: target source is unavailable in a: its store has no lineage for it
`,
		},
		{
			name:  "qrels",
			sound: soundTREC,
			args:  "contested -qrels source=DIR/raw.qrels -run DIR/a.run",
			stderr: `
tiaptest contested: TREC qrels hold ids and no memories; open a bundle with stores
`,
		},
	})
}
