package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
)

// LongMemEval reads a file of LongMemEval (github.com/xiaowu0162/LongMemEval): an
// array of instances, each a question with a haystack of sessions of its own. The
// files longmemeval_s, _m and _oracle have this format, before and after they were
// cleaned, and only their SHA-256 tells them apart; scores on the two are not
// comparable. The whole file is held in memory; [Import] holds an instance at a
// time.
//
// A turn is named <question_id>/s<pos>/t<i> by its position in the haystack and
// in its session, from 0. The ids of sessions are used to find the evidence and
// then left out: those of evidence contain the word answer. The question's id is
// that of its query and the scope of all its turns, its type is the category.
//
// [Gold] chooses what is evidence, and [Fallback] what becomes of questions
// without it. Abstention questions (with the ending _abs) are unscorable.
//
// Kinds of notes, by instance unless said otherwise:
//
//	abstention                             the question has no answer in its haystack
//	answer is an integer                   it is taken as it is written
//	answer is no string                    another number or a truth value, taken as it is written
//	answer session not in the haystack     each
//	answer session twice                   each beyond the first, in the list of answer sessions
//	content empty                          each turn
//	date unreadable                        each; the time is left out
//	dates unsorted                         a session stands before an earlier one
//	fallback to answer sessions            see Fallback
//	half a surrogate pair replaced         each, in texts that were cut within a character
//	has_answer outside the answer sessions each turn; it counts as evidence all the same
//	no gold                                the question has no evidence under the level
//	role unknown                           each turn neither of user nor of assistant
//	session empty                          each
//	session id repeated                    each session beyond the first of that id in a haystack
func LongMemEval(file string, opts ...Option) (*Benchmark, error) {
	return collect(longMemEval, file, opts)
}

const longMemEvalName = "longmemeval"

var longMemEval = format{name: longMemEvalName, unit: "chat message", read: readLongMemEval}

// Fallback gives a question of LongMemEval without evidence under [Gold] its
// answer sessions as evidence, one unit each. Without it such a question is
// unscorable.
func Fallback() Option {
	return func(s *settings) error { s.fallback = true; return s.only("fallback", longMemEvalName) }
}

// instance is an element of a file of LongMemEval. The sessions stand in three
// arrays, by position.
type instance struct {
	ID             string          `json:"question_id"`
	Type           string          `json:"question_type"`
	Question       string          `json:"question"`
	Answer         json.RawMessage `json:"answer"`
	Date           string          `json:"question_date"`
	SessionIDs     []string        `json:"haystack_session_ids"`
	Dates          []string        `json:"haystack_dates"`
	Sessions       [][]message     `json:"haystack_sessions"`
	AnswerSessions []string        `json:"answer_session_ids"`
}

type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	HasAnswer bool   `json:"has_answer"`
}

func readLongMemEval(file string, s *settings, emit func(part) error) error {
	s.rule(s.goldRule())
	switch {
	case s.strict:
		return errors.New("strict: LongMemEval names no evidence that could be normalised; leave it out")
	case s.gold == goldSession && s.fallback:
		return errors.New("fallback: the gold are answer sessions already; leave it out")
	case s.fallback:
		s.rule("fallback: a question without such turns has its answer sessions as evidence units")
	case s.gold != goldSession:
		s.rule("no fallback: a question without such turns is unscorable")
	}
	s.rule("abstention questions (_abs) are unscorable")
	r := longMemEvalReader{settings: s, file: file, seen: make(map[string]int)}
	err := s.readFiles([]string{file}, func(file string, text io.Reader) error {
		return eachObject(file, text, func(n int, at int64, text []byte) error {
			if p, ok := r.read(n, at, text); ok {
				return emit(p)
			}
			return nil
		})
	})
	if err == nil && len(r.seen) == 0 && r.faults.Len() == 0 {
		r.faults.Add(file, 0, "the array is empty", "name a file of LongMemEval")
	}
	return errors.Join(r.faults.Err(), err)
}

type longMemEvalReader struct {
	*settings
	file   string
	seen   map[string]int // question ids, by the number of their instance
	faults problem.List
}

// read reads the nth instance, whose text stands at a byte of the file. Faults are
// kept, so that several are reported together; after one nothing is handed over.
func (r *longMemEvalReader) read(n int, at int64, text []byte) (p part, ok bool) {
	var in instance
	text, halves := mendSurrogates(text)
	fault := jsonl.Decode(text, &in)
	if fault == nil {
		fault = in.fault()
	}
	if first, dup := r.seen[in.ID]; dup && fault == nil {
		fault = &problem.Problem{What: fmt.Sprintf("instance %d has the same question_id", first), Mend: "give every question an id of its own"}
	}
	if fault != nil {
		r.faults.Add(r.file, 0, fmt.Sprintf("instance %d (question_id %q, at byte %d): %s", n, idOf(text), at, fault.What), fault.Mend)
		return p, false
	}
	r.seen[in.ID] = n
	r.tally.AddN("half a surrogate pair replaced", halves, fmt.Sprintf("instance %d (%s)", n, in.ID))
	if r.faults.Len() > 0 {
		return p, false
	}
	return r.part(fmt.Sprintf("instance %d (%s)", n, in.ID), &in), true
}

// idOf returns the question_id of an instance whose text may be flawed.
func idOf(text []byte) (id string) {
	jsonl.Scan(text, func(name []byte, v jsonl.Value) bool {
		if string(name) == "question_id" {
			s, _ := v.Bytes()
			id = string(s)
		}
		return id == ""
	})
	return id
}

// fault says what of an instance is missing or contradicts itself.
func (in *instance) fault() *problem.Problem {
	for _, f := range []struct {
		name string
		lack bool
	}{
		{"question_id", in.ID == ""},
		{"question_type", in.Type == ""},
		{"question", in.Question == ""},
		{"haystack_sessions", len(in.Sessions) == 0},
	} {
		if f.lack {
			return &problem.Problem{What: f.name + " is missing or empty", Mend: "name a file of LongMemEval"}
		}
	}
	if len(in.SessionIDs) != len(in.Sessions) || len(in.Dates) != len(in.Sessions) {
		return &problem.Problem{
			What: fmt.Sprintf("haystack_sessions has %d elements, haystack_session_ids %d and haystack_dates %d", len(in.Sessions), len(in.SessionIDs), len(in.Dates)),
			Mend: "the three are joined by position; give each session an id and a date",
		}
	}
	if len(in.Answer) > 0 && (in.Answer[0] == '{' || in.Answer[0] == '[') {
		return &problem.Problem{What: "answer is an object or an array", Mend: "make it a string"}
	}
	return nil
}

// part turns an instance into its turns and its query.
func (r *longMemEvalReader) part(here string, in *instance) part {
	answers := make(map[string]bool, len(in.AnswerSessions))
	for _, id := range in.AnswerSessions {
		if answers[id] {
			r.tally.Add("answer session twice", here)
		}
		answers[id] = true
	}

	var p part
	var marked, sessions []tiaptest.Unit // turns with has_answer; answer sessions
	unit := make(map[string]int)         // answer session to its place in sessions
	held := make(map[string]bool, len(in.Sessions))
	latest, sorted := "", true
	for pos, messages := range in.Sessions {
		place := fmt.Sprintf("%s, session %d", here, pos+1)
		id := in.SessionIDs[pos]
		if held[id] {
			r.tally.Add("session id repeated", place)
		}
		held[id] = true
		if len(messages) == 0 {
			r.tally.Add("session empty", place)
			continue
		}
		date := r.time(in.Dates[pos], place)
		sorted = sorted && (date == "" || date >= latest)
		latest = max(latest, date)
		name := haySession(in.ID, pos)
		if _, known := unit[id]; answers[id] && !known {
			unit[id] = len(sessions)
			sessions = append(sessions, tiaptest.Unit{ID: name})
		}
		for i, m := range messages {
			t := tiaptest.Turn{ID: hayTurn(in.ID, pos, i), Session: name, Speaker: m.Role, Time: date, Text: m.Content}
			p.turns = append(p.turns, t)
			if m.Content == "" {
				r.tally.Add("content empty", place)
			}
			if m.Role != "user" && m.Role != "assistant" {
				r.tally.Add("role unknown", place)
			}
			if m.HasAnswer && !answers[id] {
				r.tally.Add("has_answer outside the answer sessions", place)
			}
			if m.HasAnswer && (r.gold != goldUserTurn || m.Role == "user") {
				marked = append(marked, tiaptest.Unit{Turns: []string{t.ID}})
			}
			if answers[id] {
				u := &sessions[unit[id]]
				u.Turns = append(u.Turns, t.ID)
			}
		}
	}
	if !sorted {
		r.tally.Add("dates unsorted", here)
	}
	for id := range answers {
		if !held[id] {
			r.tally.Add("answer session not in the haystack", here)
		}
	}
	p.queries = []tiaptest.Query{{
		ID:       in.ID,
		Scope:    in.ID,
		Time:     r.time(in.Date, here),
		Text:     in.Question,
		Category: in.Type,
		Answer:   r.answer(in.Answer, here),
		Evidence: r.evidence(in, marked, sessions, here),
	}}
	return p
}

// evidence chooses the units of a question.
func (r *longMemEvalReader) evidence(in *instance, marked, sessions []tiaptest.Unit, here string) []tiaptest.Unit {
	units := marked
	switch {
	case strings.HasSuffix(in.ID, "_abs"): // sessions have _abs_ in their ids too
		r.tally.Add("abstention", here)
		return nil
	case r.gold == goldSession:
		units = sessions
	case len(marked) == 0 && len(sessions) > 0 && r.fallback:
		r.tally.Add("fallback to answer sessions", here)
		units = sessions
	}
	if len(units) == 0 {
		r.tally.Add("no gold", here)
	}
	return units
}

// answer returns an answer as text.
func (r *longMemEvalReader) answer(raw json.RawMessage, here string) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		_ = json.Unmarshal(raw, &s) // the text is known to be valid
		return s
	}
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		r.tally.Add("answer is an integer", here)
	} else {
		r.tally.Add("answer is no string", here)
	}
	return string(raw)
}

// time rewrites a date of LongMemEval, which has no zone.
func (r *longMemEvalReader) time(date, place string) string {
	t, ok := hayTime(date)
	if !ok {
		r.tally.Add("date unreadable", place)
	}
	return t
}

// Names of sessions and turns, and times, of LongMemEval.

func haySession(question string, pos int) string { return fmt.Sprintf("%s/s%d", question, pos) }

func hayTurn(question string, pos, i int) string {
	return fmt.Sprintf("%s/s%d/t%d", question, pos, i)
}

func hayTime(date string) (text string, ok bool) {
	t, err := time.Parse("2006/01/02 (Mon) 15:04", date)
	if err != nil {
		return "", false
	}
	return t.Format("2006-01-02T15:04:05"), true
}
