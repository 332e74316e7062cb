package memsys_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// memoryOSExport is the data folder in testdata, with a whole log.
func memoryOSExport(tb testing.TB) export {
	return export{
		content: testdata(tb,
			"memoryos/users/conv-90/short_term.json", "memoryos/users/conv-90/mid_term.json", "memoryos/users/conv-90/long_term_user.json",
			"memoryos/assistants/default/long_term_assistant.json", "memoryos/ingest.jsonl", "memoryos/search.jsonl"),
		store: []string{"memoryos/users", "memoryos/assistants"}, log: "memoryos/ingest.jsonl", search: []string{"memoryos/search.jsonl"},
	}
}

// The ids that are made of the texts in testdata.
const (
	osUserID      = "user_knowledge_fe5e78cc56c55a74"
	osAssistantID = "assistant_knowledge_a125e60119d032f9"
	osProfileID   = "profile_7951779779aacc51"
	osShortID     = "page_24dda0af69c6c09b"
)

const (
	osFirst  = "Morning, Ben!\nMorning. I finished the oak shelves."
	osSecond = "I planted the pear tree yesterday. (image description: a photo of a small tree in soil)\nGood. I keep three hives now."
	osShort  = "And you have four hives now, I hear?\nYes, and one more shelf."
)

func TestMemoryOS(t *testing.T) {
	t.Parallel()
	checks(t, memsys.MemoryOS, memoryOSExport(t), []tiaptest.Memory{
		{ID: osProfileID, Form: "profile", Text: "Ada gardens."},
		{ID: osUserID, Form: "knowledge", Text: "Ada planted a pear tree."},
		{ID: "page_00000001", Form: "raw", Sources: exactly("D1:1", "D1:2"), Text: osFirst},
		{ID: "page_00000002", Form: "raw", Sources: exactly("D1:3", "D1:4"), Text: osSecond},
		{ID: "session_000000aa", Form: "summary", Sources: asContainer("D1:1", "D1:2", "D1:3", "D1:4"), Text: "Shelves and hives."},
		{ID: "session_000000bb", Form: "summary", Sources: asContainer("D1:1", "D1:2", "D1:3", "D1:4"), Text: "A pear tree was planted."},
		{ID: osShortID, Form: "raw", Sources: exactly("D2:2", "D2:3"), Text: osShort},
		{ID: osAssistantID, Form: "knowledge", Text: "Ben keeps hives."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", Lists: []tiaptest.List{
			{Name: "assistant_knowledge", IDs: []string{}},
			{Name: "pages", IDs: []string{"page_00000002", "page_00000001"}},
			{Name: "user_knowledge", IDs: []string{osUserID}},
		}},
		{Query: "conv-90/qa1", Lists: []tiaptest.List{
			{Name: "pages", IDs: []string{"page_00000002", "page_00000001"}},
			{Name: "sessions", IDs: []string{"session_000000bb", "session_000000aa"}},
		}},
	}, map[string]int{
		"hit repeated in one list":                           2,
		"knowledge without lineage":                          2,
		"page in several sessions, stored once":              2,
		"page without id, named by its text and time":        1,
		"profile without lineage":                            1,
		"source named with the scenario's name":              7,
		"text of a page found without its image description": 1,
		"text of the log that no page holds":                 1,
	})
}

// TestMemoryOSSampleLog: a log that tells a part of the texts links that part, and
// without a log nothing is linked.
func TestMemoryOSSampleLog(t *testing.T) {
	t.Parallel()
	e := memoryOSExport(t)
	maps.Copy(e.content, testdata(t, "memoryos/ingest_map.json"))
	e.log, e.search = "memoryos/ingest_map.json", nil
	for _, c := range []struct {
		log     string
		sources map[string][]tiaptest.Link
		notes   map[string]int
		lineage string
	}{
		{"memoryos/ingest_map.json", map[string][]tiaptest.Link{
			"page_00000001": exactly("D1:1", "D1:2"), "session_000000aa": asContainer("D1:1", "D1:2"), "session_000000bb": asContainer("D1:1", "D1:2"),
		}, map[string]int{
			"page without lineage": 2, "text of a page that the log does not have": 4, "source named with the scenario's name": 2,
		}, "log of add_memory, by text and time; sessions contain pages"},
		{"", map[string][]tiaptest.Link{}, map[string]int{"page without lineage": 3}, "none recorded"},
	} {
		e.log = c.log
		in, err := memsys.MemoryOS(conv90(), e.files(t))
		require.NoError(t, err)
		got := make(map[string][]tiaptest.Link)
		for _, m := range in.System.Ingests[0].Memories {
			if m.Sources != nil {
				got[m.ID] = m.Sources
			}
		}
		same(t, c.sources, got)
		want := map[string]int{
			"knowledge without lineage": 2, "page in several sessions, stored once": 2,
			"page without id, named by its text and time": 1, "profile without lineage": 1,
		}
		maps.Copy(want, c.notes)
		same(t, want, counts(in.Notes))
		require.Equal(t, c.lineage, in.System.Lineage)
	}
}

func TestMemoryOSAudit(t *testing.T) {
	t.Parallel()
	in, err := memsys.MemoryOS(conv90(), memoryOSExport(t).files(t))
	require.NoError(t, err)
	for _, rule := range []string{"order", "interleave", "rrf"} {
		a := audits(t, in.System, tiaptest.Merge(rule), tiaptest.Beside(tiaptest.Exact(tiaptest.Source), tiaptest.Exact(tiaptest.Canonical)))
		for _, c := range []struct {
			target tiaptest.Target
			want   map[string]float64
		}{
			{tiaptest.Raw, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 0.5, "conv-90/qa2": 0, "conv-90/qa3": 0}},
			{tiaptest.Source, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 0.5, "conv-90/qa2": 0, "conv-90/qa3": 0}},
			{tiaptest.Canonical, map[string]float64{"conv-90/qa0": 0, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0}},
			{tiaptest.Exact(tiaptest.Source), map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 0.5, "conv-90/qa2": 0, "conv-90/qa3": 0}},
			{tiaptest.Exact(tiaptest.Canonical), map[string]float64{}}, // a session is a container
		} {
			same(t, c.want, perQuery(t, a, in.System, c.target))
		}
	}
}

// TestMemoryOSEval: the eval variant has its own names of files and lists.
func TestMemoryOSEval(t *testing.T) {
	t.Parallel()
	e := memoryOSExport(t)
	for part, name := range map[string]string{"short_term": "short_term", "mid_term": "mid_term", "long_term": "long_term_user"} {
		e.content["mem_tmp_loco_final/conv-90_"+part+".json"] = e.content["memoryos/users/conv-90/"+name+".json"]
	}
	e.content["mem_tmp_loco_final/all_loco_results.json"] = "[]"
	e.content["search.jsonl"] = `{"query":"conv-90/qa0","result":{"retrieval_queue":[{"page_id":"page_00000002","user_input":"x"}],"long_term_knowledge":[{"knowledge":"Ada planted a pear tree.","timestamp":"2031-06-01 12:00:01"}],"retrieved_at":"now"}}`
	e.store, e.search = []string{"mem_tmp_loco_final"}, []string{"search.jsonl"}
	in, err := memsys.MemoryOS(conv90(), e.files(t))
	require.NoError(t, err)
	var ids []string
	for _, m := range in.System.Ingests[0].Memories {
		ids = append(ids, m.ID)
	}
	same(t, []string{osProfileID, osUserID, "page_00000001", "page_00000002", "session_000000aa", "session_000000bb", osShortID}, ids)
	same(t, []tiaptest.Ranking{{Query: "conv-90/qa0", Lists: []tiaptest.List{
		{Name: "pages", IDs: []string{"page_00000002"}}, {Name: "user_knowledge", IDs: []string{osUserID}},
	}}}, rankings(in.System))
	require.Equal(t, 1, counts(in.Notes)["file that is no part of the store"])
}

// osPage is a page, without an id if that is empty.
func osPage(id, user, agent, time string) string {
	return fmt.Sprintf(`{"page_id":%q,"user_input":%q,"agent_response":%q,"timestamp":%q}`, id, user, agent, time)
}

// osMid is a mid term of one session.
func osMid(pages ...string) string {
	return `{"sessions":{"session_00000001":{"summary":"S","details":[` + strings.Join(pages, ",") + `]}}}`
}

func osLog(text, time string, turns ...string) string {
	return fmt.Sprintf(`{"text":%q,"timestamp":%q,"source_ids":["conv-90/%s"]}`, text, time, strings.Join(turns, `","conv-90/`)) + "\n"
}

// TestMemoryOSPacked: files may be compressed, and named in capitals.
func TestMemoryOSPacked(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(osMid(osPage("p", "a", "b", "t"))))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	e := export{content: map[string]string{"d/conv-90_mid_term.JSON.gz": packed.String()}, store: []string{"d"}}
	in, err := memsys.MemoryOS(conv90(), e.files(t))
	require.NoError(t, err)
	require.Len(t, in.System.Ingests[0].Memories, 2)
}

// TestMemoryOSLinks has for each rule by which the log tells turns a case where it
// holds and one where it does not.
func TestMemoryOSLinks(t *testing.T) {
	t.Parallel()
	const image = "Look! (image description: a tree (young))"
	for name, c := range map[string]struct {
		page, log string
		want      []tiaptest.Link
		notes     map[string]int
	}{
		"both texts":           {osPage("p", "a", "b", "t"), osLog("a", "t", "D1:1") + osLog("b", "t", "D1:2"), exactly("D1:1", "D1:2"), nil},
		"space around":         {osPage("p", " a\n", "", "t "), osLog("a ", "t", "D1:1"), exactly("D1:1"), nil},
		"one text alone":       {osPage("p", "", "b", "t"), osLog("b", "t", "D1:2"), exactly("D1:2"), nil},
		"a null text":          {`{"page_id":"p","user_input":null,"agent_response":"b","timestamp":"t"}`, osLog("b", "t", "D1:2"), exactly("D1:2"), nil},
		"another time":         {osPage("p", "a", "", "t"), osLog("a", "u", "D1:1"), nil, map[string]int{"text of a page that the log does not have": 1, "text of the log that no page holds": 1, "page without lineage": 1}},
		"another text":         {osPage("p", "A", "", "t"), osLog("a", "t", "D1:1"), nil, map[string]int{"text of a page that the log does not have": 1, "text of the log that no page holds": 1, "page without lineage": 1}},
		"an image":             {osPage("p", image, "", "t"), osLog("Look!", "t", "D1:1"), exactly("D1:1"), map[string]int{"text of a page found without its image description": 1}},
		"an image in the log":  {osPage("p", image, "", "t"), osLog(image, "t", "D1:2") + osLog("Look!", "u", "D1:1"), exactly("D1:2"), map[string]int{"text of the log that no page holds": 1}},
		"an image in between":  {osPage("p", image+" Nice.", "", "t"), osLog("Look!", "t", "D1:1"), nil, map[string]int{"text of a page that the log does not have": 1, "text of the log that no page holds": 1, "page without lineage": 1}},
		"several turns":        {osPage("p", "a", "", "t"), osLog("a", "t", "D1:1", "D1:2"), asBatch("D1:1", "D1:2"), nil},
		"a text said twice":    {osPage("p", "a", "", "t"), osLog("a", "t", "D1:1") + osLog("a", "t", "D1:3"), asBatch("D1:1", "D1:3"), map[string]int{"text of a page that the log has for several turns": 1}},
		"an entry twice":       {osPage("p", "a", "", "t"), osLog("a", "t", "D1:1") + osLog("a", "t", "D1:1"), exactly("D1:1"), nil},
		"of no turn":           {osPage("p", "a", "", "t"), osLog("a", "t", "D9:1"), nil, map[string]int{"source names no turn": 1, "page without lineage": 1}},
		"the same text beside": {osPage("p", "a", "a", "t"), osLog("a", "t", "D1:1"), exactly("D1:1"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := export{content: map[string]string{"conv-90/mid_term.json": osMid(c.page), "log.jsonl": c.log}, store: []string{"conv-90"}, log: "log.jsonl"}
			in, err := memsys.MemoryOS(conv90(), e.files(t))
			require.NoError(t, err)
			same(t, c.want, in.System.Ingests[0].Memories[0].Sources)
			if c.notes == nil {
				c.notes = map[string]int{}
			}
			same(t, c.notes, counts(in.Notes))
		})
	}
}

// TestMemoryOSTwoConversations: a text that both conversations have at one time is
// told by the user.
func TestMemoryOSTwoConversations(t *testing.T) {
	t.Parallel()
	sc := conv90()
	sc.Turns = append(sc.Turns, tiaptest.Turn{ID: "conv-91/D1:1", Text: "Morning, Ben!"})
	e := export{content: map[string]string{
		"conv-90/mid_term.json": osMid(osPage("p", "a", "", "t")), "conv-91/mid_term.json": osMid(osPage("p", "a", "", "t")), "ada/mid_term.json": osMid(osPage("p", "a", "", "t")),
		"log.json": `[{"text":"a","timestamp":"t","source_ids":["conv-90/D1:1"]},{"text":"a","timestamp":"t","source_ids":["conv-91/D1:1"]}]`,
	}, store: []string{"conv-90", "conv-91", "ada"}, log: "log.json"}
	in, err := memsys.MemoryOS(sc, e.files(t))
	require.NoError(t, err)
	got := make(map[string][]tiaptest.Link)
	for _, m := range in.System.Ingests[0].Memories {
		got[m.ID] = m.Sources
	}
	same(t, map[string][]tiaptest.Link{
		"conv-90/p": {{Turn: "conv-90/D1:1"}}, "conv-90/session_00000001": {{Turn: "conv-90/D1:1", Precision: "container"}},
		"conv-91/p": {{Turn: "conv-91/D1:1"}}, "conv-91/session_00000001": {{Turn: "conv-91/D1:1", Precision: "container"}},
		"ada/p":                {{Turn: "conv-90/D1:1", Precision: "batch"}, {Turn: "conv-91/D1:1", Precision: "batch"}},
		"ada/session_00000001": {{Turn: "conv-90/D1:1", Precision: "container"}, {Turn: "conv-91/D1:1", Precision: "container"}},
	}, got)
}

// TestMemoryOSUsers: ids of several users are scoped, and hits are found by the
// scope of the query or by being the only one.
func TestMemoryOSUsers(t *testing.T) {
	t.Parallel()
	e := export{
		content: map[string]string{
			"d/users/conv-90/mid_term.json":                 osMid(osPage("page_00000001", "a", "", "t")),
			"d/users/conv-91/mid_term.json":                 osMid(osPage("page_00000001", "b", "", "t"), osPage("page_00000002", "c", "", "t")),
			"d/assistants/default/long_term_assistant.json": `{"assistant_knowledge":[{"knowledge":"K","timestamp":"t"}]}`,
			"d/assistants/second/long_term_assistant.json":  `{"assistant_knowledge":[{"knowledge":"L","timestamp":"t"}]}`,
			"search.jsonl": `{"query":"conv-90/qa0","result":{"retrieved_pages":[` + osPage("page_00000001", "a", "", "t") + `,` + osPage("page_00000002", "c", "", "t") + `,` + osPage("page_00000009", "z", "", "t") + `],
				"retrieved_assistant_knowledge":[{"knowledge":"K","timestamp":"t"},{"knowledge":"K","timestamp":"later"}]}}`,
		},
		store: []string{"d"}, search: []string{"search.jsonl"},
	}
	e.content["search.jsonl"] = strings.ReplaceAll(e.content["search.jsonl"], "\n", " ")
	in, err := memsys.MemoryOS(conv90(), e.files(t))
	require.NoError(t, err)
	var ids []string
	for _, m := range in.System.Ingests[0].Memories {
		ids = append(ids, m.ID)
	}
	ranking, ok := in.System.Ingests[0].Run.Ranking("conv-90/qa0")
	require.True(t, ok)
	require.Len(t, ids, 7)
	same(t, []string{"conv-90/page_00000001", "conv-90/session_00000001", "conv-91/page_00000001", "conv-91/page_00000002", "conv-91/session_00000001"}, ids[2:])
	require.True(t, strings.HasPrefix(ids[0], "assistants/default/assistant_knowledge_"), ids[0])
	require.True(t, strings.HasPrefix(ids[1], "assistants/second/assistant_knowledge_"), ids[1])
	same(t, []string{"conv-90/page_00000001", "conv-91/page_00000002", "page_00000009"}, ranking.Lists[1].IDs)
	require.Equal(t, ids[0], ranking.Lists[0].IDs[0])
	require.Equal(t, 2, counts(in.Notes)["hit of no stored memory"])

	sc := conv90()
	for i := range sc.Queries {
		sc.Queries[i].Scope = ""
	}
	_, err = memsys.MemoryOS(sc, e.files(t))
	require.ErrorContains(t, err, `search.jsonl:1: result.retrieved_pages[0]: "page_00000001" can be conv-90/page_00000001 or conv-91/page_00000001; give the query the user as its scope`)
}

// TestMemoryOSRepeats: what is stored twice is one memory.
func TestMemoryOSRepeats(t *testing.T) {
	t.Parallel()
	const entry = `{"knowledge":"K","timestamp":"t"}`
	e := export{content: map[string]string{
		"u/short_term.json":          `[` + osPage("", "a", "b", "t") + `,` + osPage("", "a", "b", "t") + `,` + osPage("", "a", "b", "u") + `]`,
		"u/long_term_user.json":      `{"user_profiles":{"u":{"data":"P"},"v":{"data":""}},"knowledge_base":[` + entry + `,` + entry + `,{"knowledge":"K","timestamp":"u"}],"assistant_knowledge":[` + entry + `]}`,
		"a/long_term_assistant.json": `{"assistant_knowledge":[` + entry + `]}`,
	}, store: []string{"u", "a"}}
	in, err := memsys.MemoryOS(conv90(), e.files(t))
	require.NoError(t, err)
	var got []string
	for _, m := range in.System.Ingests[0].Memories {
		got = append(got, m.Form+" "+m.Text)
	}
	same(t, []string{"profile P", "knowledge K", "knowledge K", "knowledge K", "raw a\nb", "raw a\nb"}, got)
	notes := counts(in.Notes)
	require.Equal(t, 2, notes["knowledge repeated, stored once"], "in the list, and of user and assistant")
	require.Equal(t, 1, notes["page in several sessions, stored once"])
	require.Equal(t, 2, notes["page without id, named by its text and time"])
}

func TestMemoryOSRefuses(t *testing.T) {
	t.Parallel()
	mid := osMid(osPage("p", "a", "b", "t"))
	store := func(name, content string) export {
		return export{content: map[string]string{name: content}, store: []string{name}}
	}
	searched := func(results ...string) export {
		e := store("u/mid_term.json", mid)
		for _, r := range results {
			e.content["s.jsonl"] += `{"query":"conv-90/qa0","result":` + r + "}\n"
		}
		e.search = []string{"s.jsonl"}
		return e
	}
	logged := func(log string) export {
		e := store("u/mid_term.json", mid)
		e.content["log"], e.log = log, "log"
		return e
	}
	for name, c := range map[string]struct {
		e     export
		words []string
	}{
		"no part of a store": {store("d/results.json", "[]"), []string{"results.json: this is no store of MemoryOS: there is no short_term.json"}},
		"a name that grows":  {store(strings.Repeat("İ", 6)+".json", mid), []string{"this is no store of MemoryOS"}},
		"no ending":          {store("x_mid_term", mid), []string{"this is no store of MemoryOS"}},
		"no JSON file":       {store("mid_term.txt", mid), []string{"mid_term.txt: this is no store of MemoryOS"}},
		"a user twice": {export{content: map[string]string{"x/u/mid_term.json": mid, "y/u/mid_term.json": mid}, store: []string{"x", "y"}}, []string{
			`this is the mid_term of "u", as is `, "name the store of each user once"}},
		"no sessions":        {store("u/mid_term.json", "{}"), []string{`mid_term.json: there is no "sessions"`}},
		"sessions as a list": {store("u/mid_term.json", `{"sessions":[]}`), []string{"mid_term.json: sessions: an array where an object belongs"}},
		"sessions": {store("u/mid_term.json", `{"sessions":{"s1":{"details":[]},"s2":{"summary":1},"s3":{"summary":"","details":3},"s4":4,"":{"summary":"","details":[]},"s5":{"summary":""}}}`), []string{
			`sessions.s1: the session has no id or no "summary"`, "sessions.s2.summary: a number where a string belongs", "sessions.s3.details: a number where an array belongs", "sessions.s4: a number where an object belongs",
			`sessions.: the session has no id`, "sessions.s5.details: null where an array belongs"}},
		"pages": {store("u/short_term.json", `[{"timestamp":"t"},{"user_input":1},{"user_input":"a","page_id":{}},null]`), []string{
			`short_term.json: [0]: the page has neither "user_input" nor "agent_response"`, "[1].user_input: a number where", "[2].page_id: an object where a string", "[3]: the page has neither"}},
		"short term as object": {store("u/short_term.json", `{}`), []string{"short_term.json: an object where an array belongs"}},
		"a page with two texts": {store("u/mid_term.json", osMid(osPage("p", "a", "", "t"), osPage("p", "b", "", "t"))), []string{
			`sessions.session_00000001.details[1]: the id "p" stands for two texts; export the store at one time`}},
		"a page named as a session": {store("u/mid_term.json", osMid(osPage("session_00000001", "a", "", "t"))), []string{`the id "session_00000001" stands for two texts`}},
		"a session named as a page": {store("u/mid_term.json", `{"sessions":{"s1":{"summary":"S","details":[]},"s2":{"summary":"S","details":[`+osPage("s1", "a", "", "t")+`]}}}`), []string{`the id "s1" stands for two texts`}},
		"long term that is none":    {store("u/long_term_user.json", `{"knowledge":[]}`), []string{`there is no "user_profiles", "knowledge_base" or "assistant_knowledge"`}},
		"knowledge": {store("u/long_term_user.json", `{"user_profiles":{},"knowledge_base":[{"timestamp":"t"},{"knowledge":[]},"x"],"assistant_knowledge":{}}`), []string{
			`knowledge_base[0]: the entry has no "knowledge", its text`, "knowledge_base[1].knowledge: an array where a string", "knowledge_base[2]: a string where an object", "assistant_knowledge: an object where an array"}},
		"profiles": {store("u/long_term_user.json", `{"user_profiles":{"u":{"data":{}}}}`), []string{"user_profiles.u.data: an object where a string belongs"}},
		"log": {logged(`{"text":"a","timestamp":"t"}` + "\n" + `{"text":"a","source_ids":[]}` + "\n" + `{"timestamp":"t","source_ids":[]}` + "\n" + `{"text":"a","timestamp":"t","source_ids":"x"}` + "\n" + `7`), []string{
			`log:1: an entry has "text", "timestamp" and "source_ids"`, "log:2: an entry has", "log:3: an entry has", "log:4: source_ids: a string where an array", "log:5: a number where an object"}},
		"log as array":  {logged(`[{"text":"a","timestamp":"t"}]`), []string{`log: [0]: an entry has "text"`}},
		"log cut off":   {logged(`[{"text":"a",`), []string{"log:1: this is no JSON"}},
		"two answers":   {searched(`[]`, `[]`), []string{`s.jsonl:2: query "conv-90/qa0" has two rankings`}},
		"other answers": {searched(`{"results":[]}`), []string{`s.jsonl:1: result: there is no "retrieved_pages"; log what retrieve_context or search_sessions gives`}},
		"a null answer": {searched(`null`), []string{`result: there is no "retrieved_pages"`}},
		"retrieved": {searched(`{"retrieved_pages":[{"page_id":"p"},4],"retrieved_user_knowledge":[{}],"retrieved_assistant_knowledge":null}`), []string{
			"s.jsonl:1: result.retrieved_pages[0]: the page has neither", "result.retrieved_pages[1]: a number where an object", `result.retrieved_user_knowledge[0]: the entry has no "knowledge"`, "result.retrieved_assistant_knowledge: null where an array belongs"}},
		"both variants": {searched(`{"retrieved_pages":[],"retrieval_queue":[]}`), []string{`query "conv-90/qa0" has two lists named "pages"`}},
		"searched": {searched(`[{"matched_pages":[]},{"session_id":"s"},{"session_id":"s","matched_pages":[{},{"page_data":{}},{"page_data":[]},5]},6]`), []string{
			`s.jsonl:1: result[0]: the session has no "session_id"`, "result[1].matched_pages: null where an array", "result[2].matched_pages[0].page_data: there is no page",
			"result[2].matched_pages[1].page_data: the page has neither", "result[2].matched_pages[2].page_data: an array where an object", "result[2].matched_pages[3]: a number where an object", "result[3]: a number where an object"}},
		"no memory":     {store("u/short_term.json", `[]`), []string{"short_term.json: the store has no memory"}},
		"no such files": {export{store: []string{"none"}, log: "none.jsonl", search: []string{"none.log"}}, []string{"none: no such file", "none.jsonl: no such file", "none.log: no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses(t, memsys.MemoryOS, c.e, c.words...)
		})
	}
	_, err := memsys.MemoryOS(conv90(), memsys.Files{History: "h"})
	require.ErrorContains(t, err, "memoryos: no store is given")
	require.ErrorContains(t, err, "memoryos: a history is given, which the format does not have")
}

func TestMemoryOSCutShort(t *testing.T) {
	t.Parallel()
	e := memoryOSExport(t)
	cutShort(t, memsys.MemoryOS, e)
	maps.Copy(e.content, testdata(t, "memoryos/ingest_map.json"))
	e.log, e.search = "memoryos/ingest_map.json", []string{"answers"}
	for query, file := range map[string]string{"qa0": "memoryos/retrieve_context.json", "qa1": "memoryos/search_sessions.json"} {
		e.content["answers/conv-90%2F"+query+".json"] = testdata(t, file)[file]
	}
	delete(e.content, "memoryos/ingest.jsonl")
	delete(e.content, "memoryos/search.jsonl")
	cutShort(t, memsys.MemoryOS, e)
}

func FuzzMemoryOS(f *testing.F) { fuzz(f, memsys.MemoryOS, memoryOSExport(f)) }
