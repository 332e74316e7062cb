// Package sensitivity says what the target changes: how many queries score
// differently under another target, by how much, for which queries, and what
// that does to winners and to the fit with answers. It goes on where an audit
// ends: an audit says whether a winner flips, this package what is behind it.
//
// A [Table] holds the values of single queries. [FromAudit] takes them from an
// audit; [Table.ReadScores] reads score files, so that published scores can be
// analysed without rankings; [Table.ReadAnswers] adds the quality of the
// answers. [Analyze] computes everything that a table supports:
//
//	t, err := sensitivity.FromAudit(a)
//	r, err := sensitivity.Analyze(t)
//	err = r.WriteText(os.Stdout)
//
// [Conventions] and [Depths] take the audit by other conventions and depths. [NewCard]
// makes the reporting card of a benchmark, which belongs beside published scores, and
// [ProposeHeadline] proposes a headline target.
//
// # Conventions of this package
//
// A query is covered when it has a value. A shift is the score under the second
// target minus the score under the first: what is gained by going from the
// first to the second. Two values differ when they are more than 1e-9 apart,
// and a system or a target leads by more than that. A target without any value
// in a system is left out of every comparison of that system; it is never 0.
// Statistics that are undefined are nil.
//
// Intervals and tests take queries as independent; the audit's own gaps can be
// clustered by conversation.
//
// # Sources
//
// The questions are those of stage III of the TIAP protocol and its appendices
// (arXiv 2605.24060). Changed queries, shares, winners, depths and rank
// correlations equal the numbers published there. For target-set sizes,
// aggregation, agreement filtering and coverage bias no numbers were at hand to
// hold against; their definitions are those stated here.
package sensitivity
