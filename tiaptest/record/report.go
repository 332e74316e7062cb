package record

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
)

// Report says what happened during a recording, over all its ingests. It is not
// part of what is saved.
type Report struct {
	Queries int // queries, asked or not
	Resumed int // answered by an earlier recording that was interrupted
	Retries int // attempts beyond the first

	Failed []string // failed queries with their error, as "q1: no answer within 1m0s"
	Unlike []string // queries whose answer differed when they were asked again, and how

	Duplicates int // ids left out since their ranking had them at a better rank
	Long       int // rankings of more ids than asked for, kept whole
	Short      int // rankings of fewer ids than asked for
	WrongWay   int // rankings whose scores run against the declared order, kept as they are

	Afresh int // ingests begun anew, since an earlier recording was of another store
}

// String is a summary of a few lines, without what did not happen.
func (r Report) String() string {
	lines := []string{english.Count(r.Queries, "query", "queries")}
	add := func(n int, one, many string) {
		if n > 0 {
			lines = append(lines, english.Count(n, one, many))
		}
	}
	add(r.Resumed, "answer of an interrupted recording", "answers of an interrupted recording")
	add(r.Afresh, "ingest begun anew: the interrupted recording was of another store", "ingests begun anew: the interrupted recordings were of other stores")
	add(r.Retries, "further attempt", "further attempts")
	add(r.Duplicates, "id left out, which its ranking had before", "ids left out, which their rankings had before")
	add(r.Long, "ranking of more ids than asked for", "rankings of more ids than asked for")
	add(r.Short, "ranking of fewer ids than asked for", "rankings of fewer ids than asked for")
	add(r.WrongWay, "ranking whose scores run against the declared order", "rankings whose scores run against the declared order")
	add(len(r.Unlike), "query answered differently when asked again", "queries answered differently when asked again")
	lines = append(lines, some(r.Unlike)...)
	add(len(r.Failed), "query failed", "queries failed")
	return strings.Join(append(lines, some(r.Failed)...), "\n")
}

// some are the first few of a list, set in.
func some(texts []string) []string {
	const few = 5
	var out []string
	for i, s := range texts {
		if i == few {
			out = append(out, fmt.Sprintf("    and %d more", len(texts)-few))
			break
		}
		out = append(out, "    "+s)
	}
	return out
}
