package tiaptest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/parallel"
)

// A digest names content, whatever its order in files: each record is hashed by
// itself, and the sorted hashes are hashed again. Every field is written with
// its length, so that no two contents read alike.
type digest struct {
	buf     []byte // the record so far
	records [][sha256.Size]byte
}

func (d *digest) text(fields ...string) {
	for _, s := range fields {
		d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
		d.buf = append(d.buf, s...)
	}
}

func (d *digest) bytes(b []byte) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(b)))
	d.buf = append(d.buf, b...)
}

func (d *digest) number(n int) { d.buf = binary.AppendVarint(d.buf, int64(n)) }

// end closes a record.
func (d *digest) end() {
	d.records = append(d.records, sha256.Sum256(d.buf))
	d.buf = d.buf[:0]
}

// each adds n records. It calls write for each of them, from several goroutines.
func (d *digest) each(n int, write func(d *digest, i int)) {
	first := len(d.records)
	d.records = slices.Grow(d.records, n)[:first+n]
	parallel.Stripes(n, func(from, end int) {
		part := digest{records: d.records[first+from : first+from : first+end]}
		for i := from; i < end; i++ {
			write(&part, i)
			part.end()
		}
	})
}

// String closes the digest.
func (d *digest) String() string {
	d.sort()
	h := sha256.New()
	for i := range d.records {
		h.Write(d.records[i][:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// sort sorts the records by bytes. Their first bytes, which are spread evenly, part
// them into many that are left to sort.
func (d *digest) sort() {
	starts := partedBy(d.records, 0)
	parallel.Stripes(256, func(from, end int) {
		for p := from; p < end; p++ {
			records := d.records[starts[p]:starts[p+1]]
			if len(records) < 256 {
				sortRecords(records)
				continue
			}
			starts := partedBy(records, 1)
			for p := range 256 {
				sortRecords(records[starts[p]:starts[p+1]])
			}
		}
	})
}

// partedBy brings records with the same byte at a place together, those with lower
// ones first, and returns where each part starts, and the end.
func partedBy(records [][sha256.Size]byte, at int) (starts [257]int) {
	for i := range records {
		starts[int(records[i][at])+1]++
	}
	for p := range 256 {
		starts[p+1] += starts[p]
	}
	next := starts // of each part the first record that may belong elsewhere
	for p := range 256 {
		for next[p] < starts[p+1] {
			i := next[p]
			q := records[i][at]
			records[i], records[next[q]] = records[next[q]], records[i]
			next[q]++
		}
	}
	return starts
}

func sortRecords(records [][sha256.Size]byte) {
	slices.SortFunc(records, func(a, b [sha256.Size]byte) int {
		if x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:]); x != y {
			return cmp.Compare(x, y)
		}
		return bytes.Compare(a[:], b[:])
	})
}

// subsetDigest names a set of queries.
func (r *results) subsetDigest(subset []int32) string {
	h := sha256.New()
	var d digest
	for _, q := range subset {
		d.text(r.queries[q].ID)
		h.Write(d.buf)
		d.buf = d.buf[:0]
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// digests are those of the scenario and of the audited systems.
type digests struct {
	scenario string
	systems  []string
}

func (f *frame) makeDigests() digests {
	var d digests
	var wg sync.WaitGroup
	wg.Go(func() { d.scenario = f.bundle.scenarioDigest() })
	for _, s := range f.compiled { // one after the other, since each has hashes to hold
		d.systems = append(d.systems, s.digest())
	}
	wg.Wait()
	return d
}

// scenarioDigest names the queries with their evidence, or the judgements.
func (b *Bundle) scenarioDigest() string {
	var d digest
	n := len(b.Scenario.Queries)
	if b.judged != nil {
		n *= 1 + len(b.judged.sets)
	}
	d.records = make([][sha256.Size]byte, 0, n)
	d.each(len(b.Scenario.Queries), func(d *digest, i int) {
		q := &b.Scenario.Queries[i]
		d.text(q.ID, q.Scope, q.Time, q.Text, q.Category, q.Answer)
		for _, u := range q.Evidence {
			d.number(len(u.Turns))
			d.text(u.Turns...)
		}
	})
	if j := b.judged; j != nil {
		for t, set := range j.sets {
			d.each(len(set.Queries), func(d *digest, q int) {
				d.text(j.targets[t].name, set.Queries[q])
				for i, doc := range set.Docs[q] {
					d.bytes(j.ids.Bytes(doc))
					d.number(int(set.Grades[q][i]))
				}
			})
		}
	}
	return d.String()
}

// digest names the stores and runs of a system.
func (s *System) digest() string {
	var d digest
	n := 0
	for _, in := range s.Ingests {
		n += len(in.Memories) + in.Run.Len()
	}
	d.records = make([][sha256.Size]byte, 0, n)
	for n, in := range s.Ingests {
		in.addTo(&d, n)
		in.Run.addTo(&d, n)
	}
	return d.String()
}

// addTo adds the memories of an ingest.
func (in *Ingest) addTo(d *digest, ingest int) {
	d.each(len(in.Memories), func(d *digest, i int) {
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
	})
}

func (r *Run) addTo(d *digest, ingest int) {
	d.each(len(r.rows), func(d *digest, i int) {
		w := &r.rows[i]
		d.number(ingest)
		d.text(w.query, w.failure)
		d.number(w.k)
		d.number(len(w.lists))
		for _, l := range w.lists {
			d.text(l.name)
			d.number(l.end)
		}
		buf := d.buf // a variable of its own: this loop is most of the work
		for j, h := range w.hits {
			id := r.ids.Bytes(h)
			buf = append(binary.AppendUvarint(buf, uint64(len(id))), id...)
			if w.scores != nil && !math.IsNaN(w.scores[j]) {
				buf = binary.BigEndian.AppendUint64(append(buf, 1), math.Float64bits(w.scores[j]))
			} else {
				buf = append(buf, 0)
			}
		}
		d.buf = buf
	})
}
