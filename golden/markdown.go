package golden

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/tiaptest"
)

// The largest body of a comment, below the 64 KiB that code hosts allow.
const markdownCap = 60_000

// WriteMarkdown writes the verdict in a line, a table of the findings, and the
// details folded, for a comment on a pull request.
func (d *Difference) WriteMarkdown(w io.Writer, a *tiaptest.Audit) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**tiaptest gate %s**\n", escape(d.Line()))
	if len(d.Findings) > 0 {
		b.WriteString("\n| verdict | fails | finding | queries |\n| --- | --- | --- | ---: |\n")
		for _, f := range d.Findings {
			fails, n := "no", ""
			if f.Fails {
				fails = "yes"
			}
			if f.N > 0 {
				n = fmt.Sprint(f.N)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Verdict, fails, escape(f.Text), n)
		}
	}
	if d.got != nil {
		fmt.Fprintf(&b, "\n%s\n", escape(d.got.conventions()))
	}
	for i, n := range d.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- note: %s\n", escape(n))
	}
	const frame = 200 // bytes around the details, and the word that they are cut
	text, whole := fit(b.String(), markdownCap-frame)
	details := d.failures(a, manner{})
	if details == "" && d.Verdict == IdentityMismatch {
		details = harmless.Lines(d.Findings[0].Text + d.Findings[0].unlike())
	}
	if details = html.EscapeString(details); whole && details != "" {
		details, whole = fit(details, markdownCap-frame-len(text))
		text += "\n<details><summary>Details</summary>\n\n<pre>\n" + details + "\n</pre>\n\n</details>\n"
	}
	if !whole {
		text += "\ncut; see the text output\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// fit cuts a text behind a line that leaves it no longer than n bytes.
func fit(text string, n int) (cut string, whole bool) {
	if len(text) <= n {
		return text, true
	}
	return text[:strings.LastIndexByte(text[:max(n, 0)], '\n')+1], false
}

// escape keeps names from being read as Markdown or HTML. A text with something that
// GitHub makes a link or more of becomes code.
func escape(s string) string {
	s = harmless.Clean(s, findingLength)
	if reference.MatchString(s) {
		return harmless.Markdown(s)
	}
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`).Replace(html.EscapeString(s))
}

// findingLength is how many characters of a finding Markdown shows.
const findingLength = 1000

// reference finds mentions, references to issues and commits, addresses, links,
// mathematics, emoji, and what else is no plain sentence.
var reference = regexp.MustCompile(`(?i)(^|[^a-z0-9])@|@[a-z]|://|www\.|\bgh-[0-9]|::|:[a-z0-9_+-]+:|\b[0-9a-f]{7,40}\b|[#\x60~$\\]`)
