package memsys

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes about MemoryOS.
const (
	notePageAgain      = "page in several sessions, stored once"
	notePageWithoutID  = "page without id, named by its text and time"
	notePageUnlinked   = "page without lineage"
	notePageUnlogged   = "text of a page that the log does not have"
	notePageImage      = "text of a page found without its image description"
	notePageSeveral    = "text of a page that the log has for several turns"
	noteLoggedUnstored = "text of the log that no page holds"
	noteKnowledge      = "knowledge without lineage"
	noteProfile        = "profile without lineage"
	noteKnowledgeAgain = "knowledge repeated, stored once"
	noteForeignFile    = "file that is no part of the store"
)

// MemoryOS imports MemoryOS, as the package from PyPI and its eval folder write it.
//
// Store is the data folder, with users/<user>/short_term.json, mid_term.json and
// long_term_user.json and assistants/<assistant>/long_term_assistant.json, or the
// folder of the eval variant, with <sample>_short_term.json and so on; or some of
// these files. Save it before searching, which changes it. Search, optional,
// are search logs whose results are what retrieve_context or search_sessions gives.
//
// MemoryOS keeps no turn ids. Log, optional, tells the turns by the text and the
// time that add_memory was given, as a JSON array or as JSON lines:
//
//	{"text":"Morning, Ben!","timestamp":"9:05 am on 12 March, 2031","source_ids":["conv-26/D1:1"]}
//
// # Memories
//
// A page is what one user and one agent message say: of form "raw", it descends
// exactly from the turns that the log has under either text and the page's time.
// It is looked up as it is, then without a description of its image at its end. A
// log that has a text and time for several turns cannot tell them apart: the page
// descends from all of them, as a batch, or from those of the conversation that is
// named as its user. A page that stands in several sessions is stored once.
//
// A session is a memory of form "summary". It descends from the turns of its
// pages, as their container: pages that join a session later do not change its
// summary. It names no parents, since a way through them would pass for exact.
// Knowledge and profiles, of forms "knowledge" and "profile", have no lineage.
//
// # Ids
//
// Pages and sessions have ids of their own. Where MemoryOS has none, for pages of
// the short term, knowledge and profiles, an id is made of the SHA-256 of kind,
// text and time. If the store has several users, every id is scoped by its user
// or assistant, as in conv-26/page_0000000a and assistants/default/..., since ids
// of eight hexadecimal digits can clash. A hit is then one of the user that is
// named as the query's scope, else of the only one that has it.
//
// # Rankings
//
// retrieve_context gives three lists: pages, user_knowledge and
// assistant_knowledge, and search_sessions two: sessions and pages, each in the
// order given. [tiaptest.Merge] says how an audit joins them. Of a page that
// stands twice in a list the first place counts.
func MemoryOS(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("memoryos", []string{"store"}, []string{"log", "search"}); err != nil {
		return nil, err
	}
	m := &memoryOS{
		importer: newImporter(sc), files: make(map[string]string), place: make(map[string]int),
		log: make(map[textTime]*logged), named: make(map[string][]string),
	}
	if f.Log != "" {
		m.readLog(f.Log)
	}
	m.documents(f.Store, m.file)
	if len(m.files) == 0 && m.faults.Len() == 0 {
		m.faults.Add(f.Store[0], 0, "this is no store of MemoryOS: there is no short_term.json, mid_term.json or long_term_user.json", "name the data folder")
	}
	in := &tiaptest.Ingest{Memories: m.memories()}
	m.answers(f.Search, func(a *answer) { m.search(&in.Run, a) })
	m.whole(in, f)
	return m.done(m.system(in))
}

// memoryOS reads one export.
type memoryOS struct {
	*importer
	files  map[string]string // by owner and part
	users  []string
	owners []string // of the memories in made
	made   []tiaptest.Memory
	place  map[string]int      // in made, by owner and id
	named  map[string][]string // full ids by the id in the store
	stored map[string]int      // in the memories imported, by full id

	log map[textTime]*logged
}

// textTime is by what a log tells turns.
type textTime struct{ text, time string }

// logged is what a log has under one text and time.
type logged struct {
	turns   []string
	entries int
	used    bool
	at      string
}

// readLog reads the turns of texts and times.
func (m *memoryOS) readLog(file string) {
	text, err := read(file)
	if err != nil {
		m.unreadable(file, 0, err, "name a file that can be read")
		return
	}
	if v := (value{file: file, json: text}); v.begins('[') {
		for _, e := range m.elements(v) {
			m.entry(e)
		}
		return
	}
	m.lines(file, func(n int, text []byte) { m.entry(value{file: file, line: n, json: text}) })
}

func (m *memoryOS) entry(v value) {
	var e struct {
		Text      *string  `json:"text"`
		Timestamp *string  `json:"timestamp"`
		SourceIDs []string `json:"source_ids"`
	}
	switch {
	case !m.decode(v, &e):
	case e.Text == nil || e.Timestamp == nil || e.SourceIDs == nil:
		m.wrong(v, `an entry has "text", "timestamp" and "source_ids"`, "log all three with each call of add_memory")
	default:
		key := textTime{strings.TrimSpace(*e.Text), strings.TrimSpace(*e.Timestamp)}
		l := m.log[key]
		if l == nil {
			l = &logged{at: v.at()}
			m.log[key] = l
		}
		l.entries++
		for _, link := range m.links(e.SourceIDs, "", v.at()) {
			if !slices.Contains(l.turns, link.Turn) {
				l.turns = append(l.turns, link.Turn)
			}
		}
	}
}

// memoryOSPart tells whose part of a store a file is: that of a user, or of
// "assistants/" and the name of an assistant.
func memoryOSPart(file string) (owner, part string, ok bool) {
	name, ok := jsonStem(file)
	if !ok {
		return "", "", false
	}
	folder := func() string {
		full, err := filepath.Abs(file)
		if err != nil {
			full = file
		}
		return filepath.Base(filepath.Dir(full))
	}
	switch name {
	case "short_term", "mid_term":
		return folder(), name, true
	case "long_term_user":
		return folder(), "long_term", true
	case "long_term_assistant":
		return "assistants/" + folder(), "long_term", true
	}
	for _, part := range []string{"short_term", "mid_term", "long_term"} {
		if owner, ok := strings.CutSuffix(name, "_"+part); ok {
			return owner, part, true
		}
	}
	return "", "", false
}

// file reads a file of the store.
func (m *memoryOS) file(v value) {
	owner, part, ok := memoryOSPart(v.file)
	if !ok {
		m.tally.Add(noteForeignFile, v.file)
		return
	}
	key := owner + "\x00" + part
	if first, dup := m.files[key]; dup {
		m.wrong(v, fmt.Sprintf("this is the %s of %q, as is %s", part, owner, first), "name the store of each user once")
		return
	}
	m.files[key] = v.file
	if !strings.HasPrefix(owner, "assistants/") && !slices.Contains(m.users, owner) {
		m.users = append(m.users, owner)
	}
	switch part {
	case "short_term":
		for _, e := range m.elements(v) {
			m.page(owner, e)
		}
	case "mid_term":
		m.midTerm(owner, v)
	case "long_term":
		m.longTerm(owner, v)
	}
}

// memoryOSPage is what two messages say.
type memoryOSPage struct {
	ID        string  `json:"page_id"`
	User      *string `json:"user_input"`
	Agent     *string `json:"agent_response"`
	Timestamp string  `json:"timestamp"`
}

// readPage reads a page and gives it an id when it has none.
func (m *memoryOS) readPage(v value) (p memoryOSPage, text string, ok bool) {
	if !m.decode(v, &p) {
		return p, "", false
	}
	if p.User == nil && p.Agent == nil {
		m.wrong(v, `the page has neither "user_input" nor "agent_response"`, "export it whole")
		return p, "", false
	}
	var texts []string
	for _, t := range []*string{p.User, p.Agent} {
		if t != nil && *t != "" {
			texts = append(texts, *t)
		}
	}
	text = strings.Join(texts, "\n")
	if p.ID == "" {
		p.ID = madeID("page", text, p.Timestamp)
	}
	return p, text, true
}

// madeID names what has no id by what it is.
func madeID(kind, text, time string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text + "\x00" + time))
	return kind + "_" + hex.EncodeToString(sum[:8])
}

// page adds a page to the store and returns its place, or -1.
func (m *memoryOS) page(owner string, v value) int {
	p, text, ok := m.readPage(v)
	if !ok {
		return -1
	}
	if i, again := m.place[owner+"\x00"+p.ID]; again {
		if !m.again(&m.made[i], "raw", text, v) {
			return -1
		}
		m.tally.Add(notePageAgain, v.at()+": "+p.ID)
		return i
	}
	if strings.HasPrefix(p.ID, "page_") && p.ID == madeID("page", text, p.Timestamp) {
		m.tally.Add(notePageWithoutID, v.at())
	}
	links := m.pageLinks(owner, &p, v)
	if len(links) == 0 {
		m.tally.Add(notePageUnlinked, v.at()+": "+p.ID)
	}
	return m.add(owner, tiaptest.Memory{ID: p.ID, Form: "raw", Sources: links, Text: text})
}

// add adds a memory to the store and returns its place.
func (m *memoryOS) add(owner string, mem tiaptest.Memory) int {
	m.place[owner+"\x00"+mem.ID] = len(m.made)
	m.owners = append(m.owners, owner)
	m.made = append(m.made, mem)
	return len(m.made) - 1
}

// again reports whether a memory that an id stands for already says the same, and
// notes that it does not.
func (m *memoryOS) again(had *tiaptest.Memory, form, text string, v value) bool {
	if had.Form != form || had.Text != text {
		m.wrong(v, fmt.Sprintf("the id %q stands for two texts", had.ID), "export the store at one time")
		return false
	}
	return true
}

// pageLinks finds the turns of a page in the log.
func (m *memoryOS) pageLinks(owner string, p *memoryOSPage, v value) []tiaptest.Link {
	if len(m.log) == 0 {
		return nil
	}
	var links []tiaptest.Link
	for _, t := range []*string{p.User, p.Agent} {
		if t == nil || strings.TrimSpace(*t) == "" {
			continue
		}
		l := m.lookUp(*t, p.Timestamp, v)
		if l == nil {
			m.tally.Add(notePageUnlogged, v.at())
			continue
		}
		l.used = true
		turns := l.turns
		if own := slices.DeleteFunc(slices.Clone(turns), func(t string) bool { return !strings.HasPrefix(t, owner+"/") }); len(own) > 0 {
			turns = own
		}
		precision := "" // exact
		if len(turns) > 1 {
			precision = "batch"
			if l.entries > 1 {
				m.tally.Add(notePageSeveral, v.at())
			}
		}
		for _, turn := range turns {
			if !slices.ContainsFunc(links, func(l tiaptest.Link) bool { return l.Turn == turn }) {
				links = append(links, tiaptest.Link{Turn: turn, Precision: precision})
			}
		}
	}
	return links
}

// lookUp finds a text in the log.
func (m *memoryOS) lookUp(text, time string, v value) *logged {
	key := textTime{strings.TrimSpace(text), strings.TrimSpace(time)}
	if l := m.log[key]; l != nil {
		return l
	}
	key.text = withoutImage(text)
	l := m.log[key]
	if l != nil {
		m.tally.Add(notePageImage, v.at())
	}
	return l
}

// withoutImage returns a text without the description of its image at its end, as
// LoCoMo's turns have it.
func withoutImage(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "(image description:"); i >= 0 && strings.HasSuffix(text, ")") {
		text = strings.TrimSpace(text[:i])
	}
	return text
}

// midTerm reads sessions with their pages.
func (m *memoryOS) midTerm(owner string, v value) {
	var file struct {
		Sessions map[string]json.RawMessage `json:"sessions"`
	}
	if !m.decode(v, &file) {
		return
	}
	if file.Sessions == nil {
		m.wrong(v, `there is no "sessions"`, "name a file that MemoryOS wrote")
		return
	}
	for _, id := range slices.Sorted(maps.Keys(file.Sessions)) {
		s := v.member("sessions."+id, file.Sessions[id])
		var session struct {
			Summary *string         `json:"summary"`
			Details json.RawMessage `json:"details"`
		}
		if !m.decode(s, &session) {
			continue
		}
		if session.Summary == nil || id == "" {
			m.wrong(s, `the session has no id or no "summary"`, "export it whole")
			continue
		}
		summary := tiaptest.Memory{ID: id, Form: "summary", Text: *session.Summary}
		for _, e := range m.elements(s.member("details", session.Details)) {
			i := m.page(owner, e)
			if i < 0 {
				continue
			}
			for _, l := range m.made[i].Sources {
				l.Precision = "container"
				if !slices.Contains(summary.Sources, l) {
					summary.Sources = append(summary.Sources, l)
				}
			}
		}
		if i, again := m.place[owner+"\x00"+id]; again {
			m.again(&m.made[i], "summary", summary.Text, s)
			continue
		}
		m.add(owner, summary)
	}
}

// memoryOSKnowledge is an entry of the long term.
type memoryOSKnowledge struct {
	Knowledge *string `json:"knowledge"`
	Timestamp string  `json:"timestamp"`
}

// The kinds of knowledge, which are names of lists too.
const (
	userKnowledge      = "user_knowledge"
	assistantKnowledge = "assistant_knowledge"
)

// readKnowledge reads an entry and makes its id.
func (m *memoryOS) readKnowledge(kind string, v value) (id, text string, ok bool) {
	var k memoryOSKnowledge
	if !m.decode(v, &k) {
		return "", "", false
	}
	if k.Knowledge == nil {
		m.wrong(v, `the entry has no "knowledge", its text`, "export it whole")
		return "", "", false
	}
	return madeID(kind, *k.Knowledge, k.Timestamp), *k.Knowledge, true
}

// longTerm reads profiles and knowledge.
func (m *memoryOS) longTerm(owner string, v value) {
	var file struct {
		Profiles  map[string]json.RawMessage `json:"user_profiles"`
		User      json.RawMessage            `json:"knowledge_base"`
		Assistant json.RawMessage            `json:"assistant_knowledge"`
	}
	if !m.decode(v, &file) {
		return
	}
	if file.Profiles == nil && file.User == nil && file.Assistant == nil {
		m.wrong(v, `there is no "user_profiles", "knowledge_base" or "assistant_knowledge"`, "name a file that MemoryOS wrote")
		return
	}
	for _, user := range slices.Sorted(maps.Keys(file.Profiles)) {
		e := v.member("user_profiles."+user, file.Profiles[user])
		var p struct {
			Data        string `json:"data"`
			LastUpdated string `json:"last_updated"`
		}
		if m.decode(e, &p) && p.Data != "" {
			m.entryOf(owner, "profile", noteProfile, madeID("profile", p.Data, p.LastUpdated), p.Data, e)
		}
	}
	for _, list := range []struct {
		kind    string
		entries value
	}{
		{userKnowledge, v.member("knowledge_base", file.User)},
		{assistantKnowledge, v.member("assistant_knowledge", file.Assistant)},
	} {
		if list.entries.absent() {
			continue
		}
		for _, e := range m.elements(list.entries) {
			if id, text, ok := m.readKnowledge(list.kind, e); ok {
				m.entryOf(owner, "knowledge", noteKnowledge, id, text, e)
			}
		}
	}
}

// entryOf adds knowledge or a profile, which have no lineage.
func (m *memoryOS) entryOf(owner, form, note, id, text string, v value) {
	if i, again := m.place[owner+"\x00"+id]; again {
		if m.again(&m.made[i], form, text, v) {
			m.tally.Add(noteKnowledgeAgain, v.at())
		}
		return
	}
	m.tally.Add(note, v.at())
	m.add(owner, tiaptest.Memory{ID: id, Form: form, Text: text})
}

// memories gives the memories their ids and returns them.
func (m *memoryOS) memories() []tiaptest.Memory {
	scoped := len(m.users) > 1
	m.stored = make(map[string]int, len(m.made))
	var out []tiaptest.Memory
	for i, mem := range m.made {
		bare := mem.ID
		if scoped {
			mem.ID = m.owners[i] + "/" + bare
		}
		if at, again := m.stored[mem.ID]; again { // knowledge that user and assistant share
			if m.again(&out[at], mem.Form, mem.Text, value{}) {
				m.tally.Add(noteKnowledgeAgain, mem.ID)
			}
			continue
		}
		m.stored[mem.ID] = len(out)
		m.named[bare] = append(m.named[bare], mem.ID)
		out = append(out, mem)
	}
	for _, key := range slices.SortedFunc(maps.Keys(m.log), func(a, b textTime) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.time, b.time))
	}) {
		if l := m.log[key]; !l.used {
			m.tally.Add(noteLoggedUnstored, l.at)
		}
	}
	return out
}

// system names what was imported.
func (m *memoryOS) system(in *tiaptest.Ingest) *tiaptest.System {
	s := &tiaptest.System{
		Name: "memoryos", Unit: "page", Lineage: "none recorded",
		Forms: make(map[string]string), Ingests: []*tiaptest.Ingest{in},
	}
	forms := map[string]string{
		"raw":       "page: a message of the user and one of the agent",
		"summary":   "summary of a session of pages",
		"knowledge": "knowledge about the user or the assistant",
		"profile":   "profile of the user",
	}
	for i := range in.Memories {
		mem := &in.Memories[i]
		s.Forms[mem.Form] = forms[mem.Form]
		if len(mem.Sources) > 0 {
			s.Lineage = "log of add_memory, by text and time; sessions contain pages"
		}
	}
	return s
}
