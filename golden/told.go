package golden

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
)

// told is what a message tells as one: what was found in one comparison, a finding
// that fails first, and by which further metrics the same was.
type told struct {
	found   []*Finding
	metrics []string
	blocks  []*block // by metric
	known   []accepted
}

// manner is how failures are told.
type manner struct {
	test  bool // by a test
	full  bool // with -v
	notes bool // with the notes
}

// failures is the message of what failed: each comparison once, with all that was
// found in it, and with the notes.
func (d *Difference) failures(a *tiaptest.Audit, how manner) string {
	var texts []string
	said := make(map[string]bool)
	for i, group := range d.told() {
		var b strings.Builder
		for j, f := range group.found {
			if j > 0 {
				b.WriteByte('\n')
			}
			if len(group.metrics) == 1 {
				b.WriteString(f.Text)
			} else {
				b.WriteString(f.by(group.metrics, f.shape))
			}
		}
		if i < phrase.Shown(how.full) {
			d.detail(&b, &group, a, how, said)
		}
		texts = append(texts, b.String())
	}
	if len(texts) == 0 {
		return ""
	}
	text := strings.Join(texts, "\n\n")
	if how.notes {
		for _, n := range d.Notes {
			text += "\n    note: " + n
		}
	}
	if d.accept != "" {
		text += "\n    to accept: " + d.accept
	}
	return harmless.Lines(text)
}

// told puts the failures together that are told as one.
func (d *Difference) told() []told {
	var out []told
	var done []*block
	number := make(map[string]int)
	for i := range d.Findings {
		f := &d.Findings[i]
		if !f.Fails || f.block != nil && slices.Contains(done, f.block) {
			continue
		}
		one := told{found: []*Finding{f}, metrics: []string{f.Metric}}
		key := fmt.Sprintf("%q %q", f.Systems, f.shape) // a tie names one of two
		if f.block != nil {
			done = append(done, f.block)
			one.blocks = []*block{f.block}
			one.known = d.acceptable(f)
			for j := range d.Findings {
				if g := &d.Findings[j]; g != f && g.block == f.block {
					one.found = append(one.found, g)
					key += fmt.Sprintf(" %q", g.shape)
				}
			}
		}
		n, ok := number[key]
		if !ok || f.Metric == "" {
			number[key] = len(out)
			out = append(out, one)
			continue
		}
		out[n].metrics = append(out[n].metrics, f.Metric)
		out[n].blocks = append(out[n].blocks, one.blocks...)
		out[n].known = append(out[n].known, one.known...)
	}
	return out
}

// by puts metrics into the text of a finding without any.
func (f *Finding) by(metrics []string, text string) string {
	head := len(words(f.Verdict))
	if strings.HasPrefix(text, knownPrefix) {
		head += len(knownPrefix)
	}
	return text[:head] + " on " + english.List(metrics) + text[head:]
}

// withoutMetric is the text of a finding without its metric.
func withoutMetric(f *Finding) string {
	return strings.Replace(f.Text, " on "+f.Metric, "", 1)
}

// knownPrefix begins the text of what is known.
const knownPrefix = "known: "

// detail writes what findings rest on, without what was said before.
func (d *Difference) detail(b *strings.Builder, group *told, a *tiaptest.Audit, how manner, said map[string]bool) {
	f := group.found[0]
	if f.block != nil {
		for _, line := range f.block.basis {
			if line == f.block.few && said[line] {
				continue
			}
			said[line] = true
			fmt.Fprintf(b, "\n    %s", line)
		}
		if len(f.block.rows) > 0 {
			fmt.Fprintf(b, "\n    %s\n\n", d.got.conventions())
			_ = table.Write(b, "    ", group.table())
		}
	}
	if len(f.Carriers) > 0 {
		which := ""
		if len(group.metrics) > 1 {
			which = f.Metric + ": "
		}
		d.carriers(b, f, which, a, how)
	}
	if len(group.known) > 0 {
		b.WriteString("\n    if this is known, ")
		if a != nil && a.ExplainCommand("") == "" { // a bundle in code has no folder
			b.WriteString("state it with tiaptest.Known and a reason")
		} else {
			b.WriteString("add it with a reason to the list in accepted.json of the bundle:" + phrase.Entries(group.known, "        "))
		}
	}
}

// table is what the comparisons measured, by metric where there are several.
func (t *told) table() [][]string {
	var all []row
	for _, k := range t.blocks {
		all = append(all, k.rows...)
	}
	how := columns{noise: slices.ContainsFunc(all, func(r row) bool { return r.Floor > 0 })}
	for _, r := range all {
		if r.NowCI != nil && !slices.Contains(how.now, r.nowLevel) {
			how.now = append(how.now, r.nowLevel)
		}
		if r.ChangeCI != nil && !slices.Contains(how.change, r.changeLevel) {
			how.change = append(how.change, r.changeLevel)
		}
	}
	var rows [][]string
	for i, k := range t.blocks {
		own := k.table(how)
		if i > 0 {
			own = own[1:]
		}
		for j := range own {
			switch {
			case len(t.blocks) == 1:
			case i == 0 && j == 0:
				own[j] = slices.Insert(own[j], 0, "metric")
			default:
				own[j] = slices.Insert(own[j], 0, t.metrics[i])
			}
		}
		rows = append(rows, own...)
	}
	return rows
}

// columns say what the columns of a table are: whether there is one for noise, and the
// levels of the intervals in two others.
type columns struct {
	noise       bool
	now, change []string
}

// headOf names a column of intervals with their level, if that is one.
func headOf(levels []string, what string) string {
	if len(levels) == 1 {
		return levels[0] + " " + what
	}
	return what
}

// interval is one in a column, with its level where the head has none.
func interval(ci []float64, level string, levels []string) string {
	text := phrase.Interval(ci)
	if ci != nil && len(levels) > 1 {
		text += " at " + level
	}
	return text
}

// table is what a comparison measured.
func (k *block) table(how columns) [][]string {
	head := []string{"target", "recorded " + k.what, "now", headOf(how.now, "CI"), "change", headOf(how.change, "CI of change")}
	if !k.gap {
		head = slices.Delete(head, 3, 4)
	}
	if how.noise {
		head = append(head, "noise")
	}
	rows := [][]string{head}
	for _, r := range k.rows {
		cells := []string{r.Target, phrase.Signed(r.Recorded), phrase.Signed(r.Now)}
		if !k.gap {
			cells = []string{r.Target, fmt.Sprintf("%.4f", r.Recorded), fmt.Sprintf("%.4f", r.Now)}
		}
		if k.gap {
			cells = append(cells, interval(r.NowCI, r.nowLevel, how.now))
		}
		cells = append(cells, phrase.Signed(r.Change), interval(r.ChangeCI, r.changeLevel, how.change))
		if how.noise {
			cells = append(cells, fmt.Sprintf("%.4f", r.Floor))
		}
		rows = append(rows, cells)
	}
	return rows
}

// carriers names the queries that carry a finding. which says by which metric.
func (d *Difference) carriers(b *strings.Builder, f *Finding, which string, a *tiaptest.Audit, how manner) {
	n := len(f.Carriers)
	if f.CarriedBy > 0 {
		n = f.CarriedBy
		fmt.Fprintf(b, "\n    %scarried by %s", which, english.Count(n, "query", "queries"))
		if f.LeaveOut > 0 {
			fmt.Fprintf(b, "; leaving out %d brings back what was recorded", f.LeaveOut)
		}
	} else {
		fmt.Fprintf(b, "\n    %s", english.Count(n, "query", "queries"))
	}
	b.WriteString(":")
	listed := min(phrase.Shown(how.full), len(f.Carriers))
	for _, c := range f.Carriers[:listed] {
		fmt.Fprintf(b, "\n        %s", cite(a, c.Query))
		if c.Shift != 0 {
			fmt.Fprintf(b, ": %s", phrase.Signed(c.Shift))
		}
		b.WriteString(d.credits(f, c.Query, a))
	}
	if n > listed {
		fmt.Fprintf(b, "\n        and %d more%s", n-listed, elsewhere(listed, len(f.Carriers), how))
	}
	if a != nil {
		if look := a.ExplainCommand(f.Carriers[0].Query); look != "" {
			fmt.Fprintf(b, "\n    look: %s", look)
		}
		if d.base != nil {
			if look := d.base.ExplainCommand(f.Carriers[0].Query); look != "" {
				fmt.Fprintf(b, "\n    before: %s", look)
			}
		}
	}
}

// elsewhere says what names more of the carriers that a finding keeps.
func elsewhere(listed, kept int, how manner) string {
	switch {
	case listed == kept:
		return ""
	case how.test && !how.full:
		return fmt.Sprintf("; -v names %d", min(kept, phrase.Shown(true)))
	}
	return fmt.Sprintf("; tiaptest gate -format json names %d", kept)
}

// credits says where the systems of a finding earn the first credit for a query,
// recorded and now, and for a memory of which form, where an audit tells.
func (d *Difference) credits(f *Finding, query string, a *tiaptest.Audit) string {
	text, last := "", ""
	for _, c := range f.ranks[query] {
		if c.target != last {
			text += fmt.Sprintf("; first credit under %s at rank: ", c.target)
		} else {
			text += ", "
		}
		last = c.target
		text += fmt.Sprintf("%s %s%s -> %s%s", c.system, c.was, formAt(d.base, &c, query, c.was), c.is, formAt(a, &c, query, c.is))
	}
	return text
}

// formAt names the form of the memory that a system ranks somewhere, in brackets: ""
// where there is no telling, or where the target has the same name.
func formAt(a *tiaptest.Audit, c *credit, query, rank string) string {
	at, err := strconv.Atoi(rank)
	if a == nil || err != nil {
		return ""
	}
	systems := a.Bundle().Systems
	i := slices.IndexFunc(systems, func(s *tiaptest.System) bool { return s.Name == c.system })
	if i < 0 || len(systems[i].Ingests) != 1 {
		return ""
	}
	in := systems[i].Ingests[0]
	k, _ := in.Run.Ranking(query)
	if at < 1 || at > len(k.IDs) { // as where lists are merged
		return ""
	}
	j := slices.IndexFunc(in.Memories, func(m tiaptest.Memory) bool { return m.ID == k.IDs[at-1] })
	if j < 0 || in.Memories[j].Form == c.target {
		return ""
	}
	return " (" + phrase.Name(in.Memories[j].Form) + ")"
}

// accepted is an entry of accepted.json.
type accepted struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Metric  string   `json:"metric"`
	Targets []string `json:"targets"`
	Reason  string   `json:"reason"`
}

// acceptable lists the entries that would make the failing flips of a comparison
// known ones.
func (d *Difference) acceptable(f *Finding) []accepted {
	var out []accepted
	for _, g := range d.Findings {
		if g.Verdict == NewFlip && g.Fails && g.block == f.block {
			out = append(out, accepted{g.Systems[0], g.Systems[1], g.Metric, g.Targets, "..."})
		}
	}
	return out
}
