package golden

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
)

const recordSchema = "tiap.golden/v1"

// Record is what a golden file holds of an audit.
type Record struct {
	content content
	scores  *queryScores // nil when they were not recorded
	note    string       // why not, if that is worth a line
	stat    *statistics  // of the audit, nil when the record was read
	stale   []string     // known findings of the audit that do nothing
}

// content is the JSON of a record.
type content struct {
	Schema          string                 `json:"schema"`
	SHA256          string                 `json:"content_sha256,omitempty"` // of the content without it; see sum
	Identity        identity               `json:"identity"`
	Shared          querySet               `json:"shared"`
	Systems         []systemRecord         `json:"systems"`
	Pairs           []pairRecord           `json:"pairs"`
	Recommendations []recommendationRecord `json:"recommendations"`
	TargetOrders    []orderRecord          `json:"target_orders"`
	Known           []flipRecord           `json:"known_flips"`
	Scores          *scoresRecord          `json:"query_scores,omitempty"`
}

// identity is what two records must agree in before numbers are compared.
type identity struct {
	Scenario   string   `json:"scenario"`
	Digest     string   `json:"scenario_digest"`
	Credit     string   `json:"credit"`
	Uncovered  string   `json:"uncovered"`
	Population string   `json:"population"`
	Depth      int      `json:"depth"`
	Metrics    []string `json:"metrics"`
	Headline   string   `json:"headline"`
	Where      []string `json:"where,omitempty"`
	Merge      string   `json:"merge,omitempty"`
	Cluster    string   `json:"cluster,omitempty"`
	Level      int      `json:"level,omitempty"`
	JudgedOnly bool     `json:"judged_only,omitempty"`
}

type querySet struct {
	N      int    `json:"n"`
	Digest string `json:"digest,omitempty"`
}

type systemRecord struct {
	Name        string              `json:"name"`
	Family      string              `json:"family,omitempty"`
	Ingests     int                 `json:"ingests"`
	Store       string              `json:"store_digest"`
	Run         string              `json:"run_digest"`
	Absent      int                 `json:"absent"`
	Failed      int                 `json:"failed"`
	Unavailable []string            `json:"unavailable,omitempty"`
	Memories    map[string]int      `json:"memories,omitempty"` // by form, over all ingests; absent when not known
	Compared    querySet            `json:"compared_with_itself"`
	Covered     map[string]querySet `json:"covered"`         // by target
	Values      map[string]values   `json:"scores"`          // by target and metric, over the covered queries
	Floor       map[string]values   `json:"noise,omitempty"` // standard deviation over ingests, likewise
	Counts      map[string][]int    `json:"covered_per_ingest,omitempty"`
}

// values are numbers by metric, rounded for reading; null where undefined.
type values map[string]*decimal

type decimal float64

// MarshalJSON rounds to nine decimals, beyond which rounding of sums shows.
func (d decimal) MarshalJSON() ([]byte, error) {
	v := math.Round(float64(d)*1e9) / 1e9
	return []byte(strconv.FormatFloat(v+0, 'g', -1, 64)), nil
}

type pairRecord struct {
	A        string                        `json:"a"`
	B        string                        `json:"b"`
	Compared querySet                      `json:"compared"`
	Margins  map[string]values             `json:"margins"` // by target and metric: score of a minus score of b
	Winners  map[string]map[string]*string `json:"winners"` // likewise; null for a tie, and where the gap is
}

// winner says which system leads under a target, if one does.
func (p *pairRecord) winner(target, metric string) string {
	if p.Margins[target][metric] == nil {
		return nobody
	}
	return orTie(p.Winners[target][metric])
}

type recommendationRecord struct {
	Family   string                        `json:"family"`
	Compared querySet                      `json:"compared"`
	Winners  map[string]map[string]*string `json:"winners"` // by target and metric; null for a tie, and where the members share no query
}

// winner says which member is the best under a target, if one is. There is no telling
// where a member has no score.
func (r *recommendationRecord) winner(target, metric string) string {
	best, ok := r.Winners[target][metric]
	if !ok || r.Compared.N == 0 {
		return nobody
	}
	return orTie(best)
}

// What stands in place of a winner: nobody where nothing is compared.
const (
	tied   = "a tie"
	nobody = "none"
)

// orTie is the name of a winner.
func orTie(winner *string) string {
	if winner == nil {
		return tied
	}
	return *winner
}

type orderRecord struct {
	System string   `json:"system"`
	Metric string   `json:"metric"`
	Order  []string `json:"order"`
}

type flipRecord struct {
	A       string    `json:"a"`
	B       string    `json:"b"`
	Metric  string    `json:"metric"`
	Targets [2]string `json:"targets"`
}

type scoresRecord struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"` // of the content, uncompressed
}

// report is the JSON report of an audit, as far as a record takes it over.
type report struct {
	auditjson.Report[querySet, tiaptest.Pair, tiaptest.Recommendation, struct{}]
}

func readReport(a *tiaptest.Audit) (*report, error) {
	if a == nil {
		return nil, errors.New("there is no audit")
	}
	var r report
	return &r, auditjson.Read(a.WriteJSON, &r)
}

func (r *report) identity() identity {
	set := r.Settings
	id := identity{
		Scenario: r.Scenario.Name, Digest: r.Scenario.Digest, Credit: set.Credit, Uncovered: set.Uncovered, Population: set.Population,
		Depth: set.Depth, Metrics: set.Metrics, Where: set.Where, Merge: set.Merge, Cluster: set.Cluster, Level: int(set.Level), JudgedOnly: set.JudgedOnly,
	}
	if set.Headline != nil {
		id.Headline = *set.Headline
	}
	return id
}

// NewRecord makes the record of an audit. Targets beside the headline are
// recorded by their scores alone.
func NewRecord(a *tiaptest.Audit) (*Record, error) {
	r, err := readReport(a)
	if err != nil {
		return nil, err
	}
	q, err := newQueryScores(a, r)
	if err != nil {
		return nil, err
	}
	c := content{Schema: recordSchema, Shared: r.Shared, Recommendations: []recommendationRecord{}, Pairs: []pairRecord{}, TargetOrders: []orderRecord{}, Known: []flipRecord{}}
	c.Identity = r.identity()
	if err := c.addSystems(a, r, q); err != nil {
		return nil, err
	}
	c.addPairs(r, q)
	c.addRecommendations(r, q)
	for _, o := range r.TargetOrders {
		c.TargetOrders = append(c.TargetOrders, orderRecord{o.System, o.Metric, o.Order})
	}
	slices.SortStableFunc(c.TargetOrders, func(a, b orderRecord) int {
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Metric, b.Metric))
	})
	if err := c.addKnown(a); err != nil {
		return nil, err
	}
	return &Record{content: c, scores: q, stat: statisticsOf(r.Settings), stale: a.StaleFindings()}, nil
}

func (c *content) addSystems(a *tiaptest.Audit, r *report, q *queryScores) error {
	population := "covered"
	if p := r.Settings.Population; p != "shared" {
		population = p
	}
	for _, s := range r.Systems {
		out := systemRecord{
			Name: s.Name, Family: s.Family, Ingests: s.Ingests, Absent: s.Absent, Failed: s.Failed, Unavailable: s.Unavailable,
			Memories: s.Forms, Compared: q.describe(s.Name), Covered: make(map[string]querySet), Values: make(map[string]values),
		}
		var err error
		if out.Store, out.Run, err = a.Digests(s.Name); err != nil {
			return err
		}
		for t, n := range s.Covered {
			out.Covered[t] = querySet{N: n, Digest: q.coveredDigest(s.Name, t, n)}
			if counts := q.counts(s.Name, t); len(counts) > 1 {
				if out.Counts == nil {
					out.Counts = make(map[string][]int)
				}
				out.Counts[t] = counts
			}
		}
		for _, row := range r.Scores {
			if row.System != s.Name || row.Subset != population {
				continue
			}
			put(out.Values, row.Target, row.Metric, row.Value)
			if row.SD != nil {
				if out.Floor == nil {
					out.Floor = make(map[string]values)
				}
				put(out.Floor, row.Target, row.Metric, row.SD)
			}
		}
		c.Systems = append(c.Systems, out)
	}
	slices.SortStableFunc(c.Systems, func(a, b systemRecord) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

func put(m map[string]values, target, metric string, v *float64) {
	if m[target] == nil {
		m[target] = make(values)
	}
	m[target][metric] = (*decimal)(v)
}

func (c *content) addPairs(r *report, q *queryScores) {
	at := make(map[[2]string]int)
	for _, p := range r.Pairs {
		if p.Beside != "" {
			continue
		}
		sign := 1.0
		if p.A > p.B {
			p.A, p.B, sign = p.B, p.A, -1
		}
		key := [2]string{p.A, p.B}
		i, ok := at[key]
		if !ok {
			i = len(c.Pairs)
			at[key] = i
			c.Pairs = append(c.Pairs, pairRecord{
				A: p.A, B: p.B, Compared: q.describe(p.A, p.B),
				Margins: make(map[string]values), Winners: make(map[string]map[string]*string),
			})
		}
		for t, g := range p.Gaps {
			v := g.Value
			if v != nil {
				signed := sign * *v
				v = &signed
			}
			put(c.Pairs[i].Margins, t, p.Metric, v)
		}
		for t, w := range p.Winners {
			putName(c.Pairs[i].Winners, t, p.Metric, w)
		}
	}
	slices.SortStableFunc(c.Pairs, comparePairs)
}

// comparePairs is the order of pairs in a record: by the first system, then by the
// second.
func comparePairs(a, b pairRecord) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

func putName(m map[string]map[string]*string, target, metric string, name *string) {
	if m[target] == nil {
		m[target] = make(map[string]*string)
	}
	m[target][metric] = name
}

func (c *content) addRecommendations(r *report, q *queryScores) {
	at := make(map[string]int)
	for _, rec := range r.Recommendations {
		i, ok := at[rec.Family]
		if !ok {
			i = len(c.Recommendations)
			at[rec.Family] = i
			c.Recommendations = append(c.Recommendations, recommendationRecord{
				Family: rec.Family, Compared: q.describe(c.members(rec.Family)...), Winners: make(map[string]map[string]*string),
			})
		}
		for t, w := range rec.Winners {
			putName(c.Recommendations[i].Winners, t, rec.Metric, w)
		}
	}
	slices.SortStableFunc(c.Recommendations, func(a, b recommendationRecord) int { return cmp.Compare(a.Family, b.Family) })
}

// members are the names of a family's systems, ascending.
func (c *content) members(family string) []string {
	var out []string
	for _, s := range c.Systems {
		if s.Family == family {
			out = append(out, s.Name)
		}
	}
	return out
}

// addKnown adds the flips that occur and are known findings of the audit.
func (c *content) addKnown(a *tiaptest.Audit) error {
	for _, name := range c.Identity.Metrics {
		m, err := tiaptest.ParseMetric(name)
		if err != nil {
			return err
		}
		for _, f := range a.Flips(m) {
			if _, known := a.Known(f); !known {
				continue
			}
			first, second := f.Targets[0], f.Targets[1]
			c.Known = append(c.Known, flipRecord{min(f.A, f.B), max(f.A, f.B), name, [2]string{min(first, second), max(first, second)}})
		}
	}
	slices.SortStableFunc(c.Known, func(a, b flipRecord) int {
		return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B), cmp.Compare(a.Metric, b.Metric), slices.Compare(a.Targets[:], b.Targets[:]))
	})
	return nil
}

// known reports whether a flip is a known one.
func (c *content) known(a, b, metric, t, u string) bool {
	return slices.Contains(c.Known, flipRecord{a, b, metric, [2]string{min(t, u), max(t, u)}})
}

func (c *content) system(name string) *systemRecord {
	for i := range c.Systems {
		if c.Systems[i].Name == name {
			return &c.Systems[i]
		}
	}
	return nil
}

func (c *content) pair(a, b string) *pairRecord {
	for i := range c.Pairs {
		if c.Pairs[i].A == a && c.Pairs[i].B == b {
			return &c.Pairs[i]
		}
	}
	return nil
}

// encode writes a record in its one form: sorted, indented, LF.
func (c *content) encode() ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, c, "  ")
	return b.Bytes(), err
}

// writeJSON writes a value indented, without escapes for HTML.
func writeJSON(w io.Writer, v any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// files are what an update writes: the record and, beside it, the scores of single
// queries, if any, under a name that tells their content.
type files struct {
	record     []byte
	scoresName string
	scores     []byte
}

// files are those of a record that is to stand in a file. Why scores are not among them
// is noted.
func (r *Record) files(file string, s *settings) (out files, err error) {
	c := r.content
	c.Scores = nil
	if r.scores != nil && s.queryCap > 0 {
		plain, err := r.scores.encode()
		if err != nil {
			return out, err
		}
		if scores := compress(plain); len(scores) <= s.queryCap {
			digest := digestBytes(plain)
			out.scoresName = strings.TrimSuffix(filepath.Base(file), ".json") + "." + digest[:12] + ".queries.zst"
			out.scores = scores
			c.Scores = &scoresRecord{File: out.scoresName, SHA256: digest}
		} else {
			r.note = fmt.Sprintf("the scores of single queries take %d bytes, more than %d, and are not recorded; see QueryScores", len(scores), s.queryCap)
		}
	}
	if c.SHA256, err = c.sum(); err != nil {
		return out, err
	}
	out.record, err = c.encode()
	return out, err
}
