package scenarios_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

const logSample = "testdata/longmemeval/retrievallog_turn_flat-bm25.jsonl"

func sample(t testing.TB, opts ...scenarios.Option) *scenarios.Benchmark {
	t.Helper()
	b, err := scenarios.LongMemEval(haySample, opts...)
	require.NoError(t, err)
	return b
}

func rankings(s *tiaptest.System) []tiaptest.Ranking { return slices.Collect(s.Ingests[0].Run.All()) }

func TestRetrievalLogSample(t *testing.T) {
	t.Parallel()
	b := sample(t)
	system, notes, err := scenarios.RetrievalLog(logSample, &b.Scenario, "turn")
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "turn_flat-bm25", system.Name)
	require.Equal(t, "user turn", system.Unit)
	require.Equal(t, map[string]string{"raw": "user turn"}, system.Forms)
	require.JSONEq(t, `{"retrieval_log_sha256": "`+sumOf(t, logSample)+`"}`, string(system.Config))
	memory := func(turn, text string) tiaptest.Memory {
		return tiaptest.Memory{ID: turn, Form: "raw", Sources: []tiaptest.Link{{Turn: turn}}, Text: text}
	}
	require.Empty(t, cmp.Diff([]tiaptest.Memory{
		memory("a1b2c3d4/s0/t0", "What is a keel?"),
		memory("a1b2c3d4/s1/t0", "I painted my first boat blue."),
		memory("a1b2c3d4/s2/t0", "Suggest a soup."),
		memory("a1b2c3d4/s3/t0", "Hello again."),
		memory("a1b2c3d4/s3/t2", "Today I painted a second boat."),
		memory("0862e8bf_abs/s0/t0", "My cat is called Fig."),
		memory("1568aaaa/s0/t0", "Tell me a riddle."),
		memory("1568aaaa/s1/t0", "Which bread goes with pea soup?"),
		memory("1568aaaa/s2/t0", "Tell me a riddle."),
	}, system.Ingests[0].Memories), "(-want +got)")
	require.Empty(t, cmp.Diff([]tiaptest.Ranking{{
		Query: "a1b2c3d4",
		IDs:   []string{"a1b2c3d4/s3/t0", "a1b2c3d4/s1/t0", "a1b2c3d4/s3/t2", "a1b2c3d4/s0/t0", "a1b2c3d4/s2/t0"},
	}}, rankings(system)), "(-want +got)")

	// Upstream prints 0.815 for ndcg_any@3 of this ranking: see RetrievalLog.
	bundle := b.Bundle()
	bundle.Systems = append(bundle.Systems, system)
	a, err := tiaptest.Rescore(bundle, tiaptest.Metrics(tiaptest.NDCG(3)))
	require.NoError(t, err)
	values, err := a.PerQuery("turn_flat-bm25", tiaptest.Raw, tiaptest.NDCG(3))
	require.NoError(t, err)
	second, third := 1/math.Log2(3), 1/math.Log2(4)
	require.InDelta(t, (second+third)/(1+second), values["a1b2c3d4"], 1e-12)
	dir := t.TempDir()
	require.NoError(t, bundle.WriteDir(dir))
	for name, text := range tree(t, dir) {
		require.NotContains(t, text, "answer_", name)
		require.NotContains(t, text, "noans", name)
	}
}

// A logged instance is one of the sample with a ranking.
type logged map[string]any

func newLogged(t testing.TB, instance int, ranked ...string) logged {
	t.Helper()
	text, err := os.ReadFile(haySample)
	require.NoError(t, err)
	var all []logged
	require.NoError(t, json.Unmarshal(text, &all))
	l := all[instance]
	items := []any{}
	for _, r := range ranked {
		id, date, _ := strings.Cut(r, "@")
		items = append(items, map[string]any{"corpus_id": id, "text": "x", "timestamp": date})
	}
	l["retrieval_results"] = map[string]any{"query": "x", "ranked_items": items}
	return l
}

func (l logged) text(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(l)
	require.NoError(t, err)
	return string(text) + "\n"
}

func retrievalLog(t testing.TB, s *tiaptest.Scenario, level, text string, opts ...scenarios.Option) (*tiaptest.System, []scenarios.Note, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return scenarios.RetrievalLog(file, s, level, opts...)
}

func TestRetrievalLogRankings(t *testing.T) {
	t.Parallel()
	const first, second = "@2031/05/20 (Tue) 12:00", "@2031/05/22 (Thu) 12:00"
	scenario := &sample(t).Scenario
	for _, test := range []struct {
		name, level string
		instance    int
		ranked      []string
		want        []string
		notes       []scenarios.Note
	}{
		{"nothing", "turn", 0, nil, []string{}, nil},
		{"either spelling", "turn", 0, []string{"noans_280352e9_1_1", "answer_280352e9_2_1"}, []string{"a1b2c3d4/s1/t0", "a1b2c3d4/s3/t0"}, nil},
		{"abstention", "turn", 1, []string{"noans_77aa_abs_1_1"}, []string{"0862e8bf_abs/s0/t0"}, nil},
		{
			"expansions under the id of their source", "turn", 0, []string{"85a1be56_1_1", "sharegpt_XyZ12ab_0_1", "85a1be56_1_1", "85a1be56_1_1", "noans_280352e9_1_1", "answer_280352e9_1_1"},
			[]string{"a1b2c3d4/s2/t0", "a1b2c3d4/s0/t0", "a1b2c3d4/s1/t0"},
			[]scenarios.Note{{Kind: "id repeated", Count: 3, First: "line 1 (a1b2c3d4)"}},
		},
		{
			"a repeated session, by date", "turn", 2, []string{"07b7a667_1_1" + second, "07b7a667_1_1" + first},
			[]string{"1568aaaa/s2/t0", "1568aaaa/s0/t0"},
			[]scenarios.Note{{Kind: "id of a repeated session", Count: 2, First: "line 1 (1568aaaa)"}},
		},
		{
			"a repeated session with an expansion", "turn", 2, []string{"07b7a667_1_1" + second, "07b7a667_1_1" + second},
			[]string{"1568aaaa/s2/t0"},
			[]scenarios.Note{{Kind: "id of a repeated session", Count: 2, First: "line 1 (1568aaaa)"}, {Kind: "id repeated", Count: 1, First: "line 1 (1568aaaa)"}},
		},
		{
			"a repeated session without dates", "turn", 2, []string{"07b7a667_1_1", "answer_ultrachat_11_1", "07b7a667_1_1", "07b7a667_1_1"},
			[]string{"1568aaaa/s0/t0", "1568aaaa/s1/t0", "1568aaaa/s2/t0"},
			[]scenarios.Note{{Kind: "id ambiguous", Count: 3, First: "line 1 (1568aaaa)"}, {Kind: "id repeated", Count: 1, First: "line 1 (1568aaaa)"}},
		},
		{"sessions", "session", 0, []string{"answer_280352e9_2", "sharegpt_XyZ12ab_0", "noans_280352e9_1"}, []string{"a1b2c3d4/s3", "a1b2c3d4/s0", "a1b2c3d4/s1"}, nil},
		{
			"a repeated session among sessions", "session", 2, []string{"07b7a667_1" + second, "07b7a667_1"},
			[]string{"1568aaaa/s2", "1568aaaa/s0"},
			[]scenarios.Note{{Kind: "id ambiguous", Count: 1, First: "line 1 (1568aaaa)"}, {Kind: "id of a repeated session", Count: 1, First: "line 1 (1568aaaa)"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLogged(t, test.instance, test.ranked...)
			system, notes, err := retrievalLog(t, scenario, test.level, l.text(t))
			require.NoError(t, err)
			got := rankings(system)
			require.Len(t, got, 1)
			require.Equal(t, l["question_id"], got[0].Query)
			require.Empty(t, cmp.Diff(test.want, got[0].IDs), "(-want +got)")
			require.Empty(t, cmp.Diff(test.notes, notes), "(-want +got)")
		})
	}
}

// A session holds its user turns, so that it earns credit for evidence of a user
// and of the session, but none for what the assistant alone said.
func TestRetrievalLogSessions(t *testing.T) {
	t.Parallel()
	text := newLogged(t, 0, "sharegpt_XyZ12ab_0", "answer_280352e9_2", "answer_280352e9_1", "85a1be56_1").text(t) +
		newLogged(t, 2, "answer_ultrachat_11", "07b7a667_1").text(t)
	hit := func(level string) map[string]float64 {
		b := sample(t, scenarios.Gold(level))
		system, _, err := retrievalLog(t, &b.Scenario, "session", text)
		require.NoError(t, err)
		require.Equal(t, "session", system.Unit)
		bundle := b.Bundle()
		bundle.Systems = append(bundle.Systems, system)
		a, err := tiaptest.Rescore(bundle, tiaptest.Metrics(tiaptest.MRR(10)))
		require.NoError(t, err)
		values, err := a.PerQuery(system.Name, tiaptest.Raw, tiaptest.MRR(10))
		require.NoError(t, err)
		return values
	}
	require.Equal(t, map[string]float64{"a1b2c3d4": 0.5}, hit("turn"))
	require.Equal(t, map[string]float64{"a1b2c3d4": 0.5, "1568aaaa": 1}, hit("session"))

	system, _, err := retrievalLog(t, &sample(t).Scenario, "session", text)
	require.NoError(t, err)
	require.Equal(t, tiaptest.Memory{
		ID: "a1b2c3d4/s3", Form: "raw", Text: "Hello again. Today I painted a second boat.",
		Sources: []tiaptest.Link{{Turn: "a1b2c3d4/s3/t0", Precision: "container"}, {Turn: "a1b2c3d4/s3/t2", Precision: "container"}},
	}, system.Ingests[0].Memories[3])
	require.Len(t, system.Ingests[0].Memories, 8)
}

func TestRetrievalLogFaults(t *testing.T) {
	t.Parallel()
	scenario := &sample(t).Scenario
	with := func(change func(l logged)) string {
		l := newLogged(t, 0, "85a1be56_1_1")
		change(l)
		return l.text(t)
	}
	good := with(func(logged) {})
	const other = "; give the scenario of the file that the log was made from"
	for name, test := range map[string]struct{ text, want string }{
		"empty":          {"\n", "log.jsonl: the log is empty; name a file with one instance and its ranking a line"},
		"cut off":        {good[:200], `log.jsonl:1: question_id "": the line ends before its JSON value does`},
		"cut off later":  {`{"question_id": "a1b2c3d4", "answer": `, `log.jsonl:1: question_id "a1b2c3d4": the line ends before its JSON value does`},
		"an array":       {"[]", "log.jsonl:1: question_id \"\": the line is an array, not an object"},
		"no id":          {with(func(l logged) { delete(l, "question_id") }), `log.jsonl:1: question_id "": question_id is missing or empty; name a retrieval log`},
		"no results":     {with(func(l logged) { delete(l, "retrieval_results") }), `log.jsonl:1: question_id "a1b2c3d4": retrieval_results has no ranked_items`},
		"no ranking":     {with(func(l logged) { l["retrieval_results"] = map[string]any{} }), `retrieval_results has no ranked_items`},
		"a question":     {with(func(l logged) { l["question_id"] = "other" }), `log.jsonl:1: question_id "other": the scenario has no such question` + other},
		"twice":          {good + good, `log.jsonl:2: question_id "a1b2c3d4": `},
		"fewer dates":    {with(func(l logged) { l["haystack_dates"] = []any{} }), "haystack_sessions has 4 elements, haystack_session_ids 4 and haystack_dates 0"},
		"another date":   {with(func(l logged) { l["haystack_dates"].([]any)[1] = "2031/05/21 (Wed) 10:01" }), `session 2 has 2 turns at "2031-05-21T10:01:00", in the scenario 2 at "2031-05-21T10:00:00"` + other},
		"another length": {with(func(l logged) { l["haystack_sessions"].([]any)[1] = []any{map[string]any{}} }), `session 2 has 1 turns at "2031-05-21T10:00:00", in the scenario 2 at`},
		"fewer sessions": {with(func(l logged) {
			for _, name := range []string{"haystack_sessions", "haystack_session_ids", "haystack_dates"} {
				l[name] = l[name].([]any)[:3]
			}
		}), "the haystack has 3 sessions, in the scenario more" + other},
		"another level": {newLogged(t, 0, "85a1be56_1").text(t), `ranked item 1, "85a1be56_1", is nothing that the haystack has at level turn; read the log at the level of its run`},
		"the assistant": {newLogged(t, 0, "85a1be56_1_1", "85a1be56_1_2").text(t), `ranked item 2, "85a1be56_1_2", is nothing that the haystack has`},
		"beyond":        {newLogged(t, 0, "85a1be56_1_0").text(t), `ranked item 1, "85a1be56_1_0"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := retrievalLog(t, scenario, "turn", test.text)
			require.ErrorContains(t, err, test.want)
			p, ok := errors.AsType[*problem.Problem](err)
			require.True(t, ok, "%T", err)
			require.Equal(t, "log.jsonl", filepath.Base(p.File))
		})
	}

	for want, call := range map[string]func() error{
		`unknown level "user-turn" of a retrieval log; use turn or session`: func() error {
			_, _, err := scenarios.RetrievalLog(logSample, scenario, "user-turn")
			return err
		},
		"gold: an option of longmemeval and beam, not of a retrieval log; leave it out": func() error {
			_, _, err := scenarios.RetrievalLog(logSample, scenario, "turn", scenarios.Gold("turn"))
			return err
		},
		"a retrieval log takes no option but Progress": func() error {
			_, _, strict := scenarios.RetrievalLog(logSample, scenario, "turn", scenarios.Strict())
			_, _, headline := scenarios.RetrievalLog(logSample, scenario, "turn", scenarios.Headline(tiaptest.Raw))
			require.Equal(t, strict, headline)
			_, _, err := scenarios.RetrievalLog(logSample, scenario, "turn", scenarios.Progress(func(int64, int64) {}))
			require.NoError(t, err)
			return strict
		},
		"the scenario has no turns to be ranked": func() error {
			_, _, err := scenarios.RetrievalLog(logSample, new(tiaptest.Scenario), "turn")
			return err
		},
		"no such file": func() error {
			_, _, err := scenarios.RetrievalLog("absent.jsonl", scenario, "turn")
			return err
		},
	} {
		require.ErrorContains(t, call(), want)
	}
}

func TestRetrievalLogTruncated(t *testing.T) {
	t.Parallel()
	scenario := &sample(t).Scenario
	text, err := os.ReadFile(logSample)
	require.NoError(t, err)
	text = bytes.TrimSpace(text)
	for n := 0; n < len(text); n += 97 {
		_, _, err := retrievalLog(t, scenario, "turn", string(text[:n]))
		require.ErrorContains(t, err, "log.jsonl:", "after %d bytes", n)
	}
	// After a whole line the log is a smaller one.
	more := newLogged(t, 2, "07b7a667_1_1").text(t)
	system, _, err := retrievalLog(t, scenario, "turn", string(text)+"\n"+more)
	require.NoError(t, err)
	require.Len(t, rankings(system), 2)
	system, _, err = retrievalLog(t, scenario, "turn", string(text)+"\n")
	require.NoError(t, err)
	require.Len(t, rankings(system), 1)
}

func FuzzRetrievalLog(f *testing.F) {
	text, err := os.ReadFile(logSample)
	require.NoError(f, err)
	f.Add(string(text), false)
	f.Add(newLogged(f, 2, "07b7a667_1_1", "07b7a667_1_1@2031/05/22 (Thu) 12:00", "answer_ultrachat_11_1").text(f), false)
	f.Add(newLogged(f, 0, "answer_280352e9_2", "sharegpt_XyZ12ab_0", "noans_280352e9_1").text(f)+newLogged(f, 2).text(f), true)
	scenario := &sample(f).Scenario
	f.Fuzz(func(t *testing.T, text string, sessions bool) {
		level := "turn"
		if sessions {
			level = "session"
		}
		system, notes, err := retrievalLog(t, scenario, level, text)
		if err != nil {
			require.ErrorContains(t, err, "log.jsonl")
			return
		}
		held := map[string]bool{}
		for _, m := range system.Ingests[0].Memories {
			held[m.ID] = true
		}
		for _, r := range rankings(system) {
			seen := map[string]bool{}
			for _, id := range r.IDs {
				require.True(t, held[id], id)
				require.True(t, strings.HasPrefix(id, r.Query+"/"), id)
				require.False(t, seen[id], id)
				seen[id] = true
			}
		}
		for _, n := range notes {
			require.Positive(t, n.Count)
		}
	})
}
