package tiaptest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
)

// Option changes how [Rescore] scores and compares. Options are values with a
// String. Of two options of one kind the later one holds, whatever the earlier one
// named; known findings alone add up, see [Known].
type Option interface {
	fmt.Stringer
	apply(*settings) error
}

// Options is a list of options that is an option itself.
type Options []Option

// String lists the options.
func (os Options) String() string { return strings.Join(texts(os), "; ") }

func (os Options) apply(s *settings) error {
	var errs []error
	for _, o := range os {
		if o != nil {
			errs = append(errs, o.apply(s))
		}
	}
	return errors.Join(errs...)
}

type option struct {
	text string
	set  func(*settings) error
}

func (o option) String() string          { return o.text }
func (o option) apply(s *settings) error { return o.set(s) }

// settings is what the options of an audit come to.
type settings struct {
	depth      int
	targets    []Target // nil: the default of the bundle
	beside     []Target
	headline   string
	credit     Crediting // empty: the default of the bundle
	metrics    []Metric  // nil: the default at the depth
	uncovered  string
	population string
	categories []string
	cluster    bool
	merge      string
	minEffect  float64
	alpha      float64
	seed       uint64
	resamples  int
	systems    []string
	known      []Finding
}

// The largest depth and cut-off; ranks are kept in 32 bits.
const maxDepth = 1 << 30

// newSettings applies options to the defaults, which stay where an option is
// refused.
func newSettings(opts []Option) (*settings, error) {
	d := auditjson.Defaults()
	s := &settings{
		depth:      d.Depth,
		uncovered:  d.Uncovered,
		population: d.Population,
		merge:      d.Merge,
		minEffect:  d.MinEffect,
		alpha:      d.Alpha,
		seed:       d.Seed,
		resamples:  d.Resamples,
	}
	return s, Options(opts).apply(s)
}

// compiling are the settings that a bundle is compiled by, others left out.
func (s settings) compiling() settings {
	s.credit, s.uncovered, s.population, s.metrics = "", "", "", nil
	s.minEffect, s.alpha, s.seed, s.resamples, s.known = 0, 0, 0, 0, nil
	return s
}

// Depth cuts every ranking after its first k ids, before any metric looks at
// it. The default is 60. A metric's own cut-off may exceed it.
func Depth(k int) Option {
	return option{fmt.Sprintf("depth %d", k), func(s *settings) error {
		if k <= 0 || k > maxDepth {
			return fmt.Errorf("depth %d: it must lie between 1 and %d", k, maxDepth)
		}
		s.depth = k
		return nil
	}}
}

// Targets sets the targets that are compared; the default is Raw, Source and
// Canonical, or those that TREC qrels were given for.
func Targets(ts ...Target) Option {
	return option{"targets " + join(ts), func(s *settings) error {
		if len(ts) == 0 {
			return errors.New("no targets; name at least one")
		}
		s.targets = slices.Clone(ts)
		return nil
	}}
}

// Beside sets the diagnostic targets, which stand beside the main ones; the default is
// none. Each is compared with the headline target alone, which must be declared, on the
// queries covered under both, and never shrinks the shared subset of the main targets.
func Beside(ts ...Target) Option {
	return option{"beside " + join(ts), func(s *settings) error {
		s.beside = slices.Clone(ts)
		return nil
	}}
}

// Headline declares the target that matches what the deployed system serves, in
// place of the scenario's own declaration. It must be among the targets that are
// compared.
func Headline(t Target) Option {
	return option{"headline " + t.String(), func(s *settings) error {
		if t.name == "" {
			return errors.New("the headline target has no name; use Raw, Source, Canonical or NewTarget")
		}
		s.headline = t.name
		return nil
	}}
}

// Crediting says how a retrieved eligible memory turns into gain.
type Crediting string

// The creditings.
const (
	// ByEvidence gives one gain where a memory belongs to at least one evidence
	// unit not credited yet, and credits all its units: the published rule of
	// the TIAP protocol and the default for bundles.
	ByEvidence Crediting = "evidence"
	// ByMemory takes every eligible memory as a relevant item of its own, as
	// trec_eval does; the only crediting for TREC qrels and MTEL-Mem records.
	ByMemory Crediting = "memory"
)

// Credit sets the crediting.
func Credit(c Crediting) Option {
	return option{"credit " + string(c), func(s *settings) error {
		if c != ByEvidence && c != ByMemory {
			return fmt.Errorf("unknown crediting %q; use evidence or memory", c)
		}
		s.credit = c
		return nil
	}}
}

// Metrics sets the metrics. The default is ndcg, recall, mrr, hit and
// micro_recall at the depth, and top1.
func Metrics(ms ...Metric) Option {
	return option{"metrics " + join(ms), func(s *settings) error {
		var errs []error
		if len(ms) == 0 {
			errs = append(errs, errors.New("no metrics; name at least one"))
		}
		for i, m := range ms {
			errs = append(errs, m.check())
			if slices.Contains(ms[:i], m) {
				errs = append(errs, fmt.Errorf("metric %s is named twice; name it once", m))
			}
		}
		s.metrics = slices.Clone(ms)
		return errors.Join(errs...)
	}}
}

const unitsDropped, unitsCounted = "dropped", "counted"

// Uncovered says what becomes of evidence units without an eligible memory, by
// evidence: "dropped" (the default) takes them out of the denominator, "counted"
// leaves them in. A query without any covered unit stays uncovered either way.
func Uncovered(rule string) Option {
	return option{"uncovered " + rule, func(s *settings) error {
		if rule != unitsDropped && rule != unitsCounted {
			return fmt.Errorf("unknown rule %q for uncovered units; use dropped or counted", rule)
		}
		s.uncovered = rule
		return nil
	}}
}

const (
	overCovered = "covered"
	overShared  = "shared"
	overAll     = "all"
	overJudged  = "judged"
	overMatched = "matched"
)

// Population says over which queries systems are compared: "shared" (the
// default: covered under every compared target in every compared system), "all"
// (every scorable query, uncovered ones 0), "covered" (each system and target
// over its own covered queries: not a like-for-like comparison), and for TREC
// "judged" (trec_eval -c) or "matched" (trec_eval's default).
func Population(subset string) Option {
	return option{"population " + subset, func(s *settings) error {
		switch subset {
		case overCovered, overShared, overAll, overJudged, overMatched:
			s.population = subset
			return nil
		}
		return fmt.Errorf("unknown population %q; use shared, all or covered, or for TREC judged or matched", subset)
	}}
}

// Where keeps only the queries of the given categories. Naming none is an error: a list
// that came out empty must not keep every query.
func Where(categories ...string) Option {
	return option{"where category " + strings.Join(categories, ","), func(s *settings) error {
		if len(categories) == 0 {
			return errors.New("no categories; name at least one, or leave Where out to keep all queries")
		}
		s.categories = slices.Clone(categories)
		return namedTwice("category", categories)
	}}
}

// Cluster resamples the scopes (conversations) of queries instead of single
// queries, since questions about one conversation are not independent.
func Cluster() Option {
	return option{"cluster by scope", func(s *settings) error {
		s.cluster = true
		return nil
	}}
}

// Merge says how the lists of a ranking become one: "order" (the default: one
// list after the other, in order of their names), "interleave" (rank by rank)
// or "rrf" (reciprocal rank fusion, k = 60). An id keeps its best place.
func Merge(rule string) Option {
	return option{"merge " + rule, func(s *settings) error {
		if _, ok := mergers[rule]; !ok {
			return fmt.Errorf("unknown merge rule %q; use order, interleave or rrf", rule)
		}
		s.merge = rule
		return nil
	}}
}

// MinEffect is the largest gap that is a tie; beyond it a system leads. The
// default is 1e-9.
func MinEffect(gap float64) Option {
	return option{"min effect " + strconv.FormatFloat(gap, 'g', -1, 64), func(s *settings) error {
		if !(gap >= 0 && gap < 1) {
			return fmt.Errorf("min effect %v: it must be at least 0 and less than 1", gap)
		}
		s.minEffect = gap
		return nil
	}}
}

// Alpha is the significance level of grades; 1-alpha is the level of the
// confidence intervals. The default is 0.05.
func Alpha(a float64) Option {
	return option{"alpha " + strconv.FormatFloat(a, 'g', -1, 64), func(s *settings) error {
		if !(a > 0 && a < 1) {
			return fmt.Errorf("alpha %v: it must lie between 0 and 1", a)
		}
		s.alpha = a
		return nil
	}}
}

// Seed seeds the resampling. The default is 1337.
func Seed(n uint64) Option {
	return option{fmt.Sprintf("seed %d", n), func(s *settings) error {
		s.seed = n
		return nil
	}}
}

// Resamples is the number of bootstrap resamples. The default is 1,000.
func Resamples(n int) Option {
	return option{fmt.Sprintf("resamples %d", n), func(s *settings) error {
		if n < 100 || n > 1_000_000 {
			return fmt.Errorf("resamples %d: it must lie between 100 and 1000000", n)
		}
		s.resamples = n
		return nil
	}}
}

// Systems keeps only the named systems. Naming none is an error, as with [Where].
func Systems(names ...string) Option {
	return option{"systems " + strings.Join(names, ","), func(s *settings) error {
		if len(names) == 0 {
			return errors.New("no systems; name at least one, or leave Systems out to keep all")
		}
		s.systems = slices.Clone(names)
		return namedTwice("system", names)
	}}
}

func join[T fmt.Stringer](xs []T) string { return strings.Join(texts(xs), ",") }

// texts are the strings of some values, never nil.
func texts[T fmt.Stringer](xs []T) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		if any(x) == nil {
			out[i] = "nil"
			continue
		}
		out[i] = x.String()
	}
	return out
}

// namedTwice is an error for each name that repeats an earlier one.
func namedTwice(what string, names []string) error {
	var errs []error
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			errs = append(errs, fmt.Errorf("%s %q is named twice; name it once", what, name))
		}
	}
	return errors.Join(errs...)
}
