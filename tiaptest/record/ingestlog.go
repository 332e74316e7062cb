package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
)

// IngestLog notes where memories come from while a system makes them, which is
// the only moment when many systems know it. Call its methods where the system
// writes to its store. The zero value is empty and ready to use; [OpenIngestLog]
// makes one that outlives the process.
//
// All methods are safe for concurrent use. Mistakes, such as an id that is not
// known, are collected for [IngestLog.Memories].
type IngestLog struct {
	mu       sync.Mutex
	memories []tiaptest.Memory
	byID     map[string]int // every id that a memory ever had
	faults   problem.List

	out    *appender
	before map[[sha256.Size]byte]int // operations of the file that were not said again
}

// operation is what one call of a method says, and a line of the file.
type operation struct {
	Op     string           `json:"op"`
	ID     string           `json:"id,omitempty"`
	To     string           `json:"to,omitempty"`
	Of     []string         `json:"of,omitempty"`
	Memory *tiaptest.Memory `json:"memory,omitempty"`
}

// OpenIngestLog opens or creates a log that is kept in a file, one JSON object a
// line; the format may change. An ingest that was interrupted goes on with it; it
// may also start over, since what it says again exactly as the file has it counts
// once. A last line that was torn is cut off. Each call is written at once and
// synced within a second or so. The error names what cannot be read or written.
func OpenIngestLog(file string) (*IngestLog, error) {
	l := &IngestLog{before: make(map[[sha256.Size]byte]int)}
	var err error
	l.out, err = openAppender(file, func(line []byte) bool {
		var op operation
		if json.Unmarshal(line, &op) != nil || !op.known() {
			return false
		}
		l.before[sha256.Sum256(line)]++
		l.apply(op)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("record: opening the ingest log: %w", err)
	}
	return l, nil
}

// Add says that a memory was made: of the turns in Sources, of the memories in
// Parents, which may be added later, or of both. It needs an id of its own and a
// form.
func (l *IngestLog) Add(m tiaptest.Memory) { l.do(operation{Op: "add", Memory: &m}) }

// Merge says that m was made of other memories, which it supersedes; it descends
// from them and from its own Sources.
func (l *IngestLog) Merge(m tiaptest.Memory, of ...string) {
	l.do(operation{Op: "merge", Memory: &m, Of: of})
}

// Update says that the memory id became m. If m has no id or the same, it was
// rewritten in place: it descends from the Sources and Parents of m too, and what
// else m holds replaces what it held. If m has another id, it is a new memory that
// descends from the old one and supersedes it.
func (l *IngestLog) Update(id string, m tiaptest.Memory) {
	l.do(operation{Op: "update", ID: id, Memory: &m})
}

// Delete says that a memory was deleted. It keeps its lineage with the status
// "deleted", for answers that were given before.
func (l *IngestLog) Delete(id string) { l.do(operation{Op: "delete", ID: id}) }

// Rename says that the memory with the id old goes by the id new from now on.
// Parents and answers may name it by any id that it ever had.
func (l *IngestLog) Rename(old, new string) { l.do(operation{Op: "rename", ID: old, To: new}) }

// Current returns the id that a memory has now, given any that it ever had. An
// unknown id is returned as it is.
func (l *IngestLog) Current(id string) string {
	if l == nil {
		return id
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current(id)
}

func (l *IngestLog) current(id string) string {
	if i, ok := l.byID[id]; ok {
		return l.memories[i].ID
	}
	return id
}

// Memories returns the memories under the ids that they have now, ordered by
// them, so that the order in which goroutines spoke decides nothing. The error
// joins all mistakes, also those for which [tiaptest.Rescore] would refuse the
// memories, such as a cycle of parents.
func (l *IngestLog) Memories() ([]tiaptest.Memory, error) {
	if l == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]tiaptest.Memory, len(l.memories))
	var faults problem.List
	faults.Append(&l.faults)
	for i := range l.memories {
		m := clone(&l.memories[i])
		for p, id := range m.Parents {
			if _, ok := l.byID[id]; !ok {
				faults.Add("", 0, fmt.Sprintf("memory %q names the parent %q, which was never added", m.ID, id), "add that memory, or name its turns under Sources")
			}
			m.Parents[p] = l.current(id)
		}
		m.Parents = unique(m.Parents)
		out[i] = m
	}
	slices.SortFunc(out, func(a, b tiaptest.Memory) int { return cmp.Compare(a.ID, b.ID) })
	err := faults.Err()
	if err == nil && len(out) > 0 { // an empty store is the matter of the one who needs memories
		err = (&tiaptest.Ingest{Memories: out}).Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("ingest log: %w", err)
	}
	return out, nil
}

// empty reports whether a log has neither a memory nor a mistake.
func (l *IngestLog) empty() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.memories)+l.faults.Len() == 0
}

// Close closes the file, if there is one. The log can still be read.
func (l *IngestLog) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return nil
	}
	err := l.out.close()
	l.out = nil
	return err
}

// do applies an operation and writes it to the file, unless the file had it
// already.
func (l *IngestLog) do(op operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if op.Memory != nil {
		m := clone(op.Memory)
		op.Memory = &m
	}
	if len(l.before) > 0 {
		line, err := encode(op)
		if sum := sha256.Sum256(line); err == nil && l.before[sum] > 0 {
			if l.before[sum]--; l.before[sum] == 0 {
				delete(l.before, sum)
			}
			return
		}
	}
	l.apply(op)
	if l.out != nil {
		if err := l.out.append(op); err != nil {
			l.fault("the log cannot be written: "+err.Error(), "")
		}
	}
}

func (op *operation) known() bool {
	switch op.Op {
	case "add", "merge", "update":
		return op.Memory != nil
	case "delete", "rename":
		return true
	}
	return false
}

func (l *IngestLog) apply(op operation) {
	switch op.Op {
	case "add":
		l.add(*op.Memory)
	case "merge":
		m := clone(op.Memory)
		for _, id := range op.Of {
			if _, ok := l.byID[id]; ok {
				m.Parents = append(m.Parents, id)
			}
		}
		m.Parents = unique(m.Parents)
		if l.add(m) {
			l.supersede("merge into "+m.ID, op.Of...)
		}
	case "update":
		l.update(op.ID, clone(op.Memory))
	case "delete":
		if m := l.find("delete", op.ID); m != nil {
			m.Status = "deleted"
		}
	case "rename":
		l.rename(op.ID, op.To)
	}
}

func (l *IngestLog) fault(what, mend string) { l.faults.Add("", 0, what, mend) }

// find returns the memory that has or had an id, or notes that there is none.
func (l *IngestLog) find(doing, id string) *tiaptest.Memory {
	i, ok := l.byID[id]
	if !ok {
		l.fault(fmt.Sprintf("%s: no memory has the id %q", doing, id), "add the memory first")
		return nil
	}
	return &l.memories[i]
}

func (l *IngestLog) add(m tiaptest.Memory) bool {
	if err := l.check(&m); err != nil {
		l.fault(err.Error(), "")
		return false
	}
	if l.byID == nil {
		l.byID = make(map[string]int)
	}
	l.byID[m.ID] = len(l.memories)
	l.memories = append(l.memories, m)
	return true
}

func (l *IngestLog) check(m *tiaptest.Memory) error {
	_, taken := l.byID[m.ID]
	switch {
	case m.ID == "":
		return errors.New("a memory was added without an id; give it the one that rankings name")
	case taken:
		return fmt.Errorf("the id %q was given to a second memory; use Update for a memory that changed", m.ID)
	case m.Form == "":
		return fmt.Errorf(`memory %q has no form; say "raw" for an original turn, else what it is`, m.ID)
	case slices.ContainsFunc(m.Sources, func(l tiaptest.Link) bool { return l.Turn == "" }):
		return fmt.Errorf("memory %q has a source without a turn id; name the turn, or leave the source out", m.ID)
	}
	return nil
}

func (l *IngestLog) supersede(doing string, ids ...string) {
	for _, id := range ids {
		if m := l.find(doing, id); m != nil && m.Status != "deleted" {
			m.Status = "superseded"
		}
	}
}

func (l *IngestLog) update(id string, m tiaptest.Memory) {
	old := l.find("update", id)
	if old == nil {
		return
	}
	if i, ok := l.byID[m.ID]; m.ID != "" && (!ok || &l.memories[i] != old) {
		m.Parents = unique(append(m.Parents, id))
		if m.Form == "" {
			m.Form = old.Form
		}
		if l.add(m) {
			l.supersede("update", id)
		}
		return
	}
	for _, s := range m.Sources {
		if !slices.Contains(old.Sources, s) {
			old.Sources = append(old.Sources, s)
		}
	}
	old.Parents = unique(append(old.Parents, m.Parents...))
	old.Form = cmp.Or(m.Form, old.Form)
	old.Status = cmp.Or(m.Status, old.Status)
	old.ValidFrom = cmp.Or(m.ValidFrom, old.ValidFrom)
	old.ValidTo = cmp.Or(m.ValidTo, old.ValidTo)
	old.Text = cmp.Or(m.Text, old.Text)
	old.NotServing = m.NotServing
}

func (l *IngestLog) rename(from, to string) {
	m := l.find("rename", from)
	if m == nil {
		return
	}
	at := l.byID[from]
	other, taken := l.byID[to]
	switch {
	case to == "":
		l.fault(fmt.Sprintf("rename: the new id of %q is empty", from), "give the id that rankings name")
	case taken && other != at:
		l.fault(fmt.Sprintf("rename: the new id %q of %q is that of another memory", to, from), "say Merge if two memories became one")
	default:
		l.byID[to] = at
		m.ID = to
	}
}

func clone(m *tiaptest.Memory) tiaptest.Memory {
	c := *m
	c.Sources, c.Parents = slices.Clone(m.Sources), slices.Clone(m.Parents)
	return c
}

// unique keeps the first of equal ids.
func unique(ids []string) []string {
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
