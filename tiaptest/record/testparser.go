package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tiaptest/tiap/tiaptest"
)

// Parser is the part of a memory system that makes memories of turns. Parse
// receives the turns of one session in their order, and nothing else: no query,
// answer or evidence. It returns memories with the turns that they were made of
// under Sources; memories of the same answer, or of a session parsed before, may
// be Parents.
type Parser interface {
	Parse(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error)
}

// ParseFunc is a function as a [Parser].
type ParseFunc func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error)

// Parse calls f. A nil f is an error.
func (f ParseFunc) Parse(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
	if f == nil {
		return nil, errors.New("the ParseFunc is nil; give a function")
	}
	return f(ctx, turns)
}

// Claims is what a system promises, or does not, to [TestParser] and
// [TestSearcher]. The zero value claims stable answers and no cap.
type Claims struct {
	// PerTurn is the cap of a parser: how many memories that are not raw may
	// name one and the same turn with the precision exact. 0: no cap.
	PerTurn int

	// Unstable says that two calls with the same input may have different
	// results, as those of a model do. What can only be seen by comparing
	// results is not tested then.
	Unstable bool

	// Scores is the order in which the scores of a searcher run.
	Scores Order
}

// TestParser tests a parser on the turns of a conversation, session by session,
// and on turns that have no text, are in foreign scripts, stand for images or
// are 1 MB long. It tests that
//
//   - memories have ids of their own and a form, and descend from something,
//   - every source is a turn of the session, every parent a memory,
//   - no memory descends from a turn without text,
//   - the cap of the claims holds for every turn,
//   - ids and texts are UTF-8,
//   - a second run has the same result, ids included,
//   - the result does not depend on the ids of turns and sessions, by which alone
//     a parser could know what is evidence,
//   - the turns are left as they are,
//   - Parse returns when its context is done, and never panics.
//
// The error joins all that was found, or is nil:
//
//	if err := record.TestParser(parser, turns, record.Claims{PerTurn: 5}); err != nil {
//		t.Error(err)
//	}
func TestParser(p Parser, turns []tiaptest.Turn, c Claims) error {
	t := parserTest{parser: p, claims: c}
	sessions := Sessions(turns)
	if len(sessions) == 0 {
		t.find("there are no turns to parse")
	} else {
		first := t.conversation("", sessions)
		if !c.Unstable && len(t.findings) == 0 {
			t.same(first, t.conversation("second run, ", sessions))
		}
		if !c.Unstable && len(t.findings) == 0 {
			t.blind(first, sessions)
		}
		if err := heeds("Parse", func(ctx context.Context) error {
			_, err := p.Parse(ctx, slices.Clone(sessions[0]))
			return err
		}); err != nil {
			t.find("%v", err)
		}
	}
	t.session("no turns", nil, newMemoryCheck())
	for _, probe := range probes() {
		t.session(probe.name, probe.turns, newMemoryCheck())
	}
	return errors.Join(t.findings...)
}

// parserTest collects what is wrong with a parser.
type parserTest struct {
	parser   Parser
	claims   Claims
	findings []error
}

func (t *parserTest) find(format string, args ...any) {
	t.findings = append(t.findings, fmt.Errorf("parser: "+format, args...))
}

type probe struct {
	name  string
	turns []tiaptest.Turn
}

// probes are sessions that parsers stumble over.
func probes() []probe {
	session := func(texts ...string) []tiaptest.Turn {
		turns := make([]tiaptest.Turn, len(texts))
		for i, text := range texts {
			turns[i] = tiaptest.Turn{ID: fmt.Sprintf("probe/%d", i+1), Session: "probe", Speaker: "Ann", Time: "2026-03-01T10:00:00Z", Text: text}
		}
		return turns
	}
	const plain = "The bees are in the orchard now."
	return []probe{
		{"turns without text", session("", " \n\t", plain)},
		{"only a turn without text", session("")},
		{"a turn without speaker and time", []tiaptest.Turn{{ID: "probe/1", Text: plain}}},
		{"an image with a caption", session("[image: a dog on a beach]", "That is our dog last summer.")},
		{"foreign scripts", session(
			"Ich wohne jetzt in Zürich, die Straße heißt Bärengasse.",
			"我昨天买了一辆自行车。",
			"انتقلت إلى مدينة أخرى.",
			"e\u0301te\u0301 \u202eabc\u202c \u200b\ufeff \U0001f9d1\u200d\U0001f680 \U0001f1e8\U0001f1ed \x00 \U0010ffff",
		)},
		{"a word of 1 MB", session(strings.Repeat("x", 1<<20))},
		{"a text of 1 MB", session(strings.Repeat("Die Bienen stehen im Obstgärtchen. ", 1<<20/36))},
	}
}

// conversation parses all sessions and checks the memories.
func (t *parserTest) conversation(run string, sessions [][]tiaptest.Turn) []tiaptest.Memory {
	var all []tiaptest.Memory
	seen := newMemoryCheck()
	for _, turns := range sessions {
		all = append(all, t.session(fmt.Sprintf("%ssession %q", run, turns[0].Session), turns, seen)...)
	}
	return all
}

// session parses one session and checks the memories together with earlier ones.
func (t *parserTest) session(name string, turns []tiaptest.Turn, seen memoryCheck) []tiaptest.Memory {
	given := slices.Clone(turns)
	memories, err := within(context.Background(), func() ([]tiaptest.Memory, error) {
		return t.parser.Parse(context.Background(), given)
	})
	if err != nil {
		t.find("%s: Parse fails: %v", name, err)
		return nil
	}
	if !slices.Equal(given, turns) {
		t.find("%s: Parse changes the turns that it is given; work on a copy", name)
	}
	for _, finding := range seen.check(turns, memories, t.claims.PerTurn) {
		t.find("%s: %s", name, finding)
	}
	return memories
}

// memoryCheck checks the memories of one conversation. It holds the ids so far.
type memoryCheck map[string]bool

func newMemoryCheck() memoryCheck { return make(memoryCheck) }

// check returns what is wrong with the memories of a session, each kind of fault
// once.
func (seen memoryCheck) check(turns []tiaptest.Turn, memories []tiaptest.Memory, perTurn int) (findings []string) {
	said := make(map[string]bool)
	find := func(format string, args ...any) {
		if !said[format] {
			said[format] = true
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	text := make(map[string]string, len(turns))
	for _, turn := range turns {
		text[turn.ID] = turn.Text
	}
	here := make(map[string]bool, len(memories))
	for _, m := range memories {
		here[m.ID] = true
	}
	made := make(map[string]int)
	for _, m := range memories {
		switch {
		case m.ID == "":
			find("a memory has no id: %s", describe(m))
		case seen[m.ID]:
			find("two memories have the id %q; give every memory an id of its own", m.ID)
		}
		seen[m.ID] = true
		if m.Form == "" {
			find("memory %q has no form", m.ID)
		}
		if len(m.Sources)+len(m.Parents) == 0 {
			find("memory %q names neither a turn nor a memory that it was made of", m.ID)
		}
		if !utf8.ValidString(m.ID) || !utf8.ValidString(m.Text) {
			find("the id or text of memory %q is not UTF-8; cut texts between characters, not between bytes", m.ID)
		}
		for _, id := range m.Parents {
			if !here[id] && !seen[id] {
				find("memory %q has the parent %q, which is no memory of this or an earlier session", m.ID, id)
			}
		}
		exact := make(map[string]bool)
		for _, l := range m.Sources {
			switch said, ok := text[l.Turn]; {
			case !ok:
				find("memory %q has the source %q, which is no turn of the session", m.ID, l.Turn)
			case strings.TrimSpace(said) == "":
				find("memory %q descends from turn %q, which has no text", m.ID, l.Turn)
			}
			if m.Form != "raw" && (l.Precision == "" || l.Precision == "exact") {
				exact[l.Turn] = true
			}
		}
		for id := range exact {
			made[id]++
		}
	}
	for _, turn := range turns {
		if n := made[turn.ID]; perTurn > 0 && n > perTurn {
			find("%d memories were made of turn %q; the cap is %d", n, turn.ID, perTurn)
		}
	}
	return findings
}

// same compares two runs.
func (t *parserTest) same(first, second []tiaptest.Memory) {
	const mend = "; make it depend on the turns alone, or claim Unstable"
	if len(t.findings) > 0 {
		return // of the second run
	}
	if len(first) != len(second) {
		t.find("a second run makes %d memories, the first made %d%s", len(second), len(first), mend)
		return
	}
	byID := func(a, b tiaptest.Memory) int { return cmp.Compare(a.ID, b.ID) }
	first, second = slices.SortedFunc(slices.Values(first), byID), slices.SortedFunc(slices.Values(second), byID)
	for i, a := range first {
		switch b := second[i]; {
		case a.ID != b.ID:
			t.find("a second run gives other ids, %q in place of %q%s", b.ID, a.ID, mend)
			return
		case !equal(a, b):
			t.find("a second run makes memory %q differently: %s, the first %s%s", a.ID, describe(b), describe(a), mend)
			return
		}
	}
}

// equal compares memories; an empty list is as good as none.
func equal(a, b tiaptest.Memory) bool {
	if !slices.Equal(a.Sources, b.Sources) || !slices.Equal(a.Parents, b.Parents) {
		return false
	}
	a.Sources, b.Sources, a.Parents, b.Parents = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func describe(m tiaptest.Memory) string {
	turns := make([]string, len(m.Sources))
	for i, l := range m.Sources {
		turns[i] = l.Turn
	}
	return fmt.Sprintf("%s %.40q of %v", cmp.Or(m.Form, "memory"), m.Text, turns)
}

// blind parses the conversation once more under other ids of turns and sessions,
// and compares what was made of which turn.
func (t *parserTest) blind(first []tiaptest.Memory, sessions [][]tiaptest.Turn) {
	original := make(map[string]string)
	renamed := make([][]tiaptest.Turn, len(sessions))
	for s, turns := range sessions {
		for _, turn := range turns {
			id := fmt.Sprintf("renamed/%d", len(original))
			original[id] = turn.ID
			turn.ID, turn.Session = id, fmt.Sprintf("session/%d", s)
			renamed[s] = append(renamed[s], turn)
		}
	}
	second := t.conversation("under other ids, ", renamed)
	if len(t.findings) > 0 {
		return
	}
	before := made(first, func(turn string) string { return turn })
	after := made(second, func(turn string) string { return original[turn] })
	for _, turn := range slices.Concat(sessions...) {
		if a, b := before[turn.ID], after[turn.ID]; !slices.Equal(a, b) {
			t.find("of turn %q it makes %.200q, but %.200q when turns and sessions have other ids; parse what turns say: ids tell what is evidence", turn.ID, a, b)
			return
		}
	}
}

// made lists what was made of each turn.
func made(memories []tiaptest.Memory, original func(turn string) string) map[string][]string {
	of := make(map[string][]string)
	for _, m := range memories {
		for _, l := range m.Sources {
			id := original(l.Turn)
			of[id] = append(of[id], m.Form+": "+m.Text)
		}
	}
	for _, texts := range of {
		slices.Sort(texts)
	}
	return of
}

// heeds calls a function with a context that is done and with one that is done
// soon, and reports an error when it does not return.
func heeds(name string, call func(context.Context) error) error {
	for _, after := range []time.Duration{0, 10 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := within(ctx, func() (struct{}, error) { return struct{}{}, call(ctx) })
		cancel()
		if _, late := errors.AsType[errLate](err); late {
			return fmt.Errorf("%s goes on for more than %v after its context is done; pass the context on", name, grace)
		}
		if _, panics := errors.AsType[errPanic](err); panics {
			return fmt.Errorf("%s with a context that is done: %w", name, err)
		}
	}
	return nil
}
