package tiaptest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/tiaptest"
)

// Whatever ids, names and texts hold, what go test prints of them is nothing but
// text: no line is a command of a CI runner's log, none turns a terminal around.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	places := []string{"scenario", "system", "family", "query", "query text", "category", "turn", "memory", "form", "lineage", "failure", "target", "reason"}
	hostile.Try(t, places, func(t *testing.T, at hostile.At) (map[string]string, error) {
		a, err := hostileAudit(at)
		if err != nil {
			return nil, err
		}
		return printed(t, a), nil
	})
}

// hostileAudit is an audit that finds much.
func hostileAudit(at hostile.At) (*tiaptest.Audit, error) {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: at("scenario", "garden"), Headline: "canonical"}}
	first, second := b.AddSystem(at("system", "A"), at("family", "one")), b.AddSystem("B", at("family", "one"))
	for _, s := range b.Systems {
		s.Lineage = at("lineage", "")
	}
	for i := range 6 {
		query, turn := fmt.Sprintf("%s%d", at("query", "q"), i), fmt.Sprintf("%s%d", at("turn", "t"), i)
		b.AddTurn(turn, at("query text", "said"))
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: query, Text: at("query text", "what?"), Category: at("category", "c"),
			Answer: at("query text", "that"), Evidence: []tiaptest.Unit{{Turns: []string{turn}}}})
		raw, fact, gone := fmt.Sprintf("%sraw%d", at("memory", "m"), i), fmt.Sprintf("%sfact%d", at("memory", "m"), i), fmt.Sprintf("%sgone%d", at("memory", "m"), i)
		for _, s := range b.Systems {
			s.AddMemory(raw, "raw", turn).AddMemory(fact, at("form", "fact"), turn)
		}
		first.AddRanking(query, raw, gone, fact)
		if i == 5 {
			if err := second.Ingests[0].Run.Add(tiaptest.Ranking{Query: query, Error: at("failure", "no answer")}); err != nil {
				return nil, err
			}
			continue
		}
		second.AddRanking(query, fact, raw)
	}
	beside := tiaptest.NewTarget(at("target", "mine"), func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true })
	ndcg := tiaptest.NDCG(3)
	return tiaptest.Rescore(b, tiaptest.Depth(3), tiaptest.Metrics(ndcg), tiaptest.Resamples(100), tiaptest.Beside(beside),
		tiaptest.Known(tiaptest.Finding{A: at("system", "A"), B: "B", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: at("reason", "known")}))
}

// printed is all that people read of an audit.
func printed(t *testing.T, a *tiaptest.Audit) map[string]string {
	t.Helper()
	out := make(map[string]string)
	var b strings.Builder
	require.NoError(t, a.WriteTable(&b))
	out["WriteTable"] = b.String()
	ndcg := tiaptest.NDCG(3)
	rules := tiaptest.Rules{
		tiaptest.TargetsReported(), tiaptest.SharedSubset(100), tiaptest.Nested(), tiaptest.CompleteRuns(), tiaptest.NoWinnerFlip(ndcg),
		tiaptest.NoConventionFlip(ndcg), tiaptest.StableRecommendation("one", ndcg), tiaptest.StableTargetOrder(ndcg), tiaptest.NoDepthFlip(ndcg, 1, 2, 3),
		tiaptest.Winner("B", tiaptest.Raw, ndcg), tiaptest.MinScore("B", tiaptest.Raw, ndcg, 0.99), tiaptest.EachQuery(ndcg, tiaptest.Raw, 0.99),
		tiaptest.MinCoverage(tiaptest.Raw, 2),
	}
	for _, v := range rules.Verify(a) {
		out[v.Rule] += v.Error() + "\n"
	}
	err := a.Verify(rules...)
	require.Error(t, err)
	out["Verify"] = err.Error()
	for i, q := range a.Bundle().Scenario.Queries[4:] {
		text, err := a.Explain(q.ID)
		require.NoError(t, err)
		out[fmt.Sprintf("Explain %d", i)] = text
		out[fmt.Sprintf("ExplainCommand %d", i)] = a.ExplainCommand(q.ID)
	}
	for _, s := range a.Systems() {
		_, err := a.Score(s+"?", tiaptest.Raw, ndcg)
		require.Error(t, err)
		out["an error of "+s] = err.Error()
	}
	return out
}
