package tiaptest

import (
	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/trec"
)

// judgements are relevance sets given per query and target in place of stores
// and evidence: TREC qrels or MTEL-Mem records. They carry no evidence units.
type judgements struct {
	format     string
	targets    []Target
	ids        intern.Table  // of all sets
	sets       []*trec.Qrels // one per target
	missing    []bool        // targets that the input does not speak of at all
	level      int32
	judgedOnly bool
	trec       bool // populations judged and matched exist
}

// scorable reports for each of the queries, which ascend by id, whether it has
// anything to score by. A judged TREC query is scorable even when nothing is
// relevant: it then scores 0, as in trec_eval.
func (j *judgements) scorable(queries []*Query) []bool {
	out := make([]bool, len(queries))
	for _, s := range j.sets {
		for i, row := range rowsOf(s, len(queries), func(i int) string { return queries[i].ID }) {
			if row >= 0 && (j.trec || len(s.Docs[row]) > 0) {
				out[i] = true
			}
		}
	}
	return out
}

// rowsOf returns the rows of n queries in a set, -1 for those that it does not
// speak of. The queries ascend by id.
func rowsOf(set *trec.Qrels, n int, id func(i int) string) []int32 {
	rows := make([]int32, n)
	row := 0
	for i := range rows {
		for row < len(set.Queries) && set.Queries[row] < id(i) {
			row++
		}
		rows[i] = -1
		if row < len(set.Queries) && set.Queries[row] == id(i) {
			rows[i] = int32(row)
		}
	}
	return rows
}
