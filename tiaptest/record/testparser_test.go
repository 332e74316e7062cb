package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// conversation has two sessions of two turns.
var conversation = []tiaptest.Turn{
	{ID: "D1:1", Session: "1", Speaker: "Ann", Text: "We moved to Bern. The flat is small."},
	{ID: "D1:2", Session: "1", Speaker: "Bob", Text: "Is it near the river?"},
	{ID: "D2:1", Session: "2", Speaker: "Ann", Text: "The bees arrived. They are in the orchard."},
	{ID: "D2:2", Session: "2", Speaker: "Bob", Text: "I bought a bicycle."},
}

// sentences is a sound parser: a fact of each sentence, at most five of a turn.
func sentences(_ context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
	var out []tiaptest.Memory
	for _, turn := range turns {
		for i, s := range strings.SplitN(turn.Text, ". ", 5) {
			if strings.TrimSpace(s) != "" {
				out = append(out, tiaptest.Memory{
					ID: fmt.Sprintf("%s/%d", turn.ID, i), Form: "fact", Text: s, Sources: []tiaptest.Link{{Turn: turn.ID}},
				})
			}
		}
	}
	return out, nil
}

// findings are the errors that were joined.
func findings(err error) []string {
	if err == nil {
		return nil
	}
	var out []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		out = append(out, e.Error())
	}
	return out
}

func TestParserSound(t *testing.T) {
	t.Parallel()
	assert.NoError(t, record.TestParser(record.ParseFunc(sentences), conversation, record.Claims{}))
	assert.NoError(t, record.TestParser(record.ParseFunc(sentences), conversation, record.Claims{PerTurn: 5}))
	parents := func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		out, err := sentences(ctx, turns)
		if len(out) > 0 {
			out = append(out, tiaptest.Memory{ID: out[0].ID + "/summary", Form: "summary", Parents: []string{out[0].ID}})
		}
		return out, err
	}
	assert.NoError(t, record.TestParser(record.ParseFunc(parents), conversation, record.Claims{}))
}

// Each check has a parser that fails it and no other one.
func TestParserFaults(t *testing.T) {
	t.Parallel()
	// each is the sound parser with every memory changed.
	each := func(change func(m *tiaptest.Memory)) record.ParseFunc {
		return func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			out, err := sentences(ctx, turns)
			for i := range out {
				change(&out[i])
			}
			return out, err
		}
	}
	// of changes what is made of the conversation's second turn.
	of := func(change func(m *tiaptest.Memory)) record.ParseFunc {
		return each(func(m *tiaptest.Memory) {
			if m.Text == "Is it near the river?" {
				change(m)
			}
		})
	}
	var n atomic.Int32
	for _, c := range []struct {
		name   string
		parser record.ParseFunc
		claims record.Claims
		want   []string
	}{
		{"fails", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			if len(turns) == 0 {
				return nil, errors.New("no turns")
			}
			return sentences(ctx, turns)
		}, record.Claims{}, []string{"parser: no turns: Parse fails: no turns"}},
		{"panics", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			_ = turns[0]
			return sentences(ctx, turns)
		}, record.Claims{}, []string{"parser: no turns: Parse fails: panic: runtime error: index out of range [0] with length 0"}},
		{"too long", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			for _, turn := range turns {
				if len(turn.Text) > 1<<19 {
					return nil, errors.New("context length exceeded")
				}
			}
			return sentences(ctx, turns)
		}, record.Claims{}, []string{
			"parser: a word of 1 MB: Parse fails: context length exceeded",
			"parser: a text of 1 MB: Parse fails: context length exceeded",
		}},
		{"no id", of(func(m *tiaptest.Memory) { m.ID = "" }), record.Claims{},
			[]string{`parser: session "1": a memory has no id: fact "Is it near the river?" of [D1:2]`}},
		{"an id twice", of(func(m *tiaptest.Memory) { m.ID = "D1:1/0" }), record.Claims{},
			[]string{`parser: session "1": two memories have the id "D1:1/0"; give every memory an id of its own`}},
		{"an id of another session", each(func(m *tiaptest.Memory) { m.ID = strings.TrimPrefix(m.ID, m.ID[:2]) }), record.Claims{},
			[]string{`parser: session "2": two memories have the id ":1/0"; give every memory an id of its own`}},
		{"no form", of(func(m *tiaptest.Memory) { m.Form = "" }), record.Claims{},
			[]string{`parser: session "1": memory "D1:2/0" has no form`}},
		{"no lineage", of(func(m *tiaptest.Memory) { m.Sources = nil }), record.Claims{},
			[]string{`parser: session "1": memory "D1:2/0" names neither a turn nor a memory that it was made of`}},
		{"unknown turn", of(func(m *tiaptest.Memory) { m.Sources[0].Turn = "D2:2" }), record.Claims{},
			[]string{`parser: session "1": memory "D1:2/0" has the source "D2:2", which is no turn of the session`}},
		{"unknown parent", of(func(m *tiaptest.Memory) { m.Parents = []string{"D2:2/0"} }), record.Claims{},
			[]string{`parser: session "1": memory "D1:2/0" has the parent "D2:2/0", which is no memory of this or an earlier session`}},
		{"not UTF-8", each(func(m *tiaptest.Memory) { m.Text = m.Text[:min(len(m.Text), 13)] }), record.Claims{},
			[]string{`parser: foreign scripts: the id or text of memory "probe/2/0" is not UTF-8; cut texts between characters, not between bytes`}},
		{"a memory of nothing", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			out, err := sentences(ctx, turns)
			for _, turn := range turns {
				out = append(out, tiaptest.Memory{ID: turn.ID, Form: "raw", Text: turn.Text, Sources: []tiaptest.Link{{Turn: turn.ID}}})
			}
			return out, err
		}, record.Claims{}, []string{
			`parser: turns without text: memory "probe/1" descends from turn "probe/1", which has no text`,
			`parser: only a turn without text: memory "probe/1" descends from turn "probe/1", which has no text`,
		}},
		{"the cap", sentences, record.Claims{PerTurn: 4}, []string{
			`parser: a text of 1 MB: 5 memories were made of turn "probe/1"; the cap is 4`,
		}},
		{"other ids", each(func(m *tiaptest.Memory) { m.ID += fmt.Sprintf("/%03d", n.Add(1)) }), record.Claims{},
			[]string{`parser: a second run gives other ids, "D1:1/0/007" in place of "D1:1/0/001"; make it depend on the turns alone, or claim Unstable`}},
		{"other texts", each(func(m *tiaptest.Memory) { m.Text += fmt.Sprint(n.Add(1)) }), record.Claims{},
			[]string{`parser: a second run makes memory "D1:1/0" differently: fact "We moved to Bern7" of [D1:1], the first fact "We moved to Bern1" of [D1:1]; make it depend on the turns alone, or claim Unstable`}},
		{"another number", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			if n.Add(1) == 3 {
				return nil, nil
			}
			return sentences(ctx, turns)
		}, record.Claims{}, []string{"parser: a second run makes 3 memories, the first made 6; make it depend on the turns alone, or claim Unstable"}},
		{"knows the evidence", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			out, err := sentences(ctx, turns)
			for _, turn := range turns {
				if turn.ID == "D2:1" { // a gold turn
					out = append(out, tiaptest.Memory{ID: "more", Form: "fact", Text: turn.Text, Sources: []tiaptest.Link{{Turn: turn.ID}}})
				}
			}
			return out, err
		}, record.Claims{}, []string{`parser: of turn "D2:1" it makes ["fact: The bees arrived" "fact: The bees arrived. They are in the orchard." "fact: They are in the orchard."], but ["fact: The bees arrived" "fact: They are in the orchard."] when turns and sessions have other ids; parse what turns say: ids tell what is evidence`}},
		{"changes turns", func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			out, err := sentences(ctx, turns)
			for i := range turns {
				if turns[i].Speaker == "" {
					turns[i].Speaker = "unknown"
				}
			}
			return out, err
		}, record.Claims{}, []string{"parser: a turn without speaker and time: Parse changes the turns that it is given; work on a copy"}},
	} {
		t.Run(c.name, func(t *testing.T) { // not parallel: they share a counter
			n.Store(0)
			assert.Equal(t, c.want, findings(record.TestParser(c.parser, conversation, c.claims)))
		})
	}
	assert.Equal(t, []string{"parser: there are no turns to parse"}, findings(record.TestParser(record.ParseFunc(sentences), nil, record.Claims{})))
}

// What differs from run to run is fine when it is said.
func TestParserUnstable(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	p := record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		out, err := sentences(ctx, turns)
		for i := range out {
			out[i].ID = fmt.Sprint(n.Add(1))
		}
		return out, err
	})
	assert.NoError(t, record.TestParser(p, conversation, record.Claims{Unstable: true}))
}

// A parser that waits for something must give up when its context is done.
func TestParserContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heeds := record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			select {
			case <-time.After(time.Minute):
				return sentences(ctx, turns)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		assert.NoError(t, record.TestParser(heeds, conversation, record.Claims{}))
		forgets := record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
			time.Sleep(time.Minute)
			return sentences(ctx, turns)
		})
		assert.Equal(t, []string{"parser: Parse goes on for more than 2s after its context is done; pass the context on"},
			findings(record.TestParser(forgets, conversation, record.Claims{})))
		time.Sleep(time.Hour)
	})
	panics := record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		if ctx.Err() != nil {
			panic(ctx.Err())
		}
		return sentences(ctx, turns)
	})
	assert.Equal(t, []string{"parser: Parse with a context that is done: panic: context deadline exceeded"},
		findings(record.TestParser(panics, conversation, record.Claims{})))
}
