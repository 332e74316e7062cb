// Package golden keeps what an audit found in files beside the tests, and fails a
// test when a later audit names other winners.
//
//	a := tiaptest.Load(t, "testdata/locomo")
//	golden.Check(t, "locomo", a)
//
// # Recording
//
// The first run fails, since nothing is recorded, and shows what would be. The
// command that it prints records it, and any later difference that is meant:
//
//	TIAP_UPDATE=1 go test -count=1 -run '^TestLoCoMo$' example.com/pkg
//
// The result is testdata/golden/locomo.json, to be reviewed and committed like
// code, and beside it the scores of single queries (zstd; see [QueryScores]). No
// time and no path is in them, and files are written only when they change, in a
// way that leaves the old state or the new one when the process dies. Processes that
// update files of one folder wait for one another. Where CI is set only
// TIAP_UPDATE=force records. TIAP_TESTDATA names the folder testdata for test binaries
// that run elsewhere. There is no flag.
//
// A golden file is not edited or merged by hand: it holds a digest of its content,
// content_sha256, and names that of the scores. What does not match is an error, as
// are scores that are missing; after a conflict it is recorded again.
//
// In .gitattributes, "**/testdata/golden/** -text" keeps line ends as they are.
// With CRLF, as git may check files out, they are read too, and an update writes
// LF, but not when nothing else differs. Tables keep the line ends of their file.
//
// [Stale] names the files that no test uses any more.
//
// # Parsers
//
// [Store] holds fast what a parser makes of each turn, without queries or rankings:
//
//	b := new(tiaptest.Bundle)
//	s := b.AddSystem("mine", "")
//	for _, turn := range turns {
//		for _, fact := range mine.Parse(turn.Text) {
//			m := tiaptest.Memory{ID: fact.ID, Form: "fact", Text: fact.Text, Sources: []tiaptest.Link{{Turn: turn.ID}}}
//			s.Ingests[0].Memories = append(s.Ingests[0].Memories, m)
//		}
//	}
//	golden.Store(t, "parser", s, golden.Texts()) // without Texts where a model parses
//
// A system that was recorded is one of the Systems of tiaptest.Open.
//
// # Comparing
//
// Records of another identity (queries and evidence, crediting, uncovered units,
// population, depth, metrics, headline) are never compared: the failure says what
// differs. Which queries are covered is data: comparisons are made on the queries
// that both records have, and print their number. A system that is added changes
// nothing for the others.
//
// Each recorded pair is compared under each target: another winner is a
// [WinnerFlip]; two targets that come to name different winners are a [NewFlip].
// Each system is compared with its recorded self, by the changes of single
// queries: a [ChangeFlip] gains under one target and loses under another. The
// verdicts stand in the order in which they are decided. [IdentityMismatch],
// [Missing], [CoverageLost], [WinnerFlip], [NewFlip], [ChangeFlip] and
// [RecommendationChanged] fail, others are reported: a score that is lower under
// every target fails with FailOn(Regressed). [FailOn] and [ReportOnly] choose which
// fail. Differences within [MinEffect] are none. Flips
// that the audit knows (tiaptest.Known, accepted.json) are reported and fail
// nothing until their end date, and so is the other winner that makes such a flip
// where the two targets agreed before. Entries that do nothing are noted.
//
// By micro_recall, a ratio of sums without values of single queries, pairs are
// compared where the queries are the very same, and systems with themselves not:
// recall at its depth shows what it would. The order of a system's targets is
// recorded and not judged: it names no winner, and where it turns a change differs
// between targets, which the comparison of the system with itself shows.
//
// # Noise
//
// A store that is built by a language model differs with each ingest. With at
// least three ingests of a system, recorded and now, differences are those of
// ingest means, tested by Welch's t with the level divided by the number of tests,
// and what noise explains is [Inconclusive]; so is another winner where single
// ingests have no scores to test. With fewer ingests the saved rankings are taken
// as they are, and the message says what that cannot tell. Three ingests tell only
// large differences from noise, five much smaller ones.
//
// In simulations of 60 queries and five ingests against five, 2 to 3 % of
// unchanged re-ingests fail. A parser that loses a fifth of the turns fails in
// 98 % of trials, one that loses a fifth of all memories in 96 %, and one that
// loses a fifth of the facts, where two turns of three have others, in 68 %.
//
// Memories that no query needs can go without a verdict, since no target credits
// them. Their number by form is recorded, and a note says when it is another; no
// verdict does, since each ingest of a language model makes another number. [Store]
// judges stores.
package golden
