package memsys

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of [Graphiti].
const (
	noteEpisodeBySource = "episode's turn named in its metadata"
	noteEpisodeByName   = "episode's turn named by its name"
	noteEpisodeAlone    = "episode of no turn"
	noteEpisodeTwice    = "episode named twice by one memory"
	noteEpisodeDangling = "episode that is not in the store"
	noteEpisodeNoUUID   = "entry among episodes that is no uuid"
	noteMemberDangling  = "member that is not in the store"
	noteRankShared      = "selection_rank not on every hit, or twice"
	noteListScores      = "scores of several rerankers left out"
)

// Graphiti reads a graph of Graphiti or Zep and what its searches answered.
//
// Store takes exports: JSON objects with any of the arrays episodes, edges, nodes,
// episodic_edges (MENTIONS), communities, community_edges (HAS_MEMBER), sagas,
// has_episode_edges, observations and thread_summaries, of the objects as Graphiti
// and Zep serialise them; several files are one store.
//
// Search, optional, takes search logs. An answer is what search_ gives (edges, nodes,
// episodes, communities), what search or the REST and MCP servers give (an array of
// edges, or facts), or what Zep's cloud gives (edges, nodes, episodes,
// observations, thread_summaries). Only the uuid of a hit counts; what it is and
// descends from is in the store.
//
// Memories have their uuid as id, behind what they are, since one ranking mixes
// them: ep:, edge:, node:, community:, saga:, obs: or thread:.
//
//   - An episode has the form raw. Its turns are those that episode_metadata.source_id
//     names (metadata.source_id in the cloud), exactly one or, as a container, several;
//     without it, the turn of its name within its group.
//   - An edge descends from the episodes that it lists, as a set; so does an
//     observation or a summary of a thread by its episode_ids. An edge that is
//     invalidated or expired stays, as superseded.
//   - The summary of a node descends from all episodes that mention the node, as
//     container, since it is not recorded which of them it was made of.
//   - A community descends from its members, a saga from its episodes.
//
// An answer with one list is a ranking; with several it has lists that
// [tiaptest.Merge] joins, unless every hit has a selection_rank of its own, which
// ranks them all. Scores of lists come from different rerankers and are left out.
// An answer {"error": ...} of the MCP server is a failed query.
//
// The kinds of notes: episode's turn named in its metadata, episode's turn named
// by its name, episode of no turn, episode named twice by one memory, episode that
// is not in the store, entry among episodes that is no uuid, member that is not in
// the store, memory without lineage, hit of a superseded memory, selection_rank not on every hit or twice,
// scores of several rerankers left out, and those of every search log.
func Graphiti(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("graphiti", []string{"store"}, []string{"search"}); err != nil {
		return nil, err
	}
	g := &graphiti{importer: newImporter(sc)}
	g.stored.in = g.importer
	g.store(f.Store)
	s := &tiaptest.System{
		Name:    "graphiti",
		Unit:    "fact on an edge, summary of a node, or episode",
		Lineage: "recorded at ingest: the episodes of an edge, the mentions of a node",
		Forms:   make(map[string]string),
	}
	for i := range g.stored.list {
		form := g.stored.list[i].Form
		s.Forms[form] = graphitiForms[form]
	}
	ingest := &tiaptest.Ingest{Memories: g.stored.list}
	s.Ingests = append(s.Ingests, ingest)
	g.answers(g.searchLogs(f.Search), func(a *answer) { g.answer(&ingest.Run, a) })
	g.whole(ingest, f)
	return g.done(s)
}

// graphitiKind is one kind of stored object.
type graphitiKind struct {
	list, prefix, form string
	scores             string // the list of scores beside it, if any
}

// graphitiKinds are the kinds that a search can find. Lists are named as in
// SearchResults.
var graphitiKinds = []graphitiKind{
	{"episodes", "ep:", "raw", "episode_reranker_scores"},
	{"edges", "edge:", "edge", "edge_reranker_scores"},
	{"nodes", "node:", "summary", "node_reranker_scores"},
	{"communities", "community:", "community", "community_reranker_scores"},
	{"sagas", "saga:", "saga", ""},
	{"observations", "obs:", "observation", ""},
	{"thread_summaries", "thread:", "thread summary", ""},
}

var graphitiForms = map[string]string{
	"raw":            "an episode: a message as it was added",
	"edge":           "a fact on an edge between two entities",
	"summary":        "the summary of an entity",
	"community":      "the summary of a community of entities",
	"saga":           "the summary of a chain of episodes",
	"observation":    "an observation that was derived from episodes",
	"thread summary": "the summary of a thread",
}

// graphitiItem is any stored object or hit.
type graphitiItem struct {
	UUID            string          `json:"uuid"`
	Name            string          `json:"name"`
	GroupID         string          `json:"group_id"`
	Content         string          `json:"content"`  // of an episode
	Fact            string          `json:"fact"`     // of an edge
	Summary         string          `json:"summary"`  // of the others
	Episodes        []string        `json:"episodes"` // of an edge
	EpisodeIDs      []string        `json:"episode_ids"`
	ValidAt         string          `json:"valid_at"`
	InvalidAt       string          `json:"invalid_at"`
	ExpiredAt       string          `json:"expired_at"`
	EpisodeMetadata graphitiSources `json:"episode_metadata"`
	Metadata        graphitiSources `json:"metadata"`
	Score           *float64        `json:"score"`
	SelectionRank   *int            `json:"selection_rank"`
}

// graphitiSources is what metadata says about turns.
type graphitiSources struct {
	SourceID names `json:"source_id"`
}

// graphitiEdge joins two objects: an episode and what it mentions, a community and
// its member, a saga and its episode.
type graphitiEdge struct {
	Source string `json:"source_node_uuid"`
	Target string `json:"target_node_uuid"`
}

// graphiti reads one export.
type graphiti struct {
	*importer
	stored memories
	holds  map[string][]tiaptest.Link // the turns of each episode, by uuid
}

// store reads the objects of the store. What they are made of comes in the order
// of kinds, so that files may stand in any order.
func (g *graphiti) store(files []string) {
	part := make(map[string][]value) // by name of the array
	g.documents(files, func(v value) {
		var lists map[string]json.RawMessage
		if !v.begins('{') || !g.decode(v, &lists) {
			g.wrong(v, "this is no export of a graph", graphitiExport)
			return
		}
		known := false
		for _, name := range graphitiLists {
			if list := v.member(name, lists[name]); !list.absent() {
				known = true
				part[name] = append(part[name], g.elements(list)...)
			}
		}
		if !known {
			g.wrong(v, "this is no export of a graph: it has none of "+strings.Join(graphitiLists, ", "), graphitiExport)
		}
	})
	g.holds = make(map[string][]tiaptest.Link)
	mentions := g.joined(part["episodic_edges"], true)
	members := g.joined(part["community_edges"], false)
	chains := g.joined(part["has_episode_edges"], false)
	for _, k := range graphitiKinds {
		for _, v := range part[k.list] {
			var it graphitiItem
			if !g.decode(v, &it) {
				continue
			}
			if it.UUID == "" {
				g.wrong(v, `there is no "uuid"`, `export "uuid" of every object`)
				continue
			}
			m := tiaptest.Memory{
				ID: k.prefix + it.UUID, Form: k.form, ValidFrom: it.ValidAt, ValidTo: it.InvalidAt,
				Text: cmp.Or(it.Content, it.Fact, it.Summary, it.Name),
			}
			if it.InvalidAt != "" || it.ExpiredAt != "" {
				m.Status = "superseded"
			}
			at := v.at() + ": " + m.ID
			switch k.list {
			case "episodes":
				m.Sources = g.episode(&it, at)
				g.holds[it.UUID] = m.Sources
			case "nodes":
				m.Sources = g.mentioned(mentions[it.UUID], at)
			case "communities":
				m.Parents = g.members("node:", members[it.UUID], at)
			case "sagas":
				m.Parents = g.episodes(chains[it.UUID], at)
			default:
				m.Parents = g.episodes(append(it.Episodes, it.EpisodeIDs...), at)
			}
			if k.list != "episodes" && len(m.Sources)+len(m.Parents) == 0 {
				g.tally.Add(noteNoLineage, at)
			}
			g.stored.add(v, m)
		}
	}
}

const graphitiExport = "export the graph as an object of arrays: episodes, edges, nodes, episodic_edges"

// graphitiLists are the arrays that an export may have.
var graphitiLists = func() []string {
	var out []string
	for _, k := range graphitiKinds {
		out = append(out, k.list)
	}
	return append(out, "episodic_edges", "community_edges", "has_episode_edges")
}()

// joined maps one end of edges to the other ends.
func (g *graphiti) joined(edges []value, reverse bool) map[string][]string {
	out := make(map[string][]string)
	for _, v := range edges {
		var e graphitiEdge
		if !g.decode(v, &e) {
			continue
		}
		if e.Source == "" || e.Target == "" {
			g.wrong(v, "the edge lacks an end", `export "source_node_uuid" and "target_node_uuid"`)
			continue
		}
		if reverse {
			e.Source, e.Target = e.Target, e.Source
		}
		out[e.Source] = append(out[e.Source], e.Target)
	}
	return out
}

// episode returns the turns that an episode holds.
func (g *graphiti) episode(it *graphitiItem, at string) []tiaptest.Link {
	sources := it.EpisodeMetadata.SourceID
	if len(sources) == 0 {
		sources = it.Metadata.SourceID
	}
	if len(sources) > 0 {
		precision := ""
		if len(sources) > 1 {
			precision = "container"
		}
		links := g.links(sources, precision, at)
		if len(links) > 0 {
			g.tally.Add(noteEpisodeBySource, at)
		} else {
			g.tally.Add(noteEpisodeAlone, at)
		}
		return links
	}
	for _, name := range []string{it.GroupID + "/" + it.Name, it.Name} {
		if g.turns[name] {
			g.tally.Add(noteEpisodeByName, at)
			return []tiaptest.Link{{Turn: name}}
		}
	}
	g.tally.Add(noteEpisodeAlone, at)
	return nil
}

// episodes returns the ids of episodes, each once: those in the store.
func (g *graphiti) episodes(uuids []string, at string) []string {
	var out []string
	named := make(map[string]bool, len(uuids))
	for _, uuid := range uuids {
		_, stored := g.holds[uuid]
		switch {
		case !stored && !isUUID(uuid):
			g.tally.Add(noteEpisodeNoUUID, fmt.Sprintf("%s: %q", at, uuid))
		case !stored:
			g.tally.Add(noteEpisodeDangling, at+": "+uuid)
		case named[uuid]:
			g.tally.Add(noteEpisodeTwice, at+": "+uuid)
		default:
			named[uuid] = true
			out = append(out, "ep:"+uuid)
		}
	}
	return out
}

// mentioned returns the turns of the episodes that mention a node.
func (g *graphiti) mentioned(uuids []string, at string) []tiaptest.Link {
	var out []tiaptest.Link
	linked := make(map[string]bool)
	for _, id := range g.episodes(uuids, at) {
		for _, l := range g.holds[strings.TrimPrefix(id, "ep:")] {
			if !linked[l.Turn] {
				linked[l.Turn] = true
				out = append(out, tiaptest.Link{Turn: l.Turn, Precision: "container"})
			}
		}
	}
	return out
}

// members returns the ids of members that are in the store.
func (g *graphiti) members(prefix string, uuids []string, at string) []string {
	var out []string
	for _, uuid := range uuids {
		switch id := prefix + uuid; {
		case !g.stored.has(id):
			g.tally.Add(noteMemberDangling, at+": "+uuid)
		case !slices.Contains(out, id):
			out = append(out, id)
		}
	}
	return out
}

// isUUID reports whether s has the shape of a uuid.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

// searchLogs leaves out, as faults, the files that Zep published for LoCoMo.
func (g *graphiti) searchLogs(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		if isSearchLog(file) {
			return false
		}
		text, err := read(file)
		if err != nil {
			return false
		}
		var users map[string][]struct {
			Context *string `json:"context"`
		}
		if json.Unmarshal(text, &users) != nil {
			return false
		}
		for user, answers := range users {
			if len(answers) > 0 && answers[0].Context != nil {
				g.faults.Add(file, 0, fmt.Sprintf("the answers under %q are text (\"context\"), without ids and without their queries", user), graphitiContext)
				return true
			}
		}
		return false
	})
}

const graphitiContext = `an exporter must add the "uuid" of each hit; in the cloud, ask with return_raw_results and log edges, nodes and episodes`

// answer adds what a search found.
func (g *graphiti) answer(run *tiaptest.Run, a *answer) {
	if a.failed != "" {
		g.rank(run, a, tiaptest.Ranking{}, g.stored.has)
		return
	}
	v := a.given()
	if v.begins('[') {
		if hits, ok := g.hits(graphitiKinds[1], v, value{}); ok {
			g.flat(run, a, hits)
		}
		return
	}
	var members map[string]json.RawMessage
	if !v.begins('{') || !g.decode(v, &members) {
		g.fault(a, "the answer is no object and no array", `log what the search gave; write "error" for a query that failed`)
		return
	}
	var all []graphitiHit
	var lists []tiaptest.List
	known, ok := false, true
	for _, k := range graphitiKinds {
		list := v.member(k.list, members[k.list])
		if k.list == "edges" && list.absent() {
			list = v.member("facts", members["facts"])
		}
		if list.absent() {
			continue
		}
		known = true
		hits, fine := g.hits(k, list, v.member(k.scores, members[k.scores]))
		ok = ok && fine
		if len(hits) > 0 {
			all = append(all, hits...)
			lists = append(lists, tiaptest.List{Name: k.list, IDs: ids(hits)})
		}
	}
	switch {
	case !ok:
	case known && (g.selected(all, a) || len(lists) < 2):
		g.flat(run, a, all)
	case known:
		g.stored.stale(tiaptest.Ranking{Lists: lists}, a.at())
		if slices.ContainsFunc(all, func(h graphitiHit) bool { return h.score != nil }) {
			g.tally.Add(noteListScores, a.at())
		}
		g.rank(run, a, tiaptest.Ranking{Lists: lists}, g.stored.has)
	default:
		g.textOnly(run, a, v, members)
	}
}

// textOnly deals with an answer that has no lists.
func (g *graphiti) textOnly(run *tiaptest.Run, a *answer, v value, members map[string]json.RawMessage) {
	var failure string
	switch {
	case json.Unmarshal(members["error"], &failure) == nil && failure != "":
		a.failed = failure
		g.rank(run, a, tiaptest.Ranking{}, g.stored.has)
	case !v.member("context", members["context"]).absent():
		g.fault(a, `the answer is text ("context"), without ids`, graphitiContext)
	default:
		g.fault(a, "the answer has no edges, nodes, episodes or facts", "log what the search gave, whole")
	}
}

// graphitiHit is a hit with what ranks it.
type graphitiHit struct {
	id    string
	kind  string
	score *float64
	rank  *int
}

func ids(hits []graphitiHit) []string {
	out := make([]string, len(hits))
	for i := range hits {
		out[i] = hits[i].id
	}
	return out
}

// hits reads a list of hits of one kind, with the scores that stand beside it.
func (g *graphiti) hits(k graphitiKind, list, scores value) (out []graphitiHit, ok bool) {
	if !list.begins('[') {
		g.wrong(list, "this is no array", "log what the search gave, whole")
		return nil, false
	}
	ok = true
	var beside []*float64
	if !scores.absent() && !g.decode(scores, &beside) {
		return nil, false
	}
	for _, v := range g.elements(list) {
		var it graphitiItem
		switch {
		case v.begins('"'):
			g.wrong(v, "the hit is text", graphitiContext)
			ok = false
		case !g.decode(v, &it):
			ok = false
		case it.UUID == "":
			g.wrong(v, `the hit has no "uuid"`, graphitiContext)
			ok = false
		default:
			out = append(out, graphitiHit{k.prefix + it.UUID, k.list, it.Score, it.SelectionRank})
		}
	}
	if ok && len(beside) > 0 {
		if len(beside) != len(out) {
			g.wrong(scores, fmt.Sprintf("%d scores beside %d hits", len(beside), len(out)), "log what the search gave, whole")
			return nil, false
		}
		for i := range out {
			out[i].score = beside[i]
		}
	}
	return out, ok
}

// selected orders the hits of several lists by their selection_rank, and reports
// whether each has one of its own.
func (g *graphiti) selected(hits []graphitiHit, a *answer) bool {
	taken := make(map[int]bool)
	for _, h := range hits {
		if h.rank != nil {
			taken[*h.rank] = true
		}
	}
	if len(taken) == len(hits) {
		slices.SortStableFunc(hits, func(a, b graphitiHit) int { return cmp.Compare(*a.rank, *b.rank) })
		return true
	}
	if len(taken) > 0 {
		g.tally.Add(noteRankShared, a.at())
	}
	return false
}

// flat adds a single list of hits, with scores where all are of one kind and have
// one.
func (g *graphiti) flat(run *tiaptest.Run, a *answer, hits []graphitiHit) {
	k := tiaptest.Ranking{IDs: ids(hits)}
	g.stored.stale(k, a.at())
	for _, h := range hits {
		if h.score != nil && h.kind == hits[0].kind {
			k.Scores = append(k.Scores, *h.score)
		}
	}
	if n := len(k.Scores); n > 0 && n < len(hits) {
		k.Scores = nil
		g.tally.Add(noteListScores, a.at())
	}
	g.rank(run, a, k, g.stored.has)
}
