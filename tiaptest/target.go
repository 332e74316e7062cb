package tiaptest

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/lineage"
)

// Target is the rule that says which memories may earn credit for an evidence
// unit. Targets are values with a name; two targets of one audit need different
// names.
type Target struct {
	name string
	base base

	eligible func(m Memory, links []Link, u Unit) bool // of a target made by NewTarget

	exact, inferred, current, validAt bool

	look     func(system string, q Query, m Memory) standing // of a target made by Passing or Labelled
	labelled bool                                            // made by Labelled
	labels   int                                             // how many those have
}

type base uint8

const (
	baseNone base = iota
	baseRaw
	baseSource
	baseCanonical
	baseOwn   // a user's predicate
	baseNamed // known by name only: a qrels file
)

// The three targets of the TIAP protocol (arXiv 2605.24060, section 3). Raw and
// Canonical credit disjoint sets of memories, and Source credits both.
var (
	// Raw credits a memory of form "raw" that holds a turn of the unit.
	Raw = Target{name: "raw", base: baseRaw}
	// Source credits every memory that descends from a turn of the unit.
	Source = Target{name: "source", base: baseSource}
	// Canonical credits what Source does, without raw forms and without
	// memories that the system does not serve.
	Canonical = Target{name: "canonical", base: baseCanonical}
)

// NewTarget returns a target with a rule of its own. eligible is asked about
// each memory that descends from a turn of the unit u; links are the memory's
// links to the turns of u, own and through parents. It must depend on its
// arguments alone and may be called from several goroutines.
//
// Without a function the target is a name alone: no audit of stores can be made by it,
// and to the methods of an audit it stands for the audit's target of that name.
func NewTarget(name string, eligible func(m Memory, links []Link, u Unit) bool) Target {
	return Target{name: name, base: baseOwn, eligible: eligible}
}

// Current narrows a target to memories that are neither superseded nor deleted.
func Current(t Target) Target {
	t.current = true
	t.name = "current(" + t.name + ")"
	return t
}

// ValidAt narrows a target to memories that were valid when the query was asked:
// from valid_from on, and before valid_to. An end that is not given is open, but a
// superseded or deleted memory without valid_to was valid at no known time. Times
// are dates or RFC 3339; without a zone they are UTC. For a query without a time
// the target credits nothing, so it is not covered.
func ValidAt(t Target) Target {
	t.validAt = true
	t.name = "validat(" + t.name + ")"
	return t
}

// Exact narrows a target to links of precision exact all along the way.
func Exact(t Target) Target {
	t.exact = true
	t.name = "exact(" + t.name + ")"
	return t
}

// Inferred widens a target to links of origin inferred, which earn no credit
// otherwise.
func Inferred(t Target) Target {
	t.inferred = true
	t.name = "inferred(" + t.name + ")"
	return t
}

// rule names how the target was made. Functions cannot be compared, so that targets by
// different ones have the same rule.
func (t Target) rule() string {
	text := map[base]string{baseRaw: "Raw", baseSource: "Source", baseCanonical: "Canonical", baseOwn: "NewTarget"}[t.base]
	var narrowed []string
	for _, m := range []struct {
		name string
		made bool
	}{
		{"Current", t.current}, {"ValidAt", t.validAt}, {"Exact", t.exact}, {"Inferred", t.inferred},
		{"Passing", t.look != nil && !t.labelled}, {"Labelled", t.labelled},
	} {
		if m.made {
			narrowed = append(narrowed, m.name)
		}
	}
	if len(narrowed) > 0 {
		text += " with " + english.List(narrowed)
	}
	return text
}

// nameAlone reports whether nothing is known of the target but its name.
func (t Target) nameAlone() bool {
	return t.base == baseNone || t.base == baseNamed || t.base == baseOwn && t.eligible == nil
}

// String returns the target's name, such as "canonical" or "current(canonical)".
func (t Target) String() string { return t.name }

// parseTarget reads raw, source or canonical, or a modifier around one.
func parseTarget(name string) (Target, error) {
	switch name {
	case "raw":
		return Raw, nil
	case "source":
		return Source, nil
	case "canonical":
		return Canonical, nil
	}
	if inner, ok := strings.CutSuffix(name, ")"); ok {
		modifier, inner, _ := strings.Cut(inner, "(")
		wrap, ok := map[string]func(Target) Target{"current": Current, "exact": Exact, "inferred": Inferred, "validat": ValidAt}[modifier]
		if ok {
			t, err := parseTarget(inner)
			if err != nil {
				return t, err
			}
			return wrap(t), nil
		}
	}
	return Target{}, fmt.Errorf("unknown target %q; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one", name)
}

// routes returns those of the given routes along which credit may flow.
func (t *Target) routes(r lineage.Routes) lineage.Routes {
	if !t.inferred {
		r &= lineage.Recorded
	}
	if t.exact {
		r &= lineage.Precise
	}
	return r
}

// concerns reports whether the target could credit such a memory at all,
// whatever it descends from.
func (t *Target) concerns(m traits) bool {
	switch t.base {
	case baseRaw:
		return m&isRaw != 0
	case baseCanonical:
		return m&(isRaw|isNotServing) == 0
	}
	return true
}

// mayCredit reports whether a memory with these routes to the unit may earn credit
// for it, as far as routes, status, form and serving say: [scorer.eligibleTargets]
// asks for more.
func (t *Target) mayCredit(m traits, r lineage.Routes) bool {
	return t.routes(r) != 0 && !(t.current && m&isOutdated != 0) && t.concerns(m)
}

// traits are what targets ask about a memory, but for its links and times.
type traits uint8

const (
	isRaw traits = 1 << iota
	isNotServing
	isOutdated // superseded or deleted: any status but active
	hasParents
)

func (m *Memory) traits() (has traits) {
	if m.Form == formRaw {
		has |= isRaw
	}
	if m.NotServing {
		has |= isNotServing
	}
	if m.Status != "" && m.Status != statusActive {
		has |= isOutdated
	}
	if len(m.Parents) > 0 {
		has |= hasParents
	}
	return has
}

const (
	formRaw      = "raw"
	statusActive = "active"
)
