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

// A verdict says what a comparison found; policies, such as those of a command line,
// name it.
func ExampleVerdict() {
	v, err := golden.ParseVerdict("improved")
	if err != nil {
		log.Fatal(err)
	}
	d := golden.Diff(record(6), record(5))
	fmt.Println(d.Verdict == v, d.Failed())
	// Output: true false
}

// The queries that moved, largest change first.
func ExampleFinding() {
	for _, f := range golden.Diff(record(5), record(1)).Findings {
		if f.Verdict != golden.NewFlip {
			continue
		}
		fmt.Println(f.Systems, f.Targets, f.Metric)
		fmt.Printf("%d of %d queries carry it, first %s with %+.4f\n", f.CarriedBy, f.N, f.Carriers[0].Query, f.Carriers[0].Shift)
	}
	// Output:
	// [D1 D5] [raw source] mrr@10
	// 40 of 40 queries carry it, first q00 with +0.7500
	// [D1 D5] [raw canonical] mrr@10
	// 40 of 40 queries carry it, first q00 with +0.9167
}

// A record is made of an audit, or read from a golden file, and compared.
func ExampleRecord() {
	var before, after *golden.Record = record(5), record(1)
	fmt.Println(golden.Diff(before, after).Verdict)
	// Output: winner-flip
}

// Options are values: a project states its policy once.
func ExampleOption() {
	policy := []golden.Option{golden.FailOn(golden.Regressed), golden.Tolerance(0)}
	for _, o := range policy {
		fmt.Println(o)
	}
	fmt.Println(golden.Diff(record(5), record(6), policy...).Line())
	// Output:
	// fail on regressed
	// tolerance 0
	// failed: regressed; 1 of 1 finding fails
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
