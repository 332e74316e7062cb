package synth

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// An instance of LongMemEval is a question with a haystack of its own: 40 to 50
// sessions, about 450 kB. All instances stand on one line, spaced as Python's json
// module spaces them. Of the flaws of the published files it has those that are
// no damage: answers that are integers, abstention, evidence said by the
// assistant alone, and a filler session that stands twice.

var questionTypes = [...]string{
	"multi-session", "temporal-reasoning", "knowledge-update",
	"single-session-user", "single-session-assistant", "single-session-preference",
}

const saidByAssistant = 4 // of questionTypes

// haystack is the structure of an instance.
type haystack struct {
	id       string
	kind     int // of questionTypes
	asked    time.Time
	sessions []haySession
}

type haySession struct {
	id   string
	text int // draws its turns; the same number gives the same session
	gold bool
	date time.Time
}

func (g *generator) writeLongMemEval() error {
	f, err := g.create("longmemeval.json")
	if err != nil {
		return err
	}
	var text []byte
	for i := range g.Queries {
		text = append(text[:0], ", "...)
		if i == 0 {
			text = append(text[:0], '[')
		}
		f.Write(g.appendInstance(text, i))
	}
	f.WriteString("]\n")
	return f.close()
}

// haystack draws the structure of the instance with the given index.
func (g *generator) haystack(index int) haystack {
	rng := g.draw(forStructure, index, 0)
	h := haystack{id: fmt.Sprintf("%08x", uint32(index)*0x9E3779B1), kind: rng.IntN(len(questionTypes))}
	if rng.IntN(8) == 0 {
		h.id = "gpt4_" + h.id
	}
	abstention := rng.IntN(16) == 0
	if abstention {
		h.id += "_abs"
	}
	h.asked = time.Date(2023, 1, 1+rng.IntN(300), rng.IntN(24), rng.IntN(60), 0, 0, time.UTC)
	date := h.asked.AddDate(0, 0, -60)
	h.sessions = make([]haySession, 40+rng.IntN(11))
	for i := range h.sessions {
		date = date.Add(time.Duration(1+rng.IntN(24*60)) * time.Minute)
		h.sessions[i] = haySession{id: fmt.Sprintf("%08x_%d", rng.Uint32(), 1+rng.IntN(3)), text: i, date: date}
	}
	answer := rng.Uint32()
	gold := rng.Perm(len(h.sessions))[:1+rng.IntN(4)]
	for i, at := range gold {
		h.sessions[at].gold = true
		h.sessions[at].id = fmt.Sprintf("answer_%08x_%d", answer, i+1)
		if abstention {
			h.sessions[at].id = fmt.Sprintf("answer_%08x_abs_%d", answer, i+1)
		}
	}
	if first, again := &h.sessions[0], &h.sessions[len(h.sessions)-1]; rng.IntN(40) == 0 && !first.gold && !again.gold {
		again.id, again.text = first.id, first.text
	}
	return h
}

const hayDate = "2006/01/02 (Mon) 15:04"

func (g *generator) appendInstance(dst []byte, index int) []byte {
	h := g.haystack(index)
	rng := g.draw(forQueryText, index, 0)
	dst = fmt.Appendf(dst, `{"question_id": "%s", "question_type": "%s", "question": "`, h.id, questionTypes[h.kind])
	dst = appendQuestion(dst, rng)
	dst = append(dst, `", "answer": `...)
	if rng.IntN(16) == 0 {
		dst = strconv.AppendInt(dst, int64(rng.IntN(20)), 10)
	} else {
		dst = append(dst, '"')
		dst = appendThing(dst, rng)
		dst = append(dst, '"')
	}
	dst = append(dst, `, "question_date": "`...)
	dst = h.asked.AppendFormat(dst, hayDate)
	dst = append(dst, '"')
	list := func(name string, only bool, item func(dst []byte, s *haySession) []byte) {
		dst = fmt.Appendf(dst, `, "%s": [`, name)
		n := 0
		for i := range h.sessions {
			if s := &h.sessions[i]; !only || s.gold {
				if n++; n > 1 {
					dst = append(dst, ", "...)
				}
				dst = item(dst, s)
			}
		}
		dst = append(dst, ']')
	}
	id := func(dst []byte, s *haySession) []byte { return fmt.Appendf(dst, `"%s"`, s.id) }
	list("haystack_dates", false, func(dst []byte, s *haySession) []byte {
		dst = s.date.AppendFormat(append(dst, '"'), hayDate)
		return append(dst, '"')
	})
	list("haystack_session_ids", false, id)
	list("haystack_sessions", false, func(dst []byte, s *haySession) []byte {
		return h.appendSession(dst, g.draw(forTurnText, index, s.text), s.gold)
	})
	list("answer_session_ids", true, id)
	return append(dst, '}')
}

// appendSession appends the turns of a session, user and assistant by turns. Turns
// of a gold one say whether they have the answer.
func (h *haystack) appendSession(dst []byte, rng *rand.Rand, gold bool) []byte {
	pairs := 1 + rng.IntN(12)
	marked := 2 * rng.IntN(pairs)
	if h.kind == saidByAssistant {
		marked++
	}
	if h.abstains() {
		marked = -1
	}
	dst = append(dst, '[')
	for i := range 2 * pairs {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if i%2 == 0 {
			dst = append(dst, `{"role": "user", "content": "`...)
			dst = appendSentences(dst, rng, 1+rng.IntN(4))
		} else {
			dst = append(dst, `{"role": "assistant", "content": "`...)
			dst = appendSentences(dst, rng, 8+rng.IntN(41))
		}
		dst = append(dst, '"')
		if gold {
			dst = append(dst, `, "has_answer": `...)
			dst = strconv.AppendBool(dst, i == marked)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (h *haystack) abstains() bool { return strings.HasSuffix(h.id, "_abs") }
