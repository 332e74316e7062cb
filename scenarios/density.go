package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/terminal"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Density records one memory system at several densities of its parser: at most
// so many memories of a turn. It returns the scenario with a system for each, D1,
// D5 and D8 of the family "density" for the densities 1, 5 and 8, to test whether
// the best density depends on the target:
//
//	b, err := scenarios.Density(ctx, scenario, reference.MaxFacts, []int{1, 5, 8}, reference.Lexical, record.Options{Cacheable: true})
//	if err != nil {
//		t.Fatal(err)
//	}
//	a, err := tiaptest.Rescore(b)
//	if err != nil {
//		t.Fatal(err)
//	}
//	tiaptest.Check(t, a, tiaptest.StableRecommendation("density", tiaptest.NDCG(60)))
//
// parser makes the parser of a density, and [Build] a system of it. A parser with a
// method Forms() map[string]string says by it what its forms are, for system.json;
// without it that is left to the caller.
//
// A parser is held to its density. As [record.Claims] count for PerTurn, these are
// the memories of a turn: those that name it with the precision exact and are not
// raw. Summaries, with the precision container, are free.
//
// The options are those of [record.Ingests] for each system. Repeats builds every
// system several times, as a parser that is not deterministic needs. Dir is the
// folder of the bundle: systems are recorded in its systems/D1 and so on, a
// recording that was interrupted goes on from there, and [tiaptest.Bundle.WriteDir]
// writes the rest. Progress also tells of the parsing.
//
// The headline target is for the caller to declare. Errors are those of
// [record.Ingests], and a scenario without turns, densities that are not positive,
// stand twice or are none, a parser or searcher that is nil, and a parser that makes
// more memories of a turn than its density; that names the system, the turn and
// both numbers.
func Density(ctx context.Context, s *tiaptest.Scenario, parser func(density int) record.Parser, densities []int,
	searcher func(context.Context, []tiaptest.Memory) (record.Searcher, error), o record.Options) (*tiaptest.Bundle, error) {
	var missing []error
	if s == nil {
		missing = append(missing, errors.New("there is no scenario; read one with its turns"))
	}
	if parser == nil {
		missing = append(missing, errors.New("there is no parser; name a function that makes one of a density, such as reference.MaxFacts"))
	}
	if searcher == nil {
		missing = append(missing, errNoSearcher)
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	if err := checkDensities(s, densities); err != nil {
		return nil, err
	}
	b := &tiaptest.Bundle{Scenario: *s}
	for _, d := range densities {
		name := "D" + strconv.Itoa(d)
		p := parser(d)
		if absent(p) {
			return nil, fmt.Errorf("%s: there is no parser", name)
		}
		options := o
		if o.Dir != "" {
			options.Dir = filepath.Join(o.Dir, "systems", name)
		}
		build := Build(s.Turns, watched(held(p, d), name, len(record.Sessions(s.Turns)), o.Progress, told), searcher)
		ingests, _, err := record.Ingests(ctx, s.Queries, build, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.Systems = append(b.Systems, densitySystem(name, d, p, ingests))
	}
	return b, nil
}

func checkDensities(s *tiaptest.Scenario, densities []int) error {
	var errs []error
	if len(s.Turns) == 0 {
		errs = append(errs, fmt.Errorf("scenario %q has no turns to parse; read it with them", s.Name))
	}
	if len(densities) == 0 {
		errs = append(errs, errors.New("there are no densities; name some, such as 1, 5 and 8"))
	}
	seen := make(map[int]bool)
	for _, d := range densities {
		switch {
		case d < 1:
			errs = append(errs, fmt.Errorf("a density of %d; use numbers from 1 on", d))
		case seen[d]:
			errs = append(errs, fmt.Errorf("the density %d stands twice; name it once", d))
		}
		seen[d] = true
	}
	return errors.Join(errs...)
}

// held is a parser that fails when it makes more memories of a turn than the
// density allows.
func held(p record.Parser, density int) record.Parser {
	return record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		memories, err := p.Parse(ctx, turns)
		if err != nil {
			return nil, err
		}
		made := derived(memories)
		var errs []error
		for _, t := range turns {
			if n := made[t.ID]; n > density {
				errs = append(errs, fmt.Errorf("turn %q: the parser made %d memories of it; the density allows %d: make fewer, or name a higher density", t.ID, n, density))
			}
		}
		return memories, few(errs)
	})
}

// derived counts the memories of each turn: those that name it with the precision
// exact and are not raw.
func derived(memories []tiaptest.Memory) map[string]int {
	made := make(map[string]int)
	for _, m := range memories {
		if m.Form == rawForm {
			continue
		}
		exact := make(map[string]bool)
		for _, l := range m.Sources {
			if l.Precision == "" || l.Precision == "exact" {
				exact[l.Turn] = true
			}
		}
		for turn := range exact {
			made[turn]++
		}
	}
	return made
}

// few joins errors of one kind, the first ones of many.
func few(errs []error) error {
	const shown = 3
	if more := len(errs) - shown; more > 0 {
		errs = append(errs[:shown:shown], fmt.Errorf("and %d more turns", more))
	}
	return errors.Join(errs...)
}

func densitySystem(name string, density int, p record.Parser, ingests []*tiaptest.Ingest) *tiaptest.System {
	s := &tiaptest.System{
		Name:    name,
		Family:  "density",
		Unit:    "memory: a turn or what the parser made of it",
		Lineage: "recorded at ingest",
		Config:  json.RawMessage(fmt.Sprintf(`{"parser_max_facts":%d}`, density)),
		Ingests: ingests,
	}
	described := map[string]string{rawForm: "the turn as it was said, after the name of its speaker"}
	if f, ok := p.(interface{ Forms() map[string]string }); ok {
		for form, text := range f.Forms() {
			described[form] = text
		}
	}
	s.Forms = make(map[string]string)
	for _, in := range ingests {
		for i := range in.Memories {
			form := in.Memories[i].Form
			if text, ok := described[form]; ok {
				s.Forms[form] = text
			}
		}
	}
	return s
}

const rawForm = "raw"

var errNoSearcher = errors.New("there is no searcher; name a function that makes one of memories, such as reference.Lexical")

// Build makes a memory system of a parser and a searcher. Its store has what the
// parser makes of each session, that is of the turns that name the same session and
// whose ids begin with the same conversation, the part before the first slash as in
// conv-26/D1:3; ids without a slash are of one conversation. It also has each turn with text as it is, after the name of
// its speaker and under its own id, unless the parser makes raw memories of it
// itself. Lineage is recorded as the parser states it. The searcher is made of the
// finished store, ordered by id. Queries are seen by the searcher alone, when they
// are asked; nobody sees answers or evidence.
func Build(turns []tiaptest.Turn, p record.Parser, searcher func(context.Context, []tiaptest.Memory) (record.Searcher, error)) record.Builder {
	return func(ctx context.Context, _ int) (record.Searcher, *record.IngestLog, error) {
		switch {
		case absent(p):
			return nil, nil, errors.New("there is no parser; name one, such as reference.MaxFacts(5)")
		case searcher == nil:
			return nil, nil, errNoSearcher
		}
		log := new(record.IngestLog)
		for _, session := range record.Sessions(turns) {
			if err := store(ctx, log, session, p); err != nil {
				return nil, nil, fmt.Errorf("session %q, which begins with turn %q: %w", session[0].Session, session[0].ID, err)
			}
		}
		memories, err := log.Memories()
		if err != nil {
			return nil, nil, err
		}
		s, err := searcher(ctx, memories)
		return s, log, err
	}
}

// absent says whether there is no parser, or a function that is none.
func absent(p record.Parser) bool {
	f, ok := p.(record.ParseFunc)
	return p == nil || ok && f == nil
}

func store(ctx context.Context, log *record.IngestLog, session []tiaptest.Turn, p record.Parser) error {
	memories, err := p.Parse(ctx, session)
	if err != nil {
		return err
	}
	raw := make(map[string]bool) // turns
	for _, m := range memories {
		log.Add(m)
		if m.Form == rawForm {
			for _, l := range m.Sources {
				raw[l.Turn] = true
			}
		}
	}
	for _, t := range session {
		if raw[t.ID] || strings.TrimSpace(t.Text) == "" {
			continue
		}
		text := t.Text
		if t.Speaker != "" {
			text = t.Speaker + ": " + text
		}
		log.Add(tiaptest.Memory{ID: t.ID, Form: rawForm, Sources: []tiaptest.Link{{Turn: t.ID}}, Text: text})
	}
	return nil
}

// told is how often a parser's progress is told.
const told = 2 * time.Second

// watched tells now and then how many sessions a parser is through with. Without a
// place to tell it, a terminal at standard error is one.
func watched(p record.Parser, name string, sessions int, w io.Writer, every time.Duration) record.Parser {
	if w == nil {
		if !terminal.Is(os.Stderr) {
			return p
		}
		w = os.Stderr
	}
	done, last := 0, time.Now()
	return record.ParseFunc(func(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		memories, err := p.Parse(ctx, turns)
		done++
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			fmt.Fprintf(w, "%s: parsed %d of %d sessions\n", name, (done-1)%sessions+1, sessions)
		}
		return memories, err
	})
}
