package memsys

import (
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Letta reads the archival memory of a Letta agent and what its search answered.
//
// Store takes passages {id, text, created_at, tags, is_deleted}: an array, an object
// with one under passages, or one a line in a .jsonl file. Search, optional, takes
// search logs whose answers are arrays of {id, timestamp, content, tags, relevance},
// best first, or objects with one under results. Log, optional, takes a lineage log
// (see the package documentation), for passages without tags.
//
// Passages are written by the agent's own tool calls, so that Letta itself knows no
// source. By convention a tag src:<turn> names one. A passage with several descends
// from all of them, as a batch. A deleted passage stays, as deleted.
//
// The score of a hit is its relevance.rrf_score.
//
// The kinds of notes: hit of a deleted memory; line of the log about no stored
// memory; memory without lineage; scores left out, since some hits have none; and
// those of every search log.
func Letta(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("letta", []string{"store"}, []string{"search", "log"}); err != nil {
		return nil, err
	}
	in := newImporter(sc)
	stored := memories{in: in}
	in.items(f.Store, []string{"passages"}, func(v value) {
		var p struct {
			ID        string   `json:"id"`
			Text      string   `json:"text"`
			CreatedAt string   `json:"created_at"`
			Tags      []string `json:"tags"`
			Deleted   bool     `json:"is_deleted"`
		}
		if !in.decode(v, &p) {
			return
		}
		if p.ID == "" {
			in.wrong(v, `there is no "id"`, lettaID)
			return
		}
		m := tiaptest.Memory{ID: p.ID, Form: "passage", Text: p.Text, ValidFrom: p.CreatedAt}
		if p.Deleted {
			m.Status = "deleted"
		}
		var sources []string
		for _, tag := range p.Tags {
			if turn, ok := strings.CutPrefix(tag, "src:"); ok {
				sources = append(sources, turn)
			}
		}
		m.Sources = in.links(sources, batch(len(sources)), v.at())
		stored.add(v, m)
	})
	stored.logged(in.lineageLog(f.Log), f.Log)
	ingest := &tiaptest.Ingest{Memories: stored.list}
	in.answers(f.Search, func(a *answer) {
		k, ok := in.found(a, a.given(), []string{"results"}, func(v value) (foundHit, bool) {
			var h struct {
				ID        string `json:"id"`
				Relevance struct {
					Score *float64 `json:"rrf_score"`
				} `json:"relevance"`
			}
			if !in.decode(v, &h) {
				return foundHit{}, false
			}
			if h.ID == "" {
				in.wrong(v, `the hit has no "id"`, lettaID)
			}
			return foundHit{h.ID, h.Relevance.Score}, h.ID != ""
		})
		if ok {
			stored.stale(k, a.at())
			in.rank(&ingest.Run, a, k, stored.has)
		}
	})
	in.whole(ingest, f)
	return in.done(&tiaptest.System{
		Name: "letta", Unit: "archival passage",
		Lineage: "tags src:<turn> of the passages, or a log kept at ingest",
		Forms:   map[string]string{"passage": "a passage that the agent wrote"},
		Ingests: []*tiaptest.Ingest{ingest},
	})
}

const lettaID = `an exporter must add "id", as passage-<uuid>`
