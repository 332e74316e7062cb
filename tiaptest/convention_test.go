package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestConventionsTried: which conventions an audit compares depends on its input.
// Each
// differs from the published one, or from the audit's own, in one choice. TREC files have
// two populations more, and judgements are credited by memory.
func TestConventionsTried(t *testing.T) {
	t.Parallel()
	bundle := func(string) (*tiaptest.Bundle, error) { return same(), nil }
	usual := []string{"evidence/counted/shared", "evidence/dropped/all", "evidence/dropped/shared", "memory/dropped/shared"}
	for name, c := range map[string]struct {
		open func(dir string) (*tiaptest.Bundle, error)
		want []string
		opts tiaptest.Options
	}{
		"bundle":         {open: bundle, want: usual},
		"bundle, all":    {open: bundle, want: append([]string{"evidence/counted/all", "memory/dropped/all"}, usual...), opts: tiaptest.Options{tiaptest.Population("all")}},
		"bundle, memory": {open: bundle, want: append([]string{"memory/dropped/all"}, usual...), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		"bundle, covered": {
			open: bundle, want: append([]string{"evidence/counted/covered", "evidence/dropped/covered", "memory/dropped/covered"}, usual...),
			opts: tiaptest.Options{tiaptest.Population("covered")},
		},
		"bundle, counted over all": {
			open: bundle, want: append([]string{"evidence/counted/all", "memory/dropped/all"}, usual...),
			opts: tiaptest.Options{tiaptest.Population("all"), tiaptest.Uncovered("counted")},
		},
		"TREC": {
			open: openTREC(map[string]string{"raw": "r1", "source": "r1 f1", "canonical": "f1"}, "x r1 x f1", "f1 x r1"),
			want: []string{"memory/dropped/all", "memory/dropped/judged", "memory/dropped/matched", "memory/dropped/shared"},
		},
		"MTEL-Mem": {
			open: openMTELMem(`{"query_id":"q1","raw_ids":["r1"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`, "A x r1 x f1", "B f1 x r1"),
			want: []string{"memory/dropped/all", "memory/dropped/shared"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := c.open(t.TempDir())
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, auditOf(b, c.opts).WriteJSON(&out))
			var report struct {
				Conventions []struct{ Winners map[string]*string }
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &report))
			require.NotEmpty(t, report.Conventions)
			for _, row := range report.Conventions {
				assert.ElementsMatch(t, c.want, slices.Collect(maps.Keys(row.Winners)))
			}
		})
	}
}
