package golden

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// threeSystems is the record of A, B and C, a family, which rank the memory of each
// turn at the given ranks.
func threeSystems(tb testing.TB, ranks ...int) *Record {
	tb.Helper()
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "three"}}
	for _, q := range []string{"1", "2"} {
		b.AddTurn("t"+q, "word "+q+".")
		b.AddQuery("q"+q, "which?", "word "+q+".")
	}
	for i, name := range []string{"A", "B", "C"} {
		s := b.AddSystem(name, "family")
		for _, id := range []string{"x1", "x2", "x3"} {
			s.AddMemory(id, "raw", "elsewhere")
		}
		for _, q := range []string{"1", "2"} {
			s.AddMemory("m"+q, "raw", "t"+q)
			s.AddRanking("q"+q, append([]string{"x1", "x2", "x3"}[:ranks[i]-1:ranks[i]-1], "m"+q)...)
		}
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(5), tiaptest.Metrics(tiaptest.MRR(5), tiaptest.MicroRecall(2)))
	require.NoError(tb, err)
	r, err := NewRecord(a)
	require.NoError(tb, err)
	return r
}

// write writes a golden file with its scores.
func write(tb testing.TB, r *Record, opts ...Option) (file string) {
	tb.Helper()
	file = filepath.Join(tb.TempDir(), "three.json")
	content, err := r.files(file, newSettings(opts))
	require.NoError(tb, err)
	_, err = save(file, content, nil)
	require.NoError(tb, err)
	return file
}

func edit(tb testing.TB, file string, change func(string) string) {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	after := change(string(text))
	require.NotEqual(tb, string(text), after, "the edit changes something")
	require.NoError(tb, os.WriteFile(file, []byte(after), 0o666))
}

func replacing(oldnew ...string) func(string) string { return strings.NewReplacer(oldnew...).Replace }

// What no reader sees does not matter.
func TestReadRecordAlike(t *testing.T) {
	t.Parallel()
	r := threeSystems(t, 1, 2, 3)
	for name, change := range map[string]func(string) string{
		"CRLF":            replacing("\n", "\r\n"),
		"byte order mark": func(s string) string { return "\ufeff" + s },
		"space":           replacing("  ", "\t"),
	} {
		file := write(t, r)
		edit(t, file, change)
		got, err := ReadRecord(file)
		require.NoError(t, err, name)
		require.Equal(t, Same, Diff(got, r).Verdict, name)
	}
}

// Names that are no UTF-8 are recorded and read back.
func TestReadRecordNames(t *testing.T) {
	t.Parallel()
	r := threeSystems(t, 1, 2, 3)
	r.content.Identity.Scenario = "three\xff"
	_, err := ReadRecord(write(t, r))
	require.NoError(t, err)
}

// An edited golden file is no golden file.
func TestReadRecordEdited(t *testing.T) {
	t.Parallel()
	r := threeSystems(t, 1, 2, 3)
	const edited = "it is not what was recorded, by its content_sha256: it was edited, or merged by hand"
	member := func(name, value string) func(string) string {
		return func(text string) string {
			var v map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(text), &v))
			require.Contains(t, v, name)
			v[name] = json.RawMessage(value)
			out, err := json.Marshal(v)
			require.NoError(t, err)
			return string(out)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"a score", replacing(`"mrr@5": 0.5`, `"mrr@5": 0.75`), edited},
		{"a winner", replacing(`"mrr@5": "A"`, `"mrr@5": "B"`), edited},
		{"the digest", replacing(`"content_sha256": "`, `"content_sha256": "0`), edited},
		{"no pairs", member("pairs", "[]"), edited},
		{"no recommendations", member("recommendations", "null"), edited},
		{"no scores of queries", member("query_scores", "null"), edited},
		{"no digest", member("content_sha256", `""`), "it has no content_sha256"},
		{"text behind it", func(s string) string { return s + "{}" }, "there is text after the record"},
		{"a conflict", func(s string) string { return "<<<<<<< HEAD\n" + s }, "unresolved merge conflict"},
		{"a conflict inside", replacing(`  "pairs"`, "<<<<<<< HEAD\n  \"pairs\""), "unresolved merge conflict"},
		{"half of it", func(s string) string { return s[:len(s)/2] }, "unexpected EOF"},
	} {
		file := write(t, r)
		edit(t, file, tt.change)
		_, err := ReadRecord(file)
		require.ErrorContains(t, err, tt.want, tt.name)
		require.ErrorContains(t, err, "; restore it from version control or record it again", tt.name)
		require.ErrorContains(t, err, "three.json", tt.name)
	}
}

// A record that contradicts itself is refused even where its digest is right.
func TestReadRecordFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*content)
		want   string
	}{
		{"no system", func(c *content) { c.Systems = nil }, `the pair of "A" and "B" has a system that the record has not`},
		{"a system twice", func(c *content) { c.Systems = append(c.Systems, c.Systems[2]) }, `system "C" stands twice`},
		{"no name", func(c *content) { c.Systems[0].Name = "" }, `system "" stands twice, has no name`},
		{"swapped", func(c *content) { c.Pairs[1].A, c.Pairs[1].B = "C", "A" }, `the pair of "C" and "A" is no pair`},
		{"with itself", func(c *content) { c.Pairs[1].B = "A" }, `the pair of "A" and "A" is no pair`},
		{"a pair twice", func(c *content) { c.Pairs[1] = c.Pairs[0] }, `the pair of "A" and "B" stands twice`},
		{"a family twice", func(c *content) { c.Recommendations = append(c.Recommendations, c.Recommendations[0]) }, `family "family" stands twice`},
		{"a known flip of one", func(c *content) {
			c.Known = []flipRecord{{A: "A", B: "A", Metric: "mrr@5", Targets: [2]string{"canonical", "raw"}}}
		}, `the known flip of "A" and "A"`},
	} {
		r := threeSystems(t, 1, 2, 3)
		tt.change(&r.content)
		_, err := ReadRecord(write(t, r))
		require.ErrorContains(t, err, tt.want, tt.name)
	}
	r := threeSystems(t, 1, 2, 3)
	r.content.Scores = &scoresRecord{File: "../three.0123456789ab.queries.zst"}
	assert.Contains(t, r.content.faults(), "query_scores.file must name a file of scores in the same folder")
}

// Scores that the golden file names are there and are those.
func TestReadRecordScores(t *testing.T) {
	t.Parallel()
	r := threeSystems(t, 1, 2, 3)
	one := func(file string) string {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.zst"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		return files[0]
	}
	file := write(t, r)
	require.NoError(t, os.Remove(one(file)))
	_, err := ReadRecord(file)
	require.ErrorContains(t, err, "three.json: the scores of single queries that it names, three.")
	require.ErrorContains(t, err, "are missing; restore it from version control or record it again")
	require.NotErrorIs(t, err, os.ErrNotExist, "the golden file is there")

	content, err := r.files(file, newSettings(nil))
	require.NoError(t, err)
	_, err = save(file, content, nil)
	require.NoError(t, err)
	_, err = ReadRecord(file)
	require.NoError(t, err, "recording again mends it")

	file = write(t, r)
	other, err := os.ReadFile(one(write(t, threeSystems(t, 2, 2, 2))))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(one(file), other, 0o666))
	_, err = ReadRecord(file)
	require.ErrorContains(t, err, "it is not the file that the golden names")
}

// Scores that are left out on purpose leave what they would have decided open, and
// say so of each system and family that changed.
func TestNoScores(t *testing.T) {
	t.Parallel()
	want, err := ReadRecord(write(t, threeSystems(t, 1, 2, 3), QueryScores(0)))
	require.NoError(t, err)
	require.Equal(t, Same, Diff(want, threeSystems(t, 1, 2, 3)).Verdict)
	var texts []string
	for _, f := range Diff(want, threeSystems(t, 1, 2, 4)).Findings {
		texts = append(texts, f.Text)
		require.Equal(t, Inconclusive, f.Verdict)
	}
	require.Equal(t, []string{"inconclusive: C has another store or other rankings than recorded, and without the scores of single queries its changes are not judged"}, texts)

	// The pair of A and B decides for both, with the queries the same.
	d := Diff(want, threeSystems(t, 2, 1, 3))
	require.Equal(t, WinnerFlip, d.Verdict)
	for i := range want.content.Pairs {
		want.content.Pairs[i].Compared.Digest = "others"
		want.content.Pairs[i].Margins = nil
	}
	texts = nil
	for _, f := range Diff(want, threeSystems(t, 2, 1, 3)).Findings {
		texts = append(texts, f.Text)
	}
	require.Contains(t, texts, "inconclusive on mrr@5 under raw: family family A -> B, without common queries that have scores of their own")
}

// A pair that only one record has is missing, and nothing panics.
func TestPairMissing(t *testing.T) {
	t.Parallel()
	want, got := threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 3)
	got.content.Pairs = got.content.Pairs[1:]
	d := Diff(want, got)
	require.Equal(t, Missing, d.Verdict)
	require.True(t, d.Failed())
	want.content.Systems = nil
	require.Equal(t, Missing, Diff(want, threeSystems(t, 1, 2, 3)).Verdict)
}

// Whatever is read as a record compares without a panic, either way.
func FuzzReadRecord(f *testing.F) {
	whole := threeSystems(f, 1, 2, 3)
	text, err := whole.content.encode()
	require.NoError(f, err)
	f.Add(text)
	for _, change := range []func(*content){
		func(c *content) { c.Systems = nil },
		func(c *content) { c.Systems = c.Systems[1:] },
		func(c *content) { c.Pairs = nil },
		func(c *content) { c.Recommendations = nil },
		func(c *content) { c.Identity.Metrics = nil },
		func(c *content) { c.Pairs = c.Pairs[:1]; c.Pairs[0].A, c.Pairs[0].B = "B", "A" },
		func(c *content) { c.Pairs = c.Pairs[:1]; c.Pairs[0].B = "A" },
		func(c *content) { c.Systems[0].Covered, c.Pairs[0].Margins, c.Pairs[0].Winners = nil, nil, nil },
	} {
		r := threeSystems(f, 1, 2, 3)
		change(&r.content)
		text, err := r.content.encode()
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("<<<<<<< HEAD\n"))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _, _ = decodeRecord(text) // as it stands
		var c content
		if json.Unmarshal(text, &c) != nil {
			return
		}
		// Nothing but the digest stands between this and a comparison.
		c.Schema = recordSchema
		var err error
		c.SHA256, err = c.sum()
		require.NoError(t, err)
		text, err = c.encode()
		require.NoError(t, err)
		read, _, err := decodeRecord(text)
		if err != nil {
			require.NotContains(t, err.Error(), "content_sha256")
			return
		}
		r := &Record{content: *read}
		for _, scores := range []*queryScores{nil, whole.scores} {
			r.scores = scores
			for _, d := range []*Difference{Diff(r, whole), Diff(whole, r), Diff(r, r)} {
				require.NoError(t, d.WriteText(io.Discard, nil))
				require.NoError(t, d.WriteMarkdown(io.Discard, nil))
			}
		}
	})
}

// What is read as scores is written again as the same.
func FuzzQueryScores(f *testing.F) {
	text, err := threeSystems(f, 1, 2, 3).scores.encode()
	require.NoError(f, err)
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte("q2"), []byte("q1")))
	f.Add([]byte(`{"schema":"tiap.golden-queries/v1","queries":["a"],"scopes":["s"]}` + "\n" + `{"set":"A\tB","bits":"AQ=="}` + "\n" + `{"system":"A","target":"raw","metric":"mrr@5","values":[null]}` + "\n"))
	f.Add([]byte(`{"schema":"tiap.golden-queries/v1","queries":[]}` + "\n" + `{"set":"","bits":""}` + "\n" + `{"set":"","bits":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := decodeQueryScores(text)
		if err != nil {
			return
		}
		first, err := q.encode()
		require.NoError(t, err)
		again, err := decodeQueryScores(first)
		require.NoError(t, err)
		second, err := again.encode()
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}
