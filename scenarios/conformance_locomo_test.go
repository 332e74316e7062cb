package scenarios_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

// locomoFile is the file as it is, read without the package under test.
type locomoFile []struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []struct {
		Question    string          `json:"question"`
		Answer      json.RawMessage `json:"answer"`
		Adversarial json.RawMessage `json:"adversarial_answer"`
		Evidence    []string        `json:"evidence"`
		Category    int             `json:"category"`
	} `json:"qa"`
	Observation map[string]map[string][][2]json.RawMessage `json:"observation"`
	Summary     map[string]string                          `json:"session_summary"`
}

// The counts are those of a survey of the published file.
func TestConformanceLoCoMo(t *testing.T) {
	t.Parallel()
	file := conformance.Data(t, "locomo/locomo10.json")
	b, err := scenarios.LoCoMo(file)
	require.NoError(t, err)
	strict, err := scenarios.LoCoMo(file, scenarios.Strict())
	require.NoError(t, err)
	var source locomoFile
	require.NoError(t, json.Unmarshal(read(t, file), &source))

	assert.Equal(t, "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4", b.Summary.SHA256)
	t.Run("conversations", func(t *testing.T) { conformTurns(t, b, source) })
	t.Run("questions", func(t *testing.T) { conformQueries(t, b, source) })
	t.Run("evidence", func(t *testing.T) { conformEvidence(t, b, strict, source) })
	t.Run("memories", func(t *testing.T) { conformMemories(t, b, strict, source) })
	t.Run("notes", func(t *testing.T) {
		common := map[string]int{
			"answer is an integer":                    6,
			"category 5 with an answer":               2,
			"category 5 without an answer":            444,
			"date key without a session":              16,
			"event empty":                             1,
			"event list empty":                        81,
			"evidence dangling":                       2,
			"evidence duplicate":                      1,
			"evidence empty":                          4,
			"evidence unparsable":                     1,
			"image description appended":              1226,
			"observation of the other speaker's turn": 63,
			"observation reference split":             5,
			"question repeated":                       12,
		}
		want := maps.Clone(common)
		want["evidence split"], want["evidence repaired"], want["query without usable evidence"] = 4, 2, 4
		assert.Empty(t, cmp.Diff(want, counts(&b.Summary)))
		want = maps.Clone(common)
		want["evidence packed"], want["evidence misspelt"], want["query without usable evidence"] = 4, 2, 9
		assert.Empty(t, cmp.Diff(want, counts(&strict.Summary)))
	})
	t.Run("audit", func(t *testing.T) { conformAudit(t, strict) })
}

func conformTurns(t *testing.T, b *scenarios.Benchmark, source locomoFile) {
	assert.Equal(t, 5882, b.Summary.Turns)
	sessions, ids, texts := make(map[string]bool), make(map[string]bool), make(map[string]string)
	captions := 0
	for _, turn := range b.Scenario.Turns {
		sessions[turn.Session] = true
		_, id, _ := strings.Cut(turn.ID, "/")
		ids[id] = true
		texts[turn.ID] = turn.Text
		if strings.Contains(turn.Text, " (image description: ") {
			captions++
		}
		assert.NotEmpty(t, turn.Time, turn.ID)
		assert.NotEmpty(t, turn.Speaker, turn.ID)
	}
	assert.Len(t, sessions, 272)
	assert.Len(t, ids, 1033)
	assert.Equal(t, 1226, captions)

	count := make(map[string]int)
	for _, s := range source {
		for name, text := range s.Conversation {
			if strings.HasSuffix(name, "_date_time") {
				count["dates"]++
			} else if strings.HasPrefix(name, "session_") {
				var turns []map[string]any
				require.NoError(t, json.Unmarshal(text, &turns))
				for _, turn := range turns {
					said := turn["text"].(string)
					want := said
					_, linked := turn["img_url"]
					if caption, ok := turn["blip_caption"].(string); ok {
						want += " (image description: " + caption + ")"
						count[fmt.Sprintf("captions, linked %t", linked)]++
					}
					assert.Equal(t, want, texts[s.ID+"/"+turn["dia_id"].(string)])
					for what, has := range map[string]bool{
						"outer space": said != strings.TrimSpace(said),
						"newline":     strings.Contains(said, "\n"),
						"non-ASCII":   strings.ContainsFunc(said, func(r rune) bool { return r > unicode.MaxASCII }),
						"query":       turn["query"] != nil,
						"re-download": turn["re-download"] != nil,
					} {
						if has {
							count[what]++
						}
					}
				}
			}
		}
	}
	assert.Equal(t, map[string]int{
		"dates": 288, "captions, linked true": 910, "captions, linked false": 316, "query": 888, "re-download": 206,
		"outer space": 209, "newline": 37, "non-ASCII": 78,
	}, count)
}

func conformQueries(t *testing.T, b *scenarios.Benchmark, source locomoFile) {
	assert.Equal(t, 1986, b.Summary.Queries)
	categories, digits := make(map[string]int), []string{}
	repeated := make(map[string]int)
	asked := make(map[[2]string]bool)
	at := make(map[string]tiaptest.Query)
	for _, q := range b.Scenario.Queries {
		at[q.ID] = q
		categories[scenarios.CategoryName("locomo", q.Category)]++
		if asked[[2]string{q.Scope, q.Text}] {
			repeated[q.Scope]++
		}
		asked[[2]string{q.Scope, q.Text}] = true
	}
	assert.Equal(t, map[string]int{"multi-hop": 282, "temporal": 321, "open-domain": 96, "single-hop": 841, "adversarial": 446}, categories)
	assert.Equal(t, map[string]int{"conv-48": 11, "conv-30": 1}, repeated)

	answered := 0
	for _, s := range source {
		for i, q := range s.QA {
			id := fmt.Sprintf("%s/qa%d", s.ID, i)
			require.Equal(t, q.Question, at[id].Text)
			require.Equal(t, fmt.Sprint(q.Category), at[id].Category)
			switch {
			case q.Answer == nil:
				assert.Empty(t, at[id].Answer)
				assert.NotNil(t, q.Adversarial)
			case q.Answer[0] == '"':
				var text string
				require.NoError(t, json.Unmarshal(q.Answer, &text))
				assert.Equal(t, text, at[id].Answer)
				answered++
			default:
				assert.Equal(t, string(q.Answer), at[id].Answer)
				digits = append(digits, id+" "+at[id].Category)
			}
		}
	}
	assert.Equal(t, 1536, answered)
	assert.Equal(t, []string{"conv-26/qa1 2", "conv-26/qa26 2", "conv-26/qa40 1", "conv-26/qa49 2", "conv-26/qa72 2", "conv-26/qa75 1"}, digits)
	assert.Equal(t, "No", at["conv-26/qa167"].Answer)
	assert.Equal(t, "No", at["conv-26/qa178"].Answer)
}

func conformEvidence(t *testing.T, b, strict *scenarios.Benchmark, source locomoFile) {
	assert.Equal(t, 2806, strict.Summary.Units+strict.Summary.Count("evidence duplicate"))
	assert.Equal(t, 1977, strict.Summary.Scorable)
	assert.Equal(t, 2820, b.Summary.Units)
	assert.Equal(t, 1, b.Summary.Count("evidence duplicate"))
	assert.Equal(t, 1982, b.Summary.Scorable)

	// What the file has, and the strict rule by its definition.
	histogram, inFile, unordered := make(map[int]int), 0, 0
	wellFormed := regexp.MustCompile(`^D(\d+):(\d+)$`)
	exists := make(map[string]bool)
	described := make(map[string]bool)
	session := make(map[string]string)
	position := make(map[string]int)
	for i, turn := range b.Scenario.Turns {
		exists[turn.ID] = true
		described[turn.ID] = strings.Contains(turn.Text, " (image description: ")
		session[turn.ID] = turn.Session
		position[turn.ID] = i
	}
	want := make(map[string][]string)
	for _, s := range source {
		for i, q := range s.QA {
			histogram[len(q.Evidence)]++
			inFile += len(q.Evidence)
			var order []int
			for _, e := range q.Evidence {
				if m := wellFormed.FindStringSubmatch(e); m != nil {
					session, _ := strconv.Atoi(m[1])
					turn, _ := strconv.Atoi(m[2])
					order = append(order, 1000*session+turn)
				}
			}
			if !slices.IsSorted(order) {
				unordered++
			}
			id := fmt.Sprintf("%s/qa%d", s.ID, i)
			for _, e := range q.Evidence {
				if turn := s.ID + "/" + e; exists[turn] && !slices.Contains(want[id], turn) {
					want[id] = append(want[id], turn)
				}
			}
		}
	}
	assert.Equal(t, 2815, inFile)
	assert.Equal(t, 110, unordered, "lists of well-formed ids, one of which dangles")
	assert.Equal(t, map[int]int{0: 4, 1: 1559, 2: 239, 3: 83, 4: 58, 5: 20, 6: 6, 7: 7, 8: 2, 9: 2, 10: 2, 11: 2, 17: 1, 19: 1}, histogram)
	for _, q := range strict.Scenario.Queries {
		assert.Equal(t, want[q.ID], turnsOf(q), q.ID)
	}

	// The survey counted sessions and images by the strict rule.
	for name, test := range map[string]struct {
		b    *scenarios.Benchmark
		want map[string]int
	}{
		"strict":     {strict, map[string]int{"several sessions 1": 268, "several sessions 4": 1, "unordered": 109, "image": 857}},
		"normalised": {b, map[string]int{"several sessions 1": 269, "several sessions 4": 1, "unordered": 112, "image": 861}},
	} {
		got := make(map[string]int)
		for _, q := range test.b.Scenario.Queries {
			turns := turnsOf(q)
			in := make(map[string]bool)
			for _, turn := range turns {
				in[session[turn]] = true
			}
			if len(in) > 1 && (q.Category == "1" || q.Category == "4") {
				got["several sessions "+q.Category]++
			}
			if !slices.IsSortedFunc(turns, func(a, b string) int { return position[a] - position[b] }) {
				got["unordered"]++
			}
			if slices.ContainsFunc(turns, func(turn string) bool { return described[turn] }) {
				got["image"]++
			}
		}
		assert.Equal(t, test.want, got, name)
	}

	repaired := make(map[string]string)
	var unscorable []string
	adversarial := 0
	for _, q := range b.Scenario.Queries {
		for _, u := range q.Evidence {
			if u.ID != "" {
				repaired[q.ID+" "+u.ID] = u.Turns[0]
			}
		}
		if len(q.Evidence) == 0 {
			unscorable = append(unscorable, q.ID+" "+q.Category)
		}
		if q.Category == "5" && len(q.Evidence) > 0 {
			adversarial++
		}
	}
	assert.Equal(t, map[string]string{"conv-43/qa18 D:11:26": "conv-43/D11:26", "conv-50/qa69 D30:05": "conv-50/D30:5"}, repaired)
	assert.Equal(t, []string{"conv-26/qa30 3", "conv-26/qa46 3", "conv-50/qa39 3", "conv-50/qa42 3"}, unscorable)
	assert.Equal(t, 446, adversarial)
	for _, query := range []string{"conv-26/qa37", "conv-49/qa31", "conv-49/qa38", "conv-49/qa46"} {
		i := slices.IndexFunc(b.Scenario.Queries, func(q tiaptest.Query) bool { return q.ID == query })
		assert.Greater(t, len(b.Scenario.Queries[i].Evidence), 1, query)
		assert.Empty(t, strict.Scenario.Queries[i].Evidence, query)
	}
}

func turnsOf(q tiaptest.Query) (turns []string) {
	for _, u := range q.Evidence {
		turns = append(turns, u.Turns...)
	}
	return turns
}

func conformMemories(t *testing.T, b, strict *scenarios.Benchmark, source locomoFile) {
	assert.Empty(t, cmp.Diff(b.System.Ingests[0].Memories, strict.System.Ingests[0].Memories), "evidence alone is read strictly")
	forms, links := make(map[string]int), make(map[string]int)
	observed, contained := make(map[string]bool), make(map[string]bool)
	for _, m := range b.System.Ingests[0].Memories {
		forms[m.Form]++
		assert.NotEmpty(t, m.Sources, m.ID)
		for _, l := range m.Sources {
			links[m.Form+" "+l.Precision]++
			switch m.Form {
			case "observation":
				observed[l.Turn] = true
			case "summary":
				contained[l.Turn] = true
			}
		}
	}
	assert.Equal(t, map[string]int{"raw": 5882, "observation": 2541, "summary": 272, "event": 669}, forms)
	assert.Len(t, observed, 2387)
	assert.Len(t, contained, 5882)
	assert.Equal(t, 5882, links["raw "])
	assert.Equal(t, 5882, links["summary container"])
	// 2,554 references, of which five strings pack two or three ids.
	assert.Equal(t, 2554+2+1+1+1+2, links["observation "])
	assert.Len(t, links, 4)

	refs := make(map[string]int)
	for _, s := range source {
		for _, bySpeaker := range s.Observation {
			for _, list := range bySpeaker {
				for _, o := range list {
					var several []string
					if json.Unmarshal(o[1], &several) == nil {
						refs[fmt.Sprintf("array of %d", len(several))]++
					} else {
						refs["string"]++
					}
				}
			}
		}
		refs["summary"] += len(s.Summary)
	}
	assert.Equal(t, map[string]int{"string": 2531, "array of 2": 8, "array of 3": 1, "array of 4": 1, "summary": 272}, refs)

	covered := 0
	for _, q := range strict.Scenario.Queries {
		if slices.ContainsFunc(turnsOf(q), func(turn string) bool { return observed[turn] }) {
			covered++
		}
	}
	assert.Equal(t, 1671, covered)
	assert.Equal(t, 306, strict.Summary.Scorable-covered)
}

// conformAudit scores an honest ranking of all memories of a conversation.
func conformAudit(t *testing.T, b *scenarios.Benchmark) {
	rank := bm25(b.System.Ingests[0].Memories)
	bundle := b.Bundle()
	bundle.Scenario.Headline = "canonical"
	for _, q := range b.Scenario.Queries {
		require.NoError(t, b.System.Ingests[0].Run.Add(tiaptest.Ranking{Query: q.ID, IDs: rank(q, 60)}))
	}
	a, err := tiaptest.Rescore(bundle)
	require.NoError(t, err)
	require.NoError(t, a.Verify(tiaptest.TargetsReported(), tiaptest.CompleteRuns(), tiaptest.Nested()))
	assert.Equal(t, 1977, a.Shared().N, "a summary descends from every turn")

	exact, err := tiaptest.Rescore(bundle, tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Exact(tiaptest.Canonical)), tiaptest.Headline(tiaptest.Raw))
	require.NoError(t, err)
	assert.Equal(t, 1671, exact.Shared().N, "an observation descends from its turns exactly")

	score := func(target tiaptest.Target) float64 {
		v, err := a.Score("locomo", target, tiaptest.Recall(60))
		require.NoError(t, err)
		return v
	}
	assert.GreaterOrEqual(t, score(tiaptest.Source), score(tiaptest.Raw))
	assert.GreaterOrEqual(t, score(tiaptest.Source), score(tiaptest.Canonical))
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		assert.Greater(t, score(target), 0.3, "%s: lexical search finds much", target)
		assert.Less(t, score(target), 1.0, target)
	}
}

// bm25 ranks the memories of a query's conversation by their words (k1 1.2, b
// 0.75), those of equal score by id, and leaves out those without a common word.
func bm25(memories []tiaptest.Memory) func(q tiaptest.Query, k int) []string {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	type posting struct{ memory, n int }
	index := make(map[string]map[string][]posting) // by scope and word
	size, total, length := make(map[string]int), make(map[string]int), make([]int, len(memories))
	for i, m := range memories {
		scope, _, _ := strings.Cut(m.ID, "/")
		if index[scope] == nil {
			index[scope] = make(map[string][]posting)
		}
		in := index[scope]
		for _, w := range words(m.Text) {
			length[i]++
			if p := in[w]; len(p) > 0 && p[len(p)-1].memory == i {
				p[len(p)-1].n++
			} else {
				in[w] = append(p, posting{i, 1})
			}
		}
		size[scope]++
		total[scope] += length[i]
	}
	return func(q tiaptest.Query, k int) []string {
		score := make(map[int]float64)
		n := float64(size[q.Scope])
		for _, w := range words(q.Text) {
			p := index[q.Scope][w]
			idf := math.Log(1 + (n-float64(len(p))+0.5)/(float64(len(p))+0.5))
			for _, p := range p {
				norm := 0.25 + 0.75*float64(length[p.memory])*n/float64(total[q.Scope])
				score[p.memory] += idf * float64(p.n) * 2.2 / (float64(p.n) + 1.2*norm)
			}
		}
		found := slices.SortedFunc(maps.Keys(score), func(a, b int) int {
			switch {
			case score[a] != score[b]:
				if score[a] > score[b] {
					return -1
				}
				return 1
			}
			return strings.Compare(memories[a].ID, memories[b].ID)
		})
		ids := []string{}
		for _, i := range found[:min(k, len(found))] {
			ids = append(ids, memories[i].ID)
		}
		return ids
	}
}
