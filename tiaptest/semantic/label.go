package semantic

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// Label says whether a memory supports the answer to a query.
type Label string

// The labels, most support first.
const (
	Supports       Label = "supports"         // the answer follows from the memory
	Partial        Label = "partial"          // a part of the answer does, or it follows with something else
	DoesNotSupport Label = "does_not_support" // neither
)

// Kind says who judged.
type Kind string

// The kinds of judges.
const (
	Human Kind = "human"
	Model Kind = "model"
)

// Judgement is one support label: a line of labels.jsonl.
type Judgement struct {
	Query        string `json:"query"`
	System       string `json:"system,omitempty"`
	Memory       string `json:"memory,omitempty"`
	TextSHA256   string `json:"text_sha256,omitempty"` // of the memory's text, in hex
	Judge        string `json:"judge"`                 // one judge, whatever the kind; one model with two prompts is two
	Kind         Kind   `json:"kind"`
	Model        string `json:"model,omitempty"`         // of a judge that is one
	PromptSHA256 string `json:"prompt_sha256,omitempty"` // of what the model was shown
	Sample       string `json:"sample,omitempty"`        // that it was made for
	Label        Label  `json:"label"`
}

// key is what a label is good for: a text, or without a text a memory of a system.
type key struct{ query, digest, system, memory string }

func (j *Judgement) key() key {
	if j.TextSHA256 != "" {
		return key{query: j.Query, digest: j.TextSHA256}
	}
	return key{query: j.Query, system: j.System, memory: j.Memory}
}

// fault says what is wrong with the judgement and how to mend it, or nothing.
func (j *Judgement) fault() (what, mend string) {
	switch {
	case j.Query == "":
		return `the label has no "query"`, "name the query"
	case j.TextSHA256 == "" && (j.System == "" || j.Memory == ""):
		return "the label says of no memory that it is good for", `give "text_sha256", or "system" and "memory"`
	case j.TextSHA256 != "" && !isDigest(j.TextSHA256):
		return fmt.Sprintf(`"text_sha256" is %q`, j.TextSHA256), "write the SHA-256 of the memory's text as 64 hex digits in lower case"
	case j.PromptSHA256 != "" && !isDigest(j.PromptSHA256):
		return fmt.Sprintf(`"prompt_sha256" is %q`, j.PromptSHA256), "write the SHA-256 of the prompt as 64 hex digits in lower case"
	case j.Judge == "":
		return `the label has no "judge"`, "say who judged"
	case j.Kind != Human && j.Kind != Model:
		return fmt.Sprintf("the judge is of kind %q", j.Kind), "write human or model"
	case j.Kind == Model && j.Model == "":
		return fmt.Sprintf("the judge %q is a model without a name", j.Judge), `give "model"`
	case j.Kind == Human && j.Model != "":
		return fmt.Sprintf("the judge %q is of kind human and has the model %q", j.Judge, j.Model), "keep one of the two"
	case !slices.Contains(allLabels, j.Label):
		return fmt.Sprintf("the label is %q", j.Label), "write supports, partial or does_not_support"
	}
	return "", ""
}

var allLabels = []Label{Supports, Partial, DoesNotSupport}

func isDigest(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == s
}

// digestOf names a text, "" for none.
func digestOf(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Labels holds support labels, in the order in which they were given. It is
// immutable and safe for concurrent use.
type Labels struct {
	list  []Judgement
	byKey map[key][]int
	keys  []key // in the order of their first label
}

// NewLabels checks labels and gathers them. Faults are reported together. Labels
// of one memory by one judge are repetitions, which [Options] has a rule for.
func NewLabels(list ...Judgement) (*Labels, error) {
	var faults problem.List
	for i := range list {
		if what, mend := list[i].fault(); what != "" {
			faults.Add("", 0, fmt.Sprintf("label %d: %s", i+1, what), mend)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return gather(slices.Clone(list)), nil
}

func gather(list []Judgement) *Labels {
	ls := &Labels{list: list, byKey: make(map[key][]int)}
	for i := range list {
		k := list[i].key()
		if ls.byKey[k] == nil {
			ls.keys = append(ls.keys, k)
		}
		ls.byKey[k] = append(ls.byKey[k], i)
	}
	return ls
}

// OpenLabels reads a file of labels. It may end in .gz or .zst.
func OpenLabels(file string) (*Labels, error) {
	f, err := os.Open(file)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w; name a file of labels", file, e.Err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadLabels(file, f)
}

// ReadLabels reads labels.jsonl. The name stands in messages, and by its ending
// .gz or .zst the input is decompressed. Unknown members are ignored; missing or
// contradictory ones, labels other than the three, and input without a label are
// errors, which name file and line and are reported together.
func ReadLabels(name string, r io.Reader) (*Labels, error) {
	list, err := readLines(name, r, func(j *Judgement) (*Judgement, string, string) {
		what, mend := j.fault()
		return j, what, mend
	})
	if err != nil {
		return nil, err
	}
	return gather(list), nil
}

// readLines decodes the lines of a file. check returns what a line holds, or what
// is wrong with it.
func readLines[L, T any](name string, r io.Reader, check func(*L) (v *T, what, mend string)) ([]T, error) {
	type record struct {
		line int
		text L
		bad  *problem.Problem
	}
	plain, err := lines.Decompress(name, r)
	if err != nil {
		_, what, mend := lines.Explain(err)
		return nil, &problem.Problem{File: name, What: what, Mend: mend}
	}
	defer plain.Close()
	var faults problem.List
	var out []T
	err = lines.Parse(plain, func(b lines.Block) (recs []record) {
		for line, text := range b.All() {
			rec := record{line: line}
			rec.bad = jsonl.Decode(text, &rec.text)
			recs = append(recs, rec)
		}
		return recs
	}, func(recs []record) error {
		for i := range recs {
			rec := &recs[i]
			if rec.bad != nil {
				faults.Add(name, rec.line, rec.bad.What, rec.bad.Mend)
				continue
			}
			v, what, mend := check(&rec.text)
			if len(out) == limit.Labels {
				return tooManyLabels(rec.line)
			}
			if what != "" {
				faults.Add(name, rec.line, what, mend)
			} else if v != nil {
				out = append(out, *v)
			}
		}
		return nil
	})
	if err != nil {
		line, what, mend := lines.Explain(err)
		faults.Add(name, line, what, mend)
	}
	if len(out) == 0 && faults.Len() == 0 {
		faults.Add(name, 0, "the file holds no label", "it needs one JSON object a line")
	}
	return out, faults.Err()
}

// tooManyLabels says that a file has more labels than are read.
func tooManyLabels(line int) error {
	return &lines.ReadError{Line: line - 1, Err: &limit.Error{
		What: fmt.Sprintf("the file has more than %d labels", limit.Labels),
		Mend: "keep those of the queries and judges that are looked at",
	}}
}

// Len returns the number of labels, repetitions included.
func (ls *Labels) Len() int { return len(ls.list) }

// All yields the labels in their order.
func (ls *Labels) All() iter.Seq[Judgement] { return slices.Values(ls.list) }

// Write writes labels.jsonl.
func (ls *Labels) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range ls.list {
		if err := writeLine(b, &ls.list[i]); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Digest names the labels, in whatever order they were given: the SHA-256 of their
// lines, sorted, in hex.
func (ls *Labels) Digest() string {
	texts := make([]string, len(ls.list))
	for i := range ls.list {
		var line strings.Builder
		_ = writeLine(&line, &ls.list[i]) // a Builder does not fail
		texts[i] = line.String()
	}
	slices.Sort(texts)
	return digestOf(strings.Join(texts, ""))
}

// writeLine writes v as a line of JSON, without escapes for HTML.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Split separates labels by a property of their case, such as [Case.Bucket].
// Labels of none of the cases are left out; a label whose cases have several values
// is in each of their parts.
func (ls *Labels) Split(cases []Case, by func(Case) string) map[string]*Labels {
	parts := make(map[string][]key)
	for i := range cases {
		c := &cases[i]
		name := by(*c)
		for _, k := range c.keys() {
			if ls.byKey[k] != nil && !slices.Contains(parts[name], k) {
				parts[name] = append(parts[name], k)
			}
		}
	}
	out := make(map[string]*Labels, len(parts))
	for name, keys := range parts {
		out[name] = ls.part(keys)
	}
	return out
}

// Unused returns the labels that are good for none of the cases: of memories whose
// text has changed, or that are not retrieved any more.
func (ls *Labels) Unused(cases []Case) *Labels {
	used := make(map[key]bool)
	for i := range cases {
		for _, k := range cases[i].keys() {
			used[k] = true
		}
	}
	return ls.part(slices.DeleteFunc(slices.Clone(ls.keys), func(k key) bool { return used[k] }))
}

// part holds the labels of some keys, in their order.
func (ls *Labels) part(keys []key) *Labels {
	var at []int
	for _, k := range keys {
		at = append(at, ls.byKey[k]...)
	}
	slices.Sort(at)
	list := make([]Judgement, len(at))
	for i, n := range at {
		list[i] = ls.list[n]
	}
	return gather(list)
}

// of returns the labels of a memory of a system on a query, in their order.
func (ls *Labels) of(query, system, memory, digest string) []*Judgement {
	var at []int
	for _, k := range keysOf(query, system, memory, digest) {
		at = append(at, ls.byKey[k]...)
	}
	slices.Sort(at)
	out := make([]*Judgement, len(at))
	for i, n := range at {
		out[i] = &ls.list[n]
	}
	return out
}

// keysOf are the keys of the labels that are good for a memory.
func keysOf(query, system, memory, digest string) []key {
	keys := []key{{query: query, system: system, memory: memory}}
	if digest != "" {
		keys = append(keys, key{query: query, digest: digest})
	}
	return keys
}
