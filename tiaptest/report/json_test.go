package report_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// The package comment names every member of the JSON report, and no other.
func TestMembersAreNamed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, doc, found := strings.Cut(string(source), "// # JSON\n")
	require.True(t, found)
	doc, _, _ = strings.Cut(doc, "// # ")
	var named []string
	for line := range strings.Lines(doc) {
		if item, ok := strings.CutPrefix(line, "//   - "); ok {
			name, _, _ := strings.Cut(item, ":")
			named = append(named, name)
		}
	}

	var members []string
	for _, of := range []reflect.Type{reflect.TypeFor[auditjson.Report[int, int, int, int]](), reflect.TypeFor[report.Added]()} {
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			members = append(members, name)
		}
	}
	assert.Equal(t, members, named)

	a := audit(t, bundle(plainNames(), 0))
	var full map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(render(t, report.JSON, a, extras(t, a)...)), &full))
	for name := range full {
		assert.Contains(t, named, name)
	}
}

// Add gives what the report adds, and nothing that no option asks for.
func TestAdd(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	none, err := report.Add(a)
	require.NoError(t, err)
	assert.Equal(t, &report.Added{}, none)

	all, err := report.Add(a, extras(t, a)...)
	require.NoError(t, err)
	var read report.Added
	require.NoError(t, json.Unmarshal([]byte(render(t, report.JSON, a, extras(t, a)...)), &read))
	want, err := json.Marshal(all)
	require.NoError(t, err)
	got, err := json.Marshal(&read)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))
	assert.NotEmpty(t, all.Support)
	assert.NotNil(t, all.Labels)
}
