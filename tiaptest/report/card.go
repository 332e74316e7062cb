package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// cardSection is the reporting card of the audit.
func (b *builder) cardSection() (section, error) {
	s := section{id: "card", title: "Reporting card"}
	card, err := sensitivity.NewCard(b.a)
	if err != nil {
		return s, err
	}
	t := table{caption: words("What has to be stated for scores to be compared (TIAP, arXiv 2605.24060, appendix H)"), head: columns("practice", "followed", "what is missing")}
	for _, p := range card.Practices {
		c := cell{text: words("yes"), tone: good}
		if !p.Holds {
			c = cell{text: words("no"), tone: bad}
		}
		t.rows = append(t.rows, cells(p.Asks, c, quoted(strings.Join(p.Missing, "; "))))
	}
	s.blocks = []block{t}
	if p := card.Proposed; p.Target != nil {
		s.blocks = append(s.blocks, paragraph{text: words("What the stores serve fits the headline target ", foreign(*p.Target), ": ", quoted(p.Why), ".")})
	} else {
		s.blocks = append(s.blocks, paragraph{text: words("No headline target is proposed: ", quoted(p.Why), ".")})
	}
	systems := table{caption: words("What the systems say of themselves"), head: columns("system", "retrieval unit", "lineage", "unavailable", "covers no query", "forms of memory")}
	said := func(s string) cell {
		if s == "" {
			return cell{text: words("not said"), tone: bad}
		}
		return cell{text: quoted(s)}
	}
	listed := func(names []string) cell {
		if len(names) == 0 {
			return cell{text: words("-"), tone: muted}
		}
		return cell{text: foreigns(names), tone: warn}
	}
	for _, of := range card.Systems {
		var forms []text
		for _, f := range of.Forms[:min(maxForms, len(of.Forms))] {
			meaning := words("not said")
			switch {
			case f.Meaning != "":
				meaning = quoted(f.Meaning)
			case f.Form == "raw":
				meaning = words("the turns")
			}
			forms = append(forms, words(foreign(cmp.Or(f.Form, "no form")), fmt.Sprintf(" (%d): ", f.Memories), meaning))
		}
		if n := len(of.Forms) - maxForms; n > 0 {
			forms = append(forms, words(fmt.Sprintf("and %d more", n)))
		}
		systems.rows = append(systems.rows, cells(foreign(of.System), said(of.Unit), said(of.Lineage), listed(of.Unavailable), listed(of.Uncovering), joined(forms, "; ")))
	}
	s.blocks = append(s.blocks, systems.limit(maxPairs))
	return s, nil
}

// maxForms is how many forms of a system's memories are described.
const maxForms = 8
