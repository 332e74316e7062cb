package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
)

const storeSchema = "tiap.golden-store/v1"

// StoreOption adds to what [Store] records.
type StoreOption func(*storeRecord, *tiaptest.System) error

// storeRecord is what a parser made of the turns.
type storeRecord struct {
	Schema   string                    `json:"schema"`
	System   string                    `json:"system"`
	Options  []string                  `json:"options,omitempty"` // what was added, ascending
	Ingests  int                       `json:"ingests"`
	Memories int                       `json:"memories"` // over all ingests, like every count of memories
	Forms    map[string]int            `json:"forms"`
	Turns    map[string]map[string]int `json:"turns"` // memories that descend from a turn, by form
	Covered  map[string]int            `json:"covered_queries,omitempty"`
	Sizes    map[string]decimal        `json:"target_set_sizes,omitempty"` // mean number of eligible memories of a covered query
	Winners  map[string]string         `json:"winners,omitempty"`
	Texts    map[string][]string       `json:"texts,omitempty"` // of a turn: id, form and text of its memories

	descent [][][]string // of each ingest and memory: the turns that it descends from
	silent  string       // why Texts adds nothing to compare, if so
}

// Store compares what a memory system stored with the golden file of a key,
// testdata/golden/KEY.store.json: how many memories of each form descend from each
// turn. It shows which turns lost or gained forms, so that a changed parser
// cannot go unseen, and is recorded like [Check]. It fails with other options than
// those of the recording, too, since what these add could not be compared.
func Store(tb testing.TB, key string, s *tiaptest.System, opts ...StoreOption) bool {
	tb.Helper()
	text, log, err := store(tb.Name(), key, testCommand(tb), s, opts)
	switch {
	case err != nil:
		tb.Error(harmless.Lines(fmt.Sprintf("golden %s: %v", key, err)))
	case text != "":
		tb.Error(harmless.Lines(text))
	}
	if log != "" {
		tb.Log(harmless.Lines(log))
	}
	return err == nil && text == ""
}

// Texts records ids and the Text of memories too, for parsers that are
// deterministic; a failure then shows the difference of each turn. Without any
// Text, neither recorded nor now, there is nothing to compare, which fails.
func Texts() StoreOption {
	return func(r *storeRecord, s *tiaptest.System) error {
		r.add("Texts")
		r.Texts = make(map[string][]string)
		r.silent = fmt.Sprintf("Texts compares nothing: no memory of %s that descends from a turn has a text; set Text of its memories, or leave Texts out", phrase.Name(s.Name))
		for n, in := range s.Ingests {
			for i, m := range in.Memories {
				for _, t := range r.descent[n][i] {
					r.Texts[t] = append(r.Texts[t], fmt.Sprintf("%s %s: %s", m.ID, m.Form, m.Text))
					if m.Text != "" {
						r.silent = ""
					}
				}
			}
		}
		for _, list := range r.Texts {
			slices.Sort(list)
		}
		return nil
	}
}

// Audited records what the store means for retrieval, by an audit that has the
// system: covered queries and target-set sizes per target, and the winners.
func Audited(a *tiaptest.Audit) StoreOption {
	return func(r *storeRecord, s *tiaptest.System) error {
		r.add("Audited")
		g, err := NewRecord(a)
		if err != nil {
			return err
		}
		rec := g.content.system(s.Name)
		if rec == nil {
			return fmt.Errorf("the audit has no system %q", s.Name)
		}
		r.Covered = make(map[string]int)
		for t, c := range rec.Covered {
			r.Covered[t] = c.N
		}
		if r.Sizes, err = targetSets(a, s.Name); err != nil {
			return err
		}
		r.Winners = make(map[string]string)
		for _, p := range g.content.Pairs {
			if p.A != s.Name && p.B != s.Name {
				continue
			}
			for t, byMetric := range p.Winners {
				for m := range byMetric {
					r.Winners[fmt.Sprintf("%s of %s and %s under %s", m, p.A, p.B, t)] = p.winner(t, m)
				}
			}
		}
		return nil
	}
}

// add notes an option.
func (r *storeRecord) add(option string) {
	r.Options = slices.Compact(slices.Sorted(slices.Values(append(r.Options, option))))
}

// added says with which options a store was recorded.
func (r *storeRecord) added() string {
	if len(r.Options) == 0 {
		return "without options"
	}
	return "with " + strings.Join(r.Options, " and ")
}

// targetSets is the mean number of memories of a system that a target of the protocol
// may credit, over the queries for which there is one.
func targetSets(a *tiaptest.Audit, system string) (map[string]decimal, error) {
	protocol := []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical}
	a, err := a.With(tiaptest.Targets(protocol...), tiaptest.Beside(), tiaptest.Headline(tiaptest.Source), tiaptest.Systems(system))
	if err != nil {
		return nil, err
	}
	type asked struct {
		query  string
		ingest int
	}
	out := make(map[string]decimal)
	for _, t := range protocol {
		eligible, err := a.Eligible(system, t)
		if err != nil {
			continue // the target is unavailable, or there are no memories
		}
		total, covered := 0, make(map[asked]bool)
		for e := range eligible {
			total++
			covered[asked{e.Query.ID, e.Ingest}] = true
		}
		if total > 0 {
			out[t.String()] = decimal(float64(total) / float64(len(covered)))
		}
	}
	return out, nil
}

// descent returns, for each memory, the turns that it descends from by recorded
// links, its own and those of its parents. The ingest is valid.
func descent(in *tiaptest.Ingest) [][]string {
	var turns []string
	numbers := make(map[string]int32)
	at := make(map[string]int32, len(in.Memories))
	for i, m := range in.Memories {
		at[m.ID] = int32(i)
	}
	own, parents := lineage.NewTable[lineage.Link](len(in.Memories)), lineage.NewTable[int32](len(in.Memories))
	for _, m := range in.Memories {
		for _, l := range m.Sources {
			if l.Origin == "inferred" {
				continue
			}
			turn, known := numbers[l.Turn]
			if !known {
				turn = int32(len(turns))
				numbers[l.Turn], turns = turn, append(turns, l.Turn)
			}
			own.Items = append(own.Items, lineage.Link{Turn: turn})
		}
		own.Add()
		for _, p := range m.Parents {
			parents.Items = append(parents.Items, at[p])
		}
		parents.Add()
	}
	g, _ := lineage.New(own, parents)
	out := make([][]string, len(in.Memories))
	w := g.Walker()
	for i := range out {
		for _, l := range w.Links(int32(i)) {
			out[i] = append(out[i], turns[l.Turn])
		}
	}
	return out
}

// newStoreRecord makes the record of a store.
func newStoreRecord(s *tiaptest.System, opts []StoreOption) (*storeRecord, error) {
	if s == nil || len(s.Ingests) == 0 {
		return nil, errors.New("there is no system, or none with an ingest")
	}
	r := &storeRecord{Schema: storeSchema, System: s.Name, Ingests: len(s.Ingests), Forms: make(map[string]int), Turns: make(map[string]map[string]int)}
	for i, in := range s.Ingests {
		if err := in.Validate(); err != nil {
			if len(s.Ingests) > 1 {
				err = fmt.Errorf("ingest %d: %w", i+1, err)
			}
			return nil, err
		}
		turns := descent(in)
		r.descent = append(r.descent, turns)
		for j, m := range in.Memories {
			r.Memories++
			r.Forms[m.Form]++
			for _, t := range turns[j] {
				if r.Turns[t] == nil {
					r.Turns[t] = make(map[string]int)
				}
				r.Turns[t][m.Form]++
			}
		}
	}
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(r, s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// store compares or records.
func store(test, key, command string, s *tiaptest.System, opts []StoreOption) (failure, log string, err error) {
	got, err := newStoreRecord(s, opts)
	if err != nil {
		return "", "", err
	}
	file, err := fileOf(key + ".store")
	if err != nil {
		return "", "", err
	}
	content, err := got.encode()
	if err != nil {
		return "", "", err
	}
	if err := claimFile(file, key+".store", test, content); err != nil {
		return "", "", err
	}
	update, err := updating()
	if err != nil {
		return "", "", err
	}
	want, readErr := readStore(file)
	_, other := errors.AsType[*foreign](readErr)
	nothing := errors.Is(readErr, fs.ErrNotExist)
	accept := "\n    to accept: " + command
	switch {
	case other:
		return "", "", readErr
	case got.silent != "" && (update || nothing):
		return "", "", errors.New(got.silent)
	case update:
		written, err := save(file, files{record: content}, nil)
		if err == nil && written {
			log = "golden updated: " + shown(file)
		}
		return "", log, err
	case nothing:
		return fmt.Sprintf("missing: there is no golden file %s; it would record %d memories of %d turns in %s%s",
			shown(file), got.Memories, len(got.Turns), got.System, accept), "", nil
	case readErr != nil:
		return "", "", readErr
	}
	if text := want.differences(got, testing.Verbose()); text != "" {
		return text + accept, "", nil
	}
	if got.silent != "" { // in a record of a version that did not ask
		return "", "", errors.New(got.silent)
	}
	return "", "", nil
}

// encode writes a record in its one form: sorted, indented, LF.
func (r *storeRecord) encode() ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, r, " ")
	return b.Bytes(), err
}

// readStore reads the golden file of a store. Damage is an error that names the file
// and the cure, and so is another version of it.
func readStore(file string) (*storeRecord, error) {
	data, err := limit.ReadFile(file, limit.File)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte(mark))
	if err := otherSchema(data, storeSchema); err != nil {
		other, _ := errors.AsType[*foreign](err)
		return nil, fmt.Errorf("%s: %w; %s", shown(file), err, other.cure())
	}
	r := new(storeRecord)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is no record of a store: %w; %s", shown(file), err, cure)
	}
	return r, nil
}

// differences says what became of each turn, form, target and winner, "" if all are as
// recorded.
func (r *storeRecord) differences(got *storeRecord, full bool) string {
	if r.System != got.System || r.Ingests != got.Ingests {
		return fmt.Sprintf("identity mismatch: recorded is the store of %s with %s, this is %s with %s",
			r.System, english.Count(r.Ingests, "ingest", "ingests"), got.System, english.Count(got.Ingests, "ingest", "ingests"))
	}
	if was, is := r.added(), got.added(); was != is {
		return fmt.Sprintf("options differ: recorded is the store of %s %s, this is %s", r.System, was, is)
	}
	rows, texts := r.counted(got), r.textsDiffer(got, full)
	lost, gained := r.changed(got)
	if len(rows) == 1 && lost.turns+gained.turns == 0 && texts == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "store changed: %s has %d memories, recorded %d; %s lost forms, %s gained some", got.System, got.Memories, r.Memories,
		english.Count(lost.turns, "turn", "turns"), english.Count(gained.turns, "turn", "turns"))
	if len(rows) > 1 {
		b.WriteString("\n\n")
		_ = table.Write(&b, "    ", rows)
	}
	lost.write(&b, "lost", full)
	gained.write(&b, "gained", full)
	b.WriteString(texts)
	return b.String()
}

// counted are the counts and winners that differ, below a head.
func (r *storeRecord) counted(got *storeRecord) [][]string {
	rows := [][]string{{"", "recorded", "now"}}
	differ := func(name string, was, is any) {
		if fmt.Sprint(was) != fmt.Sprint(is) {
			rows = append(rows, []string{name, fmt.Sprint(was), fmt.Sprint(is)})
		}
	}
	differ("memories", r.Memories, got.Memories)
	for _, f := range keysOf(r.Forms, got.Forms) {
		differ("form "+f, r.Forms[f], got.Forms[f])
	}
	for _, t := range targetsOf(merged(r.Covered, got.Covered)) {
		differ("queries covered under "+t, r.Covered[t], got.Covered[t])
	}
	for _, t := range targetsOf(merged(r.Sizes, got.Sizes)) {
		differ("target-set size under "+t, fmt.Sprintf("%.4f", float64(r.Sizes[t])), fmt.Sprintf("%.4f", float64(got.Sizes[t])))
	}
	for _, w := range keysOf(r.Winners, got.Winners) {
		differ("winner by "+w, r.Winners[w], got.Winners[w])
	}
	return rows
}

// textsDiffer shows the memories of the turns that have others.
func (r *storeRecord) textsDiffer(got *storeRecord, full bool) string {
	texts, differing := "", 0
	asLines := cmp.Comparer(func(a, b string) bool { return a == b }) // each memory is shown as a line, not in pieces
	for _, t := range keysOf(r.Texts, got.Texts) {
		if slices.Equal(r.Texts[t], got.Texts[t]) {
			continue
		}
		if differing++; full || differing <= shownTurns {
			texts += fmt.Sprintf("\n    memories of %s (-recorded +now):\n%s", phrase.Name(t), cmp.Diff(r.Texts[t], got.Texts[t], asLines))
		}
	}
	if n := differing - shownTurns; n > 0 && !full {
		texts += fmt.Sprintf("\n    and the memories of %s; -v shows all", english.Count(n, "more turn", "more turns"))
	}
	return texts
}

// changed lists the forms of which turns have fewer memories, or more.
func (r *storeRecord) changed(got *storeRecord) (lost, gained changed) {
	for _, t := range keysOf(r.Turns, got.Turns) {
		for _, f := range keysOf(r.Turns[t], got.Turns[t]) {
			switch was, is := r.Turns[t][f], got.Turns[t][f]; {
			case is < was:
				lost.add(t, f, was, is)
			case is > was:
				gained.add(t, f, was, is)
			}
		}
	}
	return lost, gained
}

// changed lists what became of the forms of turns.
type changed struct {
	turns int
	last  string
	lines []string
}

func (c *changed) add(turn, form string, was, is int) {
	if turn != c.last {
		c.turns++
	}
	c.last = turn
	c.lines = append(c.lines, fmt.Sprintf("%s %s %d -> %d", phrase.Name(turn), phrase.Name(form), was, is))
}

// How many lines of turns a message has, unless it is verbose.
const shownTurns = 50

func (c *changed) write(b *strings.Builder, verb string, full bool) {
	if c.turns == 0 {
		return
	}
	fmt.Fprintf(b, "\n    turns that %s forms:", verb)
	shown := len(c.lines)
	if !full {
		shown = min(shown, shownTurns)
	}
	for _, line := range c.lines[:shown] {
		b.WriteString("\n        " + line)
	}
	if n := len(c.lines) - shown; n > 0 {
		fmt.Fprintf(b, "\n        and %d more; -v shows all", n)
	}
}

func merged[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[string]V)
	}
	maps.Copy(out, b)
	return out
}

func keysOf[V any](a, b map[string]V) []string { return slices.Sorted(maps.Keys(merged(a, b))) }
