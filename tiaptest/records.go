package tiaptest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// decoder decodes the lines of one block as values of T, which are zero before.
type decoder[T any] interface {
	Decode(line []byte, v *T) *problem.Problem
	Forget() // the lines so far, which may change then
}

// records decodes the lines of a JSONL file as values of T, several blocks at
// once, and hands them to keep in the order of the file. Before the first it says
// about how many there are.
func records[T any, D decoder[T]](r *reader, name string, decoder func() D, about func(n int), keep func(line int, v *T)) {
	type record struct {
		line  int
		v     T
		wrong *problem.Problem // in place of v
	}
	type part struct {
		recs    []record
		bytes   int
		decoder D
	}
	n, before := 0, r.faults.Len()
	var spare sync.Pool // of parts whose memory is used again
	parseFile(r, name, func(b lines.Block) *part {
		p, ok := spare.Get().(*part)
		if !ok {
			p = &part{decoder: decoder()}
		}
		p.recs, p.bytes = slices.Grow(p.recs[:0], b.Lines), len(b.Data)
		for line, text := range b.All() {
			p.recs = append(p.recs, record{line: line})
			rec := &p.recs[len(p.recs)-1]
			rec.wrong = p.decoder.Decode(text, &rec.v)
		}
		p.decoder.Forget()
		return p
	}, func(p *part) error {
		if n == 0 {
			about(r.estimate(name, len(p.recs), p.bytes))
		}
		n += len(p.recs)
		for i := range p.recs {
			if rec := &p.recs[i]; rec.wrong != nil {
				r.fault(name, rec.line, rec.wrong.What, rec.wrong.Mend)
			} else {
				keep(rec.line, &rec.v)
			}
			if r.enough {
				break
			}
		}
		spare.Put(p)
		return nil
	})
	if n == 0 && r.faults.Len() == before {
		r.fault(name, 0, "the file is empty", "it needs one JSON object a line")
	}
}

// firsts says in which line each id of a file came first.
type firsts struct {
	ids   intern.Table
	lines []int32
}

// expect makes room for about n ids.
func (f *firsts) expect(n int) {
	f.ids.Expect(n)
	f.lines = make([]int32, 0, n)
}

// add notes that a line has an id, and returns the line that had it before, if any.
func (f *firsts) add(id string, line int) (before int, again bool) {
	if sym := f.ids.AddString(id); int(sym) < len(f.lines) {
		return int(f.lines[sym]), true
	}
	f.lines = append(f.lines, int32(line))
	return 0, false
}

// estimate says about how many records a file has, of which the first bytes hold
// n, and rather more than fewer. Of a compressed file it knows no more than that, and
// no file is taken at its word for more than a million, since one with a hole may have
// any size.
func (r *reader) estimate(name string, n, bytes int) int {
	const most = 1 << 20
	info, err := fs.Stat(r.fsys, name)
	if err != nil || lines.Compressed(name) {
		return n
	}
	return max(n, int(min(float64(info.Size())/float64(bytes)*float64(n)*1.1, most)))
}

// parseFile runs lines.Parse over a file and makes its errors faults.
func parseFile[T any](r *reader, name string, parse func(lines.Block) T, merge func(T) error) {
	f, ok := r.open(name)
	if !ok {
		return
	}
	defer f.Close()
	before := r.faults.Len()
	r.enough = false
	plain, err := lines.Decompress(name, f)
	if err == nil {
		defer plain.Close()
		err = lines.Parse(plain, parse, func(v T) error {
			if err := merge(v); err != nil {
				return err
			}
			if r.enough {
				return errEnough
			}
			if r.faults.Len()-before < limit.Problems {
				return nil
			}
			return &limit.Error{What: fmt.Sprintf("reading stops after %d problems", limit.Problems), Mend: "mend these first"}
		})
	}
	if err != nil && err != errEnough {
		line, what, mend := lines.Explain(err)
		r.fault(name, line, what, mend)
	}
}

// errEnough ends the reading of a file whose fault is noted.
var errEnough = errors.New("enough of the file was read")
