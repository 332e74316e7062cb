package tiaptest

import "fmt"

// nothing reports a rule that had nothing to compare.
func (v *verdicts) nothing(why string) {
	v.add(nil, nil, fmt.Sprintf("%s compared nothing: %s", printable(v.rule), why))
}

// unpaired says why a rule that needs two systems under some targets has no pair to
// compare, and what to do: it lacks what the audit has too few of, or else what is
// needed of them.
func (r *results) unpaired(targets int, needs string) string {
	switch {
	case len(r.systems) == 1:
		return fmt.Sprintf("it needs two systems, and the audit has %s alone; add a system to compare it with, or leave this rule out", printable(r.systems[0].Name))
	case r.main < targets && r.bundle.judged != nil:
		return fmt.Sprintf("it needs two targets, and the audit has %s alone; give the judgements of another target too, or leave this rule out", r.targets[0])
	case r.main < targets:
		return fmt.Sprintf("it needs two targets, and the audit has %s alone; name another one with Targets, or leave this rule out", r.targets[0])
	}
	return "it needs " + needs + r.excludedText() + "\n    record the lineage that is missing, leave a system or target out with Systems or Targets, or leave this rule out"
}
