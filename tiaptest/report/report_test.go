package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	dir := t.TempDir()
	file := filepath.Join(dir, "report.md")
	require.NoError(t, report.WriteFile(file, a))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, render(t, report.Markdown, a), string(got))

	err = report.WriteFile(filepath.Join(dir, "no folder", "report.md"), a)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "name a file that can be written")
	assert.Error(t, report.WriteFile(filepath.Join(dir, "report"), a))
	assert.EqualError(t, report.Write(&strings.Builder{}, "pdf", a), `format "pdf" is not known; use html, md, tex, txt or json`)
	assert.Error(t, report.Compare(&strings.Builder{}, "pdf", a, a))
}

func TestJSONIsTheAudits(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	var want strings.Builder
	require.NoError(t, a.WriteJSON(&want))
	assert.Equal(t, want.String(), render(t, report.JSON, a, report.Width(20)))
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsErrors(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text, report.JSON} {
		assert.ErrorIs(t, report.Write(full{}, f, a), errFull, "%s", f)
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	report.Artifacts(t, a)
	report.Artifacts(t, audit(t, bundle(plainNames(), 4)))
	for _, name := range []string{"report.html", "report.md", "report-2.html", "report-2.md"} {
		info, err := os.Stat(filepath.Join(t.ArtifactDir(), name))
		require.NoError(t, err)
		assert.NotZero(t, info.Size())
	}
}

// Nothing changes between an audit and itself, and the other way round what was
// lost is gained.
func TestCompareDirections(t *testing.T) {
	t.Parallel()
	a, b := audit(t, bundle(plainNames(), 0)), audit(t, bundle(plainNames(), 4))
	var same, there strings.Builder
	require.NoError(t, report.Compare(&same, report.Text, a, a))
	assert.Contains(t, same.String(), "No score and no winner changed.")
	assert.NotContains(t, same.String(), "change flip")
	require.NoError(t, report.Compare(&there, report.Text, a, b))
	assert.Contains(t, there.String(), "Change flip: D5 gains under one target and loses under another")
}

func TestCompareSettings(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	n := plainNames()
	n.systems[1], n.text = "D8", "What blooms"
	var out strings.Builder
	require.NoError(t, report.Compare(&out, report.Text, a, audit(t, bundle(n, 0))))
	for _, want := range []string{"the numbers do not say what the change did", "Queries: their content differs", "System new: D8", "System gone: D5"} {
		assert.Contains(t, out.String(), want)
	}

	// Other settings are named before any number is; how intervals are made is no
	// such setting.
	for _, tt := range []struct {
		option  tiaptest.Option
		differs bool
	}{{tiaptest.Depth(5), true}, {tiaptest.Credit(tiaptest.ByMemory), true}, {tiaptest.Seed(2), false}} {
		b, err := tiaptest.Rescore(bundle(plainNames(), 0), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10)), tiaptest.Resamples(200), tt.option)
		require.NoError(t, err)
		out.Reset()
		require.NoError(t, report.Compare(&out, report.Text, a, b))
		assert.Equal(t, tt.differs, strings.Contains(out.String(), "the numbers do not say what the change did"), "%s", tt.option)
	}
}

// The reports themselves state what has to be stated, by the rule that checks
// published tables.
func TestReportsAreReported(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	a := audit(t, b)
	for _, name := range []string{"report.md", "report.json"} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, report.WriteFile(file, a, extras(t, a)...))
		// The page has gaps by a metric too, which are noted as numbers that are not read.
		broken := func(a *tiaptest.Audit) []tiaptest.Violation {
			return slices.DeleteFunc(tiaptest.ReportedIn(file).Verify(a), func(v tiaptest.Violation) bool {
				return v.Note && name == "report.md" && strings.Contains(v.Text, "numbers by metrics in "+filepath.ToSlash(file)+" not read")
			})
		}
		assert.Empty(t, broken(a), name)
		assert.NotEmpty(t, broken(audit(t, bundle(plainNames(), 4))), "of another audit")
	}
}

// What a store lost is seen although every score is over what is left.
func TestCompareCoverage(t *testing.T) {
	t.Parallel()
	base, head := bundle(plainNames(), 0), bundle(plainNames(), 0)
	in := head.Systems[1].Ingests[0]
	in.Memories = slices.DeleteFunc(in.Memories, func(m tiaptest.Memory) bool { return m.ID == "mfact3" })
	head.Systems[0].Ingests[0].Run = base.Systems[1].Ingests[0].Run
	var out strings.Builder
	require.NoError(t, report.Compare(&out, report.Markdown, audit(t, base), audit(t, head)))
	for _, want := range []string{
		"| D5 | canonical | 12 | 11 | -1 |", // coverage
		"| 0 | 11 | 0 | 1 | 0 |",            // queries lost
		"| D1 - D5 | ndcg@10 | raw | D1 +0.4045 | tie |",
		"Queries with the largest losses by ndcg@10",
		"| D1 - D5 | ndcg@10 | raw and canonical | **flip (decisive)** | none |",
	} {
		assert.Contains(t, out.String(), want)
	}

	head.Systems[0].Ingests[0].Run = base.Systems[0].Ingests[0].Run
	out.Reset()
	require.NoError(t, report.Compare(&out, report.Text, audit(t, base), audit(t, head)))
	assert.Contains(t, out.String(), "A system lost 1 query that it could be compared on; no winner changed.")
}
