package tiaptest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"slices"
)

// A digest names content, whatever its order in files: each record is hashed by
// itself, and the sorted hashes are hashed again. Every field is written with
// its length, so that no two contents read alike.
type digest struct {
	h       hash.Hash
	buf     []byte
	records [][sha256.Size]byte
}

func newDigest() *digest { return &digest{h: sha256.New()} }

func (d *digest) text(fields ...string) {
	for _, s := range fields {
		d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
		d.buf = append(d.buf, s...)
	}
}

func (d *digest) number(n int) { d.buf = binary.AppendVarint(d.buf, int64(n)) }

func (d *digest) flush() {
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
}

// end closes a record.
func (d *digest) end() {
	d.flush()
	d.records = append(d.records, [sha256.Size]byte(d.h.Sum(nil)))
	d.h.Reset()
}

// String closes the digest.
func (d *digest) String() string {
	slices.SortFunc(d.records, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	for i := range d.records {
		d.h.Write(d.records[i][:])
	}
	return "sha256:" + hex.EncodeToString(d.h.Sum(nil))
}

// subsetDigest names a set of queries.
func (r *results) subsetDigest(subset []int32) string {
	d := newDigest()
	for _, q := range subset {
		d.text(r.queries[q].ID)
		d.flush()
	}
	return d.String()
}

// scenarioDigest names the queries with their evidence, or the judgements.
func (b *Bundle) scenarioDigest() string {
	d := newDigest()
	for i := range b.Scenario.Queries {
		q := &b.Scenario.Queries[i]
		d.text(q.ID, q.Scope, q.Time, q.Text, q.Category, q.Answer)
		for _, u := range q.Evidence {
			d.number(len(u.Turns))
			d.text(u.Turns...)
		}
		d.end()
	}
	if j := b.judged; j != nil {
		for t, set := range j.sets {
			for q, id := range set.Queries {
				d.text(j.targets[t].name, id)
				for i := set.Start[q]; i < set.Start[q+1]; i++ {
					d.text(set.Docs[i])
					d.number(int(set.Grades[i]))
				}
				d.end()
			}
		}
	}
	return d.String()
}

// digest names the stores and runs of a system.
func (s *System) digest() string {
	d := newDigest()
	for n, in := range s.Ingests {
		in.addTo(d, n)
		in.Run.addTo(d, n)
	}
	return d.String()
}

// addTo adds the memories of an ingest.
func (in *Ingest) addTo(d *digest, ingest int) {
	for i := range in.Memories {
		m := &in.Memories[i]
		d.number(ingest)
		d.text(m.ID, m.Form, m.Status, m.ValidFrom, m.ValidTo, m.Text)
		d.number(len(m.Sources))
		for _, l := range m.Sources {
			d.text(l.Turn, l.Precision, l.Origin)
		}
		d.number(len(m.Parents))
		d.text(m.Parents...)
		if m.NotServing {
			d.text("not serving")
		}
		d.end()
	}
}

func (r *Run) addTo(d *digest, ingest int) {
	for i := range r.rows {
		w := &r.rows[i]
		d.number(ingest)
		d.text(w.query, w.failure)
		d.number(w.k)
		d.number(len(w.lists))
		for _, l := range w.lists {
			d.text(l.name)
			d.number(l.end - w.start)
		}
		for j, h := range r.hits[w.start:w.end] {
			id := r.ids.Bytes(h)
			d.buf = binary.AppendUvarint(d.buf, uint64(len(id)))
			d.buf = append(d.buf, id...)
			if at := w.start + j; at < len(r.scores) && !math.IsNaN(r.scores[at]) {
				d.buf = append(d.buf, 1)
				d.buf = binary.BigEndian.AppendUint64(d.buf, math.Float64bits(r.scores[at]))
			} else {
				d.buf = append(d.buf, 0)
			}
		}
		d.end()
	}
}
