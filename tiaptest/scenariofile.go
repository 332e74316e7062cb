package tiaptest

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/problem"
)

func (r *reader) scenario(b *Bundle) {
	var v struct {
		Schema   string `json:"schema"`
		Name     string `json:"name"`
		Unit     string `json:"unit"`
		Headline string `json:"headline"`
		Source   struct {
			SHA256 string `json:"sha256"`
		} `json:"source"`
	}
	if !r.object("scenario.json", &v) {
		return
	}
	if v.Schema != "" && v.Schema != scenarioSchema {
		r.fault("scenario.json", 0, fmt.Sprintf("unknown schema %q", v.Schema), "this version reads "+scenarioSchema)
	}
	if v.Name != "" {
		b.Scenario.Name = v.Name
	}
	b.Scenario.Unit, b.Scenario.Headline, b.Scenario.SHA256 = v.Unit, v.Headline, v.Source.SHA256
}

const scenarioSchema = "tiap.scenario/v1"

// queryLine is a line of queries.jsonl.
type queryLine struct {
	ID       string `json:"id"`
	QueryID  string `json:"query_id"`
	Scope    string `json:"scope"`
	Time     string `json:"time"`
	Text     string `json:"text"`
	Category string `json:"category"`
	Answer   string `json:"answer"`
	Evidence []Unit `json:"evidence"`
}

// queryDecoder decodes lines of queries.jsonl.
type queryDecoder struct {
	plainLines
	units []Unit // queries share these allocations
	turns []string
	all   []Unit // of the line at hand
}

// queryMembers are the members of a line, texts first.
var queryMembers = []string{"id", "query_id", "scope", "time", "text", "category", "answer", "evidence"}

const queryEvidence = 7

func newQueryDecoder() *queryDecoder {
	return &queryDecoder{plainLines: newPlainLines(queryMembers)}
}

// Decode stores the query on the line in q, which is zero.
func (d *queryDecoder) Decode(line []byte, q *queryLine) *problem.Problem {
	if d.quick(line, q) {
		return nil
	}
	*q = queryLine{}
	return jsonl.Decode(line, q)
}

func (d *queryDecoder) quick(line []byte, q *queryLine) bool {
	if !d.read(line, &q.ID, &q.QueryID, &q.Scope, &q.Time, &q.Text, &q.Category, &q.Answer) {
		return false
	}
	evidence := d.members.Value(queryEvidence)
	if evidence.Kind() == jsonl.Null {
		return true
	}
	if d.all = d.all[:0]; !d.members.Strings(queryEvidence, d.turn) {
		if d.all = d.all[:0]; !evidence.Elems(d.unit) {
			return false
		}
	}
	q.Evidence = share(&d.units, d.all)
	return true
}

// turn adds a unit of one turn to those of the line.
func (d *queryDecoder) turn(id []byte) bool {
	d.all = append(d.all, Unit{Turns: share(&d.turns, []string{d.texts.Add(id)})})
	return len(id) > 0
}

// unit adds a unit to those of the line.
func (d *queryDecoder) unit(v jsonl.Value) bool {
	if id, ok := v.Bytes(); ok {
		return d.turn(id)
	}
	var u Unit
	d.list = d.list[:0]
	if v.Kind() != jsonl.Object || !jsonl.Scan(v.Raw(), func(name []byte, v jsonl.Value) bool {
		switch string(name) {
		case "id":
			id, ok := v.Bytes()
			u.ID = d.texts.Add(id)
			return ok
		case "turns":
			return v.Strings(func(turn []byte) bool {
				d.list = append(d.list, d.texts.Add(turn))
				return len(turn) > 0
			})
		}
		return true
	}) || len(d.list) == 0 {
		return false
	}
	u.Turns = share(&d.turns, d.list)
	d.all = append(d.all, u)
	return true
}

func (r *reader) queries(b *Bundle) {
	name := r.require("queries.jsonl", "a bundle needs one query a line; see go doc github.com/tiaptest/tiap/tiaptest.Open")
	if name == "" {
		return
	}
	var first firsts
	records(r, name, newQueryDecoder, func(n int) {
		first.expect(n)
		b.Scenario.Queries = make([]Query, 0, n)
	}, func(line int, v *queryLine) {
		id, ok := r.id(name, line, "query", "id", v.ID, v.QueryID)
		if !ok {
			return
		}
		if before, again := first.add(id, line); again {
			r.fault(name, line, fmt.Sprintf("query %q stands twice (first in line %d)", id, before), "give every query an id of its own")
			return
		}
		b.Scenario.Queries = append(b.Scenario.Queries, Query{
			ID: id, Scope: v.Scope, Time: v.Time, Text: v.Text, Category: v.Category, Answer: v.Answer, Evidence: v.Evidence,
		})
	})
}

// id picks a query id, from the member that holds it or from its alias query_id.
func (r *reader) id(name string, line int, what, member, id, alias string) (string, bool) {
	switch {
	case id != "" && alias != "" && id != alias:
		r.fault(name, line, fmt.Sprintf("the %s has two query ids, %q and %q", what, id, alias), "keep one of them")
	case id == "" && alias == "":
		r.fault(name, line, fmt.Sprintf("the %s has no %q", what, member), fmt.Sprintf("add it (or %q)", "query_id"))
	case id == "":
		return alias, true
	default:
		return id, true
	}
	return "", false
}

// turnDecoder decodes lines of turns.jsonl.
type turnDecoder struct{ plainLines }

var turnMembers = []string{"id", "session", "speaker", "time", "text"}

func newTurnDecoder() *turnDecoder { return &turnDecoder{newPlainLines(turnMembers)} }

// Decode stores the turn on the line in t, which is zero.
func (d *turnDecoder) Decode(line []byte, t *Turn) *problem.Problem {
	if d.read(line, &t.ID, &t.Session, &t.Speaker, &t.Time, &t.Text) {
		return nil
	}
	*t = Turn{}
	return jsonl.Decode(line, t)
}

func (r *reader) turns(b *Bundle) {
	name := r.find("turns.jsonl")
	if name == "" {
		return
	}
	var first firsts
	records(r, name, newTurnDecoder, func(n int) {
		first.expect(n)
		b.Scenario.Turns = make([]Turn, 0, n)
	}, func(line int, t *Turn) {
		if t.ID == "" {
			r.fault(name, line, "the turn has no id", `add "id"`)
			return
		}
		if before, again := first.add(t.ID, line); again {
			r.fault(name, line, fmt.Sprintf("turn %q stands twice (first in line %d)", t.ID, before), "give every turn an id of its own")
			return
		}
		b.Scenario.Turns = append(b.Scenario.Turns, *t)
	})
}
