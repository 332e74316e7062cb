package cli

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/tiaptest"
)

// Input holds the flags of whatever audits: what to read and how to score it.
type Input struct {
	Set *flag.FlagSet

	// Path resolves the names of files and folders, which are relative to the
	// current folder when it is nil.
	Path func(string) string

	// Target reads the name of a target; nil means Bundle.Target. Names may come
	// with a bundle that is empty since none could be read.
	Target func(b *tiaptest.Bundle, name string) (tiaptest.Target, error)

	records            string
	traces, qrels, run pairs
	rankColumn         bool
	level              int
	judgedOnly         bool

	depth                                int
	targets, beside, headline, metrics   string
	credit, uncovered, population, merge string
	where, systems                       string
	cluster                              bool
	minEffect, alpha                     float64
	seed                                 uint64
	resamples                            int
}

// NewInput defines the flags for a command, which usage and messages name.
func NewInput(command string) *Input {
	f := &Input{Set: flag.NewFlagSet(command, flag.ContinueOnError), qrels: pairs{named: true}}
	s, d := f.Set, auditjson.Defaults()
	s.StringVar(&f.records, "records", "", "MTEL-Mem query records `FILE`; needs -trace")
	s.Var(&f.traces, "trace", "MTEL-Mem trace `FILE`, the rankings of -records (repeatable)")
	s.Var(&f.qrels, "qrels", "TREC qrels of a target, as `TARGET=FILE` (repeatable)")
	s.Var(&f.run, "run", "TREC run, as `[SYSTEM=]FILE` (repeatable)")
	s.BoolVar(&f.rankColumn, "rank-column", false, "order TREC runs by their rank column, not by score as trec_eval does")
	s.IntVar(&f.level, "level", 1, "smallest TREC `grade` at which a document is relevant (trec_eval -l)")
	s.BoolVar(&f.judgedOnly, "judged-only", false, "take unjudged documents out of TREC rankings (trec_eval -J)")

	s.IntVar(&f.depth, "k", d.Depth, "depth: cut every ranking after its first `K` ids")
	s.StringVar(&f.targets, "targets", "", "compare these `targets`, as raw,source,canonical; default all three, or those of -qrels")
	s.StringVar(&f.beside, "beside", "", "compare these `targets` with the headline target alone, as current(canonical)")
	s.StringVar(&f.headline, "headline", "", "headline `target`, in place of the one that the scenario declares")
	s.StringVar(&f.metrics, "metrics", "", "compute these `metrics`, as ndcg@10,recall@10: ndcg, recall, hit, mrr, precision, ap, all and micro_recall, with @depth or without, rprec and top1; default ndcg, recall, mrr, hit and micro_recall at -k, and top1")
	s.StringVar(&f.credit, "credit", "", "what earns: each unit of `evidence` once (the default for a folder), or each memory (trec_eval's way, the only one for -qrels and -records)")
	s.StringVar(&f.uncovered, "uncovered", d.Uncovered, "evidence units for which nothing that is stored may earn: `dropped`, or counted as missed")
	s.StringVar(&f.population, "population", d.Population, "queries compared: `shared`, those covered in every system under every target; all; covered, those of the one system and target; for TREC also judged or matched")
	s.StringVar(&f.merge, "merge", d.Merge, "how lists of one ranking become one: `order`, interleave or rrf")
	s.StringVar(&f.where, "where", "", "keep only queries of these `categories`, separated by commas")
	s.StringVar(&f.systems, "systems", "", "keep only these `systems`, separated by commas")
	s.BoolVar(&f.cluster, "cluster", false, "resample scopes (conversations) instead of single queries")
	s.Float64Var(&f.minEffect, "min-effect", d.MinEffect, "largest `gap` that is still a tie")
	s.Float64Var(&f.alpha, "alpha", d.Alpha, "significance `level` of tests and intervals")
	s.Uint64Var(&f.seed, "seed", d.Seed, "`seed` of the resampling")
	s.IntVar(&f.resamples, "resamples", d.Resamples, "draw `N` bootstrap resamples for intervals")
	f.Describe("", "")
	return f
}

// Describe sets what help says above the flags: arguments that stand behind those of the
// input, such as " -query ID", and whole lines about the command.
func (f *Input) Describe(arguments, about string) {
	s := f.Set
	s.Usage = func() {
		for i, input := range []string{"DIR", "-records FILE -trace FILE", "-qrels TARGET=FILE -run FILE"} {
			begin := "usage:"
			if i > 0 {
				begin = "      "
			}
			fmt.Fprintf(s.Output(), "%s %s [flags] %s%s\n", begin, s.Name(), input, arguments)
		}
		fmt.Fprint(s.Output(), about)
		s.PrintDefaults()
	}
}

// Rescore reads the input and rescores it, with all faults at once.
func (f *Input) Rescore(dirs []string) (*tiaptest.Audit, error) {
	b, openErr := f.Open(dirs)
	opts, err := f.Options(b)
	if err := errors.Join(openErr, err); err != nil {
		return nil, err
	}
	return tiaptest.Rescore(b, opts...)
}

// Open reads the one input that the flags and arguments name.
func (f *Input) Open(dirs []string) (*tiaptest.Bundle, error) {
	mtelmem, trec := f.mtelmem(), f.trec()
	var unfit []string
	f.Set.Visit(func(g *flag.Flag) {
		if !trec && slices.Contains([]string{"rank-column", "level", "judged-only"}, g.Name) {
			unfit = append(unfit, "-"+g.Name)
		}
	})
	switch {
	case len(unfit) > 0:
		return nil, fmt.Errorf("%s: %s: for TREC input only; name -qrels and -run", f.Set.Name(), strings.Join(unfit, ", "))
	case mtelmem && trec || (mtelmem || trec) && len(dirs) > 0:
		return nil, fmt.Errorf("%s: several kinds of input; name one: a folder, -records and -trace, or -qrels and -run", f.Set.Name())
	case mtelmem && f.records == "":
		return nil, fmt.Errorf("%s: -trace %s: no records; name the file of query records with -records FILE", f.Set.Name(), f.traces.files[0])
	case mtelmem && len(f.traces.files) == 0:
		return nil, fmt.Errorf("%s: -records %s: no trace; name the file of rankings with -trace FILE", f.Set.Name(), f.records)
	case mtelmem:
		return tiaptest.MTELMem{Records: f.path(f.records), Traces: f.paths(f.traces.files)}.Open()
	case trec:
		return f.openTREC()
	case len(dirs) > 1:
		return nil, fmt.Errorf("%s: %d folders, %s; name one bundle, or -records and -trace, or -qrels and -run", f.Set.Name(), len(dirs), strings.Join(dirs, " and "))
	case len(dirs) == 0:
		return nil, fmt.Errorf("%s: no folder; name one bundle, or -records and -trace, or -qrels and -run", f.Set.Name())
	}
	return tiaptest.Open(f.path(dirs[0]))
}

// NamesFiles reports whether the flags name files in place of a folder.
func (f *Input) NamesFiles() bool { return f.mtelmem() || f.trec() }

func (f *Input) mtelmem() bool { return f.records != "" || len(f.traces.files) > 0 }

func (f *Input) trec() bool { return len(f.qrels.files) > 0 || len(f.run.files) > 0 }

func (f *Input) path(name string) string {
	if f.Path == nil || name == "" {
		return name
	}
	return f.Path(name)
}

// paths resolves names without changing the list.
func (f *Input) paths(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = f.path(name)
	}
	return out
}

func (f *Input) openTREC() (*tiaptest.Bundle, error) {
	in := tiaptest.TREC{
		Qrels: make(map[string]string), Runs: make(map[string]string),
		RankColumn: f.rankColumn, Level: f.level, JudgedOnly: f.judgedOnly,
	}
	var errs []error
	if f.level < 1 {
		errs = append(errs, fmt.Errorf("%s: -level %d; it must be at least 1", f.Set.Name(), f.level))
	}
	for i, target := range f.qrels.names {
		if _, twice := in.Qrels[target]; twice {
			errs = append(errs, fmt.Errorf("%s: two -qrels for target %s; name one", f.Set.Name(), target))
		}
		in.Qrels[target] = f.path(f.qrels.files[i])
	}
	for i, file := range f.run.files {
		name := f.run.names[i]
		if name == "" {
			name = lines.Stem(file)
		}
		if _, twice := in.Runs[name]; twice {
			errs = append(errs, fmt.Errorf("%s: two -run named %s; name them as in -run A=FILE", f.Set.Name(), name))
		}
		in.Runs[name] = f.path(file)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return in.Open()
}

// Options turns the flags into options, all faults at once. b may be nil when
// the input could not be read.
func (f *Input) Options(b *tiaptest.Bundle) ([]tiaptest.Option, error) {
	opts := []tiaptest.Option{
		tiaptest.Depth(f.depth), tiaptest.Uncovered(f.uncovered), tiaptest.Population(f.population), tiaptest.Merge(f.merge),
		tiaptest.MinEffect(f.minEffect), tiaptest.Alpha(f.alpha), tiaptest.Seed(f.seed), tiaptest.Resamples(f.resamples),
	}
	var errs []error
	if f.credit != "" {
		opts = append(opts, tiaptest.Credit(tiaptest.Crediting(f.credit)))
	}
	if f.metrics != "" {
		metrics, err := each(f.metrics, tiaptest.ParseMetric)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Metrics(metrics...))
	}
	if f.where != "" {
		categories, err := f.names("where", f.where)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Where(categories...))
	}
	if f.systems != "" {
		systems, err := f.names("systems", f.systems)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Systems(systems...))
	}
	if f.cluster {
		opts = append(opts, tiaptest.Cluster())
	}
	if b == nil {
		if len(f.qrels.files) > 0 {
			return opts, errors.Join(errs...) // only the qrels know their targets
		}
		b = &tiaptest.Bundle{}
	}
	target := b.Target
	if f.Target != nil {
		target = func(name string) (tiaptest.Target, error) { return f.Target(b, name) }
	}
	if f.targets != "" {
		targets, err := each(f.targets, target)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Targets(targets...))
	}
	if f.beside != "" {
		targets, err := each(f.beside, target)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Beside(targets...))
	}
	if f.headline != "" {
		headline, err := target(f.headline)
		errs = append(errs, err)
		opts = append(opts, tiaptest.Headline(headline))
	}
	return opts, errors.Join(errs...)
}

// names reads the value of a flag that names something of the input.
func (f *Input) names(flag, list string) ([]string, error) {
	names := strings.Split(list, ",")
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); names[i] == "" {
			return nil, fmt.Errorf("%s: -%s %s: a name in it is empty; write them as in -%s A,B", f.Set.Name(), flag, list, flag)
		}
	}
	return names, nil
}
