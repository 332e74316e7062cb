package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestRecommendationsByName: families stand by name, whatever the order of their
// systems; one with a single member has no recommendation and hides no other.
func TestRecommendationsByName(t *testing.T) {
	t.Parallel()
	b := contest(system("A", "rf"), system("B", ".rf"), system("C", "rf"), system("D", ".rf"), system("E", "..rf"))
	for i, family := range []string{"wide", "wide", "deep", "deep", "early"} {
		b.Systems[i].Family = family
	}
	var out bytes.Buffer
	require.NoError(t, auditOf(b, tiaptest.Metrics(mrr)).WriteJSON(&out))
	var report struct {
		Recommendations []struct {
			Family  string
			Winners map[string]string
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Len(t, report.Recommendations, 2)
	for i, want := range [][2]string{{"deep", "C"}, {"wide", "A"}} {
		r := report.Recommendations[i]
		assert.Equal(t, want, [2]string{r.Family, r.Winners["raw"]})
	}
}

// TestStaleFindingsWhateverTheOrder: they stand in the order of their sentences,
// each once.
func TestStaleFindingsWhateverTheOrder(t *testing.T) {
	t.Parallel()
	findings := []tiaptest.Finding{finding(rawSource, ""), finding(rawCanonical, "2001-12-31"), finding(rawSource, "")}
	forth := auditOf(same(), tiaptest.Known(findings...)).StaleFindings()
	slices.Reverse(findings)
	back := auditOf(same(), tiaptest.Known(findings[1:]...), tiaptest.Known(findings[0])).StaleFindings()
	require.Len(t, forth, 2)
	assert.Equal(t, forth, back)
	assert.True(t, slices.IsSorted(forth))
}
