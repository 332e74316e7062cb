package report

import (
	"io"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// added is what options add to the JSON report, behind its own members.
type added struct {
	Card        *sensitivity.Card       `json:"card,omitempty"`
	Sensitivity *sensitivity.Report     `json:"sensitivity,omitempty"`
	Composition []*semantic.Composition `json:"composition,omitempty"`
	Support     []semantic.Support      `json:"support,omitempty"`
}

// writeJSON writes the JSON report of an audit with what the options add.
func writeJSON(w io.Writer, a *tiaptest.Audit, o options) error {
	more := added{Sensitivity: o.sensitivity, Composition: o.composition}
	var err error
	if o.sensitivity != nil {
		if more.Card, err = sensitivity.NewCard(a); err != nil {
			return err
		}
	}
	if o.labels != nil {
		p, err := parse(a)
		if err != nil {
			return err
		}
		b := &builder{parsed: p, a: a, o: o}
		if more.Support, err = b.support(p.Systems); err != nil {
			return err
		}
	}
	return auditjson.WriteWith(w, a.WriteJSON, more)
}
