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
// # JSON
//
// The JSON report, schema tiap.audit/v1, is one object. Undefined numbers are null.
// Members of every report:
//
//   - schema: its name and version;
//   - scenario: name, digest and number of queries;
//   - settings: the choices that every number stands under;
//   - systems: what each system holds, with counts of covered and absent queries;
//   - shared: the subset that all systems share under all targets;
//   - scores: one of each system, target, subset and metric, with n;
//   - changes: how many queries change between two targets;
//   - pairs: gaps, winners and flips of each two systems, [tiaptest.Pair];
//   - conventions: the winners of each pair under other choices of scoring;
//   - recommendations: the best of each family, [tiaptest.Recommendation];
//   - target_orders: in which order the targets score each system;
//   - stale: outdated memories above current ones, where memories are outdated;
//   - diagnostics: what was noticed in the data and changes no number.
//
// Behind them stand those of [Added], each where an option asks for it:
//
//   - card: the reporting card, [sensitivity.Card], with [Sensitivity];
//   - sensitivity: what the target changes, [sensitivity.Report]; its depths and
//     conventions are those that the report was given;
//   - composition: by how many memories queries pass, [semantic.Composition];
//   - support: the support of contested credits by view, [ViewSupport];
//   - labels: what the labels are worth, [LabelWorth].
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
