package tiaptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/filename"
	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// Open reads a bundle from a folder:
//
//	scenario.json                     name, unit, headline target
//	queries.jsonl                     queries with their evidence
//	turns.jsonl                       optional: the conversation
//	systems/<name>/system.json        optional: family, retrieval unit, forms, origin of the lineage
//	systems/<name>/store.jsonl        the stored memories with their lineage
//	systems/<name>/run.jsonl          the rankings
//	systems/<name>/repeats/<r>/...    further ingests: store.jsonl and run.jsonl
//	accepted.json                     optional: known findings
//
// labels.jsonl and answers.jsonl beside them are left to packages semantic and
// sensitivity: they say what credit is worth, and change no score of this package.
//
// A single system may have its files beside queries.jsonl. Unless its system.json
// names it, it has the name of the folder. A folder of systems whose name begins with
// a dot is passed over unless it holds a store or a run.
// JSONL files may end in .gz or .zst. Links may not lead out of the folder.
// Problems name file and line and are reported together; whether references
// between files hold is checked by [Rescore].
func Open(dir string) (*Bundle, error) {
	return openDir(dir, (*reader).bundle)
}

// OpenScenario reads the scenario of a bundle from its folder: scenario.json,
// queries.jsonl and turns.jsonl. There need not be a system yet.
func OpenScenario(dir string) (*Scenario, error) {
	b, err := openDir(dir, func(*reader, *Bundle) {})
	if err != nil {
		return nil, err
	}
	return &b.Scenario, nil
}

// openDir reads the scenario of a bundle from its folder, and the rest.
func openDir(dir string, rest func(*reader, *Bundle)) (*Bundle, error) {
	if dir == "" {
		return nil, errors.New("the folder of the bundle has an empty name; name it")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %s; name the folder of a bundle", dir, readFault(err))
	}
	defer root.Close()
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	return openFS(root.FS(), dir, name, rest)
}

// OpenFS reads a bundle from a file system, laid out as for [Open]. A single
// system that no system.json names is called bundle. Files are read side by side, so
// fsys must be safe for concurrent use, as those of the standard library are.
func OpenFS(fsys fs.FS) (*Bundle, error) {
	if fsys == nil {
		return nil, errors.New("a nil file system holds no bundle")
	}
	return openFS(fsys, "", "bundle", (*reader).bundle)
}

func openFS(fsys fs.FS, dir, name string, rest func(*reader, *Bundle)) (*Bundle, error) {
	r := &reader{fsys: fsys, dir: dir, name: name, readable: "make it readable; links must not lead out of the bundle"}
	b := &Bundle{dir: dir, Scenario: Scenario{Name: name}}
	r.beside(func(r *reader) {
		r.scenario(b)
		r.queries(b)
		r.turns(b)
	}, func(r *reader) { rest(r, b) })
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	b.reported = r.notes
	return b, nil
}

// bundle reads what a bundle has beside its scenario. A single system without a
// name has that of the folder.
func (r *reader) bundle(b *Bundle) {
	r.accepted(b)
	r.systems(b, r.name)
}

// reader reads the files of one bundle and collects their faults.
type reader struct {
	fsys     fs.FS
	dir      string
	name     string // of the folder
	readable string // how to mend what cannot be opened
	pipes    bool   // are read too
	faults   problem.List
	notes    []diagnostic
	enough   bool // of the file that is being read: what follows would not mend it
}

// beside reads several parts at the same time. Their faults and notes have the
// order of the parts.
func (r *reader) beside(parts ...func(*reader)) {
	readers := make([]reader, len(parts))
	var wg sync.WaitGroup
	for i, read := range parts {
		readers[i] = *r
		readers[i].faults, readers[i].notes = problem.List{}, nil
		wg.Go(func() { read(&readers[i]) })
	}
	wg.Wait()
	for i := range readers {
		r.faults.Append(&readers[i].faults)
		r.notes = append(r.notes, readers[i].notes...)
	}
}

// at is how messages name a file of the bundle.
func (r *reader) at(name string) string {
	if r.dir == "" {
		return name
	}
	return filepath.Join(r.dir, filepath.FromSlash(name))
}

func (r *reader) fault(name string, line int, what, mend string) {
	r.faults.Add(r.at(name), line, what, mend)
}

// exists reports whether there is such a file, a link that leads nowhere too:
// it would be wrong to pass over that.
func (r *reader) exists(name string) bool {
	_, err := fs.Lstat(r.fsys, name)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// open opens a file, which is neither a folder nor, in a bundle, a pipe: to open
// one may wait for ever.
func (r *reader) open(name string) (fs.File, bool) {
	if info, err := fs.Stat(r.fsys, name); err == nil && (info.IsDir() || !r.pipes) {
		if err := limit.Regular(info); err != nil {
			r.unreadable(name, err, "")
			return nil, false
		}
	}
	f, err := r.fsys.Open(name)
	if err != nil {
		r.fault(name, 0, readFault(err), r.readable)
		return nil, false
	}
	return f, true
}

// unreadable adds the fault of what cannot be read, and how to mend it unless err
// knows better.
func (r *reader) unreadable(name string, err error, mend string) {
	what := readFault(err)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		what, mend = over.What, over.Mend
	}
	r.fault(name, 0, what, mend)
}

// folders are the folders in a folder, ascending by name.
func (r *reader) folders(dir string) (names []string) {
	entries, err := readDir(r.fsys, dir, limit.Systems)
	if err != nil {
		r.unreadable(dir, err, "make it a readable folder; links must not lead out of the bundle")
		return nil
	}
	for _, e := range entries {
		if r.isDir(path.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// readDir reads a folder of at most so many entries.
func readDir(fsys fs.FS, dir string, most int) ([]fs.DirEntry, error) {
	f, err := fsys.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return fs.ReadDir(fsys, dir)
	}
	entries, err := d.ReadDir(most + 1)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(entries) > most {
		return nil, &limit.Error{What: fmt.Sprintf("the folder has more than %d entries", most), Mend: "compare fewer at once"}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// forms are the files of that name, plain or compressed. Where nobody may look, it is
// the plain one.
func (r *reader) forms(name string) (found []string) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		_, err := fs.Lstat(r.fsys, name+ending)
		if err == nil || ending == "" && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, name+ending)
		}
	}
	return found
}

// find returns the one file of that name, plain or compressed, or "" when there
// is none.
func (r *reader) find(name string) string {
	found := r.forms(name)
	if len(found) > 1 {
		r.fault(name, 0, "the file exists as "+strings.Join(found, " and "), "keep one of them")
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// require is find for a file that must exist.
func (r *reader) require(name, mend string) string {
	found := r.find(name)
	if found == "" {
		r.fault(name, 0, "the file is missing", mend)
	}
	return found
}

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

// readFault is an error of the file system without the path, which the message
// names already.
func readFault(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// object decodes a whole file as one JSON object or array. It reports whether
// the file exists and is sound.
func (r *reader) object(name string, v any) bool {
	if !r.exists(name) {
		return false
	}
	f, ok := r.open(name)
	if !ok {
		return false
	}
	defer f.Close()
	text, err := limit.ReadAll(f, limit.Settings)
	if err != nil {
		r.unreadable(name, err, r.readable)
		return false
	}
	line, what, mend, ok := decodeFile(text, v)
	if !ok {
		r.fault(name, line, what, mend)
	}
	return ok
}

func (r *reader) systems(b *Bundle, single string) {
	flat := r.hasIngest(".")
	if !r.exists("systems") {
		if !flat {
			r.fault("systems", 0, "the bundle has no system", "add systems/<name>/store.jsonl and run.jsonl, or one store.jsonl and run.jsonl beside queries.jsonl")
			return
		}
		b.single = true
		b.Systems = append(b.Systems, r.system(single, "."))
		return
	}
	if flat {
		r.fault("systems", 0, "the bundle has both a folder systems and a single system beside queries.jsonl", "move the single system into the folder")
	}
	before := r.faults.Len()
	for _, name := range r.folders("systems") {
		if strings.HasPrefix(name, ".") && !r.hasIngest(path.Join("systems", name)) {
			continue // what editors and notebooks leave
		}
		b.Systems = append(b.Systems, r.system(name, path.Join("systems", name)))
	}
	if len(b.Systems) == 0 && r.faults.Len() == before {
		r.fault("systems", 0, "the folder holds no system", "add systems/<name>/store.jsonl and run.jsonl")
	}
}

// hasIngest reports whether a folder holds a store or a run.
func (r *reader) hasIngest(dir string) bool {
	return len(r.forms(path.Join(dir, "store.jsonl"))) > 0 || len(r.forms(path.Join(dir, "run.jsonl"))) > 0
}

// isDir reports whether a name is a folder inside the bundle. A link that leads
// out of the bundle is a fault.
func (r *reader) isDir(name string) bool {
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		r.fault(name, 0, readFault(err), r.readable)
		return false
	}
	return info.IsDir()
}

func (r *reader) system(name, dir string) *System {
	s := &System{Name: name}
	v := systemFile{}
	if r.object(path.Join(dir, "system.json"), &v) {
		if v.Name != "" && v.Name != name && dir != "." {
			r.notes = append(r.notes, diagnostic{Kind: "system-name", System: name, Text: fmt.Sprintf("system.json says %q; the folder names the system", v.Name)})
		} else if v.Name != "" {
			s.Name = v.Name
		}
		s.Family, s.Unit, s.Lineage, s.Forms, s.Config = v.Family, v.Unit, v.Lineage, v.Forms, v.Config
	}
	s.Ingests = append(s.Ingests, r.ingest(s, dir))
	repeats := path.Join(dir, "repeats")
	if !r.exists(repeats) {
		return s
	}
	for _, name := range r.folders(repeats) {
		s.Ingests = append(s.Ingests, r.ingest(s, path.Join(repeats, name)))
	}
	return s
}

func (r *reader) ingest(s *System, dir string) *Ingest {
	in := &Ingest{}
	if journal := path.Join(dir, filename.Journal); r.exists(journal) && len(r.forms(path.Join(dir, "run.jsonl"))) == 0 {
		r.fault(journal, 0, "a recording has begun and not ended", "record the system again, which goes on from there, or remove its folder")
		return in
	}
	r.beside(func(r *reader) {
		if name := r.require(path.Join(dir, "store.jsonl"), "every ingest needs its store: one memory a line"); name != "" {
			in.origin.store = r.at(name)
			r.store(name, in)
		}
	}, func(r *reader) {
		if name := r.require(path.Join(dir, "run.jsonl"), "every ingest needs its run: one ranking a line"); name != "" {
			in.origin.run = r.at(name)
			r.run(s.Name, name, &in.Run)
		}
	})
	return in
}

// store reads the memories of an ingest.
func (r *reader) store(name string, in *Ingest) {
	// Rescore finds ids that stand twice. But a few packed bytes may be so many
	// memories of one id that these had better not be kept until then.
	packed, first := lines.Compressed(name), firsts{}
	records(r, name, newMemoryDecoder, func(n int) {
		in.origin.lines = make([]int32, 0, n)
		in.Memories = make([]Memory, 0, n)
	}, func(line int, m *Memory) {
		if len(m.Sources) > limit.Links || len(m.Parents) > limit.Links {
			r.fault(name, line, fmt.Sprintf("memory %q names %d turns and %d parents, of which each may be %d", m.ID, len(m.Sources), len(m.Parents), limit.Links),
				"let memories name what they were made from alone, batch by batch")
			r.enough = true
			return
		}
		if packed && m.ID != "" {
			if before, again := first.add(m.ID, line); again {
				r.fault(name, line, fmt.Sprintf("memory %q stands twice in the store (first in line %d)", m.ID, before), "give every memory an id of its own")
				return
			}
		}
		in.origin.lines = append(in.origin.lines, int32(line))
		in.Memories = append(in.Memories, *m)
	})
}

func (r *reader) accepted(b *Bundle) {
	var entries []findingFile
	// A member that is not known may be a misspelt end, without which an entry
	// holds for ever.
	var members []map[string]json.RawMessage
	if !r.object("accepted.json", &entries) || !r.object("accepted.json", &members) {
		return
	}
	for i, e := range entries {
		for _, m := range slices.Sorted(maps.Keys(members[i])) {
			if !slices.ContainsFunc(findingMembers, func(known string) bool { return strings.EqualFold(m, known) }) {
				r.fault("accepted.json", 0, fmt.Sprintf("entry %d: unknown member %q", i+1, m), "the members are "+strings.Join(findingMembers, ", "))
			}
		}
		f, err := e.finding()
		if err != nil {
			r.fault("accepted.json", 0, fmt.Sprintf("entry %d: %v", i+1, err), "mend or remove the entry")
			continue
		}
		b.known = append(b.known, f)
	}
}

// differing notes the names that lines give a system other than its folder's.
func (r *reader) differing(system string, said map[string]int) {
	names := make([]string, 0, len(said))
	for name := range said {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r.notes = append(r.notes, diagnostic{
			Kind: "system-field", System: system,
			Text: fmt.Sprintf("%s system %q; the folder names the system", english.Count(said[name], "ranking says", "rankings say"), name),
		})
	}
}
