package tiaptest

import (
	"slices"

	"github.com/tiaptest/tiap/internal/trec"
)

// judgements are relevance sets given per query and target in place of stores
// and evidence: TREC qrels or MTEL-Mem records. They carry no evidence units.
type judgements struct {
	format     string
	targets    []Target
	sets       []*trec.Qrels // one per target
	missing    []bool        // targets that the input does not speak of at all
	level      int32
	judgedOnly bool
	trec       bool // populations judged and matched exist
}

// at returns the judgements of a query under a target; ok is false where the
// set does not speak of the query.
func (j *judgements) at(target, row int) (docs []string, grades []int32, ok bool) {
	if row < 0 {
		return nil, nil, false
	}
	s := j.sets[target]
	return s.Docs[s.Start[row]:s.Start[row+1]], s.Grades[s.Start[row]:s.Start[row+1]], true
}

// scorable reports whether a query has anything to score by. A judged TREC
// query is scorable even when nothing is relevant: it then scores 0, as in
// trec_eval.
func (j *judgements) scorable(q *Query) bool {
	for _, s := range j.sets {
		row, ok := slices.BinarySearch(s.Queries, q.ID)
		if ok && (j.trec || s.Start[row+1] > s.Start[row]) {
			return true
		}
	}
	return false
}
