// Package script runs scenario scripts: a bundle and what is to be found in it, in
// one text file, without Go code.
//
// A script is a txtar archive for testscript. Its files are a bundle as
// tiaptest.Open reads it, and its commands say what an audit of the bundle finds:
//
//	# D1 finds the turn first, D5 the fact made of it.
//	audit -k 5
//	winner D1 raw mrr@5
//	winner D5 canonical mrr@5
//	flip D1 D5 raw canonical mrr@5
//	! flip D1 D5 source canonical mrr@5
//
//	-- scenario.json --
//	{"name": "talk", "headline": "canonical"}
//	-- queries.jsonl --
//	{"id": "q1", "text": "Where is the tea?", "evidence": ["t1"]}
//	-- systems/D1/store.jsonl --
//	{"id": "turn1", "form": "raw", "sources": ["t1"]}
//	{"id": "fact1", "form": "fact", "sources": ["t1"]}
//	-- systems/D1/run.jsonl --
//	{"query": "q1", "ranking": ["turn1", "fact1"]}
//	-- systems/D5/store.jsonl --
//	{"id": "turn1", "form": "raw", "sources": ["t1"]}
//	{"id": "fact1", "form": "fact", "sources": ["t1"]}
//	-- systems/D5/run.jsonl --
//	{"query": "q1", "ranking": ["fact1", "turn1"]}
//
// A test runs all scripts of a folder:
//
//	func TestScenarios(t *testing.T) {
//		script.Run(t, testscript.Params{Dir: "testdata/scenarios"})
//	}
//
// and "tiaptest script FILE..." runs them without one. scenarios.Catalogue holds
// scripts to learn from.
//
// # Commands
//
// The commands of testscript (cp, cd, cmp, stdout, exec, ...) are there too.
// Systems, then targets, then the metric, then what is expected:
//
//	audit [DIR]                                  sets the bundle and the flags of the lines below; prints the table
//	coverage SYSTEM TARGET [SHARE]               share of the queries that the target covers
//	explain QUERY                                prints how a query is scored
//	findings N                                   so many lines above have stated a finding that holds
//	flip SYSTEM SYSTEM TARGET TARGET METRIC      the two targets name different winners
//	gate DIR [VERDICT]                           nothing fails against the earlier bundle DIR, or VERDICT is the verdict
//	golden FILE [VERDICT]                        nothing fails against the golden file, or VERDICT is the verdict
//	prints REGEXP                                the last command printed a line that matches
//	recommend FAMILY TARGET METRIC [SYSTEM]      the member of a family that the target recommends
//	score SYSTEM TARGET METRIC [VALUE]           a score over the audit's population
//	subset [N [SYSTEM...]]                       size of the shared subset, of all systems or of those named
//	winner SYSTEM [SYSTEM] TARGET METRIC         the first system leads the other one, or every other one
//
// Each but findings and prints writes what it finds to standard output, which
// prints, stdout, cmp and testscript's UpdateScripts work on. A line that expects
// something else ends the script.
//
// A number is expected to four decimals, or to as many as are written if these are
// more; ">=0.5" and "<=0.5" are bounds, also with a space. Without a number, SYSTEM
// or FAMILY member there must be one: a defined score, a target that is available, a
// recommendation that is no tie.
//
// "!" before a command expects the opposite: another value, another leader or
// none, no flip, something that fails; without a number that there is none. A name
// that the audit lacks, or two systems that cannot be compared, are no opposite:
// they end the script either way. "! audit" expects a bundle or flags with a fault,
// which goes to standard error, and changes nothing for the lines below; a folder
// that cannot be read ends the script. explain has no opposite.
//
// # Flags
//
// Every command but findings and prints takes the flags of "tiaptest audit" that say
// what to read and how to score it, such as -k, -credit, -population, -targets,
// -where and -systems. Those of an audit line hold until the next one, those of
// another line for that line alone:
//
//	audit -k 10
//	winner D1 D5 raw ndcg@10
//	winner -credit memory D5 D1 raw ndcg@10
//
// -labels, -label-rule and targets such as supported(canonical) are among them; labels.jsonl of the
// bundle is read when a target asks for it. -o and -sensitivity are not.
//
// The bundle is read anew by every line, so that cp can put another file into it.
// Names of folders and files are relative to the current folder, which cd changes; the
// bundle of an audit line stays that folder, wherever the lines below cd to.
//
// flip has -from GRADE, the grade that a flip has at least (fragile, likely,
// decisive); gate and golden have -fail-on, -report-only, -fixed-runs, -tolerance and
// -effect, as "tiaptest gate". A target named by -beside is compared with the headline
// alone.
//
// # Golden files
//
// FILE is relative to the folder in which the tests run, since a script's own
// folder does not last. TIAP_UPDATE=1 records it, by a golden line without "!" and
// VERDICT; see package golden.
package script
