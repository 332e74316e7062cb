package tiaptest

import "fmt"

// exclusion is a main target that takes part in no comparison of some systems.
type exclusion struct {
	target  string
	systems []string
	why     string
}

func (e exclusion) String() string {
	var list names
	for _, s := range e.systems {
		list.add(s)
	}
	return fmt.Sprintf("%s is left out for %s: %s", e.target, list, e.why)
}

// exclusions lists what takes part in no comparison of the given systems.
func (r *results) exclusions(systems []*scored) []exclusion {
	var out []exclusion
	for t := range r.main {
		unlinked := exclusion{target: r.targets[t].name, why: "the store has no lineage for it"}
		uncovered := exclusion{target: r.targets[t].name, why: "it covers no query there"}
		for _, s := range systems {
			switch {
			case s.unavailable[t]:
				unlinked.systems = append(unlinked.systems, s.Name)
			case s.covered[t] == 0:
				uncovered.systems = append(uncovered.systems, s.Name)
			}
		}
		for _, e := range []exclusion{unlinked, uncovered} {
			if len(e.systems) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

// excludedText is a line for each exclusion, to append to a sentence.
func (r *results) excludedText() string {
	text := ""
	for _, e := range r.exclusions(r.systems) {
		text += "\n    " + e.String()
	}
	return text
}
