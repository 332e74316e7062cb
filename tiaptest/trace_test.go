package tiaptest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// drawnHit is a line of a trace in the plainest form.
type drawnHit struct {
	system, query, id string
	rank              int
	score             float64 // NaN for none
	line              int
}

// text writes the hit in one of the ways in which JSON may stand.
func (h drawnHit) text(t *rapid.T, pad int) string {
	id, err := json.Marshal(h.id)
	require.NoError(t, err)
	members := []string{
		fmt.Sprintf(`"query_id"%s%q`, oneOf(t, "colon", ":", " : "), h.query),
		fmt.Sprintf(`"retrieved_id":%s%s`, oneOf(t, "space", "", " "), oneOf(t, "escapes", string(id), strings.Replace(string(id), "m", `\u006d`, 1))),
		fmt.Sprintf(`"rank": %d`, h.rank),
	}
	if h.system != "" || chance(t, 50, "empty system") {
		members = append(members, fmt.Sprintf(`"system":%q`, h.system))
	}
	switch {
	case !math.IsNaN(h.score):
		members = append(members, fmt.Sprintf(`"score": %v`, h.score))
	case chance(t, 50, "null score"):
		members = append(members, `"score":null`)
	}
	if pad > 0 || chance(t, 10, "unknown member") {
		members = append(members, `"text":"`+strings.Repeat("x", pad)+`"`)
	}
	if chance(t, 10, "other order") {
		members = rapid.Permutation(members).Draw(t, "members")
	}
	return "{" + strings.Join(members, oneOf(t, "comma", ",", ", ")) + "}"
}

// drawHits draws what a few systems returned, line by line. A fault is a rank or
// an id twice.
func drawHits(t *rapid.T) (hits []drawnHit) {
	for _, system := range someOf(t, []string{"", "a", "b"}, 1, 3, "systems") {
		scored := rapid.Bool().Draw(t, "scored")
		for _, query := range someOf(t, []string{"q0", "q1", "q2"}, 1, 3, "queries") {
			rank := 0
			for _, id := range someOf(t, []string{"m0", "m1", "m2", "m3", "mäm", "m 5"}, 1, 6, "ids") {
				rank++
				if chance(t, 5, "gap") {
					rank += rapid.IntRange(1, 3).Draw(t, "skipped")
				}
				h := drawnHit{system: system, query: query, id: id, rank: rank, score: math.NaN()}
				if scored && !chance(t, 10, "no score") {
					h.score = rapid.SampledFrom([]float64{0.999999, 0.5, -1, 0, 12345.25}).Draw(t, "score")
				}
				hits = append(hits, h)
			}
		}
	}
	if chance(t, 30, "shuffled") {
		hits = rapid.Permutation(hits).Draw(t, "lines")
	}
	if last := &hits[len(hits)-1]; chance(t, 20, "fault") {
		other := rapid.SampledFrom(hits).Draw(t, "other")
		last.system, last.query = other.system, other.query
		if rapid.Bool().Draw(t, "rank twice") {
			last.rank = other.rank
		} else {
			last.id = other.id
		}
	}
	return hits
}

// A trace is read as by a plain loop over its lines, in whatever order and form
// they stand, and its faults are found.
func TestTraceAgreesWithPlainReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	records, trace := filepath.Join(dir, "records.jsonl"), filepath.Join(dir, "trace.jsonl")
	var recordText strings.Builder
	for q := range 3 {
		fmt.Fprintf(&recordText, `{"query_id":"q%d","raw_ids":["m0"],"source_ids":["m0","m1"],"canonical_ids":["m1"]}`+"\n", q)
	}
	require.NoError(t, os.WriteFile(records, []byte(recordText.String()), 0o666))
	sound, faulty, gaps := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		hits := drawHits(t)
		pad := 0
		if chance(t, 5, "several blocks") { // of about 1 MiB
			pad = 150_000
		}
		var text strings.Builder
		for i, line := range hits {
			if chance(t, 20, "blank line") {
				text.WriteString("\n")
			}
			hits[i].line = strings.Count(text.String(), "\n") + 1
			text.WriteString(line.text(t, pad) + "\n")
		}
		require.NoError(t, os.WriteFile(trace, []byte(text.String()), 0o666))
		b, err := tiaptest.MTELMem{Records: records, Traces: []string{trace}}.Open()

		want := make(map[string]map[string]tiaptest.Ranking)
		var places []string // of faults
		sorted := slices.Clone(hits)
		slices.SortStableFunc(sorted, func(a, b drawnHit) int { return a.rank - b.rank })
		for i, h := range sorted {
			name := h.system
			if name == "" {
				name = "trace"
			}
			if want[name] == nil {
				want[name] = make(map[string]tiaptest.Ranking)
			}
			k := want[name][h.query]
			k.Query = h.query
			k.IDs, k.Scores = append(k.IDs, h.id), append(k.Scores, h.score)
			want[name][h.query] = k
			if slices.ContainsFunc(sorted[:i], func(o drawnHit) bool {
				return o.system == h.system && o.query == h.query && (o.rank == h.rank || o.id == h.id)
			}) {
				places = append(places, fmt.Sprintf("trace.jsonl:%d:", h.line))
			}
			if h.rank != len(k.IDs) {
				gaps++
			}
		}
		if len(places) > 0 {
			faulty++
			require.Error(t, err, "%s", text.String())
			for _, place := range places {
				require.ErrorContains(t, err, place)
			}
			return
		}
		sound++
		require.NoError(t, err, "%s", text.String())
		got := make(map[string]map[string]tiaptest.Ranking)
		for _, s := range b.Systems {
			got[s.Name] = make(map[string]tiaptest.Ranking)
			for k := range s.Ingests[0].Run.All() {
				got[s.Name][k.Query] = k
			}
		}
		for _, rankings := range want {
			for query, k := range rankings {
				if math.IsNaN(k.Scores[0]) {
					k.Scores = nil
					rankings[query] = k
				}
			}
		}
		require.Empty(t, cmp.Diff(want, got, cmpopts.EquateNaNs()))
	})
	if testing.Short() {
		return // of a fifth of the cases none may have gaps
	}
	require.Positive(t, sound)
	require.Positive(t, faulty)
	require.Positive(t, gaps)
}
