package browser_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// The widths that pages are looked at, in pixels: that of a phone, of a window, of
// an A4 page within margins of 1 cm.
const (
	phone  = 390
	window = 1280
	paper  = 718
)

func TestReports(t *testing.T) {
	axe, browser := axe(t), chromium(t)
	for _, tt := range []struct {
		name   string
		write  func(t *testing.T, file string)
		want   map[string]content
		places int64 // the width in pixels that it needs on paper; browsers shrink up to twice that of the paper to fit
	}{
		{"garden", func(t *testing.T, file string) { write(t, file, garden(t), 10) }, auditContent, paper},
		{"boat", func(t *testing.T, file string) { write(t, file, boat(t), 10) }, auditContent, paper},
		{"comparison", func(t *testing.T, file string) {
			base, head := garden(t), garden(t)
			head.Systems[0].Ingests, head.Systems[1].Ingests = head.Systems[1].Ingests, head.Systems[0].Ingests
			require.NoError(t, report.CompareFile(file, rescore(t, base, 10), rescore(t, head, 10)))
		}, comparisonContent, paper},
		{"hostile", func(t *testing.T, file string) { write(t, file, harmful(t), 10) }, hostileContent, 2 * paper},
		{"hostile comparison", func(t *testing.T, file string) {
			base, head := rescore(t, harmful(t), 10), harmful(t)
			head.Systems[0].Ingests = head.Systems[1].Ingests
			require.NoError(t, report.CompareFile(file, base, rescore(t, head, 10)))
		}, comparisonContent, 2 * paper},
		{"Conformance LoCoMo", func(t *testing.T, file string) { write(t, file, locomo(t), 60) }, auditContent, paper},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.ArtifactDir(), strings.ReplaceAll(tt.name, " ", "-")+".html")
			tt.write(t, file)
			inspect(t, open(t, browser, file), axe, tt.want, tt.places)
		})
	}
}

// inspect looks at a page in every way that it is looked at.
func inspect(t *testing.T, p *tab, axe string, want map[string]content, places int64) {
	t.Helper()
	p.look("", "light", window)
	p.load()
	assert.Empty(t, check[[]string](p, "active"), "nothing runs, loads or leads out")
	has := make(map[string]content)
	for _, s := range check[[]struct {
		ID, Title     string
		Tables, Plots int
	}](p, "parts") {
		require.NotEmpty(t, s.ID)
		assert.NotEmpty(t, s.Title)
		has[s.ID] = content{s.Tables, s.Plots}
	}
	for id, least := range want {
		got, there := has[id]
		assert.True(t, there, "section %s", id)
		assert.GreaterOrEqual(t, got.tables, least.tables, "tables of section %s", id)
		assert.GreaterOrEqual(t, got.plots, least.plots, "plots of section %s", id)
	}

	scripted := p.picture()
	p.scripts(false)
	p.load()
	assert.Equal(t, scripted, p.picture(), "the page is the same without scripts")
	p.scripts(true)
	p.load()

	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{window, phone} {
			p.look("", scheme, width)
			p.load()
			assert.Empty(t, check[[]string](p, "overflow"), "%s, %d wide", scheme, width)
			p.keep(scheme, width)
			check[[]string](p, "unfold")
			assert.Empty(t, check[[]string](p, "overflow"), "%s, %d wide, unfolded", scheme, width)
			assert.Empty(t, check[[]string](p, "unseen"), "%s, %d wide", scheme, width)
			if width == phone {
				assert.Empty(t, check[[]string](p, "clipped"), "%s, %d wide", scheme, width)
			}
			if width == window {
				assert.Empty(t, check[[]string](p, "cut"), "%s", scheme)
				assert.Empty(t, grave(inaccessible(p, axe)), "%s", scheme)
			}
		}
	}
	p.look("print", "dark", places)
	p.load()
	assert.Empty(t, check[[]string](p, "overflow"), "on paper")
	assert.Empty(t, check[[]string](p, "unseen"), "on paper, with what is folded")

	pdf := run(p, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	require.NoError(t, os.WriteFile(p.artifact("paper.pdf"), pdf, 0o666))
	assert.Positive(t, pages(pdf))

	assert.Empty(t, p.said(), "the console is clean")
	assert.Empty(t, p.strangers(), "no request leaves")
	assert.NotEmpty(t, p.requests, "requests are seen")
}

// picture is what the window shows, and the elements of the page as the browser
// understands them.
func (p *tab) picture() [2]string {
	p.t.Helper()
	return [2]string{string(run(p, chromedp.CaptureScreenshot())), run(p, chromedp.OuterHTML(chromedp.CSS("html")))}
}

// keep takes a picture of the whole page when artifacts are kept.
func (p *tab) keep(scheme string, width int64) {
	p.t.Helper()
	if kept := flag.Lookup("test.artifacts"); kept == nil || kept.Value.String() != "true" {
		return
	}
	name := map[int64]string{window: "window", phone: "phone"}[width]
	require.NoError(p.t, os.WriteFile(p.artifact(scheme+"-"+name+".png"), run(p, chromedp.FullScreenshot(100)), 0o666))
}

// artifact is a file beside the page, named after it.
func (p *tab) artifact(name string) string { return strings.TrimSuffix(p.file, "html") + name }

// pages counts the pages of a PDF file.
func pages(pdf []byte) int {
	if !regexp.MustCompile(`^%PDF-1\.`).Match(pdf) {
		return 0
	}
	return len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(pdf, -1))
}

// Hostile texts are shown as what they are.
func TestHostileTextsAreShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	write(t, file, harmful(t), 10)
	p := open(t, chromium(t), file)
	p.load()
	shown := check[[]string](p, "text")
	require.Len(t, shown, 2)
	texts := hostile.Texts()
	for _, s := range []string{texts[0].Text, texts[1].Text, `"><svg onload=alert(1)>`} {
		assert.Contains(t, shown[0], s)
	}
	assert.Equal(t, "Audit of "+texts[1].Text, shown[1], "the title")
}
