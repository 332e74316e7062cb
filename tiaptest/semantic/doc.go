// Package semantic asks whether a credit is deserved: whether a memory that earns
// credit since it descends from a gold turn supports the answer at all.
//
// A contested credit is one that Source or Canonical gives and Raw does not.
// [Contested] lists them, [Sample] draws some of them by target, rank and dataset,
// and people or a model judge them: by files ([WriteCSV], [WriteJSONL], read back
// by [ReadAnswers], gathered by [Labels.AppendTo]; [Assign] deals them out to
// several people, [Disputed] lists what these do not agree on) or by a [Judge], such
// as an [Endpoint], with [Collect]. [Judgeable] leaves out what has no text to judge.
// What they say are support labels.
//
// [Agree] says how far judges agree, [Prevalence] corrects what a model says by
// what people say of a part of it. [Supported] is the target that credits only what
// is supported, [MinSupport] a rule on the share of it, and [Compose] asks whether
// the retrieved memories of a query together cover its evidence.
//
// # Labels
//
// labels.jsonl holds one support label a line:
//
//	{"query":"conv-26/qa0","system":"D5","memory":"m17","text_sha256":"9f86d0...","judge":"first reader","kind":"human","label":"supports"}
//	{"query":"conv-26/qa0","text_sha256":"9f86d0...","judge":"a model","kind":"model","model":"a-model-2026","prompt_sha256":"60303a...","label":"partial"}
//
// A label belongs to a query and a text, whose digest is text_sha256: it is good
// for every memory with that text, in every system and after every ingest, and for
// none whose text has changed. Where a store holds no texts, system and memory
// stand in for the digest. "sample" may name the sample that it was made for.
//
// # Command
//
// tiaptest contested writes cases for people, deals them out, reads back what was
// filled in, lists what is disputed, and lets a model judge. A whole round:
//
//	tiaptest contested DIR -assign ann,bob -overlap 0.3 -o cases.csv      cases.ann.csv and cases.bob.csv, to be filled in
//	tiaptest contested DIR -filled cases.ann.csv -judge ann -o DIR/labels.jsonl
//	tiaptest contested DIR -filled cases.bob.csv -judge bob -o DIR/labels.jsonl
//	tiaptest contested DIR -disputed three -o disputed.csv                to be filled in by who decides
//	tiaptest contested DIR -filled disputed.csv -judge eve -o DIR/labels.jsonl
//	tiaptest audit -sensitivity -beside 'supported(canonical)' -label-rule adjudicator=eve DIR
//
// With labels.jsonl in a bundle, tiaptest audit -sensitivity reports support and
// agreement, and every command that audits knows supported(canonical) and, with
// +partial and +unlabelled, the choices of [Options] that change credit; the others
// are given by -label-rule, or for one target in its name, as
// supported[kind=human](canonical).
//
// # Rules
//
// These are declared by [Options] and nowhere implied. A judge who labels a memory
// twice counts once, by the label given more often. Of several judges the majority
// decides. A tie is no label. An adjudicator's label stands for all others. What
// has no label is not credited.
package semantic
