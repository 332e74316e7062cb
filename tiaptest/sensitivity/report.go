package sensitivity

// Report says what the target changes. Its JSON is part of no schema of an
// audit; the same table gives the same bytes.
type Report struct {
	Systems []string `json:"systems"`
	Targets []string `json:"targets"` // main ones first
	Metrics []string `json:"metrics"`
	Queries int      `json:"queries"`

	// What an audit was scored by; empty when the table comes from score files.
	Headline   string `json:"headline,omitempty"`
	Credit     string `json:"credit,omitempty"`
	Uncovered  string `json:"uncovered,omitempty"`
	Cluster    string `json:"cluster,omitempty"`    // scope: intervals and tests take conversations, not queries, as independent
	Population string `json:"population,omitempty"` // all counts uncovered queries as 0, so that coverage is not seen

	Changes       []Change       `json:"changes"`
	SizeShifts    []SizeShift    `json:"size_shifts"` // none when sizes are not known
	CoverageBias  []CoverageBias `json:"coverage_bias"`
	TargetOrders  []TargetOrder  `json:"target_orders"`
	Aggregations  []Aggregation  `json:"aggregations"`
	Agreement     []Agreement    `json:"agreement"`
	Alignment     []Alignment    `json:"alignment"`      // none without answers
	WinnerMatches []WinnerMatch  `json:"winner_matches"` // none without answers
	Power         []Power        `json:"power"`

	// Strangers are the answers of systems or to queries that have no scores, which
	// say nothing here; nil when there is none.
	Strangers *Strangers `json:"strangers,omitempty"`

	// Depths are those of metrics that the table has at several cut-offs. Those
	// of [Depths] may stand in their place.
	Depths []Depth `json:"depths"`

	// Conventions are the recommendations over every population as the table is
	// scored. Those of [Conventions] may stand in their place.
	Conventions []Convention `json:"conventions"`
}

// Analyze computes everything that a table supports. It is an error when the
// table has no scores, or when it has answers and none of them belongs to a
// query of the scores.
func Analyze(t *Table) (*Report, error) {
	f, err := t.frame()
	if err != nil {
		return nil, err
	}
	return &Report{
		Systems: f.systems, Targets: f.targets, Metrics: f.metrics, Queries: len(f.queries),
		Headline: t.headline, Credit: t.credit, Uncovered: t.uncovered, Cluster: t.cluster, Population: t.population,
		Changes:       f.changes(),
		SizeShifts:    f.sizeShifts(),
		CoverageBias:  f.coverageBias(),
		TargetOrders:  f.targetOrders(),
		Aggregations:  f.aggregations(),
		Agreement:     f.agreement(),
		Alignment:     f.alignments(),
		WinnerMatches: f.winnerMatches(),
		Power:         f.power(),
		Strangers:     f.strangers,
		Depths:        f.depths(),
		Conventions:   f.conventions(t, f.populations()),
	}, nil
}
