package report

import "strings"

// rulesSection says which rules the audit keeps.
func (b *builder) rulesSection() (section, error) {
	s := section{id: "rules", title: "Rules"}
	t := table{caption: words("Rules that were checked"), head: columns("rule", "result")}
	var details []block
	for _, r := range b.o.rules {
		result := cell{text: words("holds"), tone: good}
		for _, v := range r.Verify(b.a) {
			if v.Note {
				if result.tone == good {
					result = cell{text: words("holds, with a note"), tone: warn}
				}
			} else {
				result = cell{text: words("broken"), tone: bad}
			}
			sentence, rest, _ := strings.Cut(strings.TrimSpace(v.Text), "\n")
			if rest == "" {
				details = append(details, paragraph{text: quoted(sentence)})
			} else {
				details = append(details, group{title: quoted(sentence), folded: true, blocks: []block{newMessage(rest)}})
			}
		}
		t.rows = append(t.rows, []cell{{text: quoted(r.String())}, result})
	}
	if len(t.rows) > 0 {
		s.blocks = append([]block{t}, details...)
	}
	return s, nil
}
