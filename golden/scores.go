package golden

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/tiaptest"
)

const scoresSchema = "tiap.golden-queries/v1"

// queryScores holds the scores of single queries: per system, target, metric and
// ingest a column over all queries, and the query sets on which systems are
// compared.
type queryScores struct {
	ids     []string // ascending
	at      map[string]int
	scopes  []string          // of the queries, when they are resampled by scope
	sets    map[string][]bool // by the names of the compared systems
	columns map[columnKey][]column
}

type columnKey struct{ system, target, metric string }

// column holds the value of each query, NaN where it has none.
type column []float64

func setKey(systems ...string) string {
	return strings.Join(slices.Sorted(slices.Values(systems)), "\t")
}

// newQueryScores collects the scores of single queries from an audit, of which r is the
// report.
func newQueryScores(a *tiaptest.Audit, r *report) (*queryScores, error) {
	sets, err := sharedSets(a, r)
	if err != nil {
		return nil, err
	}
	scores, err := singleScores(a, r)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]bool)
	for _, set := range sets {
		for _, id := range set {
			ids[id] = true
		}
	}
	for _, ingests := range scores {
		for _, scored := range ingests {
			for id := range scored {
				ids[id] = true
			}
		}
	}
	q := emptyQueryScores(slices.Sorted(maps.Keys(ids)))
	if r.Settings.Cluster != "" {
		for _, id := range q.ids {
			query, _ := a.Query(id)
			q.scopes = append(q.scopes, query.Scope)
		}
	}
	for key, set := range sets {
		q.sets[key] = make([]bool, len(q.ids))
		for _, id := range set {
			q.sets[key][q.at[id]] = true
		}
	}
	for key, ingests := range scores {
		for _, scored := range ingests {
			c := make(column, len(q.ids))
			for i, id := range q.ids {
				v, ok := scored[id]
				if !ok {
					v = math.NaN()
				}
				c[i] = v
			}
			q.columns[key] = append(q.columns[key], c)
		}
	}
	return q, nil
}

// emptyQueryScores holds no scores of queries, whose ids ascend.
func emptyQueryScores(ids []string) *queryScores {
	q := &queryScores{ids: ids, at: make(map[string]int, len(ids)), sets: make(map[string][]bool), columns: make(map[columnKey][]column)}
	for i, id := range ids {
		q.at[id] = i
	}
	return q
}

// sharedSets are the queries on which each system is compared with itself, each two
// with one another, and those of each family, by the names of the systems.
func sharedSets(a *tiaptest.Audit, r *report) (map[string][]string, error) {
	var groups [][]string
	families := make(map[string][]string)
	for i, s := range r.Systems {
		groups = append(groups, []string{s.Name})
		for _, other := range r.Systems[i+1:] {
			groups = append(groups, []string{s.Name, other.Name})
		}
		if s.Family != "" {
			families[s.Family] = append(families[s.Family], s.Name)
		}
	}
	sets := make(map[string][]string)
	for _, group := range slices.AppendSeq(groups, maps.Values(families)) {
		key := setKey(group...)
		if _, done := sets[key]; done {
			continue
		}
		ids, err := a.SharedQueries(group...)
		if err != nil {
			return nil, err
		}
		sets[key] = ids
	}
	return sets, nil
}

// singleScores are the scores of single queries, in each ingest. By micro_recall, a
// ratio of sums, there are none.
func singleScores(a *tiaptest.Audit, r *report) (map[columnKey][]map[string]float64, error) {
	out := make(map[columnKey][]map[string]float64)
	for _, s := range r.Systems {
		for _, target := range a.Targets() {
			for _, name := range r.Settings.Metrics {
				m, err := tiaptest.ParseMetric(name)
				if err != nil {
					return nil, err
				}
				if isRatio(name) {
					continue
				}
				ingests, err := a.PerIngest(s.Name, target, m)
				if err != nil {
					return nil, err
				}
				out[columnKey{s.Name, target.String(), name}] = ingests
			}
		}
	}
	return out, nil
}

// isRatio reports whether a metric is a ratio of sums, without values of single
// queries.
func isRatio(metric string) bool { return strings.HasPrefix(metric, "micro_recall") }

// describe names the query set on which systems are compared.
func (q *queryScores) describe(systems ...string) querySet {
	var ids []string
	for i, in := range q.sets[setKey(systems...)] {
		if in {
			ids = append(ids, q.ids[i])
		}
	}
	return querySet{len(ids), digestOf(ids)}
}

func digestOf(ids []string) string {
	h := sha256.New()
	for _, id := range ids {
		fmt.Fprintf(h, "%d %s\n", len(id), id)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// covered returns the queries that have a value in every ingest; nil when single
// queries have none.
func (q *queryScores) covered(system, target string) []string {
	cs := q.columns[q.firstKey(system, target)]
	if cs == nil {
		return nil
	}
	ids := []string{}
	for i, id := range q.ids {
		if !slices.ContainsFunc(cs, func(c column) bool { return math.IsNaN(c[i]) }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// firstKey names the columns of a system and target by the first metric.
func (q *queryScores) firstKey(system, target string) (first columnKey) {
	for key := range q.columns {
		if key.system == system && key.target == target && (first == columnKey{} || key.metric < first.metric) {
			first = key
		}
	}
	return first
}

// coveredDigest names the covered queries, unless the scores do not tell them.
func (q *queryScores) coveredDigest(system, target string, n int) string {
	ids := q.covered(system, target)
	if len(ids) != n {
		return ""
	}
	return digestOf(ids)
}

// counts are the covered queries of each ingest.
func (q *queryScores) counts(system, target string) []int {
	var out []int
	for _, c := range q.columns[q.firstKey(system, target)] {
		n := 0
		for _, v := range c {
			if !math.IsNaN(v) {
				n++
			}
		}
		out = append(out, n)
	}
	return out
}

// keys are the columns in order.
func (q *queryScores) keys() []columnKey {
	return slices.SortedFunc(maps.Keys(q.columns), func(a, b columnKey) int {
		return cmp.Or(cmp.Compare(a.system, b.system), cmp.Compare(a.target, b.target), cmp.Compare(a.metric, b.metric))
	})
}

type scoresHead struct {
	Schema  string   `json:"schema"`
	Queries []string `json:"queries"`
	Scopes  []string `json:"scopes,omitempty"`
}

// scoresLine is a query set or a column.
type scoresLine struct {
	Set    *string    `json:"set,omitempty"`  // systems, separated by tabs
	Bits   string     `json:"bits,omitempty"` // one for each query, in base64
	System string     `json:"system,omitempty"`
	Target string     `json:"target,omitempty"`
	Metric string     `json:"metric,omitempty"`
	Values []*float64 `json:"values,omitempty"` // a further line of the same names is the next ingest
}

func (q *queryScores) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(scoresHead{scoresSchema, q.ids, q.scopes}); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(q.sets)) {
		bits := make([]byte, (len(q.ids)+7)/8)
		for i, in := range q.sets[key] {
			if in {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		if err := e.Encode(scoresLine{Set: &key, Bits: base64.StdEncoding.EncodeToString(bits)}); err != nil {
			return nil, err
		}
	}
	for _, key := range q.keys() {
		for _, c := range q.columns[key] {
			line := scoresLine{System: key.system, Target: key.target, Metric: key.metric, Values: make([]*float64, len(c))}
			for i := range c {
				if !math.IsNaN(c[i]) {
					line.Values[i] = &c[i]
				}
			}
			if err := e.Encode(line); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		panic(err) // the options are constant
	}
	return w
})

func compress(plain []byte) []byte { return encoder().EncodeAll(plain, nil) }

func readQueryScores(file, sum string) (*queryScores, error) {
	bad := func(err error) error {
		return fmt.Errorf("%s: %w; %s", filepath.ToSlash(file), err, cure)
	}
	plain, err := decompress(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, bad(err)
	case digestBytes(plain) != sum:
		return nil, bad(errors.New("it is not the file that the golden names"))
	}
	q, err := decodeQueryScores(plain)
	if err != nil {
		return nil, bad(err)
	}
	return q, nil
}

func decompress(file string) ([]byte, error) {
	f, err := limit.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := lines.Decompress(file, f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return limit.ReadAll(z, limit.Document)
}

func digestBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// intact reports whether a file of scores holds the content that its name tells.
func intact(file, digest string) bool {
	plain, err := decompress(file)
	return err == nil && strings.HasPrefix(digestBytes(plain), digest)
}

func decodeQueryScores(plain []byte) (*queryScores, error) {
	d := json.NewDecoder(bytes.NewReader(plain))
	var head scoresHead
	if err := d.Decode(&head); err != nil {
		return nil, err
	}
	if head.Schema != scoresSchema {
		return nil, fmt.Errorf("its schema is %q, this version reads %s", head.Schema, scoresSchema)
	}
	if head.Scopes != nil && len(head.Scopes) != len(head.Queries) {
		return nil, fmt.Errorf("%d scopes of %d queries", len(head.Scopes), len(head.Queries))
	}
	for i, id := range head.Queries {
		if i > 0 && id <= head.Queries[i-1] {
			return nil, fmt.Errorf("query %q stands twice or is not in order", id)
		}
	}
	q := emptyQueryScores(head.Queries)
	q.scopes = head.Scopes
	for {
		var line scoresLine
		err := d.Decode(&line)
		switch {
		case err == io.EOF:
			return q, nil
		case err != nil:
			return nil, err
		case line.Set != nil:
			err = q.addSet(&line)
		default:
			err = q.addColumn(&line)
		}
		if err != nil {
			return nil, err
		}
	}
}

// addSet adds the query set of a line.
func (q *queryScores) addSet(line *scoresLine) error {
	bits, err := base64.StdEncoding.DecodeString(line.Bits)
	if err != nil || len(bits) != (len(q.ids)+7)/8 {
		return fmt.Errorf("the query set of %q is damaged", *line.Set)
	}
	if q.sets[*line.Set] != nil {
		return fmt.Errorf("the query set of %q stands twice", *line.Set)
	}
	set := make([]bool, len(q.ids))
	for i := range set {
		set[i] = bits[i/8]&(1<<(i%8)) != 0
	}
	q.sets[*line.Set] = set
	return nil
}

// addColumn adds the column of a line.
func (q *queryScores) addColumn(line *scoresLine) error {
	if len(line.Values) != len(q.ids) {
		return fmt.Errorf("%d values of %d queries for %s under %s", len(line.Values), len(q.ids), line.System, line.Target)
	}
	c := make(column, len(line.Values))
	for i, v := range line.Values {
		c[i] = math.NaN()
		if v != nil {
			c[i] = *v
		}
	}
	key := columnKey{line.System, line.Target, line.Metric}
	q.columns[key] = append(q.columns[key], c)
	return nil
}

// common returns the queries of a set in each, as indices into each.
func common(want, got *queryScores, wantSet, gotSet string) (inWant, inGot []int) {
	w, g := want.sets[wantSet], got.sets[gotSet]
	if w == nil || g == nil {
		return nil, nil
	}
	for i, id := range want.ids {
		if j, ok := got.at[id]; ok && w[i] && g[j] {
			inWant, inGot = append(inWant, i), append(inGot, j)
		}
	}
	return inWant, inGot
}

// means returns the mean of a column over ingests for the given queries; ok is
// false where a query has no value.
func (q *queryScores) means(system, target, metric string, at []int) (values []float64, ok bool) {
	cs := q.columns[columnKey{system, target, metric}]
	if len(cs) == 0 {
		return nil, false
	}
	values = make([]float64, len(at))
	per := make([]float64, len(cs))
	for i, k := range at {
		for n, c := range cs {
			per[n] = c[k]
		}
		values[i] = mean(per)
		if math.IsNaN(values[i]) {
			return nil, false
		}
	}
	return values, true
}

// ingestMeans returns the score of each ingest over the given queries.
func (q *queryScores) ingestMeans(system, target, metric string, at []int) []float64 {
	var out []float64
	for _, c := range q.columns[columnKey{system, target, metric}] {
		per := make([]float64, len(at))
		for i, k := range at {
			per[i] = c[k]
		}
		out = append(out, mean(per))
	}
	return out
}

// firstCredit is the rank that a reciprocal rank tells, "none" for 0.
func (q *queryScores) firstCredit(key columnKey, query string) (rank string, ok bool) {
	at, there := q.at[query]
	cs := q.columns[key]
	switch {
	case !there || len(cs) != 1 || math.IsNaN(cs[0][at]):
		return "", false
	case cs[0][at] == 0:
		return "none", true
	}
	return fmt.Sprint(math.Round(1 / cs[0][at])), true
}
