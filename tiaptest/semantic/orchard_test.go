package semantic_test

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// must returns v, and panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// orchard holds one system and two questions. Of the first, a fact that does not
// help stands before one that does; the second needs two turns, and a summary holds
// both.
func orchard() *tiaptest.Bundle {
	b := new(tiaptest.Bundle)
	b.Scenario.Name, b.Scenario.Headline = "orchard", "canonical"
	b.AddTurn("t1", "We planted the pear tree in March.").
		AddTurn("t2", "The apple tree came in April.").
		AddTurn("t3", "The hens are well.").
		AddQuery("q1", "When was the pear tree planted?", "pear tree").
		AddQuery("q2", "Which trees came in spring?", "pear tree", "apple tree")
	b.Scenario.Queries[0].Answer, b.Scenario.Queries[1].Answer = "in March", "pear and apple"
	texts := map[string]string{"vague": "There is a pear tree.", "dated": "The pear tree was planted in March.", "both": "Pear (March) and apple (April).", "apple": "Apple tree: April."}
	s := b.AddSystem("A", "").
		AddMemory("raw1", "raw", "t1").AddMemory("raw3", "raw", "t3").
		AddMemory("vague", "fact", "t1").AddMemory("dated", "fact", "t1").AddMemory("apple", "fact", "t2").
		AddMemory("both", "summary", "t1", "t2").
		AddRanking("q1", "vague", "raw3", "dated", "raw1").
		AddRanking("q2", "both", "vague", "apple")
	for i := range s.Ingests[0].Memories {
		m := &s.Ingests[0].Memories[i]
		m.Text = texts[m.ID]
	}
	return b
}

func audited(options ...tiaptest.Option) *tiaptest.Audit {
	return must(tiaptest.Rescore(orchard(), options...))
}

// said makes labels of memories of the orchard by their ids.
func said(judge string, labels map[string]semantic.Label) []semantic.Judgement {
	var out []semantic.Judgement
	for _, q := range []string{"q1", "q2"} {
		for _, m := range []string{"vague", "dated", "apple", "both", "raw3"} {
			if l, ok := labels[q+" "+m]; ok {
				out = append(out, semantic.Judgement{Query: q, System: "A", Memory: m, Judge: judge, Kind: semantic.Human, Label: l})
			}
		}
	}
	if len(out) != len(labels) {
		panic(fmt.Sprint("unknown memory among ", labels))
	}
	return out
}

func labelsOf(lists ...[]semantic.Judgement) *semantic.Labels {
	var all []semantic.Judgement
	for _, l := range lists {
		all = append(all, l...)
	}
	return must(semantic.NewLabels(all...))
}
