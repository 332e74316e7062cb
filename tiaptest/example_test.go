package tiaptest_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// density holds two variants of one memory system with the rankings that they
// returned for the same two questions. D1 makes one fact of a turn, D5 several.
func density() *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Headline: "canonical"}}
	b.AddTurn("t1", "I planted the pear tree on Sunday.")
	b.AddTurn("t2", "Now there are four hives by the wall.")
	b.AddQuery("q1", "When was the pear tree planted?", "on Sunday")
	b.AddQuery("q2", "How many hives are there?", "four hives")
	b.AddSystem("D1", "density").
		AddMemory("raw1", "raw", "t1").AddMemory("fact1", "fact", "t1").
		AddMemory("raw2", "raw", "t2").AddMemory("fact2", "fact", "t2").
		AddRanking("q1", "fact2", "raw1", "fact1").
		AddRanking("q2", "raw2", "fact2", "raw1")
	b.AddSystem("D5", "density").
		AddMemory("raw1", "raw", "t1").AddMemory("fact1a", "fact", "t1").AddMemory("fact1b", "fact", "t1").
		AddMemory("raw2", "raw", "t2").AddMemory("fact2a", "fact", "t2").AddMemory("fact2b", "fact", "t2").
		AddRanking("q1", "fact1a", "fact1b", "raw1").
		AddRanking("q2", "fact2b", "raw2", "fact2a")
	return b
}

// Which variant is better depends on the target: what may earn credit for a
// question's evidence.
func Example() {
	ndcg := tiaptest.NDCG(10)
	a, err := tiaptest.Rescore(density(), tiaptest.Metrics(ndcg))
	if err != nil {
		log.Fatal(err)
	}
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		d1, _ := a.Score("D1", target, ndcg)
		d5, _ := a.Score("D5", target, ndcg)
		fmt.Printf("%-9s  D1 %.4f  D5 %.4f\n", target, d1, d5)
	}
	for _, v := range tiaptest.NoWinnerFlip(ndcg).Verify(a) {
		sentence, _, _ := strings.Cut(v.Text, "\n")
		fmt.Println(sentence)
	}
	// Output:
	// raw        D1 0.8155  D5 0.5655
	// source     D1 0.8155  D5 1.0000
	// canonical  D1 0.5655  D5 1.0000
	// winner flip on ndcg@10: raw picks D1, source picks D5 (fragile: shift +0.4345 [+0.3691, +0.5000])
	// winner flip on ndcg@10: raw picks D1, canonical picks D5 (fragile: shift +0.6845 [+0.6309, +0.7381])
}
