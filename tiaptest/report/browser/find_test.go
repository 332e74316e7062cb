package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A check of the checks: each finds its fault on a page that has it, and nothing on
// one without faults.
func TestFaultsAreFound(t *testing.T) {
	axe, browser := axe(t), chromium(t)
	check := func(name string) func(*tab) []string {
		return func(p *tab) []string { return check[[]string](p, name) }
	}
	requests := func(p *tab) []string { return p.strangers() }
	console := func(p *tab) []string { return p.said() }
	violations := func(p *tab) []string {
		var out []string
		for _, v := range grave(inaccessible(p, axe)) {
			out = append(out, v.ID)
		}
		return out
	}
	scripted := func(p *tab) []string {
		a := p.picture()
		p.scripts(false)
		p.load()
		if b := p.picture(); a != b {
			return []string{"differs"}
		}
		return nil
	}
	const fine = `<p>fine</p><svg viewBox="0 0 100 20" role="img" aria-label="Plot"><text x="0" y="15">fine</text></svg>`
	for _, tt := range []struct {
		name, body string
		find       func(*tab) []string
	}{
		{"script", `<script>var x = 1</script>`, check("active")},
		{"handler", `<p onclick="x()">x</p>`, check("active")},
		{"svg handler", `<svg viewBox="0 0 9 9" aria-label="Plot"><rect onload="x()"/></svg>`, check("active")},
		{"link out", `<a href="https://example.invalid/">x</a>`, check("active")},
		{"link to nothing", `<a href="#nothing">x</a>`, check("active")},
		{"picture", `<img src="data:,x">`, check("active")},
		{"hidden", `<table style="display: none"><tr><td>1</table>`, check("unseen")},
		{"invisible", `<p style="visibility: hidden">x</p>`, check("unseen")},
		{"transparent", `<div style="opacity: 0"><h2>x</h2></div>`, check("unseen")},
		{"elsewhere", `<p style="position: absolute; left: -9999px">x</p>`, check("unseen")},
		{"flat", `<svg viewBox="0 0 9 9" style="height: 0" aria-label="Plot"></svg>`, check("unseen")},
		{"folded", `<details><summary>x</summary><p>y</p></details>`, check("unseen")},
		{"wide", `<div style="width: 2000px">x</div>`, check("overflow")},
		{"word", `<p>` + strings.Repeat("x", 2000) + `</p>`, check("overflow")},
		{"text beyond its plot", `<svg viewBox="0 0 30 20" aria-label="Plot"><text x="0" y="15">much too long</text></svg>`, check("cut")},
		{"text on text", `<svg viewBox="0 0 300 20" aria-label="Plot"><text x="0" y="15">first</text><text x="10" y="15">second</text></svg>`, check("cut")},
		{"plot wider than its scroller", `<div class="scroll" style="overflow-x: auto; width: 200px"><svg viewBox="0 0 300 20" style="width: 300px" aria-label="Plot"></svg></div>`, check("clipped")},
		{"verdict out of view", `<table style="width: 3000px"><caption>x</caption><tr><th>a</th><th>b</th><th>verdict</th></tr></table>`, check("clipped")},
		{"contrast", `<p style="color: #bbb">grey on white</p>`, violations},
		{"contrast in the dark", `<style>@media (prefers-color-scheme: dark) { .x { color: #444; background: #000 } }</style><p class="x">grey on black</p>`, func(p *tab) []string {
			if found := violations(p); found != nil {
				return nil // in the light there is no fault
			}
			p.look("", "dark", window)
			return violations(p)
		}},
		{"no text for a picture", `<svg viewBox="0 0 9 9" role="img"></svg>`, violations},
		{"list", `<ul><p>x</p></ul>`, violations},
		{"message", `<script>console.log("x")</script>`, console},
		{"exception", `<script>x.y</script>`, console},
		{"forbidden", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>1</script>`, console},
		{"request", `<img src="http://example.invalid/x.png" alt="">`, requests},
		{"font", `<style>@font-face { font-family: x; src: url(http://example.invalid/x.woff) } p { font-family: x }</style><p>x</p>`, requests},
		{"file", `<link rel="stylesheet" href="beside.css">`, requests},
		{"made by a script", `<script>document.body.append("x")</script>`, scripted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := func(body string) *tab {
				file := filepath.Join(t.TempDir(), "page.html")
				require.NoError(t, os.WriteFile(file, []byte(`<!DOCTYPE html><html lang="en"><title>x</title><meta charset="utf-8"><body><main><h1>x</h1>`+body+`</main></body></html>`), 0o666))
				p := open(t, browser, file)
				p.look("", "light", window)
				p.load()
				return p
			}
			assert.NotEmpty(t, tt.find(page(tt.body)))
			assert.Empty(t, tt.find(page(fine)))
		})
	}
	assert.Zero(t, pages([]byte("<html>/Type /Page </html>")))
	assert.Zero(t, pages([]byte("%PDF-1.4\n/Type /Pages\n")))
}
