package synth

import "strconv"

// Keys and values are spaced as Python's json module spaces them, since that
// is how the published files were made. A line of the trace is then about 142
// bytes long, and 20,000 queries of depth 60 make some 171 MB.

func (g *generator) writeMTELMem() error {
	if err := g.writeRecords(); err != nil {
		return err
	}
	return g.writeTrace()
}

func (g *generator) writeRecords() error {
	f, err := g.create("records.jsonl")
	if err != nil {
		return err
	}
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		for n, q := range c.questions {
			rng := g.draw(forQueryText, i, n)
			line = append(line[:0], `{"benchmark": "synth", "query_id": "`...)
			line = append(line, q.id...)
			line = append(line, `", "source_fixture_id": "`...)
			line = append(line, c.fixtureID(q)...)
			line = append(line, `", "category": "`...)
			line = append(line, category(q)...)
			line = append(line, `", "query_text": "`...)
			line = appendQuestion(line, rng)
			line = append(line, `", "reference_answer": "`...)
			line = appendThing(line, rng)
			line = append(line, '"')
			for t := range numTargets {
				line = append(line, `, "`...)
				line = append(line, targetNames[t]...)
				line = append(line, `_ids": [`...)
				for j, id := range g.eligible(c, q, t) {
					if j > 0 {
						line = append(line, ", "...)
					}
					line = append(line, '"')
					line = append(line, id...)
					line = append(line, '"')
				}
				line = append(line, ']')
			}
			f.Write(append(line, "}\n"...))
		}
	}
	return f.close()
}

func (g *generator) writeTrace() error {
	f, err := g.create("trace.jsonl")
	if err != nil {
		return err
	}
	var r ranker
	var line []byte
	for system := range g.Systems {
		for i := range g.conversations() {
			c := g.conversation(i)
			r.start(g, c, system)
			for n, q := range c.questions {
				line = append(line[:0], `{"benchmark": "synth", "system": "`...)
				line = append(line, systemName(system)...)
				line = append(line, `", "query_id": "`...)
				line = append(line, q.id...)
				line = append(line, `", "retrieved_id": "`...)
				head := len(line)
				for j, h := range r.rank(n) {
					line = append(line[:head], h.id...)
					line = append(line, `", "rank": `...)
					line = strconv.AppendInt(line, int64(j+1), 10)
					line = append(line, `, "score": `...)
					line = appendScore(line, h.score)
					line = append(line, "}\n"...)
					f.Write(line)
				}
			}
		}
	}
	return f.close()
}
