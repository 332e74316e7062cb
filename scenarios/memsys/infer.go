package memsys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
)

// Inference says what lineage may be inferred from, beside the texts of turns and
// memories. The zero value is the texts alone.
type Inference struct {
	// Conversation returns the conversation of a memory, such as conv-26, or ""
	// when that is not known. A memory of a known conversation is compared only
	// with its turns, whose ids begin with its name and a slash. May be nil.
	Conversation func(m tiaptest.Memory) string

	// Calls are the calls that built the store, in any order. They are of one
	// building, so they need a system with one ingest.
	Calls []Call
}

// Call is one call that handed turns to a system, with what the system had stored
// before and after it. Between the two, nothing else may have been stored.
type Call struct {
	Turns  []string // ids of the turns that it was handed
	Before []string // ids of the memories before it
	After  []string // ids of the memories after it
}

// InferredStep reports what one step of [InferLineage] did.
type InferredStep struct {
	Step    string // "exact text", "text with time" or "before and after"
	Applied int    // memories without lineage that it was applied to
	Linked  int    // those of them that it linked
	Links   int    // the links that it gave them

	// The same step applied to memories whose lineage is recorded: the links that
	// it would have given them, and how many of these are recorded.
	Checked   int
	Confirmed int
}

// Precision returns the share of the step's links that are recorded, where lineage
// is recorded. It is not known where the step would have given no such link.
func (s InferredStep) Precision() (share float64, known bool) {
	if s.Checked == 0 {
		return 0, false
	}
	return float64(s.Confirmed) / float64(s.Checked), true
}

// String says what the step did, on one line.
func (s InferredStep) String() string {
	precision := "not known"
	if p, known := s.Precision(); known {
		precision = fmt.Sprintf("%.3f (%d of %d links)", p, s.Confirmed, s.Checked)
	}
	return fmt.Sprintf("%s: linked %d of %d memories, precision %s", s.Step, s.Linked, s.Applied, precision)
}

// InferLineage returns a copy of a system in which memories that have no source
// and no parent are linked to turns by what can be seen from outside. Links that
// are there already stay as they are. The new ones have the origin inferred, so
// they earn credit only under [tiaptest.Inferred]. Each memory takes the first of
// these steps that links it:
//
//   - exact text: its text is that of one turn and of no other, white space apart,
//     with or without "speaker: " before it. A text of two lines or more that no
//     turn has may be two turns, one after the other, as pages of MemoryOS are.
//   - text with time: several turns have its text, and one of them has the time of
//     its ValidFrom. Times without a zone are read as UTC; the coarser of two times
//     decides how much of them is compared.
//   - before and after: it was there after one call, and not before it, and that
//     holds for no other call; it descends from the turns of that call, as a batch.
//
// The steps are reported in this order. An error names turns of calls that the
// scenario does not have, and calls that cannot be told apart by ingest.
func InferLineage(sc *tiaptest.Scenario, s *tiaptest.System, how Inference) (*tiaptest.System, []InferredStep, error) {
	if sc == nil || s == nil {
		return nil, nil, errors.New("inferring lineage needs a scenario and a system")
	}
	in := &inference{how: how, turns: newTurnTexts(sc)}
	if err := in.calls(sc, s); err != nil {
		return nil, nil, err
	}
	out := *s
	out.Ingests = nil
	for _, ingest := range s.Ingests {
		if ingest == nil {
			return nil, nil, fmt.Errorf("system %s has an ingest that is nil; leave it out", s.Name)
		}
		c := *ingest
		c.Memories = in.memories(ingest.Memories)
		c.Run = tiaptest.Run{}
		for k := range ingest.Run.All() {
			if err := c.Run.Add(k); err != nil {
				return nil, nil, err
			}
		}
		out.Ingests = append(out.Ingests, &c)
	}
	if n := in.steps[0].Linked + in.steps[1].Linked + in.steps[2].Linked; n > 0 {
		out.Lineage = strings.TrimPrefix(fmt.Sprintf("%s; inferred for %d of %d memories without it", s.Lineage, n, in.steps[0].Applied), "; ")
	}
	return &out, in.steps[:], nil
}

// inference infers the lineage of one system.
type inference struct {
	how   Inference
	turns *turnTexts
	made  map[string][]int // memory -> calls that it was new after
	steps [3]InferredStep
}

// calls checks the calls and finds what each memory was new after.
func (in *inference) calls(sc *tiaptest.Scenario, s *tiaptest.System) error {
	in.steps = [3]InferredStep{{Step: "exact text"}, {Step: "text with time"}, {Step: "before and after"}}
	if len(in.how.Calls) > 0 && len(s.Ingests) > 1 {
		return fmt.Errorf("system %s has %d ingests, and calls are of one; infer the lineage of each alone", s.Name, len(s.Ingests))
	}
	known := newImporter(sc).turns
	var faults problem.List
	in.made = make(map[string][]int)
	for i, c := range in.how.Calls {
		for _, t := range c.Turns {
			if !known[t] {
				faults.Add("", 0, fmt.Sprintf("call %d names the turn %q, which the scenario does not have", i+1, t), "name turns as the scenario does")
			}
		}
		before := make(map[string]bool, len(c.Before))
		for _, id := range c.Before {
			before[id] = true
		}
		for _, id := range c.After {
			if !before[id] {
				in.made[id] = append(in.made[id], i)
				before[id] = true
			}
		}
	}
	return faults.Err()
}

// memories returns a copy of memories with links added.
func (in *inference) memories(list []tiaptest.Memory) []tiaptest.Memory {
	out := slices.Clone(list)
	recorded := newRecorded(list)
	for i := range out {
		m := &out[i]
		m.Sources, m.Parents = slices.Clone(m.Sources), slices.Clone(m.Parents)
		switch {
		case len(m.Sources) == 0 && len(m.Parents) == 0:
			in.link(m)
		default:
			if turns := recorded.turns(i); len(turns) > 0 {
				in.check(m, turns)
			}
		}
	}
	return out
}

// link gives a memory without lineage the links of the first step that has any.
func (in *inference) link(m *tiaptest.Memory) {
	for i := range in.steps {
		step := &in.steps[i]
		step.Applied++
		if links := in.infer(i, m); len(links) > 0 {
			step.Linked++
			step.Links += len(links)
			m.Sources = links
			return
		}
	}
}

// check compares the links of the same step with the turns that are recorded.
func (in *inference) check(m *tiaptest.Memory, turns map[string]bool) {
	for i := range in.steps {
		links := in.infer(i, m)
		if len(links) == 0 {
			continue
		}
		in.steps[i].Checked += len(links)
		for _, l := range links {
			if turns[l.Turn] {
				in.steps[i].Confirmed++
			}
		}
		return
	}
}

// infer returns the links that a step gives a memory.
func (in *inference) infer(step int, m *tiaptest.Memory) []tiaptest.Link {
	if step == 2 {
		return in.inferByCall(m)
	}
	conversation := ""
	if in.how.Conversation != nil {
		conversation = in.how.Conversation(*m)
	}
	at := ""
	if step == 1 {
		if at = m.ValidFrom; at == "" {
			return nil
		}
	}
	var links []tiaptest.Link
	for _, found := range in.turns.parts(m.Text, conversation) {
		if len(found) > 1 && at != "" {
			found = slices.DeleteFunc(found, func(t *tiaptest.Turn) bool { return !sameTime(t.Time, at) })
		}
		if len(found) != 1 {
			return nil
		}
		if l := (tiaptest.Link{Turn: found[0].ID, Origin: "inferred"}); !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	return links
}

func (in *inference) inferByCall(m *tiaptest.Memory) []tiaptest.Link {
	calls := in.made[m.ID]
	if len(calls) != 1 {
		return nil
	}
	var links []tiaptest.Link
	for _, t := range in.how.Calls[calls[0]].Turns {
		if l := (tiaptest.Link{Turn: t, Precision: "batch", Origin: "inferred"}); !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	return links
}

// turnTexts finds turns by their text.
type turnTexts struct {
	byText  map[string][]*tiaptest.Turn
	lengths map[int]bool // of the texts
}

func newTurnTexts(sc *tiaptest.Scenario) *turnTexts {
	t := &turnTexts{make(map[string][]*tiaptest.Turn), make(map[int]bool)}
	add := func(text string, turn *tiaptest.Turn) {
		t.byText[text] = append(t.byText[text], turn)
		t.lengths[len(text)] = true
	}
	for i := range sc.Turns {
		turn := &sc.Turns[i]
		text := squeeze(turn.Text)
		if text == "" {
			continue
		}
		add(text, turn)
		if turn.Speaker != "" {
			add(squeeze(turn.Speaker+": "+text), turn)
		}
	}
	return t
}

// squeeze makes white space single blanks, and none at the ends.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// of returns the turns of a squeezed text, within a conversation if one is given.
func (t *turnTexts) of(text, conversation string) []*tiaptest.Turn {
	if !t.lengths[len(text)] {
		return nil
	}
	var out []*tiaptest.Turn
	for _, turn := range t.byText[text] {
		if conversation == "" || strings.HasPrefix(turn.ID, conversation+"/") {
			out = append(out, turn)
		}
	}
	return out
}

// parts returns the turns of a text: those that have it whole, or else those that
// have its first lines and those that have the others.
func (t *turnTexts) parts(text, conversation string) [][]*tiaptest.Turn {
	whole := squeeze(text)
	if found := t.of(whole, conversation); len(found) > 0 {
		return [][]*tiaptest.Turn{found}
	}
	end := 0 // of the lines so far, in whole
	for line := range strings.Lines(text) {
		line = squeeze(line)
		if line == "" {
			continue
		}
		if end > 0 {
			end++
		}
		if end += len(line); end == len(whole) {
			break
		}
		if first := t.of(whole[:end], conversation); len(first) > 0 {
			if second := t.of(whole[end+1:], conversation); len(second) > 0 {
				return [][]*tiaptest.Turn{first, second}
			}
		}
	}
	return nil
}

// sameTime reports whether two times are the same, as far as the coarser goes.
func sameTime(a, b string) bool {
	s, fine, ok1 := readTime(a)
	t, coarse, ok2 := readTime(b)
	unit := max(fine, coarse)
	return ok1 && ok2 && s.Truncate(unit).Equal(t.Truncate(unit))
}

// readTime reads a time and returns how fine it is.
func readTime(text string) (t time.Time, unit time.Duration, ok bool) {
	for _, layout := range []struct {
		text string
		unit time.Duration
	}{
		{time.RFC3339, time.Second},
		{"2006-01-02T15:04:05", time.Second},
		{time.DateTime, time.Second},
		{"2006-01-02T15:04", time.Minute},
		{"2006-01-02 15:04", time.Minute},
		{"200601021504", time.Minute},
		{time.DateOnly, 24 * time.Hour},
	} {
		if t, err := time.Parse(layout.text, strings.TrimSpace(text)); err == nil {
			return t.UTC(), layout.unit, true
		}
	}
	return time.Time{}, 0, false
}

// recorded finds the turns that memories descend from by recorded links alone.
type recorded struct {
	list  []tiaptest.Memory
	index map[string]int
}

func newRecorded(list []tiaptest.Memory) *recorded {
	r := &recorded{list, make(map[string]int, len(list))}
	for i := range list {
		r.index[list[i].ID] = i
	}
	return r
}

// turns returns the turns of a memory, its own and those of its parents.
func (r *recorded) turns(i int) map[string]bool {
	out := make(map[string]bool)
	seen := map[int]bool{i: true}
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		m := &r.list[queue[0]]
		for _, l := range m.Sources {
			if l.Origin != "inferred" {
				out[l.Turn] = true
			}
		}
		for _, id := range m.Parents {
			if p, ok := r.index[id]; ok && !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return out
}
