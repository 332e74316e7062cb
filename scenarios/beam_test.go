package scenarios_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

const (
	beamChat      = "testdata/beam/chats/100K/1/chat.json"
	beamQuestions = "testdata/beam/chats/100K/1/probing_questions/probing_questions.json"
	beamRow       = "testdata/beam/hf_row_sample.json"
)

// beamFolder writes files below a folder, by their paths, and returns it.
func beamFolder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return dir
}

// evidenceOf shows the evidence of queries, each unit with its id.
func evidenceOf(queries []tiaptest.Query) map[string]string {
	shown := make(map[string]string)
	for _, q := range queries {
		var units []string
		for _, u := range q.Evidence {
			var turns []string
			for _, turn := range u.Turns {
				turns = append(turns, strings.TrimPrefix(turn, q.Scope+"/"))
			}
			units = append(units, strings.TrimPrefix(u.ID+":", ":")+strings.Join(turns, "|"))
		}
		shown[strings.TrimPrefix(q.ID, q.Scope+"/")] = strings.Join(units, " ")
	}
	return shown
}

var sampleEvidence = map[string]string{
	"abstention/0":               "",
	"contradiction_resolution/0": "first_statement:m4 second_statement:m8",
	"event_ordering/0":           "event_1:m0 event_2:m2|m6",
	"information_extraction/0":   "m0",
	"instruction_following/0":    "m4 m5",
	"knowledge_update/0":         "updated_info:m6",
	"knowledge_update/1":         "",
	"multi_session_reasoning/0":  "m2 m6",
	"preference_following/0":     "",
	"summarization/0":            "",
	"temporal_reasoning/0":       "first_event:m0 second_event:m6",
}

var sampleNotes = map[string]int{
	"abstention":                    1,
	"evidence absent":               2,
	"evidence duplicate":            1,
	"evidence empty":                1,
	"evidence from the assistant":   1,
	"evidence group empty":          1,
	"evidence not a number":         1,
	"marker stripped":               3,
	"query without usable evidence": 3,
}

func TestBEAMRepository(t *testing.T) {
	t.Parallel()
	b, err := scenarios.BEAM("testdata/beam")
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(sampleEvidence, evidenceOf(b.Scenario.Queries)))
	assert.Empty(t, cmp.Diff(sampleNotes, counts(&b.Summary)))
	assert.Nil(t, b.System)
	require.Len(t, b.Scenario.Turns, 10)
	assert.Empty(t, cmp.Diff(tiaptest.Turn{
		ID: "100K/1/m6", Session: "100K/1/batch2", Speaker: "user", Time: "2031-04-02", Text: "Budget is now 1,100 coins.",
	}, b.Scenario.Turns[6]))
	assert.Equal(t, "2031-03-15", b.Scenario.Turns[5].Time, "of its batch")
	answers := make(map[string]string)
	for _, q := range b.Scenario.Queries {
		assert.Equal(t, "100K/1", q.Scope)
		assert.True(t, strings.HasPrefix(q.ID, q.Scope+"/"+q.Category+"/"))
		answers[q.Category] = q.Answer
	}
	assert.Equal(t, map[string]string{
		"abstention":               "Based on the provided chat, there is no information.",
		"contradiction_resolution": "You said both.",
		"event_ordering":           "1) greenhouse 2) budget",
		"information_extraction":   "12 square metres",
		"instruction_following":    "bullets",
		"knowledge_update":         "12",
		"multi_session_reasoning":  "200",
		"preference_following":     "timber",
		"summarization":            "A greenhouse plan.",
		"temporal_reasoning":       "18 days",
	}, answers)
	for _, dir := range []string{"testdata/beam/chats", "testdata/beam/chats/100K", "testdata/beam/chats/100K/1/", "testdata/../testdata/beam/chats/100K/1"} {
		other, err := scenarios.BEAM(dir)
		require.NoError(t, err, dir)
		assert.Empty(t, cmp.Diff(b, other, cmpopts.IgnoreUnexported(tiaptest.Scenario{})), dir)
	}
}

// A row of the data set gives what the repository does.
func TestBEAMRows(t *testing.T) {
	t.Parallel()
	want, err := scenarios.BEAM("testdata/beam")
	require.NoError(t, err)
	row := string(read(t, beamRow))
	var compact strings.Builder
	{
		var v any
		require.NoError(t, json.Unmarshal([]byte(row), &v))
		require.NoError(t, json.NewEncoder(&compact).Encode(v))
	}
	second := edited(t, compact.String(), `"conversation_id":"1"`, `"conversation_id":"2"`)
	plain := edited(t, row, `"probing_questions": "`, `"probing_questions": `+string(read(t, beamQuestions))+`, "as_python": "`)
	for name, text := range map[string]string{
		"object":            row,
		"array":             "[" + row + "]",
		"lines":             compact.String() + second,
		"array of two":      "[" + row + "," + second + "]",
		"questions as JSON": plain,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := scenarios.BEAM(textFile(t, "100K.jsonl", text))
			require.NoError(t, err)
			n := len(want.Scenario.Queries)
			if len(b.Scenario.Queries) != n {
				assert.Len(t, b.Scenario.Queries, 2*n)
				assert.Equal(t, "100K/2/abstention/0", b.Scenario.Queries[n].ID)
				assert.Equal(t, "100K/2/m0", b.Scenario.Turns[10].ID)
			}
			assert.Empty(t, cmp.Diff(want.Scenario.Queries, b.Scenario.Queries[:n]))
			assert.Empty(t, cmp.Diff(want.Scenario.Turns, b.Scenario.Turns[:10]))
		})
	}
}

// cleanChat and cleanQuestions have nothing to note but markers.
const (
	cleanChat = `[{"batch_number":1,"time_anchor":"March-15-2031","turns":[[
{"role":"user","id":0,"content":"One. ->-> 1,1"},
{"role":"assistant","id":1,"content":"Two."}]]},
{"batch_number":2,"time_anchor":null,"turns":[[
{"role":"user","id":2,"time_anchor":"April-02-2031","content":"Three."},
{"role":"assistant","id":3,"content":"Four."}]]}]
`
	cleanQuestions = `{"information_extraction":[
{"question":"What?","answer":"one","source_chat_ids":[0,2]}]}
`
)

func TestBEAMEvidence(t *testing.T) {
	t.Parallel()
	type count map[string]int
	with := func(c count, kinds ...string) count {
		for _, kind := range kinds {
			c[kind]++
		}
		return c
	}
	unusable := "query without usable evidence"
	for _, test := range []struct {
		kind, ids string // of a query; no ids: the member is absent
		opts      []scenarios.Option
		want      string
		notes     count
	}{
		{kind: "summarization", ids: `[0,2]`, want: "m0 m2"},
		{kind: "summarization", ids: `[2,0]`, want: "m2 m0"},
		{kind: "summarization", ids: `[0,1]`, want: "m0 m1", notes: count{"evidence from the assistant": 1}},
		{kind: "summarization", ids: `[0,2,0]`, want: "m0 m2", notes: count{"evidence duplicate": 1}},
		{kind: "summarization", ids: `[0,9]`, want: "m0", notes: count{"evidence dangling": 1}},
		{kind: "summarization", ids: `[-1]`, notes: count{"evidence dangling": 1, unusable: 1}},
		{kind: "summarization", ids: `[0,"--"]`, want: "m0", notes: count{"evidence not a number": 1}},
		{kind: "summarization", ids: `[0,1.5]`, want: "m0", notes: count{"evidence not a number": 1}},
		{kind: "summarization", ids: `[null]`, notes: count{"evidence not a number": 1, unusable: 1}},
		{kind: "summarization", ids: `["0"]`, want: "m0", notes: count{"evidence repaired": 1}},
		{kind: "summarization", ids: `["0"]`, opts: []scenarios.Option{scenarios.Strict()}, notes: count{"evidence not a number": 1, unusable: 1}},
		{kind: "summarization", ids: `[]`, notes: count{"evidence empty": 1, unusable: 1}},
		{kind: "summarization", ids: `null`, notes: count{"evidence null": 1, unusable: 1}},
		{kind: "summarization", notes: count{"evidence absent": 1, unusable: 1}},
		{kind: "abstention", notes: count{"abstention": 1}},
		{kind: "abstention", ids: `[0]`, want: "m0"},
		{kind: "event_ordering", ids: `[[0],[2]]`, want: "event_1:m0 event_2:m2"},
		{kind: "event_ordering", ids: `[[0,2],[2]]`, want: "event_1:m0|m2 event_2:m2", notes: count{"evidence shared by groups": 1}},
		{kind: "event_ordering", ids: `[[0,0],2]`, want: "event_1:m0 event_2:m2", notes: count{"evidence duplicate": 1}},
		{kind: "event_ordering", ids: `[[],[2]]`, want: "event_2:m2", notes: count{"evidence group empty": 1}},
		{kind: "temporal_reasoning", ids: `{"first_event":[0],"second_event":[0,2]}`, want: "first_event:m0 second_event:m0|m2", notes: count{"evidence shared by groups": 1}},
		{kind: "temporal_reasoning", ids: `{"first_event":0,"second_event":[[2]]}`, want: "first_event:m0 second_event:m2"},
		{kind: "temporal_reasoning", ids: `{}`, notes: count{"evidence empty": 1, unusable: 1}},
		{kind: "temporal_reasoning", ids: `{"first_event":null,"second_event":[2]}`, want: "second_event:m2", notes: count{"evidence not a number": 1, "evidence group empty": 1}},
		{kind: "knowledge_update", ids: `{"original_info":[0],"updated_info":[2]}`, want: "updated_info:m2"},
		{kind: "knowledge_update", ids: `{"original_info":[0],"updated_info":[2]}`, opts: []scenarios.Option{scenarios.OriginalInfo()}, want: "original_info:m0 updated_info:m2"},
		{kind: "knowledge_update", ids: `{"original_info":[0]}`, notes: count{"updated_info absent": 1, unusable: 1}},
		{kind: "knowledge_update", notes: count{"evidence absent": 1, unusable: 1}},
		{kind: "riddle", ids: `[0]`, want: "m0", notes: count{"type unknown": 1}},
	} {
		t.Run(test.kind+" "+test.ids, func(t *testing.T) {
			t.Parallel()
			ids := ""
			if test.ids != "" {
				ids = `,"source_chat_ids":` + test.ids
			}
			b, err := scenarios.BEAM(beamFolder(t, map[string]string{
				"chats/1M/7/chat.json":                                cleanChat,
				"chats/1M/7/probing_questions/probing_questions.json": `{"` + test.kind + `":[{"question":"What?","answer":"one"` + ids + `}]}`,
			}), test.opts...)
			require.NoError(t, err)
			assert.Equal(t, map[string]string{test.kind + "/0": test.want}, evidenceOf(b.Scenario.Queries))
			want := count{"marker stripped": 1}
			for kind, n := range test.notes {
				for range n {
					with(want, kind)
				}
			}
			assert.Empty(t, cmp.Diff(map[string]int(want), counts(&b.Summary)))
		})
	}
}

func TestBEAMMessages(t *testing.T) {
	t.Parallel()
	type count map[string]int
	for _, test := range []struct {
		edit []string
		want count  // beside a stripped marker
		text string // of the first message, unless "One."
	}{
		{},
		{edit: []string{" ->-> 1,1", " ->-> 2,N/A"}},
		{edit: []string{" ->-> 1,1", "->->12,3 "}},
		{edit: []string{" ->-> 1,1", " ->-> batch"}, want: count{"marker stripped": -1, "marker left": 1}, text: "One. ->-> batch"},
		{edit: []string{" ->-> 1,1", ""}, want: count{"marker stripped": -1}},
		{edit: []string{"One. ->->", "Is 1 -> 2 ->->"}, text: "Is 1 -> 2"},
		{edit: []string{"One. ->->", "What is ->->? ->->"}, want: count{"marker left": 1}, text: "What is ->->?"},
		{edit: []string{"Two.", " "}, want: count{"message empty": 1}},
		{edit: []string{`"id":1,`, `"id":7,`}, want: count{"message id out of order": 2}},
		{edit: []string{`"role":"user","id":0`, `"role":"system","id":0`}, want: count{"role unknown": 1}},
		{edit: []string{`"March-15-2031"`, `"15 March"`}, want: count{"date unparsable": 1}},
		{edit: []string{`"time_anchor":"April-02-2031"`, `"time_anchor":"2 April"`}, want: count{"date unparsable": 1}},
		{edit: []string{`"March-15-2031"`, `null`}, want: count{"batch without a date": 1}},
		{edit: []string{`"time_anchor":"April-02-2031",`, ``}, want: count{"batch without a date": 1}},
	} {
		t.Run(strings.Join(test.edit, " "), func(t *testing.T) {
			t.Parallel()
			b, err := scenarios.BEAM(beamFolder(t, map[string]string{
				"1M/7/chat.json": edited(t, cleanChat, test.edit...),
				"1M/7/probing_questions/probing_questions.json": cleanQuestions,
			}))
			require.NoError(t, err)
			want := map[string]int{"marker stripped": 1}
			for kind, n := range test.want {
				if want[kind] += n; want[kind] == 0 {
					delete(want, kind)
				}
			}
			assert.Empty(t, cmp.Diff(want, counts(&b.Summary)))
			if test.text == "" {
				test.text = "One."
			}
			assert.Equal(t, test.text, b.Scenario.Turns[0].Text)
		})
	}
}

// A batch has a date of its own, or that of the first message which has one;
// from a later message that has one on it is another day.
func TestBEAMDates(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		edit []string
		want string // the days of the four messages
	}{
		{nil, "15 15 02 02"},
		{[]string{`"id":3,`, `"id":3,"time_anchor":"April-03-2031",`}, "15 15 02 03"},
		{[]string{`"id":1,`, `"id":1,"time_anchor":"March-16-2031",`}, "15 16 02 02"},
		{[]string{`"time_anchor":"April-02-2031"`, `"time_anchor":""`}, "15 15  "},
		{[]string{`"time_anchor":"April-02-2031",`, ``, `"id":3,`, `"id":3,"time_anchor":"April-03-2031",`}, "15 15 03 03"},
		{[]string{`"time_anchor":null`, `"time_anchor":"April-9-2031"`}, "15 15 02 02"},
	} {
		b, err := scenarios.BEAM(beamFolder(t, map[string]string{
			"1M/7/chat.json": edited(t, cleanChat, test.edit...),
			"1M/7/probing_questions/probing_questions.json": cleanQuestions,
		}))
		require.NoError(t, err)
		var days []string
		for _, turn := range b.Scenario.Turns {
			days = append(days, turn.Time[max(0, len(turn.Time)-2):])
		}
		assert.Equal(t, test.want, strings.Join(days, " "), test.edit)
	}
}

// The ids of plans go on from those of the plans before.
func TestBEAMPlans(t *testing.T) {
	t.Parallel()
	ids := func(b *scenarios.Benchmark) (out []string) {
		for _, turn := range b.Scenario.Turns {
			out = append(out, strings.TrimPrefix(turn.ID, "10M/3/")+"@"+strings.TrimPrefix(turn.Session, "10M/3/"))
		}
		return out
	}
	plan := func(first int, n string) string {
		return fmt.Sprintf(`[{"batch_number":1,"time_anchor":"March-1-2031","turns":[[{"role":"user","id":%d,"content":"%s"},{"role":"assistant","id":%d,"content":"Yes."}]]}]`, first, n, first+1)
	}
	questions := `{"summarization":[{"question":"What?","ideal_summary":"all","source_chat_ids":[0,4]}]}`
	want := []string{"m0@plan-1/batch1", "m1@plan-1/batch1", "m2@plan-2/batch1", "m3@plan-2/batch1", "m4@plan-3/batch1", "m5@plan-3/batch1"}
	const q = "10M/3/probing_questions/probing_questions.json"
	folders := map[string]string{q: questions}
	for i, dir := range []string{"plan-0", "plan-2", "plan-10"} { // not by their bytes
		folders["10M/3/"+dir+"/chat.json"] = plan(0, strings.Repeat("x", i+1))
	}
	joined := `[{"plan-1":` + plan(0, "x") + `,"plan-2":null},{"plan-2":` + plan(2, "xx") + `},{"plan-3":` + plan(4, "xxx") + `}]`
	restarting := `[{"plan-1":` + plan(0, "x") + `},{"plan-2":` + plan(0, "xx") + `},{"plan-3":` + plan(0, "xxx") + `}]`
	for name, test := range map[string]struct {
		files   map[string]string
		rebased int
	}{
		"folders":          {folders, 2},
		"joined":           {map[string]string{q: questions, "10M/3/chat.json": joined}, 0},
		"restarting":       {map[string]string{q: questions, "10M/3/chat.json": restarting}, 2},
		"one object":       {map[string]string{q: questions, "10M/3/chat.json": `{"plan-1":` + plan(0, "x") + `,"plan-2":` + plan(0, "xx") + `,"plan-3":` + plan(4, "xxx") + `}`}, 1},
		"joined has plans": {map[string]string{q: questions, "10M/3/chat.json": joined, "10M/3/plan-0/chat.json": plan(0, "y")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := scenarios.BEAM(beamFolder(t, test.files))
			require.NoError(t, err)
			assert.Equal(t, want, ids(b))
			assert.Equal(t, test.rebased, b.Summary.Count("plan rebased"))
			assert.Equal(t, "x", b.Scenario.Turns[0].Text)
			assert.Equal(t, "xxx", b.Scenario.Turns[4].Text)
			assert.Equal(t, map[string]string{"summarization/0": "m0 m4"}, evidenceOf(b.Scenario.Queries))
		})
	}
}

// Conversations come by size and number, and a truncated chat has precedence.
func TestBEAMFolders(t *testing.T) {
	t.Parallel()
	files := map[string]string{"README.md": "x", "chats/1M/notes/x.json": "x", "chats/.cache/x": "x"}
	for _, dir := range []string{"chats/1M/2", "chats/1M/10", "chats/500K/1"} {
		files[dir+"/chat.json"] = cleanChat
		files[dir+"/probing_questions/probing_questions.json"] = cleanQuestions
	}
	files["chats/1M/2/chat_trunecated.json"] = edited(t, cleanChat, "One.", "Cut.")
	b, err := scenarios.BEAM(beamFolder(t, files))
	require.NoError(t, err)
	var scopes, texts []string
	for _, q := range b.Scenario.Queries {
		scopes = append(scopes, q.Scope)
	}
	for i := 0; i < 12; i += 4 {
		texts = append(texts, b.Scenario.Turns[i].Text)
	}
	assert.Equal(t, []string{"500K/1", "1M/2", "1M/10"}, scopes)
	assert.Equal(t, []string{"One.", "Cut.", "One."}, texts)
}

func TestBEAMNotesAreDocumented(t *testing.T) {
	t.Parallel()
	documented(t, "beam.go")
}

func TestBEAMErrors(t *testing.T) {
	t.Parallel()
	const chat, questions = "1M/7/chat.json", "1M/7/probing_questions/probing_questions.json"
	for _, test := range []struct {
		file string
		edit []string
		want string // behind the name of the file
	}{
		{chat, []string{`"id":1,`, `"id":0,`}, `:3: conversation 1M/7, batch 1, message 1: the id 0 is taken; number the messages of a conversation from 0`},
		{chat, []string{`"id":1,`, `"id":-1,`}, `:3: conversation 1M/7, batch 1, message 1: the id -1 is no integer from 0; number the messages of a conversation from 0`},
		{chat, []string{`"id":1,`, `"id":"1",`}, `:3: conversation 1M/7, batch 1, message 1: "id" is a string, not a number; make it a number`},
		{chat, []string{`"id":1,`, ``}, `:3: conversation 1M/7, batch 1, message 1: there is no "id"; add it as a number`},
		{chat, []string{`"content":"Four."`, `"content":null`}, `:6: conversation 1M/7, batch 2, message 1: there is no "content"; add it as a string`},
		{chat, []string{`"time_anchor":null,"turns"`, `"time_anchor":null,"turn"`}, `:4: conversation 1M/7, batch 2: there is no "turns"; add it as an array`},
		{chat, []string{`"time_anchor":"April-02-2031"`, `"time_anchor":7`}, `:5: conversation 1M/7, batch 2, message 0: "time_anchor" is a number, not a string; make it a string`},
		{chat, []string{cleanChat, `7`}, `:1: conversation 1M/7: this is a number, not an array; make it an array`},
		{chat, []string{cleanChat, `[7]`}, `:1: conversation 1M/7, batch 1: this is a number, not an array; make it an array`},
		{chat, []string{cleanChat, `[[7]]`}, `:1: conversation 1M/7, batch 1, message 0: this is a number, not an object; make it an object`},
		{chat, []string{cleanChat, ``}, `: the file holds 0 JSON values; if it is cut off or damaged, get it again`},
		{chat, []string{cleanChat, `{} {}`}, `: the file holds 2 JSON values; if it is cut off or damaged, get it again`},
		{questions, []string{`"question":"What?",`, ``}, `:2: conversation 1M/7, information_extraction 0: there is no "question"; add it as a string`},
		{questions, []string{`[0,2]`, `7`}, `:2: conversation 1M/7, information_extraction 0, source_chat_ids: this is a number, not an array; make it an array`},
		{questions, []string{cleanQuestions, `[]`}, `:1: conversation 1M/7, probing_questions: this is an array, not an object; make it an object`},
		{questions, []string{cleanQuestions, `{"summarization":7}`}, `:1: conversation 1M/7, summarization: this is a number, not an array; make it an array`},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{chat: cleanChat, questions: cleanQuestions}
			files[test.file] = edited(t, files[test.file], test.edit...)
			dir := beamFolder(t, files)
			b, err := scenarios.BEAM(dir)
			assert.Nil(t, b)
			require.Error(t, err)
			want := filepath.Join(dir, filepath.FromSlash(test.file)) + test.want
			assert.True(t, slices.Contains(strings.Split(err.Error(), "\n"), want), "want %s\ngot %s", want, err)
		})
	}
	empty := beamFolder(t, map[string]string{chat: `[]`, questions: cleanQuestions})
	_, err := scenarios.BEAM(empty)
	require.ErrorContains(t, err, "the chat of these questions has no message; get the whole chat")
	for file, text := range map[string]string{chat: cleanChat, questions: cleanQuestions} {
		_, err := scenarios.BEAM(beamFolder(t, map[string]string{file: text}))
		require.ErrorContains(t, err, ".json: the file is missing; a conversation needs its chat and its questions")
	}
	_, err = scenarios.BEAM(t.TempDir())
	require.ErrorContains(t, err, "no conversation of BEAM is here; name the folder that has chats/<size>/<n>")
	_, err = scenarios.BEAM("testdata/absent")
	require.ErrorContains(t, err, "testdata/absent: no such file")
}

func TestBEAMRowErrors(t *testing.T) {
	t.Parallel()
	row := `{"conversation_id":"1","chat":[` + `[{"role":"user","id":0,"content":"One."}]],"probing_questions":"{'summarization': [{'question': 'What?'}]}"}`
	for _, test := range []struct {
		edit []string
		want string
	}{
		{[]string{`"conversation_id":"1",`, ``}, `:1: row 1: there is no conversation_id, another row has the same, or it has a slash`},
		{[]string{`"conversation_id":"1"`, `"conversation_id":"a/b"`}, `:1: row 1: there is no conversation_id, another row has the same, or it has a slash`},
		{[]string{`"chat":`, `"chats":`}, `:1: conversation 1: there is no "chat"; add it as an array of batches`},
		{[]string{`"probing_questions":`, `"questions":`}, `:1: conversation 1: there is no "probing_questions"; add them as the data set has them`},
		{[]string{`'What?'`, `what`}, `:1: conversation 1, probing_questions: no dictionary, list, string, number, True, False or None (character 33 of the literal); write them as JSON, or as Python's repr does`},
		{[]string{row, `[]`}, `: the file has no row; name a file of rows of BEAM, or the folder of its repository`},
		{[]string{row, row + row}, `:1: row 2: there is no conversation_id, another row has the same`},
		{[]string{row, row + `]`}, `:1: malformed JSON: invalid character ']'`},
	} {
		file := textFile(t, "100K.json", edited(t, row, test.edit...))
		_, err := scenarios.BEAM(file)
		require.ErrorContains(t, err, file+test.want)
	}
}

func TestBEAMTruncated(t *testing.T) {
	t.Parallel()
	files := map[string]string{"1M/7/chat.json": beamChat, "1M/7/probing_questions/probing_questions.json": beamQuestions}
	for name, sample := range files {
		files[name] = string(read(t, sample))
	}
	dir := beamFolder(t, files)
	for name, whole := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		for n := 0; n < len(whole); n += 97 {
			require.NoError(t, os.WriteFile(file, []byte(whole[:n]), 0o666))
			_, err := scenarios.BEAM(dir)
			if n < len(strings.TrimSpace(whole)) {
				require.ErrorContains(t, err, file+":", "cut at byte %d", n)
			} else {
				require.NoError(t, err)
			}
		}
		require.NoError(t, os.WriteFile(file, []byte(whole), 0o666))
	}
	row := strings.TrimSpace(string(read(t, beamRow)))
	file := filepath.Join(t.TempDir(), "1M.json")
	for n := 0; n < len(row); n += 97 {
		require.NoError(t, os.WriteFile(file, []byte(row[:n]), 0o666))
		_, err := scenarios.BEAM(file)
		require.ErrorContains(t, err, file+":", "cut at byte %d", n)
	}
}
