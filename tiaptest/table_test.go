package tiaptest_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// Orders are told where they differ over the targets that all systems have, in
// lines that stand together.
func TestTableTargetOrders(t *testing.T) {
	t.Parallel()
	opts := tiaptest.Metrics(tiaptest.MRR(5), tiaptest.NDCG(5))
	for name, tt := range map[string]struct {
		bundle *tiaptest.Bundle
		want   string
	}{
		"differ": {
			contest(system("A", "rf"), system("B", "fr")),
			"\n\ntarget order differs on mrr@5: A raw=source > canonical; B source=canonical > raw\n" +
				"target order differs on ndcg@5: A raw=source > canonical; B source=canonical > raw\n",
		},
		"same":                     {contest(system("A", "rf"), system("B", ".rf")), ""},
		"source in common":         {contest(system("A", "r|"), system("B", "f|")), ""},
		"raw and source in common": {contest(system("A", "r|"), system("B", "fr")), "\n\ntarget order differs on mrr@5: A raw=source; B source > raw\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			require.NoError(t, auditOf(tt.bundle, opts).WriteTable(&b))
			if tt.want == "" {
				assert.NotContains(t, b.String(), "target order")
				return
			}
			assert.Contains(t, b.String(), tt.want)
		})
	}
}

// What a family's row says: a tie beside a member is no agreement, and members that
// share no query are not compared.
func TestTableRecommendations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		a, b []string
		want string
	}{
		"flip":     {[]string{"rf"}, []string{"fr"}, "A    tie     B          flip"},
		"same":     {[]string{"rf"}, []string{"..rf"}, "A    A       A          same"},
		"tie":      {[]string{"rf"}, []string{"r.f"}, "tie  tie     A          tie"},
		"no query": {[]string{"rf", "....|"}, []string{"....|", "rf"}, "-    -       -          -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			a := auditOf(family(contest(system("A", tt.a...), system("B", tt.b...))), tiaptest.Metrics(tiaptest.MRR(5)))
			require.NoError(t, a.WriteTable(&b))
			_, table, _ := strings.Cut(b.String(), "\nrecommended by family\n")
			lines := strings.Split(table, "\n")
			require.Greater(t, len(lines), 1)
			assert.True(t, strings.HasSuffix(strings.TrimRight(lines[1], " "), tt.want), lines[1])
		})
	}
}

// Flips of winners, conventions and recommendations that are known are marked by the
// reason, those that were known by the last day too, and others are not.
func TestTableKnown(t *testing.T) {
	t.Parallel()
	text := func(b *tiaptest.Bundle, findings ...tiaptest.Finding) string {
		var out strings.Builder
		require.NoError(t, auditOf(b, tiaptest.Metrics(mrr), tiaptest.Known(findings...)).WriteTable(&out))
		return out.String()
	}
	winners := func() *tiaptest.Bundle { return family(flipped(2)) }
	const flips = "winner flip on mrr@5: raw picks A, source picks B (fragile: shift +0.6667 [+0.6667, +0.6667])%s\n" +
		"winner flip on mrr@5: raw picks A, canonical picks B (fragile: shift +0.9167 [+0.9167, +0.9167])%s\n"
	for name, tt := range map[string]struct {
		findings          []tiaptest.Finding
		source, canonical string // behind the flip of raw and this
		pair, recommended string // verdicts
	}{
		"none": {pair: "flip (fragile)", recommended: "flip"},
		"all": {
			[]tiaptest.Finding{finding(rawSource, ""), finding(rawCanonical, "9999-12-31")},
			"; known: we serve facts", "; known: we serve facts", "flip (fragile), known", "flip, known",
		},
		"one has ended": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawCanonical, "")},
			"; was known until 2001-12-31: we serve facts", "; known: we serve facts", "flip (fragile), 1 of 2 known", "flip",
		},
		"one has ended and another holds": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawSource, "9999-12-31"), finding(rawSource, "2002-12-31")},
			"; known: we serve facts", "", "flip (fragile), 1 of 2 known", "flip",
		},
		"one has ended and another has no end": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawSource, "")},
			"; known: we serve facts", "", "flip (fragile), 1 of 2 known", "flip",
		},
		"both have ended": {
			[]tiaptest.Finding{finding(rawSource, "2001-12-31"), finding(rawSource, "2002-12-31")},
			"; was known until 2002-12-31: we serve facts", "", "flip (fragile)", "flip",
		},
		"of conventions": {
			[]tiaptest.Finding{finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, "")},
			"", "", "flip (fragile)", "flip",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := text(winners(), tt.findings...)
			assert.Contains(t, out, fmt.Sprintf(flips, tt.source, tt.canonical))
			assert.Regexp(t, `A - B +mrr@5 .* `+regexp.QuoteMeta(tt.pair)+"\n", out)
			assert.Regexp(t, `density +mrr@5 .* `+tt.recommended+"\n", out)
		})
	}

	// A does not cover what B is good at.
	overAll := contest(system("A", "r", "r", ".|", ".|"), system("B", ".r|", ".r|", "r|", "r|"))
	of := func(target tiaptest.Target, until string) tiaptest.Finding {
		return finding([2]tiaptest.Target{target, target}, until)
	}
	out := text(overAll, of(tiaptest.Source, "2001-12-31"), of(tiaptest.Raw, ""), finding(rawSource, ""))
	const sentence = "A leads, but B over the 4 queries of population all"
	assert.Contains(t, out, "    A - B, mrr@5 under raw: "+sentence+"; known: we serve facts\n")
	assert.Contains(t, out, "    A - B, mrr@5 under source: "+sentence+"; was known until 2001-12-31: we serve facts\n")
}

// A reason cannot pass for another line.
func TestTableKnownReason(t *testing.T) {
	t.Parallel()
	f := finding(rawSource, "")
	f.Reason = "we serve facts\n::error::no"
	var out strings.Builder
	require.NoError(t, auditOf(flipped(1), tiaptest.Known(f)).WriteTable(&out))
	assert.Contains(t, out.String(), `; known: "we serve facts\n::error::no"`+"\n")
}

// What the table leaves out is counted, and is never a flip before a row that is none.
func TestTableCut(t *testing.T) {
	t.Parallel()
	shapes := []string{".r.f", "f.r", "rf", "..rf", "fr", ".f.r", "r...f"}
	number := func(text, pattern string) int {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil || found[1] == "none" {
			return 0
		}
		n, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		return n
	}
	wasCut := 0
	rapid.Check(t, func(r *rapid.T) {
		var contenders []contender
		for i := range rapid.IntRange(2, 14).Draw(r, "systems") {
			contenders = append(contenders, system(fmt.Sprintf("S%02d", i), rapid.SampledFrom(shapes).Draw(r, "first"), rapid.SampledFrom(shapes).Draw(r, "second")))
		}
		opts := tiaptest.Options{tiaptest.Metrics(mrr), tiaptest.Resamples(100), tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)}
		var known []tiaptest.Finding
		if rapid.Bool().Draw(r, "known") {
			for _, f := range auditOf(contest(contenders...), opts).Flips() {
				if len(known) < 5 {
					known = append(known, tiaptest.Finding{A: f.A, B: f.B, Metric: mrr, Targets: rawCanonical, Reason: "we serve facts"})
				}
			}
		}
		a := auditOf(contest(contenders...), opts, tiaptest.Known(known...))
		flips, pairs := len(a.Flips()), len(contenders)*(len(contenders)-1)/2
		var b strings.Builder
		require.NoError(r, a.WriteTable(&b))
		rows := regexp.MustCompile(`(?m)^    S\d\d - S\d\d  mrr.*$`).FindAllString(b.String(), -1)
		sentences := regexp.MustCompile(`(?m)^winner flip on .*$`).FindAllString(b.String(), -1)
		flipping := func(row string) bool { return strings.Contains(row, "flip (") }

		assert.Len(r, rows, min(pairs, 60))
		assert.Equal(r, pairs-len(rows), number(b.String(), `\n    and (\d+) more rows?, `))
		assert.Len(r, sentences, min(flips, 60))
		assert.Equal(r, flips-len(sentences), number(b.String(), `\nand (\d+) more winner flips? \(`))
		shown := 0
		for _, row := range rows {
			if flipping(row) {
				shown++
			}
		}
		assert.Equal(r, flips-shown, number(b.String(), ` more rows?, (\d+|none) of them with a flip; the JSON report has all`))
		if pairs <= 60 {
			assert.True(r, slices.IsSorted(rows), "in the order of the audit")
			return
		}
		wasCut++
		order := func(row string) int { // of what comes first
			switch {
			case !flipping(row):
				return 2
			case strings.HasSuffix(row, ", known"):
				return 1
			}
			return 0
		}
		assert.True(r, slices.IsSortedFunc(rows, func(x, y string) int { return order(x) - order(y) }), "%s", b.String())
	})
	assert.Positive(t, wasCut)
}

// Of the flips of a long list the strongest come first, and those left out are told
// by their grades and by how many are known.
func TestTableCutFlips(t *testing.T) {
	t.Parallel()
	var contenders []contender
	for i := range 12 {
		shape := []string{".r.f", "f.r"}[i%2]
		if i == 11 { // over some queries alone
			contenders = append(contenders, system("S11", slices.Concat(times(38, ".r.f"), times(2, "f.r"))...))
			continue
		}
		contenders = append(contenders, system(fmt.Sprintf("S%02d", i), times(40, shape)...))
	}
	opts := tiaptest.Options{tiaptest.Metrics(mrr, ndcg), tiaptest.Resamples(100)}
	known := finding(rawCanonical, "")
	known.A, known.B = "S00", "S01"
	a := auditOf(contest(contenders...), opts, tiaptest.Known(known))
	var b strings.Builder
	require.NoError(t, a.WriteTable(&b))
	flips := a.Flips()
	require.Greater(t, len(flips), 120)
	var shifts []float64
	for _, sentence := range regexp.MustCompile(`(?m)^winner flip on .*: shift (\S+) `).FindAllStringSubmatch(b.String(), -1) {
		assert.Contains(t, sentence[0], "(decisive: ")
		shift, err := strconv.ParseFloat(sentence[1], 64)
		require.NoError(t, err)
		shifts = append(shifts, -math.Abs(shift))
	}
	require.Len(t, shifts, 60)
	assert.True(t, slices.IsSorted(shifts), "%v", shifts)
	assert.NotContains(t, b.String(), "; known: we serve facts", "it is the last one")
	left := len(flips) - 60
	assert.Contains(t, b.String(), fmt.Sprintf("\nand %d more winner flips (%d decisive, 24 fragile, 1 of %d known); the JSON report has all (-json), and -systems compares fewer systems\n", left, left-24, left))
	assert.Regexp(t, `(?m)^target order differs on mrr@5: S00 .*; S01 .*; S11 source > raw > canonical; .*; and 2 more systems$`, b.String(), "each order is there")
}

// Flips between conventions and recommendations are cut alike.
func TestTableCutElsewhere(t *testing.T) {
	t.Parallel()
	var contenders []contender // A does not cover what B is good at
	for i := range 5 {
		contenders = append(contenders, system(fmt.Sprintf("A%d", i), "r", "r", ".|", ".|"), system(fmt.Sprintf("B%d", i), ".r|", ".r|", "r|", "r|"))
	}
	known := finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, "")
	known.A, known.B = "A0", "B0"
	var b strings.Builder
	require.NoError(t, auditOf(contest(contenders...), tiaptest.Metrics(mrr, ndcg), tiaptest.Resamples(100), tiaptest.Known(known)).WriteTable(&b))
	_, text, ok := strings.Cut(b.String(), "\nwinners that depend on a convention\n")
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "\n\n")
	lines := strings.Split(text, "\n")
	require.Len(t, lines, 61)
	assert.NotContains(t, text, "; known: ", "it is the last one")
	assert.Equal(t, "    and 40 more, 1 of 40 known; the JSON report has all (-json), and -systems compares fewer systems", lines[60])

	contenders = nil
	for i := range 32 {
		contenders = append(contenders, system(fmt.Sprintf("S%02d", i), []string{".rf", "...rf"}[i%2]))
	}
	for _, i := range []int{28, 30} {
		contenders[i].ingests[0][0], contenders[i+1].ingests[0][0] = ".r.f", "f.r"
	}
	var finds []tiaptest.Finding
	for _, targets := range [][2]tiaptest.Target{rawSource, rawCanonical} {
		f := finding(targets, "")
		f.A, f.B = "S28", "S29"
		finds = append(finds, f)
	}
	bundle := contest(contenders...)
	for i, s := range bundle.Systems {
		s.Family = fmt.Sprintf("family %02d", i/2)
	}
	b.Reset()
	require.NoError(t, auditOf(bundle, tiaptest.Resamples(100), tiaptest.Known(finds...)).WriteTable(&b))
	_, text, ok = strings.Cut(b.String(), "\nrecommended by family\n")
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "\n\n")
	lines = strings.Split(text, "\n")
	require.Len(t, lines, 62)
	assert.Regexp(t, `^    family 1[45] +\S+ .* flip$`, lines[1], "one that flips comes first")
	known14 := slices.IndexFunc(lines, func(line string) bool { return strings.HasSuffix(line, "flip, known") })
	same := slices.IndexFunc(lines, func(line string) bool { return strings.HasSuffix(line, "same") || strings.HasSuffix(line, "tie") })
	require.Positive(t, known14)
	for i, line := range lines[1:61] {
		switch {
		case strings.HasSuffix(line, " flip"):
			assert.Less(t, i+1, known14)
		case strings.HasSuffix(line, "flip, known"):
			assert.Less(t, i+1, same)
		}
	}
	assert.Equal(t, "    and 4 more rows, none of them with a flip; the JSON report has all (-json), and -systems compares fewer systems", lines[61])
}

// The shared subset costs are named for ten systems.
func TestTableCosts(t *testing.T) {
	t.Parallel()
	costs := func(n int) string {
		var contenders []contender
		for i := range n { // each alone does not cover one query
			rankings := times(n, "rf")
			rankings[i] = "|r"
			contenders = append(contenders, system(fmt.Sprintf("S%02d", i), append(rankings, "rf")...))
		}
		var b strings.Builder
		require.NoError(t, auditOf(contest(contenders...), tiaptest.Metrics(mrr), tiaptest.Resamples(100)).WriteTable(&b))
		return regexp.MustCompile(`(?m)^shared subset: .*$`).FindString(b.String())
	}
	assert.Equal(t, 10, strings.Count(costs(10), " costs 1"))
	assert.NotContains(t, costs(10), "more")
	assert.Equal(t, 10, strings.Count(costs(12), " costs 1"))
	assert.Regexp(t, `; S09 costs 1; and 2 more systems$`, costs(12))
}
