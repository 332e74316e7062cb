package memsys

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes about Mem0.
const (
	noteMem0Relation    = "relation dropped, since it has no id"
	noteMem0Repeated    = "memory repeated in the store"
	noteMem0Unscoped    = "source named without its conversation"
	noteMem0RoleOnly    = "message told by its role alone, since the scenario has no texts"
	noteMem0NoMessage   = "memory with a role that is no message of its turns"
	noteMem0Narrowed    = "message linked to the turn of its batch that it holds"
	noteMem0Time        = "time not understood"
	noteMem0Expires     = "memory that expires"
	noteMem0Replacement = "memory replaced by one that is not stored"
	noteMem0Earlier     = "earlier text of an updated memory"
	noteMem0NoDeletion  = "deletion without a time"
	noteMem0Restored    = "memory that was deleted and is stored"
	noteMem0Elsewhere   = "changed memory that is neither stored nor deleted"
	noteMem0Behind      = "stored text that is not the last of its history"
	noteMem0Gap         = "update of a text that the history does not have"
	noteMem0Input       = "input of the history that names no turns"
	noteMem0Pending     = "add call whose result was not awaited"
	noteMem0OtherText   = "hit with another text than the stored one"
	noteMem0Distances   = "scores that ascend along the list, as distances do"
	noteMem0Unordered   = "scores that neither descend nor ascend along the list"
)

// Mem0 imports Mem0, open source 1.x and 2.x and the platform.
//
// Store is what get_all, or the list of the platform, gives: arrays of memories,
// or objects with them in "results", one or several files and folders of them; of
// a paged list every page. History, optional, is history.db or what history gives
// of one or all memories, as a JSON array. Search, optional, are search logs
// whose results are what search gives.
//
// Log, optional, is a file of JSON lines, one for each call of add, with the ids
// of the turns that were given and what add returned:
//
//	{"sources":["conv-26/D1:3"],"result":{"results":[{"id":"...","memory":"...","event":"ADD"}]}}
//
// # Lineage
//
// Metadata given to add is copied to each memory that it makes. A memory descends
// from the turns in its metadata.tiap_source_ids: exactly when it is one turn,
// as a batch when there are several. An UPDATE overwrites them, so those of all
// ADD and UPDATE events of the log, and of the metadata in a platform history,
// are added: more than the text may rest on, but nothing is lost. Turns may be
// named without their conversation where user_id is the conversation. The input
// in a platform history is text, not ids, and gives no lineage.
//
// # Memories
//
// A memory that has a role or an actor and the text of a message, with or without
// its speaker and the description of its image, was stored with infer=False: its
// form is "raw", and it descends from the turn of its batch that it holds. All
// others are of form "fact".
//
// A memory that is not stored and was deleted, says the history or the log, has
// the status "deleted" and its last text. One with replaced_by has the status
// "superseded"; if the one that replaced it is synthesized, that one descends from
// it. An UPDATE rewrites a memory in place under its id: its earlier texts cannot
// be retrieved, so they are no memories but are counted. Only [tiaptest.Current]
// leaves superseded and deleted memories out.
//
// ValidFrom is when the text was written: created_at, or the last UPDATE of the
// history. ValidTo is when the memory was replaced, deleted or expires, at the
// end of its expiration_date; a memory that expired is stored still, and so
// active. Times are RFC 3339 with the zone that they have; without one, as older
// ones, they get none.
//
// # Rankings
//
// The order of the results is the rank. Scores are kept where all hits have one;
// lists in which they ascend or go up and down are counted, since some stores
// give distances. Relations have no ids and are dropped.
func Mem0(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if len(f.Store) == 0 {
		return nil, errors.New("mem0: no store is given, and search results do not tell what is stored, which coverage is over; save what get_all gives, and name its file with store=FILE, in Go in Files.Store")
	}
	if err := f.check("mem0", []string{"store"}, []string{"history", "log", "search"}); err != nil {
		return nil, err
	}
	m := &mem0{
		importer: newImporter(sc), stored: make(map[string]*mem0Item), past: make(map[string]*mem0Past),
		texts: make(map[string][]string), said: make(map[string]bool),
	}
	for i := range m.sc.Turns {
		t := &m.sc.Turns[i]
		for _, text := range []string{strings.TrimSpace(t.Text), withoutImage(t.Text)} {
			if text != "" {
				m.texts[t.ID] = append(m.texts[t.ID], text, t.Speaker+": "+text)
				m.said[text], m.said[t.Speaker+": "+text] = true, true
			}
		}
	}
	m.made.in = m.importer
	m.readStore(f.Store)
	if f.History != "" {
		m.readHistory(f.History)
	}
	if f.Log != "" {
		m.readLog(f.Log)
	}
	in := &tiaptest.Ingest{}
	if m.faults.Len() == 0 { // what is missing would be noted otherwise
		in.Memories = m.memories()
	}
	m.answers(slices.DeleteFunc(slices.Clone(f.Search), m.evaluated), func(a *answer) { m.search(&in.Run, a) })
	m.whole(in, f)
	return m.done(m.system(in))
}

// mem0 reads one export.
type mem0 struct {
	*importer
	items  []*mem0Item // as stored
	stored map[string]*mem0Item
	past   map[string]*mem0Past // by memory id
	order  []string             // of past
	made   memories

	texts map[string][]string // of a turn, each without and with its speaker
	said  map[string]bool     // the same texts of all turns

	metadata, history, log bool // where lineage was found
}

// readStore reads what is stored.
func (m *mem0) readStore(files []string) {
	var firsts, lasts, largest, got int // of the pages of lists
	var paged value
	m.documents(files, func(v value) {
		page, items, ok := m.page(v)
		if !ok {
			return
		}
		if page.Count > 0 {
			paged = v
			got += len(items)
			largest = max(largest, page.Count)
			if page.Previous == nil {
				firsts += page.Count
			}
			if page.Next == nil {
				lasts += page.Count
			}
		}
		for _, e := range items {
			m.store(e)
		}
	})
	if want := max(firsts, lasts, largest); got < want {
		m.wrong(paged, fmt.Sprintf("the pages of the list hold %d memories, and their counts say %d", got, want), "give every page, up to that without next")
	}
}

func (m *mem0) store(v value) {
	it := m.item(v)
	if it == nil {
		return
	}
	if it.Score != nil {
		m.wrong(v, fmt.Sprintf("memory %q has a score, so this is a search result", it.ID), "the store is what get_all gives: coverage is over all that is stored")
		return
	}
	if first := m.stored[it.ID]; first == nil {
		m.stored[it.ID] = it
		m.items = append(m.items, it)
	} else if first.same(*it) {
		m.tally.Add(noteMem0Repeated, it.where.at())
	} else {
		m.wrong(v, fmt.Sprintf("memory %q is stored differently in %s", it.ID, first.where.at()), "export the store at one time")
	}
}

// memories returns what is stored, then what was deleted.
func (m *mem0) memories() []tiaptest.Memory {
	for _, it := range m.items {
		m.made.add(it.where, m.fromStore(it))
	}
	for _, id := range m.order {
		p := m.past[id]
		for _, text := range p.earlier {
			m.tally.Add(noteMem0Earlier, p.at+": "+text)
		}
		switch it := m.stored[id]; {
		case it == nil && p.deleted:
			m.made.add(value{}, m.fromPast(id, p))
		case it == nil:
			m.tally.Add(noteMem0Elsewhere, p.at+": "+id)
		case p.deleted:
			m.tally.Add(noteMem0Restored, p.at+": "+id)
		case p.history && p.text != *it.Memory:
			m.tally.Add(noteMem0Behind, it.where.at())
		}
	}
	m.supersede()
	for i := range m.made.list {
		if mem := &m.made.list[i]; len(mem.Sources) == 0 && len(mem.Parents) == 0 {
			m.tally.Add(noteNoLineage, mem.ID)
		}
	}
	return m.made.list
}

// fromStore makes a memory of what is stored, and what is known of its past.
func (m *mem0) fromStore(it *mem0Item) tiaptest.Memory {
	mem := tiaptest.Memory{ID: it.ID, Text: *it.Memory, ValidFrom: m.time(it.CreatedAt, it.where.at())}
	links := m.sources(it.sources, it.UserID, it.where.at())
	m.metadata = m.metadata || len(links) > 0
	if p := m.past[it.ID]; p != nil {
		links = m.descend(links, p, it.UserID)
		mem.ValidFrom = cmp.Or(p.changed, mem.ValidFrom)
	}
	m.form(&mem, it.Role != "" || it.ActorID != "", links, it.where.at())
	if it.Expiration != "" {
		m.tally.Add(noteMem0Expires, it.where.at())
		mem.ValidTo = m.expires(it.Expiration, it.where.at())
	}
	return mem
}

// fromPast makes a memory of what is known of a deleted one.
func (m *mem0) fromPast(id string, p *mem0Past) tiaptest.Memory {
	mem := tiaptest.Memory{
		ID: id, Text: p.text, Status: "deleted",
		ValidFrom: cmp.Or(p.changed, p.created), ValidTo: p.deletedAt,
	}
	if p.deletedAt == "" {
		m.tally.Add(noteMem0NoDeletion, p.at+": "+id)
	}
	m.form(&mem, p.role, m.descend(nil, p, p.user), p.at)
	return mem
}

// sources makes links of the turns that one call of add was given.
func (m *mem0) sources(ids []string, user, at string) []tiaptest.Link {
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	precision := "" // exact
	if len(distinct) > 1 {
		precision = "batch"
	}
	named := slices.Clone(ids)
	for i, id := range named {
		if scoped := user + "/" + id; !m.turns[id] && m.turns[scoped] {
			m.tally.Add(noteMem0Unscoped, at)
			named[i] = scoped
		}
	}
	return m.links(named, precision, at)
}

// descend adds to links those of the events that made a memory. Of two links to
// one turn the more precise stays.
func (m *mem0) descend(links []tiaptest.Link, p *mem0Past, user string) []tiaptest.Link {
	for _, e := range p.events {
		for _, l := range m.sources(e.sources, cmp.Or(user, p.user), e.at) {
			if e.log {
				m.log = true
			} else {
				m.history = true
			}
			i := slices.IndexFunc(links, func(k tiaptest.Link) bool { return k.Turn == l.Turn })
			switch {
			case i < 0:
				links = append(links, l)
			case l.Precision == "":
				links[i] = l
			}
		}
	}
	return links
}

// form sets the form and the sources of a memory; role says whether it has a role
// or an actor, as messages have that are stored as they are.
func (m *mem0) form(mem *tiaptest.Memory, role bool, links []tiaptest.Link, at string) {
	mem.Form, mem.Sources = "fact", links
	if !role {
		return
	}
	if len(m.said) == 0 {
		mem.Form = "raw"
		m.tally.Add(noteMem0RoleOnly, at)
		return
	}
	text := strings.TrimSpace(mem.Text)
	var holds []tiaptest.Link
	for _, l := range links {
		if slices.Contains(m.texts[l.Turn], text) {
			holds = append(holds, l)
		}
	}
	switch {
	case len(links) == 0 && m.said[text]:
		mem.Form = "raw"
	case len(holds) == 0:
		m.tally.Add(noteMem0NoMessage, at)
	default:
		mem.Form, mem.Sources = "raw", holds
		if len(holds) == 1 && len(links) > 1 {
			holds[0].Precision = "" // exact
			m.tally.Add(noteMem0Narrowed, at)
		}
	}
}

// supersede follows replaced_by.
func (m *mem0) supersede() {
	for _, it := range m.items {
		if it.ReplacedBy == "" {
			continue
		}
		mem := &m.made.list[m.made.index[it.ID]]
		mem.Status = "superseded"
		by := m.stored[it.ReplacedBy]
		ended := m.time(it.UpdatedAt, it.where.at())
		if by == nil {
			m.tally.Add(noteMem0Replacement, it.where.at())
		} else {
			ended = cmp.Or(ended, m.time(by.CreatedAt, by.where.at()))
			if by.Synthesized {
				heir := &m.made.list[m.made.index[by.ID]]
				heir.Parents = append(heir.Parents, it.ID)
			}
		}
		mem.ValidTo = earlierTime(ended, mem.ValidTo)
	}
	m.endless()
}

// endless reports memories that replace themselves, by way of others.
func (m *mem0) endless() {
	walked := make(map[*mem0Item]int) // in which walk along replaced_by
	for walk, it := range m.items {
		for it != nil && walked[it] == 0 {
			walked[it] = walk + 1
			it = m.stored[it.ReplacedBy]
		}
		if it != nil && walked[it] == walk+1 {
			m.wrong(it.where, fmt.Sprintf("memory %q replaces itself, by way of replaced_by", it.ID), "export the store again")
		}
	}
}

// system names what was imported.
func (m *mem0) system(in *tiaptest.Ingest) *tiaptest.System {
	s := &tiaptest.System{Name: "mem0", Unit: "memory", Forms: make(map[string]string), Ingests: []*tiaptest.Ingest{in}}
	forms := map[string]string{"raw": "message stored as it was said (infer=False)", "fact": "fact extracted from messages"}
	for i := range in.Memories {
		s.Forms[in.Memories[i].Form] = forms[in.Memories[i].Form]
	}
	var from []string
	for _, f := range []struct {
		found bool
		name  string
	}{{m.metadata, "metadata.tiap_source_ids"}, {m.history, "metadata in the history"}, {m.log, "the log of add calls"}} {
		if f.found {
			from = append(from, f.name)
		}
	}
	s.Lineage = "none recorded"
	if len(from) > 0 {
		s.Lineage = "recorded at ingest: " + strings.Join(from, ", ")
	}
	return s
}
