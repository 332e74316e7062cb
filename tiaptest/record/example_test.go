package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// talk is what the memory systems of the examples remember.
var talk = []tiaptest.Turn{
	{ID: "t1", Session: "1", Speaker: "Ann", Text: "We moved to Bern. The flat is small."},
	{ID: "t2", Session: "1", Speaker: "Bob", Text: "The bees are in the orchard."},
}

var asked = []tiaptest.Query{
	{ID: "q1", Text: "Where are the bees?", Evidence: []tiaptest.Unit{{Turns: []string{"t2"}}}},
	{ID: "q2", Text: "How is the flat?", Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}},
}

// toy is a memory system that keeps sentences and finds them by their words.
type toy struct{ sentences []tiaptest.Memory }

func (s *toy) Parse(_ context.Context, turns []tiaptest.Turn) (made []tiaptest.Memory, err error) {
	for _, turn := range turns {
		for i, text := range strings.Split(strings.TrimSuffix(turn.Text, "."), ". ") {
			if strings.TrimSpace(text) != "" {
				made = append(made, tiaptest.Memory{
					ID: fmt.Sprintf("%s.%d", turn.ID, i+1), Form: "sentence", Text: text, Sources: []tiaptest.Link{{Turn: turn.ID}},
				})
			}
		}
	}
	return made, nil
}

func (s *toy) Search(_ context.Context, q record.Query) (hits []record.Hit, err error) {
	words := strings.Fields(strings.ToLower(strings.Trim(q.Text, "?")))
	for wanted := len(words); wanted > 0; wanted-- {
		for _, m := range s.sentences {
			found := 0
			for _, w := range words {
				if strings.Contains(" "+strings.ToLower(m.Text)+" ", " "+w+" ") {
					found++
				}
			}
			if found == wanted && len(hits) < q.K {
				hits = append(hits, record.Hit{ID: m.ID, Score: float64(found)})
			}
		}
	}
	return hits, nil
}

// newToy builds a toy and notes the lineage where it writes.
func newToy(ctx context.Context, _ int) (record.Searcher, *record.IngestLog, error) {
	s, lineage := new(toy), new(record.IngestLog)
	made, err := s.Parse(ctx, talk)
	for _, m := range made {
		s.sentences = append(s.sentences, m)
		lineage.Add(m)
	}
	return s, lineage, err
}

// A live system is recorded where it can be reached, and scored anywhere.
func ExampleRecord() {
	test := func(t *testing.T) {
		if os.Getenv("RECORD") == "" {
			t.Skip("set RECORD=1 to ask the live system")
		}
		record.Record(t, asked, record.URL("http://localhost:8080/search"), record.Options{Dir: "testdata/talk/systems/mine"})
	}
	_ = test
}

// The system is part of this binary: its answers may come from the test cache.
func ExampleIngests() {
	ingests, report, err := record.Ingests(context.Background(), asked, newToy, record.Options{K: 2, Cacheable: true})
	if err != nil {
		log.Fatal(err)
	}
	for k := range ingests[0].Run.All() {
		fmt.Println(k.Query, k.IDs, k.Scores)
	}
	fmt.Println(report)

	b := &tiaptest.Bundle{
		Scenario: tiaptest.Scenario{Queries: asked},
		Systems:  []*tiaptest.System{{Name: "toy", Ingests: ingests}},
	}
	a, err := tiaptest.Rescore(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Score("toy", tiaptest.Canonical, tiaptest.Top1()))
	// Output:
	// q1 [t2.1 t1.2] [3 1]
	// q2 [t1.2 t2.1] [3 1]
	// 2 queries
	// 1 <nil>
}

// A recording that was interrupted goes on where it ended.
func ExampleOptions() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	o := record.Options{Dir: filepath.Join(dir, "systems", "toy"), K: 2, Concurrency: 1, Twice: -1, Cacheable: true}

	ctx, interrupt := context.WithCancel(context.Background())
	_, _, err = record.Ingests(ctx, asked, func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
		s, lineage, err := newToy(ctx, repeat)
		return record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
			if q.ID == "q2" {
				interrupt()
				return nil, ctx.Err()
			}
			return s.Search(ctx, q)
		}), lineage, err
	}, o)
	fmt.Println(strings.ReplaceAll(err.Error(), o.Dir, "DIR"))

	_, report, err := record.Ingests(context.Background(), asked, newToy, o)
	fmt.Println(report, err)
	// Output:
	// record: interrupted: context canceled; 1 of 2 queries are answered in DIR/run.jsonl.part, and the same call goes on from there
	// 2 queries
	// 1 answer of an interrupted recording <nil>
}

// A bundle that has no system yet.
func ExampleQueries() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	line := `{"id":"q1","text":"Where are the bees?","evidence":["t2"]}`
	if err := os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(line), 0o666); err != nil {
		log.Fatal(err)
	}
	queries, err := record.Queries(dir)
	fmt.Println(len(queries), queries[0].Text, err)
	// Output: 1 Where are the bees? <nil>
}

// What a system learns of a question.
func ExampleQuery() {
	var learned []record.Query
	_, _, err := record.Ingests(context.Background(), asked[:1], func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		return record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
			learned = append(learned, q)
			return nil, nil
		}), nil, nil
	}, record.Options{K: 10, Twice: -1, Cacheable: true})
	fmt.Printf("%+v %v\n", learned, err)
	// Output: [{ID:q1 Scope: Time: Text:Where are the bees? K:10}] <nil>
}

// A graph memory answers with several lists.
func ExampleHit() {
	graph := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "bees-in-orchard", List: "edges"}, {ID: "bees", List: "nodes"}, {ID: "orchard", List: "nodes"}}, nil
	})
	ingests, _, err := record.Ingests(context.Background(), asked[:1], func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		return graph, nil, nil
	}, record.Options{Cacheable: true})
	if err != nil {
		log.Fatal(err)
	}
	k, _ := ingests[0].Run.Ranking("q1")
	fmt.Println(k.Lists)
	// Output: [{edges [bees-in-orchard]} {nodes [bees orchard]}]
}

func ExampleSearcher() {
	var s record.Searcher = &toy{sentences: []tiaptest.Memory{{ID: "m1", Text: "The bees are in the orchard"}}}
	fmt.Println(s.Search(context.Background(), record.Query{Text: "Where are the bees?", K: 1}))
	// Output: [{m1 3 }] <nil>
}

func ExampleSearchFunc() {
	s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "the answer to " + q.ID}}, nil
	})
	fmt.Println(s.Search(context.Background(), record.Query{ID: "q1", K: 1}))
	// Output: [{the answer to q1 0 }] <nil>
}

// Distances are kept as they are, when it is said that less is better.
func ExampleOrder() {
	near := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "m1", Score: 0.1}, {ID: "m2", Score: 0.4}}[:min(q.K, 2)], nil
	})
	fmt.Println(record.TestSearcher(near, asked[:1], nil, record.Claims{Scores: record.Ascending}))
	fmt.Println(record.TestSearcher(near, asked[:1], nil, record.Claims{Scores: record.Descending}))
	// Output:
	// <nil>
	// searcher: query "q1": the scores are not in descending order: 0.1 at rank 1, 0.4 at rank 2; return the best first
}

// Every repeat has a store of its own.
func ExampleBuilder() {
	var build record.Builder = func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
		fmt.Println("building ingest", repeat)
		return newToy(ctx, repeat)
	}
	ingests, _, err := record.Ingests(context.Background(), asked, build, record.Options{K: 2, Repeats: 2, Cacheable: true})
	fmt.Println(len(ingests), err)
	// Output:
	// building ingest 1
	// building ingest 2
	// 2 <nil>
}

func ExampleReport() {
	fmt.Println(record.Report{Queries: 1533, Retries: 4, Failed: []string{"q17: no answer within 1m0s"}})
	// Output:
	// 1533 queries
	// 4 further attempts
	// 1 query failed
	//     q17: no answer within 1m0s
}

// turn is a link to one turn.
func turn(id string) []tiaptest.Link { return []tiaptest.Link{{Turn: id}} }

// show prints the memories of a log.
func show(l *record.IngestLog) {
	memories, err := l.Memories()
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range memories {
		fmt.Printf("%s %s %q of turns %v and memories %v\n", m.ID, m.Status, m.Text, m.Sources, m.Parents)
	}
}

// A memory that was corrected, merged and given another id.
func ExampleIngestLog() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann lives in Bern", Sources: turn("t1")})
	l.Update("m1", tiaptest.Memory{Text: "Ann lives in Basel", Sources: turn("t7")})
	l.Add(tiaptest.Memory{ID: "m2", Form: "fact", Text: "The flat is small", Sources: turn("t2")})
	l.Merge(tiaptest.Memory{ID: "m3", Form: "summary", Text: "Ann has a small flat in Basel"}, "m1", "m2")
	l.Rename("m3", "9f3c")
	show(&l)
	// Output:
	// 9f3c  "Ann has a small flat in Basel" of turns [] and memories [m1 m2]
	// m1 superseded "Ann lives in Basel" of turns [{t1  } {t7  }] and memories []
	// m2 superseded "The flat is small" of turns [{t2  }] and memories []
}

// A fact that an extractor made of a batch of turns descends from all of them.
func ExampleIngestLog_Add() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann moved", Sources: []tiaptest.Link{
		{Turn: "t1", Precision: "batch"}, {Turn: "t2", Precision: "batch"},
	}})
	show(&l)
	// Output: m1  "Ann moved" of turns [{t1 batch } {t2 batch }] and memories []
}

func ExampleIngestLog_Merge() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann has a cat", Sources: turn("t1")})
	l.Add(tiaptest.Memory{ID: "m2", Form: "fact", Text: "Ann owns a cat", Sources: turn("t5")})
	l.Merge(tiaptest.Memory{ID: "m3", Form: "fact", Text: "Ann has a cat"}, "m1", "m2")
	show(&l)
	// Output:
	// m1 superseded "Ann has a cat" of turns [{t1  }] and memories []
	// m2 superseded "Ann owns a cat" of turns [{t5  }] and memories []
	// m3  "Ann has a cat" of turns [] and memories [m1 m2]
}

// Some systems rewrite a memory, others replace it.
func ExampleIngestLog_Update() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann lives in Bern", Sources: turn("t1")})
	l.Update("m1", tiaptest.Memory{Text: "Ann lives in Basel", Sources: turn("t7")})
	l.Update("m1", tiaptest.Memory{ID: "m2", Text: "Ann lives in Chur", Sources: turn("t9")})
	show(&l)
	// Output:
	// m1 superseded "Ann lives in Basel" of turns [{t1  } {t7  }] and memories []
	// m2  "Ann lives in Chur" of turns [{t9  }] and memories [m1]
}

func ExampleIngestLog_Delete() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann lives in Bern", Sources: turn("t1")})
	l.Delete("m1")
	show(&l)
	// Output: m1 deleted "Ann lives in Bern" of turns [{t1  }] and memories []
}

func ExampleIngestLog_Rename() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact", Text: "Ann lives in Bern", Sources: turn("t1")})
	l.Rename("m1", "9f3c")
	show(&l)
	// Output: 9f3c  "Ann lives in Bern" of turns [{t1  }] and memories []
}

func ExampleIngestLog_Current() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1", Form: "fact"})
	l.Rename("m1", "9f3c")
	fmt.Println(l.Current("m1"), l.Current("m2"))
	// Output: 9f3c m2
}

// Mistakes come together.
func ExampleIngestLog_Memories() {
	var l record.IngestLog
	l.Add(tiaptest.Memory{ID: "m1"})
	l.Delete("m2")
	_, err := l.Memories()
	fmt.Println(err)
	// Output:
	// ingest log: memory "m1" has no form; say "raw" for an original turn, else what it is
	// delete: no memory has the id "m2"; add the memory first
}

// An ingest that was interrupted says again what the file has; it counts once.
func ExampleOpenIngestLog() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, end := range []int{1, 2} {
		l, err := record.OpenIngestLog(filepath.Join(dir, "ingest.jsonl"))
		if err != nil {
			log.Fatal(err)
		}
		for _, turn := range talk[:end] {
			l.Add(tiaptest.Memory{ID: "raw-" + turn.ID, Form: "raw", Sources: []tiaptest.Link{{Turn: turn.ID}}})
		}
		memories, err := l.Memories()
		fmt.Println(len(memories), err, l.Close())
	}
	// Output:
	// 1 <nil> <nil>
	// 2 <nil> <nil>
}

// An adapter in any language speaks the protocol of the package documentation.
func ExampleCommand() {
	build := record.Command(exec.Command("python3", "adapter.py"))
	_, report, err := record.Ingests(context.Background(), asked, build, record.Options{Dir: "testdata/talk/systems/mine"})
	fmt.Println(report, err)
}

// A system behind HTTP answers each message of the protocol. This one finds the same
// for every question.
func ExampleURL() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Hello, Query string }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			log.Fatal(err)
		}
		if ask.Hello != "" {
			fmt.Fprint(w, `{"v":1,"hello":"mine"}`)
			return
		}
		fmt.Fprintf(w, `{"v":1,"query":%q,"ranking":["m1","m2"]}`, ask.Query)
	}))
	defer server.Close()
	ingests, report, err := record.Ingests(context.Background(), asked, record.URL(server.URL), record.Options{K: 2, Cacheable: true})
	if err != nil {
		log.Fatal(err)
	}
	for k := range ingests[0].Run.All() {
		fmt.Println(k.Query, k.IDs)
	}
	fmt.Println(report)
	// Output:
	// q1 [m1 m2]
	// q2 [m1 m2]
	// 2 queries
}

func ExampleParser() {
	var p record.Parser = new(toy)
	memories, err := p.Parse(context.Background(), talk[1:])
	fmt.Println(memories[0].Text, memories[0].Sources, err)
	// Output: The bees are in the orchard [{t2  }] <nil>
}

func ExampleParseFunc() {
	p := record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		return []tiaptest.Memory{{ID: "s" + turns[0].Session, Form: "summary", Text: fmt.Sprint(len(turns), " turns")}}, nil
	})
	memories, err := p.Parse(context.Background(), talk)
	fmt.Println(memories[0].ID, memories[0].Text, err)
	// Output: s1 2 turns <nil>
}

// A parser that may make one memory of a turn makes two of one.
func ExampleClaims() {
	err := record.TestParser(new(toy), talk, record.Claims{PerTurn: 1})
	fmt.Println(strings.SplitAfter(err.Error(), "\n")[0])
	// Output: parser: session "1": 2 memories were made of turn "t1"; the cap is 1
}

func ExampleTestParser() {
	fmt.Println(record.TestParser(new(toy), talk, record.Claims{}))
	// Output: <nil>
}

func ExampleTestSearcher() {
	s, lineage, err := newToy(context.Background(), 1)
	if err != nil {
		log.Fatal(err)
	}
	memories, err := lineage.Memories()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.TestSearcher(s, asked, memories, record.Claims{Scores: record.Descending}))
	// Output: <nil>
}
