package tiaptest

import (
	"bytes"
	"errors"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/problem"
)

// frame is the audited part of a bundle as integers: queries ascending by id
// with their evidence units, the targets, and the systems ascending by name.
type frame struct {
	*settings
	bundle     *Bundle
	targets    []Target // the main targets, then those beside
	main       int      // number of main targets
	queries    []*Query // scorable
	numbers    []int32  // of these queries in the scenario
	unscorable int
	units      lineage.Table[int32] // unit -> turns
	unitIDs    []string             // beside units
	firstUnit  []int32              // of each query; one more at the end
	inSets     [][]int32            // judged input: [set][query] -> row, -1 for none; what is beyond the queries means nothing
	rows       [][]int32            // likewise: [target][query]
	compiled   []*compiled
	digests    func() digests   // waits for them; see begun
	holdings   func() []holding // likewise, beside compiled
	turns      *intern.Table    // their ids; complete after bind
	given      int              // so many turns, the first ones, are the scenario's; 0 when it lists none, and any turn may be named
	asked      []int64          // when each query is asked; nil unless a target needs it
	notes      []diagnostic
}

// compiled is one system ready for scoring.
type compiled struct {
	*System
	ingests  []*compiledIngest
	unlinked []bool // per target: some store has no lineage for it
}

type compiledIngest struct {
	*Ingest
	system  string
	store   *store  // nil for judged input
	symbols []int32 // memory, or judged id -> symbol in the run's ids, -1 when the run's ids lack it
	rowOf   []int32 // query -> ranking, -1 when absent
	valid   []span  // of each memory; nil unless a target needs it
	unknown int     // distinct ranked ids that no memory has
	merge   func([][]uint32) []uint32
}

func compile(b *Bundle, s *settings) (*frame, error) {
	if err := b.whole(); err != nil {
		return nil, err
	}
	f := &frame{settings: s, bundle: b}
	settingsErr := errors.Join(f.chooseTargets(), f.chooseSystems(), f.completeSettings())
	f.digests = begun(f.makeDigests)
	if err := f.bind(settingsErr); err != nil {
		f.digests() // nobody else waits for them
		return nil, err
	}
	f.holdings = begun(f.makeHoldings)
	return f, nil
}

// turn is the id of a turn.
func (f *frame) turn(n int32) string { return f.turns.String(uint32(n)) }

// compareTurns compares two turns by their ids.
func (f *frame) compareTurns(a, b int32) int {
	return bytes.Compare(f.turns.Bytes(uint32(a)), f.turns.Bytes(uint32(b)))
}

// wait ends when nothing reads the bundle any more that has begun beside the audit.
func (f *frame) wait() {
	f.digests()
	f.holdings()
}

// bind checks the bundle and makes integers of it. Faults of the bundle are reported
// with those of the settings.
func (f *frame) bind(settingsErr error) error {
	var faults problem.List
	var turns intern.Table
	f.bundle.Scenario.checkTurns(&turns, &faults)
	faults.Append(&f.bundle.problems)
	for _, s := range f.bundle.Systems {
		faults.Append(&s.problems)
	}
	f.given = turns.Len()
	resolve := f.checkStores()
	f.chooseQueries(&turns, &faults)
	resolve(&turns, &faults)
	if err := errors.Join(faults.Err(), settingsErr); err != nil {
		return err
	}
	f.turns = &turns
	f.bindTargets(turns.Len(), &faults)
	f.bindTimes(&faults)
	f.bindRuns(&faults)
	return faults.Err()
}
