package main

import (
	"testing"
)

func TestRefusedTREC(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name:  "repeated judgement",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- raw.qrels --
q1 0 m1 1
q2 0 m3 1
q1 0 m1 0
`,
			stderr: `
DIR/raw.qrels:3: query "q1" has doc "m1" twice, first on line 1; keep one of the lines
`,
		},
		{
			name:  "document twice in a run",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- a.run --
q1 Q0 m1 1 2.0 a
q1 Q0 m2 2 1.0 a
q1 Q0 m1 3 0.5 a
`,
			stderr: `
DIR/a.run:3: query "q1" has doc "m1" twice, first on line 1; keep one of the lines
`,
		},
		{
			name:  "rank twice in the rank column",
			sound: soundTREC,
			args:  auditTREC + " -rank-column",
			files: `
-- a.run --
q1 Q0 m1 1 2.0 a
q1 Q0 m2 1 1.0 a
`,
			stderr: `
DIR/a.run:2: query "q1" has rank 1 twice: doc "m2" here, doc "m1" on line 1; number the ranks without repetition, or order by score
`,
		},
		{
			name:  "fractional and textual grades",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- raw.qrels --
q1 0 m1 0.5
q1 0 m2 high
q1 0 m3 99999999999
`,
			stderr: `
DIR/raw.qrels:1: grade "0.5" is not an integer; a grade is written in decimal digits only, such as 1
DIR/raw.qrels:2: grade "high" is not a number; a grade is written in decimal digits only, such as 1
DIR/raw.qrels:3: grade "99999999999" does not fit into 32 bits; a grade lies between -2147483648 and 2147483647
`,
		},
		{
			name:  "fields of a run line",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- a.run --
q1 Q0 m1 1 2.0 a
q1 Q0 m2 2 1.0
`,
			stderr: `
DIR/a.run:2: the number of fields is 5, not 6; a run line is: query Q0 doc rank score tag
`,
		},
		{
			name:  "fields of a judgement",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- raw.qrels --
q1 0 m1 1 x
q1 m2 1
`,
			stderr: `
DIR/raw.qrels:1: the number of fields is 5, not 4; a qrels line is: query iteration doc grade
DIR/raw.qrels:2: the number of fields is 3, not 4; a qrels line is: query iteration doc grade
`,
		},
		{
			name:  "scores of a run",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- a.run --
q1 Q0 m1 1 nan a
q1 Q0 m2 2 high a
`,
			stderr: `
DIR/a.run:1: a NaN score has no order: "nan"; leave the line out or give it a number
DIR/a.run:2: score "high" is not a number; a score is a number such as 12.5 or 1e-3
`,
		},
		{
			name:  "empty TREC files",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- raw.qrels --
-- a.run --
`,
			stderr: `
DIR/raw.qrels: the file is empty; a qrels line is: query iteration doc grade
DIR/a.run: the file is empty; a run line is: query Q0 doc rank score tag
`,
		},
		{
			name:  "missing TREC files",
			sound: soundTREC,
			args:  "audit -qrels raw=DIR/x.qrels -run DIR -targets raw,lucene",
			stderr: `
DIR/x.qrels: no such file or directory; name a readable file
DIR: it is a folder; name a file
`,
		},
		{
			name:  "truncated TREC run",
			sound: soundTREC,
			args:  auditTREC + ".gz",
			change: func(t *testing.T, dir string) {
				data := gzipped(t, numbered("q1 Q0 m%d 1 2.0 a\n", 50))
				replaceFile(t, dir, "", "a.run.gz", data[:len(data)-9])
			},
			stderr: `
DIR/a.run.gz:51: reading stops here: the gzip data is cut off: unexpected EOF; if the file is truncated or corrupt, copy or export it again
`,
		},
		{
			name:  "no TREC run file in gzip",
			sound: soundTREC,
			args:  auditTREC + ".gz",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "", "a.run.gz", []byte("q1 Q0 m1 1 2.0 a\n"))
			},
			stderr: `
DIR/a.run.gz: not gzip data, or something follows the gzip data: gzip: invalid header; if the file is truncated or corrupt, copy or export it again
`,
		},
		{
			name:  "invalid UTF-8 in TREC files",
			sound: soundTREC,
			args:  auditTREC,
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "a.run", "a.run", []byte("q1 Q0 m\xe4 1 2.0 a\n"))
			},
			stderr: `
DIR/a.run:1: id "m\xe4" is not valid UTF-8; convert the file to UTF-8
`,
		},
		{
			name:  "disjoint documents",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- a.run --
q1 Q0 d1 1 2.0 a
`,
			stderr: `
DIR/a.run: not one of the 1 ids of the run is among the judged ids ("d1" against "m1"); the two use different id spaces; export them from one collection
`,
		},
		{
			name:  "disjoint TREC queries",
			sound: soundTREC,
			args:  auditTREC,
			files: `
-- a.run --
1 Q0 m1 1 2.0 a
`,
			stderr: `
DIR/a.run: none of the 1 query ids of the run is in the scenario ("1" against "q1"); the two files use different query ids; export them from one run
`,
		},
		{
			name:  "judgements without target",
			sound: soundTREC,
			args:  "audit -qrels DIR/raw.qrels -run DIR/a.run",
			stderr: `
tiaptest audit: invalid value "DIR/raw.qrels" for flag -qrels: name the target that the judgements are for, as in raw=FILE; see tiaptest audit -h
`,
		},
		{
			name:  "two judgements of one target",
			sound: soundTREC,
			args:  auditTREC + " -qrels raw=DIR/a.run",
			stderr: `
tiaptest audit: two -qrels for target raw; name one
`,
		},
		{
			name:  "two runs of one base name",
			sound: soundTREC,
			args:  auditTREC + " -run DIR/b/a.run.gz",
			stderr: `
tiaptest audit: two -run named a; name them as in -run A=FILE
`,
		},
		{
			name:  "judgements without run",
			sound: soundTREC,
			args:  "audit -qrels raw=DIR/raw.qrels",
			stderr: `
no run; name at least one file (-run FILE)
`,
		},
		{
			name:  "run without judgements",
			sound: soundTREC,
			args:  "audit -run DIR/a.run",
			stderr: `
no qrels; name at least one file with its target (-qrels raw=FILE)
`,
		},
		{
			name:  "crediting by evidence for TREC",
			sound: soundTREC,
			args:  auditTREC + " -credit evidence",
			stderr: `
crediting by evidence needs evidence units, and TREC qrels carry none; use crediting by memory
`,
		},
		{
			name:  "target without judgements",
			sound: soundTREC,
			args:  auditTREC + " -targets raw,source",
			stderr: `
no judgements for target "source"; there are some for raw
`,
		},
		{
			name:  "level",
			sound: soundTREC,
			args:  auditTREC + " -level 0",
			stderr: `
tiaptest audit: -level 0; it must be at least 1
`,
		},
		{
			name:  "several kinds of input",
			sound: soundTREC,
			args:  auditTREC + " DIR",
			stderr: `
tiaptest audit: several kinds of input; name one: a folder, -records and -trace, or -qrels and -run
`,
		},
	})
}

func TestRefusedMTELMem(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name:  "records without trace",
			sound: soundMTELMem,
			args:  "audit -records DIR/records.jsonl",
			stderr: `
tiaptest audit: -records DIR/records.jsonl: no trace; name the file of rankings with -trace FILE
`,
		},
		{
			name:  "trace without records",
			sound: soundMTELMem,
			args:  "audit -trace DIR/trace.jsonl",
			stderr: `
tiaptest audit: -trace DIR/trace.jsonl: no records; name the file of query records with -records FILE
`,
		},
		{
			name:  "crediting by evidence for MTEL-Mem",
			sound: soundMTELMem,
			args:  auditMTELMem + " -credit evidence",
			stderr: `
crediting by evidence needs evidence units, and MTEL-Mem records carry none; use crediting by memory
`,
		},
		{
			name:  "population of TREC for MTEL-Mem",
			sound: soundMTELMem,
			args:  auditMTELMem + " -population matched",
			stderr: `
population matched exists for TREC qrels only; use shared, all or covered
`,
		},
		{
			name:  "ranks of a trace twice",
			sound: soundMTELMem,
			args:  auditMTELMem,
			files: `
-- trace.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":0.9}
{"system":"a","query_id":"q1","retrieved_id":"m2","rank":1,"score":0.8}
`,
			stderr: `
DIR/trace.jsonl:2: query "q1" has rank 1 twice (first in line 1); give every hit of a query a rank of its own
`,
		},
		{
			name:  "id of a trace twice",
			sound: soundMTELMem,
			args:  auditMTELMem,
			files: `
-- trace.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":0.9}
{"system":"b","query_id":"q1","retrieved_id":"m1","rank":1,"score":0.9}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":2,"score":0.8}
`,
			stderr: `
DIR/trace.jsonl:3: query "q1" has id "m1" at ranks 1 and 2; rank every id once
`,
		},
		{
			name:  "hits of a trace",
			sound: soundMTELMem,
			args:  auditMTELMem,
			files: `
-- trace.jsonl --
{"system":"a","retrieved_id":"m1","rank":1}
{"system":"a","query_id":"q1","rank":1}
{"system":"a","query_id":"q1","retrieved_id":"m1"}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":0}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1.5}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":"high"}
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":NaN}
`,
			stderr: `
DIR/trace.jsonl:1: the hit has no query_id; add "query_id"
DIR/trace.jsonl:2: the hit has no retrieved_id; add "retrieved_id"; a query that returned nothing has no line
DIR/trace.jsonl:3: the hit has no rank; add "rank", from 1
DIR/trace.jsonl:4: the rank is 0; ranks count from 1
DIR/trace.jsonl:5: "rank" is the number 1.5, not an integer; make it an integer
DIR/trace.jsonl:6: "score" is the string "high", not a number; write the number without quotes
DIR/trace.jsonl:7: malformed JSON at byte 68: NaN is no JSON value; write a number, or leave it out
`,
		},
		{
			name:  "records",
			sound: soundMTELMem,
			args:  auditMTELMem,
			files: `
-- records.jsonl --
{"query_id":"q1","raw_ids":["m1"]}
{"query_id":"q1","raw_ids":["m1"]}
{"raw_ids":["m1"]}
{"query_id":"q2","raw_ids":["m1",""]}
{"query_id":"q3","raw_ids":"m1"}
{"query_id":"q4","category":["x"]}
`,
			stderr: `
DIR/records.jsonl:2: query "q1" has two records (first in line 1); keep one of them
DIR/records.jsonl:3: the record has no query_id; add "query_id"
DIR/records.jsonl:4: an id in raw_ids is empty; name the memory
DIR/records.jsonl:5: "raw_ids" is the string "m1", not an array of strings; make it an array of strings
DIR/records.jsonl:6: "category": neither a string nor a number; make it one of them
`,
		},
		{
			name:  "empty MTEL-Mem files",
			sound: soundMTELMem,
			args:  auditMTELMem,
			files: `
-- records.jsonl --
-- trace.jsonl --
`,
			stderr: `
DIR/records.jsonl: the file is empty; it needs one JSON object a line
DIR/trace.jsonl: the file is empty; a trace needs one hit or one query a line
`,
		},
		{
			name:  "missing MTEL-Mem files",
			sound: soundMTELMem,
			args:  "audit -records DIR/x.jsonl -trace DIR/y.jsonl -trace DIR",
			stderr: `
DIR/x.jsonl: no such file or directory; name a readable file
DIR/y.jsonl: no such file or directory; name a readable file
DIR: it is a folder; give a file in its place
`,
		},
		{
			name:  "system in two traces",
			sound: soundMTELMem,
			args:  auditMTELMem + " -trace DIR/more.jsonl",
			files: `
-- more.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1}
`,
			stderr: `
DIR/more.jsonl: system "a" stands in two traces; give every system one trace
`,
		},
	})
}
