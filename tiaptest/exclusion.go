package tiaptest

import (
	"cmp"
	"fmt"
	"slices"
)

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
		var found []exclusion
		for _, s := range systems {
			if !s.excluded(t) {
				continue
			}
			why := "it covers no query there"
			if s.unavailable(t) {
				why = s.whyUnavailable(t, "the")
			}
			i := slices.IndexFunc(found, func(e exclusion) bool { return e.why == why })
			if i < 0 {
				i, found = len(found), append(found, exclusion{target: r.targets[t].name, why: why})
			}
			found[i].systems = append(found[i].systems, s.Name)
		}
		slices.SortStableFunc(found, func(a, b exclusion) int { return cmp.Compare(b.why, a.why) })
		out = append(out, found...)
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
