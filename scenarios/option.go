package scenarios

import (
	"errors"

	"github.com/tiaptest/tiap/internal/tally"
)

// Option chooses how a benchmark is read. What is chosen stands in the summary.
type Option func(*settings) error

// Strict takes evidence ids literally: one that is no turn as it stands is left
// out. Without it, ids are normalised: several in one string are split, and
// misspelt ones mended.
func Strict() Option {
	return func(s *settings) error { s.strict = true; return nil }
}

// Corrections replaces the evidence of single queries by that of an overlay file:
// one JSON object a line, {"query", "evidence", "reason"}, evidence as in
// queries.jsonl. A correction of a query or a turn that does not exist is an
// error.
func Corrections(file string) Option {
	return func(s *settings) error {
		if file == "" {
			return errors.New("corrections: name a file")
		}
		s.corrections = file
		return nil
	}
}

// Progress calls f as the source is read, with the bytes read so far and in all.
func Progress(f func(read, total int64)) Option {
	return func(s *settings) error { s.progress = f; return nil }
}

// settings are the choices for one reading, and what it met.
type settings struct {
	strict      bool
	corrections string
	progress    func(read, total int64)

	summary Summary
	tally   tally.Tally
}

func newSettings(opts []Option) (*settings, error) {
	s := &settings{}
	var errs []error
	for _, o := range opts {
		errs = append(errs, o(s))
	}
	return s, errors.Join(errs...)
}

// rule notes a choice for the summary.
func (s *settings) rule(text string) { s.summary.Rules = append(s.summary.Rules, text) }

// count adds a part to the summary.
func (s *settings) count(p part) {
	s.summary.Turns += len(p.turns)
	s.summary.Memories += len(p.memories)
	s.summary.Queries += len(p.queries)
	for i := range p.queries {
		if n := len(p.queries[i].Evidence); n > 0 {
			s.summary.Scorable++
			s.summary.Units += n
		}
	}
}

// done returns the summary of a reading that is complete.
func (s *settings) done() Summary {
	s.summary.Notes = notes(&s.tally)
	return s.summary
}
