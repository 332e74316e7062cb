package golden

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// Line is the verdict in one line. One change by several metrics is as many findings, and
// the line says so where there are several metrics.
func (d *Difference) Line() string {
	word := "passed"
	if d.Failed() {
		word = "failed"
	}
	n := 0
	metrics := make(map[string]bool)
	for _, f := range d.Findings {
		if f.Fails {
			n++
		}
		if f.Metric != "" {
			metrics[f.Metric] = true
		}
	}
	text := fmt.Sprintf("%s: %s", word, d.Verdict)
	if len(d.Findings) > 0 {
		text += fmt.Sprintf("; %d of %s", n, english.Count(len(d.Findings), "finding fails", "findings fail"))
		if len(metrics) > 1 {
			text += ", counted for each metric"
		}
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
	text = fmt.Sprintf("%s, population %s, depth %d, headline %s", text, id.Population, id.Depth, cmp.Or(id.Headline, "undeclared"))
	if len(id.Where) > 0 {
		text += ", " + phrase.Categories(id.Where)
	}
	return text
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
		lines = append(lines, text+f.unlike())
	}
	if d.Failed() {
		return harmless.Lines(strings.Join(lines, "\n"))
	}
	for _, n := range d.Notes {
		lines = append(lines, "note: "+n)
	}
	return harmless.Lines(strings.Join(lines, "\n"))
}

// unlike lists what differs in the identity, if that is what was found.
func (f *Finding) unlike() string {
	if f.Verdict != IdentityMismatch {
		return ""
	}
	return "\n    " + strings.Join(f.block.basis, "\n    ")
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
