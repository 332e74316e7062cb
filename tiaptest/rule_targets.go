package tiaptest

import (
	"fmt"
	"slices"
	"strings"
)

// TargetsReported fails unless a headline target is declared, at least one other
// target is scored beside it, the headline is available in every system, and
// every system says its retrieval unit, where its lineage comes from and what
// each of its forms is. These are the practices that the reporting audit of the
// TIAP paper (arXiv 2605.24060, appendix H) found missing.
func TargetsReported() Rule {
	return rule{"TargetsReported()", verifyTargetsReported}
}

const headlineAdvice = "canonical when transformed memories are served, raw for original turns or exact provenance, source only as a provenance-relaxed stress test"

func verifyTargetsReported(a *Audit, v *verdicts) {
	r := a.r
	var missing []string
	if r.headline == "" {
		missing = append(missing, fmt.Sprintf("no headline target is declared; set \"headline\" in %s (%s)", a.file("scenario.json"), headlineAdvice))
	}
	scoredTargets := 0
	for t := range r.targets {
		if slices.ContainsFunc(r.systems, func(s *scored) bool { return !s.unavailable[t] }) {
			scoredTargets++
		}
	}
	if scoredTargets < 2 {
		missing = append(missing, fmt.Sprintf("no other target is scored beside %s; a score says something only beside another target", join(r.targets)))
	}
	var systems []string
	for _, s := range r.systems {
		before := len(missing)
		file := a.file("systems/" + s.Name + "/system.json")
		if s.Unit == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say its retrieval unit; set \"unit\" in %s", s.Name, file))
		}
		if s.Lineage == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say where its lineage comes from; set \"lineage\" in %s, as in \"recorded at ingest\"", s.Name, file))
		}
		if unsaid := s.unsaidForms(); len(unsaid) > 0 {
			missing = append(missing, fmt.Sprintf("system %s does not say what %s is; add it to \"forms\" in %s", s.Name, strings.Join(unsaid, ", "), file))
		}
		if t := r.target(r.headline); t >= 0 && s.unavailable[t] {
			missing = append(missing, fmt.Sprintf("system %s has no lineage for the headline target %s; record the sources of its memories", s.Name, r.headline))
		}
		if len(missing) > before {
			systems = append(systems, s.Name)
		}
	}
	if len(missing) == 0 {
		return
	}
	v.add(systems, nil, fmt.Sprintf("scores are reported without their target: %d statements are missing\n    %s", len(missing), strings.Join(missing, "\n    ")))
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
			if form != formRaw && s.Forms[form] == "" && !slices.Contains(out, form) {
				out = append(out, form)
			}
		}
	}
	if !stored && len(s.Forms) == 0 {
		out = append(out, "any form")
	}
	slices.Sort(out)
	return out
}

// file names a file of the audited bundle for a message.
func (a *Audit) file(name string) string {
	return (&reader{dir: a.r.bundle.dir}).at(name)
}
