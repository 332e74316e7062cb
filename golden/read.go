package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
)

// cure is what helps against damage, which nobody should mend by hand.
const cure = "restore it from version control or record it again"

// mark is the byte order mark that some editors set.
const mark = "\ufeff"

// ReadRecord reads a golden file, with the scores of single queries that it names.
// Damage is an error that names the file and the cure: so is a content other than
// its digest tells, as after an edit or a merge by hand, and scores that are absent
// or are others. Line ends and a byte order mark do not matter.
func ReadRecord(file string) (*Record, error) {
	shown := filepath.ToSlash(file)
	data, err := limit.ReadFile(file, limit.File)
	if _, ok := errors.AsType[*limit.Error](err); ok { // which does not name the file
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	if err != nil {
		return nil, err
	}
	c, line, err := decodeRecord(data)
	other, isOther := errors.AsType[*foreign](err)
	switch {
	case isOther:
		return nil, fmt.Errorf("%s: %w; %s", shown, err, other.cure())
	case err != nil && line > 0:
		return nil, fmt.Errorf("%s:%d: %w; %s", shown, line, err, cure)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; %s", shown, err, cure)
	case c.Scores == nil:
		return &Record{content: *c, note: "the scores of single queries are not recorded"}, nil
	}
	r := &Record{content: *c}
	r.scores, err = readQueryScores(filepath.Join(filepath.Dir(file), c.Scores.File), c.Scores.SHA256)
	if errors.Is(err, fs.ErrNotExist) {
		// The golden file itself is there.
		return nil, fmt.Errorf("%s: the scores of single queries that it names, %s, are missing; %s", shown, c.Scores.File, cure)
	}
	return r, err
}

// decodeRecord decodes a golden file and checks it against itself. line is where
// the fault is, 0 if it has no place.
func decodeRecord(data []byte) (c *content, line int, err error) {
	data = bytes.TrimPrefix(data, []byte(mark))
	const conflict = "<<<<<<< "
	if bytes.HasPrefix(data, []byte(conflict)) || bytes.Contains(data, []byte("\n"+conflict)) {
		return nil, 0, errors.New("unresolved merge conflict")
	}
	c = new(content)
	if err := otherSchema(data, recordSchema); err != nil {
		return nil, 0, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	at := func() int { return 1 + bytes.Count(data[:min(int(d.InputOffset()), len(data))], []byte("\n")) }
	if err := d.Decode(c); err != nil {
		return nil, at(), err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, at(), errors.New("there is text after the record")
	}
	if c.SHA256 == "" {
		return nil, 0, errors.New("it has no content_sha256, by which edits show")
	}
	sum, err := c.sum()
	if err != nil {
		return nil, 0, err
	}
	if c.SHA256 != sum {
		return nil, 0, errors.New("it is not what was recorded, by its content_sha256: it was edited, or merged by hand")
	}
	if faults := c.faults(); len(faults) > 0 {
		return nil, 0, errors.New(strings.Join(faults, "; "))
	}
	return c, 0, nil
}

// foreign is the error of a JSON file that is no golden file of the kind that is read,
// or one of another version, and so must not be recorded over.
type foreign struct{ schema, read string }

// recorded is what golden files of a schema record, whatever its version, "" if it is
// none of theirs.
func recorded(schema string) string {
	kind, _, _ := strings.Cut(schema, "/")
	switch kind + "/v1" {
	case recordSchema:
		return "an audit"
	case storeSchema:
		return "a store"
	}
	return ""
}

func (e *foreign) Error() string {
	is, read := recorded(e.schema), recorded(e.read)
	versions := fmt.Sprintf("its schema is %q, this version reads %s", e.schema, e.read)
	switch is {
	case read:
		return versions
	case "":
		return "it is no golden file: " + versions
	}
	return fmt.Sprintf("it records %s, not %s: %s", is, read, versions)
}

// cure is what helps: another version of this module, where one wrote the file, and
// another file, where this one is of another kind. Recording alone does not.
func (e *foreign) cure() string {
	switch recorded(e.schema) {
	case recorded(e.read):
		return "use the version of this module that recorded it, or delete the file and record it again"
	case "":
		return "restore it from version control, or name another file, which is recorded if it does not exist"
	}
	return "name another file or key"
}

// otherSchema is a [foreign] error if data is JSON of another schema than read. It
// comes before anything else is decoded, since other versions may have other members.
func otherSchema(data []byte, read string) error {
	var head struct{ Schema string }
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&head); err == nil && head.Schema != read {
		return &foreign{head.Schema, read}
	}
	return nil
}

// sum is the digest of a content as it is read back, apart from the digest itself.
func (c *content) sum() (string, error) {
	plain := *c
	plain.SHA256 = ""
	written, err := plain.encode()
	if err != nil {
		return "", err
	}
	// What encoding changes, as it does bytes that are no UTF-8, it changes once.
	var read content
	if err := json.Unmarshal(written, &read); err != nil {
		return "", err
	}
	again, err := read.encode()
	return digestBytes(again), err
}

// faults says what in a record contradicts itself.
func (c *content) faults() []string {
	var out []string
	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	unknown := func(systems ...string) bool {
		return slices.ContainsFunc(systems, func(s string) bool { return c.system(s) == nil })
	}
	last := ""
	for _, s := range c.Systems {
		if s.Name <= last {
			fault("system %q stands twice, has no name, or is not in order", s.Name)
		}
		last = s.Name
	}
	for i, p := range c.Pairs {
		switch {
		case p.A >= p.B:
			fault("the pair of %q and %q is no pair of two systems in order", p.A, p.B)
		case unknown(p.A, p.B):
			fault("the pair of %q and %q has a system that the record has not", p.A, p.B)
		case i > 0 && comparePairs(c.Pairs[i-1], p) >= 0:
			fault("the pair of %q and %q stands twice, or is not in order", p.A, p.B)
		}
	}
	last = ""
	for _, r := range c.Recommendations {
		if r.Family <= last || len(c.members(r.Family)) == 0 {
			fault("family %q stands twice, is not in order, or has no system", r.Family)
		}
		last = r.Family
	}
	for _, f := range c.Known {
		if f.A >= f.B || unknown(f.A, f.B) || f.Targets[0] >= f.Targets[1] {
			fault("the known flip of %q and %q between %q and %q is none of two systems and targets in order", f.A, f.B, f.Targets[0], f.Targets[1])
		}
	}
	if s := c.Scores; s != nil && (s.File != filepath.Base(s.File) || !scoresName.MatchString(s.File)) {
		fault("query_scores.file must name a file of scores in the same folder")
	}
	return out
}
