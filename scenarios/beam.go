package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/tiaptest"
)

// BEAM reads the benchmark BEAM (mohammadtavakoli78/BEAM). The source is either
// of the layout of its repository,
//
//	chats/<size>/<n>/chat.json, or chat_trunecated.json (so spelt), which has precedence
//	chats/<size>/<n>/probing_questions/probing_questions.json
//
// named by the folder above chats, by chats, chats/<size> or one chats/<size>/<n>;
// or a file with rows of its data set on Hugging Face as JSON: an array, or one
// row after the other, as in JSON Lines. Rows do not say their size, so the name
// of the file does: save the rows of the split 1M as 1M.jsonl, and ids are the
// same both ways.
//
// A message is a turn: its id is 100K/1/m6, its session 100K/1/batch2 and its
// time the day that its batch is anchored at, as in 2024-03-15, since no hour is
// given. 100K/1 is the scope. The markers that end messages, such as " ->-> 1,1",
// come from the plan of the conversation and are stripped. A conversation of size
// 10M is joined from plans; ids that start again in a plan go on from those before
// it, as the evidence expects, and sessions are 10M/1/plan-2/batch1. A query is
// named 100K/1/event_ordering/0 by its type, which is its category, and its index.
//
// # Evidence
//
// source_chat_ids names messages in five shapes: absent, a list, a list of lists,
// or an object of lists; strings may occur among the numbers. In a list each
// message is a unit of its own. A list within a list is one event, an element of
// an object one statement or event: all of them are needed, and any message
// counts that tells of it. Hence such a group is one unit, with the id event_1,
// event_2, ... or the name of the group, such as first_statement. Two groups may
// name the same message. Of knowledge_update only the group updated_info is
// evidence, unless [OriginalInfo] adds original_info. With [Gold] message every
// message is a unit, whatever group names it.
//
// Numbers that are written as strings are read as numbers, but not with [Strict].
//
// # Notes
//
// Of evidence:
//
//	abstention                     a query that has no evidence by intention
//	evidence absent                another query without source_chat_ids
//	evidence null                  source_chat_ids is null
//	evidence empty                 source_chat_ids is an empty list or object
//	evidence group empty           a group without a usable message, left out
//	evidence dangling              a number of no message, left out
//	evidence not a number          left out
//	evidence repaired              a number that is written as a string
//	evidence duplicate             a number that its group, or list, names already
//	evidence shared by groups      a message of two groups of a query
//	evidence from the assistant    a number of a message of the assistant
//	updated_info absent            a knowledge_update that has groups, but not this one
//	query without usable evidence
//
// Of queries:
//
//	answer absent
//	answer not a string            left out
//	type unknown                   none of the ten types of the benchmark
//
// Of conversations:
//
//	batch without a date
//	date unparsable                the time is left out
//	marker left                    one of another form
//	marker stripped
//	message empty
//	message id out of order        not one above the message before
//	plan rebased                   its ids started again
//	role unknown                   neither user nor assistant
func BEAM(src string, opts ...Option) (*Benchmark, error) { return collect(beam, src, opts) }

const beamName = "beam"

var beam = format{name: beamName, unit: "chat message", read: readBEAM}

func readBEAM(src string, s *settings, emit func(part) error) error {
	rule := s.goldRule()
	if s.strict {
		rule += "; strict: numbers alone"
	}
	s.rule(rule)
	if s.originalInfo {
		s.rule("original_info of knowledge updates is evidence, as updated_info is")
	} else {
		s.rule("updated_info alone is evidence of knowledge updates")
	}
	info, err := os.Stat(src)
	if err != nil {
		return unreadable(err)
	}
	if !info.IsDir() {
		return readRows(src, s, emit)
	}
	chats, err := findChats(src)
	if err != nil {
		return err
	}
	return readChats(chats, s, emit)
}

// chatFolder is the folder of a conversation.
type chatFolder struct {
	size, n   string
	chats     []string // files, one for each plan when there are several
	questions string
}

const (
	chatFile      = "chat.json"
	truncatedFile = "chat_trunecated.json"
)

var (
	sizeName = regexp.MustCompile(`^([0-9]+)([KM])$`)
	planName = regexp.MustCompile(`^plan-([0-9]+)$`)
	chatName = regexp.MustCompile(`^[0-9]+$`)
)

// findChats lists the conversations in a folder of any of the four levels.
func findChats(dir string) ([]chatFolder, error) {
	inside, err := folders(dir)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	of := func(pattern *regexp.Regexp) []string {
		return slices.DeleteFunc(slices.Clone(inside), func(name string) bool { return !pattern.MatchString(name) })
	}
	var found []chatFolder
	switch sizes, chats := of(sizeName), of(chatName); {
	case slices.Contains(inside, "probing_questions") || exists(filepath.Join(dir, chatFile)) || exists(filepath.Join(dir, truncatedFile)):
		c, err := oneChat(dir, filepath.Base(filepath.Dir(whole)), filepath.Base(whole), inside)
		return []chatFolder{c}, err
	case slices.Contains(inside, "chats"):
		return findChats(filepath.Join(dir, "chats"))
	case len(sizes) > 0:
		slices.SortFunc(sizes, func(a, b string) int { return cmp.Compare(messages(a), messages(b)) })
		for _, size := range sizes {
			more, err := findChats(filepath.Join(dir, size))
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	case len(chats) > 0:
		slices.SortFunc(chats, byNumber)
		for _, n := range chats {
			sub := filepath.Join(dir, n)
			inside, err := folders(sub)
			if err != nil {
				return nil, err
			}
			c, err := oneChat(sub, filepath.Base(whole), n, inside)
			if err != nil {
				return nil, err
			}
			found = append(found, c)
		}
	default:
		return nil, &problem.Problem{File: dir, What: "no conversation of BEAM is here", Mend: "name the folder that has chats/<size>/<n>, or one of these folders"}
	}
	return found, nil
}

// messages is what a size such as 100K or 1M stands for.
func messages(size string) int {
	m := sizeName.FindStringSubmatch(size)
	n, _ := strconv.Atoi(m[1])
	if m[2] == "M" {
		n *= 1000
	}
	return n
}

// byNumber orders decimal numbers without a sign, of any length.
func byNumber(a, b string) int {
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(a, b))
}

// folders lists the names of the folders in a folder.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// oneChat names the files of a conversation.
func oneChat(dir, size, n string, inside []string) (chatFolder, error) {
	c := chatFolder{size: size, n: n, questions: filepath.Join(dir, "probing_questions", "probing_questions.json")}
	chat := func(dir string) string {
		if file := filepath.Join(dir, truncatedFile); exists(file) {
			return file
		}
		return filepath.Join(dir, chatFile)
	}
	plans := slices.DeleteFunc(slices.Clone(inside), func(name string) bool { return !planName.MatchString(name) })
	if whole := chat(dir); exists(whole) || len(plans) == 0 {
		c.chats = []string{whole}
	} else {
		slices.SortFunc(plans, func(a, b string) int { return byNumber(a[len("plan-"):], b[len("plan-"):]) })
		for _, p := range plans {
			c.chats = append(c.chats, chat(filepath.Join(dir, p)))
		}
	}
	for _, file := range append(slices.Clone(c.chats), c.questions) {
		if !exists(file) {
			return c, &problem.Problem{File: file, What: "the file is missing", Mend: "a conversation needs its chat and its questions; get them, or remove the folder"}
		}
	}
	return c, nil
}

// readChats reads conversations of the layout of the repository.
func readChats(chats []chatFolder, s *settings, emit func(part) error) error {
	type use struct {
		chat  *beamChat
		plan  string // of a file of its own
		last  bool   // the questions
		first bool
	}
	var files []string
	uses := make(map[string]use)
	for _, c := range chats {
		b := newBeamChat(c.size, c.n, s)
		for i, file := range c.chats {
			u := use{chat: b, first: i == 0}
			if len(c.chats) > 1 {
				u.plan = fmt.Sprintf("plan-%d", i+1)
			}
			files = append(files, file)
			uses[file] = u
		}
		files = append(files, c.questions)
		uses[c.questions] = use{chat: b, last: true}
	}
	var list problem.List
	err := s.readFiles(files, func(file string, r io.Reader) error {
		u := uses[file]
		v, err := oneValue(file, r)
		if err != nil {
			return err
		}
		b := u.chat
		b.faults = &faults{file: file}
		if u.last {
			b.questions(v)
			list.Append(&b.list)
			p := b.part
			b.part = part{} // keep nothing of it
			b.roles = nil
			if list.Len() > 0 {
				return nil // go on to look for more
			}
			return emit(p)
		}
		b.plan(u.plan, v)
		list.Append(&b.list)
		return nil
	})
	if err != nil && list.Len() > 0 {
		return fmt.Errorf("%w\n%w", list.Err(), err)
	}
	if err != nil {
		return err
	}
	return list.Err()
}

// oneValue reads a file of one JSON value.
func oneValue(file string, r io.Reader) (*node, error) {
	v := &node{kind: arrayKind, line: 1}
	n := 0
	array, err := eachValue(file, r, func(e *node) error {
		if n++; n > limit.Values {
			return &problem.Problem{File: file, Line: e.line, What: fmt.Sprintf("the file holds more than %d values", limit.Values), Mend: "look what it holds"}
		}
		v.elems = append(v.elems, *e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case array:
		return v, nil
	case n != 1:
		return nil, &problem.Problem{File: file, What: fmt.Sprintf("the file holds %d JSON values", n), Mend: "if it is cut off or damaged, get it again"}
	}
	return &v.elems[0], nil
}

// readRows reads rows of the data set.
func readRows(file string, s *settings, emit func(part) error) error {
	return s.readFiles([]string{file}, func(file string, r io.Reader) error {
		f := &faults{file: file}
		size := lines.Stem(file)
		seen := make(map[string]bool)
		rows := 0
		_, err := eachValue(file, r, func(v *node) error {
			rows++
			at := "row " + strconv.Itoa(rows)
			if !f.is(v, at, objectKind) {
				return f.enough()
			}
			id := v.member("conversation_id")
			if id == nil || unfit(id.text) || seen[id.text] {
				f.add(v, at, "there is no conversation_id, another row has the same, or it has a slash", "give every row one of its own, without a slash")
				return f.enough()
			}
			seen[id.text] = true
			b := newBeamChat(size, id.text, s)
			b.faults, b.at = f, "conversation "+id.text
			b.row(v)
			if f.list.Len() > 0 {
				return f.enough()
			}
			return emit(b.part)
		})
		if err != nil && f.list.Len() > 0 {
			return fmt.Errorf("%w\n%w", f.list.Err(), err)
		}
		if err == nil && rows == 0 {
			return &problem.Problem{File: file, What: "the file has no row", Mend: "name a file of rows of BEAM, or the folder of its repository"}
		}
		if err != nil {
			return err
		}
		return f.list.Err()
	})
}

// beamChat reads one conversation.
type beamChat struct {
	*faults
	tally        *tally.Tally
	strict       bool
	originalInfo bool
	gold         string

	id    string // 100K/1
	at    string
	last  int            // id of the message before, joined
	roles map[int]string // by id of messages
	part
}

func newBeamChat(size, n string, s *settings) *beamChat {
	return &beamChat{
		tally: &s.tally, strict: s.strict, originalInfo: s.originalInfo, gold: s.gold,
		id: size + "/" + n, at: "conversation " + size + "/" + n, last: -1, roles: make(map[int]string),
	}
}

func (b *beamChat) note(kind, at string) { b.tally.Add(kind, at) }

func (b *beamChat) row(v *node) {
	if chat := v.member("chat"); chat != nil {
		b.plan("", chat)
	} else {
		b.add(v, b.at, `there is no "chat"`, "add it as an array of batches")
	}
	q := v.member("probing_questions")
	if q == nil {
		b.add(v, b.at, `there is no "probing_questions"`, "add them as the data set has them")
		return
	}
	if q.kind == stringKind {
		parsed, err := parsePython(q.text, q.line)
		if err != nil {
			b.add(q, b.at+", probing_questions", err.Error(), "write them as JSON, or as Python's repr does")
			return
		}
		q = &parsed
	}
	b.questions(q)
}

// plan reads the batches of a conversation or of one plan of it. They may be
// divided further, as in [{"plan-1": [batch, ...]}, ...].
func (b *beamChat) plan(name string, v *node) {
	at := b.at
	if name != "" {
		at += ", " + name
	}
	if v.kind == objectKind {
		v = &node{kind: arrayKind, line: v.line, elems: []node{*v}}
	}
	if !b.is(v, at, arrayKind) {
		return
	}
	p := &beamPlan{beamChat: b, session: b.id}
	if name != "" {
		p.session += "/" + name
	}
	for i := range v.elems {
		e := &v.elems[i]
		if e.kind != objectKind || !slices.ContainsFunc(e.names, planName.MatchString) {
			p.batch(e, i, at)
			continue
		}
		for k, name := range e.names {
			if e.elems[k].kind == nullKind { // of another plan, in a row of a table
				continue
			}
			if !planName.MatchString(name) {
				b.add(e, at, fmt.Sprintf("the member %q beside plans", name), "write plan-<n> alone")
				continue
			}
			b.plan(name, &e.elems[k])
		}
	}
}

// beamPlan reads the batches of one plan.
type beamPlan struct {
	*beamChat
	session string
	begun   bool
	offset  int // of the ids of its messages
}

// batch reads a batch: {"turns": [[message, ...], ...]}, or a list of messages.
func (p *beamPlan) batch(v *node, i int, at string) {
	number := i + 1
	var anchor *node
	turns := v
	if v.kind == objectKind {
		if n := p.optional(v, fmt.Sprintf("%s, batch %d", at, number), "batch_number", numberKind); n != nil {
			if k, ok := n.integer(); ok {
				number = k
			}
		}
	}
	at = fmt.Sprintf("%s, batch %d", at, number)
	if v.kind == objectKind {
		anchor = p.optional(v, at, "time_anchor", stringKind)
		if turns = p.required(v, at, "turns", arrayKind); turns == nil {
			return
		}
	}
	if !p.is(turns, at, arrayKind) {
		return
	}
	list := flatten(nil, turns)
	for i := 0; i < len(list) && (anchor == nil || anchor.text == ""); i++ {
		if own := list[i].member("time_anchor"); own != nil && own.kind == stringKind {
			anchor = own
		}
	}
	when := p.day(anchor, at)
	session := fmt.Sprintf("%s/batch%d", p.session, number)
	for i, m := range list {
		at := fmt.Sprintf("%s, message %d", at, i)
		if !p.is(m, at, objectKind) {
			continue
		}
		if own := p.optional(m, at, "time_anchor", stringKind); own != nil && own != anchor && own.text != "" {
			when = p.day(own, at)
		}
		p.message(m, at, session, when)
	}
}

// flatten appends the elements of arrays within an array.
func flatten(list []*node, v *node) []*node {
	for i := range v.elems {
		if e := &v.elems[i]; e.kind == arrayKind {
			list = flatten(list, e)
		} else {
			list = append(list, e)
		}
	}
	return list
}

func (p *beamPlan) day(anchor *node, at string) string {
	if anchor == nil || anchor.text == "" {
		p.note("batch without a date", at)
		return ""
	}
	t, err := time.Parse("January-2-2006", anchor.text)
	if err != nil {
		p.note("date unparsable", fmt.Sprintf("%s: %q", at, anchor.text))
		return ""
	}
	return t.Format(time.DateOnly)
}

const arrows = "->->"

// unmarked cuts the marker off that may end a message, such as " ->-> 2,N/A".
func unmarked(text string) (string, bool) {
	i := strings.LastIndex(text, arrows)
	if i < 0 || strings.Trim(text[i+len(arrows):], "0123456789NA/,. \t\r\n") != "" {
		return text, false
	}
	return strings.TrimRight(text[:i], " \t\r\n"), true
}

func (p *beamPlan) message(v *node, at, session, when string) {
	number := p.required(v, at, "id", numberKind)
	role := p.required(v, at, "role", stringKind)
	content := p.required(v, at, "content", stringKind)
	if number == nil || role == nil || content == nil {
		return
	}
	id, ok := number.integer()
	if !ok || id < 0 {
		p.add(number, at, fmt.Sprintf("the id %s is no integer from 0", number.text), "number the messages of a conversation from 0")
		return
	}
	if !p.begun && id == 0 && p.last >= 0 {
		p.offset = p.last + 1
		p.note("plan rebased", at)
	}
	p.begun = true
	id += p.offset
	if _, twice := p.roles[id]; twice {
		p.add(number, at, fmt.Sprintf("the id %d is taken", id), "number the messages of a conversation from 0")
		return
	}
	if id != p.last+1 {
		p.note("message id out of order", at)
	}
	p.last = id
	p.roles[id] = role.text
	if role.text != "user" && role.text != "assistant" {
		p.note("role unknown", at)
	}
	text, marked := unmarked(content.text)
	if marked {
		p.note("marker stripped", at)
	}
	if strings.Contains(text, arrows) {
		p.note("marker left", at)
	}
	if strings.TrimSpace(text) == "" {
		p.note("message empty", at)
	}
	p.turns = append(p.turns, tiaptest.Turn{ID: p.turn(id), Session: session, Speaker: role.text, Time: when, Text: text})
}

// turn is the id of a message as a turn.
func (b *beamChat) turn(id int) string { return fmt.Sprintf("%s/m%d", b.id, id) }

// beamTypes are the types of queries.
var beamTypes = []string{
	"abstention", "contradiction_resolution", "event_ordering", "information_extraction", "instruction_following",
	"knowledge_update", "multi_session_reasoning", "preference_following", "summarization", "temporal_reasoning",
}

// beamAnswers are the members that the types have for the gold answer.
var beamAnswers = []string{"answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance"}

func (b *beamChat) questions(v *node) {
	if !b.is(v, b.at+", probing_questions", objectKind) {
		return
	}
	if len(b.turns) == 0 && b.list.Len() == 0 {
		b.add(v, b.at, "the chat of these questions has no message", "get the whole chat")
	}
	for i, kind := range v.names {
		at := b.at + ", " + kind
		if !slices.Contains(beamTypes, kind) {
			b.note("type unknown", at)
		}
		if !b.is(&v.elems[i], at, arrayKind) {
			continue
		}
		list := v.elems[i].elems
		for k := range list {
			b.question(kind, k, &list[k], fmt.Sprintf("%s %d", at, k))
		}
	}
}

func (b *beamChat) question(kind string, i int, v *node, at string) {
	if !b.is(v, at, objectKind) {
		return
	}
	q := tiaptest.Query{ID: fmt.Sprintf("%s/%s/%d", b.id, kind, i), Scope: b.id, Category: kind}
	if text := b.required(v, at, "question", stringKind); text != nil {
		q.Text = text.text
	}
	answers := slices.DeleteFunc(slices.Clone(beamAnswers), func(name string) bool { return v.member(name) == nil })
	if len(answers) == 0 {
		b.note("answer absent", at)
	} else if answer := v.member(answers[0]); answer.kind != stringKind {
		b.note("answer not a string", at)
	} else {
		q.Answer = answer.text
	}
	q.Evidence = b.evidence(kind, v, at)
	if len(q.Evidence) == 0 && kind != "abstention" {
		b.note("query without usable evidence", at)
	}
	b.queries = append(b.queries, q)
}

// group is the evidence under one name, or an element of a list.
type group struct {
	name string
	ids  []*node
}

// groups tells the shapes of source_chat_ids apart.
func (b *beamChat) groups(kind string, v *node, at string) []group {
	i := slices.Index(v.names, "source_chat_ids")
	switch {
	case i < 0 && kind == "abstention":
		b.note("abstention", at)
		return nil
	case i < 0:
		b.note("evidence absent", at)
		return nil
	}
	ids := &v.elems[i]
	var groups []group
	switch ids.kind {
	case nullKind:
		b.note("evidence null", at)
		return nil
	case arrayKind:
		nested := slices.ContainsFunc(ids.elems, func(e node) bool { return e.kind == arrayKind })
		for i := range ids.elems {
			e := &ids.elems[i]
			g := group{ids: []*node{e}}
			if e.kind == arrayKind {
				g.ids = flatten(nil, e)
			}
			if nested {
				g.name = fmt.Sprintf("event_%d", i+1)
			}
			groups = append(groups, g)
		}
	case objectKind:
		for i, name := range ids.names {
			if name == "original_info" && !b.originalInfo {
				continue
			}
			e := &ids.elems[i]
			g := group{name: name, ids: []*node{e}}
			if e.kind == arrayKind {
				g.ids = flatten(nil, e)
			}
			groups = append(groups, g)
		}
		if kind == "knowledge_update" && len(ids.names) > 0 && !slices.Contains(ids.names, "updated_info") {
			b.note("updated_info absent", at)
		}
	default:
		b.is(ids, at+", source_chat_ids", arrayKind)
		return nil
	}
	if len(ids.elems) == 0 {
		b.note("evidence empty", at)
	}
	if b.gold == goldMessage {
		groups = singly(groups)
	}
	return groups
}

// singly makes a group without a name of every id.
func singly(groups []group) []group {
	var out []group
	for _, g := range groups {
		for _, id := range g.ids {
			out = append(out, group{ids: []*node{id}})
		}
	}
	return out
}

func (b *beamChat) evidence(kind string, v *node, at string) []tiaptest.Unit {
	var units []tiaptest.Unit
	in := make(map[string]string) // groups by turns
	for _, g := range b.groups(kind, v, at) {
		u := tiaptest.Unit{ID: g.name}
		for _, e := range g.ids {
			turn, ok := b.named(e, at)
			if !ok {
				continue
			}
			other, before := in[turn]
			switch {
			case before && other == g.name:
				b.note("evidence duplicate", at)
				continue
			case before:
				b.note("evidence shared by groups", at)
			}
			in[turn] = g.name
			u.Turns = append(u.Turns, turn)
		}
		switch {
		case len(u.Turns) > 0:
			units = append(units, u)
		case g.name != "":
			b.note("evidence group empty", at)
		}
	}
	return units
}

// named returns the turn that an element of source_chat_ids names.
func (b *beamChat) named(e *node, at string) (string, bool) {
	id, ok := e.integer()
	if !ok && e.kind == stringKind && !b.strict {
		n, err := strconv.Atoi(strings.TrimSpace(e.text))
		if id, ok = n, err == nil; ok {
			b.note("evidence repaired", fmt.Sprintf("%s: %q", at, e.text))
		}
	}
	role, exists := b.roles[id]
	switch {
	case !ok:
		b.note("evidence not a number", fmt.Sprintf("%s: %q", at, e.text))
	case !exists:
		b.note("evidence dangling", fmt.Sprintf("%s: %d", at, id))
	case role == "assistant":
		b.note("evidence from the assistant", at)
	}
	return b.turn(id), ok && exists
}
