package tiaptest_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// study is a random study with judgements in place of stores.
type study struct {
	queries []tiaptest.Query
	targets []string
	grades  map[string]map[string]map[string]int // target, query, id
	systems []string
	ranked  map[string]map[string][]scoredID // system, query: best first; none where absent
}

type scoredID struct {
	id    string
	score string
}

// equalScores are numbers in their spellings; those of a row are equal as float64,
// and no two rows are.
var equalScores = [][]string{
	{"1", "1.0", "+1", "1e0", "0x1p0", "10e-1", "1."}, {"0.5", ".5", "5e-1", "0x1p-1"}, {"0", "-0", "0.0", "-0e5"}, {"-1", "-1.00"},
	{"2", "0.2e1"}, {"0.3"}, {"0.30000000000000004"}, {"16777216"}, {"16777217"}, {"inf", "+Infinity", "1e999"}, {"-inf"}, {"1e-320"},
	{"9007199254740993", "9007199254740992"}, {"12.250000", "12.25"},
}

// drawStudy draws a small study. Its first query is judged under the first
// target, and each run ranks an id that is judged.
func drawStudy(t *rapid.T, targets []string) study {
	j := study{
		targets: someOf(t, targets, 1, 3, "targets"), systems: someOf(t, []string{"A", "B", "C"}, 1, 3, "systems"),
		grades: map[string]map[string]map[string]int{}, ranked: map[string]map[string][]scoredID{},
	}
	queries := rapid.IntRange(1, 5).Draw(t, "queries")
	if chance(t, 3, "many queries") {
		queries = rapid.IntRange(60, 140).Draw(t, "queries")
	}
	for i, id := range rapid.Permutation([]string{"q1", "q2", "q10", "Q3", "é"}).Draw(t, "query ids")[:min(queries, 5)] {
		j.queries = append(j.queries, tiaptest.Query{ID: id, Category: oneOf(t, "category", "", "1", "2"), Text: oneOf(t, "text", "", "Who?", "What?", fmt.Sprint("Where ", i))})
	}
	ids := []string{"d0", "d1", "d2", "d3", "d10", "D", "é"}
	for i, target := range j.targets {
		j.grades[target] = map[string]map[string]int{}
		for n, q := range j.queries {
			if n == 0 && i == 0 || chance(t, 80, "judged query") {
				j.grades[target][q.ID] = map[string]int{}
				for _, id := range someOf(t, ids, 1, len(ids), "judged") {
					j.grades[target][q.ID][id] = oneOf(t, "grade", 1, 1, 0, -1, 2, 3)
				}
			}
		}
		if len(j.grades[target]) == 0 {
			j.grades[target][j.queries[0].ID] = map[string]int{ids[0]: 1}
		}
	}
	j.grades[j.targets[0]][j.queries[0].ID][ids[0]] = 1
	for _, system := range j.systems {
		j.ranked[system] = map[string][]scoredID{}
		for n, q := range j.queries {
			if n > 0 && chance(t, 20, "absent") {
				continue
			}
			scores := equalScores
			if chance(t, 50, "ties") {
				scores = someOf(t, equalScores, 1, 3, "scores")
			}
			ranked := someOf(t, slices.Concat(ids, []string{"x1", "x2"}), 1, 9, "ranked")
			if n == 0 && !slices.Contains(ranked, ids[0]) {
				ranked = append(ranked, ids[0])
			}
			for _, id := range ranked {
				j.ranked[system][q.ID] = append(j.ranked[system][q.ID], scoredID{id, oneOf(t, "spelling", oneOf(t, "score", scores...)...)})
			}
		}
	}
	for len(j.queries) < queries {
		j.repeat(len(j.queries))
	}
	if chance(t, 2, "deep") {
		j.deepen(rapid.IntRange(100, 1100).Draw(t, "further ids"))
	}
	return j
}

// repeat adds a query that is like one before, with rotated rankings.
func (j *study) repeat(n int) {
	q := j.queries[n%5%len(j.queries)]
	like := q.ID
	q.ID = fmt.Sprintf("%s.%d", like, n)
	j.queries = append(j.queries, q)
	for _, target := range j.targets {
		if grades, ok := j.grades[target][like]; ok {
			j.grades[target][q.ID] = grades
		}
	}
	for _, system := range j.systems {
		if hits := j.ranked[system][like]; len(hits) > 0 {
			by := n % len(hits)
			j.ranked[system][q.ID] = slices.Concat(hits[by:], hits[:by])
		}
	}
}

// deepen puts n ids before those of the first query, and judges every second one.
func (j *study) deepen(n int) {
	q := j.queries[0].ID
	var further []scoredID
	for i := range n {
		id := fmt.Sprint("f", i)
		further = append(further, scoredID{id, "1e9"})
		if i%2 == 1 || n > 1000 {
			j.grades[j.targets[0]][q][id] = 1 + i%2
		}
	}
	for _, system := range j.systems {
		j.ranked[system][q] = slices.Concat(further, j.ranked[system][q])
	}
}

// plan draws settings for a study.
func (j *study) plan(t *rapid.T, populations ...string) plan {
	p := plan{
		Depth: rapid.IntRange(1, 8).Draw(t, "depth"), Metrics: drawMetrics(t, 1, 4), MinEffect: oneOf(t, "min effect", 1e-9, 0.0371),
		Credit: "memory", Uncovered: "dropped", Merge: "rrf", Population: oneOf(t, "population", populations...), Targets: slices.Clone(j.targets),
	}
	if len(j.targets) > 1 && chance(t, 40, "headline") {
		p.Targets = someOf(t, j.targets, 1, len(j.targets), "chosen targets")
		p.Headline = oneOf(t, "headline target", p.Targets...)
		for _, target := range j.targets {
			if !slices.Contains(p.Targets, target) {
				p.Beside = append(p.Beside, target)
			}
		}
	}
	if chance(t, 15, "some systems") {
		p.Systems = someOf(t, j.systems, 1, len(j.systems), "chosen systems")
	}
	p.deepen(t, len(j.ranked[j.systems[0]][j.queries[0].ID]))
	return p
}

// deepen sets depth and cuts for rankings of that length, if it is a large one.
func (p *plan) deepen(t *rapid.T, length int) {
	if length < 100 {
		return
	}
	p.Depth = rapid.IntRange(length-20, length+5).Draw(t, "depth")
	p.Metrics = append(p.Metrics, fmt.Sprintf("ndcg@%d", rapid.IntRange(length-20, length).Draw(t, "k")))
}

// trec writes the files of qrels and runs. The plain ones are for the slow reader.
func (j *study) trec(s *spelling, byRank bool) (plain files, qrels, runs map[string]string) {
	plain, qrels, runs = files{}, map[string]string{}, map[string]string{}
	for _, target := range j.targets {
		var rows [][]string
		for _, q := range slices.Sorted(maps.Keys(j.grades[target])) {
			for _, id := range slices.Sorted(maps.Keys(j.grades[target][q])) {
				grade := fmt.Sprint(j.grades[target][q][id])
				if grade[0] != '-' && s.oneIn(5) {
					grade = []string{"+", "00"}[s.IntN(2)] + grade
				}
				rows = append(rows, []string{s.column(q), "0", s.column(id), grade})
			}
		}
		qrels[target] = "qrels." + target
		plain[qrels[target]] = s.columns(rows)
	}
	for _, system := range j.systems {
		var rows [][]string
		for _, q := range slices.Sorted(maps.Keys(j.ranked[system])) {
			rank := 0
			for _, h := range j.ranked[system][q] {
				if rank++; s.oneIn(4) {
					rank += s.IntN(1000)
				}
				row := []string{s.column(q), "Q0", s.column(h.id), fmt.Sprint(rank), h.score, "tag"}
				if !byRank && s.oneIn(9) {
					row[3] = "0"
				}
				if s.oneIn(9) {
					row = append(row, "more")
				}
				rows = append(rows, row)
			}
		}
		runs[system] = "run." + system
		plain[runs[system]] = s.columns(rows)
	}
	return plain, qrels, runs
}

// mtelmem writes records and traces. Some targets stand in no record.
func (j *study) mtelmem(s *spelling) (plain files, records string, traces []string) {
	plain, records = files{}, "records.jsonl"
	var lines []members
	withText := map[string]int{}
	for _, q := range j.queries {
		withText[q.Text]++
	}
	for _, q := range j.queries {
		line := members{{"query_id", s.name(q.ID)}}
		line = s.optional(line, "query_text", q.Text)
		if q.Category != "" && s.oneIn(2) {
			line = append(line, member{"category", int(q.Category[0] - '0')})
		} else {
			line = s.optional(line, "category", q.Category)
		}
		for _, target := range j.targets {
			var ids []string
			for _, id := range slices.Sorted(maps.Keys(j.grades[target][q.ID])) {
				if j.grades[target][q.ID][id] >= 0 {
					ids = append(ids, id)
				}
				if s.oneIn(20) && len(ids) > 0 {
					ids = append(ids, ids[s.IntN(len(ids))]) // an id twice counts once
				}
			}
			if len(ids) > 0 || !s.oneIn(3) {
				line = append(line, member{target + "_ids", s.names(ids)})
			} else if s.oneIn(2) {
				line = append(line, member{target + "_ids", nil})
			}
		}
		lines = append(lines, line)
	}
	plain[records] = s.lines(lines)

	together := s.oneIn(2) // in one trace; else the files name the systems, or the lines too
	named := together || s.oneIn(3)
	lines = nil
	for n, system := range j.systems {
		for i, q := range j.queries {
			hits, ok := j.ranked[system][q.ID]
			if !ok {
				continue
			}
			var of members
			if named {
				of = members{{"system", system}}
			}
			if s.oneIn(5) { // as the paper's own traces
				lines = append(lines, append(of, j.paperLine(s, i, hits, withText[q.Text] == 1)...))
				continue
			}
			rank := 0
			for _, h := range hits {
				if rank++; s.oneIn(9) {
					rank += s.IntN(5)
				}
				line := append(slices.Clone(of), member{"query_id", s.name(q.ID)}, member{"retrieved_id", s.name(h.id)}, member{"rank", rank})
				if !s.oneIn(3) {
					line = append(line, member{"score", 1 / float64(rank)})
				}
				lines = append(lines, line)
			}
		}
		if together && n < len(j.systems)-1 {
			continue
		}
		if s.oneIn(3) {
			s.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		traces = append(traces, system+".jsonl")
		plain[system+".jsonl"] = s.lines(lines)
		lines = nil
	}
	return plain, records, traces
}

// paperLine is a ranking on one line, of a query that is given by id, text or
// position.
func (j *study) paperLine(s *spelling, query int, hits []scoredID, byText bool) (line members) {
	q := j.queries[query]
	switch {
	case s.oneIn(3):
		line = members{{"query_id", s.name(q.ID)}}
	case byText && q.Text != "" && s.oneIn(2):
		line = members{{"query", q.Text}}
	default:
		line = members{{"query_index", query + 1}}
		if s.oneIn(2) {
			line = s.optional(line, "query", q.Text)
		}
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.id)
	}
	whole := s.oneIn(2)
	if whole {
		line = append(line, member{"returned_ids_full", s.names(ids)})
		ids = ids[:len(ids)/2]
	}
	if !whole || s.oneIn(2) {
		line = append(line, member{"returned_ids_topk", s.names(ids)})
	}
	return line
}
