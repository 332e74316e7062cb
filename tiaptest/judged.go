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

// scorable reports whether the i-th query has anything to score by; rows are those of
// the queries in each of the sets. A judged TREC query is scorable even when nothing is
// relevant: it then scores 0, as in trec_eval.
func (j *judgements) scorable(rows [][]int32, i int) bool {
	for n, set := range j.sets {
		if row := rows[n][i]; row >= 0 && (j.trec || len(set.Docs[row]) > 0) {
			return true
		}
	}
	return false
}

// rows returns, for each set, the rows of queries in it, -1 for those that it does
// not speak of. The queries are given by their numbers, ascending by id.
func (j *judgements) rows(queries []Query, order []int32) [][]int32 {
	all := make([][]int32, len(j.sets))
	for n, set := range j.sets {
		rows := make([]int32, len(order))
		row := 0
		for i, q := range order {
			id := queries[q].ID
			for row < len(set.Queries) && set.Queries[row] < id {
				row++
			}
			rows[i] = -1
			if row < len(set.Queries) && set.Queries[row] == id {
				rows[i] = int32(row)
			}
		}
		all[n] = rows
	}
	return all
}
