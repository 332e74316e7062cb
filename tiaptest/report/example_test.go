package report_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// garden is a small audit: two variants of one system and two questions. Ranks of
// D5 move down by worse places.
func garden(worse int) *tiaptest.Audit {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Headline: "canonical"}}
	b.AddTurn("t1", "I planted the pear tree on Sunday.").AddTurn("t2", "Now there are four hives by the wall.")
	b.AddQuery("q1", "When was the pear tree planted?", "on Sunday").AddQuery("q2", "How many hives are there?", "four hives")
	for _, s := range []*tiaptest.System{b.AddSystem("D1", "density"), b.AddSystem("D5", "density")} {
		s.AddMemory("raw1", "raw", "t1").AddMemory("fact1", "fact", "t1").AddMemory("raw2", "raw", "t2").AddMemory("fact2", "fact", "t2")
	}
	b.Systems[0].AddRanking("q1", "raw1", "fact1").AddRanking("q2", "raw2", "fact2")
	lower := []string{"raw2", "fact2"}[:worse]
	b.Systems[1].AddRanking("q1", append(lower, "fact1", "raw1")...).AddRanking("q2", "fact2", "raw2")
	a, err := tiaptest.Rescore(b, tiaptest.Metrics(tiaptest.NDCG(10)), tiaptest.Resamples(100))
	if err != nil {
		log.Fatal(err)
	}
	return a
}

// section prints the lines of one section of a text report.
func section(text, title string) {
	_, after, _ := strings.Cut(text, "\n"+title+"\n")
	before, _, _ := strings.Cut(after, "\n\n")
	if before == "" {
		before, _, _ = strings.Cut(strings.TrimPrefix(after, "\n"), "\n\n")
	}
	fmt.Println(strings.TrimSpace(before))
}

func ExampleWrite() {
	var b strings.Builder
	if err := report.Write(&b, report.Text, garden(0)); err != nil {
		log.Fatal(err)
	}
	section(b.String(), "WINNERS")
	// Output:
	// Winner of each pair and its lead by ndcg@10
	//   pair     verdict         n  raw         source  canonical
	//   D1 - D5  flip (fragile)  2  D1 +0.3691  tie     D5 +0.3691
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"report.html", "report.md", "report.tex", "report.txt", "report.json", "report.pdf"} {
		err := report.WriteFile(filepath.Join(dir, name), garden(0))
		fmt.Println(name, err == nil)
	}
	// Output:
	// report.html true
	// report.md true
	// report.tex true
	// report.txt true
	// report.json true
	// report.pdf false
}

func ExampleCompare() {
	var b strings.Builder
	if err := report.Compare(&b, report.Text, garden(0), garden(2)); err != nil {
		log.Fatal(err)
	}
	section(b.String(), "CHANGES")
	// Output:
	// Each system against its earlier state by ndcg@10, on the queries that both can be compared on; 95% interval of the paired bootstrap; lost and new queries can be compared in one state alone
	//   system  verdict  target     n  before     now   change  95% CI              better  equal  worse  lost  new
	//   D1      same     raw        2  1.0000  1.0000  +0.0000  [+0.0000, +0.0000]       0      2      0     0    0
	//   D1      same     source     2  1.0000  1.0000  +0.0000  [+0.0000, +0.0000]       0      2      0     0    0
	//   D1      same     canonical  2  0.6309  0.6309  +0.0000  [+0.0000, +0.0000]       0      2      0     0    0
	//   D5      loses    raw        2  0.6309  0.5308  -0.1001  [-0.2003, +0.0000]       0      1      1     0    0
	//   D5      loses    source     2  1.0000  0.7500  -0.2500  [-0.5000, +0.0000]       0      1      1     0    0
	//   D5      loses    canonical  2  1.0000  0.7500  -0.2500  [-0.5000, +0.0000]       0      1      1     0    0
}

func ExampleCompareFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(report.CompareFile(filepath.Join(dir, "change.md"), garden(0), garden(1)))
	fmt.Println(report.CompareFile("change.json", garden(0), garden(1)))
	// Output:
	// <nil>
	// a comparison has no JSON form; write both audits as JSON
}

func ExampleFormatOf() {
	fmt.Println(report.FormatOf("out/report.HTML"))
	_, err := report.FormatOf("report.pdf")
	fmt.Println(err)
	// Output:
	// html <nil>
	// report "report.pdf": the name ends in no known format; use .html, .md, .tex, .txt or .json
}

func ExampleFormat() {
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text, report.JSON} {
		fmt.Println("report." + string(f))
	}
	// Output:
	// report.html
	// report.md
	// report.tex
	// report.txt
	// report.json
}

func ExampleRules() {
	var b strings.Builder
	if err := report.Write(&b, report.Text, garden(0), report.Rules(tiaptest.Nested(), tiaptest.SharedSubset(100))); err != nil {
		log.Fatal(err)
	}
	section(b.String(), "RULES")
	// Output:
	// Rules that were checked
	//   rule               result
	//   Nested()           holds
	//   SharedSubset(100)  broken
}

func ExampleSensitivity() {
	a := garden(0)
	t, err := sensitivity.FromAudit(a)
	if err != nil {
		log.Fatal(err)
	}
	s, err := sensitivity.Analyze(t)
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	if err := report.Write(&b, report.Text, a, report.Sensitivity(s)); err != nil {
		log.Fatal(err)
	}
	section(b.String(), "POWER")
	// Output:
	// Smallest gap that the shared queries show at a level of 0.05 and a power of 0.8, by ndcg@10
	//   pair     target     n      gap  smallest  queries needed
	//   D1 - D5  raw        2   0.3691         -               -
	//   D1 - D5  source     2   0.0000         -               -
	//   D1 - D5  canonical  2  -0.3691         -               -
}

// One summary of two turns answers a question for which both are needed.
func ExampleComposition() {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Headline: "canonical"}}
	b.AddTurn("t1", "I planted the pear tree on Sunday.").AddTurn("t2", "It is by the wall.")
	b.AddQuery("q1", "When and where was the pear tree planted?", "on Sunday", "by the wall")
	b.AddSystem("D1", "").AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").AddMemory("both", "summary", "t1", "t2").
		AddRanking("q1", "raw1", "both", "raw2")
	a, err := tiaptest.Rescore(b)
	if err != nil {
		log.Fatal(err)
	}
	var list []*semantic.Composition
	for _, t := range a.Targets() {
		c, err := semantic.Compose(a, "D1", t)
		if err != nil {
			log.Fatal(err)
		}
		list = append(list, c)
	}
	var text strings.Builder
	if err := report.Write(&text, report.Text, a, report.Composition(list...)); err != nil {
		log.Fatal(err)
	}
	section(text.String(), "COMPOSITION")
	// Output:
	// Queries with two covered evidence units or more: those that pass, with every unit credited within the depth, and by how many memories
	//   system  target     queries  pass   share  by one single memory  share of passes  with distinct memories  share of passes
	//   D1      raw              1     1  100.0%                     0             0.0%                       1           100.0%
	//   D1      source           1     1  100.0%                     1           100.0%                       1           100.0%
	//   D1      canonical        1     1  100.0%                     1           100.0%                       0             0.0%
}

// gardenLabels say that one fact of garden supports its question and one does not.
func gardenLabels() *semantic.Labels {
	labels, err := semantic.NewLabels(
		semantic.Judgement{Query: "q1", System: "D5", Memory: "fact1", Judge: "first reader", Kind: semantic.Human, Label: semantic.Supports},
		semantic.Judgement{Query: "q2", System: "D5", Memory: "fact2", Judge: "first reader", Kind: semantic.Human, Label: semantic.DoesNotSupport},
	)
	if err != nil {
		log.Fatal(err)
	}
	return labels
}

// labelled is what those labels add to the report of garden.
func labelled() *report.Added {
	added, err := report.Add(garden(0), report.Support(gardenLabels(), semantic.Options{}))
	if err != nil {
		log.Fatal(err)
	}
	return added
}

func ExampleAdd() {
	nothing, err := report.Add(garden(0))
	fmt.Println(nothing.Labels == nil, err)
	fmt.Println(labelled().Labels != nil)
	// Output:
	// true <nil>
	// true
}

func ExampleAdded() {
	added := labelled()
	fmt.Println(len(added.Support), "views of systems and targets,", added.Labels.Labels, "labels")
	fmt.Println("card:", added.Card != nil)
	// Output:
	// 8 views of systems and targets, 2 labels
	// card: false
}

func ExampleViewSupport() {
	for _, s := range labelled().Support {
		if s.System == "D5" && s.Target == "canonical" {
			fmt.Println(s.View, s.Contested, s.Labelled, s.Supported)
		}
	}
	// Output:
	// strict 2 2 1
	// relevant 2 2 1
}

func ExampleLabelWorth() {
	worth := labelled().Labels
	fmt.Println(worth.Dataset, worth.Labels, worth.Unused)
	fmt.Println(worth.Uncorrected != "")
	// Output:
	// garden 2 0
	// true
}

func ExampleSupport() {
	var b strings.Builder
	if err := report.Write(&b, report.Text, garden(0), report.Support(gardenLabels(), semantic.Options{})); err != nil {
		log.Fatal(err)
	}
	section(b.String(), "SUPPORT")
	// Output:
	// Contested credits, which a target gives and raw does not, and what their support labels say
	//   system  target     contested  labelled  without a verdict  supported  share of labelled  95% CI
	//   D1      source             0         0                  0          0                  -  -
	//   D1      canonical          2         0                  0          0                  -  -
	//   D5      source             2         2                  0          1              50.0%  [9.5%, 90.5%]
	//   D5      canonical          2         2                  0          1              50.0%  [9.5%, 90.5%]
}

func ExampleOption() {
	options := []report.Option{report.Width(80), report.Colour(false)}
	fmt.Println(options)
	// Output: [Width(80) Colour(false)]
}

func ExampleWidth() {
	var b strings.Builder
	if err := report.Write(&b, report.Text, garden(0), report.Width(40)); err != nil {
		log.Fatal(err)
	}
	verdict, _, _ := strings.Cut(b.String(), "\n\n")
	fmt.Println(verdict)
	// Output:
	// Audit of garden
	// The winner depends on the target: raw
	// picks D1, canonical picks D5 by ndcg@10
	// (fragile). D5 has the highest ndcg@10,
	// 1.0000 over 2 queries, under canonical,
	// the headline target.
}

func ExampleColour() {
	var b strings.Builder
	if err := report.Write(&b, report.Text, garden(0), report.Colour(true)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(b.String(), "\x1b[1;31mflip (fragile)\x1b[0m"))
	// Output: true
}

// A test keeps its report beside its result; go test -artifacts says where.
func ExampleArtifacts() {
	// func TestGarden(t *testing.T) {
	// 	a := tiaptest.Load(t, "testdata/garden")
	// 	report.Artifacts(t, a)
	// 	tiaptest.Check(t, a, tiaptest.TargetsReported())
	// }
}
