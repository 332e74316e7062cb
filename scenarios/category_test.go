package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/scenarios"
)

func TestCategoryName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ benchmark, category, want string }{
		{"locomo", "1", "multi-hop"},
		{"locomo", "2", "temporal"},
		{"locomo", "3", "open-domain"},
		{"locomo", "4", "single-hop"},
		{"locomo", "5", "adversarial"},
		{"locomo", "6", "6"},
		{"beam", "1", "1"},
		{"beam", "event_ordering", "event_ordering"},
		{"longmemeval", "multi-session", "multi-session"},
		{"", "", ""},
	} {
		assert.Equal(t, test.want, scenarios.CategoryName(test.benchmark, test.category))
	}
}
