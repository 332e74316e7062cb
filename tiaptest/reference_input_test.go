package tiaptest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// input is what the files of an audit say. The slow readers make it, which share
// nothing with the package but the shapes of a query, a memory and a ranking.
type input struct {
	queries  []tiaptest.Query
	turns    stringSet // of the conversation; empty where it is not there
	subjects []*subject

	// Of judged input, in place of evidence and stores.
	judged     map[string]map[string]map[string]int // target, query, id: grade
	unspoken   stringSet                            // targets that no record speaks of
	level      int
	judgedOnly bool
	trec       bool
}

// subject is a system.
type subject struct {
	Name, Family string
	Ingests      []*stored
}

// stored is an ingest.
type stored struct {
	Memories []tiaptest.Memory
	Rankings map[string]tiaptest.Ranking // by query
}

// files are plain files by name.
type files map[string][]byte

// objects decodes the lines of a file. Members that are null are not there.
func (f files) objects(name string) (out []map[string]any) {
	text := strings.TrimPrefix(string(f[name]), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			panic(fmt.Sprintf("%s: %v in %s", name, err, line))
		}
		out = append(out, o)
	}
	return out
}

// texts are the strings in a list.
func texts(list any) (out []string) {
	elements, _ := list.([]any)
	for _, e := range elements {
		out = append(out, e.(string))
	}
	return out
}

// text is a string, empty where there is none.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// first is the first string that there is.
func first(values ...any) string {
	for _, v := range values {
		if s := text(v); s != "" {
			return s
		}
	}
	return ""
}

// bundle reads the files of a bundle.
func (f files) bundle() *input {
	in := &input{turns: stringSet{}}
	for _, o := range f.objects("queries.jsonl") {
		q := tiaptest.Query{ID: first(o["id"], o["query_id"]), Category: text(o["category"]), Time: text(o["time"])}
		evidence, _ := o["evidence"].([]any)
		for _, e := range evidence {
			if turn, ok := e.(string); ok {
				q.Evidence = append(q.Evidence, tiaptest.Unit{Turns: []string{turn}})
			} else {
				q.Evidence = append(q.Evidence, tiaptest.Unit{Turns: texts(e.(map[string]any)["turns"])})
			}
		}
		in.queries = append(in.queries, q)
	}
	for _, o := range f.objects("turns.jsonl") {
		in.turns[text(o["id"])] = true
	}
	var stores []string
	for name := range f {
		if path.Base(name) == "store.jsonl" {
			stores = append(stores, path.Dir(name))
		}
	}
	sort.Strings(stores) // a system's own store before those of its repeats
	byName := map[string]*subject{}
	for _, dir := range stores {
		name := strings.Split(dir, "/")[1]
		if byName[name] == nil {
			byName[name] = &subject{Name: name}
			for _, o := range f.objects("systems/" + name + "/system.json") {
				byName[name].Family = text(o["family"])
			}
			in.subjects = append(in.subjects, byName[name])
		}
		byName[name].Ingests = append(byName[name].Ingests, &stored{f.memories(dir + "/store.jsonl"), f.rankings(dir + "/run.jsonl")})
	}
	return in
}

func (f files) memories(name string) (out []tiaptest.Memory) {
	for _, o := range f.objects(name) {
		m := tiaptest.Memory{
			ID: text(o["id"]), Form: text(o["form"]), Parents: texts(o["parents"]), Status: text(o["status"]),
			ValidFrom: text(o["valid_from"]), ValidTo: text(o["valid_to"]), NotServing: o["serving"] == false,
		}
		sources, _ := o["sources"].([]any)
		for _, s := range sources {
			if turn, ok := s.(string); ok {
				m.Sources = append(m.Sources, tiaptest.Link{Turn: turn})
			} else {
				l := s.(map[string]any)
				m.Sources = append(m.Sources, tiaptest.Link{Turn: text(l["turn"]), Precision: text(l["precision"]), Origin: text(l["origin"])})
			}
		}
		out = append(out, m)
	}
	return out
}

func (f files) rankings(name string) map[string]tiaptest.Ranking {
	out := map[string]tiaptest.Ranking{}
	for _, o := range f.objects(name) {
		k := tiaptest.Ranking{Query: first(o["query"], o["query_id"]), IDs: texts(o["ranking"]), Error: text(o["error"])}
		if n, ok := o["k"].(float64); ok {
			k.K = int(n)
		}
		lists, _ := o["lists"].(map[string]any)
		for name, ids := range lists {
			k.Lists = append(k.Lists, tiaptest.List{Name: name, IDs: texts(ids)})
		}
		out[k.Query] = k
	}
	return out
}

// mtelmem reads MTEL-Mem's records and traces.
func (f files) mtelmem(records string, traces ...string) *input {
	members := map[string]string{"raw": "raw_ids", "source": "source_ids", "canonical": "canonical_ids"}
	in := &input{judged: map[string]map[string]map[string]int{}, unspoken: stringSet{}, level: 1}
	for target := range members {
		in.judged[target], in.unspoken[target] = map[string]map[string]int{}, true
	}
	withText := map[string][]string{} // text: ids of queries
	for _, o := range f.objects(records) {
		q := tiaptest.Query{ID: text(o["query_id"]), Category: text(o["category"]), Text: text(o["query_text"])}
		if n, ok := o["category"].(float64); ok {
			q.Category = strconv.Itoa(int(n))
		}
		in.queries = append(in.queries, q)
		withText[q.Text] = append(withText[q.Text], q.ID)
		for target, member := range members {
			in.judged[target][q.ID] = map[string]int{}
			if o[member] == nil {
				continue
			}
			delete(in.unspoken, target)
			for _, id := range texts(o[member]) {
				in.judged[target][q.ID][id] = 1
			}
		}
	}
	for _, name := range traces {
		systems := map[string]map[string]map[int]string{} // system, query, rank: id
		put := func(system, query string, rank int, id string) {
			if system == "" {
				system = strings.TrimSuffix(name, ".jsonl")
			}
			if systems[system] == nil {
				systems[system] = map[string]map[int]string{}
			}
			if systems[system][query] == nil {
				systems[system][query] = map[int]string{}
			}
			if rank > 0 {
				systems[system][query][rank] = id
			}
		}
		for _, o := range f.objects(name) {
			if id := text(o["retrieved_id"]); id != "" {
				put(text(o["system"]), text(o["query_id"]), int(o["rank"].(float64)), id)
				continue
			}
			query := text(o["query_id"])
			if at := withText[text(o["query"])]; query == "" && len(at) == 1 && text(o["query"]) != "" {
				query = at[0]
			}
			if query == "" {
				query = in.queries[int(o["query_index"].(float64))-1].ID
			}
			ids := texts(o["returned_ids_topk"])
			if o["returned_ids_full"] != nil {
				ids = texts(o["returned_ids_full"])
			}
			put(text(o["system"]), query, 0, "")
			for i, id := range ids {
				put(text(o["system"]), query, i+1, id)
			}
		}
		for system, queries := range systems {
			s := &subject{Name: system, Ingests: []*stored{{Rankings: map[string]tiaptest.Ranking{}}}}
			for query, hits := range queries {
				k := tiaptest.Ranking{Query: query}
				for rank := 1; len(hits) > 0; rank++ {
					if id, ok := hits[rank]; ok {
						k.IDs = append(k.IDs, id)
						delete(hits, rank)
					}
				}
				s.Ingests[0].Rankings[query] = k
			}
			in.subjects = append(in.subjects, s)
		}
	}
	return in
}

// columns splits the lines of a TREC file.
func (f files) columns(name string) (out [][]string) {
	text := strings.TrimPrefix(string(f[name]), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\v\f\r", r) })
		if len(fields) > 0 {
			out = append(out, fields)
		}
	}
	return out
}

// trec reads qrels and runs as trec_eval does.
func (f files) trec(qrels, runs map[string]string, byRank bool) *input {
	in := &input{judged: map[string]map[string]map[string]int{}, trec: true}
	queries := stringSet{}
	for target, name := range qrels {
		in.judged[target] = map[string]map[string]int{}
		for _, line := range f.columns(name) {
			grade, err := strconv.Atoi(line[3])
			if err != nil {
				panic(err)
			}
			if in.judged[target][line[0]] == nil {
				in.judged[target][line[0]] = map[string]int{}
			}
			in.judged[target][line[0]][line[2]] = grade
			queries[line[0]] = true
		}
	}
	for q := range queries {
		in.queries = append(in.queries, tiaptest.Query{ID: q})
	}
	for system, name := range runs {
		type hit struct {
			id    string
			rank  int
			score float64
		}
		hits := map[string][]hit{}
		for _, line := range f.columns(name) {
			rank, _ := strconv.Atoi(line[3])
			score, err := strconv.ParseFloat(line[4], 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(score) { // too large is infinite
				panic(fmt.Sprint(line, err))
			}
			hits[line[0]] = append(hits[line[0]], hit{line[2], rank, score})
		}
		s := &subject{Name: system, Ingests: []*stored{{Rankings: map[string]tiaptest.Ranking{}}}}
		for query, hits := range hits {
			sort.Slice(hits, func(i, j int) bool {
				switch {
				case byRank:
					return hits[i].rank < hits[j].rank
				case hits[i].score != hits[j].score:
					return hits[i].score > hits[j].score
				}
				return hits[i].id > hits[j].id
			})
			k := tiaptest.Ranking{Query: query}
			for _, h := range hits {
				k.IDs = append(k.IDs, h.id)
			}
			s.Ingests[0].Rankings[query] = k
		}
		in.subjects = append(in.subjects, s)
	}
	return in
}

// ids are all ids that are judged for some query under some target.
func (in *input) judgedIDs() stringSet {
	all := stringSet{}
	for _, queries := range in.judged {
		for _, ids := range queries {
			for id := range ids {
				all[id] = true
			}
		}
	}
	return all
}

// string writes the files down for a failing test.
func (f files) String() string {
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	var w strings.Builder
	for _, name := range names {
		fmt.Fprintf(&w, "%s:\n", name)
		for line := range strings.SplitSeq(string(f[name]), "\n") {
			fmt.Fprintf(&w, "    %.2000q\n", line)
		}
	}
	return w.String()
}
