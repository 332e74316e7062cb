package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
)

// TargetsReported fails unless a headline target is declared, at least one other
// target is scored beside it, the headline is available in every system, and
// every system says its retrieval unit, where its lineage comes from and what
// each of its forms is. These are the practices that the reporting audit of the
// TIAP paper (arXiv 2605.24060, appendix H) found missing.
func TargetsReported() Rule {
	return rule{"TargetsReported()", verifyTargetsReported}
}

// headlineAdvice says which target fits which deployment (table 8 of the paper).
const headlineAdvice = "canonical when transformed memories are served, raw for the use of original turns or exact provenance, source only as a provenance-relaxed stress test"

func verifyTargetsReported(a *Audit, v *verdicts) {
	r := a.r
	var missing []string
	if r.headline == "" {
		missing = append(missing, fmt.Sprintf("no headline target is declared: %s\n        %s\n        %s", a.where("headline", ""), headlineAdvice, r.fittingHeadline()))
	}
	var have []string
	for t, target := range r.targets {
		if slices.ContainsFunc(r.systems, func(s *scored) bool { return !s.excluded(t) }) {
			have = append(have, target.name)
		}
	}
	switch len(have) {
	case 0:
		missing = append(missing, "no target has a score: record the sources of the memories")
	case 1:
		missing = append(missing, fmt.Sprintf("no target is scored beside %s: a score says something only beside another target", have[0]))
	}
	var systems []string
	for _, s := range r.systems {
		before := len(missing)
		if s.Unit == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say its retrieval unit: %s", s.Name, a.where("unit", s.Name)))
		}
		if s.Lineage == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say where its lineage comes from: %s, as in \"recorded at ingest\"", s.Name, a.where("lineage", s.Name)))
		}
		if unsaid := s.unsaidForms(); len(unsaid) > 0 {
			missing = append(missing, fmt.Sprintf("system %s does not say what %s is: %s", s.Name, strings.Join(unsaid, ", "), a.where("forms", s.Name)))
		}
		if t := r.target(r.headline); t >= 0 && s.unlinked[t] {
			missing = append(missing, fmt.Sprintf("system %s has no lineage for the headline target %s; record the sources of its memories", s.Name, r.headline))
		}
		if t := r.target(r.headline); t >= 0 && s.unlabelled[t] != "" {
			missing = append(missing, fmt.Sprintf("system %s has no score under the headline target %s, %s: label them, or declare a headline target that needs no label", s.Name, r.headline, s.unlabelled[t]))
		}
		if t := r.target(r.headline); t >= 0 && !s.unavailable(t) && s.covered[t] == 0 {
			missing = append(missing, fmt.Sprintf("system %s covers no query under the headline target %s and has no score there: audit it alone, leave it out with Systems, or declare a headline target that it serves", s.Name, r.headline))
		}
		if len(missing) > before {
			systems = append(systems, s.Name)
		}
	}
	if len(missing) == 0 {
		return
	}
	v.add(systems, nil, fmt.Sprintf("scores are reported without their target: %s missing\n    %s", english.Count(len(missing), "statement is", "statements are"), strings.Join(missing, "\n    ")))
}

// unsaidForms are the forms of a system's memories, except raw, that it does not
// describe.
func (s *System) unsaidForms() []string {
	var out []string
	stored := false
	for _, in := range s.Ingests {
		for i := range in.Memories {
			stored = true
			form := in.Memories[i].Form
			if form != formRaw && s.Forms[form] == "" && !slices.Contains(out, printable(form)) {
				out = append(out, printable(form))
			}
		}
	}
	if !stored && len(s.Forms) == 0 {
		out = append(out, "each form of its memories")
	}
	slices.Sort(out)
	return out
}

// fittingHeadline proposes a target from what the stores serve.
func (r *results) fittingHeadline() string {
	var served []string
	for _, s := range r.systems {
		for _, in := range s.Ingests {
			for i := range in.Memories {
				m := &in.Memories[i]
				if m.Form != formRaw && !m.NotServing && !slices.Contains(served, printable(m.Form)) {
					served = append(served, printable(m.Form))
				}
			}
		}
	}
	switch {
	case r.bundle.judged != nil:
		return "judgements do not say what is served"
	case len(served) == 0:
		return "the stores serve raw turns alone: raw fits"
	}
	slices.Sort(served)
	return "the stores serve " + strings.Join(served, ", ") + ": canonical fits, unless only the turns behind them are used"
}

// where says where something is stated: in a file of the bundle, or in code.
func (a *Audit) where(what, system string) string {
	b := a.r.bundle
	switch {
	case b.dir == "" && system == "":
		return "set Scenario.Headline or use the option Headline"
	case b.dir == "":
		return "set " + strings.ToUpper(what[:1]) + what[1:] + " of the system"
	case system == "":
		return fmt.Sprintf("set %q in %s", what, a.file("scenario.json"))
	case b.single:
		return fmt.Sprintf("set %q in %s", what, a.file("system.json"))
	}
	return fmt.Sprintf("set %q in %s", what, a.file("systems/"+system+"/system.json"))
}

// file names a file of the audited bundle for a message.
func (a *Audit) file(name string) string {
	return (&reader{dir: a.r.bundle.dir}).at(name)
}
