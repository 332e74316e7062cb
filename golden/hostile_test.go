package golden_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/tiaptest"
)

// Whatever ids, names and texts hold, a difference is nothing but text: for a
// terminal, for the log of a CI runner, for GitHub.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	places := []string{"base", "scenario", "system", "family", "query", "text", "category", "turn", "memory", "form", "reason"}
	hostile.Try(t, places, func(t *testing.T, at hostile.At) (map[string]string, error) {
		name := at("base", "main")
		base, head, err := hostileAudits(at)
		if err != nil {
			return nil, err
		}
		d, err := golden.Compare(name, base, head)
		require.NoError(t, err)
		require.True(t, d.Failed())
		var text, markdown strings.Builder
		require.NoError(t, d.WriteText(&text, head))
		require.NoError(t, d.WriteMarkdown(&markdown, head))
		assert.Empty(t, live(markdown.String()), markdown.String())
		return map[string]string{"text": text.String(), "Markdown": markdown.String()}, nil
	})
}

var (
	details = regexp.MustCompile(`(?s)\n<details><summary>Details</summary>\n\n<pre>\n[^<]*\n</pre>\n\n</details>\n`)
	escaped = regexp.MustCompile(`\\[*_\[\]|]`)
)

// live is what GitHub would make more of than text: markup, links, mentions,
// references, mathematics, and rows of a table with another number of cells.
func live(markdown string) string {
	markdown = details.ReplaceAllString(markdown, "")
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 5 {
			return "cells of " + line
		}
		rest, ok := hostile.WithoutCode(line)
		if !ok {
			return "code stays open in " + line
		}
		rest = html.UnescapeString(strings.ReplaceAll(rest, "&lt;", "")) // as mentions and references are looked for
		rest = escaped.ReplaceAllString(rest, "")
		rest = strings.TrimPrefix(strings.ReplaceAll(rest, "**", ""), "- ")
		for _, bad := range []string{"<", "`", "*", "_", "[", "@everyone", "@org", "a@", "#", "GH-", "://", "www.", "~", "$", ":tada:", "0123456789abcdef"} {
			if strings.Contains(rest, bad) {
				return fmt.Sprintf("%q in %q", bad, line)
			}
		}
	}
	return ""
}

func TestLiveFinds(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"<img src=x>", "**a** *b*", "hi @everyone", "see #1", "http://x", "www.x", "~~a~~", "$x$", "`open", "| a | b |", "a <details>", "a_b"} {
		assert.NotEmpty(t, live(bad+"\n"), bad)
	}
	for _, fine := range []string{"`<img>` and `` ` ``", `a\_b`, "| a | b | `x\\|y` | 1 |", "a &lt;b"} {
		assert.Empty(t, live(fine+"\n"), fine)
	}
}

// hostileAudits are two states of one bundle, between which winners change.
func hostileAudits(at hostile.At) (base, head *tiaptest.Audit, err error) {
	state := func(lost int) (*tiaptest.Audit, error) {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: at("scenario", "garden"), Headline: "canonical"}}
		first, second := b.AddSystem(at("system", "A"), at("family", "one")), b.AddSystem("B", at("family", "one"))
		for i := range 8 {
			query, turn := fmt.Sprintf("%s%d", at("query", "q"), i), fmt.Sprintf("%s%d", at("turn", "t"), i)
			b.AddTurn(turn, at("text", "said"))
			b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: query, Text: at("text", "what?"), Category: at("category", "c"), Evidence: []tiaptest.Unit{{Turns: []string{turn}}}})
			raw, fact := fmt.Sprintf("%sraw%d", at("memory", "m"), i), fmt.Sprintf("%sfact%d", at("memory", "m"), i)
			for _, s := range b.Systems {
				s.AddMemory(raw, "raw", turn)
				if s == first || i >= lost {
					s.AddMemory(fact, at("form", "fact"), turn)
				}
			}
			if lost > 0 && i%2 == 0 {
				first.AddRanking(query, fact, raw)
			} else {
				first.AddRanking(query, raw, fact)
			}
			second.AddRanking(query, fact, raw)
		}
		ndcg := tiaptest.NDCG(3)
		return tiaptest.Rescore(b, tiaptest.Depth(3), tiaptest.Metrics(ndcg), tiaptest.Resamples(100), tiaptest.Known(tiaptest.Finding{
			A: at("system", "A"), B: "B", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}, Reason: at("reason", "known"),
		}))
	}
	if base, err = state(0); err != nil {
		return nil, nil, err
	}
	head, err = state(3)
	return base, head, err
}
