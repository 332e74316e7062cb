package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
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
	turnNames  []string
	given      int     // so many turns, the first ones, are the scenario's; 0 when it lists none, and any turn may be named
	asked      []int64 // when each query is asked; nil unless a target needs it
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
	symbols []int32 // memory, or judged id -> symbol in the run's ids, -1 when never ranked
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
	settingsErr := errors.Join(f.chooseTargets(), f.chooseSystems(), f.checkSettings())
	f.digests = begun(f.makeDigests)
	if err := f.bind(settingsErr); err != nil {
		f.digests() // nobody else waits for them
		return nil, err
	}
	f.holdings = begun(f.makeHoldings)
	return f, nil
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
	faults.Append(&f.bundle.problems)
	for _, s := range f.bundle.Systems {
		faults.Append(&s.problems)
	}
	given := f.bundle.Scenario.Turns
	var turns intern.Table
	turns.Expect(len(given))
	for i := range given {
		turns.AddString(given[i].ID)
	}
	f.given = turns.Len()
	resolve := f.checkStores()
	f.chooseQueries(&turns, &faults)
	resolve(&turns, &faults)
	if err := errors.Join(faults.Err(), settingsErr); err != nil {
		return err
	}
	f.turnNames = make([]string, 0, turns.Len())
	for i := range turns.Len() {
		f.turnNames = append(f.turnNames, turns.String(uint32(i)))
	}
	f.bindTargets(turns.Len(), &faults)
	f.bindTimes(&faults)
	f.bindRuns(&faults)
	return faults.Err()
}

func (f *frame) chooseTargets() error {
	chosen := f.settings.targets
	j := f.bundle.judged
	if chosen == nil {
		chosen = []Target{Raw, Source, Canonical}
		if j != nil {
			chosen = j.targets
		}
	}
	f.main = len(chosen)
	f.targets = slices.Concat(chosen, f.beside)
	var errs []error
	if len(f.targets) > 64 {
		errs = append(errs, fmt.Errorf("%d targets; an audit takes at most 64", len(f.targets)))
	}
	for _, t := range f.targets {
		errs = append(errs, checkName("target", t.name))
	}
	if err := errors.Join(append(errs, checkName("headline target", f.bundle.Scenario.Headline))...); err != nil {
		return err
	}
	for i, t := range f.targets {
		switch {
		case t.base == baseNone || t.name == "":
			errs = append(errs, errors.New("a target has no name; use Raw, Source, Canonical or NewTarget"))
		case slices.ContainsFunc(f.targets[:i], func(u Target) bool { return u.name == t.name }):
			errs = append(errs, fmt.Errorf("target %s is named twice; name it once", t))
		case j != nil && f.judgedTarget(t) < 0:
			errs = append(errs, fmt.Errorf("no judgements for target %s; there are some for %s", t, join(j.targets)))
		case j == nil && (t.base == baseNamed || t.base == baseOwn && t.eligible == nil):
			errs = append(errs, fmt.Errorf("target %s has no rule; give NewTarget a function", t))
		}
	}
	where := ""
	if f.headline == "" {
		f.headline = f.bundle.Scenario.Headline
		if f.bundle.dir != "" {
			where = filepath.Join(f.bundle.dir, "scenario.json") + ": "
		}
	}
	if f.headline == "" {
		if len(f.beside) > 0 {
			errs = append(errs, errors.New("targets beside the headline, but no headline target is declared; declare one"))
		}
	} else if !slices.ContainsFunc(f.targets[:f.main], func(t Target) bool { return t.name == f.headline }) {
		errs = append(errs, fmt.Errorf("%sthe headline target %s is not among the targets %s; add it or declare one of them", where, f.headline, join(f.targets[:f.main])))
	}
	return errors.Join(errs...)
}

// judgedTarget is the number of the judgement set of a target, or -1.
func (f *frame) judgedTarget(t Target) int {
	return slices.IndexFunc(f.bundle.judged.targets, func(u Target) bool { return u.name == t.name })
}

func (f *frame) chooseSystems() error {
	var errs []error
	systems := f.bundle.Systems
	if len(systems) == 0 {
		errs = append(errs, errors.New("the bundle has no system; an audit needs at least one"))
	}
	for _, name := range f.settings.systems {
		if f.bundle.system(name) == nil {
			errs = append(errs, fmt.Errorf("unknown system %q; the bundle has %s", name, strings.Join(systemNames(systems), ", ")))
		}
	}
	for _, s := range systems {
		errs = append(errs, checkName("system", s.Name), checkName("family", s.Family))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, s := range systems {
		switch {
		case s.Name == "":
			errs = append(errs, errors.New("a system has no name"))
		case slices.ContainsFunc(systems[:i], func(o *System) bool { return o.Name == s.Name }):
			errs = append(errs, fmt.Errorf("two systems are named %q", s.Name))
		case len(s.Ingests) == 0:
			errs = append(errs, fmt.Errorf("system %s has no ingest; it needs a store and a run", s.Name))
		}
		if f.settings.systems == nil || slices.Contains(f.settings.systems, s.Name) {
			f.compiled = append(f.compiled, &compiled{System: s})
		}
	}
	slices.SortFunc(f.compiled, func(a, b *compiled) int { return cmp.Compare(a.Name, b.Name) })
	return errors.Join(errs...)
}

// knownCategories says which categories the queries have, of many the first ones.
func (s *Scenario) knownCategories() string {
	const most = 20
	var all []string
	for i := range s.Queries {
		all = append(all, strconv.Quote(s.Queries[i].Category))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch n := len(all); {
	case n == 0:
		return "there is no query"
	case n == 1 && all[0] == `""`:
		return "the queries have no category"
	case n > most:
		return fmt.Sprintf("the categories are %s and %d more", strings.Join(all[:most], ", "), n-most)
	}
	return "the categories are " + strings.Join(all, ", ")
}

// checkName refuses a name that is not what is seen of it: names stand in every
// message and table as they are, and a line of its own could pass for one of the
// test protocol, or for a command of a CI runner's log.
func checkName(of, name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q of a %s is not UTF-8; names are text in UTF-8", name, of)
	case strings.ContainsFunc(name, harmless.Hidden):
		return fmt.Errorf("the name %q of a %s has control characters; leave them out", name, of)
	case harmless.Guard(name) != name:
		return fmt.Errorf("the name %q of a %s is a command to the log of a CI runner; leave the colons, or ## before the bracket, out", harmless.Guard(name), of)
	}
	return nil
}

func systemNames(systems []*System) []string {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.Name
	}
	slices.Sort(names)
	return names
}

// checkSettings fills in what no option chose.
func (f *frame) checkSettings() error {
	if k := f.depth; f.settings.metrics == nil {
		f.settings.metrics = usualMetrics(k)
	}
	j := f.bundle.judged
	var errs []error
	switch {
	case j == nil && f.credit == "":
		f.credit = ByEvidence
	case j != nil && f.credit == "":
		f.credit = ByMemory
	case j != nil && f.credit == ByEvidence:
		errs = append(errs, fmt.Errorf("crediting by evidence needs evidence units, and %s carry none; use crediting by memory", j.format))
	}
	if f.credit == ByMemory && f.uncovered == unitsCounted {
		errs = append(errs, errors.New("uncovered units can be counted by evidence only, by memory there are no units; leave them dropped"))
	}
	if (f.population == overJudged || f.population == overMatched) && (j == nil || !j.trec) {
		errs = append(errs, fmt.Errorf("population %s exists for TREC qrels only; use shared, all or covered", f.population))
	}
	return errors.Join(errs...)
}

// checkStores begins to look up in the runs what their stores, or the judgements,
// hold, and to check the stores. What it returns waits for that and resolves the
// lineage.
func (f *frame) checkStores() (resolve func(turns *intern.Table, faults *problem.List)) {
	var wg sync.WaitGroup
	var checks []*storeCheck
	for _, s := range f.compiled {
		for i, in := range s.Ingests {
			c := &compiledIngest{Ingest: in, system: s.Name}
			s.ingests = append(s.ingests, c)
			if j := f.bundle.judged; j != nil {
				wg.Go(func() {
					c.symbols = make([]int32, j.ids.Len())
					stripes(len(c.symbols), func(from, end int) { in.Run.ids.SymbolsOf(&j.ids, from, c.symbols[from:end]) })
				})
				continue
			}
			label := "system " + s.Name
			if len(s.Ingests) > 1 {
				label = fmt.Sprintf("%s, ingest %d", label, i+1)
			}
			c.store = &store{ingest: in, label: label}
			check := &storeCheck{store: c.store}
			checks = append(checks, check)
			wg.Go(func() {
				c.symbols = make([]int32, len(in.Memories))
				stripes(len(c.symbols), func(from, end int) {
					in.Run.ids.SymbolsOfStrings(func(i int) string { return in.Memories[from+i].ID }, c.symbols[from:end])
				})
				check.memories(c.symbols)
			})
		}
	}
	return func(turns *intern.Table, faults *problem.List) {
		wg.Wait()
		for _, c := range checks {
			c.resolve(turns)
			faults.Append(&c.faults)
		}
	}
}

// bindTargets finds what each target can look at, and the systems in which it is
// unavailable.
func (f *frame) bindTargets(turns int, faults *problem.List) {
	if j := f.bundle.judged; j != nil {
		f.rows = make([][]int32, len(f.targets))
		for i, t := range f.targets {
			f.rows[i] = f.inSets[f.judgedTarget(t)]
		}
		for _, s := range f.compiled {
			s.unlinked = make([]bool, len(f.targets))
			for i, t := range f.targets {
				s.unlinked[i] = j.missing[f.judgedTarget(t)]
			}
		}
		return
	}
	strangers := f.strangers()
	evidence := make([]bool, turns)
	for _, t := range f.units.Items {
		evidence[t] = true
	}
	for _, s := range f.compiled {
		s.unlinked = make([]bool, len(f.targets))
		for _, in := range s.ingests {
			check := storeCheck{store: in.store}
			check.index(evidence)
			faults.Append(&check.faults)
			for t := range f.targets {
				s.unlinked[t] = s.unlinked[t] || !in.store.available(&f.targets[t])
			}
		}
		var found names
		if len(strangers) > 0 {
			named := make([]bool, turns)
			for _, in := range s.ingests {
				in.store.lineage.Named(named)
			}
			for _, turn := range strangers {
				if named[turn] {
					found.add(f.turnNames[turn])
				}
			}
		}
		f.note("unknown-source", s.Name, found, "turn that memories descend from is not in turns.jsonl", "turns that memories descend from are not in turns.jsonl")
	}
}

// strangers are the turns, ascending by id, that the scenario lacks.
func (f *frame) strangers() (turns []int32) {
	if f.given == 0 {
		return nil
	}
	for i := f.given; i < len(f.turnNames); i++ {
		turns = append(turns, int32(i))
	}
	slices.SortFunc(turns, func(a, b int32) int { return cmp.Compare(f.turnNames[a], f.turnNames[b]) })
	return turns
}

// bindRuns binds the runs to the queries.
func (f *frame) bindRuns(faults *problem.List) {
	for _, s := range f.compiled {
		var absent, failed, short, long, ascending, strangers names
		unknown := 0
		for n, in := range s.ingests {
			at := func(query string) string {
				if len(s.ingests) > 1 {
					return fmt.Sprintf("%s (ingest %d)", query, n+1)
				}
				return query
			}
			in.merge = mergers[f.settings.merge]
			run := &in.Run
			if run.Len() == 0 {
				f.runFault(s, in, faults, "the run has no ranking", "save at least one ranking")
				continue
			}
			others := in.bindQueries(f)
			for _, id := range others {
				strangers.add(at(id))
			}
			if len(others) == run.Len() {
				f.runFault(s, in, faults, fmt.Sprintf("none of the %d query ids of the run is in the scenario (%q against %q)",
					run.Len(), run.rows[0].query, f.bundle.Scenario.Queries[0].ID), "the two files use different query ids; export them from one run")
				continue
			}
			known := 0
			for _, sym := range in.symbols {
				if sym >= 0 {
					known++
				}
			}
			if known == 0 && in.Run.ids.Len() > 0 {
				what, mend := f.disjoint(in)
				f.runFault(s, in, faults, what, mend)
				continue
			}
			in.unknown = in.Run.ids.Len() - known
			unknown += in.unknown
			for q, row := range in.rowOf {
				switch {
				case row < 0:
					absent.add(at(f.queries[q].ID))
				case run.rows[row].failure != "":
					failed.add(at(f.queries[q].ID))
				case f.isShort(in, row):
					short.add(at(f.queries[q].ID))
				}
				if row >= 0 && run.rows[row].isLong() {
					long.add(at(f.queries[q].ID))
				}
				if row >= 0 && run.rows[row].ascends() {
					ascending.add(at(f.queries[q].ID))
				}
			}
		}
		f.note("absent", s.Name, absent, "query is absent from the run and counts as 0", "queries are absent from the run and count as 0")
		f.note("failed", s.Name, failed, "query failed and counts as 0", "queries failed and count as 0")
		f.note("short-ranking", s.Name, short, "ranking is shorter than the depth although the store holds more", "rankings are shorter than the depth although the store holds more")
		f.note("long-ranking", s.Name, long, "ranking has more ids than the k that it states", "rankings have more ids than the k that they state")
		f.note("ascending-scores", s.Name, ascending, "ranking has scores that ascend, as distances do; its order is kept", "rankings have scores that ascend, as distances do; their order is kept")
		f.note("unknown-query", s.Name, strangers, "ranked query is not in the scenario", "ranked queries are not in the scenario")
		if unknown > 0 {
			text := english.Count(unknown, "ranked id is not in its store; it descends from nothing", "ranked ids are not in its store; they descend from nothing")
			if f.bundle.judged != nil {
				text = english.Count(unknown, "ranked id is not judged", "ranked ids are not judged")
			}
			f.notes = append(f.notes, diagnostic{Kind: "unknown-ids", System: s.Name, Text: text})
		}
		for t, missing := range s.unlinked {
			if missing {
				f.notes = append(f.notes, diagnostic{Kind: "unavailable", System: s.Name,
					Text: fmt.Sprintf("target %s is unavailable: the store has no lineage for it", f.targets[t])})
			}
		}
	}
}

func (f *frame) runFault(s *compiled, in *compiledIngest, faults *problem.List, what, mend string) {
	if in.origin.run == "" {
		what = "system " + s.Name + ": " + what
	}
	faults.Add(in.origin.run, 0, what, mend)
}

// bindQueries finds the ranking of each query. It returns the ids, ascending, of ranked
// queries that the scenario does not have.
func (in *compiledIngest) bindQueries(f *frame) (others []string) {
	scenario := f.bundle.Scenario.Queries
	rows := make([]int32, len(scenario))
	stripes(len(rows), func(from, end int) {
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

func (f *frame) disjoint(in *compiledIngest) (what, mend string) {
	where, other := "in the store", ""
	mend = "the two use different id spaces; save rankings with the ids that the store was exported with"
	if in.store != nil {
		other = in.Memories[0].ID
	} else {
		where = "among the judged ids"
		mend = "the two use different id spaces; export them from one collection"
		other = f.bundle.judged.ids.String(0)
	}
	return fmt.Sprintf("not one of the %d ids of the run is %s (%q against %q)", in.Run.ids.Len(), where, in.Run.ids.String(0), other), mend
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
