// Package tiaptest rescores saved rankings of conversational-memory systems
// under several scoring targets, inside go test.
//
// A memory system keeps the turns of a conversation beside facts, summaries and
// other memories derived from them. Its retrieval is measured against gold turns,
// and somebody has to say which stored forms of a gold turn may earn credit: that
// is the target. On the same rankings another target can name another winner
// (arXiv 2605.24060). A test with this package fails when a score is reported
// without its target, when systems are compared on different queries, or when
// the winner depends on the target:
//
//	a := tiaptest.Load(t, "testdata/locomo")
//	tiaptest.Check(t, a,
//		tiaptest.TargetsReported(),
//		tiaptest.SharedSubset(100),
//		tiaptest.NoWinnerFlip(tiaptest.NDCG(60)),
//	)
//
// # Targets
//
// [Raw] credits the gold turn itself, [Source] every memory that descends from
// it, [Canonical] what was derived from it and is served. [Current], [ValidAt],
// [Exact] and [Inferred] modify a target; [NewTarget] makes one, and [Passing]
// credits only what passes a judgement of retrieved memories. The headline
// target is the one that matches what the deployed system serves; the scenario
// declares it. Where a target asks whether memories are current or were valid,
// the audit also counts outdated hits that stand above current ones.
//
// A target is unavailable in a system whose memories say nothing about where they
// come from, or that lack every label it credits by ([Labelled]); it covers no query
// when none of its memories may earn credit. Neither gives a score, and both are
// reported: they are never 0.
//
// # Crediting
//
// A query has evidence units, normally one for each gold turn. [ByEvidence] gives
// one gain where a memory belongs to a unit not credited yet, and credits all its
// units. [ByMemory] takes every eligible memory as a relevant item of its own, as
// trec_eval does. Units without an eligible memory are dropped from the
// denominator, or counted ([Uncovered]).
//
// # Populations
//
// Systems are compared on the queries that are covered (have an eligible memory)
// under every main target in every compared system: the shared subset. A pair has
// its own, so has a family. [Population] chooses others.
//
// # Rankings
//
// The order of ids is the rank; scores are kept and never reorder. Ids that the
// store lacks descend from nothing and are counted; when the store has none of
// them the two use different id spaces, and that is an error. An empty ranking
// scores 0. So do a failed one and a query absent from the run, but they are named
// and [CompleteRuns] fails for them. A system may return several lists, which become
// one ranking by a rule ([Merge]).
//
// # Comparisons
//
// Every two systems are compared by every metric under every target: the gap with
// a paired bootstrap interval and a p value (paired t test; below 30 queries
// randomization; Welch over ingest means when both systems have repeats that
// differ), adjusted by Holm over pairs and targets. Between two targets the
// shift of the gap is estimated alike. A winner flip is decisive when both gaps
// are significant with opposite signs, likely when the shift is, else fragile.
// Above 20 systems gaps have intervals only. All randomness is seeded ([Seed]).
//
// The same is asked of the conventions beside the target (crediting, uncovered
// units, population, merge of lists), of the recommended member of a family, and of the order in
// which targets score a system.
//
// # Files
//
// [Open] describes the files of a bundle. Lines of JSONL files:
//
//	queries.jsonl  {"id":"conv-26/qa0","scope":"conv-26","time":"...","text":"...","category":"2","answer":"...","evidence":["conv-26/D1:3"]}
//	               an item of evidence is a turn id, or {"id":"u1","turns":["...","..."]} when any of the turns counts
//	turns.jsonl    {"id":"conv-26/D1:3","session":"...","speaker":"...","time":"...","text":"..."}
//	store.jsonl    {"id":"m1","form":"raw","sources":["conv-26/D1:3"],"parents":[],"serving":true,"status":"active","valid_from":"...","valid_to":"...","text":"..."}
//	               a source is a turn id, or {"turn":"...","precision":"exact|batch|container","origin":"recorded|inferred"}
//	run.jsonl      {"query":"conv-26/qa0","ranking":["m1","m2"],"scores":[2.1,1.7],"k":60,"error":""}
//	               or "lists":{"edges":[...],"nodes":[...]} in place of the ranking
//
// scenario.json declares the headline; it has source.sha256 too. system.json, in the
// folder of each system, says its family, retrieval unit, where its lineage comes
// from, what each form is, and config as it likes; accepted.json, beside
// scenario.json, lists known findings:
//
//	{"name":"locomo","unit":"dialogue turn","headline":"canonical"}
//	{"family":"density","unit":"turn or fact","lineage":"recorded at ingest","forms":{"fact":"a statement made of a turn"}}
//	[{"a":"D1","b":"D5","metric":"ndcg@60","targets":["raw","source"],"reason":"...","until":"2027-03-01"}]
//
// "query_id" may stand for "query" and "id"; unknown fields are ignored; wrong
// types are errors. [TREC] and [MTELMem] read other formats.
//
// # Rules
//
// [TargetsReported], [SharedSubset], [Nested], [CompleteRuns] and [MinCoverage] ask
// whether scores can be compared at all; [NoWinnerFlip], [NoConventionFlip],
// [NoDepthFlip], [StableRecommendation] and [StableTargetOrder] whether the result
// depends on a choice; [Winner], [MinScore] and [EachQuery] hold a result fast;
// [ReportedIn] checks a published table. A rule that compared nothing fails. What
// is known and accepted is stated by [Known] or in accepted.json, with a reason.
// [Rule] is open for rules of one's own.
//
// # Reports
//
// [Audit.WriteTable] writes text, [Audit.WriteJSON] the whole audit in the schema
// tiap.audit/v1, [Audit.WritePerQuery] the value of every query;
// [Audit.Explain] says how one query is scored and why evidence was missed.
// [Check] sets attributes of the test and, with -artifacts, keeps the reports;
// [Bench] shows scores to benchstat. The same input gives the same bytes, whatever
// the order of lines, files and systems.
package tiaptest
