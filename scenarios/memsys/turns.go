package memsys

import (
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes that several formats have.
const (
	noteUnknownTurn  = "source names no turn"
	notePrefix       = "source named with the scenario's name"
	noteDuplicateHit = "hit repeated in one list"
	noteUnstored     = "hit of no stored memory"
	noteUnasked      = "answer to no query of the scenario"
)

// links makes links of the sources that an export names, each turn once. at says
// where they stand.
func (in *importer) links(sources []string, precision, at string) []tiaptest.Link {
	var out []tiaptest.Link
	for _, id := range sources {
		turn, ok := in.turn(id, at)
		if !ok || slices.ContainsFunc(out, func(l tiaptest.Link) bool { return l.Turn == turn }) {
			continue
		}
		out = append(out, tiaptest.Link{Turn: turn, Precision: precision})
	}
	return out
}

// turn returns the turn that a source names, and counts it when there is none.
func (in *importer) turn(id, at string) (string, bool) {
	if in.turns[id] {
		return id, true
	}
	if rest, ok := strings.CutPrefix(id, in.sc.Name+"/"); ok && in.turns[rest] {
		in.tally.Add(notePrefix, at)
		return rest, true
	}
	in.tally.Add(noteUnknownTurn, at+": "+id)
	return "", false
}
