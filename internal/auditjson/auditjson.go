// Package auditjson is the JSON report of an audit, schema tiap.audit/v1, for the
// package that writes it and those that read it back. Parts that have an exported
// type in package tiaptest are type parameters here.
package auditjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Schema names the format.
const Schema = "tiap.audit/v1"

// Report is the whole report. Shared describes the shared subset; Pair compares two
// systems; Recommendation is that of a family of systems; Convention holds at least
// the members of the type of that name.
type Report[Shared, Pair, Recommendation, Convention any] struct {
	Schema          string           `json:"schema"`
	Scenario        Scenario         `json:"scenario"`
	Settings        Settings         `json:"settings"`
	Systems         []System         `json:"systems"`
	Shared          Shared           `json:"shared"`
	Scores          []Score          `json:"scores"`
	Changes         []Change         `json:"changes"`
	Pairs           []Pair           `json:"pairs"`
	Conventions     []Convention     `json:"conventions"`
	Recommendations []Recommendation `json:"recommendations"`
	TargetOrders    []TargetOrder    `json:"target_orders"`
	Stale           []Stale          `json:"stale,omitempty"`
	Diagnostics     []Diagnostic     `json:"diagnostics"`
}

// Scenario says what was audited.
type Scenario struct {
	Name       string `json:"name"`
	Digest     string `json:"digest"`
	Queries    int    `json:"queries"` // scorable and unscorable
	Unscorable int    `json:"unscorable"`
}

// Settings are the choices that every number stands under.
type Settings struct {
	Depth      int      `json:"depth"`
	Credit     string   `json:"credit"`
	Uncovered  string   `json:"uncovered"`
	Population string   `json:"population"`
	Targets    []string `json:"targets"`
	Beside     []string `json:"beside"`
	Headline   *string  `json:"headline"`
	Seed       uint64   `json:"seed"`
	Resamples  int      `json:"resamples"`
	Alpha      float64  `json:"alpha"`
	MinEffect  float64  `json:"min_effect"`
	Metrics    []string `json:"metrics"`
	Merge      string   `json:"merge,omitempty"`   // none without lists
	Cluster    string   `json:"cluster,omitempty"` // scope, or none
	Where      []string `json:"where,omitempty"`
	Level      int32    `json:"level,omitempty"` // relevance level of TREC qrels
	JudgedOnly bool     `json:"judged_only,omitempty"`
}

// System describes a system. Counts are summed over its ingests.
type System struct {
	Name        string         `json:"name"`
	Family      string         `json:"family"`
	Unit        string         `json:"unit,omitempty"`
	Lineage     string         `json:"lineage,omitempty"`
	Ingests     int            `json:"ingests"`
	Digest      string         `json:"digest"`
	Covered     map[string]int `json:"covered"`
	Unavailable []string       `json:"unavailable"`
	Absent      int            `json:"absent"` // queries
	Failed      int            `json:"failed"`
	Empty       int            `json:"empty"`
	UnknownIDs  int            `json:"unknown_ids"` // distinct ranked ids that the store lacks
	Forms       map[string]int `json:"forms"`
	Links       map[string]int `json:"links,omitempty"` // resolved links by origin and precision
}

// Score is a score of a system under a target.
type Score struct {
	System string   `json:"system"`
	Target string   `json:"target"`
	Subset string   `json:"subset"`
	Metric string   `json:"metric"`
	N      int      `json:"n"`
	Value  *float64 `json:"value"`
	SD     *float64 `json:"sd,omitempty"` // over ingests
}

// Change counts the queries whose scores differ between two targets.
type Change struct {
	System  string    `json:"system"`
	Targets [2]string `json:"targets"`
	N       int       `json:"n"`
	NDCG    int       `json:"ndcg_changed"`
	MRR     int       `json:"mrr_changed"`
	Recall  int       `json:"recall_changed"`
	Hit     int       `json:"hit_flips"`
	Top1    int       `json:"top1_flips"`
}

// Convention says which of two systems leads under one target by each convention.
type Convention struct {
	A       string              `json:"a"`
	B       string              `json:"b"`
	Metric  string              `json:"metric"`
	Target  string              `json:"target"`
	Gaps    map[string]*float64 `json:"gaps"`
	Winners map[string]*string  `json:"winners"`
	Flip    bool                `json:"flip"`
}

// TargetOrder says in which order the targets score a system.
type TargetOrder struct {
	System string   `json:"system"`
	Metric string   `json:"metric"`
	N      int      `json:"n"`
	Order  []string `json:"order"` // highest first; tied targets in one entry, joined by "="
}

// Stale says how often outdated memories stand above current ones.
type Stale struct {
	System string `json:"system"`
	Target string `json:"target"`
	Stale  int    `json:"stale"` // outdated hits
	Above  int    `json:"above"` // those of them with no current hit above
}

// Diagnostic is something that an audit noticed and that changes no number.
type Diagnostic struct {
	Kind   string `json:"kind"`
	System string `json:"system"`
	Query  string `json:"query"`
	Text   string `json:"text"`
}

// String is the text behind the name of its system.
func (d Diagnostic) String() string {
	if d.System == "" {
		return d.Text
	}
	return d.System + ": " + d.Text
}

// Write writes a report, or something that holds one, as an audit does.
func Write(w io.Writer, report any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(report)
}

// Read reads back into report, a pointer to a [Report] or to a part of one, what
// write writes.
func Read(write func(io.Writer) error, report any) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := json.Unmarshal(b.Bytes(), report); err != nil {
		return fmt.Errorf("the JSON report of the audit: %w", err)
	}
	return nil
}

// WriteWith writes what write writes with the members of an object behind its own.
// The bytes before stay as they are.
func WriteWith(w io.Writer, write func(io.Writer) error, object any) error {
	var report, added bytes.Buffer
	if err := write(&report); err != nil {
		return err
	}
	if err := Write(&added, object); err != nil {
		return err
	}
	own, ok := bytes.CutSuffix(report.Bytes(), []byte("\n}\n"))
	members, ok2 := bytes.CutPrefix(added.Bytes(), []byte("{\n"))
	if !ok || !ok2 { // no object, or one without members
		_, err := w.Write(report.Bytes())
		return err
	}
	_, err := fmt.Fprintf(w, "%s,\n%s", own, members)
	return err
}
