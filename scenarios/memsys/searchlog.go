package memsys

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/tiaptest"
)

// answer is what a system answered to one query.
type answer struct {
	query  *tiaptest.Query
	result json.RawMessage // as the system gave it; nil when the query failed
	k      int
	failed string
	file   string
	line   int
}

// fault notes what is wrong with an answer.
func (in *importer) fault(a *answer, what, mend string) {
	in.faults.Add(a.file, a.line, fmt.Sprintf("query %q: %s", a.query.ID, what), mend)
}

// at says where an answer stands, for notes.
func (a *answer) at() string {
	if a.line > 0 {
		return fmt.Sprintf("%s:%d", a.file, a.line)
	}
	return a.file
}

// answers hands over the answers of search logs and folders of answers, in order.
// Those to no query of the scenario are counted and left out.
func (in *importer) answers(files []string, each func(a *answer)) {
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case err != nil:
			in.faults.Add(file, 0, reason(err), "name a search log, or a folder with an answer for each query")
		case info.IsDir():
			in.answersIn(file, each)
		default:
			in.searchLog(file, each)
		}
	}
}

// reason is what went wrong with a file, without its name.
func reason(err error) string {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// answersIn reads a folder of answers in files named by their query.
func (in *importer) answersIn(dir string, each func(a *answer)) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		in.faults.Add(dir, 0, reason(err), "make it readable")
		return
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || e.IsDir() {
			continue
		}
		file := filepath.Join(dir, e.Name())
		id, err := url.PathUnescape(stem)
		if err != nil {
			in.faults.Add(file, 0, "the name is not percent-encoded: "+err.Error(), "name it by its query, as conv-26%2Fqa0.json")
			continue
		}
		q, ok := in.byID[id]
		if !ok {
			in.tally.Add(noteUnasked, file)
			continue
		}
		text, err := read(file)
		if err != nil {
			in.unreadable(file, 0, err, "make it readable")
			continue
		}
		each(&answer{query: q, result: text, file: file})
	}
}

// searchLog reads a file of answers, one a line.
func (in *importer) searchLog(file string, each func(a *answer)) {
	in.lines(file, func(n int, text []byte) {
		var v struct {
			Query   string          `json:"query"`
			QueryID string          `json:"query_id"`
			Result  json.RawMessage `json:"result"`
			K       int             `json:"k"`
			Error   string          `json:"error"`
		}
		if !in.decode(value{file: file, line: n, json: text}, &v) {
			return
		}
		id := v.Query
		if id == "" {
			id = v.QueryID
		}
		q, ok := in.byID[id]
		switch {
		case id == "":
			in.faults.Add(file, n, `the line has no "query"`, "add the id of the query")
		case !ok:
			in.tally.Add(noteUnasked, fmt.Sprintf("%s:%d: %s", file, n, id))
		case len(v.Result) == 0 && v.Error == "":
			in.faults.Add(file, n, fmt.Sprintf(`query %q has neither "result" nor "error"`, id), "add the answer as the system gave it")
		default:
			each(&answer{query: q, result: v.Result, k: v.K, failed: v.Error, file: file, line: n})
		}
	})
}

// lines hands over the lines of a file that are not blank, with their numbers. It
// holds one line at a time.
func (in *importer) lines(file string, each func(n int, text []byte)) {
	f, err := limit.Open(file)
	if err != nil {
		in.unreadable(file, 0, err, "make it readable")
		return
	}
	defer f.Close()
	plain, err := lines.Decompress(file, f)
	if err != nil {
		in.unreadable(file, 0, err, "make it readable")
		return
	}
	defer plain.Close()
	first := true
	err = lines.Each(plain, func(n int, line []byte) error {
		if first && !json.Valid(line) && isOneValue(file) {
			in.faults.Add(file, 0, "this is one JSON value on several lines", "write JSON lines, one object a line; see the documentation of package memsys")
			return io.EOF
		}
		first = false
		if line = bytes.TrimSpace(line); len(line) > 0 {
			each(n, line)
		}
		return nil
	})
	switch at, ok := errors.AsType[*lines.ReadError](err); {
	case ok:
		in.unreadable(file, at.Line+1, at.Err, "make it readable")
	case err != nil && err != io.EOF:
		in.unreadable(file, 0, err, "make it readable")
	}
}

// unreadable notes why a file is not read to its end, and how to mend it unless err
// knows better.
func (in *importer) unreadable(file string, line int, err error, mend string) {
	what := reason(err)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		what, mend = over.What, over.Mend
	}
	in.faults.Add(file, line, what, mend)
}

// isSearchLog reports whether the first line of a file is one of a search log, so
// that large logs need not be read to know that they are nothing else.
func isSearchLog(file string) bool {
	f, err := limit.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	plain, err := lines.Decompress(file, f)
	if err != nil {
		return false
	}
	defer plain.Close()
	line, err := bufio.NewReader(io.LimitReader(plain, limit.Line)).ReadBytes('\n')
	if err != nil {
		return false
	}
	var v struct {
		Query   json.RawMessage `json:"query"`
		QueryID json.RawMessage `json:"query_id"`
	}
	err = json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &v)
	return err == nil && (v.Query != nil || v.QueryID != nil)
}

// isOneValue reports whether a file is one JSON value.
func isOneValue(file string) bool {
	text, err := read(file)
	return err == nil && json.Valid(text)
}

// read returns the bytes of a file, decompressed and without a byte order mark.
func read(file string) ([]byte, error) {
	f, err := limit.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := lines.ReadAll(file, f, limit.Document)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// rank adds the ranking of an answer to a run: each id once, with its first rank.
// Hits that are not stored are kept, since they hold their rank, and counted.
func (in *importer) rank(run *tiaptest.Run, a *answer, k tiaptest.Ranking, stored func(id string) bool) {
	k.Query, k.K, k.Error = a.query.ID, a.k, a.failed
	once := func(ids []string) []string {
		seen := make(map[string]bool, len(ids))
		return slices.DeleteFunc(ids, func(id string) bool {
			if seen[id] {
				in.tally.Add(noteDuplicateHit, a.at()+": "+id)
				return true
			}
			seen[id] = true
			if !stored(id) {
				in.tally.Add(noteUnstored, a.at()+": "+id)
			}
			return false
		})
	}
	if len(k.Scores) == len(k.IDs) && len(k.Scores) > 0 {
		at := make(map[string]float64, len(k.IDs))
		for i := len(k.IDs) - 1; i >= 0; i-- {
			at[k.IDs[i]] = k.Scores[i]
		}
		k.IDs = once(k.IDs)
		k.Scores = k.Scores[:0]
		for _, id := range k.IDs {
			k.Scores = append(k.Scores, at[id])
		}
	} else {
		k.IDs = once(k.IDs)
	}
	for i := range k.Lists {
		k.Lists[i].IDs = once(k.Lists[i].IDs)
	}
	if err := run.Add(k); err != nil {
		in.faults.Add(a.file, a.line, err.Error(), "mend the answer")
	}
}
