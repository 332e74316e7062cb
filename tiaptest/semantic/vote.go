package semantic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Options declares how labels are counted. The zero value is the default of each
// rule.
type Options struct {
	// These say which labels count: those of the judges, by the models, made for
	// the samples and of the kind. Nil, or an empty Kind, leaves it open.
	Judges  []string
	Models  []string
	Samples []string
	Kind    Kind

	// Adjudicator is the judge whose label stands for all others where it gave
	// one. It counts whatever the fields above say.
	Adjudicator string

	// Partial counts partial support as support. Crediting by evidence knows
	// gain or no gain, so there is no half of one: a score with Partial and one
	// without it are the bounds.
	Partial bool

	Repeats Repeats
	Ties    Ties

	// Unlabelled credits contested memories without a label in [Supported], which
	// then bounds the score from above.
	Unlabelled bool

	// Labelled is the share of contested credits, 0 to 1, that must have a label
	// for [MinSupport].
	Labelled float64
}

// Repeats says how often a judge counts who labelled one memory repeatedly.
type Repeats string

const (
	// Once counts the judge once, by the label given most often; where two were,
	// by the rule for ties. It is the default.
	Once Repeats = "once"
	// Each counts every label, so that a memory judged twice has two votes and is
	// two cases in the counts of [Agree].
	Each Repeats = "each"
)

// Ties says what becomes of a memory where two labels have equally many votes.
type Ties string

const (
	// NoLabel leaves it without one; [Agree] counts such memories. It is the
	// default.
	NoLabel Ties = "none"
	// Lower takes the one with the least support.
	Lower Ties = "lower"
)

// String names the choices that differ from the default and bear on which labels
// count and how, separated by commas: judge=NAME, model=NAME, sample=NAME,
// kind=KIND, adjudicator=NAME, repeats=each, ties=lower. Judges, models and samples
// stand once for each.
func (o Options) String() string {
	out := o.selection()
	if o.Repeats == Each {
		out = append(out, "repeats=each")
	}
	if o.Ties == Lower {
		out = append(out, "ties=lower")
	}
	return strings.Join(out, ",")
}

// selection names the choices of labels that count.
func (o *Options) selection() (out []string) {
	add := func(field string, names ...string) {
		for _, name := range names {
			out = append(out, field+"="+plainName(name))
		}
	}
	add("judge", o.Judges...)
	add("model", o.Models...)
	add("sample", o.Samples...)
	if o.Kind != "" {
		add("kind", string(o.Kind))
	}
	if o.Adjudicator != "" {
		add("adjudicator", o.Adjudicator)
	}
	return out
}

// plainName quotes a name that could be misread among others.
func plainName(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`,=[]()"`, r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Set makes a choice, written as in String: a further judge, model or sample, or the
// kind, adjudicator or rule. Of these three there is one each, so that a second value
// is an error. Options is a flag.Value. Names may be quoted, as Go quotes strings. ties=none and repeats=once
// are the defaults.
func (o *Options) Set(choice string) error {
	field, value, ok := strings.Cut(choice, "=")
	if !ok || value == "" {
		return fmt.Errorf("%q is no choice; write FIELD=VALUE, as kind=human", choice)
	}
	if value[0] == '"' {
		name, err := strconv.Unquote(value)
		if err != nil || name == "" {
			return fmt.Errorf("%s is not quoted as Go quotes strings; mend the quotes or leave them out", choice)
		}
		value = name
	}
	var list *[]string
	var single *string
	switch field {
	case "judge":
		list = &o.Judges
	case "model":
		list = &o.Models
	case "sample":
		list = &o.Samples
	case "kind":
		single = (*string)(&o.Kind)
	case "adjudicator":
		single = &o.Adjudicator
	case "repeats":
		single = (*string)(&o.Repeats)
	case "ties":
		single = (*string)(&o.Ties)
	default:
		return fmt.Errorf("unknown field %q; use judge, model, sample, kind, adjudicator, repeats or ties", field)
	}
	switch {
	case list == nil && *single != "" && *single != value:
		return fmt.Errorf("%s=%s after %s=%s: they exclude each other; keep one of them", field, plainName(value), field, plainName(*single))
	case list == nil:
		*single = value
	case !slices.Contains(*list, value):
		*list = append(slices.Clip(*list), value)
	}
	return o.check()
}

func (o *Options) check() error {
	switch {
	case o.Kind != "" && o.Kind != Human && o.Kind != Model:
		return fmt.Errorf("unknown kind %q of judges; use human or model", o.Kind)
	case o.Repeats != "" && o.Repeats != Once && o.Repeats != Each:
		return fmt.Errorf("unknown rule %q for repeated labels; use once or each", o.Repeats)
	case o.Ties != "" && o.Ties != NoLabel && o.Ties != Lower:
		return fmt.Errorf("unknown rule %q for ties; use none or lower", o.Ties)
	case !(o.Labelled >= 0 && o.Labelled <= 1):
		return fmt.Errorf("the share of labelled credits is %v; use 0 to 1", o.Labelled)
	}
	return nil
}

// View says which labels are told apart.
type View string

const (
	ThreeClass View = "three"    // supports, partial, does_not_support
	Relevant   View = "relevant" // supports or partial against does_not_support
	Strict     View = "strict"   // supports against the two others
)

// classes are the names of what the view tells apart, most support first.
func (v View) classes() []string {
	switch v {
	case ThreeClass:
		return []string{"supports", "partial", "does_not_support"}
	case Relevant:
		return []string{"relevant", "does_not_support"}
	case Strict:
		return []string{"supports", "not_fully"}
	}
	return nil
}

func (v View) check() error {
	if v.classes() == nil {
		return fmt.Errorf("unknown view %q; use ThreeClass, Relevant or Strict", v)
	}
	return nil
}

// class is the number of a label's class.
func (v View) class(l Label) int {
	n := slices.Index(allLabels, l)
	switch v {
	case Relevant:
		return n / 2
	case Strict:
		return min(n, 1)
	}
	return n
}

// view is the one by which something is supported or not.
func (o *Options) view() View {
	if o.Partial {
		return Relevant
	}
	return Strict
}

// undecided is the class of a tie.
const undecided = -1

// counts reports whether a label does.
func (o *Options) counts(j *Judgement) bool {
	if o.Adjudicator != "" && j.Judge == o.Adjudicator {
		return true
	}
	among := func(names []string, name string) bool { return names == nil || slices.Contains(names, name) }
	return among(o.Judges, j.Judge) && among(o.Models, j.Model) && among(o.Samples, j.Sample) && (o.Kind == "" || o.Kind == j.Kind)
}

// count keeps the labels that count.
func (o *Options) count(js []*Judgement) (kept []*Judgement) {
	for _, j := range js {
		if o.counts(j) {
			kept = append(kept, j)
		}
	}
	byAdjudicator := func(j *Judgement) bool { return j.Judge == o.Adjudicator }
	if o.Adjudicator != "" && slices.ContainsFunc(kept, byAdjudicator) {
		kept = slices.DeleteFunc(kept, func(j *Judgement) bool { return !byAdjudicator(j) })
	}
	return kept
}

// compared keeps the labels by which judges are compared: of the judges that count,
// without the adjudicator's.
func (o *Options) compared(js []*Judgement) []*Judgement {
	return o.count(slices.DeleteFunc(slices.Clone(js), func(j *Judgement) bool { return j.Judge == o.Adjudicator }))
}

// verdict is the class that the labels of one memory give it; ok is false when
// there is no label that counts.
func (o *Options) verdict(js []*Judgement, v View) (class int, ok bool) {
	js = o.count(js)
	if len(js) == 0 {
		return undecided, false
	}
	votes := make([]int, len(v.classes()))
	if o.Repeats == Each {
		for _, j := range js {
			votes[v.class(j.Label)]++
		}
	} else {
		for _, own := range o.ballots(js, v) {
			if own.class != undecided {
				votes[own.class]++
			}
		}
	}
	return o.winner(votes), true
}

// ballot is what one judge says of a memory.
type ballot struct {
	judge  string
	class  int
	labels int
	differ bool // the judge's own labels do
}

// ballots takes the labels of each judge together, judges ascending.
func (o *Options) ballots(js []*Judgement, v View) (out []ballot) {
	sorted := slices.Clone(js)
	slices.SortStableFunc(sorted, func(a, b *Judgement) int {
		switch {
		case a.Judge < b.Judge:
			return -1
		case a.Judge > b.Judge:
			return 1
		}
		return 0
	})
	for len(sorted) > 0 {
		judge, votes, n := sorted[0].Judge, make([]int, len(v.classes())), 0
		for n < len(sorted) && sorted[n].Judge == judge {
			votes[v.class(sorted[n].Label)]++
			n++
		}
		out = append(out, ballot{judge, o.winner(votes), n, slices.Max(votes) < n})
		sorted = sorted[n:]
	}
	return out
}

// winner is the class with most votes, or what the rule for ties says.
func (o *Options) winner(votes []int) int {
	most, class, tied := 0, undecided, false
	for c, n := range votes {
		switch {
		case n > most:
			most, class, tied = n, c, false
		case n == most && n > 0:
			tied = true
			if o.Ties == Lower {
				class = c
			}
		}
	}
	if tied && o.Ties != Lower {
		return undecided
	}
	return class
}
