package semantic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tiaptest/tiap/internal/problem"
)

// AppendTo adds labels to a file of labels, which need not exist, and returns how many
// it had not. What stands in the file stays, but for a last line that was cut short,
// as by [Collect]. So what several people filled in goes into one file, and to append
// the same labels twice does nothing.
//
// A label that differs from what the file says by the same judge of the same memory
// for the same sample is an error: either one of them is a mistake, or the second is
// of another sample. With an error nothing is added. A file that another process is
// writing at this moment is an error too.
func (ls *Labels) AppendTo(file string) (added int, err error) {
	if _, err := readCollected(file); err != nil {
		return 0, err
	}
	before, f, err := openCollected(file)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	said := make(map[Judgement][]Label)
	for j := range before.All() {
		id := j.made()
		said[id] = append(said[id], j.Label)
	}
	var faults problem.List
	var text bytes.Buffer
	for j := range ls.All() {
		was := said[j.made()]
		switch {
		case slices.Contains(was, j.Label):
		case len(was) > 0:
			faults.Add(file, 0, fmt.Sprintf("%s labelled %s %s before, and now %s", j.Judge, j.memoryName(), was[0], j.Label), "remove the label that is wrong, or name another sample when the memory was judged once more")
		default:
			if err := writeLine(&text, j); err != nil {
				return 0, err
			}
			added++
		}
	}
	if err := faults.Err(); err != nil {
		return 0, err
	}
	if added == 0 {
		return 0, nil
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		return 0, errors.Join(err, f.Truncate(end)) // the disk may be full
	}
	return added, f.Sync()
}

// made is what labels of one question for one sample share.
func (j *Judgement) made() Judgement {
	id := j.identity()
	id.Sample = j.Sample
	return id
}

// memoryName is how messages name what a label is good for.
func (j *Judgement) memoryName() string {
	if j.System == "" || j.Memory == "" {
		return fmt.Sprintf("the memory of text %.12s on query %q", j.TextSHA256, j.Query)
	}
	return fmt.Sprintf("memory %q of %s on query %q", j.Memory, j.System, j.Query)
}
