package golden

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// Line is the verdict in one line.
func (d *Difference) Line() string {
	word := "passed"
	if d.Failed() {
		word = "failed"
	}
	n := 0
	for _, f := range d.Findings {
		if f.Fails {
			n++
		}
	}
	text := fmt.Sprintf("%s: %s", word, d.Verdict)
	if len(d.Findings) > 0 {
		text += fmt.Sprintf("; %d of %s", n, english.Count(len(d.Findings), "finding fails", "findings fail"))
	}
	if d.source != "" {
		text += "; against " + d.source
	}
	return text
}

func (c *content) conventions() string { return c.Identity.conventions() }

// conventions names what every number stands under.
func (id *identity) conventions() string {
	text := "credit by " + id.Credit
	if id.Credit == "evidence" {
		text += ", uncovered units " + id.Uncovered
	}
	headline := id.Headline
	if headline == "" {
		headline = "undeclared"
	}
	return fmt.Sprintf("%s, population %s, depth %d, headline %s", text, id.Population, id.Depth, headline)
}

// WriteText writes what failed in full, and the rest in lines. The audit, which
// may be nil, gives the texts of queries.
func (d *Difference) WriteText(w io.Writer, a *tiaptest.Audit) error {
	var b strings.Builder
	fmt.Fprintln(&b, harmless.Lines(d.Line()))
	for _, text := range []string{d.failures(a, manner{notes: true}), d.reports()} {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n", text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// accepted is an entry of accepted.json.
type accepted struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Metric  string   `json:"metric"`
	Targets []string `json:"targets"`
	Reason  string   `json:"reason"`
}

// acceptable lists the entries that would make the failing flips of a comparison
// known ones.
func (d *Difference) acceptable(f *Finding) []accepted {
	var out []accepted
	for _, g := range d.Findings {
		if g.Verdict == NewFlip && g.Fails && g.block == f.block {
			out = append(out, accepted{g.Systems[0], g.Systems[1], g.Metric, g.Targets, "..."})
		}
	}
	return out
}

// table is what a comparison measured, with a column for noise if any has some.
func (k *block) table(noise bool) [][]string {
	head := []string{"target", "recorded " + k.what, "now", "95% CI", "change", "95% CI of change"}
	if !k.gap {
		head = slices.Delete(head, 3, 4)
	}
	if noise {
		head = append(head, "noise")
	}
	rows := [][]string{head}
	for _, r := range k.rows {
		cells := []string{r.Target, phrase.Signed(r.Recorded), phrase.Signed(r.Now)}
		if !k.gap {
			cells = []string{r.Target, fmt.Sprintf("%.4f", r.Recorded), fmt.Sprintf("%.4f", r.Now)}
		}
		if k.gap {
			cells = append(cells, phrase.Interval(r.NowCI))
		}
		cells = append(cells, phrase.Signed(r.Change), phrase.Interval(r.ChangeCI))
		if noise {
			cells = append(cells, fmt.Sprintf("%.4f", r.Floor))
		}
		rows = append(rows, cells)
	}
	return rows
}

// cite names a query, with its text and gold turns if there is an audit that has it.
func cite(a *tiaptest.Audit, id string) string {
	var q tiaptest.Query
	if a != nil {
		q, _ = a.Query(id)
	}
	return phrase.Query(id, q.Text, q.Evidence, func(u tiaptest.Unit) []string { return u.Turns })
}

// reports lists what differs and fails nothing.
func (d *Difference) reports() string {
	type line struct {
		first   *Finding
		metrics []string
	}
	var found []*line
	number := make(map[string]*line)
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Fails || f.block != nil && slices.ContainsFunc(d.Findings, func(g Finding) bool { return g.Fails && g.block == f.block }) {
			continue
		}
		key := fmt.Sprintf("%d %q %q", f.N, f.Systems, withoutMetric(f))
		if of := number[key]; of != nil && f.Metric != "" {
			of.metrics = append(of.metrics, f.Metric)
			continue
		}
		number[key] = &line{f, []string{f.Metric}}
		found = append(found, number[key])
	}
	var lines []string
	for _, of := range found {
		f := of.first
		text := f.Text
		if len(of.metrics) > 1 {
			text = f.by(of.metrics, withoutMetric(f))
		}
		if f.N > 0 && f.Metric != "" {
			text += fmt.Sprintf(" (%s)", english.Count(f.N, "query", "queries"))
		}
		if f.Verdict == QueryLost && len(f.Carriers) > 0 {
			text += ": " + phrase.Name(f.Carriers[0].Query)
			if n := len(f.Carriers) - 1; n > 0 {
				text += fmt.Sprintf(" and %d more", n)
			}
		}
		lines = append(lines, text)
	}
	if d.Failed() {
		return harmless.Lines(strings.Join(lines, "\n"))
	}
	for _, n := range d.Notes {
		lines = append(lines, "note: "+n)
	}
	return harmless.Lines(strings.Join(lines, "\n"))
}

// WriteJSON writes the findings, schema tiap.golden-diff/v1.
func (d *Difference) WriteJSON(w io.Writer) error {
	type finding struct {
		Finding
		Rows  []row    `json:"rows,omitempty"`
		Basis []string `json:"basis,omitempty"`
	}
	out := struct {
		Schema   string    `json:"schema"`
		Verdict  Verdict   `json:"verdict"`
		Failed   bool      `json:"failed"`
		Against  string    `json:"against,omitempty"`
		Identity *identity `json:"identity,omitempty"`
		Findings []finding `json:"findings"`
		Notes    []string  `json:"notes,omitempty"`
		Accept   string    `json:"accept,omitempty"`
	}{Schema: "tiap.golden-diff/v1", Verdict: d.Verdict, Failed: d.Failed(), Against: d.source, Findings: []finding{}, Notes: d.Notes}
	if d.got != nil {
		out.Identity = &d.got.Identity
	}
	if out.Failed {
		out.Accept = d.accept
	}
	for _, f := range d.Findings {
		one := finding{Finding: f}
		if f.block != nil {
			one.Rows, one.Basis = f.block.rows, f.block.basis
		}
		out.Findings = append(out.Findings, one)
	}
	return writeJSON(w, out, " ")
}

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
	if details := html.EscapeString(d.failures(a, manner{})); whole && details != "" {
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
