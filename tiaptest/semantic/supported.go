package semantic

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/tiaptest"
)

// supported begins the names of targets that are narrowed to what is supported.
const supported = "supported"

// Supported narrows a target to what is supported: a contested memory earns only
// when its labels on the query say so; a raw memory that holds a gold turn itself
// needs no label. Contested memories without a label, and ties, earn nothing,
// unless the options credit the unlabelled: a score is then no more than a bound, the
// audit says how many labels are missing and of flips grades none, and without any
// label the target is unavailable (see [tiaptest.Labelled]). What could earn under the target stays
// in the denominators (see [tiaptest.Passing]), so that the target covers the same
// queries: otherwise, since only retrieved memories have labels, recall would be
// near 1 by construction.
//
// Support is yes or no, as crediting is: partial support counts when the options
// say so. The name is supported(t), with +partial and +unlabelled, and in brackets
// the other choices of the options, as supported[kind=human]+partial(canonical).
func Supported(t tiaptest.Target, ls *Labels, o Options) tiaptest.Target {
	name := supported
	if choices := o.String(); choices != "" {
		name += "[" + choices + "]"
	}
	if o.Partial {
		name += "+partial"
	}
	if o.Unlabelled {
		name += "+unlabelled"
	}
	if ls == nil || o.check() != nil {
		return tiaptest.Labelled(name, t, 0, nil) // which Rescore refuses
	}
	number := ls.numbers(&o)
	return tiaptest.Labelled(name, t, len(number), func(system string, q tiaptest.Query, m tiaptest.Memory) tiaptest.Labelling {
		if !contested(&q, &m) {
			return tiaptest.Labelling{Earns: true}
		}
		labels := ls.of(q.ID, system, m.ID, digestOf(m.Text))
		out := tiaptest.Labelling{Contested: true}
		for _, j := range labels {
			if n, ok := number[j]; ok {
				out.Labels = append(out.Labels, n)
			}
		}
		class, ok := o.verdict(labels, o.view())
		out.Earns = class == 0 || !ok && o.Unlabelled
		return out
	})
}

// numbers numbers the labels that count.
func (ls *Labels) numbers(o *Options) map[*Judgement]int {
	out := make(map[*Judgement]int)
	for i := range ls.list {
		if j := &ls.list[i]; o.counts(j) {
			out[j] = len(out)
		}
	}
	return out
}

// Support is how many contested credits of a system are supported.
type Support struct {
	System    string    `json:"system"`
	Target    string    `json:"target"`
	Contested int       `json:"contested"` // credits that the target gives and Raw does not
	Labelled  int       `json:"labelled"`  // of these, with a label that counts
	Ties      int       `json:"ties"`      // of these, with no verdict
	Supported int       `json:"supported"`
	Share     *Estimate `json:"share"` // supported of labelled, with Wilson's interval; nil without labels
}

// Measure counts the supported among the contested credits that a target gives in
// a system, over all its ingests. Ties count as labelled and not supported.
func Measure(a *tiaptest.Audit, system string, t tiaptest.Target, ls *Labels, o Options) (Support, error) {
	s := Support{System: system, Target: t.String()}
	if err := o.check(); err != nil {
		return s, err
	}
	cases, err := contestedIn(a, system, t)
	if err != nil {
		return s, err
	}
	for i := range cases {
		c := &cases[i]
		if !c.Earns {
			continue
		}
		s.Contested++
		class, ok := o.verdict(ls.of(c.Query, c.System, c.Memory, digestOf(c.Text)), o.view())
		if !ok {
			continue
		}
		s.Labelled++
		switch class {
		case 0:
			s.Supported++
		case undecided:
			s.Ties++
		}
	}
	s.Share = share(s.Supported, s.Labelled)
	return s, nil
}

// MinSupport fails when less than a share (0 to 1) of a system's labelled contested
// credits under a target is supported, when fewer credits have a label than
// Options.Labelled asks for, and when none has. It is a share of labelled credits:
// how many have no label is said always, in a note when the rule holds.
func MinSupport(t tiaptest.Target, ls *Labels, least float64, o Options) tiaptest.Rule {
	return minSupport{t, ls, least, o}
}

type minSupport struct {
	target tiaptest.Target
	labels *Labels
	least  float64
	o      Options
}

func (r minSupport) String() string {
	return fmt.Sprintf("MinSupport(%s, %g, %s)", r.target, r.least, r.what())
}

// what names the support that is asked for.
func (r minSupport) what() string {
	what := "full support"
	if r.o.Partial {
		what = "at least partial support"
	}
	if choices := r.o.String(); choices != "" {
		what += " by " + choices
	}
	return what
}

func (r minSupport) Verify(a *tiaptest.Audit) (out []tiaptest.Violation) {
	add := func(systems []string, note bool, text string) {
		out = append(out, tiaptest.Violation{Rule: r.String(), Systems: systems, Targets: []string{r.target.String()}, Text: text, Note: note})
	}
	switch {
	case r.labels == nil:
		add(nil, false, r.String()+" compared nothing: it has no labels")
		return out
	case !(r.least > 0 && r.least <= 1):
		add(nil, false, r.String()+" compared nothing: the share must be above 0 and at most 1")
		return out
	}
	for _, system := range a.Systems() {
		s, err := Measure(a, system, r.target, r.labels, r.o)
		of := []string{system}
		switch {
		case err != nil:
			add(of, false, fmt.Sprintf("%s compared nothing in %s: %v", r, system, err))
		case s.Contested == 0:
			add(of, false, fmt.Sprintf("%s compared nothing in %s: it has no contested credit under %s", r, system, r.target))
		case s.Labelled == 0:
			add(of, false, fmt.Sprintf("%s compared nothing in %s: %s\n    export them with Contested and WriteCSV, or let a Judge label them",
				r, system, english.Without("its", s.Contested, "contested credit", "contested credits", "label")))
		case float64(s.Labelled) < r.o.Labelled*float64(s.Contested):
			add(of, false, fmt.Sprintf("%d of %d contested credits of %s under %s have a label, less than a share of %g\n    label more of them; Contested lists them",
				s.Labelled, s.Contested, system, r.target, r.o.Labelled))
		case s.Share.Value < r.least:
			add(of, false, fmt.Sprintf("%.4f of the labelled contested credits of %s under %s have %s, less than %g\n%s", s.Share.Value, system, r.target, r.what(), r.least, r.basis(s)))
		case s.Labelled < s.Contested:
			add(of, true, fmt.Sprintf("%.4f of the labelled contested credits of %s under %s have %s\n%s", s.Share.Value, system, r.target, r.what(), r.basis(s)))
		}
	}
	return out
}

// basis says of what the share is one.
func (r minSupport) basis(s Support) string {
	return fmt.Sprintf("    %d of %d labelled credits, 95%% CI [%.4f, %.4f]; %d ties; %s\n    %d of %d contested credits (%.4f) have no label and are not among them",
		s.Supported, s.Labelled, s.Share.CI[0], s.Share.CI[1], s.Ties, r.o.rule(), s.Contested-s.Labelled, s.Contested, float64(s.Contested-s.Labelled)/float64(s.Contested))
}
