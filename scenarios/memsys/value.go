package memsys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// value is a piece of JSON with the place where it stands.
type value struct {
	file string
	line int    // in a file of JSON lines, else 0
	path string // within the file or line, such as results[3]
	json json.RawMessage
}

// member returns a value within v under a name.
func (v value) member(name string, raw json.RawMessage) value {
	v.json = raw
	if v.path != "" {
		name = v.path + "." + name
	}
	v.path = name
	return v
}

// at says where a value stands, for notes.
func (v value) at() string {
	at := v.file
	if v.line > 0 {
		at += ":" + strconv.Itoa(v.line)
	}
	if v.path != "" {
		at += ": " + v.path
	}
	return at
}

// absent reports whether there is no value, or null.
func (v value) absent() bool { return len(v.json) == 0 || string(v.json) == "null" }

// begins reports whether a value begins with a byte: [ as an array does, or {.
func (v value) begins(b byte) bool {
	text := bytes.TrimLeft(v.json, " \t\r\n")
	return len(text) > 0 && text[0] == b
}

// wrong notes what is wrong with a value.
func (in *importer) wrong(v value, what, mend string) {
	if v.path != "" {
		what = v.path + ": " + what
	}
	in.faults.Add(v.file, v.line, what, mend)
}

// decode reads a value, or notes why it cannot be read. Null changes nothing.
func (in *importer) decode(v value, into any) bool {
	err := json.Unmarshal(v.json, into)
	if err == nil {
		return true
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field != "" {
			v = v.member(e.Field, nil)
		}
		found, _, _ := strings.Cut(e.Value, " ")
		in.wrong(v, fmt.Sprintf("%s where %s belongs", article(found), article(kind(e.Type))), "mend the export")
		return false
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok && v.line == 0 && v.path == "" {
		v.line = 1 + bytes.Count(v.json[:min(int(e.Offset), len(v.json))], []byte("\n"))
	}
	if bytes.HasPrefix(v.json, sqliteMagic) {
		in.wrong(v, "this is an SQLite database, not JSON", "name it by what it holds, as in history=FILE of mem0, or export it as JSON")
		return false
	}
	in.wrong(v, "this is no JSON: "+err.Error(), "export it again")
	return false
}

// kind names in JSON's words what a Go type holds.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	default:
		return "number"
	}
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "ao") {
		return "an " + noun
	}
	return "a " + noun
}

// elements returns the elements of an array, or notes that the value is none.
func (in *importer) elements(v value) []value {
	var raw []json.RawMessage
	if v.absent() {
		in.wrong(v, "null where an array belongs", "mend the export")
		return nil
	}
	if !in.decode(v, &raw) {
		return nil
	}
	out := make([]value, len(raw))
	for i := range raw {
		out[i] = value{v.file, v.line, fmt.Sprintf("%s[%d]", v.path, i), raw[i]}
	}
	return out
}

// documents hands over the files named, and those in folders named, each of one
// JSON value. In folders, in order of their names, those are taken that end in
// .json, or further in .gz or .zst.
func (in *importer) documents(names []string, each func(v value)) {
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			in.faults.Add(name, 0, reason(err), "name files or folders that can be read")
		case !info.IsDir():
			in.document(name, each)
		default:
			in.documentsIn(name, each)
		}
	}
}

// documentsIn hands over the files of a folder and of the folders in it.
func (in *importer) documentsIn(dir string, each func(v value)) {
	n := 0
	// With a separator at its end a link to a folder is followed.
	filepath.WalkDir(dir+string(filepath.Separator), func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			in.faults.Add(file, 0, reason(err), "make it readable")
		case e.Type()&fs.ModeType&^fs.ModeSymlink == 0 && isJSON(file):
			n++
			in.document(file, each)
		}
		return nil
	})
	if n == 0 {
		in.faults.Add(dir, 0, "the folder has no .json file", "name the folder of the export")
	}
}

// isJSON reports whether a file ends in .json, compressed or not.
func isJSON(file string) bool {
	_, ok := jsonStem(file)
	return ok
}

// jsonStem is the name of a file without its folder, .json, and .gz or .zst.
func jsonStem(file string) (stem string, ok bool) {
	name := filepath.Base(file)
	cut := func(ext string) bool {
		n := len(name) - len(ext)
		if n < 0 || !strings.EqualFold(name[n:], ext) {
			return false
		}
		name = name[:n]
		return true
	}
	if !cut(".gz") {
		cut(".zst")
	}
	ok = cut(".json")
	return name, ok
}

// document hands over a file of one JSON value.
func (in *importer) document(file string, each func(v value)) {
	text, err := read(file)
	if err != nil {
		in.unreadable(file, 0, err, "name a file that can be read")
		return
	}
	v := value{file: file, json: text}
	if in.decode(v, new(json.RawMessage)) {
		each(v)
	}
}
