package semantic

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// task is what a judge sees of a case: nothing of its system, target and rank, so
// that these cannot bear on the label. Cases with one query and text are one task.
type task struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Memory   string `json:"memory"` // text
	Label    string `json:"label"`  // empty: to be filled in
}

// Task is the id under which [WriteCSV] and [WriteJSONL] write a case: cases with one
// query and text are judged as one, whatever their system, target and rank. It says
// nothing of the case, and begins with a letter that is no digit of a number in any
// notation, so that no spreadsheet takes it for one and rounds it.
func (c Case) Task() string {
	k := c.key()
	h := sha256.New()
	for _, s := range []string{k.query, k.digest, k.system, k.memory} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "t" + hex.EncodeToString(h.Sum(nil)[:8])
}

// unfit says what keeps a case from being judged; nothing when it can be.
func (c *Case) unfit() (what, mend string) {
	switch {
	case c.Text == "":
		return c.name() + " has no text to judge", `give it one: "text" in store.jsonl, Memory.Text in code`
	case c.Question == "":
		return c.name() + ": the query has no text to judge by", `give it one: "text" in queries.jsonl, Query.Text in code`
	}
	return "", ""
}

// Judgeable returns the cases that can be judged: those whose memory and query have a
// text. The error says how many tasks cannot, and names the first ones; it is nil when
// there are none. [WriteCSV] and [WriteJSONL] refuse such cases, [Collect] leaves them
// without a label.
func Judgeable(cases []Case) ([]Case, error) {
	var fit []Case
	var faults problem.List
	seen := make(map[string]bool, len(cases))
	for i := range cases {
		c := &cases[i]
		what, mend := c.unfit()
		if what == "" {
			fit = append(fit, *c)
		} else if !seen[c.Task()] {
			faults.Add("", 0, what, mend)
		}
		seen[c.Task()] = true
	}
	return fit, unjudged(&faults, len(seen))
}

// unjudged joins what is wrong with cases that cannot be judged, if there are any.
func unjudged(faults *problem.List, of int) error {
	if faults.Len() == 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("%d of %d cases cannot be judged", faults.Len(), of), faults.Err())
}

// tasks are those of the cases, each once, in the order of the cases.
func tasks(cases []Case) ([]task, error) {
	var out []task
	seen := make(map[string]bool, len(cases))
	for i := range cases {
		c := &cases[i]
		id := c.Task()
		if seen[id] {
			continue
		}
		if what, mend := c.unfit(); what != "" {
			return nil, &problem.Problem{What: what, Mend: mend}
		}
		seen[id] = true
		out = append(out, task{ID: id, Question: c.Question, Answer: c.Answer, Memory: c.Text})
	}
	return out, nil
}

var header = []string{"id", "question", "answer", "memory", "label"}

// WriteCSV writes the cases as a table for people to fill in: id, question, answer,
// memory, label. It shows neither system nor target nor rank; cases with the same
// query and memory text are one row, so that nobody judges it twice. A case
// without text is an error; [Judgeable] leaves such cases out.
//
// No cell is a formula to a spreadsheet. A text that begins with an apostrophe,
// with a tab or a line break, or, behind any space, with one of = + - @ | % (in full
// width too) has one apostrophe put before it, and no other text has. So to take
// away an apostrophe that a cell begins with gives the text.
func WriteCSV(w io.Writer, cases []Case) error {
	ts, err := tasks(cases)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write(header)
	for _, t := range ts {
		_ = out.Write([]string{t.ID, harmless(t.Question), harmless(t.Answer), harmless(t.Memory), t.Label})
	}
	out.Flush()
	return out.Error()
}

// harmless keeps a spreadsheet from running a cell, as [WriteCSV] says. Some programs
// cut off what does not show at the beginning, and run the rest.
func harmless(text string) string {
	rest := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
	sign, _ := utf8.DecodeRuneInString(rest)
	if rest != "" && strings.ContainsRune("=+-@|%＝＋－＠", sign) || text != "" && strings.ContainsRune("'\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// original is the text of a harmless cell.
func original(cell string) string { return strings.TrimPrefix(cell, "'") }

// WriteJSONL writes what [WriteCSV] does as one JSON object a line.
func WriteJSONL(w io.Writer, cases []Case) error {
	ts, err := tasks(cases)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for i := range ts {
		if err := writeLine(b, &ts[i]); err != nil {
			return err
		}
	}
	return b.Flush()
}

// ReadAnswers reads back what WriteCSV (name ends in .csv) or WriteJSONL wrote, with
// labels filled in. by is the judge, with kind, and model if it is one; cases are
// those that were written, among others. Rows without a label are left out. A row
// whose id is no case's, one that shows the texts of another case, as after sorting
// single columns, a labelled one whose question, answer or memory is another text than
// the case's but for white space, one that stands twice with different labels, and a
// label other than the three are errors, which name file, line and column. Columns
// and members other than id and label may be missing.
func ReadAnswers(name string, r io.Reader, cases []Case, by Judgement) (*Labels, error) {
	byID := make(map[string]*Case, len(cases))
	shown := make(map[string][]string, len(cases)) // ids by what is shown
	for i := range cases {
		c := &cases[i]
		id := c.Task()
		if _, again := byID[id]; !again {
			byID[id] = c
			texts := words(c.Question) + "\n" + words(c.Text)
			shown[texts] = append(shown[texts], id)
		}
	}
	before := make(map[string]Label)
	check := func(t *answer) (*Judgement, string, string) {
		label := Label(strings.ToLower(strings.TrimSpace(t.Label)))
		c := byID[t.ID]
		first, again := before[t.ID]
		var ids []string
		if t.Question != nil && t.Memory != nil {
			ids = shown[words(*t.Question)+"\n"+words(*t.Memory)]
		}
		switch {
		case c == nil:
			return nil, fmt.Sprintf("the id %q is of none of the cases", t.ID), "read the answers with the cases that were written"
		case len(ids) > 0 && !slices.Contains(ids, t.ID):
			return nil, fmt.Sprintf("the id %q is not that of the question and memory beside it", t.ID), "keep rows together when sorting, and begin again with what was written"
		case label == "":
			return nil, "", ""
		case t.changed(c) != "":
			return nil, fmt.Sprintf("%s another text than the case of id %q has", t.changed(c), t.ID), "put back what was written, and label that"
		case again && first == label:
			return nil, "", ""
		case again:
			return nil, fmt.Sprintf("the id %q stands twice, labelled %s and %s", t.ID, first, label), "keep one of the two rows"
		}
		before[t.ID] = label
		j := c.judgement()
		j.Judge, j.Kind, j.Model, j.PromptSHA256, j.Sample, j.Label = by.Judge, by.Kind, by.Model, by.PromptSHA256, by.Sample, label
		what, mend := j.fault()
		return &j, what, mend
	}
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		return readCSV(name, r, check)
	}
	list, err := readLines(name, r, check)
	if err != nil {
		return nil, err
	}
	return gather(list), nil
}

// answer is a task as it is read back. What its row does not have is nil.
type answer struct {
	ID       string  `json:"id"`
	Question *string `json:"question"`
	Answer   *string `json:"answer"`
	Memory   *string `json:"memory"`
	Label    string  `json:"label"`
}

// changed names the columns that show other words than the case has, as the subject
// of a sentence; "" when there are none.
func (a *answer) changed(c *Case) string {
	var names []string
	for _, column := range []struct {
		name  string
		shown *string
		own   string
	}{{"question", a.Question, c.Question}, {"answer", a.Answer, c.Answer}, {"memory", a.Memory, c.Text}} {
		if column.shown != nil && words(*column.shown) != words(column.own) {
			names = append(names, column.name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "column " + names[0] + " shows"
	}
	return "columns " + strings.Join(names, " and ") + " show"
}

// words are those of a text, whatever a spreadsheet made of the space between them and
// JSON of what is no UTF-8.
func words(text string) string { return strings.Join(strings.Fields(string([]rune(text))), " ") }

func readCSV(name string, r io.Reader, check func(*answer) (*Judgement, string, string)) (*Labels, error) {
	text := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	rows := &rowReader{r: text, left: limit.Line}
	in := csv.NewReader(rows)
	begin, _ := text.Peek(64 << 10)
	if first, _, _ := bytes.Cut(begin, []byte("\n")); !bytes.Contains(first, []byte(",")) && bytes.Contains(first, []byte(";")) {
		in.Comma = ';' // as spreadsheets write it where the comma is the decimal sign
	}
	head, err := in.Read()
	if err != nil {
		return nil, &problem.Problem{File: name, Line: 1, What: "no table: " + err.Error(), Mend: "its first row names the columns id and label"}
	}
	id, label := slices.Index(head, "id"), slices.Index(head, "label")
	if id < 0 || label < 0 {
		return nil, &problem.Problem{File: name, Line: 1, What: "the table has no columns id and label", Mend: "keep the columns that WriteCSV wrote"}
	}
	var faults problem.List
	var list []Judgement
	for line := 1; ; {
		rows.left = limit.Line
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if over, ok := errors.AsType[*limit.Error](err); ok {
			faults.Add(name, line, "below this row "+over.What, over.Mend)
			break
		}
		if err != nil {
			line = 0
			if p, ok := errors.AsType[*csv.ParseError](err); ok {
				line, err = p.Line, p.Err
			}
			faults.Add(name, line, "the row cannot be read: "+err.Error(), "save the table again as CSV")
			break
		}
		line, _ = in.FieldPos(0)
		if len(list) == limit.Labels {
			line, what, mend := lines.Explain(tooManyLabels(line))
			faults.Add(name, line, what, mend)
			break
		}
		text := func(column string) *string {
			at := slices.Index(head, column)
			if at < 0 {
				return nil
			}
			return new(original(row[at]))
		}
		t := answer{ID: row[id], Question: text("question"), Answer: text("answer"), Memory: text("memory"), Label: row[label]}
		j, what, mend := check(&t)
		if what != "" {
			faults.Add(name, line, what, mend)
		} else if j != nil {
			list = append(list, *j)
		}
	}
	if len(list) == 0 && faults.Len() == 0 {
		faults.Add(name, 0, "no row has a label", "write supports, partial or does_not_support in the column label")
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return gather(list), nil
}

// rowReader reads no more than what a row may have. It is given anew with each row; what
// the reader of CSV has read ahead does not count.
type rowReader struct {
	r    io.Reader
	left int // bytes
}

func (r *rowReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, &limit.Error{What: "a row has more than " + limit.Bytes(limit.Line), Mend: "look for a quotation mark that does not close"}
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// Assign deals cases out to judges, who need not know of each other: a share (0 to
// 1, rounded to whole tasks) goes to all of them, so that their agreement can be
// measured, the rest to one each, as evenly as can be. Each judge's cases are in an
// order of its own. Everything is drawn by the seed and does not depend on the order
// of the cases. Cases with one query and text are one task, and only one of them is
// dealt out.
func Assign(cases []Case, judges []string, overlap float64, seed uint64) (map[string][]Case, error) {
	sorted := slices.SortedFunc(slices.Values(judges), strings.Compare)
	switch {
	case len(judges) == 0:
		return nil, errors.New("no judge to assign cases to")
	case len(slices.Compact(slices.Clone(sorted))) < len(judges):
		return nil, errors.New("a judge is named twice")
	case !(overlap >= 0 && overlap <= 1):
		return nil, fmt.Errorf("the overlap is %v; use 0 to 1", overlap)
	}
	seen := make(map[string]bool)
	var pool []Case
	for _, c := range slices.SortedFunc(slices.Values(cases), compareCases) {
		if id := c.Task(); !seen[id] {
			seen[id] = true
			pool = append(pool, c)
		}
	}
	slices.SortFunc(pool, func(a, b Case) int { return cmp.Compare(a.Task(), b.Task()) })
	random(seed, "tasks").Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	shared := int(math.Round(overlap * float64(len(pool))))
	out := make(map[string][]Case, len(sorted))
	for i, judge := range sorted {
		own := slices.Clone(pool[:shared])
		for n := shared + i; n < len(pool); n += len(sorted) {
			own = append(own, pool[n])
		}
		random(seed, "order", judge).Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		out[judge] = own
	}
	return out, nil
}

// Disputed returns the cases, each task once, whose judges do not all say the same
// and that the options' adjudicator has not labelled: the ones to adjudicate. The
// labels made for them count under the adjudicator's name.
func Disputed(cases []Case, ls *Labels, v View, o Options) ([]Case, error) {
	if err := cmp.Or(v.check(), o.check()); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var out []Case
	for i := range cases {
		c := &cases[i]
		id := c.Task()
		if seen[id] {
			continue
		}
		seen[id] = true
		js := o.count(ls.of(c.Query, c.System, c.Memory, digestOf(c.Text)))
		if len(js) == 0 || js[0].Judge == o.Adjudicator {
			continue
		}
		if slices.ContainsFunc(js, func(j *Judgement) bool { return v.class(j.Label) != v.class(js[0].Label) }) {
			out = append(out, *c)
		}
	}
	return out, nil
}
