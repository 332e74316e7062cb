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

// What a family's row says: a tie beside a member is no agreement, and members that
// share no query are not compared.
func TestTableRecommendations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		a, b []string
		want string
	}{
		"flip":     {[]string{"rf"}, []string{"fr"}, "A    tie     B          flip"},
		"same":     {[]string{"rf"}, []string{"..rf"}, "A    A       A          same"},
		"tie":      {[]string{"rf"}, []string{"r.f"}, "tie  tie     A          tie"},
		"no query": {[]string{"rf", "....|"}, []string{"....|", "rf"}, "-    -       -          -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			a := auditOf(family(contest(system("A", tt.a...), system("B", tt.b...))), tiaptest.Metrics(tiaptest.MRR(5)))
			require.NoError(t, a.WriteTable(&b))
			_, table, _ := strings.Cut(b.String(), "\nrecommended by family\n")
			lines := strings.Split(table, "\n")
			require.Greater(t, len(lines), 1)
			assert.True(t, strings.HasSuffix(strings.TrimRight(lines[1], " "), tt.want), lines[1])
		})
	}
}
