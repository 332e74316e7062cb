package tiaptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/filename"
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
	r.atOnce(func(r *reader) {
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
	if name := r.require(path.Join(dir, "store.jsonl"), "every ingest needs its store: one memory a line"); name != "" {
		in.origin.store = r.at(name)
		r.store(name, in)
	}
	if name := r.require(path.Join(dir, "run.jsonl"), "every ingest needs its run: one ranking a line"); name != "" {
		in.origin.run = r.at(name)
		r.run(s.Name, name, &in.Run)
	}
	return in
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
