package browser_test

import (
	_ "embed"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

//go:embed check.js
var script string

// check calls a function of check.js.
func check[T any](p *tab, name string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T]("("+strings.TrimSpace(script[strings.Index(script, "({"):])+")."+name+"()"))
}

// violation is a finding of axe-core.
type violation struct {
	ID     string   `json:"id"`
	Impact string   `json:"impact"`
	Help   string   `json:"help"`
	Nodes  []string `json:"nodes"`
}

// axe is the source of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	file := os.Getenv("TIAP_AXE")
	if file == "" {
		t.Skip("TIAP_AXE names no file: run `npm pack axe-core`, unpack it and name its axe.min.js")
	}
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(source)
}

// inaccessible asks axe-core what is wrong with the page as it is shown now.
func inaccessible(p *tab, axe string) []violation {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](axe))
	return run(p, chromedp.Evaluate[[]violation](`axe.run(document, {preload: false, resultTypes: ["violations"]}).then(r => r.violations.map(
		v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 5).map(n => n.html.slice(0, 200))})))`, chromedp.EvalAwaitPromise))
}

// grave are the violations that are serious or critical.
func grave(all []violation) []violation {
	var out []violation
	for _, v := range all {
		if v.Impact == "serious" || v.Impact == "critical" {
			out = append(out, v)
		}
	}
	return out
}
