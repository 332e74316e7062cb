package tiaptest

import (
	"fmt"
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/problem"
)

// bindRuns binds the runs to the queries.
func (f *frame) bindRuns(faults *problem.List) {
	for _, s := range f.compiled {
		var notes runNotes
		for n, in := range s.ingests {
			label := ""
			if len(s.ingests) > 1 {
				label = fmt.Sprintf(" (ingest %d)", n+1)
			}
			strangers, what, mend := f.bindRun(in)
			if what == "" {
				notes.add(f, in, strangers, label)
				continue
			}
			if in.origin.run == "" {
				what = "system " + s.Name + ": " + what
			}
			faults.Add(in.origin.run, 0, what, mend)
		}
		notes.tell(f, s.Name)
		for t, missing := range s.unlinked {
			if missing {
				f.notes = append(f.notes, diagnostic{Kind: "unavailable", System: s.Name,
					Text: fmt.Sprintf("target %s is unavailable: the store has no lineage for it", f.targets[t])})
			}
		}
	}
}

// bindRun binds one run. It returns the ids, ascending, of ranked queries that the
// scenario does not have, or what is wrong with the run as a whole.
func (f *frame) bindRun(in *compiledIngest) (strangers []string, what, mend string) {
	run := &in.Run
	if run.Len() == 0 {
		return nil, "the run has no ranking", "save at least one ranking"
	}
	in.merge = mergers[f.settings.merge]
	strangers = in.bindQueries(f)
	if len(strangers) == run.Len() {
		return nil, fmt.Sprintf("none of the %d query ids of the run is in the scenario (%q against %q)",
			run.Len(), run.rows[0].query, f.bundle.Scenario.Queries[0].ID), "the two files use different query ids; export them from one run"
	}
	unknown, first, known := in.countUnknown()
	if in.unknown = unknown; unknown > 0 && !known {
		what, mend = f.disjoint(in, first)
		return nil, what, mend
	}
	return strangers, "", ""
}

// countUnknown counts the distinct ids that the run ranks and that no memory has, or that
// are not judged. When there are some, first is the one that the run named first, and
// known says whether it ranks others.
func (in *compiledIngest) countUnknown() (unknown int, first uint32, known bool) {
	const isKnown, isCounted = 1, 2
	marks := make([]uint8, in.Run.ids.Len())
	n := 0
	for _, sym := range in.symbols {
		if sym >= 0 {
			marks[sym] = isKnown
			n++
		}
	}
	if n == len(marks) {
		return 0, 0, true
	}
	first = math.MaxUint32
	// The run may rank some ids of its table nowhere: those of the store that was read
	// before it, or of a copy of the run.
	for i := range in.Run.rows {
		for _, h := range in.Run.rows[i].hits {
			switch marks[h] {
			case isKnown:
				known = true
			case 0:
				marks[h] = isCounted
				unknown++
				first = min(first, h)
			}
		}
	}
	return unknown, first, known
}

// runNotes is what is noticed about the runs of a system.
type runNotes struct {
	absent, failed, short, long, ascending names // queries
	strangers                              names // ranked queries that the scenario does not have
	unknown                                int   // ids that the stores do not have, or that are not judged
}

// add adds what is noticed about one run. The label stands behind query ids.
func (n *runNotes) add(f *frame, in *compiledIngest, strangers []string, label string) {
	n.unknown += in.unknown
	for _, id := range strangers {
		n.strangers.add(id + label)
	}
	for q, row := range in.rowOf {
		add := func(to *names) { to.add(f.queries[q].ID + label) }
		if row < 0 {
			add(&n.absent)
			continue
		}
		ranking := &in.Run.rows[row]
		switch {
		case ranking.failure != "":
			add(&n.failed)
		case f.isShort(in, row):
			add(&n.short)
		}
		if ranking.isLong() {
			add(&n.long)
		}
		if ranking.ascends() {
			add(&n.ascending)
		}
	}
}

// tell adds the notes to those of the audit.
func (n *runNotes) tell(f *frame, system string) {
	f.note("absent", system, n.absent, "query is absent from the run and counts as 0", "queries are absent from the run and count as 0")
	f.note("failed", system, n.failed, "query failed and counts as 0", "queries failed and count as 0")
	f.note("short-ranking", system, n.short, "ranking is shorter than the depth although the store holds more", "rankings are shorter than the depth although the store holds more")
	f.note("long-ranking", system, n.long, "ranking has more ids than the k that it states", "rankings have more ids than the k that they state")
	f.note("ascending-scores", system, n.ascending, "ranking has scores that ascend, as distances do; its order is kept", "rankings have scores that ascend, as distances do; their order is kept")
	f.note("unknown-query", system, n.strangers, "ranked query is not in the scenario", "ranked queries are not in the scenario")
	if n.unknown == 0 {
		return
	}
	text := english.Count(n.unknown, "ranked id is not in its store; it descends from nothing", "ranked ids are not in its store; they descend from nothing")
	if f.bundle.judged != nil {
		text = english.Count(n.unknown, "ranked id is not judged", "ranked ids are not judged")
	}
	f.notes = append(f.notes, diagnostic{Kind: "unknown-ids", System: system, Text: text})
}

// bindQueries finds the ranking of each query. It returns the ids, ascending, of ranked
// queries that the scenario does not have.
func (in *compiledIngest) bindQueries(f *frame) (others []string) {
	scenario := f.bundle.Scenario.Queries
	rows := make([]int32, len(scenario))
	parallel.Stripes(len(rows), func(from, end int) {
		in.Run.queries.SymbolsOfStrings(func(i int) string { return scenario[from+i].ID }, rows[from:end])
	})
	known := make([]bool, in.Run.Len())
	for n, row := range rows {
		switch {
		case row >= int32(len(known)): // of a copy of the run
			rows[n] = -1
		case row >= 0:
			known[row] = true
		}
	}
	in.rowOf = make([]int32, len(f.queries))
	for q, n := range f.numbers {
		in.rowOf[q] = rows[n]
	}
	for row, known := range known {
		if !known {
			others = append(others, in.Run.rows[row].query)
		}
	}
	slices.Sort(others)
	return others
}

// disjoint says that no ranked id is known, the first for instance.
func (f *frame) disjoint(in *compiledIngest, first uint32) (what, mend string) {
	where, other := "in the store", ""
	mend = "the two use different id spaces; save rankings with the ids that the store was exported with"
	if in.store != nil {
		other = in.Memories[0].ID
	} else {
		where = "among the judged ids"
		mend = "the two use different id spaces; export them from one collection"
		other = f.bundle.judged.ids.String(0)
	}
	return fmt.Sprintf("not one of the %d ids of the run is %s (%q against %q)", in.unknown, where, in.Run.ids.String(first), other), mend
}

// isShort reports a ranking that ends before the depth (or before the k that
// was asked for) while the store holds more. Of lists the merged one counts.
func (f *frame) isShort(in *compiledIngest, row int32) bool {
	if in.store == nil {
		return false
	}
	want := f.depth
	if k := in.Run.rows[row].k; k > 0 {
		want = min(want, k)
	}
	return len(in.ranked(row)) < min(want, len(in.Memories))
}
