package scenarios

import (
	"context"
	"errors"
	"fmt"

	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/tiaptest"
)

// Option chooses how a benchmark is read. What is chosen stands in the summary.
type Option func(*settings) error

// Strict takes evidence ids literally: one that is no turn as it stands is left
// out. Without it, ids are normalised: several in one string are split, and
// misspelt ones mended.
func Strict() Option {
	return func(s *settings) error { s.strict = true; return nil }
}

// OriginalInfo makes the outdated statements that the knowledge updates of BEAM
// name as original_info evidence too, beside the updated_info.
func OriginalInfo() Option {
	return func(s *settings) error {
		s.originalInfo = true
		return s.only("original info", beamName)
	}
}

// Corrections replaces the evidence of single queries by that of an overlay file:
// one JSON object a line, {"query", "evidence", "reason"}, evidence as in
// queries.jsonl, which may be compressed. [] makes a query unscorable. A
// correction of a query or a turn that does not exist is an error, and so is a
// second one of the same query or one without a reason.
func Corrections(file string) Option {
	return func(s *settings) (err error) {
		switch {
		case file == "":
			return errors.New("corrections: name a file")
		case s.overlay != nil:
			return errors.New("corrections are given twice; put them into one file")
		}
		s.overlay, err = readOverlay(file)
		return err
	}
}

// Headline declares the headline target of the scenario: the one that matches what
// the deployed system serves.
func Headline(t tiaptest.Target) Option {
	return func(s *settings) error { s.headline = t.String(); return nil }
}

// Progress calls f as the source is read, with the bytes read so far and in all.
func Progress(f func(read, total int64)) Option {
	return func(s *settings) error { s.progress = f; return nil }
}

// settings are the choices for one reading, and what it met.
type settings struct {
	ctx          context.Context // of the one call that the settings are for
	format       string
	strict       bool
	originalInfo bool
	gold         string
	fallback     bool
	overlay      *overlay // of corrections; nil when there are none
	ranked       *ranked  // nil when carried memories are not ranked
	headline     string
	progress     func(read, total int64)

	summary Summary
	tally   tally.Tally
}

func newSettings(format string, opts []Option) (*settings, error) {
	s := &settings{ctx: context.Background(), format: format, gold: defaultGold(format)}
	var errs []error
	for _, o := range opts {
		if o != nil {
			errs = append(errs, o(s))
		}
	}
	return s, errors.Join(errs...)
}

// only refuses an option for another benchmark.
func (s *settings) only(option, format string) error {
	if s.format != format {
		return fmt.Errorf("%s: an option of %s, not of %s; leave it out", option, format, s.format)
	}
	return nil
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
