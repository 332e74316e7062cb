package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/report"
)

// golden compares with a file of testdata. TIAP_UPDATE=1 writes it, where CI is
// set only TIAP_UPDATE=force.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	switch update, ci := os.Getenv("TIAP_UPDATE"), os.Getenv("CI"); {
	case update == "" || update == "0":
	case update == "1" && ci != "" && ci != "false":
		t.Fatalf("TIAP_UPDATE=1 while CI=%s: use TIAP_UPDATE=force", ci)
	default:
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "record it with TIAP_UPDATE=1")
	if got != string(want) {
		t.Errorf("%s (-recorded +now); TIAP_UPDATE=1 records it:\n%s", file, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	a := audit(t, b)
	opts := extras(t, a)
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text, report.JSON} {
		golden(t, "audit."+string(f), render(t, f, a, opts...))
	}
	golden(t, "narrow.txt", render(t, report.Text, a, append(opts, report.Width(60))...))
	golden(t, "colour.txt", render(t, report.Text, a, report.Colour(true)))
}

func TestGoldenComparison(t *testing.T) {
	t.Parallel()
	base, head := audit(t, bundle(plainNames(), 0)), audit(t, bundle(plainNames(), 4))
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
		var b strings.Builder
		require.NoError(t, report.Compare(&b, f, base, head))
		golden(t, "comparison."+string(f), b.String())
	}
}

// The same bundle with its lines in another order gives the same bytes.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	b, c := bundle(plainNames(), 0), bundle(plainNames(), 0)
	slices.Reverse(c.Scenario.Queries)
	slices.Reverse(c.Systems[:2])
	for _, s := range c.Systems {
		slices.Reverse(s.Ingests[0].Memories)
	}
	a1, a2 := audit(t, b), audit(t, c)
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
		assert.Equal(t, render(t, f, a1, extras(t, a1)...), render(t, f, a2, extras(t, a2)...), "%s", f)
	}
}
