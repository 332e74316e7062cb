package auditjson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/auditjson"
)

func TestCommonTargets(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ given, want string }{ // an order for each system
		"none":                    {"", ""},
		"the same targets":        {"a>b>c a=c>b", "a>b>c a=c>b"},
		"one lacks a target":      {"a>b>c c>a", "a>c c>a"},
		"a tied one is lacking":   {"a=b>c c>a", "a>c c>a"},
		"the lacking stood alone": {"b>a=c a=c", "a=c a=c"},
		"one in common":           {"a>b b>c", ""},
		"none in common":          {"a>b c>d", ""},
		"of one system":           {"a>b", "a>b"},
	} {
		var orders []auditjson.TargetOrder
		for _, order := range strings.Fields(tt.given) {
			orders = append(orders, auditjson.TargetOrder{System: "s", Order: strings.Split(order, ">")})
		}
		var got []string
		for _, o := range auditjson.CommonTargets(orders) {
			assert.Equal(t, "s", o.System)
			got = append(got, strings.Join(o.Order, ">"))
		}
		assert.Equal(t, tt.want, strings.Join(got, " "), name)
	}
}

// What is left is what all orders had, each in its own order, and what was given stays
// as it is.
func TestCommonTargetsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var orders []auditjson.TargetOrder
		var given []string
		for range rapid.IntRange(1, 4).Draw(r, "systems") {
			targets := rapid.Permutation([]string{"a", "b", "c", "d"}).Draw(r, "order")[:rapid.IntRange(1, 4).Draw(r, "n")]
			order := strings.Join(targets, rapid.SampledFrom([]string{">", "="}).Draw(r, "tied"))
			orders, given = append(orders, auditjson.TargetOrder{Order: strings.Split(order, ">")}), append(given, order)
		}
		want := 0 // targets in common
		for _, target := range []string{"a", "b", "c", "d"} {
			all := true
			for _, order := range given {
				all = all && strings.Contains(order, target)
			}
			if all {
				want++
			}
		}
		got := auditjson.CommonTargets(orders)
		if want < 2 {
			assert.Empty(r, got)
			return
		}
		assert.Len(r, got, len(orders))
		for i, o := range got {
			order := strings.Join(o.Order, ">")
			assert.Len(r, strings.FieldsFunc(order, func(c rune) bool { return c == '>' || c == '=' }), want)
			at := -1
			for _, c := range order {
				if c != '>' && c != '=' {
					next := strings.IndexRune(given[i], c)
					assert.Greater(r, next, at, "%s of %s", order, given[i])
					at = next
				}
			}
			assert.Equal(r, given[i], strings.Join(orders[i].Order, ">"))
		}
	})
}
