package tiaptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Shifts without a p value, as of queries of one scope, are none of the range.
func TestPRange(t *testing.T) {
	t.Parallel()
	p := func(x float64) Gap { return Gap{P: &x} }
	assert.Equal(t, "-", pRange(nil))
	assert.Equal(t, "-", pRange([]Gap{{}, {}}))
	assert.Equal(t, "0.25", pRange([]Gap{{}, p(0.25)}))
	assert.Equal(t, "0.25", pRange([]Gap{p(0.25), p(0.25)}))
	assert.Equal(t, "0.01 to 0.25", pRange([]Gap{p(0.25), {}, p(0.01)}))
}
