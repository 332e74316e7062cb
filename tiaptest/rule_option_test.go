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
	a := auditOf(same())
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
	for _, test := range []struct {
		opts []tiaptest.RuleOption
		ok   bool
	}{
		{[]tiaptest.RuleOption{tiaptest.From(tiaptest.Decisive), tiaptest.From(tiaptest.Fragile)}, false},
		{[]tiaptest.RuleOption{tiaptest.From(tiaptest.Fragile), tiaptest.From(tiaptest.Decisive)}, true},
		{[]tiaptest.RuleOption{nil, tiaptest.From(tiaptest.Decisive)}, true},
		{[]tiaptest.RuleOption{tiaptest.Above(0.2), tiaptest.Above(0)}, false},
		{[]tiaptest.RuleOption{tiaptest.Above(0), tiaptest.Above(0.2)}, true},
		{[]tiaptest.RuleOption{tiaptest.Above(0.1), tiaptest.From(tiaptest.Likely), tiaptest.Between("B", "A")}, false},
		{[]tiaptest.RuleOption{tiaptest.Above(0.2), tiaptest.From(tiaptest.Likely), tiaptest.Between("B", "A")}, true},
	} {
		rule := tiaptest.NoWinnerFlip(mrr, test.opts...)
		assert.Equal(t, test.ok, flip.Verify(rule) == nil, "%s", rule)
	}
}
