package auditjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/auditjson"
)

// A diagnostic of one system is told from one of the whole scenario.
func TestDiagnosticText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "2 ids", auditjson.Diagnostic{Text: "2 ids"}.String())
	assert.Equal(t, "A: 2 ids", auditjson.Diagnostic{System: "A", Text: "2 ids"}.String())
}
