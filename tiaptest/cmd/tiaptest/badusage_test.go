package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefusedUsage(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name: "depth",
			args: "audit -k 0 DIR",
			stderr: `
depth 0: it must lie between 1 and 1073741824
`,
		},
		{
			name: "negative depth",
			args: "audit -k -5 DIR",
			stderr: `
depth -5: it must lie between 1 and 1073741824
`,
		},
		{
			name: "unknown metrics",
			args: "audit -metrics ndgc@10,recall@0,top1@5,ndcg@10.5 DIR",
			stderr: `
unknown metric "ndgc@10"; use one of ndcg@k, recall@k, hit@k, mrr@k, precision@k, ap@k, rprec, all@k, top1, micro_recall@k
metric "recall@0": the cut-off must be a whole number from 1 to 1073741824, as in recall@10
metric "top1@5" takes no cut-off; write top1
metric "ndcg@10.5": the cut-off must be a whole number from 1 to 1073741824, as in ndcg@10
`,
		},
		{
			name: "unknown targets",
			args: "audit -targets raw,cannonical -beside recent(raw) -headline sauce DIR",
			stderr: `
unknown target "cannonical"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one
unknown target "recent(raw)"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one
unknown target "sauce"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one
`,
		},
		{
			name: "unknown values",
			args: "audit -credit units -uncovered kept -population every -merge best -min-effect -0.1 -alpha 1 -resamples 10 DIR",
			stderr: `
unknown rule "kept" for uncovered units; use dropped or counted
unknown population "every"; use shared, all or covered, or for TREC judged or matched
unknown merge rule "best"; use order, interleave or rrf
min effect -0.1: it must be at least 0 and less than 1
alpha 1: it must lie between 0 and 1
resamples 10: it must lie between 100 and 1000000
unknown crediting "units"; use evidence or memory
`,
		},
		{
			name: "values that are no numbers",
			args: "audit -min-effect nan -alpha nan DIR",
			stderr: `
min effect NaN: it must be at least 0 and less than 1
alpha NaN: it must lie between 0 and 1
`,
		},
		{
			name: "value of a wrong type",
			args: "audit -alpha small DIR",
			stderr: `
tiaptest audit: invalid value "small" for flag -alpha: parse error; see tiaptest audit -h
`,
		},
		{
			name: "metric named twice",
			args: "audit -metrics ndcg@10,recall@10,nDCG@10 DIR",
			stderr: `
metric ndcg@10 is named twice; name it once
`,
		},
		{
			name: "target named twice",
			args: "audit -targets raw,canonical,raw DIR",
			stderr: `
target raw is named twice; name it once
`,
		},
		{
			name: "headline not among targets",
			args: "audit -targets raw,source DIR",
			stderr: `
DIR/scenario.json: the headline target canonical is not among the targets raw,source; add it or declare one of them
`,
		},
		{
			name: "beside without headline",
			args: "audit -beside current(source) DIR",
			files: `
-- scenario.json --
{"name":"tiny"}
`,
			stderr: `
targets beside the headline, but no headline target is declared; declare one
`,
		},
		{
			name: "unknown system",
			args: "audit -systems a,b DIR",
			stderr: `
unknown system "b"; the bundle has a
`,
		},
		{
			name: "names that stand twice",
			args: "audit -systems a,a,a DIR",
			stderr: `
system "a" is named twice; name it once
system "a" is named twice; name it once
`,
		},
		{
			name: "empty names",
			args: "audit -systems a,,b -where , DIR",
			stderr: `
tiaptest audit: -where ,: a name in it is empty; write them as in -where A,B
tiaptest audit: -systems a,,b: a name in it is empty; write them as in -systems A,B
`,
		},
		{
			name: "two forms of one output",
			args: "audit -json -text DIR",
			stderr: `
tiaptest audit: -json and -text: use one
`,
		},
		{
			name: "empty values",
			args: "audit -where= -metrics= -headline= -systems= -targets= -beside= -o= DIR",
			stderr: `
tiaptest audit: the value of -where is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -metrics is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -headline is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -systems is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -targets is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -beside is empty; give one, or leave the flag out; see tiaptest audit -h
tiaptest audit: the value of -o is empty; give one, or leave the flag out; see tiaptest audit -h
`,
		},
		{
			name: "a flag in place of a value",
			args: "gate -base -k 10 DIR/base DIR/head",
			stderr: `
tiaptest gate: -base has no value: the flag -k stands in its place; write -base=-k if that is meant; see tiaptest gate -h
`,
		},
		{
			name: "unknown category",
			args: "audit -where 7 DIR",
			stderr: `
no query has the category "7"; the queries have no category
`,
		},
		{
			name: "uncovered units counted by memory",
			args: "audit -credit memory -uncovered counted DIR",
			stderr: `
uncovered units can be counted by evidence only, by memory there are no units; leave them dropped
`,
		},
		{
			name: "population of TREC for a bundle",
			args: "audit -population judged DIR",
			stderr: `
population judged exists for TREC qrels only; use shared, all or covered
`,
		},
		{
			name: "two folders",
			args: "audit DIR DIR",
			stderr: `
tiaptest audit: 2 folders, DIR and DIR; name one bundle, or -records and -trace, or -qrels and -run
`,
		},
		{
			name: "no folder",
			args: "audit",
			stderr: `
tiaptest audit: no folder; name one bundle, or -records and -trace, or -qrels and -run
`,
		},
		{
			name: "unknown flag",
			args: "audit DIR -jsn",
			stderr: `
tiaptest audit: flag provided but not defined: -jsn; see tiaptest audit -h
`,
		},
		{
			name: "flag without value",
			args: "audit DIR -k",
			stderr: `
tiaptest audit: flag needs an argument: -k; see tiaptest audit -h
`,
		},
		{
			name: "flag after the end of flags",
			args: "audit DIR -- -json",
			stderr: `
tiaptest audit: 2 folders, DIR and -json; name one bundle, or -records and -trace, or -qrels and -run
`,
		},
		{
			name: "faults of options and of the bundle",
			args: "audit -k 0 -alpha 2 DIR",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","parents":["m9"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:1: memory "m1" names the parent "m9", which is not in the store; add that memory to the store, or name its turns under sources
depth 0: it must lie between 1 and 1073741824
alpha 2: it must lie between 0 and 1
`,
		},
		{
			name: "flags of TREC for a bundle",
			args: "audit -level 2 -judged-only DIR",
			stderr: `
tiaptest audit: -judged-only, -level: for TREC input only; name -qrels and -run
`,
		},
		{
			name: "output that cannot be written",
			args: "audit DIR -o DIR/none/report.txt",
			stderr: `
DIR/none/report.txt: no such file or directory; name a file that can be written
`,
		},
		{
			name: "values of queries that cannot be written",
			args: "audit DIR -per-query DIR",
			stderr: `
DIR: is a directory; name a file that can be written
`,
		},
	})
}

// Without a known command the usage is all the help there is.
func TestRefusedCommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":           "usage: tiaptest COMMAND [flags] [arguments]\n",
		"rescore -h": "tiaptest: unknown command \"rescore\"\nusage: tiaptest COMMAND [flags] [arguments]\n",
		"-json DIR":  "tiaptest: unknown command \"-json\"\nusage: tiaptest COMMAND [flags] [arguments]\n",
	} {
		status, stdout, stderr := start("DIR", strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.True(t, strings.HasPrefix(stderr, want), "%s: %s", args, stderr)
	}
}
