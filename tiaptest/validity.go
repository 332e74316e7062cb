package tiaptest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tiaptest/tiap/internal/problem"
)

// span is when a memory is valid, in nanoseconds since 1970: from the first
// moment to before the second.
type span struct{ from, to int64 }

// unknownTime is the time of a query that has none; no span holds it.
const unknownTime = math.MinInt64

func (s span) holds(at int64) bool { return at != unknownTime && s.from <= at && at < s.to }

// always has both ends open.
var always = span{unknownTime + 1, math.MaxInt64}

// layouts are the forms of times, without a zone UTC.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly, "2006-01", "2006"}

func parseTime(text string) (int64, error) {
	for _, layout := range layouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if at.Year() < 1678 || at.Year() > 2261 {
			return 0, fmt.Errorf("%q is out of range; use a year from 1678 to 2261", text)
		}
		return at.UnixNano(), nil
	}
	return 0, fmt.Errorf("%q is no time; write it as 2006-01-02 or 2006-01-02T15:04:05Z", text)
}

// bindTimes reads when queries are asked and memories are valid, if a target asks
// for that.
func (f *frame) bindTimes(faults *problem.List) {
	if !slices.ContainsFunc(f.targets, func(t Target) bool { return t.validAt }) {
		return
	}
	var timeless names
	f.asked = make([]int64, len(f.queries))
	for i := range f.queries {
		q := f.queries[i]
		f.asked[i] = unknownTime
		if q.Time == "" {
			timeless.add(q.ID)
			continue
		}
		at, err := parseTime(q.Time)
		if err != nil {
			faults.Add("", 0, fmt.Sprintf("query %q: time %v", q.ID, err), "")
			continue
		}
		f.asked[i] = at
	}
	f.note("no-time", "", timeless, "query has no time, so no memory is valid at it", "queries have no time, so no memory is valid at them")
	for _, s := range f.compiled {
		var never []string // ids
		for _, in := range s.ingests {
			if in.store == nil {
				continue
			}
			in.valid = make([]span, len(in.Memories))
			for i := range in.Memories {
				m := &in.Memories[i]
				valid, err := m.span()
				if err != nil {
					file, line := in.origin.memory(i)
					faults.Add(file, line, fmt.Sprintf("memory %q: %v", m.ID, err), "")
				}
				if err == nil && m.ValidFrom != "" && m.ValidTo != "" && valid.to <= valid.from {
					never = append(never, m.ID)
				}
				in.valid[i] = valid
			}
		}
		var told names
		slices.Sort(never) // whatever the order of stores
		for _, id := range never {
			told.add(id)
		}
		f.note("never-valid", s.Name, told, "memory ends no later than it begins, and is valid at no time", "memories end no later than they begin, and are valid at no time")
	}
}

// span is when the memory is valid.
func (m *Memory) span() (span, error) {
	valid := always
	if m.ValidFrom != "" {
		at, err := parseTime(m.ValidFrom)
		if err != nil {
			return span{}, fmt.Errorf("valid_from %w", err)
		}
		valid.from = at
	}
	switch {
	case m.ValidTo != "":
		at, err := parseTime(m.ValidTo)
		if err != nil {
			return span{}, fmt.Errorf("valid_to %w", err)
		}
		valid.to = at
	case m.Status != "" && m.Status != statusActive:
		return span{}, nil // holds no time: from 0 to 0
	}
	return valid, nil
}
