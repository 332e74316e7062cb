package tiaptest_test

import (
	"fmt"
	"regexp"
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

// Flips of winners, conventions and recommendations that are known are marked by the
// reason, those that were known by the last day too, and others are not.
func TestTableKnown(t *testing.T) {
	t.Parallel()
	text := func(b *tiaptest.Bundle, findings ...tiaptest.Finding) string {
		var out strings.Builder
		require.NoError(t, auditOf(b, tiaptest.Metrics(mrr), tiaptest.Known(findings...)).WriteTable(&out))
		return out.String()
	}
	winners := func() *tiaptest.Bundle { return family(flipped(2)) }
	const flips = "winner flip on mrr@5: raw picks A, source picks B (fragile: shift +0.6667 [+0.6667, +0.6667])%s\n" +
		"winner flip on mrr@5: raw picks A, canonical picks B (fragile: shift +0.9167 [+0.9167, +0.9167])%s\n"
	for name, tt := range map[string]struct {
		findings          []tiaptest.Finding
		source, canonical string // behind the flip of raw and this
		pair, recommended string // verdicts
	}{
		"none": {pair: "flip (fragile)", recommended: "flip"},
		"all": {
			[]tiaptest.Finding{finding(rawSource, ""), finding(rawCanonical, "9999-12-31")},
			"; known: we serve facts", "; known: we serve facts", "flip (fragile), known", "flip, known",
		},
		"one has ended": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawCanonical, "")},
			"; was known until 2001-12-31: we serve facts", "; known: we serve facts", "flip (fragile), 1 of 2 known", "flip",
		},
		"one has ended and another holds": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawSource, "9999-12-31"), finding(rawSource, "2002-12-31")},
			"; known: we serve facts", "", "flip (fragile), 1 of 2 known", "flip",
		},
		"both have ended": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawSource, "2002-12-31")},
			"; was known until 2002-12-31: we serve facts", "", "flip (fragile)", "flip",
		},
		"of conventions": {
			[]tiaptest.Finding{finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, "")},
			"", "", "flip (fragile)", "flip",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := text(winners(), tt.findings...)
			assert.Contains(t, out, fmt.Sprintf(flips, tt.source, tt.canonical))
			assert.Regexp(t, `A - B +mrr@5 .* `+regexp.QuoteMeta(tt.pair)+"\n", out)
			assert.Regexp(t, `density +mrr@5 .* `+tt.recommended+"\n", out)
		})
	}

	// A does not cover what B is good at.
	overAll := contest(system("A", "r", "r", ".|", ".|"), system("B", ".r|", ".r|", "r|", "r|"))
	of := func(target tiaptest.Target, until string) tiaptest.Finding {
		return finding([2]tiaptest.Target{target, target}, until)
	}
	out := text(overAll, of(tiaptest.Source, "2001-12-31"), of(tiaptest.Raw, ""), finding(rawSource, ""))
	const sentence = "A leads, but B over the 4 queries of population all"
	assert.Contains(t, out, "    A - B, mrr@5 under raw: "+sentence+"; known: we serve facts\n")
	assert.Contains(t, out, "    A - B, mrr@5 under source: "+sentence+"; was known until 2001-12-31: we serve facts\n")
}

// A reason cannot pass for another line.
func TestTableKnownReason(t *testing.T) {
	t.Parallel()
	f := finding(rawSource, "")
	f.Reason = "we serve facts\n::error::no"
	var out strings.Builder
	require.NoError(t, auditOf(flipped(1), tiaptest.Known(f)).WriteTable(&out))
	assert.Contains(t, out.String(), `; known: "we serve facts\n::error::no"`+"\n")
}
