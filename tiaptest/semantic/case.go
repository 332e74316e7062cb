package semantic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Case is a retrieved memory of a query that a target may credit and Raw does not:
// what is to be judged, and under which target it matters.
type Case struct {
	Dataset  string `json:"dataset"` // name of the scenario
	System   string `json:"system"`
	Ingest   int    `json:"ingest"` // 0 for the first
	Target   string `json:"target"`
	Query    string `json:"query"`
	Question string `json:"question,omitempty"` // text of the query
	Answer   string `json:"answer,omitempty"`   // gold answer of the query
	Category string `json:"category,omitempty"`
	Memory   string `json:"memory"` // id
	Form     string `json:"form"`
	Text     string `json:"text,omitempty"` // of the memory
	Rank     int    `json:"rank"`           // from 1

	// Earns marks a contested credit: the memory earns in the audit. The others
	// would earn if nothing before them did, so that [Supported] asks for their
	// labels too.
	Earns bool `json:"earns"`
}

func (c *Case) keys() []key { return keysOf(c.Query, c.System, c.Memory, digestOf(c.Text)) }

// key is that of a label made for the case.
func (c *Case) key() key {
	j := c.judgement()
	return j.key()
}

// judgement is a label of the case, yet without judge and label.
func (c *Case) judgement() Judgement {
	return Judgement{Query: c.Query, System: c.System, Memory: c.Memory, TextSHA256: digestOf(c.Text)}
}

// Bucket names the ranks that the case's is among: 1-5, 6-20, 21-60 or 61-, as in
// the audit of arXiv 2605.24060.
func (c Case) Bucket() string {
	switch {
	case c.Rank <= 5:
		return "1-5"
	case c.Rank <= 20:
		return "6-20"
	case c.Rank <= 60:
		return "21-60"
	}
	return "61-"
}

// Contested lists what the targets may credit and Raw does not, of what was
// retrieved in any system: for each target by system, query, ingest and rank. A
// system in which a target is unavailable has no cases under it.
func Contested(a *tiaptest.Audit, targets ...tiaptest.Target) ([]Case, error) {
	if len(targets) == 0 {
		return nil, errors.New("no target to list contested credits of; name Source, Canonical or both")
	}
	var cases []Case
	for _, t := range targets {
		var errs []error
		for _, system := range a.Systems() {
			found, err := contestedIn(a, system, t)
			if err != nil {
				errs = append(errs, err)
			}
			cases = append(cases, found...)
		}
		if len(errs) == len(a.Systems()) {
			return nil, errs[0]
		}
	}
	return cases, nil
}

// Contests reports whether credits of a target are to be judged: Raw's are not
// contested, and those of [Supported] targets, whatever is around them, have been. It
// goes by the name of the target, such as supported+partial(canonical).
func Contests(t tiaptest.Target) bool {
	name, more := t.String(), true
	if name == tiaptest.Raw.String() {
		return false
	}
	for more {
		if choices, ok := strings.CutPrefix(name, supported); ok && choices != "" && strings.ContainsRune("([+", rune(choices[0])) {
			return false
		}
		_, name, more = strings.Cut(name, "(")
	}
	return true
}

func contestedIn(a *tiaptest.Audit, system string, t tiaptest.Target) ([]Case, error) {
	found, err := a.Eligible(system, t)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for e := range found {
		if e.Rank == 0 || !contested(&e.Query, &e.Memory) {
			continue
		}
		cases = append(cases, Case{
			Dataset: a.Scenario(), System: system, Ingest: e.Ingest, Target: t.String(),
			Query: e.Query.ID, Question: e.Query.Text, Answer: e.Query.Answer, Category: e.Query.Category,
			Memory: e.Memory.ID, Form: e.Memory.Form, Text: e.Memory.Text, Rank: e.Rank, Earns: e.Credited > 0,
		})
	}
	return cases, nil
}

// contested reports whether Raw credits a memory for no evidence of the query:
// it is derived, or a raw one that names no gold turn itself.
func contested(q *tiaptest.Query, m *tiaptest.Memory) bool {
	if m.Form != "raw" {
		return true
	}
	return !slices.ContainsFunc(m.Sources, func(l tiaptest.Link) bool {
		return l.Origin != "inferred" && slices.ContainsFunc(q.Evidence, func(u tiaptest.Unit) bool { return slices.Contains(u.Turns, l.Turn) })
	})
}

// name is how messages name a case.
func (c *Case) name() string {
	return fmt.Sprintf("memory %q of %s on query %q", c.Memory, c.System, c.Query)
}
