package report

import (
	"io"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
)

// writeJSON writes the JSON report of an audit with what the options add.
func writeJSON(w io.Writer, a *tiaptest.Audit, o options) error {
	more, err := add(a, o)
	if err != nil {
		return err
	}
	return auditjson.WriteWith(w, a.WriteJSON, more)
}
