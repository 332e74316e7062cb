package synth

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func (g *generator) writeBundle() error {
	const scenario = `{"schema":"tiap.scenario/v1","name":"synth","unit":"turn","headline":"canonical"}` + "\n"
	if err := os.WriteFile(filepath.Join(g.dir, "scenario.json"), []byte(scenario), 0o644); err != nil {
		return err
	}
	if err := g.writeQueries(); err != nil {
		return err
	}
	if !g.bare() {
		if err := g.writeTurns(); err != nil {
			return err
		}
	}
	for system := range g.Systems {
		if err := g.writeSystem(system); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) writeQueries() error {
	f, err := g.create("queries.jsonl")
	if err != nil {
		return err
	}
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		for n, q := range c.questions {
			rng := g.draw(forQueryText, i, n)
			line = append(line[:0], `{"id":"`...)
			line = append(line, q.id...)
			line = append(line, `","scope":"`...)
			line = append(line, c.id...)
			if !g.bare() {
				line = append(line, `","time":"`...)
				line = appendTime(line, len(c.turns)+n)
				line = append(line, `","text":"`...)
				line = appendQuestion(line, rng)
			}
			line = append(line, `","category":"`...)
			line = append(line, category(q)...)
			if !g.bare() {
				line = append(line, `","answer":"`...)
				line = appendThing(line, rng)
			}
			line = append(line, `","evidence":[`...)
			for j, unit := range q.units {
				if j > 0 {
					line = append(line, ',')
				}
				if len(unit) == 1 {
					line = appendString(line, c.turns[unit[0]])
					continue
				}
				line = append(line, `{"id":"u`...)
				line = strconv.AppendInt(line, int64(j), 10)
				line = append(line, `","turns":[`...)
				for k, t := range unit {
					if k > 0 {
						line = append(line, ',')
					}
					line = appendString(line, c.turns[t])
				}
				line = append(line, "]}"...)
			}
			line = append(line, "]}\n"...)
			f.Write(line)
		}
	}
	return f.close()
}

func (g *generator) writeTurns() error {
	f, err := g.create("turns.jsonl")
	if err != nil {
		return err
	}
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		for t, id := range c.turns {
			line = append(line[:0], `{"id":"`...)
			line = append(line, id...)
			line = append(line, `","session":"`...)
			line = append(line, session(t)...)
			line = append(line, `","speaker":"speaker-`...)
			line = append(line, '1'+byte(t%2))
			line = append(line, `","time":"`...)
			line = appendTime(line, t)
			line = append(line, `","text":"`...)
			line = g.appendTurnText(line, i, t)
			line = append(line, "\"}\n"...)
			f.Write(line)
		}
	}
	return f.close()
}

func (g *generator) writeSystem(system int) error {
	folder := "systems/" + systemName(system)
	path := filepath.Join(g.dir, filepath.FromSlash(folder))
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	description := fmt.Sprintf(`{"name":%q,"family":"density","unit":"memory","lineage":"recorded at ingest",`+
		`"forms":{"raw":"a turn as it was said","fact":"one statement of a turn","event":"a few turns in a row","observation":"facts of several turns","summary":"observations and an event of a session"},`+
		`"config":{"parser_max_facts":%d,"seed":%d}}`+"\n",
		systemName(system), density(system), g.Seed)
	if err := os.WriteFile(filepath.Join(path, "system.json"), []byte(description), 0o644); err != nil {
		return err
	}
	if err := g.writeStore(folder, system); err != nil {
		return err
	}
	return g.writeRun(folder, system)
}

func (g *generator) writeStore(folder string, system int) error {
	f, err := g.create(folder + "/store.jsonl")
	if err != nil {
		return err
	}
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		for n := range c.memories {
			if c.memories[n].ordinal < density(system) {
				line = g.appendMemory(line[:0], c, n)
				f.Write(line)
			}
		}
	}
	return f.close()
}

func (g *generator) appendMemory(line []byte, c *conversation, n int) []byte {
	m := &c.memories[n]
	line = append(line, `{"id":"`...)
	line = append(line, m.id...)
	line = append(line, `","form":"`...)
	line = append(line, formNames[m.form]...)
	line = append(line, '"')
	if len(m.sources) > 0 {
		line = append(line, `,"sources":[`...)
		for j, t := range m.sources {
			if j > 0 {
				line = append(line, ',')
			}
			if !m.batch {
				line = appendString(line, c.turns[t])
				continue
			}
			line = append(line, `{"turn":`...)
			line = appendString(line, c.turns[t])
			line = append(line, `,"precision":"batch","origin":"recorded"}`...)
		}
		line = append(line, ']')
	}
	if len(m.parents) > 0 {
		line = append(line, `,"parents":[`...)
		for j, p := range m.parents {
			if j > 0 {
				line = append(line, ',')
			}
			line = appendString(line, c.memories[p].id)
		}
		line = append(line, ']')
	}
	if m.hidden {
		line = append(line, `,"serving":false`...)
	}
	if g.bare() {
		if m.superseded {
			line = append(line, `,"status":"superseded"`...)
		}
		return append(line, "}\n"...)
	}
	line = append(line, `,"valid_from":"`...)
	last := int(m.turns[len(m.turns)-1])
	line = appendTime(line, last)
	if m.superseded {
		line = append(line, `","status":"superseded","valid_to":"`...)
		line = appendTime(line, last+turnsPerSession)
	}
	line = append(line, `","text":"`...)
	if m.form == raw {
		line = g.appendTurnText(line, c.index, int(m.sources[0]))
	} else {
		line = appendSentences(line, g.draw(forMemoryText, c.index, n), 1+len(m.parents)/2)
	}
	return append(line, "\"}\n"...)
}

func (g *generator) writeRun(folder string, system int) error {
	f, err := g.create(folder + "/run.jsonl")
	if err != nil {
		return err
	}
	var r ranker
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		r.start(g, c, system)
		for n, q := range c.questions {
			hits := r.rank(n)
			line = append(line[:0], `{"query":"`...)
			line = append(line, q.id...)
			line = append(line, `","ranking":[`...)
			for j, h := range hits {
				if j > 0 {
					line = append(line, ',')
				}
				line = appendString(line, h.id)
			}
			if g.Shape != IDs {
				line = append(line, `],"scores":[`...)
				for j, h := range hits {
					if j > 0 {
						line = append(line, ',')
					}
					line = appendScore(line, h.score)
				}
			}
			line = append(line, `],"k":`...)
			line = strconv.AppendInt(line, int64(g.Depth), 10)
			line = append(line, "}\n"...)
			f.Write(line)
		}
	}
	return f.close()
}

// appendString appends an id as a JSON string. No id needs escapes.
func appendString(dst []byte, id string) []byte {
	dst = append(dst, '"')
	dst = append(dst, id...)
	return append(dst, '"')
}

// appendTime appends the time of a turn: sessions are a week apart, turns a
// minute.
func appendTime(dst []byte, turn int) []byte {
	start := time.Date(2030, time.January, 7, 10, 0, 0, 0, time.UTC)
	t := start.AddDate(0, 0, 7*(turn/turnsPerSession)).Add(time.Duration(turn%turnsPerSession) * time.Minute)
	return t.AppendFormat(dst, time.RFC3339)
}

// appendTurnText appends what was said in a turn, which is also the text of its
// raw memory.
func (g *generator) appendTurnText(dst []byte, conversation, turn int) []byte {
	rng := g.draw(forTurnText, conversation, turn)
	return appendSentences(dst, rng, 1+rng.IntN(3))
}
