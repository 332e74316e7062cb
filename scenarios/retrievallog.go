package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
)

// RetrievalLog reads a log of LongMemEval's own retrieval (run_retrieval.py, as in
// retrievallog_turn_flat-bm25.jsonl) as a system over the scenario of the file that
// it was made from. A line is an instance with its ranking, which is complete and
// has no scores. The only option is [Progress].
//
// The level is that of the run. At level turn the memories are the user turns, all
// that upstream indexes, by their ids. At level session they are the sessions, as
// the user turns in them: raw memories whose links to these turns have the
// precision container.
//
// Upstream names a turn <session id>_<i> with i from 1 over all turns of its
// session, and writes noans for answer in the name of what is no evidence; here the
// haystack in each line leads back to positions. Kinds of notes, for each ranked
// item:
//
//	id of a repeated session  its session id stands twice in the haystack; the date tells which is meant
//	id ambiguous              the date does not tell; the first that is not ranked yet is taken
//	id repeated               what it stands for is ranked before and keeps its rank, as with the index
//	                          expansion separate, which names summaries and facts by their source
//
// Upstream's nDCG is another metric than [tiaptest.NDCG]: it weighs ranks 1 and 2
// by 1 and rank r by 1/log2(r) from then on, where the standard one weighs rank r
// by 1/log2(r+1). Its gold is told by the word answer in ids. Numbers in the log
// are not read.
func RetrievalLog(file string, s *tiaptest.Scenario, level string, opts ...Option) (*tiaptest.System, []Note, error) {
	set, err := newSettings("a retrieval log", opts)
	switch {
	case err != nil:
		return nil, nil, err
	case set.strict || set.overlay != nil || set.headline != "" || set.ranked != nil:
		return nil, nil, errors.New("a retrieval log takes no option but Progress; give the others to what reads the benchmark")
	case level != goldTurn && level != goldSession:
		return nil, nil, fmt.Errorf("unknown level %q of a retrieval log; use turn or session", level)
	}
	r := logReader{settings: set, file: file, level: level, sessions: make(map[string]logSession), held: make(map[string]bool)}
	ingest := &tiaptest.Ingest{}
	r.index(s, ingest)
	if len(ingest.Memories) == 0 {
		return nil, nil, errors.New("the scenario has no turns to be ranked; give it those of the benchmark")
	}
	err = set.readFiles([]string{file}, func(file string, text io.Reader) error {
		return lines.Parse(text, parseLog, func(found []loggedLine) error {
			for i := range found {
				r.add(&found[i], &ingest.Run)
			}
			return nil
		})
	})
	if err == nil && ingest.Run.Len() == 0 && r.faults.Len() == 0 {
		r.faults.Add(file, 0, "the log is empty", "name a file with one instance and its ranking a line")
	}
	if err := errors.Join(r.faults.Err(), err); err != nil {
		return nil, nil, err
	}
	system := &tiaptest.System{
		Name:    strings.TrimPrefix(lines.Stem(file), "retrievallog_"),
		Unit:    "user turn",
		Lineage: "positions that the ids of the retrieval log name",
		Forms:   map[string]string{"raw": "user turn"},
		Ingests: []*tiaptest.Ingest{ingest},
	}
	if level == goldSession {
		system.Unit = "session"
		system.Forms["raw"] = "user turns of a session"
	}
	system.Config, err = json.Marshal(map[string]string{"retrieval_log_sha256": set.summary.SHA256})
	return system, notes(&set.tally), err
}

// logInstance is a line of a retrieval log, as far as it is needed.
type logInstance struct {
	ID         string   `json:"question_id"`
	SessionIDs []string `json:"haystack_session_ids"`
	Dates      []string `json:"haystack_dates"`
	Sessions   [][]struct {
		Role string `json:"role"`
	} `json:"haystack_sessions"`
	Results *struct {
		Items *[]struct {
			ID   string `json:"corpus_id"`
			Date string `json:"timestamp"`
		} `json:"ranked_items"`
	} `json:"retrieval_results"`
}

type loggedLine struct {
	line  int
	in    logInstance
	id    string // as far as it can be read
	fault *problem.Problem
}

func parseLog(b lines.Block) (found []loggedLine) {
	for n, text := range b.All() {
		l := loggedLine{line: n}
		l.fault = jsonl.Decode(text, &l.in)
		l.id = l.in.ID
		if l.fault != nil {
			l.id = idOf(text)
		}
		found = append(found, l)
	}
	return found
}

type logReader struct {
	*settings
	file     string
	level    string
	queries  map[string]bool
	sessions map[string]logSession // of the scenario, by name
	held     map[string]bool       // names of memories
	faults   problem.List
}

type logSession struct {
	turns int
	time  string
}

// index makes the store that upstream's index of a scenario is.
func (r *logReader) index(s *tiaptest.Scenario, ingest *tiaptest.Ingest) {
	r.queries = make(map[string]bool, len(s.Queries))
	for i := range s.Queries {
		r.queries[s.Queries[i].ID] = true
	}
	last := ""
	for _, t := range s.Turns {
		session := r.sessions[t.Session]
		r.sessions[t.Session] = logSession{session.turns + 1, t.Time}
		if r.level == goldSession && t.Session != last {
			last = t.Session
			ingest.Memories = append(ingest.Memories, tiaptest.Memory{ID: t.Session, Form: "raw"})
		}
		if t.Speaker != "user" {
			continue
		}
		if r.level == goldTurn {
			ingest.Memories = append(ingest.Memories, tiaptest.Memory{ID: t.ID, Form: "raw", Sources: []tiaptest.Link{{Turn: t.ID}}, Text: t.Text})
			continue
		}
		m := &ingest.Memories[len(ingest.Memories)-1]
		if len(m.Sources) > 0 {
			m.Text += " "
		}
		m.Text += t.Text
		m.Sources = append(m.Sources, tiaptest.Link{Turn: t.ID, Precision: "container"})
	}
	for i := range ingest.Memories {
		r.held[ingest.Memories[i].ID] = true
	}
}

// add adds the ranking of a line to a run.
func (r *logReader) add(l *loggedLine, run *tiaptest.Run) {
	fault := l.fault
	if fault == nil {
		fault = r.check(&l.in)
	}
	var ids []string
	if fault == nil {
		ids, fault = r.ids(&l.in, fmt.Sprintf("line %d (%s)", l.line, l.id))
	}
	if fault == nil {
		if err := run.Add(tiaptest.Ranking{Query: l.in.ID, IDs: ids}); err != nil {
			fault = &problem.Problem{What: err.Error()}
		}
	}
	if fault != nil {
		r.faults.Add(r.file, l.line, fmt.Sprintf("question_id %q: %s", l.id, fault.What), fault.Mend)
	}
}

const otherBenchmark = "give the scenario of the file that the log was made from"

// check says in what an instance differs from the scenario.
func (r *logReader) check(in *logInstance) *problem.Problem {
	switch {
	case in.ID == "":
		return &problem.Problem{What: "question_id is missing or empty", Mend: "name a retrieval log, with one instance and its ranking a line"}
	case in.Results == nil || in.Results.Items == nil:
		return &problem.Problem{What: "retrieval_results has no ranked_items", Mend: "name a retrieval log, with one instance and its ranking a line"}
	case !r.queries[in.ID]:
		return &problem.Problem{What: "the scenario has no such question", Mend: otherBenchmark}
	case len(in.SessionIDs) != len(in.Sessions) || len(in.Dates) != len(in.Sessions):
		return &problem.Problem{
			What: fmt.Sprintf("haystack_sessions has %d elements, haystack_session_ids %d and haystack_dates %d", len(in.Sessions), len(in.SessionIDs), len(in.Dates)),
			Mend: "the three are joined by position; give each session an id and a date",
		}
	}
	for pos, turns := range in.Sessions {
		date, _ := hayTime(in.Dates[pos])
		got := logSession{len(turns), date}
		if want := r.sessions[haySession(in.ID, pos)]; got != want && len(turns) > 0 {
			return &problem.Problem{
				What: fmt.Sprintf("session %d has %d turns at %q, in the scenario %d at %q", pos+1, got.turns, got.time, want.turns, want.time),
				Mend: otherBenchmark,
			}
		}
	}
	if _, more := r.sessions[haySession(in.ID, len(in.Sessions))]; more {
		return &problem.Problem{What: fmt.Sprintf("the haystack has %d sessions, in the scenario more", len(in.Sessions)), Mend: otherBenchmark}
	}
	return nil
}

// ids translates the ranking of a line.
func (r *logReader) ids(in *logInstance, here string) ([]string, *problem.Problem) {
	named := make(map[string][]int) // what an id may stand for, as indexes of memories
	var memories, dates []string
	name := func(id, memory, date string) {
		if !r.held[memory] {
			return
		}
		named[id] = append(named[id], len(memories))
		if noans := strings.ReplaceAll(id, "answer", "noans"); noans != id {
			named[noans] = append(named[noans], len(memories))
		}
		memories, dates = append(memories, memory), append(dates, date)
	}
	for pos, turns := range in.Sessions {
		id := in.SessionIDs[pos]
		if r.level == goldSession {
			name(id, haySession(in.ID, pos), in.Dates[pos])
			continue
		}
		for i := range turns {
			name(fmt.Sprintf("%s_%d", id, i+1), hayTurn(in.ID, pos, i), in.Dates[pos])
		}
	}

	items := *in.Results.Items
	ids := make([]string, 0, len(items))
	ranked := make(map[int]bool, len(items))
	for i, item := range items {
		found := named[item.ID]
		if len(found) == 0 {
			return nil, &problem.Problem{
				What: fmt.Sprintf("ranked item %d, %q, is nothing that the haystack has at level %s", i+1, item.ID, r.level),
				Mend: "read the log at the level of its run, turn or session",
			}
		}
		if len(found) > 1 {
			var dated []int
			for _, m := range found {
				if dates[m] == item.Date {
					dated = append(dated, m)
				}
			}
			if len(dated) == 1 {
				r.tally.Add("id of a repeated session", here)
				found = dated
			} else {
				r.tally.Add("id ambiguous", here)
			}
		}
		for len(found) > 0 && ranked[found[0]] {
			found = found[1:]
		}
		if len(found) == 0 {
			r.tally.Add("id repeated", here)
			continue
		}
		ranked[found[0]] = true
		ids = append(ids, memories[found[0]])
	}
	return ids, nil
}
