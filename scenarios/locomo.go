package scenarios

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/tiaptest"
)

// LoCoMo reads a file of the benchmark LoCoMo (snap-research/locomo,
// data/locomo10.json): an array of samples, each a conversation with questions.
//
// Ids begin with the sample, which is the scope of its queries: turn
// conv-26/D1:3, query conv-26/qa0 (by its index), session conv-26/session_1. The
// time of a turn is that of its session. The caption of an image is appended to
// the text of its turn, as in "Look! (image description: a photo of a dog)",
// since it is evidence of many questions; a search text of an image is no part of
// the dialogue. The category is the number in the file, named by [CategoryName].
// An integer for an answer is kept as digits. Adversarial questions have an
// answer that should not be given, which is left out.
//
// # Evidence
//
// Every turn that a query names is one evidence unit, each once, in the order of
// the file. A string of evidence is split at spaces, commas and semicolons, and
// D:11:26 or D30:05 is read as D11:26 or D30:5; such a unit has the id as it
// stood in the file for its id. With [Strict] a string counts only if it is the
// id of a turn as it stands. What names no turn is left out.
//
// # Memories
//
// The system of the benchmark, locomo, has the turns and what the file derives
// from them:
//
//	raw          conv-26/D1:3                       the turn
//	observation  conv-26/session_1/observation/A/0  a fact about A; its turns are named, split as above
//	summary      conv-26/session_1/summary          descends from every turn of its session, precision container
//	event        conv-26/session_1/event/A/0        the same, since the file does not say which turn it is from
//
// # Notes
//
// Of evidence, one for each string or part of one:
//
//	evidence packed       strict: a string of several ids, left out
//	evidence misspelt     strict: an id of another spelling, left out
//	evidence split        a string of several ids
//	evidence repaired     an id of another spelling
//	evidence dangling     an id of no turn, left out
//	evidence unparsable   no id, left out
//	evidence duplicate    an id that the query names already
//	evidence absent       a query without a list of evidence
//	evidence empty        a query whose list is empty
//	query without usable evidence
//
// Of queries:
//
//	answer absent                 outside category 5
//	answer is an integer          kept as digits
//	category 5 with an answer
//	category 5 without an answer
//	category without a name       none of 1 to 5
//	question repeated             its text was asked before in the sample
//
// Of conversations:
//
//	consecutive turns of one speaker   in a session
//	date key without a session
//	date unparsable                    the time is left out
//	field ignored                      of a conversation
//	image description appended
//	session before the previous one    by their dates
//	session empty
//	session without a date
//	speaker unknown                    a turn of neither speaker of the conversation
//	turn id out of position            it is not D<session>:<turn>, counted from 1
//	turn text empty
//
// Of memories:
//
//	event empty                           kept, with an empty text
//	event list empty
//	event without a session               kept, without lineage
//	observation about an unknown speaker
//	observation reference dangling        left out
//	observation reference repaired
//	observation reference split           a string of several ids
//	observation reference to another session
//	observation reference unparsable      left out
//	observation of the other speaker's turn
//	observation without a turn            kept, without lineage
//	summary without a session             kept, without lineage
func LoCoMo(file string, opts ...Option) (*Benchmark, error) {
	return collect(locomo, file, opts)
}

const locomoName = "locomo"

var locomo = format{name: locomoName, unit: "dialogue turn", system: locomoSystem, read: readLoCoMo}

func locomoSystem() *tiaptest.System {
	return &tiaptest.System{
		Name:    locomoName,
		Unit:    "turn, observation, session summary or event",
		Lineage: "from the benchmark: observations name their turns, summaries and events their session",
		Forms: map[string]string{
			"raw":         "a turn with the description of its image",
			"observation": "one fact about a speaker",
			"summary":     "the summary of a session",
			"event":       "an event in the life of a speaker, by session",
		},
	}
}

func readLoCoMo(src string, s *settings, emit func(part) error) error {
	if s.strict {
		s.rule("evidence strict: an id counts if it is a turn as it stands")
	} else {
		s.rule("evidence normalised: strings are split, ids of another spelling repaired")
	}
	return s.readFiles([]string{src}, func(file string, r io.Reader) error {
		f := &faults{file: file}
		seen := make(map[string]bool)
		n := 0
		array, err := eachValue(file, r, func(v *node) error {
			at := "sample " + strconv.Itoa(n)
			n++
			if !f.is(v, at, objectKind) {
				return f.enough()
			}
			id := f.required(v, at, "sample_id", stringKind)
			switch {
			case id == nil:
				return f.enough()
			case unfit(id.text) || seen[id.text]:
				f.add(id, at, fmt.Sprintf("the sample_id %q is empty, taken or has a slash", id.text), "give every sample an id of its own, without a slash")
				return f.enough()
			}
			seen[id.text] = true
			c := &locomoSample{
				faults: f, tally: &s.tally, strict: s.strict,
				id: id.text, at: "sample " + id.text,
				speakerOf: make(map[string]string), sessions: make(map[int][]string),
			}
			c.read(v)
			if f.list.Len() > 0 {
				return f.enough() // go on to look for more
			}
			return emit(c.part)
		})
		if err == nil && (n == 0 || !array) {
			return &problem.Problem{File: file, What: "the file is no array of samples, or an empty one", Mend: "name a file like locomo10.json"}
		}
		if err != nil && f.list.Len() > 0 {
			return fmt.Errorf("%w\n%w", f.list.Err(), err)
		}
		if err != nil {
			return err
		}
		return f.list.Err()
	})
}

// unfit reports whether an id cannot be a part of a longer one.
func unfit(id string) bool { return id == "" || strings.Contains(id, "/") }

// locomoSample reads one sample.
type locomoSample struct {
	*faults
	tally  *tally.Tally
	strict bool

	id, at    string
	speakers  []string
	speakerOf map[string]string // by dia_id
	sessions  map[int][]string  // ids of turns
	part
}

func (c *locomoSample) note(kind, at string) { c.tally.Add(kind, at) }

func (c *locomoSample) read(v *node) {
	if conv := c.required(v, c.at, "conversation", objectKind); conv != nil {
		c.conversation(conv)
	}
	if qa := c.required(v, c.at, "qa", arrayKind); qa != nil {
		asked := make(map[string]bool)
		for i := range qa.elems {
			c.question(i, &qa.elems[i], asked)
		}
	}
	if o := c.optional(v, c.at, "observation", objectKind); o != nil {
		c.perSession(o, "observation", "session_", "_observation", c.observations)
	}
	if o := c.optional(v, c.at, "session_summary", objectKind); o != nil {
		c.perSession(o, "session_summary", "session_", "_summary", c.summary)
	}
	if o := c.optional(v, c.at, "event_summary", objectKind); o != nil {
		c.perSession(o, "event_summary", "events_session_", "", c.events)
	}
}

// number reads the number of a session from a name such as session_3_summary.
func number(name, prefix, suffix string) (int, bool) {
	name, before := strings.CutPrefix(name, prefix)
	name, after := strings.CutSuffix(name, suffix)
	n, err := strconv.Atoi(name)
	return n, before && after && err == nil && strconv.Itoa(n) == name
}

func (c *locomoSample) conversation(conv *node) {
	for _, name := range []string{"speaker_a", "speaker_b"} {
		if s := c.optional(conv, c.at, name, stringKind); s != nil {
			c.speakers = append(c.speakers, s.text)
		}
	}
	dates := make(map[int]*node)
	turns := make(map[int]*node)
	for i, name := range conv.names {
		v := &conv.elems[i]
		if n, ok := number(name, "session_", "_date_time"); ok {
			dates[n] = v
		} else if n, ok := number(name, "session_", ""); ok {
			turns[n] = v
		} else if name != "speaker_a" && name != "speaker_b" {
			c.note("field ignored", c.at+", "+name)
		}
	}
	var before time.Time
	for _, n := range slices.Sorted(maps.Keys(turns)) {
		at := fmt.Sprintf("%s, session_%d", c.at, n)
		date := c.date(at, dates[n])
		delete(dates, n)
		if !date.IsZero() {
			if date.Before(before) {
				c.note("session before the previous one", at)
			}
			before = date
		}
		if c.is(turns[n], at, arrayKind) {
			c.session(n, at, turns[n].elems, date)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(dates)) {
		c.note("date key without a session", fmt.Sprintf("%s, session_%d_date_time", c.at, n))
	}
}

// date reads the date of a session; it is zero when there is none.
func (c *locomoSample) date(at string, v *node) time.Time {
	if v == nil || v.kind == nullKind {
		c.note("session without a date", at)
		return time.Time{}
	}
	if !c.is(v, at+"_date_time", stringKind) {
		return time.Time{}
	}
	t, err := time.Parse("3:04 pm on 2 January, 2006", v.text)
	if err != nil {
		c.note("date unparsable", at+"_date_time")
	}
	return t
}

const zoneless = "2006-01-02T15:04:05"

func (c *locomoSample) session(n int, at string, turns []node, date time.Time) {
	if len(turns) == 0 {
		c.note("session empty", at)
	}
	when := ""
	if !date.IsZero() {
		when = date.Format(zoneless)
	}
	last := ""
	for i := range turns {
		at := fmt.Sprintf("%s, turn %d", at, i)
		if !c.is(&turns[i], at, objectKind) {
			continue
		}
		id, speaker, text := c.turn(&turns[i], at)
		if id == "" {
			continue
		}
		if id != fmt.Sprintf("D%d:%d", n, i+1) {
			c.note("turn id out of position", at)
		}
		if len(c.speakers) > 0 && !slices.Contains(c.speakers, speaker) {
			c.note("speaker unknown", at)
		}
		if i > 0 && speaker == last {
			c.note("consecutive turns of one speaker", at)
		}
		last = speaker
		c.speakerOf[id] = speaker
		t := tiaptest.Turn{ID: c.id + "/" + id, Session: fmt.Sprintf("%s/session_%d", c.id, n), Speaker: speaker, Time: when, Text: text}
		c.turns = append(c.turns, t)
		c.sessions[n] = append(c.sessions[n], t.ID)
		c.memories = append(c.memories, tiaptest.Memory{ID: t.ID, Form: "raw", Sources: []tiaptest.Link{{Turn: t.ID}}, Text: text})
	}
}

// turn reads a turn. The id is empty when there is none of use.
func (c *locomoSample) turn(v *node, at string) (id, speaker, text string) {
	dia := c.required(v, at, "dia_id", stringKind)
	who := c.required(v, at, "speaker", stringKind)
	said := c.required(v, at, "text", stringKind)
	caption := c.optional(v, at, "blip_caption", stringKind)
	if dia == nil || who == nil || said == nil {
		return "", "", ""
	}
	if _, twice := c.speakerOf[dia.text]; twice || unfit(dia.text) {
		c.add(dia, at, fmt.Sprintf("the dia_id %q is empty, taken or has a slash", dia.text), "give every turn of a sample an id of its own, without a slash")
		return "", "", ""
	}
	text = said.text
	if strings.TrimSpace(text) == "" {
		c.note("turn text empty", at)
	}
	if caption != nil {
		c.note("image description appended", at)
		text += " (image description: " + caption.text + ")"
	}
	return dia.text, who.text, text
}

func (c *locomoSample) question(i int, v *node, asked map[string]bool) {
	at := fmt.Sprintf("%s, qa %d", c.at, i)
	if !c.is(v, at, objectKind) {
		return
	}
	q := tiaptest.Query{ID: fmt.Sprintf("%s/qa%d", c.id, i), Scope: c.id}
	if text := c.required(v, at, "question", stringKind); text != nil {
		q.Text = text.text
		if asked[q.Text] {
			c.note("question repeated", at)
		}
		asked[q.Text] = true
	}
	if category := c.required(v, at, "category", numberKind); category != nil {
		n, ok := category.integer()
		if !ok {
			c.add(category, at, fmt.Sprintf("the category %s is no integer", category.text), "use 1 to 5")
		}
		q.Category = strconv.Itoa(n)
		if ok && CategoryName(locomoName, q.Category) == q.Category {
			c.note("category without a name", at)
		}
	}
	q.Answer = c.answer(v, at, q.Category)
	q.Evidence = c.evidence(v, at)
	if len(q.Evidence) == 0 {
		c.note("query without usable evidence", at)
	}
	c.queries = append(c.queries, q)
}

func (c *locomoSample) answer(v *node, at, category string) string {
	answer := v.member("answer")
	switch {
	case answer == nil && category == "5":
		c.note("category 5 without an answer", at)
		return ""
	case answer == nil:
		c.note("answer absent", at)
		return ""
	case category == "5":
		c.note("category 5 with an answer", at)
	}
	if _, ok := answer.integer(); ok {
		c.note("answer is an integer", at)
	} else if answer.kind != stringKind {
		c.add(answer, at, fmt.Sprintf("%q is %s, neither a string nor an integer", "answer", answer.kind), "make it a string")
	}
	return answer.text
}

// reference is a part of a string that names turns.
type reference struct {
	text string // as it stands
	id   string // in the spelling of turns; empty when it is none
}

var (
	gaps   = regexp.MustCompile(`[;,\s]+`)
	diaRef = regexp.MustCompile(`^D:?0*([0-9]+):0*([0-9]+)$`)
)

// references splits a string that names turns.
func references(text string) []reference {
	var refs []reference
	for _, part := range gaps.Split(text, -1) {
		if part == "" {
			continue
		}
		ref := reference{text: part}
		if m := diaRef.FindStringSubmatch(part); m != nil {
			ref.id = "D" + m[1] + ":" + m[2]
		}
		refs = append(refs, ref)
	}
	return refs
}

func (c *locomoSample) evidence(v *node, at string) []tiaptest.Unit {
	list := c.optional(v, at, "evidence", arrayKind)
	if list == nil {
		if v.member("evidence") == nil {
			c.note("evidence absent", at)
		}
		return nil
	}
	if len(list.elems) == 0 {
		c.note("evidence empty", at)
	}
	var units []tiaptest.Unit
	for i := range list.elems {
		e := &list.elems[i]
		if !c.is(e, fmt.Sprintf("%s, evidence %d", at, i), stringKind) {
			continue
		}
		for _, ref := range c.usable(e.text, fmt.Sprintf("%s: %q", at, e.text)) {
			turn := c.id + "/" + ref.id
			if slices.ContainsFunc(units, func(u tiaptest.Unit) bool { return u.Turns[0] == turn }) {
				c.note("evidence duplicate", fmt.Sprintf("%s: %q", at, e.text))
				continue
			}
			u := tiaptest.Unit{Turns: []string{turn}}
			if ref.text != ref.id {
				u.ID = ref.text
			}
			units = append(units, u)
		}
	}
	return units
}

// usable are the references of a string of evidence that count.
func (c *locomoSample) usable(text, at string) []reference {
	if _, ok := c.speakerOf[text]; ok {
		return []reference{{text, text}}
	}
	refs := references(text)
	switch {
	case len(refs) == 0:
		c.note("evidence unparsable", at)
	case len(refs) > 1 && c.strict:
		c.note("evidence packed", at)
		return nil
	case len(refs) > 1:
		c.note("evidence split", at)
	}
	return slices.DeleteFunc(refs, func(ref reference) bool {
		_, exists := c.speakerOf[ref.id]
		switch {
		case ref.id == "":
			c.note("evidence unparsable", at)
		case !exists:
			c.note("evidence dangling", at)
		case c.strict:
			c.note("evidence misspelt", at)
		case ref.text != ref.id:
			c.note("evidence repaired", at)
			return false
		default:
			return false
		}
		return true
	})
}

// perSession calls f with the members of an object that has one for each session.
func (c *locomoSample) perSession(v *node, name, prefix, suffix string, f func(n int, at string, v *node)) {
	for i, key := range v.names {
		at := c.at + ", " + key
		if n, ok := number(key, prefix, suffix); ok {
			f(n, at, &v.elems[i])
		} else {
			c.add(&v.elems[i], at, fmt.Sprintf("the name in %s is not of the form %s<n>%s", name, prefix, suffix), "name the session by its number")
		}
	}
}

// container links to every turn of a session.
func (c *locomoSample) container(n int, kind, at string) []tiaptest.Link {
	if len(c.sessions[n]) == 0 {
		c.note(kind+" without a session", at)
	}
	var links []tiaptest.Link
	for _, t := range c.sessions[n] {
		links = append(links, tiaptest.Link{Turn: t, Precision: "container"})
	}
	return links
}

func (c *locomoSample) summary(n int, at string, v *node) {
	if !c.is(v, at, stringKind) {
		return
	}
	c.memories = append(c.memories, tiaptest.Memory{
		ID:   fmt.Sprintf("%s/session_%d/summary", c.id, n),
		Form: "summary", Text: v.text, Sources: c.container(n, "summary", at),
	})
}

// bySpeaker calls f with the entries of each speaker.
func (c *locomoSample) bySpeaker(v *node, at string, f func(speaker, at string, i int, v *node)) {
	if !c.is(v, at, objectKind) {
		return
	}
	for i, speaker := range v.names {
		at := at + ", " + speaker
		if speaker == "date" || !c.is(&v.elems[i], at, arrayKind) {
			continue
		}
		list := v.elems[i].elems
		for k := range list {
			f(speaker, fmt.Sprintf("%s %d", at, k), k, &list[k])
		}
	}
}

func (c *locomoSample) events(n int, at string, v *node) {
	for i, speaker := range v.names {
		if e := &v.elems[i]; e.kind == arrayKind && len(e.elems) == 0 {
			c.note("event list empty", at+", "+speaker)
		}
	}
	c.bySpeaker(v, at, func(speaker, at string, i int, v *node) {
		if !c.is(v, at, stringKind) {
			return
		}
		if strings.TrimSpace(v.text) == "" {
			c.note("event empty", at)
		}
		c.memories = append(c.memories, tiaptest.Memory{
			ID:   fmt.Sprintf("%s/session_%d/event/%s/%d", c.id, n, speaker, i),
			Form: "event", Text: v.text, Sources: c.container(n, "event", at),
		})
	})
}

func (c *locomoSample) observations(n int, at string, v *node) {
	c.bySpeaker(v, at, func(speaker, at string, i int, v *node) {
		if !c.is(v, at, arrayKind) {
			return
		}
		if len(v.elems) != 2 {
			c.add(v, at, fmt.Sprintf("an observation of %d elements", len(v.elems)), "write the text and its turns: [text, id] or [text, [id, ...]]")
			return
		}
		text, refs := &v.elems[0], v.elems[1:]
		if refs[0].kind == arrayKind {
			refs = refs[0].elems
		}
		if !c.is(text, at, stringKind) {
			return
		}
		if len(c.speakers) > 0 && !slices.Contains(c.speakers, speaker) {
			c.note("observation about an unknown speaker", at)
		}
		m := tiaptest.Memory{ID: fmt.Sprintf("%s/session_%d/observation/%s/%d", c.id, n, speaker, i), Form: "observation", Text: text.text}
		for k := range refs {
			if c.is(&refs[k], at, stringKind) {
				c.cite(&m, refs[k].text, n, speaker, at)
			}
		}
		if len(m.Sources) == 0 {
			c.note("observation without a turn", at)
		}
		c.memories = append(c.memories, m)
	})
}

// cite links an observation to the turns that a string names.
func (c *locomoSample) cite(m *tiaptest.Memory, text string, session int, about, at string) {
	refs := references(text)
	if _, ok := c.speakerOf[text]; ok {
		refs = []reference{{text, text}}
	}
	switch {
	case len(refs) == 0:
		c.note("observation reference unparsable", at)
	case len(refs) > 1:
		c.note("observation reference split", at)
	}
	for _, ref := range refs {
		speaker, exists := c.speakerOf[ref.id]
		turn := c.id + "/" + ref.id
		switch {
		case ref.id == "":
			c.note("observation reference unparsable", at)
			continue
		case !exists:
			c.note("observation reference dangling", at)
			continue
		case ref.text != ref.id:
			c.note("observation reference repaired", at)
		}
		if !slices.Contains(c.sessions[session], turn) {
			c.note("observation reference to another session", at)
		}
		if speaker != about {
			c.note("observation of the other speaker's turn", at)
		}
		if link := (tiaptest.Link{Turn: turn}); !slices.Contains(m.Sources, link) {
			m.Sources = append(m.Sources, link)
		}
	}
}
