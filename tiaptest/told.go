package tiaptest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
)

// told is a violation on its way to a message, which says once what the flips in it
// have in common.
type told struct {
	Violation
	flip *toldFlip // that NoWinnerFlip fails for, nil for anything else
}

type toldFlip struct {
	audit *Audit
	pair  *Pair
	flip  *Flip
}

// alone are violations that are read one by one.
func alone(vs []told) []Violation {
	var out []Violation
	for _, v := range vs {
		out = append(out, v.Violation)
	}
	return out
}

// message is what a test prints of violations. What they name comes from files, and
// none of its lines may be a command to the log of a CI runner. Of flips beyond those
// that it tells in full it has the sentence.
func message(vs []told, full bool) string {
	most := phrase.Shown(full)
	var texts, sentences []string
	said := make(map[string]bool)
	for _, group := range alike(vs) {
		text := group[0].Text
		if len(group) > 1 {
			text = flipsText(group, full)
		}
		if said[text] { // as what is noted for each metric
			continue
		}
		said[text] = true
		if group[0].flip != nil {
			if most--; most < 0 {
				sentence, _, _ := strings.Cut(text, "\n")
				sentences = append(sentences, sentence)
				continue
			}
		}
		texts = append(texts, text)
	}
	if len(sentences) > 0 {
		text := fmt.Sprintf("and %s, in full %s:", english.Count(len(sentences), "more flip", "more flips"), inReport)
		texts = append(texts, text+"\n    "+strings.Join(sentences, "\n    "))
	}
	return harmless.Guard(strings.Join(texts, "\n\n"))
}

// alike puts the flips of two systems together that name the same winners, by
// whatever metric, each flip once. All else stays alone.
func alike(vs []told) [][]told {
	type measure struct{ a, b, metric string }
	winners := make(map[measure]map[string]string)
	key := func(f *toldFlip) measure { return measure{f.pair.A, f.pair.B, f.pair.Metric} }
	for _, v := range vs {
		if v.flip == nil {
			continue
		}
		at := winners[key(v.flip)]
		if at == nil {
			at = make(map[string]string)
			winners[key(v.flip)] = at
		}
		for _, t := range v.flip.flip.Targets {
			at[t] = *v.flip.pair.Winners[t]
		}
	}
	var groups [][]told
	number := make(map[string]int)
	for _, v := range vs {
		if v.flip == nil {
			groups = append(groups, []told{v})
			continue
		}
		of := key(v.flip)
		name := fmt.Sprintf("%q %q %q", of.a, of.b, winners[of]) // maps are printed in order
		n, ok := number[name]
		if !ok {
			n = len(groups)
			number[name] = n
			groups = append(groups, nil)
		}
		twice := func(w told) bool { return w.flip.pair == v.flip.pair && w.flip.flip == v.flip.flip }
		if !slices.ContainsFunc(groups[n], twice) {
			groups[n] = append(groups[n], v)
		}
	}
	return groups
}

// flipsText is the message of flips that name the same winners: the scores by the
// first metric, a line for each flip, and the carriers of the first.
func flipsText(group []told, full bool) string {
	first := group[0].flip
	a, p := first.audit, first.pair
	var metrics []string
	for _, v := range group {
		if m := v.flip.pair.Metric; !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "winner flip on %s: %s (%s)\n", english.List(metrics), picks(group), grades(flipsOf(group)))
	a.writeBasis(&b, p)
	b.WriteByte('\n')
	a.writeGaps(&b, p, p.Metric)
	b.WriteByte('\n')
	writeFlips(&b, group)
	b.WriteByte('\n')
	for _, line := range distinct(group, func(f *toldFlip) string { return a.gradeText(f.pair, f.flip, shifts(group, f.flip.Grade)...) }) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	if others := metrics[1:]; len(others) > 0 {
		fmt.Fprintf(&b, "    scores and p values by %s are %s\n", english.List(others), inReport)
	}
	writeConventions(&b, group, metrics)
	a.writeCarriers(&b, p, first.flip, fmt.Sprintf("%s, %s and %s: ", p.Metric, first.flip.Targets[0], first.flip.Targets[1]), full)
	for _, line := range distinct(group, func(f *toldFlip) string { return f.audit.endedText(f.flip) }) {
		fmt.Fprintln(&b, line)
	}
	var entries []findingFile
	for _, v := range group {
		if f := v.flip; f.audit.endedText(f.flip) == "" {
			entries = append(entries, f.flip.entry())
		}
	}
	if len(entries) > 0 {
		fmt.Fprintln(&b, a.acceptance(entries))
	}
	return strings.TrimRight(b.String(), "\n")
}

// picks says which targets pick which system.
func picks(group []told) string {
	first := group[0].flip
	of := make(map[string][]string) // targets by winner, in the order of the audit
	for _, t := range first.audit.r.targets {
		for _, v := range group {
			if slices.Contains(v.flip.flip.Targets[:], t.name) {
				winner := *v.flip.pair.Winners[t.name]
				of[winner] = append(of[winner], t.name)
				break
			}
		}
	}
	var parts []string
	for _, t := range first.flip.Targets {
		winner := *first.pair.Winners[t]
		parts = append(parts, fmt.Sprintf("%s %s %s", english.List(of[winner]), english.Noun(len(of[winner]), "picks", "pick"), winner))
	}
	return strings.Join(parts, ", ")
}

// grades counts the grades of flips.
func grades(flips []*Flip) string {
	n := make(map[Grade]int)
	for _, f := range flips {
		n[f.Grade]++
	}
	var parts []string
	for _, g := range []Grade{Decisive, Likely, Fragile, ""} {
		word := cmp.Or(string(g), "not graded")
		switch n[g] {
		case 0:
		case len(flips):
			return word
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n[g], word))
		}
	}
	return strings.Join(parts, ", ")
}

// flipsOf are the flips of a group.
func flipsOf(group []told) []*Flip {
	var out []*Flip
	for _, v := range group {
		out = append(out, v.flip.flip)
	}
	return out
}

// shifts are those of the flips of a grade.
func shifts(group []told, grade Grade) (out []Gap) {
	for _, v := range group {
		if v.flip.flip.Grade == grade {
			out = append(out, v.flip.flip.Shift)
		}
	}
	return out
}

// writeFlips writes a line for each flip.
func writeFlips(b *strings.Builder, group []told) {
	rows := [][]string{{"metric", "targets", "gaps " + group[0].flip.pair.A + "-" + group[0].flip.pair.B, "shift", "grade", "carried by", "leave out"}}
	for _, v := range group {
		p, f := v.flip.pair, v.flip.flip
		leave := "-"
		if f.LeaveOut != nil {
			leave = fmt.Sprint(*f.LeaveOut)
		}
		rows = append(rows, []string{
			p.Metric, f.Targets[0] + ", " + f.Targets[1], phrase.Signed(*p.Gaps[f.Targets[0]].Value) + ", " + phrase.Signed(*p.Gaps[f.Targets[1]].Value),
			f.Shift.text(), cmp.Or(string(f.Grade), "-"), fmt.Sprint(f.CarriedBy), leave,
		})
	}
	_ = table.Write(b, "    ", rows)
}

// writeConventions says who leads by other conventions, and by which metrics where
// that is not so by all.
func writeConventions(b *strings.Builder, group []told, metrics []string) {
	var lines []string
	by := make(map[string][]string)
	for _, v := range group {
		for _, line := range v.flip.audit.conventionLines(v.flip.pair) {
			if by[line] == nil {
				lines = append(lines, line)
			}
			if !slices.Contains(by[line], v.flip.pair.Metric) {
				by[line] = append(by[line], v.flip.pair.Metric)
			}
		}
	}
	for _, line := range lines {
		if len(by[line]) < len(metrics) {
			line += " (" + english.List(by[line]) + ")"
		}
		fmt.Fprintf(b, "    %s\n", line)
	}
}

// distinct are the texts of flips, each once and in order, without empty ones.
func distinct(group []told, text func(*toldFlip) string) []string {
	var out []string
	for _, v := range group {
		if s := text(v.flip); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
