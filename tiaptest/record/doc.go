// Package record asks live memory systems for rankings and notes where their
// memories come from. What it records is a System of a bundle, which package
// tiaptest rescores as often as one likes without the system.
//
// # Recording in a test
//
// A [Searcher] is asked, a [Builder] builds one and fills an [IngestLog]:
//
//	func TestRecord(t *testing.T) {
//		if os.Getenv("RECORD") == "" {
//			t.Skip("set RECORD=1 to ask the live system")
//		}
//		queries, err := record.Queries("testdata/locomo")
//		if err != nil {
//			t.Fatal(err)
//		}
//		record.Record(t, queries, build, record.Options{Dir: "testdata/locomo/systems/mine"})
//	}
//
//	func build(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
//		log := new(record.IngestLog)
//		store := mine.New()
//		for _, turn := range turns {
//			for _, fact := range store.Add(ctx, turn.Text) {
//				log.Add(tiaptest.Memory{ID: fact.ID, Form: "fact", Text: fact.Text, Sources: []tiaptest.Link{{Turn: turn.ID}}})
//			}
//		}
//		return search(store), log, nil
//	}
//
// The other tests of the package read testdata/locomo with tiaptest.Load; they
// need no system and may be cached. Recording may not: a go test run with package
// arguments and without -count=1 could pass from the cache while the service is
// broken, so [Record] fails there. Options.Cacheable lifts that for systems that
// are part of the test binary. [Ingests] is the same outside tests.
//
// The turns are those of tiaptest.OpenScenario. What tiaptest.TargetsReported asks
// for of a system, its unit, lineage and forms, is for its owner to say, in
// system.json beside the run; package tiaptest shows one.
//
// # What a system learns
//
// A [Query] has the id, scope, time and text of a question and how many memories
// are asked for, a [Parser] sees turns. Answers, evidence and categories are held
// out.
//
// # What is recorded
//
// Rankings are kept in the order in which they are returned. Scores never
// reorder; [Order] declares their direction. An id that its list has already is
// left out, and counted in the [Report], as are rankings of more or fewer ids
// than asked for. An answer with an empty id, a NaN score or text that is not
// UTF-8 makes the query fail. A query fails for itself alone: its line in the run
// says why, and rules such as tiaptest.CompleteRuns judge that.
//
// Some queries, five by default, are asked first and twice. If their answers
// differ, the system has no ranking to score, and the recording ends before it
// has cost anything, unless Options.Unstable says that this is known.
//
// Ids of memories need not be the same in every ingest, but answers belong to the
// store that gave them: an interrupted recording goes on only with the same
// store.
//
// # Interruptions
//
// Each answer is appended to run.jsonl.part as soon as it is there, in one write,
// and synced to the disk within about a second. A recording that is killed loses
// the queries that were being asked; a line that was torn is cut off. The next
// one goes on from there. At the end store.jsonl and run.jsonl, sorted by query,
// are written beside, synced and renamed, each whole or not at all. One recording
// at a time writes to a folder, another is refused, on systems whose locks end with
// their process: those with flock, and Windows.
//
// # Lineage
//
// [IngestLog] takes what a system does to its store: Add, Merge, Update, Delete,
// and Rename for systems that give memories new ids. Answers may name a memory by
// any id that it ever had. A store that no audit would take, such as one with a
// cycle of parents, ends a recording before a query is asked.
//
// # Systems in other languages
//
// [Command] and [URL] connect to a system through an adapter, a few lines in its
// own language, which also "tiaptest record -exec" and "-url" use. Each message is
// a JSON object; over standard input and output it is a line, over HTTP the body
// of a POST and of its answer. Every message has the version of the protocol, 1,
// as "v". Members that are not known are to be ignored. "error" in place of what
// was asked for says why there is none. A reply has at most 32 MiB, one that holds
// a store at most 512 MiB. First comes
//
//	{"v":1,"hello":"tiaptest","repeat":1}
//	{"v":1,"hello":"name of the adapter","store":true,"system":{"unit":"fact"}}
//
// where repeat counts the ingests, each of which a system should build anew before
// it replies: no time limit holds here. "store" offers the next request; "system",
// which is optional, is written to system.json when there is none:
//
//	{"v":1,"store":true}
//	{"v":1,"store":[{"id":"m1","form":"fact","sources":["conv-26/D1:3"]},{"id":"m2","form":"raw","sources":["conv-26/D1:3"]}]}
//
// The memories are as lines of store.jsonl. Without "store" only the run is
// recorded. Then come the queries; an empty scope or time is left out:
//
//	{"v":1,"query":"conv-26/qa0","scope":"conv-26","time":"2023-05-08","text":"When did Ann move?","k":60}
//	{"v":1,"query":"conv-26/qa0","ranking":["m1","m2"],"scores":[0.9,0.7]}
//
// "scores" are optional; "lists":{"edges":["e1"],"nodes":["n1"]} may stand in
// place of the ranking. An adapter over standard input and output is asked one
// query at a time and ends when its input does. It prints everything else to
// standard error. One in Python, run by
// "tiaptest record -name mine -exec 'python3 adapter.py' DIR":
//
//	import json, sys
//	for line in sys.stdin:
//	    ask = json.loads(line)
//	    if "hello" in ask:
//	        system = {"unit": "fact", "lineage": "recorded at ingest", "forms": {"fact": "a statement made of a turn"}}
//	        reply = {"hello": "mine", "store": True, "system": system}
//	    elif "store" in ask:
//	        reply = {"store": [{"id": m.id, "form": "fact", "text": m.text, "sources": [m.turn]} for m in memories()]}
//	    else:
//	        reply = {"query": ask["query"], "ranking": search(ask["text"], ask["k"])}
//	    print(json.dumps({"v": 1} | reply), flush=True)
//
// # Conformance
//
// [TestParser] and [TestSearcher] test the parts of a system by themselves and
// return everything found as one error.
package record
