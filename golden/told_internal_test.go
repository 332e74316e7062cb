package golden

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only findings on the same systems are told as one: the text of a tie names one of
// them.
func TestToldOfTheSameSystems(t *testing.T) {
	t.Parallel()
	tie := func(metric string, systems ...string) Finding {
		return Finding{Verdict: Tie, Fails: true, Text: "tie on " + metric + " under raw: A -> a tie", shape: "tie under raw: A -> a tie", Systems: systems, Metric: metric, block: new(block)}
	}
	d := &Difference{Findings: []Finding{tie("mrr@10", "A", "B"), tie("mrr@10", "A", "C"), tie("top1", "A", "B")}}
	groups := d.told()
	if assert.Len(t, groups, 2) {
		assert.Equal(t, []string{"mrr@10", "top1"}, groups[0].metrics)
		assert.Equal(t, []string{"mrr@10"}, groups[1].metrics)
	}
	assert.Contains(t, d.failures(nil, manner{}), "tie on mrr@10 and top1 under raw: A -> a tie\n\ntie on mrr@10 under raw: A -> a tie")

	for i := range d.Findings {
		d.Findings[i].Fails = false
	}
	assert.Equal(t, "tie on mrr@10 and top1 under raw: A -> a tie\ntie on mrr@10 under raw: A -> a tie", d.reports())
}

// What is left out is said where it is, and where nothing is left, nothing is.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	test, verbose := manner{test: true}, manner{test: true, full: true}
	assert.Equal(t, "; -v names 10", elsewhere(3, 20, test))
	assert.Equal(t, "; -v names 5", elsewhere(3, 5, test))
	assert.Equal(t, "; tiaptest gate -format json names 20", elsewhere(10, 20, verbose))
	assert.Equal(t, "; tiaptest gate -format json names 20", elsewhere(3, 20, manner{}))
	assert.Empty(t, elsewhere(3, 3, test))
}
