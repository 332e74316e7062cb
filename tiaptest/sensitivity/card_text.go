package sensitivity

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
)

// WriteText writes the card as aligned plain text. What is not said is "-".
func (c *Card) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "reporting card of %s\n    %s\n    %s\n", phrase.Name(cmp.Or(c.Scenario, "an unnamed scenario")), c.statement(), c.proposal())
	for _, p := range c.Practices {
		fmt.Fprintf(&b, "    %s: %s\n", p.Asks, p.verdict())
		for _, m := range p.Missing {
			fmt.Fprintf(&b, "        %s\n", m)
		}
	}
	for _, rows := range [][][]string{c.systems(), c.forms(), c.scores()} {
		table.Section(&b, "", rows)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the card for a model card or a README. The table of scores
// states all that [tiaptest.ReportedIn] asks for.
func (c *Card) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Reporting card: %s\n\n%s\n\n", markdown(cmp.Or(c.Scenario, "an unnamed scenario")), markdown(c.proposal()))
	for _, p := range c.Practices {
		fmt.Fprintf(&b, "- %s: %s\n", p.Asks, p.verdict())
		for _, m := range p.Missing {
			fmt.Fprintf(&b, "  - %s\n", markdown(m))
		}
	}
	for i, rows := range [][][]string{c.systems(), c.forms(), c.scores()} {
		if len(rows) < 2 {
			continue
		}
		b.WriteByte('\n')
		if i == 2 { // right above the scores, which it is about
			fmt.Fprintf(&b, "%s\n\n", markdown(c.statement()))
		}
		for n, row := range rows {
			if n == 1 {
				b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
			}
			for _, cell := range row {
				if n > 0 {
					cell = markdown(cell)
				}
				b.WriteString("| " + cell + " ")
			}
			b.WriteString("|\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown keeps text from being read as Markdown or HTML.
func markdown(s string) string {
	s = html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`).Replace(s)
}

func (p *Practice) verdict() string {
	if p.Holds {
		return "yes"
	}
	return "no"
}

// statement is what the scores stand under.
func (c *Card) statement() string {
	headline := "none"
	if c.Headline != nil {
		headline = phrase.Name(*c.Headline)
	}
	credit := c.Credit
	if credit != string(tiaptest.ByMemory) { // which knows no units
		credit += ", uncovered units " + c.Uncovered
	}
	return fmt.Sprintf("headline %s; credit by %s, population %s, depth %d; shared subset %d of %s, %d unscorable",
		headline, credit, c.Population, c.Depth, c.Shared, english.Count(c.Queries, "query", "queries"), c.Unscorable)
}

func (c *Card) proposal() string {
	if c.Proposed.Target == nil {
		return "no headline is proposed: " + c.Proposed.Why
	}
	return fmt.Sprintf("proposed headline %s: %s", *c.Proposed.Target, c.Proposed.Why)
}

func (c *Card) systems() [][]string {
	rows := [][]string{{"system", "retrieval unit", "lineage", "unavailable", "covers no query"}}
	list := func(names []string) string { return cmp.Or(strings.Join(names, ", "), "-") }
	for _, s := range c.Systems {
		rows = append(rows, []string{s.System, cmp.Or(s.Unit, "-"), cmp.Or(s.Lineage, "-"), list(s.Unavailable), list(s.Uncovering)})
	}
	return rows
}

func (c *Card) forms() [][]string {
	rows := [][]string{{"system", "form", "memories", "meaning"}}
	for _, s := range c.Systems {
		for _, f := range s.Forms {
			rows = append(rows, []string{s.System, f.Form, count(f.Memories), cmp.Or(f.Meaning, "-")})
		}
	}
	return rows
}

func (c *Card) scores() [][]string {
	rows := [][]string{{"system", "target", "n", c.Metric}}
	for _, s := range c.Systems {
		for _, score := range s.Scores {
			rows = append(rows, []string{s.System, score.Target, count(score.N), phrase.Decimals(score.Value)})
		}
	}
	return rows
}
