package synth_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/synth"
)

var hay = synth.Config{Shape: synth.LongMemEval, Queries: 60, Depth: 1, Systems: 1, Seed: 7}

func TestLongMemEval(t *testing.T) {
	t.Parallel()
	files := write(t, hay)
	require.Equal(t, []string{"longmemeval.json"}, names(files))
	text := files["longmemeval.json"]
	require.InDelta(t, 450_000, len(text)/hay.Queries, 50_000)
	require.Equal(t, 1, bytes.Count(text, []byte("\n")), "one line")

	type turn struct {
		Role      string `json:"role"`
		Content   string `json:"content"`
		HasAnswer *bool  `json:"has_answer"`
	}
	var instances []struct {
		ID         string   `json:"question_id"`
		Type       string   `json:"question_type"`
		Question   string   `json:"question"`
		Answer     any      `json:"answer"`
		Date       string   `json:"question_date"`
		Dates      []string `json:"haystack_dates"`
		SessionIDs []string `json:"haystack_session_ids"`
		Sessions   [][]turn `json:"haystack_sessions"`
		Gold       []string `json:"answer_session_ids"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&instances))
	require.Len(t, instances, hay.Queries)

	parse := func(date string) time.Time {
		at, err := time.Parse("2006/01/02 (Mon) 15:04", date)
		require.NoError(t, err)
		require.Equal(t, at.Format("Mon"), date[12:15])
		return at
	}
	ids := map[string]bool{}
	abstentions, integers, repeated, assistants := 0, 0, 0, 0
	for _, in := range instances {
		require.False(t, ids[in.ID], in.ID)
		ids[in.ID] = true
		require.NotEmpty(t, in.Type)
		require.NotEmpty(t, in.Question)
		if _, number := in.Answer.(float64); number {
			integers++
		}
		require.GreaterOrEqual(t, len(in.Sessions), 40)
		require.LessOrEqual(t, len(in.Sessions), 50)
		require.Len(t, in.Dates, len(in.Sessions))
		require.Len(t, in.SessionIDs, len(in.Sessions))
		require.NotEmpty(t, in.Gold)
		at := map[string]int{}
		last := time.Time{}
		marked := 0
		for pos, id := range in.SessionIDs {
			date := parse(in.Dates[pos])
			require.True(t, date.After(last))
			require.True(t, date.Before(parse(in.Date)))
			last = date
			if first, again := at[id]; again {
				repeated++
				require.Equal(t, in.Sessions[first], in.Sessions[pos], "the same session")
			}
			at[id] = pos
			gold := strings.HasPrefix(id, "answer_")
			require.Equal(t, gold, slices.Contains(in.Gold, id))
			require.NotEmpty(t, in.Sessions[pos])
			for i, turn := range in.Sessions[pos] {
				require.Equal(t, [...]string{"user", "assistant"}[i%2], turn.Role)
				require.NotEmpty(t, turn.Content)
				require.Equal(t, gold, turn.HasAnswer != nil)
				if gold && *turn.HasAnswer {
					marked++
					assistants += i % 2
				}
			}
		}
		if strings.HasSuffix(in.ID, "_abs") {
			abstentions++
			require.Zero(t, marked)
		} else {
			require.Equal(t, len(in.Gold), marked, "one turn of each")
		}
	}
	for what, n := range map[string]int{"abstentions": abstentions, "integers": integers, "repeated sessions": repeated, "answers by the assistant": assistants} {
		require.Positive(t, n, what)
		require.Less(t, n, hay.Queries/2, what)
	}
}

// The digest is pinned for the same reason as those of the other shapes.
func TestLongMemEvalIsDeterministic(t *testing.T) {
	t.Parallel()
	c := hay
	c.Queries = 3
	got := write(t, c)
	require.Equal(t, "9ab5366c9d05ded52222fdccf25f01f81dc53768a4f1e266caac40be7a9fd36b", digest(got))
	more := hay
	more.Queries = 4
	require.True(t, bytes.HasPrefix(write(t, more)["longmemeval.json"], bytes.TrimSuffix(got["longmemeval.json"], []byte("]\n"))))

	c.Gzip = true
	packed := write(t, c)
	require.Equal(t, []string{"longmemeval.json.gz"}, names(packed))
	r, err := gzip.NewReader(bytes.NewReader(packed["longmemeval.json.gz"]))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(got["longmemeval.json"], text))

	c.Gzip = false
	c.Seed++
	require.NotEqual(t, digest(got), digest(write(t, c)), "another seed")
}
