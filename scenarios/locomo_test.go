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

const locomoSample = "testdata/locomo/locomo_sample.json"

// textFile writes a file in a folder of its own.
func textFile(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}

// The sample is read as is stated beside it.
func TestLoCoMoAsExpected(t *testing.T) {
	t.Parallel()
	var want struct {
		Turns     int            `json:"turns"`
		DiaIDs    int            `json:"distinct_dia_ids_in_file"`
		Questions int            `json:"questions"`
		DateKeys  int            `json:"date_keys_without_session"`
		Repeated  int            `json:"repeated_question_texts"`
		Defects   map[string]int `json:"defects"`
		Strict    struct {
			References int `json:"references"`
			Scorable   int `json:"scorable_questions"`
		} `json:"strict"`
		Normalised struct {
			References int `json:"unique_references"`
			Scorable   int `json:"scorable_questions"`
		} `json:"normalised"`
		Evidence map[string][][]string `json:"evidence_per_question"`
	}
	require.NoError(t, json.Unmarshal(read(t, "testdata/locomo/expected_normalised.json"), &want))

	b, err := scenarios.LoCoMo(locomoSample)
	require.NoError(t, err)
	assert.Equal(t, want.Turns, b.Summary.Turns)
	assert.Len(t, b.Scenario.Turns, want.Turns)
	dia := make(map[string]bool)
	for _, turn := range b.Scenario.Turns {
		_, id, _ := strings.Cut(turn.ID, "/")
		dia[id] = true
	}
	assert.Len(t, dia, want.DiaIDs)
	assert.Equal(t, want.Questions, b.Summary.Queries)
	assert.Equal(t, want.DateKeys, b.Summary.Count("date key without a session"))
	assert.Equal(t, want.Repeated, b.Summary.Count("question repeated"))
	assert.Equal(t, want.Normalised.References, b.Summary.Units)
	assert.Equal(t, want.Normalised.Scorable, b.Summary.Scorable)
	require.Len(t, want.Defects, 6)
	for kind, n := range want.Defects {
		kind, _, _ = strings.Cut(kind, "_")
		assert.Equal(t, n, b.Summary.Count("evidence "+kind), kind)
	}
	got := make(map[string][][]string)
	for i, q := range b.Scenario.Queries {
		assert.Equal(t, fmt.Sprintf("%s/qa%d", q.Scope, len(got[q.Scope])), q.ID, "query %d", i)
		ids := []string{}
		for _, u := range q.Evidence {
			require.Len(t, u.Turns, 1)
			ids = append(ids, strings.TrimPrefix(u.Turns[0], q.Scope+"/"))
		}
		got[q.Scope] = append(got[q.Scope], ids)
	}
	assert.Empty(t, cmp.Diff(want.Evidence, got))

	strict, err := scenarios.LoCoMo(locomoSample, scenarios.Strict())
	require.NoError(t, err)
	assert.Equal(t, want.Strict.References, strict.Summary.Units+strict.Summary.Count("evidence duplicate"))
	assert.Equal(t, want.Strict.Scorable, strict.Summary.Scorable)
	assert.NotEqual(t, b.Summary.Rules, strict.Summary.Rules)
	assert.Equal(t, b.Summary.SHA256, strict.Summary.SHA256)
	assert.Equal(t, b.Summary.SHA256, b.Scenario.SHA256)
}

func TestLoCoMoTurnsAndQueries(t *testing.T) {
	t.Parallel()
	b, err := scenarios.LoCoMo(locomoSample)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(tiaptest.Turn{
		ID: "conv-90/D2:3", Session: "conv-90/session_2", Speaker: "Ben", Time: "2031-04-02T19:40:00",
		Text: "Yes, and one more shelf. (image description: a photo of a wooden shelf)",
	}, b.Scenario.Turns[6]))
	assert.Equal(t, "2031-05-01T12:00:00", b.Scenario.Turns[8].Time, "noon")
	assert.Equal(t, "The green cart stands in the barn, and the fair is on Sunday. ", b.Scenario.Turns[7].Text, "spaces stay")
	q := b.Scenario.Queries
	assert.Empty(t, cmp.Diff(tiaptest.Query{
		ID: "conv-90/qa1", Scope: "conv-90", Text: "How many hives does Ben keep?", Category: "1", Answer: "4",
		Evidence: []tiaptest.Unit{{Turns: []string{"conv-90/D1:4"}}, {Turns: []string{"conv-90/D2:2"}}},
	}, q[1]))
	assert.Empty(t, cmp.Diff([]tiaptest.Unit{{ID: "D:2:4", Turns: []string{"conv-90/D2:4"}}}, q[4].Evidence), "the id as it stood")
	assert.Empty(t, q[9].Answer, "the adversarial answer is none")
	assert.Equal(t, "No", q[10].Answer)
}

func TestLoCoMoMemories(t *testing.T) {
	t.Parallel()
	b, err := scenarios.LoCoMo(locomoSample)
	require.NoError(t, err)
	require.Len(t, b.System.Ingests, 1)
	got := make(map[string]string)
	forms := make(map[string]int)
	for _, m := range b.System.Ingests[0].Memories {
		forms[m.Form]++
		var from []string
		for _, l := range m.Sources {
			assert.Empty(t, l.Origin)
			from = append(from, strings.TrimPrefix(l.Turn, "conv-90/")+strings.Replace(" "+l.Precision, " container", "*", 1))
		}
		if strings.HasPrefix(m.ID, "conv-90/session_2") {
			got[m.ID] = m.Form + ": " + m.Text + " < " + strings.Join(from, " ")
		}
	}
	assert.Equal(t, map[string]int{"raw": 10, "observation": 6, "summary": 3, "event": 3}, forms)
	assert.Equal(t, map[string]string{
		"conv-90/session_2/observation/Ada/0": "observation: Ada knows of the green cart and the fair. < D2:4  D2:2 ",
		"conv-90/session_2/observation/Ben/0": "observation: Ben grows beans and builds shelves. < D2:1  D2:3 ",
		"conv-90/session_2/summary":           "summary: Ben now has four hives; the green cart is in the barn. < D2:1* D2:2* D2:3* D2:4*",
		"conv-90/session_2/event/Ben/0":       "event: Ben has four hives. < D2:1* D2:2* D2:3* D2:4*",
	}, got)
	raw := b.System.Ingests[0].Memories[2]
	assert.Empty(t, cmp.Diff(tiaptest.Memory{
		ID: "conv-90/D1:3", Form: "raw", Text: b.Scenario.Turns[2].Text, Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}},
	}, raw))
	for form := range forms {
		assert.NotEmpty(t, b.System.Forms[form], form)
	}
	assert.Len(t, b.System.Forms, len(forms))
	assert.NotEmpty(t, b.System.Unit)
	assert.NotEmpty(t, b.System.Lineage)
}

// Lineage is a set: a turn that an observation names twice is one link.
func TestLoCoMoObservationTwice(t *testing.T) {
	t.Parallel()
	for _, refs := range []string{`["D1:1","D1:1"]`, `"D1:1, D1:1"`, `["D1:1","D:1:1"]`} {
		b, err := scenarios.LoCoMo(textFile(t, "l.json", edited(t, cleanLoCoMo, `["A fact.","D1:1"]`, `["A fact.",`+refs+`]`)))
		require.NoError(t, err)
		i := slices.IndexFunc(b.System.Ingests[0].Memories, func(m tiaptest.Memory) bool { return m.Form == "observation" })
		assert.Equal(t, []tiaptest.Link{{Turn: "s/D1:1"}}, b.System.Ingests[0].Memories[i].Sources, refs)
	}
}

// The edits turn this sample, which has nothing to note, into others.
const cleanLoCoMo = `[
 {"sample_id":"s","conversation":{
   "speaker_a":"A","speaker_b":"B",
   "session_1_date_time":"9:05 am on 12 March, 2031",
   "session_1":[{"speaker":"A","dia_id":"D1:1","text":"One."},{"speaker":"B","dia_id":"D1:2","text":"Two."}],
   "session_2_date_time":"7:40 pm on 2 April, 2031",
   "session_2":[{"speaker":"A","dia_id":"D2:1","text":"Three."}]},
  "qa":[
   {"question":"What?","answer":"one","evidence":["D1:1"],"category":1},
   {"question":"Who?","answer":"two","evidence":["D1:2","D2:1"],"category":4}],
  "event_summary":{"events_session_1":{"A":["A event."],"B":["B event."],"date":"12 March, 2031"}},
  "observation":{"session_1_observation":{"A":[["A fact.","D1:1"]]}},
  "session_summary":{"session_1_summary":"A summary."}}]
`

func edited(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		require.Equal(t, 1, strings.Count(text, pairs[i]), "%q stands once in the text", pairs[i])
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// counts are the notes of a summary.
func counts(s *scenarios.Summary) map[string]int {
	n := make(map[string]int)
	for _, note := range s.Notes {
		n[note.Kind] = note.Count
	}
	return n
}

func TestLoCoMoNotes(t *testing.T) {
	t.Parallel()
	type count map[string]int
	for _, test := range []struct {
		edit   []string
		strict bool
		want   count
		first  string // where the note stands, when there is one
	}{
		{},
		{strict: true},
		{edit: []string{`["D1:1"]`, `["D1:1; D2:1"]`}, want: count{"evidence split": 1}, first: `sample s, qa 0: "D1:1; D2:1"`},
		{edit: []string{`["D1:1"]`, `["D1:1, D2:1"]`}, want: count{"evidence split": 1}},
		{edit: []string{`["D1:1"]`, `["D1:1 D2:1"]`}, strict: true, want: count{"evidence packed": 1, "query without usable evidence": 1}},
		{edit: []string{`["D1:1"]`, `["D:1:1"]`}, want: count{"evidence repaired": 1}},
		{edit: []string{`["D1:1"]`, `["D01:001"]`}, want: count{"evidence repaired": 1}},
		{edit: []string{`["D1:1"]`, `[" D1:1"]`}, want: count{}}, // spaces around an id are no misspelling of it
		{edit: []string{`["D1:1"]`, `["D:1:1"]`}, strict: true, want: count{"evidence misspelt": 1, "query without usable evidence": 1}},
		{edit: []string{`["D1:1"]`, `["D1:3"]`}, want: count{"evidence dangling": 1, "query without usable evidence": 1}},
		{edit: []string{`["D1:2",`, `["D1:9",`}, strict: true, want: count{"evidence dangling": 1}},
		{edit: []string{`["D1:2",`, `["D",`}, want: count{"evidence unparsable": 1}},
		{edit: []string{`["D1:2",`, `["",`}, want: count{"evidence unparsable": 1}},
		{edit: []string{`["D1:2",`, `["D",`}, strict: true, want: count{"evidence unparsable": 1}},
		{edit: []string{`["D1:2",`, `["D2:1",`}, want: count{"evidence duplicate": 1}},
		{edit: []string{`["D1:2",`, `["D02:1",`}, want: count{"evidence repaired": 1, "evidence duplicate": 1}},
		{edit: []string{`["D1:2","D2:1"]`, `["D2:1","D1:2"]`}}, // the order says nothing
		{edit: []string{`["D1:1"]`, `[]`}, want: count{"evidence empty": 1, "query without usable evidence": 1}, first: "sample s, qa 0"},
		{edit: []string{`"evidence":["D1:1"],`, ``}, want: count{"evidence absent": 1, "query without usable evidence": 1}},
		{edit: []string{`["D1:1"]`, `null`}, want: count{"evidence absent": 1, "query without usable evidence": 1}},
		{edit: []string{`"one"`, `17`}, want: count{"answer is an integer": 1}},
		{edit: []string{`"one"`, `""`}}, // an empty answer is one
		{edit: []string{`"answer":"one",`, ``}, want: count{"answer absent": 1}},
		{edit: []string{`"answer":"one",`, ``, `"category":1`, `"category":5`}, want: count{"category 5 without an answer": 1}},
		{edit: []string{`"category":1`, `"category":5`}, want: count{"category 5 with an answer": 1}},
		{edit: []string{`"category":1`, `"category":6`}, want: count{"category without a name": 1}},
		{edit: []string{`"Who?"`, `"What?"`}, want: count{"question repeated": 1}, first: "sample s, qa 1"},
		{edit: []string{`"dia_id":"D1:2","text":"Two."`, `"dia_id":"D1:2","text":"Two.","blip_caption":"a dog","query":"dog"`}, want: count{"image description appended": 1}, first: "sample s, session_1, turn 1"},
		{edit: []string{`"Two."`, `" "`}, want: count{"turn text empty": 1}},
		{edit: []string{`{"speaker":"B"`, `{"speaker":"A"`}, want: count{"consecutive turns of one speaker": 1}},
		{edit: []string{`{"speaker":"B"`, `{"speaker":"C"`}, want: count{"speaker unknown": 1}},
		{edit: []string{`"speaker_a":"A","speaker_b":"B",`, ``}}, // unknown who speaks, so none is unknown
		{edit: []string{`"dia_id":"D1:2"`, `"dia_id":"D1:7"`, `["D1:2",`, `["D1:7",`}, want: count{"turn id out of position": 1}},
		{edit: []string{`"session_2":[`, `"session_3_date_time":"x","session_2":[`}, want: count{"date key without a session": 1}, first: "sample s, session_3_date_time"},
		{edit: []string{`"session_2":[`, `"session_03":[],"session_2":[`}, want: count{"field ignored": 1}},
		{edit: []string{`"session_2":[`, `"session_3":[],"session_3_date_time":"8:00 am on 3 April, 2031","session_2":[`}, want: count{"session empty": 1}},
		{edit: []string{`"7:40 pm on 2 April, 2031"`, `"April"`}, want: count{"date unparsable": 1}},
		{edit: []string{`"session_2_date_time":"7:40 pm on 2 April, 2031",`, ``}, want: count{"session without a date": 1}},
		{edit: []string{`2 April`, `2 March`}, want: count{"session before the previous one": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.","D1:1, D2:1"]`}, want: count{"observation reference split": 1, "observation reference to another session": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.",["D1:1","D1:1"]]`}}, // lineage is a set
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.","D1:2"]`}, want: count{"observation of the other speaker's turn": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.","D:1:1"]`}, strict: true, want: count{"observation reference repaired": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.","D9:1"]`}, want: count{"observation reference dangling": 1, "observation without a turn": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.","session"]`}, want: count{"observation reference unparsable": 1, "observation without a turn": 1}},
		{edit: []string{`["A fact.","D1:1"]`, `["A fact.",[]]`}, want: count{"observation without a turn": 1}},
		{edit: []string{`"A":[["A fact."`, `"C":[["A fact."`}, want: count{"observation about an unknown speaker": 1, "observation of the other speaker's turn": 1}},
		{edit: []string{`"session_1_summary"`, `"session_7_summary"`}, want: count{"summary without a session": 1}},
		{edit: []string{`"events_session_1"`, `"events_session_7"`}, want: count{"event without a session": 2}},
		{edit: []string{`"A event."`, ``}, want: count{"event list empty": 1}},
		{edit: []string{`"A event."`, `""`}, want: count{"event empty": 1}},
		{edit: []string{`"event_summary":{"events_session_1":{"A":["A event."],"B":["B event."],"date":"12 March, 2031"}},`, ``}}, // as a corrected copy may have it
	} {
		t.Run(strings.Join(test.edit, " "), func(t *testing.T) {
			t.Parallel()
			var opts []scenarios.Option
			if test.strict {
				opts = append(opts, scenarios.Strict())
			}
			b, err := scenarios.LoCoMo(textFile(t, "l.json", edited(t, cleanLoCoMo, test.edit...)), opts...)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(map[string]int(test.want), counts(&b.Summary), cmpopts.EquateEmpty()))
			if test.first != "" {
				require.NotEmpty(t, b.Summary.Notes)
				assert.Equal(t, test.first, b.Summary.Notes[0].First)
			}
		})
	}
}

// Every kind of note is in the documentation.
func TestLoCoMoNotesAreDocumented(t *testing.T) {
	t.Parallel()
	documented(t, "locomo.go")
}

// documented looks for the kinds that a file counts in its comments.
func documented(t *testing.T, file string) {
	source := string(read(t, file))
	comment := source[:strings.Index(source, "\nfunc ")]
	n := 0
	for _, line := range strings.Split(source, "\n") {
		_, kind, ok := strings.Cut(line, `note("`)
		if !ok {
			continue
		}
		kind, _, _ = strings.Cut(kind, `"`)
		n++
		assert.Contains(t, comment, "//	"+kind, kind)
	}
	assert.Greater(t, n, 10)
}

func TestLoCoMoErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		edit []string
		want string // behind the name of the file
	}{
		{[]string{`["D1:1"]`, `"D1:1"`}, `:9: sample s, qa 0: "evidence" is a string, not an array; make it an array`},
		{[]string{`["D1:1"]`, `[7]`}, `:9: sample s, qa 0, evidence 0: this is a number, not a string; make it a string`},
		{[]string{`"one"`, `["one"]`}, `:9: sample s, qa 0: "answer" is an array, neither a string nor an integer; make it a string`},
		{[]string{`"one"`, `1.5`}, `:9: sample s, qa 0: "answer" is a number, neither a string nor an integer; make it a string`},
		{[]string{`"category":4`, `"category":"4"`}, `:10: sample s, qa 1: "category" is a string, not a number; make it a number`},
		{[]string{`"category":4`, `"category":4.5`}, `:10: sample s, qa 1: the category 4.5 is no integer; use 1 to 5`},
		{[]string{`"question":"Who?",`, ``}, `:10: sample s, qa 1: there is no "question"; add it as a string`},
		{[]string{`"sample_id":"s"`, `"sample_id":7`}, `:2: sample 0: "sample_id" is a number, not a string; make it a string`},
		{[]string{`"sample_id":"s"`, `"sample_id":"a/b"`}, `:2: sample 0: the sample_id "a/b" is empty, taken or has a slash; give every sample an id of its own, without a slash`},
		{[]string{`"dia_id":"D1:2"`, `"dia_id":"D1:1"`}, `:5: sample s, session_1, turn 1: the dia_id "D1:1" is empty, taken or has a slash; give every turn of a sample an id of its own, without a slash`},
		{[]string{`"text":"Two."`, `"text":null`}, `:5: sample s, session_1, turn 1: there is no "text"; add it as a string`},
		{[]string{`"7:40 pm on 2 April, 2031"`, `7`}, `:6: sample s, session_2_date_time: this is a number, not a string; make it a string`},
		{[]string{`["A fact.","D1:1"]`, `["A fact."]`}, `:12: sample s, session_1_observation, A 0: an observation of 1 elements; write the text and its turns: [text, id] or [text, [id, ...]]`},
		{[]string{`"session_1_summary"`, `"summary_1"`}, `:13: sample s, summary_1: the name in session_summary is not of the form session_<n>_summary; name the session by its number`},
		{[]string{`"A":["A event."]`, `"A":"A event."`}, `:11: sample s, events_session_1, A: this is a string, not an array; make it an array`},
		{[]string{`"speaker_b":"B"`, `"speaker_a":"B"`}, `:3: the member "speaker_a" occurs twice in one object; keep one of the two`},
		{[]string{`"answer":"one",`, `"answer":"one"`}, `:9: malformed JSON: invalid character '"' after object key:value pair; if the file is cut off or damaged, get it again`},
		{[]string{`"Two."`, "\"Two\ufffd\xff.\""}, `:5: the text is not UTF-8; save the file as UTF-8`},
		{[]string{`[{"speaker":"A","dia_id":"D1:1"`, "[\"\ufffd\",\n\n{\"speaker\":\"A\",\"dia_id\":\"\xff\""}, `:7: the text is not UTF-8; save the file as UTF-8`},
		{[]string{`A summary."}}]`, `A summary."}}] {}`}, `:13: the file goes on after its end; if it is damaged, get it again`},
		{[]string{cleanLoCoMo, `{"a":1}`}, `: the file is no array of samples, or an empty one; name a file like locomo10.json`},
		{[]string{cleanLoCoMo, `[]`}, `: the file is no array of samples, or an empty one; name a file like locomo10.json`},
		{[]string{cleanLoCoMo, ` `}, `: the file is no array of samples, or an empty one; name a file like locomo10.json`},
		{[]string{cleanLoCoMo, `[7]`}, `:1: sample 0: this is a number, not an object; make it an object`},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			file := textFile(t, "l.json", edited(t, cleanLoCoMo, test.edit...))
			b, err := scenarios.LoCoMo(file)
			assert.Nil(t, b)
			require.Error(t, err)
			lines := strings.Split(err.Error(), "\n")
			assert.True(t, slices.Contains(lines, file+test.want), "want %s\ngot %s", file+test.want, err)
		})
	}
	_, err := scenarios.LoCoMo("testdata/locomo/absent.json")
	require.ErrorContains(t, err, "testdata/locomo/absent.json: no such file")
	_, err = scenarios.LoCoMo("testdata/locomo")
	require.ErrorContains(t, err, "testdata/locomo: this is no file")
	_, err = scenarios.LoCoMo(locomoSample, scenarios.OriginalInfo())
	require.ErrorContains(t, err, "of beam, not of locomo")
}

// Everything wrong in a file is told at once.
func TestLoCoMoErrorsTogether(t *testing.T) {
	t.Parallel()
	file := textFile(t, "l.json", edited(t, cleanLoCoMo, `["D1:1"]`, `7`, `"two"`, `[]`, `A summary."}}]`, `A summary."}}, {"sample_id":"s"}, {"sample_id":"x"}`))
	_, err := scenarios.LoCoMo(file)
	require.Error(t, err)
	for _, want := range []string{"qa 0", "qa 1", "sample 1: the sample_id", `sample x: there is no "conversation"`, `sample x: there is no "qa"`, "malformed JSON"} {
		assert.ErrorContains(t, err, want)
	}
}

// The line of a fault is right however much stands between the samples.
func TestLoCoMoErrorLines(t *testing.T) {
	t.Parallel()
	sample := strings.TrimSpace(strings.Trim(cleanLoCoMo, "[]\n"))
	per := strings.Count(sample, "\n") + 3
	samples := make([]string, 300)
	for i := range samples {
		samples[i] = edited(t, sample, `"sample_id":"s"`, fmt.Sprintf(`"sample_id":"s%d"`, i)) + "\n\n     "
	}
	last := samples[299]
	for _, test := range []struct{ turn, want string }{
		{`{"speaker":"B" "dia_id":"D1:2"`, `malformed JSON: invalid character '"' after object key:value pair`},
		{`{"speaker":"B","dia_id":nil`, `malformed JSON: invalid character 'i' in literal null`},
		{`{"speaker":"B","dia_id":7`, `sample s299, session_1, turn 1: "dia_id" is a number, not a string`},
	} {
		samples[299] = edited(t, last, `{"speaker":"B","dia_id":"D1:2"`, test.turn)
		file := textFile(t, "l.json", "["+strings.Join(samples, ",\n")+"]")
		_, err := scenarios.LoCoMo(file)
		require.ErrorContains(t, err, fmt.Sprintf("%s:%d: %s", file, 299*per+4, test.want))
	}
}

func TestLoCoMoTruncated(t *testing.T) {
	t.Parallel()
	whole := read(t, locomoSample)
	end := len(strings.TrimSpace(string(whole)))
	file := filepath.Join(t.TempDir(), "l.json")
	for n := 0; n < len(whole); n += 97 {
		require.NoError(t, os.WriteFile(file, whole[:n], 0o666))
		_, err := scenarios.LoCoMo(file)
		if n < end {
			require.ErrorContains(t, err, file+":", "cut at byte %d", n)
		} else {
			require.NoError(t, err)
		}
	}
}
