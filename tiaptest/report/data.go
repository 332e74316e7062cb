package report

// noticedSection lists the diagnostics.
func (b *builder) noticedSection() (section, error) {
	s := section{id: "noticed", title: "Noticed", details: true}
	t := table{caption: words("What was noticed in the data"), head: columns("kind", "system", "query", "what")}
	for _, d := range b.Diagnostics {
		t.rows = append(t.rows, cells(foreign(d.Kind), foreign(d.System), foreign(d.Query), quoted(d.Text)))
	}
	if len(t.rows) == 0 {
		s.blocks = []block{paragraph{text: words("Nothing was noticed in the data.")}}
		return s, nil
	}
	s.blocks = []block{t.limit(maxNoticed)}
	return s, nil
}

// digestsSection names the data that was audited.
func (b *builder) digestsSection() (section, error) {
	s := section{id: "digests", title: "Data digests", details: true}
	t := table{caption: words("Digests of the content, whatever its order in files: equal ones mean equal content"), head: columns("of", "what", "digest")}
	t.rows = append(t.rows,
		cells(words("scenario"), words("queries with their evidence"), words(b.Scenario.Digest)),
		cells(words("shared subset"), words("ids of queries"), words(b.Shared.Digest)))
	for _, sys := range b.Systems {
		store, run, err := b.a.Digests(sys.Name)
		if err != nil {
			return s, err
		}
		t.rows = append(t.rows,
			cells(foreign(sys.Name), words("store"), words(store)),
			cells(foreign(sys.Name), words("run"), words(run)))
	}
	s.blocks = []block{t}
	return s, nil
}
