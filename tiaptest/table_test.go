package tiaptest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// Orders are told where they differ over the targets that all systems have, in
// lines that stand together.
func TestTableTargetOrders(t *testing.T) {
	t.Parallel()
	opts := tiaptest.Metrics(tiaptest.MRR(5), tiaptest.NDCG(5))
	for name, tt := range map[string]struct {
		bundle *tiaptest.Bundle
		want   string
	}{
		"differ": {
			contest(system("A", "rf"), system("B", "fr")),
			"\n\ntarget order differs on mrr@5: A raw=source > canonical; B source=canonical > raw\n" +
				"target order differs on ndcg@5: A raw=source > canonical; B source=canonical > raw\n",
		},
		"same":                     {contest(system("A", "rf"), system("B", ".rf")), ""},
		"source in common":         {contest(system("A", "r|"), system("B", "f|")), ""},
		"raw and source in common": {contest(system("A", "r|"), system("B", "fr")), "\n\ntarget order differs on mrr@5: A raw=source; B source > raw\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			require.NoError(t, auditOf(tt.bundle, opts).WriteTable(&b))
			if tt.want == "" {
				assert.NotContains(t, b.String(), "target order")
				return
			}
			assert.Contains(t, b.String(), tt.want)
		})
	}
}
