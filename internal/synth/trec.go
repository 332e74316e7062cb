package synth

import (
	"fmt"
	"strconv"
)

func (g *generator) writeTREC() error {
	for t := range numTargets {
		if err := g.writeQrels(t); err != nil {
			return err
		}
	}
	for system := range g.Systems {
		if err := g.writeTRECRun(system); err != nil {
			return err
		}
	}
	return nil
}

// writeQrels writes "query 0 memory 1" lines. A query that has no eligible
// memory has no line.
func (g *generator) writeQrels(t target) error {
	f, err := g.create("qrels." + targetNames[t] + ".txt")
	if err != nil {
		return err
	}
	for i := range g.conversations() {
		c := g.conversation(i)
		for _, q := range c.questions {
			for _, id := range g.eligible(c, q, t) {
				fmt.Fprintf(f, "%s 0 %s 1\n", q.id, id)
			}
		}
	}
	return f.close()
}

// writeTRECRun writes "query Q0 memory rank score system" lines.
func (g *generator) writeTRECRun(system int) error {
	name := systemName(system)
	f, err := g.create("run-" + name + ".txt")
	if err != nil {
		return err
	}
	var r ranker
	var line []byte
	for i := range g.conversations() {
		c := g.conversation(i)
		r.start(g, c, system)
		for n, q := range c.questions {
			line = append(line[:0], q.id...)
			line = append(line, " Q0 "...)
			head := len(line)
			for j, h := range r.rank(n) {
				line = append(line[:head], h.id...)
				line = append(line, ' ')
				line = strconv.AppendInt(line, int64(j+1), 10)
				line = append(line, ' ')
				line = appendScore(line, h.score)
				line = append(line, ' ')
				line = append(line, name...)
				line = append(line, '\n')
				f.Write(line)
			}
		}
	}
	return f.close()
}
