package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/trec"
)

// TREC names the files of an audit over TREC qrels and runs, which may end in
// .gz or .zst. Qrels carry no evidence units: the crediting is [ByMemory],
// trec_eval's own, and grades are the gains of nDCG.
type TREC struct {
	Qrels map[string]string // target name -> qrels file
	Runs  map[string]string // system name -> run file

	// RankColumn orders a run by its rank column. Otherwise the score decides,
	// ties by document id, both descending, as in trec_eval.
	RankColumn bool

	// Level is the grade from which on a document is relevant (trec_eval -l);
	// 0 means 1. It does not change the gains of nDCG.
	Level int

	// JudgedOnly takes documents without judgement out of the rankings
	// (trec_eval -J).
	JudgedOnly bool
}

// Open reads the files. Problems name file and line and are reported together.
// A run whose lines differ in their tag, as those of several systems do, is a
// diagnostic.
func (t TREC) Open() (*Bundle, error) {
	b := &Bundle{Scenario: Scenario{Name: "trec"}}
	j := &judgements{format: "TREC qrels", trec: true, level: int32(t.Level), judgedOnly: t.JudgedOnly}
	if t.Level == 0 {
		j.level = 1
	}
	var errs []error
	if t.Level < 0 || t.Level > 1<<30 {
		errs = append(errs, fmt.Errorf("relevance level %d; it must be at least 1", t.Level))
	}
	if len(t.Qrels) == 0 {
		errs = append(errs, errors.New("no qrels; name at least one file with its target (-qrels raw=FILE)"))
	}
	if len(t.Runs) == 0 {
		errs = append(errs, errors.New("no run; name at least one file (-run FILE)"))
	}
	// Qrels and runs are read side by side. The qrels share a table of ids.
	var runErrs []error
	var wg sync.WaitGroup
	wg.Go(func() { runErrs = t.openRuns(b) })
	for _, name := range targetOrderOf(t.Qrels) {
		target, err := parseTarget(name)
		if err != nil {
			target = Target{name: name, base: baseNamed}
		}
		set, err := readFile(t.Qrels[name], func(file string, r io.Reader) (*trec.Qrels, error) { return trec.ReadQrels(file, r, &j.ids) })
		errs = append(errs, err)
		j.targets = append(j.targets, target)
		j.sets = append(j.sets, set)
		j.missing = append(j.missing, false)
	}
	var queries []string
	for _, set := range j.sets {
		if set != nil {
			queries = union(queries, set.Queries)
		}
	}
	b.judged = j
	b.Scenario.Queries = make([]Query, len(queries))
	for i, id := range queries {
		b.Scenario.Queries[i].ID = id
	}
	wg.Wait()
	if err := errors.Join(append(errs, runErrs...)...); err != nil {
		return nil, err
	}
	return b, nil
}

// openRuns reads the runs into systems of b.
func (t TREC) openRuns(b *Bundle) (errs []error) {
	order := trec.ByScore
	if t.RankColumn {
		order = trec.ByRank
	}
	for _, name := range slices.Sorted(maps.Keys(t.Runs)) {
		run, err := readFile(t.Runs[name], func(file string, r io.Reader) (*trec.Run, error) { return trec.ReadRun(file, r, order) })
		errs = append(errs, err)
		if err != nil {
			continue
		}
		b.Systems = append(b.Systems, &System{Name: name, Ingests: []*Ingest{{Run: runOf(run), origin: origin{run: t.Runs[name]}}}})
		if len(run.Tags) > 1 {
			var tags names
			for _, tag := range run.Tags {
				tags.add(tag)
			}
			b.reported = append(b.reported, diagnostic{Kind: "several-tags", System: name, Text: fmt.Sprintf("the lines of the run have %d different tags: %s", tags.n, tags)})
		}
	}
	return errs
}

// union merges two ascending lists without repetitions into one.
func union(a, b []string) []string {
	out := make([]string, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		c := cmp.Compare(a[0], b[0])
		if c <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out = append(out, b[0])
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// runOf takes a TREC run over as it is.
func runOf(t *trec.Run) Run {
	r := Run{ids: t.IDs, queries: new(intern.Table), rows: make([]row, len(t.Queries))}
	var wg sync.WaitGroup
	wg.Go(func() {
		r.queries.Expect(len(t.Queries))
		for _, q := range t.Queries {
			r.queries.AddString(q)
		}
	})
	for i, q := range t.Queries {
		r.rows[i] = row{query: q, hits: t.Docs[i], scores: t.Scores[i]}
	}
	wg.Wait()
	return r
}

// readFile opens a plain or compressed file and reads it.
func readFile[T any](file string, read func(file string, r io.Reader) (T, error)) (T, error) {
	var none T
	f, err := os.Open(file)
	if err != nil {
		return none, fmt.Errorf("%s: %s; name a readable file", file, readFault(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return none, fmt.Errorf("%s: it is a folder; name a file", file)
	}
	plain, err := lines.Decompress(file, f)
	if err != nil {
		return none, fmt.Errorf("%s: %w; if the file is truncated or corrupt, copy or export it again", file, err)
	}
	defer plain.Close()
	return read(file, plain)
}

// targetOrderOf sorts target names: raw, source, canonical, then others.
func targetOrderOf(files map[string]string) []string {
	rank := map[string]int{"raw": -3, "source": -2, "canonical": -1}
	names := slices.Sorted(maps.Keys(files))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	return names
}
