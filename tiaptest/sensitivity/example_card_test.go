package sensitivity_test

import (
	"fmt"
	"os"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// A card is data, too.
func ExampleCard() {
	var c *sensitivity.Card = must(sensitivity.NewCard(must(tiaptest.Rescore(stated()))))
	fmt.Println(c.Scenario, c.Credit, c.Population, c.Shared, "of", c.Queries)
	// Output: garden evidence shared 1 of 2
}

func ExampleNewCard() {
	c := must(sensitivity.NewCard(must(tiaptest.Rescore(garden()))))
	for _, p := range c.Practices {
		fmt.Println(p.Holds, p.Name, p.Missing)
	}
	// Output:
	// true headline []
	// true beside []
	// false systems [system D1 does not say its retrieval unit system D1 does not say where its lineage comes from system D1 does not say what fact is system D5 does not say its retrieval unit system D5 does not say where its lineage comes from system D5 does not say what fact is]
	// true unavailable []
}

func ExampleCard_Holds() {
	fmt.Println(must(sensitivity.NewCard(must(tiaptest.Rescore(stated())))).Holds())
	// Output: true
}

func ExampleCard_WriteText() {
	c := must(sensitivity.NewCard(must(tiaptest.Rescore(stated(), tiaptest.Systems("D1")))))
	if err := c.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// reporting card of garden
	//     headline canonical; credit by evidence, uncovered units dropped, population shared, depth 60; shared subset 1 of 2 queries, 0 unscorable
	//     proposed headline canonical: derived memories (fact) are served beside raw turns; raw fits if only the turns behind them are used, and source is a stress test
	//     a headline target is declared: yes
	//     another target is scored beside it: yes
	//     each system says its forms, its retrieval unit and where its lineage comes from: yes
	//     unavailable targets are listed, and the headline is none of them: yes
	//
	//     system  retrieval unit  lineage             unavailable  covers no query
	//     D1      memory          recorded at ingest  -            -
	//
	//     system  form  memories  meaning
	//     D1      fact  1         one sentence about one turn
	//     D1      raw   2         -
	//
	//     system  target     n  ndcg@60
	//     D1      raw        1  1.0000
	//     D1      source     1  1.0000
	//     D1      canonical  1  0.6309
}

func ExampleCard_WriteMarkdown() {
	c := must(sensitivity.NewCard(must(tiaptest.Rescore(stated(), tiaptest.Systems("D1")))))
	if err := c.WriteMarkdown(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ## Reporting card: garden
	//
	// proposed headline canonical: derived memories (fact) are served beside raw turns; raw fits if only the turns behind them are used, and source is a stress test
	//
	// - a headline target is declared: yes
	// - another target is scored beside it: yes
	// - each system says its forms, its retrieval unit and where its lineage comes from: yes
	// - unavailable targets are listed, and the headline is none of them: yes
	//
	// | system | retrieval unit | lineage | unavailable | covers no query |
	// | --- | --- | --- | --- | --- |
	// | D1 | memory | recorded at ingest | - | - |
	//
	// | system | form | memories | meaning |
	// | --- | --- | --- | --- |
	// | D1 | fact | 1 | one sentence about one turn |
	// | D1 | raw | 2 | - |
	//
	// headline canonical; credit by evidence, uncovered units dropped, population shared, depth 60; shared subset 1 of 2 queries, 0 unscorable
	//
	// | system | target | n | ndcg@60 |
	// | --- | --- | --- | --- |
	// | D1 | raw | 1 | 1.0000 |
	// | D1 | source | 1 | 1.0000 |
	// | D1 | canonical | 1 | 0.6309 |
}

func ExampleProposeHeadline() {
	p := sensitivity.ProposeHeadline(garden())
	fmt.Println(*p.Target)
	fmt.Println(p.Why)
	// Output:
	// canonical
	// derived memories (fact) are served beside raw turns; raw fits if only the turns behind them are used, and source is a stress test
}

func ExamplePractice() {
	b := stated()
	b.Scenario.Headline = ""
	p := must(sensitivity.NewCard(must(tiaptest.Rescore(b)))).Practices[0]
	fmt.Printf("%s: %v, %s\n", p.Asks, p.Holds, p.Missing[0])
	// Output: a headline target is declared: false, no headline target is declared
}

func ExampleCardSystem() {
	s := must(sensitivity.NewCard(must(tiaptest.Rescore(stated())))).Systems[0]
	fmt.Println(s.Unit, s.Lineage, s.Forms)
	// Output: memory recorded at ingest [{fact 1 one sentence about one turn} {raw 2 }]
}

func ExampleCardForm() {
	for _, f := range must(sensitivity.NewCard(must(tiaptest.Rescore(stated())))).Systems[0].Forms {
		fmt.Printf("%s: %d, %q\n", f.Form, f.Memories, f.Meaning)
	}
	// Output:
	// fact: 1, "one sentence about one turn"
	// raw: 2, ""
}

func ExampleCardScore() {
	for _, s := range must(sensitivity.NewCard(must(tiaptest.Rescore(stated())))).Systems[0].Scores {
		fmt.Printf("%s under %s: %.4f (n %d)\n", s.Metric, s.Target, *s.Value, s.N)
	}
	// Output:
	// ndcg@60 under raw: 1.0000 (n 1)
	// ndcg@60 under source: 1.0000 (n 1)
	// ndcg@60 under canonical: 0.6309 (n 1)
}

// The card says what fits, whatever is declared.
func ExampleProposal() {
	c := must(sensitivity.NewCard(must(tiaptest.Rescore(stated(), tiaptest.Headline(tiaptest.Raw)))))
	fmt.Println(*c.Headline, *c.Proposed.Target)
	// Output: raw canonical
}
