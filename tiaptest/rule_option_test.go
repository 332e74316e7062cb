package tiaptest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestRuleOptionsTaken gives every option to every rule that takes options. An
// option that a rule has no use for must fail: it would look as if it held.
func TestRuleOptionsTaken(t *testing.T) {
	t.Parallel()
	a := auditOf(contest(system("A", times(6, "rf")...), system("B", times(6, ".rf")...))) // as few as a likely flip needs
	options := []tiaptest.RuleOption{
		tiaptest.From(tiaptest.Likely), tiaptest.Between("A", "B"), tiaptest.Above(0.1), tiaptest.Except("q1"), tiaptest.Against(a),
	}
	for _, test := range []struct {
		rule  func(...tiaptest.RuleOption) tiaptest.Rule
		takes []string
	}{
		{func(os ...tiaptest.RuleOption) tiaptest.Rule { return tiaptest.NoWinnerFlip(mrr, os...) }, []string{"From", "Between", "Above"}},
		{func(os ...tiaptest.RuleOption) tiaptest.Rule { return tiaptest.NoConventionFlip(mrr, os...) }, []string{"Between", "Above"}},
		{func(os ...tiaptest.RuleOption) tiaptest.Rule {
			return tiaptest.EachQuery(mrr, tiaptest.Raw, 0.1, os...)
		}, []string{"Except", "Against"}},
	} {
		plain := test.rule()
		require.NoError(t, a.Verify(plain), "%s", plain)
		name, _, _ := strings.Cut(plain.String(), "(")
		var unfit []string
		for _, o := range options {
			rule := test.rule(o)
			kind, _, _ := strings.Cut(o.String(), "(")
			err := a.Verify(rule)
			if slices.Contains(test.takes, kind) {
				assert.NoError(t, err, "%s takes %s", name, o)
				continue
			}
			unfit = append(unfit, o.String())
			assert.EqualError(t, err, fmt.Sprintf("%s compared nothing: it does not take %s; it takes %s", rule, o, strings.Join(test.takes, ", ")))
		}
		all := test.rule(options...)
		assert.EqualError(t, a.Verify(all), fmt.Sprintf("%s compared nothing: it does not take %s; it takes %s", all, strings.Join(unfit, ", "), strings.Join(test.takes, ", ")))
		assert.NoError(t, a.Verify(test.rule(nil, nil)), "a nil option is none")
	}
}

// TestRuleOptionsOfAKind gives options twice: pairs and exceptions add up, of
// the others the later one holds.
func TestRuleOptionsOfAKind(t *testing.T) {
	t.Parallel()
	flip := auditOf(flipped(6)) // likely, with gaps of +1/6 and -1/2 or -3/4
	likely := auditOf(likelyFlip())
	for _, test := range []struct {
		a    *tiaptest.Audit
		opts []tiaptest.RuleOption
		ok   bool
	}{
		{likely, []tiaptest.RuleOption{tiaptest.From(tiaptest.Decisive), tiaptest.From(tiaptest.Fragile)}, false},
		{likely, []tiaptest.RuleOption{tiaptest.From(tiaptest.Fragile), tiaptest.From(tiaptest.Decisive)}, true},
		{likely, []tiaptest.RuleOption{nil, tiaptest.From(tiaptest.Decisive)}, true},
		{flip, []tiaptest.RuleOption{tiaptest.Above(0.2), tiaptest.Above(0)}, false},
		{flip, []tiaptest.RuleOption{tiaptest.Above(0), tiaptest.Above(0.2)}, true},
		{flip, []tiaptest.RuleOption{tiaptest.Above(0.1), tiaptest.From(tiaptest.Likely), tiaptest.Between("B", "A")}, false},
		{flip, []tiaptest.RuleOption{tiaptest.Above(0.2), tiaptest.From(tiaptest.Likely), tiaptest.Between("B", "A")}, true},
	} {
		rule := tiaptest.NoWinnerFlip(mrr, test.opts...)
		assert.Equal(t, test.ok, test.a.Verify(rule) == nil, "%s", rule)
	}
}

// likelyFlip is a flip over 8 queries in which the shift alone is significant.
func likelyFlip() *tiaptest.Bundle {
	return contest(system("A", append(times(5, ".r.f"), times(3, "..r...f")...)...), system("B", append(times(5, "f.r"), times(3, "fr")...)...))
}

// TestFromFewQueries: where no flip could have the grade, the rule would hold
// whatever the rankings are.
func TestFromFewQueries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		queries int
		from    tiaptest.Grade
		nothing bool
	}{
		{2, tiaptest.Fragile, false},
		{5, tiaptest.Likely, true}, // 2/2^5 is above 0.05
		{6, tiaptest.Likely, false},
		{6, tiaptest.Decisive, true}, // three targets: 3*2/2^6 is
		{7, tiaptest.Decisive, false},
	} {
		rule := tiaptest.NoWinnerFlip(mrr, tiaptest.From(test.from))
		err := auditOf(flipped(test.queries)).Verify(rule)
		require.Error(t, err)
		assert.Equal(t, test.nothing, strings.Contains(err.Error(), fmt.Sprintf("compared nothing: no flip on %d queries could be %s", test.queries, test.from)), "%s", err)
		steady := contest(system("A", times(test.queries, "rf")...), system("B", times(test.queries, ".rf")...))
		assert.Equal(t, test.nothing, auditOf(steady).Verify(rule) != nil)
	}
	a := auditOf(contest(system("A", "rf", "rf").again("rf", ".rf"), system("B", ".rf", ".rf").again(".rf", "..rf")))
	assert.NoError(t, a.Verify(tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Decisive))), "ingest means are tested")
}
