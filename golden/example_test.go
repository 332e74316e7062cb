package golden_test

import (
	"fmt"
	"log"
	"os"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// rescore audits a bundle of two systems; fact is the rank of the facts of D5.
func rescore(fact int) *tiaptest.Audit {
	k := newTalk()
	k.fact["D5"] = fact
	return mustRescore(k)
}

func mustRescore(k *talk) *tiaptest.Audit {
	a, err := tiaptest.Rescore(k.bundle(), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MRR(10)))
	if err != nil {
		log.Fatal(err)
	}
	return a
}

func record(fact int) *golden.Record {
	r, err := golden.NewRecord(rescore(fact))
	if err != nil {
		log.Fatal(err)
	}
	return r
}

func ExampleDiff() {
	d := golden.Diff(record(5), record(1))
	fmt.Println(d.Line())
	for _, f := range d.Findings {
		fmt.Println(f.Verdict, f.Fails, f.Text)
	}
	// Output:
	// failed: winner-flip; 6 of 7 findings fail
	// winner-flip true winner flip on mrr@10 under source: D1 -> D5
	// winner-flip true winner flip on mrr@10 under canonical: D1 -> D5
	// new-flip true new flip on mrr@10: raw picks D1, source picks D5
	// new-flip true new flip on mrr@10: raw picks D1, canonical picks D5
	// recommendation-changed true recommendation changed on mrr@10 under source: family density D1 -> D5
	// recommendation-changed true recommendation changed on mrr@10 under canonical: family density D1 -> D5
	// improved false improved on mrr@10: D5 gains 0.7500 under source, gains 0.8000 under canonical
}

func ExampleDifference() {
	same := golden.Diff(record(5), record(5))
	fmt.Println(same.Line(), len(same.Findings))
	// Output: passed: same 0
}

func ExampleReportOnly() {
	d := golden.Diff(record(5), record(1), golden.ReportOnly(golden.WinnerFlip, golden.NewFlip, golden.RecommendationChanged))
	fmt.Println(d.Line())
	// Output: passed: winner-flip; 0 of 7 findings fail
}

func ExampleFailOn() {
	d := golden.Diff(record(6), record(5), golden.FailOn(golden.Improved))
	fmt.Println(d.Line())
	// Output: failed: improved; 1 of 1 finding fails
}

func ExampleMinEffect() {
	fmt.Println(golden.Diff(record(6), record(5), golden.MinEffect(0.1)).Line())
	// Output: passed: same
}

func ExampleFixedRuns() {
	fmt.Println(golden.Diff(record(6), record(5), golden.FixedRuns()).Verdict)
	// Output: identity-mismatch
}

func ExampleCompare() {
	d, err := golden.Compare("the base branch", rescore(5), rescore(5))
	if err != nil {
		log.Fatal(err)
	}
	if err := d.WriteText(os.Stdout, nil); err != nil {
		log.Fatal(err)
	}
	// Output: passed: same; against the base branch
}
