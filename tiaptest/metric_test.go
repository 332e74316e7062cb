package tiaptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

func TestParseMetric(t *testing.T) {
	t.Parallel()
	cut := func(name string) string {
		return `metric "` + name + `": the cut-off must be a whole number from 1 to 1073741824, as in hit@10`
	}
	const known = "ndcg@k, recall@k, hit@k, mrr@k, precision@k, ap@k, rprec, all@k, top1, micro_recall@k"
	for name, test := range map[string]struct {
		want tiaptest.Metric
		err  string // empty for none
	}{
		"nDCG@10":                  {tiaptest.NDCG(10), ""},
		"hit":                      {tiaptest.Hit(0), ""},
		"hit@1":                    {tiaptest.Hit(1), ""},
		"hit@1073741824":           {tiaptest.Hit(1 << 30), ""},
		"Top1":                     {tiaptest.Top1(), ""},
		"hit@1073741825":           {err: cut("hit@1073741825")},
		"hit@99999999999999999999": {err: cut("hit@99999999999999999999")},
		"hit@0":                    {err: cut("hit@0")},
		"hit@-1":                   {err: cut("hit@-1")},
		"hit@+1":                   {err: cut("hit@+1")},
		"hit@01":                   {err: cut("hit@01")},
		"hit@":                     {err: cut("hit@")},
		"top1@5":                   {err: `metric "top1@5" takes no cut-off; write top1`},
		"hits@5":                   {err: `unknown metric "hits@5"; use one of ` + known},
		"":                         {err: `unknown metric ""; use one of ` + known},
	} {
		got, err := tiaptest.ParseMetric(name)
		if test.err != "" {
			assert.EqualError(t, err, test.err)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, test.want, got, name)
	}
}

// The cut-off of a metric is at most the greatest depth, and none is 0.
func TestMetricCutOffs(t *testing.T) {
	t.Parallel()
	for k, ok := range map[int]bool{-1: false, 0: true, 1: true, 1 << 30: true, 1<<30 + 1: false} {
		_, err := tiaptest.Rescore(same(), tiaptest.Metrics(tiaptest.NDCG(k)))
		assert.Equal(t, ok, err == nil, "k = %d: %v", k, err)
	}
}
