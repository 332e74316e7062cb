package report

import (
	"fmt"
	"maps"
	"slices"
)

// systemsSection describes the systems and their runs.
func (b *builder) systemsSection() (section, error) {
	s := section{id: "systems", title: "Systems", details: true}
	t := table{
		caption: words("The systems, their stores and their runs"),
		head:    columns("system", "family", "ingests#", "memories by form", "links", "absent#", "failed#", "empty#", "unknown ids#"),
	}
	for _, sys := range b.Systems {
		count := func(n int) cell {
			if n > 0 {
				return cell{text: words(n), tone: warn}
			}
			return cell{text: words(n)}
		}
		t.rows = append(t.rows, cells(foreign(sys.Name), foreign(sys.Family), sys.Ingests,
			counts(sys.Forms), counts(sys.Links), count(sys.Absent), count(sys.Failed), sys.Empty, count(sys.UnknownIDs)))
	}
	s.blocks = []block{t}
	return s, nil
}

// counts lists numbers by name.
func counts(of map[string]int) text {
	var parts []text
	names := slices.Sorted(maps.Keys(of))
	const most = 8
	for _, name := range names[:min(most, len(names))] {
		parts = append(parts, words(foreign(name), " ", of[name]))
	}
	if n := len(names) - most; n > 0 {
		parts = append(parts, words(fmt.Sprintf("and %d more", n)))
	}
	return joined(parts, ", ")
}
