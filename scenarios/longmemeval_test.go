package scenarios_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/synth"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

const haySample = "testdata/longmemeval/longmemeval_s_sample.json"

// longMemEval reads the text of a file in this format.
func longMemEval(t testing.TB, text string, opts ...scenarios.Option) (*scenarios.Benchmark, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hay.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return scenarios.LongMemEval(file, opts...)
}

func units(groups ...[]string) (out []tiaptest.Unit) {
	for _, g := range groups {
		if len(g) == 1 {
			out = append(out, tiaptest.Unit{Turns: g})
		} else {
			out = append(out, tiaptest.Unit{ID: g[0], Turns: g[1:]})
		}
	}
	return out
}

func TestLongMemEvalSample(t *testing.T) {
	t.Parallel()
	b, err := scenarios.LongMemEval(haySample)
	require.NoError(t, err)
	turn := func(id, date, speaker, text string) tiaptest.Turn {
		return tiaptest.Turn{ID: id, Session: id[:strings.LastIndex(id, "/")], Speaker: speaker, Time: date, Text: text}
	}
	want := tiaptest.Scenario{
		Name:   "longmemeval",
		Unit:   "chat message",
		SHA256: sumOf(t, haySample),
		Turns: []tiaptest.Turn{
			turn("a1b2c3d4/s0/t0", "2031-05-20T02:21:00", "user", "What is a keel?"),
			turn("a1b2c3d4/s0/t1", "2031-05-20T02:21:00", "assistant", "The spine of a boat."),
			turn("a1b2c3d4/s1/t0", "2031-05-21T10:00:00", "user", "I painted my first boat blue."),
			turn("a1b2c3d4/s1/t1", "2031-05-21T10:00:00", "assistant", "Lovely."),
			turn("a1b2c3d4/s2/t0", "2031-05-22T09:15:00", "user", "Suggest a soup."),
			turn("a1b2c3d4/s2/t1", "2031-05-22T09:15:00", "assistant", "Leek soup."),
			turn("a1b2c3d4/s3/t0", "2031-05-23T18:00:00", "user", "Hello again."),
			turn("a1b2c3d4/s3/t1", "2031-05-23T18:00:00", "assistant", "Hello."),
			turn("a1b2c3d4/s3/t2", "2031-05-23T18:00:00", "user", "Today I painted a second boat."),
			turn("a1b2c3d4/s3/t3", "2031-05-23T18:00:00", "assistant", "Well done."),
			turn("0862e8bf_abs/s0/t0", "2031-05-20T12:00:00", "user", "My cat is called Fig."),
			turn("0862e8bf_abs/s0/t1", "2031-05-20T12:00:00", "assistant", "Nice name."),
			turn("1568aaaa/s0/t0", "2031-05-20T12:00:00", "user", "Tell me a riddle."),
			turn("1568aaaa/s0/t1", "2031-05-20T12:00:00", "assistant", "What has keys but no locks?"),
			turn("1568aaaa/s1/t0", "2031-05-21T12:00:00", "user", "Which bread goes with pea soup?"),
			turn("1568aaaa/s1/t1", "2031-05-21T12:00:00", "assistant", "Rye bread."),
			turn("1568aaaa/s2/t0", "2031-05-22T12:00:00", "user", "Tell me a riddle."),
			turn("1568aaaa/s2/t1", "2031-05-22T12:00:00", "assistant", "What has keys but no locks?"),
		},
		Queries: []tiaptest.Query{
			{
				ID: "a1b2c3d4", Scope: "a1b2c3d4", Time: "2031-05-30T23:40:00", Category: "multi-session",
				Text: "How many boats did I paint?", Answer: "2",
				Evidence: units([]string{"a1b2c3d4/s1/t0"}, []string{"a1b2c3d4/s3/t2"}),
			},
			{
				ID: "0862e8bf_abs", Scope: "0862e8bf_abs", Time: "2031-05-26T08:00:00", Category: "single-session-user",
				Text: "What is the name of my parrot?", Answer: "You did not mention a parrot.",
			},
			{
				ID: "1568aaaa", Scope: "1568aaaa", Time: "2031-05-28T08:00:00", Category: "single-session-assistant",
				Text: "Which bread did you suggest?", Answer: "rye",
				Evidence: units([]string{"1568aaaa/s1/t1"}),
			},
		},
	}
	require.Empty(t, cmp.Diff(want, b.Scenario), "(-want +got)")
	require.Nil(t, b.System)
	require.Empty(t, cmp.Diff(scenarios.Summary{
		SHA256: want.SHA256,
		Rules: []string{
			"gold turn: each turn with has_answer is an evidence unit",
			"no fallback: a question without such turns is unscorable",
			"abstention questions (_abs) are unscorable",
		},
		Turns: 18, Queries: 3, Scorable: 2, Units: 3,
		Notes: []scenarios.Note{
			{Kind: "abstention", Count: 1, First: "instance 2 (0862e8bf_abs)"},
			{Kind: "answer is an integer", Count: 1, First: "instance 1 (a1b2c3d4)"},
			{Kind: "session id repeated", Count: 1, First: "instance 3 (1568aaaa), session 3"},
		},
	}, b.Summary), "(-want +got)")
}

// The levels of gold disagree on the sample, the fallback included.
func TestGold(t *testing.T) {
	t.Parallel()
	boats := units([]string{"a1b2c3d4/s1/t0"}, []string{"a1b2c3d4/s3/t2"})
	breadSession := units([]string{"1568aaaa/s1", "1568aaaa/s1/t0", "1568aaaa/s1/t1"})
	for _, test := range []struct {
		name         string
		opts         []scenarios.Option
		boats, bread []tiaptest.Unit
		rules        []string
		note         string // beside those of the sample
	}{
		{
			"turn", []scenarios.Option{scenarios.Gold("turn")}, boats, units([]string{"1568aaaa/s1/t1"}),
			[]string{"gold turn: each turn with has_answer is an evidence unit", "no fallback: a question without such turns is unscorable"}, "",
		},
		{
			"user turn", []scenarios.Option{scenarios.Gold("user-turn")}, boats, nil,
			[]string{"gold user-turn: each user turn with has_answer is an evidence unit", "no fallback: a question without such turns is unscorable"}, "no gold",
		},
		{
			"user turn with fallback", []scenarios.Option{scenarios.Fallback(), scenarios.Gold("user-turn")}, boats, breadSession,
			[]string{"gold user-turn: each user turn with has_answer is an evidence unit", "fallback: a question without such turns has its answer sessions as evidence units"},
			"fallback to answer sessions",
		},
		{
			"turn with a fallback that is not needed", []scenarios.Option{scenarios.Fallback()}, boats, units([]string{"1568aaaa/s1/t1"}),
			[]string{"gold turn: each turn with has_answer is an evidence unit", "fallback: a question without such turns has its answer sessions as evidence units"}, "",
		},
		{
			"session", []scenarios.Option{scenarios.Gold("session")},
			units([]string{"a1b2c3d4/s1", "a1b2c3d4/s1/t0", "a1b2c3d4/s1/t1"}, []string{"a1b2c3d4/s3", "a1b2c3d4/s3/t0", "a1b2c3d4/s3/t1", "a1b2c3d4/s3/t2", "a1b2c3d4/s3/t3"}),
			breadSession,
			[]string{"gold session: each answer session is an evidence unit, any of its turns counts"}, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b, err := scenarios.LongMemEval(haySample, test.opts...)
			require.NoError(t, err)
			q := b.Scenario.Queries
			require.Empty(t, cmp.Diff(test.boats, q[0].Evidence), "(-want +got)")
			require.Empty(t, q[1].Evidence, "abstention has none under any level")
			require.Empty(t, cmp.Diff(test.bread, q[2].Evidence), "(-want +got)")
			require.Equal(t, append(test.rules, "abstention questions (_abs) are unscorable"), b.Summary.Rules)
			require.Equal(t, len(test.boats)+len(test.bread), b.Summary.Units)
			for _, kind := range []string{"no gold", "fallback to answer sessions"} {
				want := 0
				if kind == test.note {
					want = 1
				}
				require.Equal(t, want, b.Summary.Count(kind), kind)
			}
			require.Equal(t, 1, b.Summary.Count("abstention"))
		})
	}
}

func TestLongMemEvalOptionsRefused(t *testing.T) {
	t.Parallel()
	for want, opts := range map[string][]scenarios.Option{
		`gold: unknown level "turns" of longmemeval; use turn, user-turn, session`: {scenarios.Gold("turns")},
		`gold: unknown level "group" of longmemeval; use turn, user-turn, session`: {scenarios.Gold("group")},
		"strict: LongMemEval names no evidence that could be normalised":           {scenarios.Strict()},
		"fallback: the gold are answer sessions already; leave it out":             {scenarios.Gold("session"), scenarios.Fallback()},
		"original info: an option of beam, not of longmemeval; leave it out":       {scenarios.OriginalInfo()},
	} {
		_, err := scenarios.LongMemEval(haySample, opts...)
		require.ErrorContains(t, err, want)
	}
}

// hay is an instance without a flaw, to be flawed by a test.
type hay map[string]any

func newHay() hay {
	turn := func(role, content string, marked ...any) map[string]any {
		m := map[string]any{"role": role, "content": content}
		if len(marked) > 0 {
			m["has_answer"] = marked[0]
		}
		return m
	}
	return hay{
		"question_id": "q1", "question_type": "multi-session", "question": "What is it?", "answer": "it",
		"question_date":        "2031/05/30 (Fri) 23:40",
		"haystack_dates":       []any{"2031/05/20 (Tue) 02:21", "2031/05/21 (Wed) 10:00", "2031/05/22 (Thu) 10:00"},
		"haystack_session_ids": []any{"filler_1", "answer_1_abs_1", "filler_2"},
		"haystack_sessions": []any{
			[]any{turn("user", "a"), turn("assistant", "b")},
			[]any{turn("user", "c", true), turn("assistant", "d", false)},
			[]any{turn("user", "e")},
		},
		"answer_session_ids": []any{"answer_1_abs_1"},
	}
}

func (h hay) text(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal([]hay{h})
	require.NoError(t, err)
	return string(text)
}

// session returns the turns of a session.
func (h hay) session(pos int) []any { return h["haystack_sessions"].([]any)[pos].([]any) }

func (h hay) turn(pos, i int) map[string]any { return h.session(pos)[i].(map[string]any) }

func (h hay) set(name string, i int, v any) { h[name].([]any)[i] = v }

func TestLongMemEvalNotes(t *testing.T) {
	t.Parallel()
	b, err := longMemEval(t, newHay().text(t))
	require.NoError(t, err)
	require.Empty(t, b.Summary.Notes, "an instance without a flaw")
	require.Equal(t, units([]string{"q1/s1/t0"}), b.Scenario.Queries[0].Evidence)

	for _, test := range []struct {
		name  string
		flaw  func(h hay)
		kind  string // "" when nothing is to be noted
		first string
		then  func(t *testing.T, b *scenarios.Benchmark)
	}{
		{"an integer for an answer", func(h hay) { h["answer"] = 32 }, "answer is an integer", "instance 1 (q1)", func(t *testing.T, b *scenarios.Benchmark) {
			require.Equal(t, "32", b.Scenario.Queries[0].Answer)
		}},
		{"a truth value for an answer", func(h hay) { h["answer"] = true }, "answer is no string", "instance 1 (q1)", func(t *testing.T, b *scenarios.Benchmark) {
			require.Equal(t, "true", b.Scenario.Queries[0].Answer)
		}},
		{"no answer", func(h hay) { delete(h, "answer") }, "", "", func(t *testing.T, b *scenarios.Benchmark) {
			require.Empty(t, b.Scenario.Queries[0].Answer)
		}},
		{"an answer with escapes", func(h hay) { h["answer"] = "\"é\"\n" }, "", "", func(t *testing.T, b *scenarios.Benchmark) {
			require.Equal(t, "\"é\"\n", b.Scenario.Queries[0].Answer)
		}},
		{"abstention", func(h hay) { h["question_id"] = "q1_abs" }, "abstention", "instance 1 (q1_abs)", func(t *testing.T, b *scenarios.Benchmark) {
			require.Empty(t, b.Scenario.Queries[0].Evidence)
		}},
		{"_abs_ within an id is no abstention", func(h hay) { h["question_id"] = "q1_abs_2" }, "", "", func(t *testing.T, b *scenarios.Benchmark) {
			require.Len(t, b.Scenario.Queries[0].Evidence, 1)
		}},
		{"an answer session that is not there", func(h hay) { h["answer_session_ids"] = []any{"answer_1_abs_1", "answer_2"} }, "answer session not in the haystack", "instance 1 (q1)", nil},
		{"an answer session named twice", func(h hay) { h["answer_session_ids"] = []any{"answer_1_abs_1", "answer_1_abs_1"} }, "answer session twice", "instance 1 (q1)", nil},
		{"empty content", func(h hay) { h.turn(2, 0)["content"] = "" }, "content empty", "instance 1 (q1), session 3", func(t *testing.T, b *scenarios.Benchmark) {
			require.Len(t, b.Scenario.Turns, 5, "the turn stays")
		}},
		{"no content", func(h hay) { delete(h.turn(2, 0), "content") }, "content empty", "instance 1 (q1), session 3", nil},
		{"another form of date", func(h hay) { h.set("haystack_dates", 1, "2031-05-21") }, "date unreadable", "instance 1 (q1), session 2", func(t *testing.T, b *scenarios.Benchmark) {
			require.Empty(t, b.Scenario.Turns[2].Time)
			require.NotEmpty(t, b.Scenario.Turns[1].Time)
		}},
		{"no date of the question", func(h hay) { delete(h, "question_date") }, "date unreadable", "instance 1 (q1)", nil},
		{"dates that fall", func(h hay) { h.set("haystack_dates", 2, "2031/05/20 (Tue) 00:00") }, "dates unsorted", "instance 1 (q1)", nil},
		{"equal dates", func(h hay) { h.set("haystack_dates", 2, "2031/05/21 (Wed) 10:00") }, "", "", nil},
		{"a mark elsewhere", func(h hay) { h.turn(0, 1)["has_answer"] = true }, "has_answer outside the answer sessions", "instance 1 (q1), session 1", func(t *testing.T, b *scenarios.Benchmark) {
			require.Equal(t, units([]string{"q1/s0/t1"}, []string{"q1/s1/t0"}), b.Scenario.Queries[0].Evidence)
		}},
		{"a mark elsewhere that says no", func(h hay) { h.turn(0, 1)["has_answer"] = false }, "", "", nil},
		{"no mark", func(h hay) { h.turn(1, 0)["has_answer"] = false }, "no gold", "instance 1 (q1)", nil},
		{"no member for marks", func(h hay) { delete(h.turn(1, 0), "has_answer") }, "no gold", "instance 1 (q1)", nil},
		{"a third role", func(h hay) { h.turn(2, 0)["role"] = "system" }, "role unknown", "instance 1 (q1), session 3", nil},
		{"no role", func(h hay) { delete(h.turn(2, 0), "role") }, "role unknown", "instance 1 (q1), session 3", nil},
		{"an empty session", func(h hay) { h.set("haystack_sessions", 0, []any{}) }, "session empty", "instance 1 (q1), session 1", func(t *testing.T, b *scenarios.Benchmark) {
			require.Equal(t, "q1/s1/t0", b.Scenario.Turns[0].ID, "positions stay")
		}},
		{"a session id again", func(h hay) { h.set("haystack_session_ids", 2, "filler_1") }, "session id repeated", "instance 1 (q1), session 3", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHay()
			test.flaw(h)
			b, err := longMemEval(t, h.text(t))
			require.NoError(t, err)
			var want []scenarios.Note
			if test.kind != "" {
				want = []scenarios.Note{{Kind: test.kind, Count: 1, First: test.first}}
			}
			require.Empty(t, cmp.Diff(want, b.Summary.Notes), "(-want +got)")
			if test.then != nil {
				test.then(t, b)
			}
		})
	}
}

// An answer session that stands twice is one unit, an empty one is none.
func TestGoldSessionUnits(t *testing.T) {
	t.Parallel()
	h := newHay()
	h.set("haystack_session_ids", 2, "answer_1_abs_1")
	b, err := longMemEval(t, h.text(t), scenarios.Gold("session"))
	require.NoError(t, err)
	require.Equal(t, units([]string{"q1/s1", "q1/s1/t0", "q1/s1/t1", "q1/s2/t0"}), b.Scenario.Queries[0].Evidence)

	h = newHay()
	h.set("haystack_sessions", 1, []any{})
	b, err = longMemEval(t, h.text(t), scenarios.Gold("session"))
	require.NoError(t, err)
	require.Empty(t, b.Scenario.Queries[0].Evidence)
	require.Equal(t, 1, b.Summary.Count("no gold"))
	b, err = longMemEval(t, h.text(t), scenarios.Fallback())
	require.NoError(t, err)
	require.Empty(t, b.Scenario.Queries[0].Evidence)
	require.Equal(t, 0, b.Summary.Count("fallback to answer sessions"), "nothing to fall back to")
}

func TestLongMemEvalFaults(t *testing.T) {
	t.Parallel()
	good := newHay().text(t)
	object := good[1 : len(good)-1]
	without := func(name string) string {
		h := newHay()
		delete(h, name)
		return h.text(t)
	}
	with := func(name string, v any) string {
		h := newHay()
		h[name] = v
		return h.text(t)
	}
	at := fmt.Sprintf(`hay.json: instance 2 (question_id "q1", at byte %d): `, len(good)+1)
	for name, test := range map[string]struct{ text, want string }{
		"empty":                {"", "hay.json: the file is empty (byte 1); name a file with one JSON array"},
		"blank":                {" \n", "hay.json: the file is empty (byte 3)"},
		"an object":            {object, "hay.json: the file starts with '{', not with an array (byte 1)"},
		"no instance":          {"[ ]", "hay.json: the array is empty; name a file of LongMemEval"},
		"numbers":              {"[1]", "hay.json: element 1 of the array starts with '1', not as an object (byte 2)"},
		"cut off":              {good[:len(good)-1], "hay.json: the file ends before element 2 of the array does"},
		"cut off in a string":  {good[:30], "hay.json: the file ends before element 1 of the array does"},
		"an open end":          {"[" + object + ",", "hay.json: the file ends before element 2 of the array does"},
		"a comma at the end":   {"[" + object + ",]", "hay.json: element 2 of the array starts with ']', not as an object"},
		"no comma":             {"[" + object + object + "]", "hay.json: '{' follows element 1 of the array"},
		"more behind":          {good + "[]", fmt.Sprintf("hay.json: '[' follows the array (byte %d)", len(good)+1)},
		"no id":                {without("question_id"), `hay.json: instance 1 (question_id "", at byte 2): question_id is missing or empty; name a file of LongMemEval`},
		"no type":              {without("question_type"), `(question_id "q1", at byte 2): question_type is missing or empty`},
		"no question":          {without("question"), `(question_id "q1", at byte 2): question is missing or empty`},
		"no sessions":          {without("haystack_sessions"), `(question_id "q1", at byte 2): haystack_sessions is missing or empty`},
		"fewer ids":            {with("haystack_session_ids", []any{"a", "b"}), "haystack_sessions has 3 elements, haystack_session_ids 2 and haystack_dates 3; the three are joined by position"},
		"more dates":           {with("haystack_dates", []any{"a", "b", "c", "d"}), "haystack_sessions has 3 elements, haystack_session_ids 3 and haystack_dates 4"},
		"an answer list":       {with("answer", []any{"a"}), "answer is an object or an array; make it a string"},
		"a session of text":    {with("haystack_sessions", []any{"a"}), `element 1 of "haystack_sessions" is the string "a", not an array of objects`},
		"a null session":       {with("haystack_sessions", []any{nil}), `element 1 of "haystack_sessions" is null, not an array of objects`},
		"content of a number":  {with("haystack_sessions", []any{[]any{map[string]any{"content": 3}}}), `"content" in element 1 of element 1 of "haystack_sessions" is the number 3, not a string`},
		"malformed":            {"[" + strings.Replace(object, `"answer":"it"`, `"answer":NaN`, 1) + "]", `NaN is no JSON value`},
		"brackets that differ": {"[" + object[:len(object)-1] + "]]", `malformed JSON at byte`},
		"a name twice":         {"[" + strings.Replace(object, `"answer":"it"`, `"answer":"it","answer":"it"`, 1) + "]", `member "answer" occurs twice`},
		"the same id":          {"[" + object + "," + object + "]", at + "instance 1 has the same question_id; give every question an id of its own"},
		"UTF-16":               {"\xff\xfe[\x00", "hay.json: the file starts with '\\u00ff', not with an array"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := longMemEval(t, test.text)
			require.ErrorContains(t, err, test.want)
			p, ok := errors.AsType[*problem.Problem](err)
			require.True(t, ok, "%T", err)
			require.Equal(t, "hay.json", filepath.Base(p.File))
		})
	}
}

// Several faults are reported together, and nothing is handed over beside them.
func TestLongMemEvalSeveralFaults(t *testing.T) {
	t.Parallel()
	a, b := newHay(), newHay()
	delete(a, "question_type")
	b["question_id"], b["answer"] = "q2", []any{}
	text := "[" + strings.Trim(a.text(t), "[]") + "," + strings.Trim(b.text(t), "[]") + "," + strings.Trim(newHay().text(t), "[]")
	_, err := longMemEval(t, text)
	require.ErrorContains(t, err, `instance 1 (question_id "q1", at byte 2): question_type is missing`)
	require.ErrorContains(t, err, `instance 2 (question_id "q2", at byte `)
	require.ErrorContains(t, err, "the file ends before element 4")
}

func TestLongMemEvalTruncated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(haySample)
	require.NoError(t, err)
	text = bytes.TrimSpace(text)
	for n := 0; n < len(text); n += 97 {
		_, err := longMemEval(t, string(text[:n]))
		require.ErrorContains(t, err, "hay.json: ", "after %d bytes", n)
	}
}

// Gold must not be found by the names that evidence has upstream.
func TestLongMemEvalLeaksNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	_, err := scenarios.Import(t.Context(), "longmemeval", haySample, dir)
	require.NoError(t, err)
	text, err := os.ReadFile(haySample)
	require.NoError(t, err)
	require.Contains(t, string(text), "answer_280352e9_1")
	seen := 0
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		text, err := os.ReadFile(filepath.Join(dir, path))
		for _, leak := range []string{"answer_", "noans", "has_answer", "sharegpt_", "85a1be56", "07b7a667"} {
			assert.NotContains(t, string(text), leak, path)
		}
		return err
	}))
	require.Equal(t, 3, seen)
}

// synthetic writes a file in the format of LongMemEval.
func synthetic(t testing.TB, instances int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "synth")
	require.NoError(t, synth.Write(dir, synth.Config{Shape: synth.LongMemEval, Queries: instances, Depth: 1, Systems: 1, Seed: 5}))
	return filepath.Join(dir, "longmemeval.json")
}

// heap returns by how much the objects of the heap grow while f runs, at most.
func heap(f func()) (growth uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // what is dead is not counted for long
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for tick := time.Tick(time.Millisecond); ; {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-done:
				peak <- most
				return
			case <-tick:
			}
		}
	}()
	f()
	close(done)
	return max(<-peak, before) - before
}

// TestImportMemory is not parallel: it looks at the heap of the process.
func TestImportMemory(t *testing.T) {
	file := synthetic(t, 70)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(28<<20))
	const bound = 12 << 20
	dir := filepath.Join(t.TempDir(), "out")
	require.Less(t, heap(func() {
		_, err = scenarios.Import(t.Context(), "longmemeval", file, dir)
		require.NoError(t, err)
	}), uint64(bound))
	var b *scenarios.Benchmark
	require.Greater(t, heap(func() {
		b, err = scenarios.LongMemEval(file)
		require.NoError(t, err)
	}), uint64(bound), "the whole file in memory")
	require.Len(t, b.Scenario.Queries, 70)
}

func FuzzLongMemEval(f *testing.F) {
	text, err := os.ReadFile(haySample)
	require.NoError(f, err)
	f.Add(string(text), uint8(0))
	f.Add(string(text), uint8(1))
	f.Add(string(text), uint8(2))
	f.Add(newHay().text(f), uint8(4))
	f.Add(`[{"question_id":"a","question_type":"b","question":"c","haystack_session_ids":["\\\""],"haystack_dates":[""],"haystack_sessions":[[{}]]}]`, uint8(5))
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		opts := []scenarios.Option{scenarios.Gold([]string{"turn", "user-turn", "session"}[mode%3])}
		if mode&4 != 0 && mode%3 != 2 {
			opts = append(opts, scenarios.Fallback())
		}
		b, err := longMemEval(t, text, opts...)
		if err != nil {
			require.ErrorContains(t, err, "hay.json")
			return
		}
		// What is read has the number of instances and turns that encoding/json
		// finds, and can be written and read.
		var instances []struct {
			Sessions [][]any `json:"haystack_sessions"`
		}
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &instances))
		require.Len(t, b.Scenario.Queries, len(instances))
		turns := map[string]bool{}
		for _, turn := range b.Scenario.Turns {
			require.False(t, turns[turn.ID], turn.ID)
			turns[turn.ID] = true
		}
		n := 0
		for _, in := range instances {
			for _, s := range in.Sessions {
				n += len(s)
			}
		}
		require.Len(t, turns, n)
		for _, q := range b.Scenario.Queries {
			for _, u := range q.Evidence {
				for _, id := range u.Turns {
					require.True(t, turns[id], id)
				}
			}
		}
		for _, q := range b.Scenario.Queries {
			line, err := json.Marshal(q)
			require.NoError(t, err)
			var back tiaptest.Query
			require.NoError(t, json.Unmarshal(line, &back))
			require.Empty(t, cmp.Diff(q, back, cmpopts.EquateEmpty()))
		}
	})
}

// Texts that were cut within a character are read, and counted.
func TestLongMemEvalHalfCharacters(t *testing.T) {
	t.Parallel()
	text := strings.Replace(newHay().text(t), `"content":"a"`, `"content":"cut \ud83d"`, 1)
	b, err := longMemEval(t, text)
	require.NoError(t, err)
	require.Equal(t, 1, b.Summary.Count("half a surrogate pair replaced"))
	require.Equal(t, "cut \ufffd", b.Scenario.Turns[0].Text)
}
