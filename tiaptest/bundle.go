package tiaptest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tiaptest/tiap/internal/problem"
)

// Bundle holds what an audit needs: the scenario with its gold evidence and the
// systems with their stores and saved rankings. [Open] reads one from a folder;
// it can be built in code too, by its methods or field by field. Problems of a
// bundle built in code are reported by [Rescore].
type Bundle struct {
	Scenario Scenario
	Systems  []*System

	judged   *judgements // TREC qrels or MTEL-Mem records in place of stores
	dir      string      // as given to Open, for messages
	single   bool        // one system beside queries.jsonl
	known    []Finding   // from accepted.json
	reported []diagnostic
	problems problem.List // of the building methods
}

// whole reports nil pointers in a bundle that was built field by field.
func (b *Bundle) whole() error {
	if b == nil {
		return errors.New("the bundle is nil; open or build one")
	}
	var errs []error
	for i, s := range b.Systems {
		if s == nil {
			errs = append(errs, fmt.Errorf("system %d of the bundle is nil; leave it out", i+1))
			continue
		}
		for j, in := range s.Ingests {
			if in == nil {
				errs = append(errs, fmt.Errorf("system %s: ingest %d is nil; leave it out", s.Name, j+1))
			}
		}
	}
	return errors.Join(errs...)
}

// Scenario is the benchmark side of a bundle.
type Scenario struct {
	Name     string
	Unit     string // what one turn is, such as "dialogue turn"
	Headline string // name of the target that matches what the deployed system serves
	SHA256   string // of the source file that the scenario was made from
	Turns    []Turn // optional
	Queries  []Query
}

// Turn is one message of the source conversation. In JSON it is a line of
// turns.jsonl.
type Turn struct {
	ID      string `json:"id"` // scoped by its conversation: conv-26/D1:3
	Session string `json:"session,omitempty"`
	Speaker string `json:"speaker,omitempty"`
	Time    string `json:"time,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Query is a question with its gold evidence. In JSON it is a line of
// queries.jsonl.
type Query struct {
	ID       string `json:"id"`
	Scope    string `json:"scope,omitempty"` // the conversation that it is about; groups queries for [Cluster]
	Time     string `json:"time,omitempty"`  // when it is asked
	Text     string `json:"text,omitempty"`
	Category string `json:"category,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Evidence []Unit `json:"evidence"` // none: the query is unscorable
}

// Unit is one piece of gold evidence: any of its turns counts.
type Unit struct {
	ID    string // optional
	Turns []string
}

// System is one compared memory system with its ingests.
type System struct {
	Name    string
	Family  string            // groups variants of one system for recommendations
	Unit    string            // the retrieval unit, such as "fact"
	Lineage string            // where the lineage comes from, such as "recorded at ingest"
	Forms   map[string]string // what each form of memory is
	Config  json.RawMessage   // free-form settings, kept as they are

	// Ingests holds one store with its run, or several repeats.
	Ingests []*Ingest

	problems problem.List // of the building methods
}

// Ingest is one building of a system's store with the run over it.
type Ingest struct {
	Memories []Memory
	Run      Run

	origin origin
}

// origin says where an ingest was read, for messages.
type origin struct {
	store string  // file; empty for data built in code
	lines []int32 // line of each memory
	run   string
}

func (o origin) memory(i int) (file string, line int) {
	if i < len(o.lines) {
		return o.store, int(o.lines[i])
	}
	return o.store, 0
}

// Memory is one stored item of a memory system.
type Memory struct {
	ID         string
	Form       string   // "raw" for an original turn, else what it was made into
	Sources    []Link   // turns that it descends from directly
	Parents    []string // memories that it descends from
	NotServing bool     // stored, but never handed to the reader: outside Canonical
	Status     string   // "active" (also when empty), "superseded" or "deleted"
	ValidFrom  string   // a date or RFC 3339; read by [ValidAt] alone
	ValidTo    string
	Text       string
}

// Link says that a memory descends from a turn.
type Link struct {
	Turn      string
	Precision string // "exact" (also when empty), "batch" or "container"
	Origin    string // "recorded" (also when empty) or "inferred"
}

// system returns the system of that name.
func (b *Bundle) system(name string) *System {
	for _, s := range b.Systems {
		if s.Name == name {
			return s
		}
	}
	return nil
}
