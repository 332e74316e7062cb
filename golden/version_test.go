package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// A golden file of another version is refused by its schema, whatever else it
// holds, and not recorded over; one without a schema is no golden file.
func TestOtherVersion(t *testing.T) {
	stop := recording(t)
	file := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "talk.json")
	a := audit(t, newTalk())
	_, err := golden.CheckFile(file, "accept", a)
	require.NoError(t, err)
	sound, err := os.ReadFile(file)
	require.NoError(t, err)
	const schema = `"schema": "tiap.golden/v1"`
	require.Contains(t, string(sound), schema)
	for _, tt := range []struct{ name, text, want string }{
		{"newer", strings.Replace(string(sound), schema, `"schema": "tiap.golden/v2"`, 1),
			`talk.json: its schema is "tiap.golden/v2", this version reads tiap.golden/v1; use the version of this module that recorded it, or delete the file and record it again`},
		{"newer, with members of other types", `{"schema": "tiap.golden/v2", "identity": [], "systems": {}}`,
			`talk.json: its schema is "tiap.golden/v2", this version reads tiap.golden/v1; use the version of this module that recorded it, or delete the file and record it again`},
		{"none", strings.Replace(string(sound), schema, `"schema": ""`, 1),
			`talk.json: it is no golden file: its schema is "", this version reads tiap.golden/v1; restore it from version control, or name another file, which is recorded if it does not exist`},
		{"that of a store", `{"schema": "tiap.golden-store/v1"}`,
			`talk.json: it records a store, not an audit: its schema is "tiap.golden-store/v1", this version reads tiap.golden/v1; name another file or key`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			_, err := golden.ReadRecord(file)
			require.Error(t, err)
			assert.True(t, strings.HasSuffix(err.Error(), tt.want), err)
			for _, update := range []string{"1", "0"} {
				t.Setenv("TIAP_UPDATE", update)
				_, err := golden.CheckFile(file, "accept", a)
				require.Error(t, err, "TIAP_UPDATE=%s", update)
				assert.Contains(t, err.Error(), tt.want)
				after, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, tt.text, string(after))
			}
		})
	}
	stop()
}

// So is the record of a store.
func TestOtherVersionOfStore(t *testing.T) {
	stop := recording(t)
	file := filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "parser.store.json")
	s := new(tiaptest.Bundle).AddSystem("mine", "").AddMemory("a", "fact", "t1")
	require.True(t, golden.Store(t, "parser", s))
	for _, tt := range []struct{ name, text, want string }{
		{"newer, with members of other types", `{"schema": "tiap.golden-store/v2", "memories": []}`,
			`parser.store.json: its schema is "tiap.golden-store/v2", this version reads tiap.golden-store/v1; use the version of this module that recorded it, or delete the file and record it again`},
		{"that of an audit", `{"schema": "tiap.golden/v1"}`,
			`parser.store.json: it records an audit, not a store: its schema is "tiap.golden/v1", this version reads tiap.golden-store/v1; name another file or key`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			for _, update := range []string{"1", "0"} {
				t.Setenv("TIAP_UPDATE", update)
				q := &quiet{TB: t}
				assert.False(t, golden.Store(q, "parser", s))
				require.Len(t, q.failures, 1)
				assert.Contains(t, q.failures[0], tt.want)
				after, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, tt.text, string(after))
			}
		})
	}
	stop()

	// What is damaged is recorded over.
	require.NoError(t, os.WriteFile(file, []byte(`{"schema": "tiap.golden-store/v1", "memories": []}`), 0o600))
	q := &quiet{TB: t}
	assert.False(t, golden.Store(q, "parser", s))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "parser.store.json is no record of a store: ")
	assert.Contains(t, q.failures[0], "; restore it from version control or record it again")
	t.Setenv("TIAP_UPDATE", "1")
	assert.True(t, golden.Store(t, "parser", s))
}
