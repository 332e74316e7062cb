package tiaptest_test

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
)

// scoreOf is a metric of one ranking of four memories. The evidence, two turns,
// stands at ranks 2 and 4.
func scoreOf(metric tiaptest.Metric) float64 {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We have bees now.").AddTurn("t2", "The bees are in the orchard.")
	b.AddQuery("q", "Where are the bees?", "have bees", "in the orchard")
	b.AddSystem("one", "").
		AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").
		AddMemory("raw3", "raw", "t3").AddMemory("raw4", "raw", "t4").
		AddRanking("q", "raw3", "raw1", "raw4", "raw2")
	a := must(tiaptest.Rescore(b, tiaptest.Metrics(metric), tiaptest.Targets(tiaptest.Raw)))
	return must(a.Score("one", tiaptest.Raw, metric))
}

// (1/log2(3) + 1/log2(5)) / (1/log2(2) + 1/log2(3))
func ExampleNDCG() {
	fmt.Printf("%.4f\n", scoreOf(tiaptest.NDCG(60)))
	// Output: 0.6509
}

func ExampleRecall() {
	fmt.Println(scoreOf(tiaptest.Recall(1)), scoreOf(tiaptest.Recall(3)), scoreOf(tiaptest.Recall(60)))
	// Output: 0 0.5 1
}

func ExampleHit() {
	fmt.Println(scoreOf(tiaptest.Hit(1)), scoreOf(tiaptest.Hit(3)))
	// Output: 0 1
}

func ExampleMRR() {
	fmt.Println(scoreOf(tiaptest.MRR(1)), scoreOf(tiaptest.MRR(60)))
	// Output: 0 0.5
}

// The ranking ends at rank 4. Precision(10) divides by ten all the same, and
// Precision(0) by four.
func ExamplePrecision() {
	fmt.Println(scoreOf(tiaptest.Precision(10)), scoreOf(tiaptest.Precision(0)))
	// Output: 0.2 0.5
}

// (1/2 + 2/4) / 2
func ExampleAP() {
	fmt.Println(scoreOf(tiaptest.AP(60)))
	// Output: 0.5
}

// Two turns are relevant, one of them stands in the first two ranks.
func ExampleRPrec() {
	fmt.Println(scoreOf(tiaptest.RPrec()))
	// Output: 0.5
}

func ExampleAll() {
	fmt.Println(scoreOf(tiaptest.All(3)), scoreOf(tiaptest.All(4)))
	// Output: 0 1
}

func ExampleTop1() {
	fmt.Println(scoreOf(tiaptest.Top1()))
	// Output: 0
}

// One turn of one is found for the first question, one of three for the second.
func ExampleMicroRecall() {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "one").AddTurn("t2", "two").AddTurn("t3", "three").AddTurn("t4", "four")
	b.AddQuery("q1", "", "one").AddQuery("q2", "", "two", "three", "four")
	b.AddSystem("mine", "").
		AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").
		AddMemory("raw3", "raw", "t3").AddMemory("raw4", "raw", "t4").
		AddRanking("q1", "raw1").AddRanking("q2", "raw2", "raw1")
	a := must(tiaptest.Rescore(b))
	fmt.Printf("micro recall %.2f\n", must(a.Score("mine", tiaptest.Raw, tiaptest.MicroRecall(60))))
	fmt.Printf("mean recall  %.2f\n", must(a.Score("mine", tiaptest.Raw, tiaptest.Recall(60))))
	// Output:
	// micro recall 0.50
	// mean recall  0.67
}

// Metrics are values that can be compared and be keys of a map.
func ExampleMetric() {
	least := map[tiaptest.Metric]float64{tiaptest.Recall(3): 0.5, tiaptest.Top1(): 0.5}
	for _, m := range []tiaptest.Metric{tiaptest.Recall(3), tiaptest.Top1()} {
		fmt.Println(m, scoreOf(m) >= least[m])
	}
	// Output:
	// recall@3 true
	// top1 false
}

func ExampleMetric_String() {
	fmt.Println(tiaptest.NDCG(60).String(), tiaptest.NDCG(0).String())
	// Output: ndcg@60 ndcg
}

func ExampleParseMetric() {
	m, err := tiaptest.ParseMetric("nDCG@10")
	fmt.Println(m == tiaptest.NDCG(10), err)
	_, err = tiaptest.ParseMetric("ndcg@ten")
	fmt.Println(err)
	// Output:
	// true <nil>
	// metric "ndcg@ten": the cut-off must be a whole number from 1 to 1073741824, as in ndcg@10
}
