package script

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		value float64
		holds bool
		shown string
	}{
		{"1", 1, true, "1.0000"},
		{"1", 0.5, false, "0.5000"},
		{"1", 0.9999, false, "0.9999"},
		{"0.5", 0.50004, true, "0.5000"},
		{"0.5", 0.50006, false, "0.5001"},
		{"0.3333", 1.0 / 3, true, "0.3333"},
		{"0.33333333", 1.0 / 3, true, "0.33333333"},
		{"0.33333334", 1.0 / 3, false, "0.33333333"},
		{">=0.5", 0.5, true, "0.5000"},
		{">=0.5", 0.49999, false, "0.49999"},
		{"<=0.5", 0.5, true, "0.5000"},
		{"<=0.5", 0.50001, false, "0.50001"},
		{">=0.33333333", 1.0 / 3, true, "0.33333333"},
	} {
		c, ok := parseClaim(tt.text)
		require.True(t, ok, tt.text)
		assert.Equal(t, tt.holds, c.holds(tt.value), "%s of %v", tt.text, tt.value)
		assert.Equal(t, tt.shown, c.show(tt.value), "%s of %v", tt.text, tt.value)
	}
	for _, text := range []string{"", "half", ".5", "5.", "+1", "-1", "1e3", ">0.5", ">= 0.5", "=0.5", "0.5 ", "0,5", "NaN", "Inf", "0x1"} {
		_, ok := parseClaim(text)
		assert.False(t, ok, text)
	}
}

// TestClaimTellsApart checks that what is printed of a value is a claim that holds
// for it, and that a failure never shows the number that was expected.
func TestClaimTellsApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0, 1).Draw(t, "value")
		c, ok := parseClaim(claim{}.show(v))
		require.True(t, ok)
		require.True(t, c.holds(v))
		other := rapid.Float64Range(0, 1).Draw(t, "other")
		bound := rapid.SampledFrom([]string{"", ">=", "<="}).Draw(t, "bound")
		c, ok = parseClaim(fmt.Sprintf("%s%.*f", bound, rapid.IntRange(0, 6).Draw(t, "decimals"), other))
		require.True(t, ok)
		if !c.holds(v) {
			require.NotEqual(t, fmt.Sprintf("%.*f", max(4, c.decimals), c.value), c.show(v))
		}
	})
}
