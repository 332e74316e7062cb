package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
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
			`talk.json: its schema is "", this version reads tiap.golden/v1; restore it from version control or record it again`},
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
