package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Text has a contrast of 4.5 to its page and marks one of 3, as the Web Content
// Accessibility Guidelines 2.2 ask for, in light, dark and print.
func TestContrast(t *testing.T) {
	t.Parallel()
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(style, -1)
	require.Len(t, roots, 3)
	for i, name := range []string{"light", "dark", "print"} {
		colours := make(map[string]string)
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(roots[0][1]+roots[i][1], -1) {
			colours[m[1]] = m[2]
		}
		check := func(ink, page string, least float64) {
			a, b := colours[ink], colours[page]
			if strings.HasPrefix(ink, "#") {
				a = ink
			}
			require.NotEmpty(t, a, "%s %s", name, ink)
			require.NotEmpty(t, b, "%s %s", name, page)
			assert.GreaterOrEqual(t, contrast(t, a, b), least, "%s: %s on %s", name, ink, page)
		}
		for _, ink := range []string{"ink", "soft", "link", "first", "second", "good", "bad", "warn"} {
			check(ink, "page", 4.5)
		}
		for _, page := range []string{"panel", "good-page", "bad-page", "warn-page"} {
			check("ink", page, 4.5)
		}
		heat := [5]string{"#0e1319", "#0e1319", "#0e1319", "#ffffff", "#ffffff"}
		if name == "dark" {
			heat = [5]string{"#ffffff", "#ffffff", "#ffffff", "#0e1319", "#0e1319"}
		}
		for step, ink := range heat {
			check(ink, "step"+strconv.Itoa(step), 4.5)
			assert.Contains(t, style, "heattext"+strconv.Itoa(step))
		}
	}
	assert.InDelta(t, 21, contrast(t, "#000000", "#ffffff"), 1e-9)
	assert.InDelta(t, 1, contrast(t, "#123456", "#123456"), 1e-9)
}

// contrast is the contrast ratio of two colours, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	require.NoError(t, err)
	channel := func(shift uint) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// The style sheet leads nowhere and holds nothing that ends it.
func TestStyle(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"url(", "@import", "<", "&", "http"} {
		assert.NotContains(t, style, bad)
	}
	assert.Equal(t, strings.Count(style, "{"), strings.Count(style, "}"))
}
