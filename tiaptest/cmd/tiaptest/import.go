package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/shell"
	"github.com/tiaptest/tiap/internal/terminal"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
)

// retrievalLog is the format of LongMemEval's own retrieval.
const retrievalLog = "longmemeval-log"

// systemFormats are the formats of memory systems.
func systemFormats() []string { return append(memsys.Formats(), retrievalLog) }

// importFlags are the flags of the import command.
type importFlags struct {
	set *flag.FlagSet

	output string

	// of benchmarks
	strict, fallback, original, bm25   bool
	corrections, gold, headline, forms string

	// of memory systems
	name, family string
	infer        bool
}

func newImportFlags() *importFlags {
	f := &importFlags{set: flag.NewFlagSet("tiaptest import", flag.ContinueOnError)}
	s := f.set
	s.StringVar(&f.output, "o", "", "`folder` of the bundle: a new one for a benchmark, the one to add to for a memory system")
	s.BoolVar(&f.strict, "strict", false, "benchmarks: take evidence ids literally instead of mending them")
	s.StringVar(&f.corrections, "corrections", "", "benchmarks: overlay `file` with the evidence of single queries")
	s.StringVar(&f.headline, "headline", "", "benchmarks: declare the headline `target`, as canonical")
	s.BoolVar(&f.bm25, "bm25", false, "locomo: add the memories that the benchmark carries as a system, ranked by BM25")
	s.StringVar(&f.forms, "forms", "", "with -bm25: keep the memories of these `forms`, as raw,observation")
	s.StringVar(&f.gold, "gold", "", "`level` of evidence: turn, user-turn or session of longmemeval, group or message of beam")
	s.BoolVar(&f.fallback, "fallback", false, "longmemeval: take the answer sessions where no turn is marked")
	s.BoolVar(&f.original, "original-info", false, "beam: outdated statements of knowledge updates are evidence too")
	s.StringVar(&f.name, "name", "", "memory systems: `name` of the system; without it that of the format")
	s.StringVar(&f.family, "family", "", "memory systems: `family` of variants that the system belongs to")
	s.BoolVar(&f.infer, "infer", false, "memory systems: infer lineage that the export does not give; it earns credit under inferred(...) targets alone")
	s.Usage = func() {
		fmt.Fprintf(s.Output(), `usage: tiaptest import BENCHMARK [flags] SRC -o DIR
       tiaptest import SYSTEM [flags] [store=FILE] [history=FILE] [log=FILE] [search=FILE] -o DIR
Writes a benchmark, whose file or folder is SRC, as a new bundle, or adds what a memory
system left on disk to the bundle of its scenario: what it stored, how that changed,
what was written from which turns, and what it answered to the queries.
benchmarks:     %s
memory systems: %s
"go doc github.com/tiaptest/tiap/scenarios/memsys" says what each system needs.
`, strings.Join(scenarios.Formats(), ", "), strings.Join(systemFormats(), ", "))
		s.PrintDefaults()
	}
	return f
}

func importSource(args []string, stdout, stderr io.Writer) error {
	f := newImportFlags()
	rest, err := cli.Parse(f.set, args, stdout)
	if err != nil {
		return err
	}
	benchmark := len(rest) > 0 && slices.Contains(scenarios.Formats(), rest[0])
	if err := f.check(rest, benchmark); err != nil {
		return err
	}
	if !benchmark {
		return f.system(rest[0], rest[1:], stdout, stderr)
	}
	return f.benchmark(rest[0], rest[1], stdout, stderr)
}

// check reports what is wrong with flags and arguments, all at once.
func (f *importFlags) check(rest []string, benchmark bool) error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("tiaptest import: "+format, args...))
	}
	if len(rest) == 0 {
		refuse("no format; name one of %s", strings.Join(slices.Concat(scenarios.Formats(), systemFormats()), ", "))
		return errors.Join(errs...)
	}
	format := rest[0]
	if !benchmark && !slices.Contains(systemFormats(), format) {
		refuse("unknown format %q; use %s", format, strings.Join(slices.Concat(scenarios.Formats(), systemFormats()), ", "))
		return errors.Join(errs...)
	}
	if f.output == "" {
		refuse("no place to write to; name the folder of the bundle with -o DIR")
	}
	ofSystems := []string{"name", "family", "infer"}
	f.set.Visit(func(g *flag.Flag) {
		of := "benchmarks"
		if slices.Contains(ofSystems, g.Name) {
			of = "memory systems"
		}
		if g.Name == "gold" && format == retrievalLog {
			return // the level of the run
		}
		if g.Name != "o" && benchmark != (of == "benchmarks") {
			refuse("-%s is for %s; leave it out with %s", g.Name, of, format)
		}
	})
	if benchmark && len(rest) != 2 {
		refuse("%d sources; name the one file or folder of %s", len(rest)-1, format)
	}
	if f.forms != "" && !f.bm25 {
		refuse("-forms without -bm25 keeps nothing; add -bm25")
	}
	return errors.Join(errs...)
}

// options are those of reading a benchmark.
func (f *importFlags) options(status *terminal.Status) ([]scenarios.Option, error) {
	opts := []scenarios.Option{scenarios.Progress(func(read, total int64) {
		if total > 0 {
			status.Say("read %d of %d MB (%d%%)", read>>20, total>>20, 100*read/total)
		}
	})}
	add := func(given bool, o func() scenarios.Option) {
		if given {
			opts = append(opts, o())
		}
	}
	add(f.strict, scenarios.Strict)
	add(f.fallback, scenarios.Fallback)
	add(f.original, scenarios.OriginalInfo)
	add(f.gold != "", func() scenarios.Option { return scenarios.Gold(f.gold) })
	add(f.corrections != "", func() scenarios.Option { return scenarios.Corrections(f.corrections) })
	if f.headline != "" {
		target, err := new(tiaptest.Bundle).Target(f.headline)
		if err != nil {
			return nil, fmt.Errorf("tiaptest import: -headline: %w", err)
		}
		opts = append(opts, scenarios.Headline(target))
	}
	if f.bm25 {
		var forms []string
		if f.forms != "" {
			forms = strings.Split(f.forms, ",")
		}
		opts = append(opts, scenarios.Rank(reference.Lexical, forms...))
	}
	return opts, nil
}

// benchmark writes a benchmark as a bundle.
func (f *importFlags) benchmark(format, src string, stdout, stderr io.Writer) error {
	status := terminal.Watch(stderr)
	defer status.Stop()
	status.Say("reading %s", src)
	opts, err := f.options(status)
	if err != nil {
		return err
	}
	// An interrupt leaves nothing behind, a second one ends at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	summary, err := scenarios.Import(ctx, format, src, f.output, opts...)
	status.Stop()
	if err != nil {
		return err
	}
	writeSummary(stdout, format, summary)
	next := "tiaptest record, or tiaptest import a memory system"
	if f.bm25 {
		next = "tiaptest audit " + shell.Quote(f.output)
	}
	fmt.Fprintf(stdout, "written to %s; next: %s\n", f.output, next)
	return nil
}

// system adds a memory system to the bundle of its scenario.
func (f *importFlags) system(format string, sources []string, stdout, stderr io.Writer) error {
	files, err := filesOf(sources)
	if err != nil {
		return err
	}
	status := terminal.Watch(stderr)
	defer status.Stop()
	status.Say("reading what %s left", format)
	scenario, err := tiaptest.OpenScenario(f.output)
	if err != nil {
		return fmt.Errorf("%w (-o names the bundle that has the scenario, as tiaptest import BENCHMARK writes it)", err)
	}
	in, err := f.read(format, scenario, files)
	if err != nil {
		return err
	}
	if in.System.Ingests[0].Run.Len() == 0 {
		return fmt.Errorf("tiaptest import: %s gives no ranking of the scenario's queries, and without any a system cannot be audited; name its answers with search=FILE", format)
	}
	if f.name != "" {
		in.System.Name = f.name
	}
	in.System.Family = f.family
	var steps []memsys.InferredStep
	if f.infer {
		if in.System, steps, err = memsys.InferLineage(scenario, in.System, memsys.Inference{}); err != nil {
			return err
		}
	}
	status.Stop()
	s := in.System
	fmt.Fprintf(stdout, "%s: memories %d, rankings %d\n", s.Name, len(s.Ingests[0].Memories), s.Ingests[0].Run.Len())
	writeNotes(stdout, in.Notes)
	for _, step := range steps {
		if step.Step == "before and after" {
			continue // it needs the calls that built the store, which an export has not
		}
		fmt.Fprintf(stdout, "    inferred lineage: %s\n", step)
	}
	if _, err := tiaptest.Rescore(&tiaptest.Bundle{Scenario: *scenario, Systems: []*tiaptest.System{s}}); err != nil {
		return fmt.Errorf("tiaptest import: the system could not be audited, so it is not written:\n%w", err)
	}
	if err := in.WriteDir(f.output); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "written to %s\n", filepath.Join(f.output, "systems", s.Name))
	return nil
}

// read reads an export.
func (f *importFlags) read(format string, scenario *tiaptest.Scenario, files memsys.Files) (*memsys.Import, error) {
	if format != retrievalLog {
		return memsys.Read(format, scenario, files)
	}
	if len(files.Search) != 1 || len(files.Store) > 0 || files.History != "" || files.Log != "" {
		return nil, fmt.Errorf("tiaptest import: %s takes one file: name it with search=FILE", format)
	}
	system, notes, err := scenarios.RetrievalLog(files.Search[0], scenario, cmp.Or(f.gold, "turn"))
	if err != nil {
		return nil, err
	}
	return &memsys.Import{System: system, Notes: notes}, nil
}

// filesOf reads arguments of the form role=FILE.
func filesOf(sources []string) (memsys.Files, error) {
	var files memsys.Files
	var errs []error
	for _, source := range sources {
		role, file, ok := strings.Cut(source, "=")
		single := func(at *string) {
			if *at != "" {
				errs = append(errs, fmt.Errorf("tiaptest import: two files for %s; name one", role))
			}
			*at = file
		}
		switch {
		case !ok || file == "":
			errs = append(errs, fmt.Errorf("tiaptest import: %q does not say what it holds; write store=FILE, history=FILE, log=FILE or search=FILE", source))
		case role == "store":
			files.Store = append(files.Store, file)
		case role == "history":
			single(&files.History)
		case role == "log":
			single(&files.Log)
		case role == "search":
			files.Search = append(files.Search, file)
		default:
			errs = append(errs, fmt.Errorf("tiaptest import: unknown kind of file %q; use store, history, log or search", role))
		}
	}
	return files, errors.Join(errs...)
}

func writeSummary(w io.Writer, format string, s *scenarios.Summary) {
	fmt.Fprintf(w, "%s: %d turns, %d queries, %d of them scorable with %d evidence units\n", format, s.Turns, s.Queries, s.Scorable, s.Units)
	fmt.Fprintf(w, "    sha256 %s\n", s.SHA256)
	for _, rule := range s.Rules {
		fmt.Fprintf(w, "    %s\n", rule)
	}
	writeNotes(w, s.Notes)
}

func writeNotes(w io.Writer, notes []scenarios.Note) {
	for _, n := range notes {
		fmt.Fprintf(w, "    %d x %s, first at %s\n", n.Count, n.Kind, n.First)
	}
}
