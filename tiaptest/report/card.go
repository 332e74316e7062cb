package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// cardSection is the reporting card: what a report must state for its scores to
// be compared.
func (b *builder) cardSection() (section, error) {
	s := section{id: "card", title: "Reporting card"}
	t := table{caption: words("What has to be stated for scores to be compared (TIAP, arXiv 2605.24060, appendix H)"), head: columns("practice", "stated", "what")}
	row := func(practice string, ok bool, what text) {
		c := cell{text: words("yes"), tone: good}
		if !ok {
			c = cell{text: words("no"), tone: bad}
		}
		t.rows = append(t.rows, []cell{{text: words(practice)}, c, {text: what}})
	}
	headline := b.headline()
	row("Headline target", headline != "", foreign(headline))
	others := slices.DeleteFunc(b.targets(), func(t string) bool { return t == headline })
	row("Other targets beside it", len(others) > 0, foreigns(others))
	row("Crediting and depth", true, words("by ", b.Settings.Credit, fmt.Sprintf(", depth %d", b.Settings.Depth)))
	row("Population", true, words(b.Settings.Population, ", ", b.sharedText()))
	var units, lineages, unavailable, incomplete []string
	for _, sys := range b.Systems {
		if sys.Unit == "" {
			units = append(units, sys.Name)
		}
		if sys.Lineage == "" {
			lineages = append(lineages, sys.Name)
		}
		if slices.Contains(sys.Unavailable, headline) {
			unavailable = append(unavailable, sys.Name)
		}
		if sys.Absent+sys.Failed > 0 {
			incomplete = append(incomplete, sys.Name)
		}
	}
	row("Retrieval unit of every system", len(units) == 0, lacking(units))
	row("Where the lineage comes from", len(lineages) == 0, lacking(lineages))
	row("Headline available everywhere", headline != "" && len(unavailable) == 0, lacking(unavailable))
	row("Every query answered by every system", len(incomplete) == 0, lacking(incomplete))
	s.blocks = []block{t}
	var missing list
	for _, v := range tiaptest.TargetsReported().Verify(b.a) {
		for l := range strings.Lines(v.Text) {
			if l = strings.TrimSpace(l); l != "" && !v.Note {
				missing = append(missing, quoted(l))
			}
		}
	}
	if len(missing) > 0 {
		const most = 20
		if n := len(missing) - most; n > 0 {
			missing = append(missing[:most:most], words(fmt.Sprintf("and %d more", n)))
		}
		s.blocks = append(s.blocks, group{title: words("What the rule TargetsReported misses"), blocks: []block{missing}})
	}
	return s, nil
}

// lacking names the systems that do not state something.
func lacking(names []string) text {
	if len(names) == 0 {
		return nil
	}
	const most = 5
	out := words("missing in ", foreigns(names[:min(most, len(names))]))
	if n := len(names) - most; n > 0 {
		out = words(out, fmt.Sprintf(" and %d more", n))
	}
	return out
}
