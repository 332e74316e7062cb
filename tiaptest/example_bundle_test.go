package tiaptest_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/tiaptest"
)

// A bundle written field by field, as from a database: one memory that answers
// one question.
func ExampleBundle() {
	in := &tiaptest.Ingest{Memories: []tiaptest.Memory{
		{ID: "fact1", Form: "fact", Sources: []tiaptest.Link{{Turn: "conv-1/D1:3"}}},
	}}
	if err := in.Run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"fact1"}}); err != nil {
		log.Fatal(err)
	}
	b := &tiaptest.Bundle{
		Scenario: tiaptest.Scenario{Queries: []tiaptest.Query{
			{ID: "q1", Evidence: []tiaptest.Unit{{Turns: []string{"conv-1/D1:3"}}}},
		}},
		Systems: []*tiaptest.System{{Name: "mine", Ingests: []*tiaptest.Ingest{in}}},
	}
	a, err := tiaptest.Rescore(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Score("mine", tiaptest.Canonical, tiaptest.Top1()))
	// Output: 1 <nil>
}

// The building methods note mistakes, which Rescore reports together.
func ExampleBundle_AddTurn() {
	b := density()
	b.AddTurn("t3", "The roof of the shed is mended.").AddTurn("t3", "We have no shed.")
	b.AddQuery("q3", "What was mended?", "the shed")
	_, err := tiaptest.Rescore(b)
	fmt.Println(err)
	// Output:
	// two turns have the id "t3"; give every turn an id of its own
}

// The evidence is found by what it says.
func ExampleBundle_AddQuery() {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We have bees now.").AddTurn("t2", "The bees are in the orchard.")
	b.AddQuery("q1", "Where are the bees?", "in the orchard")
	for _, u := range b.Scenario.Queries[0].Evidence {
		fmt.Println(u.Turns)
	}
	// Output: [t2]
}

// What the methods do not take is set in the fields of the system.
func ExampleBundle_AddSystem() {
	b := new(tiaptest.Bundle)
	s := b.AddSystem("D5", "density")
	s.Unit, s.Lineage = "fact", "recorded at ingest"
	s.Forms = map[string]string{"fact": "one statement that the parser made of a turn"}
	fmt.Println(s.Name, s.Family, len(s.Ingests))
	// Output: D5 density 1
}

func ExampleBundle_Target() {
	b := density()
	fmt.Println(b.Target("current(canonical)"))
	_, err := b.Target("gold")
	fmt.Println(err)
	// Output:
	// current(canonical) <nil>
	// unknown target "gold"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one
}

func ExampleBundle_WriteDir() {
	dir := must(os.MkdirTemp("", "tiap"))
	defer os.RemoveAll(dir)
	if err := density().WriteDir(dir); err != nil {
		log.Fatal(err)
	}
	files := must(filepath.Glob(filepath.Join(dir, "systems", "D5", "*")))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	fmt.Printf("%s", must(os.ReadFile(filepath.Join(dir, "queries.jsonl"))))
	// Output:
	// run.jsonl
	// store.jsonl
	// system.json
	// {"id":"q1","text":"When was the pear tree planted?","evidence":["t1"]}
	// {"id":"q2","text":"How many hives are there?","evidence":["t2"]}
}

// The headline is the target that matches what the deployed system serves.
func ExampleScenario() {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Unit: "dialogue turn", Headline: "canonical"}}
	fmt.Println(b.Target(b.Scenario.Headline))
	// Output: canonical <nil>
}

// AddTurn takes an id and a text. Turns with more to say are written out, and
// questions find their evidence in them all the same.
func ExampleTurn() {
	b := new(tiaptest.Bundle)
	b.Scenario.Turns = []tiaptest.Turn{
		{ID: "conv-1/D1:3", Session: "D1", Speaker: "user", Time: "2031-03-11T10:00:00Z", Text: "I planted the pear tree yesterday."},
	}
	b.AddQuery("q1", "When was the pear tree planted?", "yesterday")
	fmt.Println(b.Scenario.Queries[0].Evidence[0].Turns)
	// Output: [conv-1/D1:3]
}

// A question over two turns of which a system found one.
func ExampleQuery() {
	b := density()
	b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
		ID: "q3", Scope: "conv-1", Category: "multi-hop", Text: "What is new in the garden?", Answer: "A pear tree and hives",
		Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}, {Turns: []string{"t2"}}},
	})
	b.Systems[0].AddRanking("q3", "fact1")
	a := must(tiaptest.Rescore(b))
	fmt.Println(must(a.PerQuery("D1", tiaptest.Source, tiaptest.Recall(60)))["q3"])
	// Output: 0.5
}

// Where the evidence is a whole session, any of its turns counts.
func ExampleUnit() {
	b := density()
	b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
		ID: "q3", Text: "What is new in the garden?",
		Evidence: []tiaptest.Unit{{ID: "session 1", Turns: []string{"t1", "t2"}}},
	})
	b.Systems[0].AddRanking("q3", "fact1")
	a := must(tiaptest.Rescore(b))
	fmt.Println(must(a.PerQuery("D1", tiaptest.Source, tiaptest.Recall(60)))["q3"])
	// Output: 1
}

// The members of a family are variants of one system, among which a target
// recommends one.
func ExampleSystem() {
	a := must(tiaptest.Rescore(density()))
	r := must(a.Recommendation("density", tiaptest.Top1()))
	fmt.Println(*r.Winners["canonical"])
	// Output: D5
}

// The summary of a session descends from several turns.
func ExampleSystem_AddMemory() {
	b := density()
	b.Systems[0].AddMemory("summary", "summary", "t1", "t2")
	memories := b.Systems[0].Ingests[0].Memories
	for _, l := range memories[len(memories)-1].Sources {
		fmt.Println(l.Turn)
	}
	// Output:
	// t1
	// t2
}

// The best memory comes first. A query has one ranking in a run.
func ExampleSystem_AddRanking() {
	b := density()
	b.Systems[0].AddRanking("q1", "fact1", "raw1")
	_, err := tiaptest.Rescore(b)
	fmt.Println(err)
	// Output: system D1: query "q1" has two rankings in one run; keep one ranking of each query in a run; further ingests have runs of their own
}

// A parser that calls a language model builds another store each time. The score
// of a system with several ingests is their mean.
func ExampleIngest() {
	b := density()
	d5 := b.Systems[1]
	d5.Ingests = append(d5.Ingests, &tiaptest.Ingest{Memories: d5.Ingests[0].Memories})
	d5.AddRanking("q1", "raw2", "fact1b").AddRanking("q2", "fact2a", "fact2b")
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Score("D5", tiaptest.Source, tiaptest.Top1()))
	// Output: 0.75 <nil>
}

// A parser that is under test finds out whether its memories hang together.
func ExampleIngest_Validate() {
	in := &tiaptest.Ingest{Memories: []tiaptest.Memory{
		{ID: "fact-1", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}},
		{ID: "summary", Form: "summary", Parents: []string{"fact-1", "fact-2"}},
		{ID: "fact-1", Form: "fact", Status: "gone"},
	}}
	fmt.Println(in.Validate())
	// Output:
	// memory "fact-1" has the unknown status "gone"; use active, superseded or deleted
	// memory "fact-1" stands twice in the store; give every memory an id of its own
	// memory "summary" names the parent "fact-2", which is not in the store; add that memory to the store, or name its turns under sources
}

// A memory that was made of other memories names them as its parents and
// descends from their turns.
func ExampleMemory() {
	b := density()
	in := b.Systems[0].Ingests[0]
	in.Memories = append(in.Memories, tiaptest.Memory{ID: "summary", Form: "summary", Parents: []string{"fact1", "fact2"}})
	b.AddQuery("q3", "What is new in the garden?", "pear tree", "four hives")
	b.Systems[0].AddRanking("q3", "summary")
	a := must(tiaptest.Rescore(b))
	fmt.Println(must(a.PerQuery("D1", tiaptest.Source, tiaptest.Recall(60)))["q3"])
	// Output: 1
}

// A parser that reads turns in batches cannot say which of them a fact is from.
// It says so, and a target can ask for more.
func ExampleLink() {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We have bees now.").AddTurn("t2", "The bees are in the orchard.")
	b.AddQuery("q1", "Where are the bees?", "in the orchard")
	s := b.AddSystem("mine", "").AddMemory("raw2", "raw", "t2").AddRanking("q1", "fact1", "raw2")
	s.Ingests[0].Memories = append(s.Ingests[0].Memories, tiaptest.Memory{ID: "fact1", Form: "fact", Sources: []tiaptest.Link{
		{Turn: "t1", Precision: "batch"},
		{Turn: "t2", Precision: "batch"},
	}})
	exact := tiaptest.Exact(tiaptest.Source)
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, exact)))
	fmt.Println(a.Score("mine", tiaptest.Source, tiaptest.MRR(60)))
	fmt.Println(a.Score("mine", exact, tiaptest.MRR(60)))
	// Output:
	// 1 <nil>
	// 0.5 <nil>
}

// The zero Run takes rankings and gives them back.
func ExampleRun() {
	var run tiaptest.Run
	if err := run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"fact1", "raw1"}}); err != nil {
		log.Fatal(err)
	}
	k, ok := run.Ranking("q1")
	fmt.Println(run.Len(), k.IDs, ok)
	// Output: 1 [fact1 raw1] true
}

func ExampleRun_Add() {
	var run tiaptest.Run
	fmt.Println(run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"fact1", "raw1", "fact1"}}))
	fmt.Println(run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"fact1", "raw1"}, Scores: []float64{0.9}}))
	fmt.Println(run.Len())
	// Output:
	// query "q1": id "fact1" stands at ranks 1 and 3; rank every id once
	// query "q1" has 2 ids and 1 scores; give one score for every id, or leave scores out
	// 0
}

func ExampleRun_All() {
	for k := range density().Systems[0].Ingests[0].Run.All() {
		fmt.Println(k.Query, k.IDs)
	}
	// Output:
	// q1 [fact2 raw1 fact1]
	// q2 [raw2 fact2 raw1]
}

func ExampleRun_Len() {
	fmt.Println(density().Systems[0].Ingests[0].Run.Len())
	// Output: 2
}

func ExampleRun_Ranking() {
	k, ok := density().Systems[0].Ingests[0].Run.Ranking("q2")
	fmt.Println(k.IDs, ok)
	// Output: [raw2 fact2 raw1] true
}

// The order of the ids is the ranking, whatever the scores say. A query that
// failed counts as 0 and says why.
func ExampleRanking() {
	b := density()
	in := &tiaptest.Ingest{
		Memories: b.Systems[0].Ingests[0].Memories,
		Run: runOf(
			tiaptest.Ranking{Query: "q1", IDs: []string{"fact2", "fact1"}, Scores: []float64{0.2, 0.9}, K: 2},
			tiaptest.Ranking{Query: "q2", Error: "timeout"},
		),
	}
	b.Systems = append(b.Systems, &tiaptest.System{Name: "new", Ingests: []*tiaptest.Ingest{in}})
	a := must(tiaptest.Rescore(b))
	fmt.Println(must(a.PerQuery("new", tiaptest.Source, tiaptest.MRR(60))))
	// Output: map[q1:0.5 q2:0]
}

// A graph store returns its edges and nodes apart. Merge makes one ranking of
// them.
func ExampleList() {
	k := tiaptest.Ranking{Query: "q1", Lists: []tiaptest.List{
		{Name: "edges", IDs: []string{"edge1", "edge2"}},
		{Name: "nodes", IDs: []string{"node1"}},
	}}
	run := runOf(k)
	k, _ = run.Ranking("q1")
	for _, l := range k.Lists {
		fmt.Println(l.Name, l.IDs)
	}
	// Output:
	// edges [edge1 edge2]
	// nodes [node1]
}

// runOf makes a run of rankings that are known to be sound.
func runOf(rankings ...tiaptest.Ranking) (run tiaptest.Run) {
	for _, k := range rankings {
		if err := run.Add(k); err != nil {
			panic(err)
		}
	}
	return run
}
