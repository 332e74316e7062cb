package tiaptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestContents shows that an audit names its own part of the bundle only, and
// that its lists are the caller's to change.
func TestContents(t *testing.T) {
	t.Parallel()
	b := density()
	b.Scenario.Name = "orchard"
	a, err := tiaptest.Rescore(b, tiaptest.Systems("D5"), tiaptest.Targets(tiaptest.Source), tiaptest.Headline(tiaptest.Source), tiaptest.Beside(tiaptest.Raw))
	require.NoError(t, err)
	assert.Equal(t, "orchard", a.Scenario())
	assert.Equal(t, []string{"D5"}, a.Systems())
	a.Targets()[0] = tiaptest.Canonical
	assert.Equal(t, "[source raw]", fmt.Sprint(a.Targets()))
}

func ExampleAudit_Scenario() {
	b := density()
	b.Scenario.Name = "orchard"
	fmt.Println(must(tiaptest.Rescore(b)).Scenario())
	// Output: orchard
}

func ExampleAudit_Systems() {
	fmt.Println(must(tiaptest.Rescore(density())).Systems())
	// Output: [D1 D5]
}

func ExampleAudit_Targets() {
	fmt.Println(must(tiaptest.Rescore(density())).Targets())
	// Output: [raw source canonical]
}
