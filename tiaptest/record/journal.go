package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
)

// journal keeps the answers of one ingest as they come, in memory and in a file
// unless its name is empty. It is not safe for concurrent use.
type journal struct {
	out     *appender
	begun   bool   // it has its first line
	store   string // identifies the store that was asked
	answers map[string]answer
	holds   bool // an answer is in the file, if only to a question that is not asked any more
	done    bool // an earlier recording finished this ingest
}

// entry is a line of a journal: first what is recorded, then answers, and at the
// end of a complete ingest that it is done.
type entry struct {
	Journal int     `json:"tiap_journal,omitempty"` // version of the format
	Store   string  `json:"store,omitempty"`
	Answer  *answer `json:"answer,omitempty"`
	Done    bool    `json:"done,omitempty"`
}

const journalVersion = 1

// answer is what a system returned for a question.
type answer struct {
	Query string `json:"query"`
	Asked string `json:"asked"` // identifies the question as it was put
	Hits  []Hit  `json:"hits,omitempty"`
	Error string `json:"error,omitempty"`
}

// openJournal reads what an earlier recording left, as far as it is sound and answers
// the questions.
func openJournal(file string, questions []Query) (*journal, error) {
	j := &journal{answers: make(map[string]answer)}
	if file == "" {
		return j, nil
	}
	asked := make(map[string]bool, len(questions))
	for _, q := range questions {
		asked[q.ID] = true
	}
	var err error
	j.out, err = openAppender(file, func(line []byte) bool {
		var e entry
		if json.Unmarshal(line, &e) != nil || j.begun == (e.Journal != 0) || !j.begun && e.Journal != journalVersion {
			return false
		}
		if !j.begun {
			j.begun, j.store = true, e.Store
		}
		if e.Answer != nil {
			j.holds = j.holds || e.Answer.Error == ""
			if asked[e.Answer.Query] {
				j.answers[e.Answer.Query] = *e.Answer
			}
		}
		j.done = e.Done
		return true
	})
	return j, err
}

// keep drops the answers to other questions and the failed ones, which are asked
// again, and returns how many are left.
func (j *journal) keep(questions []Query) int {
	old := j.answers
	j.answers = make(map[string]answer, len(questions))
	for _, q := range questions {
		if a, ok := old[q.ID]; ok && a.Asked == q.key() && a.Error == "" {
			j.answers[q.ID] = a
		}
	}
	return len(j.answers)
}

// begin starts the journal afresh unless it is of the same store. It reports
// whether answers were dropped for that.
func (j *journal) begin(store string) (dropped bool, err error) {
	if j.begun && j.store == store {
		return false, nil
	}
	dropped = len(j.answers) > 0
	clear(j.answers)
	j.begun, j.store, j.holds = true, store, false
	if j.out == nil {
		return dropped, nil
	}
	if err := j.out.f.Truncate(0); err != nil {
		return dropped, err
	}
	return dropped, j.write(entry{Journal: journalVersion, Store: store})
}

func (j *journal) add(a answer) error {
	j.answers[a.Query] = a
	j.holds = j.holds || a.Error == ""
	return j.write(entry{Answer: &a})
}

func (j *journal) write(e entry) error {
	if j.out == nil {
		return nil
	}
	return j.out.append(e)
}

func (j *journal) close() error {
	if j.out == nil {
		return nil
	}
	return j.out.close()
}

// discard removes a journal, which is closed, unless an answer is in it.
func (j *journal) discard() error {
	if j.out == nil || j.holds {
		return nil
	}
	return os.Remove(j.out.f.Name())
}

// key identifies a question as it is put: an answer is good for no other.
func (q Query) key() string {
	h := sha256.New()
	var buf []byte
	for _, s := range []string{q.ID, q.Scope, q.Time, q.Text} {
		buf = binary.AppendUvarint(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	h.Write(binary.AppendUvarint(buf, uint64(q.K)))
	return hex.EncodeToString(h.Sum(nil)[:8])
}
