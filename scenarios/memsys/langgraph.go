package memsys

import (
	"encoding/json"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// noteValueSources is a kind of note of [LangGraph].
const noteValueSources = "source_ids in the value, which an update loses"

// LangGraph reads the items of a LangGraph store, as LangMem fills it, and what its
// search answered.
//
// Store takes items {namespace, key, value, created_at, updated_at}: an array, an
// object with one under items, or one a line in a .jsonl file. Search, optional, takes
// search logs whose answers are arrays of such items, best first; a score may be null.
// Log, optional, takes a lineage log (see the package documentation).
//
// A memory has the id of its item: namespace and key joined by slashes, as in
// memories/conv-90/<key>; a slash or a percent sign within a part is written %2F or
// %25. Its form is the kind in the value, or memory; its text is the content.
//
// A memory descends from the turns that the log names and from source_ids in its
// value. The store itself keeps no lineage: the manager of LangMem puts kind and
// content alone, so that source_ids are lost at the first update of an item, and an
// item that has them may be missing some. Items that were removed are gone.
//
// The kinds of notes: source_ids in the value, which an update loses; line of the
// log about no stored memory; memory without lineage; scores left out, since some
// hits have none; and those of every search log.
func LangGraph(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("langgraph", []string{"store"}, []string{"search", "log"}); err != nil {
		return nil, err
	}
	in := newImporter(sc)
	s := &tiaptest.System{
		Name: "langgraph", Unit: "item of the store",
		Lineage: "a log kept at ingest, and source_ids in values",
		Forms:   make(map[string]string),
	}
	stored := memories{in: in}
	in.items(f.Store, []string{"items"}, func(v value) {
		it, ok := in.langGraphItem(v)
		if !ok {
			return
		}
		m := tiaptest.Memory{ID: it.id(), Form: it.Value.form(), Text: it.Value.text(), ValidFrom: it.CreatedAt}
		if sources := it.Value.Sources; len(sources) > 0 {
			in.tally.Add(noteValueSources, v.at())
			m.Sources = in.links(sources, batch(len(sources)), v.at())
		}
		s.Forms[m.Form] = "an item of the kind " + m.Form
		stored.add(v, m)
	})
	stored.logged(in.lineageLog(f.Log), f.Log)
	ingest := &tiaptest.Ingest{Memories: stored.list}
	s.Ingests = append(s.Ingests, ingest)
	in.answers(f.Search, func(a *answer) {
		k, ok := in.found(a, a.given(), []string{"items"}, func(v value) (foundHit, bool) {
			it, ok := in.langGraphItem(v)
			return foundHit{it.id(), it.Score}, ok
		})
		if ok {
			in.rank(&ingest.Run, a, k, stored.has)
		}
	})
	in.whole(ingest, f)
	return in.done(s)
}

// langGraphItem is an item of the store, or a hit.
type langGraphItem struct {
	Namespace []string       `json:"namespace"`
	Key       string         `json:"key"`
	Value     langGraphValue `json:"value"`
	CreatedAt string         `json:"created_at"`
	Score     *float64       `json:"score"`
}

type langGraphValue struct {
	Kind    string          `json:"kind"`
	Content json.RawMessage `json:"content"` // text, or an object of the schema
	Sources names           `json:"source_ids"`
}

func (in *importer) langGraphItem(v value) (it langGraphItem, ok bool) {
	if !in.decode(v, &it) {
		return it, false
	}
	if len(it.Namespace) == 0 || it.Key == "" {
		in.wrong(v, `there is no "namespace" or no "key"`, "an exporter must add both: a key is unique only within its namespace")
		return it, false
	}
	return it, true
}

// id joins namespace and key, so that no two items have the same id.
func (it *langGraphItem) id() string {
	escape := strings.NewReplacer("%", "%25", "/", "%2F")
	var b strings.Builder
	for _, part := range it.Namespace {
		escape.WriteString(&b, part)
		b.WriteByte('/')
	}
	escape.WriteString(&b, it.Key)
	return b.String()
}

// form is the kind of a value. Raw is a form of original turns, which a schema of
// that name is not.
func (v *langGraphValue) form() string {
	if v.Kind == "" || strings.EqualFold(v.Kind, "raw") {
		return "memory"
	}
	return v.Kind
}

// text is the content: text, or the content within an object, or the object.
func (v *langGraphValue) text() string {
	var inner struct {
		Content *string `json:"content"`
	}
	if json.Unmarshal(v.Content, &inner) == nil && inner.Content != nil {
		return *inner.Content
	}
	return plainText(v.Content)
}
