package sensitivity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// Card says under what the scores of a benchmark stand: the four practices whose
// lack the reporting audit of arXiv 2605.24060 (appendix H) found, as
// [tiaptest.TargetsReported] checks them, with the conventions, the number of
// queries and the scores that they are about. It belongs beside published scores.
type Card struct {
	Scenario   string   `json:"scenario"`
	Queries    int      `json:"queries"` // unscorable ones included
	Unscorable int      `json:"unscorable"`
	Headline   *string  `json:"headline"` // nil when none is declared
	Proposed   Proposal `json:"proposed"`

	Targets    []string `json:"targets"` // main ones first
	Credit     string   `json:"credit"`
	Uncovered  string   `json:"uncovered"`
	Population string   `json:"population"`
	Depth      int      `json:"depth"`
	Metric     string   `json:"metric"` // of the scores: the audit's first one
	Shared     int      `json:"shared"` // queries of the shared subset

	Practices []Practice   `json:"practices"`
	Systems   []CardSystem `json:"systems"`
}

// Practice is one of the four things that a report of scores must state.
type Practice struct {
	Name    string   `json:"name"` // headline, beside, systems, unavailable
	Asks    string   `json:"asks"`
	Holds   bool     `json:"holds"`
	Missing []string `json:"missing"` // what does not hold, a statement each
}

// CardSystem says what a system is and what its scores are.
type CardSystem struct {
	System      string      `json:"system"`
	Unit        string      `json:"unit"`    // retrieval unit; empty when it is not said
	Lineage     string      `json:"lineage"` // where its lineage comes from; empty when it is not said
	Forms       []CardForm  `json:"forms"`
	Unavailable []string    `json:"unavailable"` // targets that its store has no lineage for
	Uncovering  []string    `json:"uncovering"`  // targets with lineage that cover no query
	Scores      []CardScore `json:"scores"`
}

// CardForm is one form of memories.
type CardForm struct {
	Form     string `json:"form"`
	Memories int    `json:"memories"` // stored, over all ingests
	Meaning  string `json:"meaning"`  // what the system says that it is
}

// CardScore is a score under one target.
type CardScore struct {
	Target string   `json:"target"`
	Metric string   `json:"metric"`
	N      int      `json:"n"`
	Value  *float64 `json:"value"` // nil when the target has no score
}

// NewCard makes the card of an audit.
func NewCard(a *tiaptest.Audit) (*Card, error) {
	r, err := readAudit(a)
	if err != nil {
		return nil, err
	}
	s := r.Settings
	c := &Card{
		Scenario: r.Scenario.Name, Queries: r.Scenario.Queries, Unscorable: r.Scenario.Unscorable,
		Headline: s.Headline, Targets: slices.Concat(s.Targets, s.Beside),
		Credit: s.Credit, Uncovered: s.Uncovered, Population: s.Population, Depth: s.Depth,
		Metric: s.Metrics[0], Shared: r.Shared.N,
	}
	var described []*tiaptest.System
	for i := range r.Systems {
		info := &r.Systems[i]
		at := slices.IndexFunc(a.Bundle().Systems, func(s *tiaptest.System) bool { return s.Name == info.Name })
		system := a.Bundle().Systems[at]
		described = append(described, system)
		c.Systems = append(c.Systems, c.system(info, system, r.Scores))
	}
	c.Proposed = propose(described)
	c.Practices = []Practice{c.headline(), c.beside(), c.described(), c.available(r.Diagnostics)}
	return c, nil
}

// system describes a system, of which the audit says less than the bundle.
func (c *Card) system(info *auditjson.System, s *tiaptest.System, scores []auditjson.Score) CardSystem {
	out := CardSystem{
		System: info.Name, Unit: info.Unit, Lineage: info.Lineage,
		Forms: []CardForm{}, Unavailable: info.Unavailable, Uncovering: []string{}, Scores: []CardScore{},
	}
	forms := slices.Collect(maps.Keys(info.Forms))
	for form := range s.Forms {
		if _, stored := info.Forms[form]; !stored {
			forms = append(forms, form)
		}
	}
	for _, form := range slices.Sorted(slices.Values(forms)) {
		out.Forms = append(out.Forms, CardForm{form, info.Forms[form], s.Forms[form]})
	}
	for _, target := range c.Targets {
		if n, ok := info.Covered[target]; ok && n == 0 {
			out.Uncovering = append(out.Uncovering, target)
		}
	}
	for _, row := range scores {
		if row.System == info.Name && row.Subset == c.Population && row.Metric == c.Metric {
			out.Scores = append(out.Scores, CardScore{row.Target, row.Metric, row.N, row.Value})
		}
	}
	return out
}

// Holds reports whether all practices are followed. It is so exactly when
// [tiaptest.TargetsReported] holds.
func (c *Card) Holds() bool {
	return !slices.ContainsFunc(c.Practices, func(p Practice) bool { return !p.Holds })
}

func practice(name, asks string, missing []string) Practice {
	if missing == nil {
		missing = []string{}
	}
	return Practice{name, asks, len(missing) == 0, missing}
}

func (c *Card) headline() Practice {
	var missing []string
	if c.Headline == nil {
		missing = append(missing, "no headline target is declared")
	}
	return practice("headline", "a headline target is declared", missing)
}

func (c *Card) beside() Practice {
	var missing, have []string
	for _, target := range c.Targets {
		if slices.ContainsFunc(c.Systems, func(s CardSystem) bool { return s.has(target) }) {
			have = append(have, phrase.Name(target))
		}
	}
	switch len(have) {
	case 0:
		missing = append(missing, "no target has a score")
	case 1:
		missing = append(missing, "no target is scored beside "+have[0])
	}
	return practice("beside", "another target is scored beside it", missing)
}

// has reports whether a target covers a query of the system.
func (s *CardSystem) has(target string) bool {
	return !slices.Contains(s.Unavailable, target) && !slices.Contains(s.Uncovering, target)
}

func (c *Card) described() Practice {
	var missing []string
	for _, s := range c.Systems {
		name := phrase.Name(s.System)
		if s.Unit == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say its retrieval unit", name))
		}
		if s.Lineage == "" {
			missing = append(missing, fmt.Sprintf("system %s does not say where its lineage comes from", name))
		}
		var unsaid []string
		for _, f := range s.Forms {
			if f.Memories > 0 && f.Form != "raw" && f.Meaning == "" {
				unsaid = append(unsaid, phrase.Name(f.Form))
			}
		}
		if len(s.Forms) == 0 {
			unsaid = append(unsaid, "each form of its memories")
		}
		if len(unsaid) > 0 {
			missing = append(missing, fmt.Sprintf("system %s does not say what %s is", name, strings.Join(unsaid, ", ")))
		}
	}
	return practice("systems", "each system says its forms, its retrieval unit and where its lineage comes from", missing)
}

func (c *Card) available(noticed []auditjson.Diagnostic) Practice {
	var missing []string
	for _, s := range c.Systems {
		switch h := c.Headline; {
		case h == nil:
		case slices.Contains(s.Unavailable, *h):
			statement := fmt.Sprintf("system %s has no lineage for the headline target %s", phrase.Name(s.System), phrase.Name(*h))
			if why := unlabelled(noticed, s.System, *h); why != "" {
				statement = fmt.Sprintf("system %s has no score under the headline target %s, %s", phrase.Name(s.System), phrase.Name(*h), phrase.Text(why))
			}
			missing = append(missing, statement)
		case slices.Contains(s.Uncovering, *h):
			missing = append(missing, fmt.Sprintf("system %s covers no query under the headline target %s", phrase.Name(s.System), phrase.Name(*h)))
		}
	}
	return practice("unavailable", "unavailable targets are listed, and the headline is none of them", missing)
}

// unlabelled is what an audit says of a target that is unavailable in a system for want
// of support labels; empty when it is so for another reason.
func unlabelled(noticed []auditjson.Diagnostic, system, target string) string {
	for _, d := range noticed {
		why, ok := strings.CutPrefix(d.Text, "target "+target+" is unavailable: ")
		if ok && d.Kind == "unavailable" && d.System == system && strings.HasSuffix(why, " label") {
			return why
		}
	}
	return ""
}
