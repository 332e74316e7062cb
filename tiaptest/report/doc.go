// Package report writes an audit, or two that are compared, for people: as one
// self-contained HTML file with plots, as Markdown for a pull request, as LaTeX
// tables for a paper, and as text for a terminal.
//
//	err := report.WriteFile("report.html", a)
//	err = report.Write(os.Stdout, report.Text, a, report.Rules(tiaptest.SharedSubset(100)))
//	err = report.CompareFile("change.md", base, head)
//
// Every format renders one document that is made once, so that no number is
// computed twice and none differs between formats. What a format leaves out is
// said where it is missing; the JSON report of the audit has everything.
//
// # What it shows
//
// Whether the winner depends on the target; scores with target and n; the winner
// of each pair per target and per convention; gaps with their intervals; every
// flip with the queries that carry it, both rankings side by side; differences by
// query; categories; coverage; target-set sizes; systems, reporting card, what was
// noticed and the digests of the data. Options add more:
//
//   - [Sensitivity]: recommendations by every convention, power, changed queries,
//     coverage bias, shifts by target-set size, depth curves, targets joined and
//     filtered, alignment with answers;
//   - [Composition]: by how many memories queries pass whose evidence is spread;
//   - [Support]: what labels say of contested credits, and how far judges agree;
//   - [Rules]: which rules are kept.
//
// # Foreign text
//
// Ids, names and what people said come from files and are hostile until made
// harmless: control characters and those that turn the direction of writing are
// shown as escapes, long texts are cut with their length, and every format escapes
// its own markup. The HTML has no script and forbids any; nothing in it leads
// out of the file. Markdown shows what could be markup, a mention or a link as
// code. No line of Markdown, LaTeX or text is a command to the log of a GitHub
// runner.
package report
