package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// asText is a result as a text that equal results share.
func asText(v any, err error) string {
	text, jsonErr := json.Marshal(v)
	return fmt.Sprint(string(text), jsonErr, err)
}

func written(write func(io.Writer) error) string {
	var b bytes.Buffer
	err := write(&b)
	return fmt.Sprint(b.String(), err)
}

// methods read an audit by every exported method.
func methods() map[string]func(*tiaptest.Audit) string {
	ndcg := tiaptest.NDCG(10)
	return map[string]func(a *tiaptest.Audit) string{
		"Bundle":  func(a *tiaptest.Audit) string { return asText(a.Bundle().Scenario, nil) },
		"Digests": func(a *tiaptest.Audit) string { s, r, err := a.Digests("D1"); return asText(s+" "+r, err) },
		"Eligible": func(a *tiaptest.Audit) string {
			all, err := a.Eligible("D5", tiaptest.Canonical)
			return asText(slices.Collect(all), err)
		},
		"Explain":        func(a *tiaptest.Audit) string { return asText(a.Explain("q03")) },
		"ExplainCommand": func(a *tiaptest.Audit) string { return asText(a.ExplainCommand("q03"), nil) },
		"Flips":          func(a *tiaptest.Audit) string { return asText(a.Flips(), nil) },
		"Known":          func(a *tiaptest.Audit) string { text, holds := a.Known(a.Flips()[0]); return fmt.Sprint(text, holds) },
		"Pair":           func(a *tiaptest.Audit) string { return asText(a.Pair("D1", "D5", ndcg)) },
		"PerIngest":      func(a *tiaptest.Audit) string { return asText(a.PerIngest("D1", tiaptest.Raw, ndcg)) },
		"PerQuery":       func(a *tiaptest.Audit) string { return asText(a.PerQuery("D1", tiaptest.Raw, ndcg)) },
		"Query":          func(a *tiaptest.Audit) string { q, _ := a.Query("q03"); return asText(q, nil) },
		"Ranked":         func(a *tiaptest.Audit) string { return asText(a.Ranked("D1", "q03")) },
		"Recommendation": func(a *tiaptest.Audit) string { return asText(a.Recommendation("density", ndcg)) },
		"Scenario":       func(a *tiaptest.Audit) string { return a.Scenario() },
		"Score":          func(a *tiaptest.Audit) string { return asText(a.Score("D1", tiaptest.Raw, ndcg)) },
		"Shared":         func(a *tiaptest.Audit) string { return asText(a.Shared(), nil) },
		"SharedQueries":  func(a *tiaptest.Audit) string { return asText(a.SharedQueries("D1", "D5")) },
		"StaleFindings":  func(a *tiaptest.Audit) string { return asText(a.StaleFindings(), nil) },
		"Systems":        func(a *tiaptest.Audit) string { return asText(a.Systems(), nil) },
		"Targets":        func(a *tiaptest.Audit) string { return fmt.Sprint(a.Targets()) },
		"Turn":           func(a *tiaptest.Audit) string { turn, _ := a.Turn("t3"); return asText(turn, nil) },
		"Values": func(a *tiaptest.Audit) string {
			values, err := a.Values("D1", tiaptest.Raw, ndcg)
			return asText(maps.Collect(values), err)
		},
		"Verify": func(a *tiaptest.Audit) string {
			return fmt.Sprint(a.Verify(tiaptest.TargetsReported(), tiaptest.SharedSubset(5), tiaptest.Nested(), tiaptest.CompleteRuns(), tiaptest.NoWinnerFlip(ndcg),
				tiaptest.NoConventionFlip(ndcg), tiaptest.StableRecommendation("density", ndcg), tiaptest.StableTargetOrder(ndcg), tiaptest.NoDepthFlip(ndcg, 1, 3)))
		},
		"With": func(a *tiaptest.Audit) string {
			b, err := a.With(tiaptest.Depth(3))
			if err != nil {
				return err.Error()
			}
			return written(b.WriteJSON)
		},
		"WriteJSON":     func(a *tiaptest.Audit) string { return written(a.WriteJSON) },
		"WritePerQuery": func(a *tiaptest.Audit) string { return written(a.WritePerQuery) },
		"WriteTable":    func(a *tiaptest.Audit) string { return written(a.WriteTable) },
	}
}

// others read an audit by what other packages say of one. Labels and the report of
// sensitivity are shared by the readers, too.
func others(t *testing.T, opts []report.Option, ls *semantic.Labels) map[string]func(*tiaptest.Audit) string {
	out := map[string]func(a *tiaptest.Audit) string{
		"sensitivity.Analyze": func(a *tiaptest.Audit) string {
			table, err := sensitivity.FromAudit(a)
			if err != nil {
				return err.Error()
			}
			return asText(sensitivity.Analyze(table))
		},
		"sensitivity.Conventions": func(a *tiaptest.Audit) string { return asText(sensitivity.Conventions(a)) },
		"sensitivity.Depths":      func(a *tiaptest.Audit) string { return asText(sensitivity.Depths(a, []int{1, 3})) },
		"sensitivity.NewCard":     func(a *tiaptest.Audit) string { return asText(sensitivity.NewCard(a)) },
		"semantic.Contested":      func(a *tiaptest.Audit) string { return asText(semantic.Contested(a, tiaptest.Canonical)) },
		"semantic.Compose":        func(a *tiaptest.Audit) string { return asText(semantic.Compose(a, "D5", tiaptest.Canonical)) },
		"semantic.Measure": func(a *tiaptest.Audit) string {
			return asText(semantic.Measure(a, "D5", tiaptest.Canonical, ls, semantic.Options{}))
		},
		"semantic.MinSupport": func(a *tiaptest.Audit) string {
			return fmt.Sprint(a.Verify(semantic.MinSupport(tiaptest.Canonical, ls, 0.5, semantic.Options{})))
		},
		"semantic.Agree": func(*tiaptest.Audit) string {
			return asText(semantic.Agree(ls, semantic.ThreeClass, semantic.Options{}))
		},
		"all that a report may add": func(a *tiaptest.Audit) string {
			return written(func(w io.Writer) error { return report.Write(w, report.JSON, a, extras(t, a)...) })
		},
		"report.Compare": func(a *tiaptest.Audit) string {
			return written(func(w io.Writer) error { return report.Compare(w, report.Markdown, a, a) })
		},
	}
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.JSON, report.Text} {
		out["report.Write "+string(f)] = func(a *tiaptest.Audit) string {
			return written(func(w io.Writer) error { return report.Write(w, f, a, opts...) })
		}
	}
	return out
}

// TestReadTogether reads one audit, which nobody read before, from many goroutines by
// all that reads audits: each of them finds what a reader finds who is alone. The race
// detector sees the rest.
func TestReadTogether(t *testing.T) {
	t.Parallel()
	first, second := audit(t, bundle(plainNames(), 0)), audit(t, bundle(plainNames(), 0))
	opts := extras(t, second)
	cases, err := semantic.Contested(second, tiaptest.Canonical)
	require.NoError(t, err)
	var judgements []semantic.Judgement
	for _, c := range cases {
		for _, judge := range []string{"a", "b"} {
			judgements = append(judgements, semantic.Judgement{Query: c.Query, System: c.System, Memory: c.Memory, Judge: judge, Kind: semantic.Human, Label: semantic.Supports})
		}
	}
	ls, err := semantic.NewLabels(judgements...)
	require.NoError(t, err)

	read := methods()
	typ := reflect.TypeFor[*tiaptest.Audit]()
	for i := range typ.NumMethod() {
		require.Contains(t, read, typ.Method(i).Name, "a method of Audit that is not read here")
	}
	maps.Copy(read, others(t, opts, ls))
	alone := make(map[string]string)
	for name, f := range read {
		alone[name] = f(second)
		require.NotEmpty(t, alone[name], name)
	}

	const readers = 4
	names := slices.Sorted(maps.Keys(read))
	start := make(chan struct{})
	var all sync.WaitGroup
	for r := range readers {
		all.Go(func() {
			<-start
			for i := range names { // each begins elsewhere
				name := names[(i+r*len(names)/readers)%len(names)]
				assert.Equal(t, alone[name], read[name](first), name)
			}
		})
	}
	close(start)
	all.Wait()
}
