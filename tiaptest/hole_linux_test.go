package tiaptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// A file that ends in a hole takes no room on the disk, and its size says nothing about
// what it holds: no memory is taken for that.
func TestOpenHole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queries.jsonl", "turns.jsonl", "store.jsonl", "run.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, line := range map[string]string{
				"queries.jsonl": `{"id":"%d","evidence":["0"]}`,
				"turns.jsonl":   `{"id":"%d"}`,
				"store.jsonl":   `{"id":"%d","form":"raw","sources":["0"]}`,
				"run.jsonl":     `{"query":"%d","ranking":["0"]}`,
			} {
				var b strings.Builder
				for i := range 20_000 {
					fmt.Fprintf(&b, line+"\n", i)
				}
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o666))
			}
			if err := os.Truncate(filepath.Join(dir, name), 1<<42); err != nil {
				t.Skipf("no holes: %v", err)
			}
			_, err := tiaptest.Open(dir)
			require.ErrorContains(t, err, name+":20001: ")
		})
	}
}
