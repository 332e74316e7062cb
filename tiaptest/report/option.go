package report

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// Option adds to a report or changes its look. Of two options of one kind the
// later one holds.
type Option interface {
	fmt.Stringer
	set(*options)
}

type options struct {
	sensitivity *sensitivity.Report
	rules       []tiaptest.Rule
	composition []*semantic.Composition
	labels      *semantic.Labels
	counting    semantic.Options // of the labels
	width       *int
	colour      *bool
}

type option struct {
	name string
	f    func(*options)
}

func (o option) String() string    { return o.name }
func (o option) set(opts *options) { o.f(opts) }

func newOptions(opts []Option) options {
	var o options
	for _, opt := range opts {
		opt.set(&o)
	}
	return o
}

// Rules adds whether the audit keeps rules, and what breaks them.
func Rules(rules ...tiaptest.Rule) Option {
	return option{"Rules", func(o *options) { o.rules = rules }}
}

// Width is the number of characters that a line of [Text] may have; 0 means no
// limit. The default is the width of the terminal (COLUMNS when it is set, otherwise
// what the terminal says), and no limit when the text goes elsewhere.
func Width(n int) Option {
	return option{fmt.Sprintf("Width(%d)", n), func(o *options) { o.width = new(max(n, 0)) }}
}

// Colour says whether [Text] is coloured. By default it is on a terminal, unless
// TERM is dumb or not set. Where NO_COLOR is set there is none in any case.
func Colour(on bool) Option {
	return option{fmt.Sprintf("Colour(%t)", on), func(o *options) { o.colour = &on }}
}
