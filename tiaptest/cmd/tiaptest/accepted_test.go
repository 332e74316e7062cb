package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reported is the part of a JSON report that these tests look at.
type reported struct {
	Systems []struct {
		Name                           string
		Ingests, Absent, Failed, Empty int
		UnknownIDs                     int `json:"unknown_ids"`
		Covered                        map[string]int
	}
	Scores []struct {
		System, Target, Subset, Metric string
		N                              int
		Value                          *float64
	}
	Diagnostics []struct{ Kind, System, Query, Text string }
}

// score returns a score of system a over the shared subset.
func (r reported) score(t *testing.T, target, metric string) (value float64, n int) {
	t.Helper()
	for _, s := range r.Scores {
		if s.System == "a" && s.Target == target && s.Metric == metric && s.Subset == "shared" {
			require.NotNil(t, s.Value, "%s under %s", metric, target)
			return *s.Value, s.N
		}
	}
	t.Fatalf("no %s under %s", metric, target)
	return 0, 0
}

// notices are the diagnostics, as lines of kind, system and text.
func (r reported) notices() []string {
	lines := []string{}
	for _, d := range r.Diagnostics {
		lines = append(lines, strings.TrimSpace(d.Kind+" "+d.System)+": "+d.Text)
	}
	return lines
}

// mustRun expects exit status 0 and nothing on standard error.
func mustRun(t *testing.T, dir, args string) (stdout string) {
	t.Helper()
	status, stdout, stderr := start(dir, strings.Fields(args)...)
	require.Empty(t, stderr, "standard error")
	require.Equal(t, 0, status, "exit status")
	return stdout
}

func parseReport(t *testing.T, text string) (r reported) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	return r
}

// editFiles changes every file of a folder. A file that is to be compressed has
// the ending added to its name; only JSON Lines and TREC files may be.
func editFiles(t *testing.T, dir, ending string, edit func(text string) string) {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (ending == "" || filepath.Ext(file) != ".json") {
			files = append(files, file)
		}
		return err
	}))
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.WriteFile(file+ending, []byte(edit(string(text))), 0o666))
	}
}

// What changes nothing in the report, in some of B (a bundle), T (TREC) and M
// (MTEL-Mem).
func TestAcceptedAlike(t *testing.T) {
	t.Parallel()
	inputs := map[string]struct{ sound, args string }{
		"B": {soundBundle, "audit -json DIR"},
		"T": {soundTREC, "audit -json -qrels raw=DIR/raw.qrels* -run DIR/a.run*"},
		"M": {soundMTELMem, "audit -json -records DIR/records.jsonl* -trace DIR/trace.jsonl*"},
	}
	replacing := func(oldnew ...string) func(string) string { return strings.NewReplacer(oldnew...).Replace }
	for _, tt := range []struct {
		name, inputs, ending string
		edit                 func(text string) string
	}{
		{"byte order mark", "BTM", "", func(text string) string { return "\ufeff" + text }},
		{"CRLF", "BTM", "", replacing("\n", "\r\n")},
		{"no final line end", "BTM", "", func(text string) string { return strings.TrimSuffix(text, "\n") }},
		{"blank lines", "BTM", "", replacing("\n", "\n \t\n\n")},
		{"lines in another order", "BTM", "", func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			slices.Reverse(lines)
			return strings.Join(lines, "")
		}},
		{"unknown members", "BM", "", replacing("}\n", `,"weight":[0.5,{"a":null}],"Id":7}`+"\n")},
		{"lines of 5 MiB", "BM", "", func(text string) string {
			return strings.Replace(text, "{", `{"pad":"`+strings.Repeat("x", 5<<20)+`",`, 1)
		}},
		{"space in JSON", "BM", "", replacing(`":`, "\" :\t", `,`, " , ")},
		{"escapes in JSON", "BM", "", replacing(`"m`, `"\u006d`, `"q1`, `"\u00711`, `"t`, `"\u0074`)},
		{"alias query_id", "B", "", replacing(`"query":`, `"query_id":`, `{"id":"q`, `{"query_id":"q`)},
		{"evidence and sources as objects", "B", "", replacing(`["t1"]`, `[{"turns":["t1"],"turn":"t1"}]`)},
		{"members that are null", "BM", "", replacing("}\n", `,"scores":null,"text":null,"parents":null,"lists":null,"category":null}`+"\n")},
		{"fields apart", "T", "", replacing(" ", "\t  ")},
		{"gzip", "BTM", ".gz", func(text string) string { return string(gzipped(t, text)) }},
		{"gzip in two members", "BTM", ".gz", func(text string) string { return string(gzipped(t, text[:9])) + string(gzipped(t, text[9:])) }},
		{"zstd", "BTM", ".zst", func(text string) string {
			z, err := zstd.NewWriter(nil)
			require.NoError(t, err)
			return string(z.EncodeAll([]byte(text), nil))
		}},
	} {
		for _, letter := range strings.Split(tt.inputs, "") {
			t.Run(tt.name+" "+letter, func(t *testing.T) {
				t.Parallel()
				in := inputs[letter]
				sound, edited := t.TempDir(), t.TempDir()
				writeFiles(t, sound, in.sound)
				writeFiles(t, edited, in.sound)
				editFiles(t, edited, tt.ending, tt.edit)
				want := mustRun(t, sound, strings.ReplaceAll(in.args, "*", ""))
				got := mustRun(t, edited, strings.ReplaceAll(in.args, "*", tt.ending))
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("report (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// What the report says of input that is unusual.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		sound string // a bundle when empty
		args  string // "audit -json DIR" when empty
		files string
		check func(t *testing.T, r reported)
	}{
		{
			name: "the sound bundle",
			check: func(t *testing.T, r reported) {
				assert.Empty(t, r.notices())
				value, n := r.score(t, "raw", "mrr@60")
				assert.Equal(t, 2, n)
				assert.InDelta(t, (1+1./2)/2, value, 1e-12)
			},
		},
		{
			name:  "hexadecimal and exponent as TREC scores",
			sound: soundTREC,
			args:  "audit -json -qrels raw=DIR/raw.qrels -run DIR/a.run",
			files: `
-- a.run --
q1 Q0 m1 1 0x10 a
q1 Q0 m2 2 1e3 a
q1 Q0 m4 3 17 a
q2 Q0 m3 1 -1e-3 a
`,
			check: func(t *testing.T, r reported) {
				value, n := r.score(t, "raw", "mrr@60") // m2 (1000), m4 (17), m1 (16)
				assert.Equal(t, 2, n)
				assert.InDelta(t, (1./3+1)/2, value, 1e-12)
				assert.Equal(t, []string{"unknown-ids a: 2 ranked ids are not judged"}, r.notices())
			},
		},
		{
			name:  "rank column of TREC",
			sound: soundTREC,
			args:  "audit -json -qrels raw=DIR/raw.qrels -run b=DIR/a.run -run DIR/a.run -rank-column",
			files: `
-- a.run --
q1 Q0 m1 9 99 a
q1 Q0 m2 1 1 a
q2 Q0 m3 1 1 a
`,
			check: func(t *testing.T, r reported) {
				value, _ := r.score(t, "raw", "mrr@60")
				assert.InDelta(t, (1./2+1)/2, value, 1e-12)
				require.Len(t, r.Systems, 2)
				assert.Equal(t, "b", r.Systems[1].Name)
			},
		},
		{
			name: "system field that differs from the folder",
			files: `
-- systems/a/system.json --
{"name":"alpha"}
-- systems/a/run.jsonl --
{"query":"q1","system":"alpha","ranking":["m1","m2","m3","m4"]}
{"query":"q2","system":"a","ranking":["m4","m3","m2","m1"]}
`,
			check: func(t *testing.T, r reported) {
				require.Len(t, r.Systems, 1)
				assert.Equal(t, "a", r.Systems[0].Name)
				assert.Equal(t, []string{
					`system-field a: 1 ranking says system "alpha"; the folder names the system`,
					`system-name a: system.json says "alpha"; the folder names the system`,
				}, r.notices())
			},
		},
		{
			name: "rankings shorter than the depth",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"]}
{"query":"q2","ranking":["m4","m3"],"k":2}
`,
			check: func(t *testing.T, r reported) {
				assert.Equal(t, []string{"short-ranking a: 1 ranking is shorter than the depth although the store holds more: q1"}, r.notices(),
					"q2 asked for no more")
			},
		},
		{
			name: "rankings of the depth",
			args: "audit -json DIR -k 2",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"]}
{"query":"q2","ranking":["m4","m3"]}
`,
			check: func(t *testing.T, r reported) { assert.Empty(t, r.notices()) },
		},
		{
			name: "query absent from the run",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
{"query":"q9","ranking":["m1","m2","m3","m4"]}
{"query":"q7","ranking":["m1","m2","m3","m4"]}
`,
			check: func(t *testing.T, r reported) {
				require.Len(t, r.Systems, 1)
				assert.Equal(t, 1, r.Systems[0].Absent)
				value, n := r.score(t, "raw", "ndcg@60")
				assert.Equal(t, 2, n, "the absent query counts")
				assert.InDelta(t, 0.5, value, 1e-12, "as 0")
				assert.Equal(t, []string{
					"absent a: 1 query is absent from the run and counts as 0: q2",
					"unknown-query a: 2 ranked queries are not in the scenario: q7, q9",
				}, r.notices())
			},
		},
		{
			name: "failed and empty rankings",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":["t1"]}
{"id":"q2","evidence":["t2"]}
{"id":"q3","evidence":["t1"]}
{"id":"q4","evidence":["t2"]}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
{"query":"q2","ranking":[]}
{"query":"q3","error":"timed out"}
{"query":"q4","ranking":["m3"],"error":"timed out"}
`,
			check: func(t *testing.T, r reported) {
				require.Len(t, r.Systems, 1)
				assert.Equal(t, 1, r.Systems[0].Empty)
				assert.Equal(t, 2, r.Systems[0].Failed)
				assert.Equal(t, 0, r.Systems[0].Absent)
				value, n := r.score(t, "raw", "ndcg@60")
				assert.Equal(t, 4, n)
				assert.InDelta(t, 0.25, value, 1e-12, "what a failed query returned counts as 0")
				assert.Contains(t, r.notices(), "failed a: 2 queries failed and count as 0: q3, q4")
			},
		},
		{
			name: "evidence named twice",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":["t1","t1",{"turns":["t1","t1"]}]}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
`,
			check: func(t *testing.T, r reported) {
				value, _ := r.score(t, "raw", "ndcg@60")
				assert.InDelta(t, 1, value, 1e-12, "with three units the ideal would be greater")
			},
		},
		{
			name: "ids that the store lacks",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["x","m1","m2","m3"]}
{"query":"q2","ranking":["y","x","m3","m4"]}
`,
			check: func(t *testing.T, r reported) {
				require.Len(t, r.Systems, 1)
				assert.Equal(t, 2, r.Systems[0].UnknownIDs)
				value, _ := r.score(t, "raw", "mrr@60")
				assert.InDelta(t, (1./2+1./3)/2, value, 1e-12, "they keep their ranks")
				assert.Equal(t, []string{"unknown-ids a: 2 ranked ids are not in its store; they descend from nothing"}, r.notices())
			},
		},
		{
			name: "query without evidence and evidence outside the conversation",
			files: `
-- turns.jsonl --
{"id":"t1"}
{"id":"t2"}
-- queries.jsonl --
{"id":"q1","evidence":["t1","t8"]}
{"id":"q2","evidence":["t2"]}
{"id":"q3"}
{"id":"q4","evidence":["t9"]}
`,
			check: func(t *testing.T, r reported) {
				value, n := r.score(t, "raw", "recall@60")
				assert.Equal(t, 2, n)
				assert.InDelta(t, 1, value, 1e-12)
				assert.Equal(t, []string{
					"unknown-turn: 2 evidence turns are not in turns.jsonl: t8, t9",
					"unscorable: 2 queries have no usable evidence: q3, q4",
				}, r.notices())
			},
		},
		{
			name: "repeats",
			files: `
-- systems/a/repeats/second/store.jsonl --
{"id":"n1","form":"raw","sources":["t1"]}
{"id":"n2","form":"fact","sources":["t1","t2"]}
{"id":"n3","form":"raw","sources":["t2"]}
-- systems/a/repeats/second/run.jsonl --
{"query":"q1","ranking":["n2","n1","n3"]}
{"query":"q2","ranking":["n2","n1","n3"]}
`,
			check: func(t *testing.T, r reported) {
				require.Len(t, r.Systems, 1)
				assert.Equal(t, 2, r.Systems[0].Ingests)
				value, _ := r.score(t, "raw", "mrr@60")
				assert.InDelta(t, ((1+1./2)/2+(1./2+1./3)/2)/2, value, 1e-12, "the mean over ingests")
			},
		},
		{
			name:  "rankings of a trace out of order and with gaps",
			sound: soundMTELMem,
			args:  "audit -json -records DIR/records.jsonl -trace DIR/trace.jsonl",
			files: `
-- trace.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m2","rank":7}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":3,"score":null}
`,
			check: func(t *testing.T, r reported) {
				value, _ := r.score(t, "canonical", "mrr@60")
				assert.InDelta(t, 0.5, value, 1e-12)
				assert.Equal(t, []string{"rank-gaps: 1 ranking of the trace skip ranks; the order counts"}, r.notices())
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, cmp.Or(tt.sound, soundBundle), tt.files)
			tt.check(t, parseReport(t, mustRun(t, dir, cmp.Or(tt.args, "audit -json DIR"))))
		})
	}
}

// Arguments that come to the same, and where the report goes.
func TestAcceptedArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, soundBundle)
	want := mustRun(t, dir, "audit -json -k 5 DIR")
	table := mustRun(t, dir, "audit -k 5 DIR")
	require.NotEqual(t, want, table)

	t.Run("order", func(t *testing.T) {
		t.Parallel()
		for _, args := range []string{
			"audit DIR -json -k 5", "audit -k 5 DIR -json", "audit --json --k=5 DIR", "audit -json -k 5 -- DIR",
			"audit DIR -json=true -k 3 -k 5", "audit -o - -json -k 5 DIR", "audit DIR/ -json -k 5", "audit DIR/systems/.. -json -k 5",
		} {
			assert.Equal(t, want, mustRun(t, dir, args), args)
		}
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "report")
		for args, text := range map[string]string{"audit DIR -json -k 5": want, "audit DIR -k 5": table} {
			require.NoError(t, os.WriteFile(file, []byte("what was there before, "+strings.Repeat("x", 1<<16)), 0o666))
			assert.Empty(t, mustRun(t, dir, args+" -o "+file))
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, text, string(got))
		}
	})
	t.Run("values of queries", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "queries.jsonl")
		assert.Equal(t, mustRun(t, dir, "audit DIR -metrics mrr,micro_recall@1"), mustRun(t, dir, "audit DIR -metrics mrr,micro_recall@1 -per-query "+file))
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, `{"system":"a","target":"raw","query":"q1","metric":"mrr","value":1}
{"system":"a","target":"raw","query":"q2","metric":"mrr","value":0.5}
{"system":"a","target":"source","query":"q1","metric":"mrr","value":1}
{"system":"a","target":"source","query":"q2","metric":"mrr","value":1}
{"system":"a","target":"canonical","query":"q1","metric":"mrr","value":0.5}
{"system":"a","target":"canonical","query":"q2","metric":"mrr","value":1}
`, string(got))
	})
	t.Run("help", func(t *testing.T) {
		t.Parallel()
		for _, args := range []string{"-h", "--help", "help", "audit -h", "audit DIR -help"} {
			assert.Contains(t, mustRun(t, dir, args), "usage: tiaptest ", args)
		}
	})
}
