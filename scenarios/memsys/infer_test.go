package memsys_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// echoes is the little conversation with a second one in which the same is said,
// and with a turn that says again what the first session said.
func echoes() *tiaptest.Scenario {
	sc := conv90()
	sc.Turns = append(sc.Turns,
		tiaptest.Turn{ID: "conv-90/D2:5", Speaker: "Ada", Time: "2031-04-02T19:40:00", Text: "Morning, Ben!"},
		tiaptest.Turn{ID: "conv-91/D1:1", Speaker: "Dov", Time: "2031-03-12T09:05:00", Text: "The beans are up."},
	)
	return sc
}

func inferredLink(turn, precision string) tiaptest.Link {
	return tiaptest.Link{Turn: turn, Precision: precision, Origin: "inferred"}
}

func TestInferLineageSteps(t *testing.T) {
	t.Parallel()
	of := func(m tiaptest.Memory) string {
		conversation, _, _ := strings.Cut(m.ID, "/")
		if conversation == "any" {
			return ""
		}
		return conversation
	}
	calls := []memsys.Call{
		{Turns: []string{"conv-90/D1:1", "conv-90/D1:2", "conv-90/D1:1"}, After: []string{"any/new", "any/kept", "any/back"}},
		{Turns: []string{"conv-90/D2:1"}, Before: []string{"any/new", "any/kept"}, After: []string{"any/kept", "any/back"}},
	}
	for name, c := range map[string]struct {
		id, text, from string
		want           []tiaptest.Link
		step           int // that links it; 3 when none does
	}{
		"the text of one turn":                 {"any/1", "I planted the pear tree yesterday.", "", []tiaptest.Link{inferredLink("conv-90/D1:3", "")}, 0},
		"white space apart":                    {"any/1", " I planted\tthe pear\n tree yesterday. ", "", []tiaptest.Link{inferredLink("conv-90/D1:3", "")}, 0},
		"with its speaker":                     {"any/1", "Ada: I planted the pear tree yesterday.", "", []tiaptest.Link{inferredLink("conv-90/D1:3", "")}, 0},
		"with another speaker":                 {"any/1", "Ben: I planted the pear tree yesterday.", "", nil, 3},
		"a part of a turn":                     {"any/1", "I planted the pear tree", "", nil, 3},
		"another case":                         {"any/1", "i planted the pear tree yesterday.", "", nil, 3},
		"no text":                              {"any/1", " \n", "", nil, 3},
		"a page of two turns":                  {"any/1", "The fair?\nYes.", "", nil, 3},
		"a page, both halves told":             {"any/1", "I planted the pear tree yesterday.\n\nGood. I keep three hives now.", "", []tiaptest.Link{inferredLink("conv-90/D1:3", ""), inferredLink("conv-90/D1:4", "")}, 0},
		"the time is asked of doubtful halves": {"any/1", "Yes, and one more shelf.\nMorning, Ben!", "2031-03-12", []tiaptest.Link{inferredLink("conv-90/D2:3", ""), inferredLink("conv-90/D1:1", "")}, 1},
		"a page of broken lines":               {"any/1", "I planted the pear\ntree yesterday.\n\nGood. I keep\nthree hives now.\n", "", []tiaptest.Link{inferredLink("conv-90/D1:3", ""), inferredLink("conv-90/D1:4", "")}, 0},
		"a page of one turn twice":             {"any/1", "Yes, and one more shelf.\nYes, and one more shelf.", "", []tiaptest.Link{inferredLink("conv-90/D2:3", "")}, 0},
		"a page, one half told":                {"any/1", "I planted the pear tree yesterday.\nI see.", "", nil, 3},
		"a page, one half in two turns":        {"any/1", "Morning, Ben!\nMorning. I finished the oak shelves.", "", nil, 3},
		"that page with its time":              {"any/1", "Morning, Ben!\nMorning. I finished the oak shelves.", "2031-03-12T09:05:00", []tiaptest.Link{inferredLink("conv-90/D1:1", ""), inferredLink("conv-90/D1:2", "")}, 1},
		"two turns on one line are no page":    {"any/1", "I planted the pear tree yesterday. Good. I keep three hives now.", "", nil, 3},
		"two conversations":                    {"any/1", "The beans are up.", "", nil, 3},
		"two conversations, one known":         {"conv-91/1", "The beans are up.", "", []tiaptest.Link{inferredLink("conv-91/D1:1", "")}, 0},
		"another conversation":                 {"conv-91/1", "I planted the pear tree yesterday.", "", nil, 3},
		"a conversation with a name alike":     {"conv-9/1", "I planted the pear tree yesterday.", "", nil, 3},
		"two turns, and no time":               {"any/1", "Morning, Ben!", "", nil, 3},
		"two turns, and the time of one":       {"any/1", "Morning, Ben!", "2031-04-02T19:40:00", []tiaptest.Link{inferredLink("conv-90/D2:5", "")}, 1},
		"the time with a zone":                 {"any/1", "Morning, Ben!", "2031-04-02T21:40:00+02:00", []tiaptest.Link{inferredLink("conv-90/D2:5", "")}, 1},
		"the time to the minute":               {"any/1", "Morning, Ben!", "203104021940", []tiaptest.Link{inferredLink("conv-90/D2:5", "")}, 1},
		"the day alone":                        {"any/1", "Morning, Ben!", "2031-03-12", []tiaptest.Link{inferredLink("conv-90/D1:1", "")}, 1},
		"a time of neither":                    {"any/1", "Morning, Ben!", "2031-04-02T19:41:00", nil, 3},
		"no such time":                         {"any/1", "Morning, Ben!", "spring", nil, 3},
		"the same time in two conversations":   {"any/1", "The beans are up.", "2031-03-12", []tiaptest.Link{inferredLink("conv-91/D1:1", "")}, 1},
		"new after one call":                   {"any/new", "Ada greeted Ben", "", []tiaptest.Link{inferredLink("conv-90/D1:1", "batch"), inferredLink("conv-90/D1:2", "batch")}, 2},
		"there before the other call":          {"any/kept", "Ben is greeted", "", []tiaptest.Link{inferredLink("conv-90/D1:1", "batch"), inferredLink("conv-90/D1:2", "batch")}, 2},
		"new after two calls":                  {"any/back", "Ben", "", nil, 3},
		"new, but its text is told":            {"any/new", "I planted the pear tree yesterday.", "", []tiaptest.Link{inferredLink("conv-90/D1:3", "")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &tiaptest.System{Name: "s", Ingests: []*tiaptest.Ingest{{Memories: []tiaptest.Memory{{ID: c.id, Form: "note", Text: c.text, ValidFrom: c.from}}}}}
			got, steps, err := memsys.InferLineage(echoes(), s, memsys.Inference{Conversation: of, Calls: calls})
			require.NoError(t, err)
			same(t, []tiaptest.Memory{{ID: c.id, Form: "note", Text: c.text, ValidFrom: c.from, Sources: c.want}}, got.Ingests[0].Memories)
			require.Empty(t, s.Ingests[0].Memories[0].Sources, "the input is only read")
			want := []memsys.InferredStep{{Step: "exact text"}, {Step: "text with time"}, {Step: "before and after"}}
			for i := range want {
				if i <= c.step {
					want[i].Applied = 1
				}
				if i == c.step {
					want[i].Linked, want[i].Links = 1, len(c.want)
				}
			}
			same(t, want, steps)
		})
	}
}

// TestInferLineagePrecision: each step is tried on memories with recorded lineage,
// which it leaves as they are.
func TestInferLineagePrecision(t *testing.T) {
	t.Parallel()
	list := []tiaptest.Memory{
		{ID: "right", Form: "raw", Text: "I planted the pear tree yesterday.", Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}}},
		{ID: "wrong", Form: "raw", Text: "Yes, and one more shelf.", Sources: []tiaptest.Link{{Turn: "conv-90/D1:2", Precision: "container"}}},
		{ID: "by parent", Form: "note", Text: "Ben: Good. I keep three hives now.", Parents: []string{"parent", "gone"}},
		{ID: "parent", Form: "fact", Text: "hives", Sources: []tiaptest.Link{{Turn: "conv-90/D1:4"}}},
		{ID: "guess", Form: "raw", Text: "Yes, and one more shelf.", Sources: []tiaptest.Link{inferredLink("conv-90/D2:3", "")}},
		{ID: "of a guess", Form: "raw", Text: "Yes, and one more shelf.", Parents: []string{"guess"}},
		{ID: "new", Form: "fact", Text: "Morning", Sources: []tiaptest.Link{{Turn: "conv-90/D2:2"}}},
		{ID: "free", Form: "fact", Text: "nothing"},
		{ID: "loop a", Form: "fact", Parents: []string{"loop b"}},
		{ID: "loop b", Form: "fact", Parents: []string{"loop a"}},
	}
	s := &tiaptest.System{Name: "s", Lineage: "tags", Ingests: []*tiaptest.Ingest{{Memories: slices.Clone(list)}}}
	how := memsys.Inference{Calls: []memsys.Call{{Turns: []string{"conv-90/D2:1", "conv-90/D2:2"}, After: []string{"new", "right"}}}}
	got, steps, err := memsys.InferLineage(conv90(), s, how)
	require.NoError(t, err)
	same(t, []memsys.InferredStep{
		{Step: "exact text", Applied: 1, Checked: 3, Confirmed: 2},
		{Step: "text with time", Applied: 1},
		{Step: "before and after", Applied: 1, Checked: 2, Confirmed: 1},
	}, steps)
	if diff := cmp.Diff(list, got.Ingests[0].Memories, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("recorded lineage changed (-want +got):\n%s", diff)
	}
	require.Equal(t, "tags", got.Lineage, "nothing was inferred")

	p, known := steps[0].Precision()
	require.True(t, known)
	require.InDelta(t, 2.0/3, p, 1e-12)
	p, known = steps[1].Precision()
	require.False(t, known, "no link was checked")
	require.Zero(t, p)
	require.Equal(t, "exact text: linked 0 of 1 memories, precision 0.667 (2 of 3 links)", steps[0].String())
	require.Equal(t, "text with time: linked 0 of 1 memories, precision not known", steps[1].String())
	p, known = memsys.InferredStep{Checked: 4}.Precision()
	require.True(t, known, "all wrong is known")
	require.Zero(t, p)
}

// TestInferLineageCredit: inferred lineage earns credit by option only, and what
// it is added to stays as it was.
func TestInferLineageCredit(t *testing.T) {
	t.Parallel()
	s := &tiaptest.System{Name: "s", Lineage: "none", Ingests: []*tiaptest.Ingest{{Memories: []tiaptest.Memory{
		{ID: "a", Form: "raw", Text: "I planted the pear tree yesterday."},
		{ID: "b", Form: "fact", Sources: []tiaptest.Link{{Turn: "conv-90/D1:1"}}},
	}}}}
	s.AddRanking("conv-90/qa0", "a", "b")
	with, _, err := memsys.InferLineage(conv90(), s, memsys.Inference{})
	require.NoError(t, err)
	require.Equal(t, "none; inferred for 1 of 1 memories without it", with.Lineage)

	a := audits(t, with, tiaptest.Beside(tiaptest.Inferred(tiaptest.Raw), tiaptest.Inferred(tiaptest.Source)))
	same(t, map[string]float64{}, perQuery(t, a, with, tiaptest.Source))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, a, with, tiaptest.Inferred(tiaptest.Raw)))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, a, with, tiaptest.Inferred(tiaptest.Source)))

	before := audits(t, s, tiaptest.Beside(tiaptest.Inferred(tiaptest.Source)))
	same(t, map[string]float64{}, perQuery(t, before, s, tiaptest.Inferred(tiaptest.Source)))
	with.AddRanking("conv-90/qa1", "a")
	require.Equal(t, 1, s.Ingests[0].Run.Len(), "the runs are apart")
	s.AddRanking("conv-90/qa2", "b")
	k, ok := with.Ingests[0].Run.Ranking("conv-90/qa1")
	require.True(t, ok)
	require.Equal(t, []string{"a"}, k.IDs)
}

func TestInferLineageRefuses(t *testing.T) {
	t.Parallel()
	one := &tiaptest.System{Name: "s", Ingests: []*tiaptest.Ingest{{}}}
	two := &tiaptest.System{Name: "s", Ingests: []*tiaptest.Ingest{{}, {}}}
	call := memsys.Inference{Calls: []memsys.Call{{Turns: []string{"conv-90/D1:1", "conv-90/D9:9"}}}}
	for want, f := range map[string]func() error{
		"needs a scenario and a system":        func() error { _, _, err := memsys.InferLineage(nil, one, memsys.Inference{}); return err },
		"inferring lineage needs":              func() error { _, _, err := memsys.InferLineage(conv90(), nil, memsys.Inference{}); return err },
		`call 1 names the turn "conv-90/D9:9"`: func() error { _, _, err := memsys.InferLineage(conv90(), one, call); return err },
		"has 2 ingests":                        func() error { _, _, err := memsys.InferLineage(conv90(), two, call); return err },
		"an ingest that is nil": func() error {
			_, _, err := memsys.InferLineage(conv90(), &tiaptest.System{Ingests: []*tiaptest.Ingest{nil}}, memsys.Inference{})
			return err
		},
	} {
		require.ErrorContains(t, f(), want)
	}
	_, _, err := memsys.InferLineage(conv90(), two, memsys.Inference{})
	require.NoError(t, err, "texts are of any ingest")
}

// TestInferLineageProperty: memories with lineage stay, links are inferred and of
// turns, and what each step says adds up.
func TestInferLineageProperty(t *testing.T) {
	t.Parallel()
	sc := echoes()
	rapid.Check(t, func(t *rapid.T) {
		turn := rapid.SampledFrom(sc.Turns)
		text := rapid.OneOf(
			rapid.Map(turn, func(t tiaptest.Turn) string { return t.Text }),
			rapid.Map(turn, func(t tiaptest.Turn) string { return "Ada: " + t.Text }),
			rapid.Map(rapid.SliceOfN(turn, 2, 3), func(ts []tiaptest.Turn) string { return ts[0].Text + "\n" + ts[1].Text }),
			rapid.String(),
		)
		s := &tiaptest.System{Name: "s", Ingests: []*tiaptest.Ingest{{}}}
		in := s.Ingests[0]
		var how memsys.Inference
		for i := range rapid.IntRange(0, 12).Draw(t, "memories") {
			m := tiaptest.Memory{ID: fmt.Sprint(i), Form: "note", Text: text.Draw(t, "text"),
				ValidFrom: rapid.SampledFrom([]string{"", "2031-03-12", "2031-04-02T19:40:00Z", "x"}).Draw(t, "from")}
			if rapid.Bool().Draw(t, "recorded") {
				m.Sources = []tiaptest.Link{{Turn: turn.Draw(t, "source").ID}}
			}
			in.Memories = append(in.Memories, m)
			if rapid.Bool().Draw(t, "called") {
				how.Calls = append(how.Calls, memsys.Call{Turns: []string{turn.Draw(t, "of").ID}, After: []string{m.ID}})
			}
		}
		got, steps, err := memsys.InferLineage(sc, s, how)
		if err != nil {
			t.Fatal(err)
		}
		linked, links := 0, 0
		for i, m := range got.Ingests[0].Memories {
			before := in.Memories[i]
			if len(before.Sources) > 0 {
				if !cmp.Equal(before, m, cmpopts.EquateEmpty()) {
					t.Fatalf("memory with lineage changed: %v", m)
				}
				continue
			}
			if len(m.Sources) > 0 {
				linked++
			}
			links += len(m.Sources)
			for _, l := range m.Sources {
				if l.Origin != "inferred" || !slices.ContainsFunc(sc.Turns, func(t tiaptest.Turn) bool { return t.ID == l.Turn }) {
					t.Fatalf("link %v", l)
				}
			}
		}
		for i, step := range steps {
			linked, links = linked-step.Linked, links-step.Links
			if step.Confirmed > step.Checked || i > 0 && step.Applied != steps[i-1].Applied-steps[i-1].Linked {
				t.Fatalf("steps %v", steps)
			}
		}
		if linked != 0 || links != 0 {
			t.Fatalf("%d links of %d memories are in no step: %v", links, linked, steps)
		}
	})
}
