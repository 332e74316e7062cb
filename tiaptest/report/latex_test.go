package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/report"
)

// No table leaves the lines of an article.
func TestLaTeXFits(t *testing.T) {
	t.Parallel()
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed")
	}
	a := audit(t, bundle(plainNames(), 0))
	dir := t.TempDir()
	const head = "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs,graphicx,longtable}\n\\begin{document}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.tex"), []byte(head+render(t, report.LaTeX, a, extras(t, a)...)+"\\end{document}\n"), 0o666))
	c := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", "a.tex")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, m := range regexp.MustCompile(`Overfull \\hbox \((\d+\.?\d*)pt too wide\).*`).FindAllSubmatch(out, -1) {
		over, err := strconv.ParseFloat(string(m[1]), 64)
		require.NoError(t, err)
		assert.LessOrEqual(t, over, 5.0, "%s", m[0])
	}
}
