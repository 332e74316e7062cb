package scenarios_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

func ExampleLoCoMo() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	q := b.Scenario.Queries[2]
	fmt.Println(q.ID, q.Text, q.Evidence)
	fmt.Printf("%d of %d queries are scorable\n", b.Summary.Scorable, b.Summary.Queries)
	for _, n := range b.Summary.Notes[5:10] {
		fmt.Printf("%d x %s, first in %s\n", n.Count, n.Kind, n.First)
	}
	// Output:
	// conv-90/qa2 What do Ada and Ben both grow? [{ [conv-90/D1:3]} { [conv-90/D2:1]}]
	// 11 of 13 queries are scorable
	// 1 x evidence dangling, first in sample conv-90, qa 7: "D2:44"
	// 1 x evidence duplicate, first in sample conv-90, qa 8: "D2:4"
	// 1 x evidence empty, first in sample conv-90, qa 6
	// 2 x evidence repaired, first in sample conv-90, qa 4: "D:2:4"
	// 2 x evidence split, first in sample conv-90, qa 2: "D1:3; D2:1"
}

// The memories that LoCoMo carries make a system once they are ranked. Here each
// query gets all memories of its conversation, in the order of the file.
func ExampleBenchmark_Bundle() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	in := b.System.Ingests[0]
	for _, q := range b.Scenario.Queries {
		var ids []string
		for _, m := range in.Memories {
			if filepath.Dir(m.Sources[0].Turn) == q.Scope {
				ids = append(ids, m.ID)
			}
		}
		if err := in.Run.Add(tiaptest.Ranking{Query: q.ID, IDs: ids}); err != nil {
			log.Fatal(err)
		}
	}
	a, err := tiaptest.Rescore(b.Bundle(), tiaptest.Metrics(tiaptest.MRR(10)))
	if err != nil {
		log.Fatal(err)
	}
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		v, err := a.Score(b.System.Name, target, tiaptest.MRR(10))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-9s %.4f\n", target, v)
	}
	// Output:
	// raw       0.3250
	// source    0.3250
	// canonical 0.0697
}

// A benchmark is a scenario with the memories that it carries and what was read.
func ExampleBenchmark() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Scenario.Name, len(b.Scenario.Queries), b.System.Name, len(b.System.Ingests[0].Memories))
	// Output: locomo 13 locomo 22
}

// A summary is what a paper says of its data.
func ExampleSummary() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	s := b.Summary
	fmt.Printf("%d turns, %d queries, %d of them scorable with %d evidence units\n", s.Turns, s.Queries, s.Scorable, s.Units)
	for _, rule := range s.Rules {
		fmt.Println(rule)
	}
	// Output:
	// 10 turns, 13 queries, 11 of them scorable with 16 evidence units
	// evidence normalised: strings are split, ids of another spelling repaired
}

// A release is checked for defects that it did not have.
func ExampleNote() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range b.Summary.Notes {
		if n.Kind == "evidence dangling" {
			fmt.Printf("%d, first in %s\n", n.Count, n.First)
		}
	}
	// Output: 1, first in sample conv-90, qa 7: "D2:44"
}

// Options are chosen once for several readings.
func ExampleOption() {
	opts := []scenarios.Option{scenarios.Strict(), scenarios.Headline(tiaptest.Canonical)}
	b, err := scenarios.LoCoMo(locomoSample, opts...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Summary.Rules[0])
	fmt.Println("headline", b.Scenario.Headline)
	// Output:
	// evidence strict: an id counts if it is a turn as it stands
	// headline canonical
}

func ExampleStrict() {
	for _, opts := range [][]scenarios.Option{nil, {scenarios.Strict()}} {
		b, err := scenarios.LoCoMo(locomoSample, opts...)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n%d units, %d scorable queries\n", b.Summary.Rules[0], b.Summary.Units, b.Summary.Scorable)
	}
	// Output:
	// evidence normalised: strings are split, ids of another spelling repaired
	// 16 units, 11 scorable queries
	// evidence strict: an id counts if it is a turn as it stands
	// 10 units, 8 scorable queries
}

func ExampleCorrections() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "locomo.corrections.jsonl")
	line := `{"query":"conv-90/qa7","evidence":["conv-90/D2:4"],"reason":"D2:44 is no turn, D2:4 is about the barn"}` + "\n"
	if err := os.WriteFile(file, []byte(line), 0o666); err != nil {
		log.Fatal(err)
	}
	b, err := scenarios.LoCoMo(locomoSample, scenarios.Corrections(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Scenario.Queries[7].Evidence)
	fmt.Println(b.Summary.Rules[1])
	// Output:
	// [{ [conv-90/D2:4]}]
	// evidence of 1 query corrected by locomo.corrections.jsonl (SHA-256 0b0b0f150cfbd95c33059b8b19b9acd9b8b751f9dc0a73ba2afec073c4879ec9)
}

func ExampleCategoryName() {
	fmt.Println(scenarios.CategoryName("locomo", "2"))
	fmt.Println(scenarios.CategoryName("beam", "event_ordering"))
	// Output:
	// temporal
	// event_ordering
}

func ExampleSummary_Count() {
	b, err := scenarios.LoCoMo(locomoSample)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Summary.Count("evidence split"), b.Summary.Count("speaker unknown"))
	// Output: 2 0
}

func ExampleFormats() {
	fmt.Println(scenarios.Formats())
	// Output: [locomo longmemeval beam]
}

func ExampleProgress() {
	var last string
	_, err := scenarios.LoCoMo(locomoSample, scenarios.Progress(func(read, total int64) {
		last = fmt.Sprintf("%d of %d bytes", read, total)
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(last)
	// Output: 6284 of 6284 bytes
}
