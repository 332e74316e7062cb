package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What several metrics find is told once, and fits a screen.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	for name, once := range map[string][]string{
		"flip-by-metrics": {
			"winner flip on mrr@10, ndcg@10 and ap@10 under source: D1 -> D5\n", "winner flip on mrr@10, ndcg@10 and ap@10 under canonical: D1 -> D5\n",
			"new flip on mrr@10, ndcg@10 and ap@10: raw picks D1, source picks D5\n", "under source: family density D1 -> D5",
			"fewer than 3 ingests", "carried by ", "queries are compared", "if this is known, state it with tiaptest.Known and a reason\n",
		},
		"change-flip-by-metrics": {
			"change flip on mrr@10, ndcg@10 and ap@10: D5 gains under raw, gains under source, loses under canonical\n",
			"fewer than 3 ingests", "carried by ", "queries are compared",
		},
		"worse-by-metrics": {"regressed on mrr@10 and ap@10: D1 loses 0.1667 under raw, "},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "findings", name+".golden"))
		require.NoError(t, err)
		text := string(data)
		for _, words := range once {
			assert.Equal(t, 1, strings.Count(text, words), "%s: %s", name, words)
		}
		assert.LessOrEqual(t, strings.Count(text, "\n"), 40, name)
	}
}
