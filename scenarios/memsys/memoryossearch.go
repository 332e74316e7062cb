package memsys

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// search adds the lists of an answer to a run.
func (m *memoryOS) search(run *tiaptest.Run, a *answer) {
	var k tiaptest.Ranking
	if a.failed == "" {
		v := value{file: a.file, line: a.line, json: a.result}
		if a.line > 0 {
			v.path = "result"
		}
		before := m.faults.Len()
		if v.begins('[') {
			k.Lists = m.searched(v, a.query.Scope)
		} else {
			k.Lists = m.retrieved(v, a.query.Scope)
		}
		if m.faults.Len() > before {
			return
		}
	}
	m.rank(run, a, k, func(id string) bool {
		_, ok := m.stored[id]
		return ok
	})
}

// retrieved reads what retrieve_context gives, as the package or the eval variant.
func (m *memoryOS) retrieved(v value, scope string) []tiaptest.List {
	var r struct {
		Pages     json.RawMessage `json:"retrieved_pages"`
		User      json.RawMessage `json:"retrieved_user_knowledge"`
		Assistant json.RawMessage `json:"retrieved_assistant_knowledge"`
		Queue     json.RawMessage `json:"retrieval_queue"`
		LongTerm  json.RawMessage `json:"long_term_knowledge"`
	}
	if !m.decode(v, &r) {
		return nil
	}
	var lists []tiaptest.List
	for _, list := range []struct {
		kind, member string
		json         json.RawMessage
	}{
		{"pages", "retrieved_pages", r.Pages},
		{"pages", "retrieval_queue", r.Queue},
		{userKnowledge, "retrieved_user_knowledge", r.User},
		{userKnowledge, "long_term_knowledge", r.LongTerm},
		{assistantKnowledge, "retrieved_assistant_knowledge", r.Assistant},
	} {
		if list.json == nil {
			continue
		}
		ids := []string{}
		for _, e := range m.elements(v.member(list.member, list.json)) {
			var id string
			ok := true
			if list.kind == "pages" {
				id, ok = m.hitPage(e)
			} else {
				id, _, ok = m.readKnowledge(list.kind, e)
			}
			if ok {
				ids = append(ids, m.hit(id, scope, e))
			}
		}
		lists = append(lists, tiaptest.List{Name: list.kind, IDs: ids})
	}
	if lists == nil {
		m.wrong(v, `there is no "retrieved_pages"`, "log what retrieve_context or search_sessions gives")
	}
	return lists
}

// searched reads what search_sessions gives.
func (m *memoryOS) searched(v value, scope string) []tiaptest.List {
	sessions, pages := []string{}, []string{}
	for _, e := range m.elements(v) {
		var s struct {
			ID    string          `json:"session_id"`
			Pages json.RawMessage `json:"matched_pages"`
		}
		if !m.decode(e, &s) {
			continue
		}
		if s.ID == "" {
			m.wrong(e, `the session has no "session_id"`, "log what search_sessions gives, whole")
			continue
		}
		sessions = append(sessions, m.hit(s.ID, scope, e))
		for _, match := range m.elements(e.member("matched_pages", s.Pages)) {
			var p struct {
				Data json.RawMessage `json:"page_data"`
			}
			if !m.decode(match, &p) {
				continue
			}
			if id, ok := m.hitPage(match.member("page_data", p.Data)); ok {
				pages = append(pages, m.hit(id, scope, match))
			}
		}
	}
	return []tiaptest.List{{Name: "sessions", IDs: sessions}, {Name: "pages", IDs: pages}}
}

// hitPage returns the id of a page.
func (m *memoryOS) hitPage(v value) (id string, ok bool) {
	if v.absent() {
		m.wrong(v, "there is no page", "log what MemoryOS gives, whole")
		return "", false
	}
	p, _, ok := m.readPage(v)
	return p.ID, ok
}

// hit returns the id in the store of what a query about a conversation was
// answered with.
func (m *memoryOS) hit(id, scope string, v value) string {
	full := m.named[id]
	if own := scope + "/" + id; len(full) != 1 && slices.Contains(full, own) {
		return own
	}
	switch len(full) {
	case 0:
		return id
	case 1:
		return full[0]
	}
	m.wrong(v, fmt.Sprintf("%q can be %s", id, strings.Join(full, " or ")), "give the query the user as its scope")
	return id
}
