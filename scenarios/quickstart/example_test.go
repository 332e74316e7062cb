package quickstart_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// A suite that has questions, gold turns and rankings already: say which turns
// each memory was made of, and ask whether the result hangs on what may earn
// credit. In a test, tiaptest.Check(t, a, rules...) fails with the same message.
func Example_existingSuite() {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "suite", Unit: "turn", Headline: "canonical"}}
	b.AddTurn("s1/1", "We planted the pear tree in March.")
	b.AddTurn("s1/2", "The roof of the shed leaks again.")
	for _, q := range []struct{ id, text, gold string }{{"q1", "When was the tree planted?", "s1/1"}, {"q2", "What leaks?", "s1/2"}} {
		gold := []tiaptest.Unit{{Turns: []string{q.gold}}} // AddQuery takes words of the gold turn instead
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: q.id, Text: q.text, Evidence: gold})
	}

	for _, name := range []string{"turns", "facts"} {
		s := b.AddSystem(name, "")
		s.Unit, s.Lineage, s.Forms = "memory", "recorded at ingest", map[string]string{"fact": "one sentence about a turn"}
		s.AddMemory("turn1", "raw", "s1/1")
		s.AddMemory("turn2", "raw", "s1/2")
		s.AddMemory("fact1", "fact", "s1/1") // made of this turn
		s.AddMemory("fact2", "fact", "s1/2")
		if name == "turns" {
			s.AddRanking("q1", "turn1", "fact2", "fact1")
			s.AddRanking("q2", "turn2", "fact1", "fact2")
		} else {
			s.AddRanking("q1", "fact1", "fact2", "turn1")
			s.AddRanking("q2", "fact2", "fact1", "turn2")
		}
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(3), tiaptest.Metrics(tiaptest.MRR(3)))
	if err != nil {
		log.Fatal(err)
	}
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		pair, err := a.Pair("facts", "turns", tiaptest.MRR(3))
		if err != nil {
			log.Fatal(err)
		}
		winner := "a tie"
		if w := pair.Winners[target.String()]; w != nil {
			winner = *w
		}
		fmt.Printf("%s: %s\n", target, winner)
	}
	fmt.Println("holds:", a.Verify(tiaptest.TargetsReported(), tiaptest.Nested(), tiaptest.CompleteRuns()) == nil)
	fmt.Println("the winner depends on the target:", a.Verify(tiaptest.NoWinnerFlip(tiaptest.MRR(3))) != nil)
	// Output:
	// raw: turns
	// source: a tie
	// canonical: facts
	// holds: true
	// the winner depends on the target: true
}

// A gate for pull requests: the rankings of the change against those of the base
// branch, or against a golden file with golden.Check. On the command line:
// tiaptest gate -base BASE HEAD.
func Example_pullRequest() {
	base := audited(reference.MaxFacts(5))
	head := audited(reference.MaxFacts(1)) // what the pull request does
	d, err := golden.Compare("main", base, head)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Line())
	for _, f := range d.Findings {
		fmt.Println(f.Text)
	}
	// Output:
	// failed: change-flip; 1 of 1 finding fails; against main
	// change flip on ndcg@10: D5 gains 0.2761 under raw, gains 0.0409 under source, loses 0.3602 under canonical
}

// A regression test of a parser: it keeps the rules of a parser, and a system
// built with it finds what it found before. In a test, golden.Store(t, key,
// system) shows which turns lost which memories too.
func Example_parser() {
	scenario, err := tiaptest.OpenScenario("testdata/boat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("keeps the rules:", record.TestParser(reference.MaxFacts(5), scenario.Turns, record.Claims{PerTurn: 5}) == nil)

	before := audited(reference.MaxFacts(5))
	for n := 5; n >= 4; n-- {
		d, err := golden.Compare("the release", before, audited(reference.MaxFacts(n)))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("at most %d memories of a turn: %s\n", n, d.Line())
	}
	// Output:
	// keeps the rules: true
	// at most 5 memories of a turn: passed: same; against the release
	// at most 4 memories of a turn: passed: improved; 0 of 1 finding fails; against the release
}

// audited records a memory system with a parser on the conversation in
// testdata/boat, and audits it.
func audited(parser record.Parser) *tiaptest.Audit {
	scenario, err := tiaptest.OpenScenario("testdata/boat")
	if err != nil {
		log.Fatal(err)
	}
	b, err := scenarios.Density(context.Background(), scenario, func(int) record.Parser { return parser }, []int{5}, reference.Lexical, record.Options{K: 10, Cacheable: true})
	if err != nil {
		log.Fatal(err)
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10)))
	if err != nil {
		log.Fatal(err)
	}
	return a
}
