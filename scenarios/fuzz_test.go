package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
)

// sound checks what holds for every benchmark that was read, and that an error
// has no result beside it.
func sound(t *testing.T, b *scenarios.Benchmark, err error) {
	t.Helper()
	if err != nil {
		require.Nil(t, b)
		return
	}
	turns := make(map[string]bool)
	for _, turn := range b.Scenario.Turns {
		require.False(t, turns[turn.ID], "turn %q twice", turn.ID)
		turns[turn.ID] = true
	}
	units, scorable := 0, 0
	queries := make(map[string]bool)
	for _, q := range b.Scenario.Queries {
		require.False(t, queries[q.ID], "query %q twice", q.ID)
		queries[q.ID] = true
		require.True(t, strings.HasPrefix(q.ID, q.Scope+"/"))
		if len(q.Evidence) > 0 {
			scorable++
		}
		units += len(q.Evidence)
		for _, u := range q.Evidence {
			require.NotEmpty(t, u.Turns)
			for _, turn := range u.Turns {
				require.True(t, turns[turn], "evidence %q is no turn", turn)
				require.True(t, strings.HasPrefix(turn, q.Scope+"/"), "evidence %q of another conversation", turn)
			}
		}
	}
	require.Equal(t, len(turns), b.Summary.Turns)
	require.Equal(t, len(queries), b.Summary.Queries)
	require.Equal(t, units, b.Summary.Units)
	require.Equal(t, scorable, b.Summary.Scorable)
	if b.System == nil {
		require.Zero(t, b.Summary.Memories)
		return
	}
	memories := make(map[string]bool)
	for _, m := range b.System.Ingests[0].Memories {
		require.False(t, memories[m.ID], "memory %q twice", m.ID)
		memories[m.ID] = true
		require.NotEmpty(t, b.System.Forms[m.Form])
		for _, l := range m.Sources {
			require.True(t, turns[l.Turn], "source %q is no turn", l.Turn)
		}
	}
	require.Equal(t, len(memories), b.Summary.Memories)
}

func FuzzLoCoMo(f *testing.F) {
	f.Add(read(f, locomoSample))
	f.Add([]byte(cleanLoCoMo))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "l.json")
		require.NoError(t, os.WriteFile(file, text, 0o666))
		b, err := scenarios.LoCoMo(file)
		sound(t, b, err)
		strict, strictErr := scenarios.LoCoMo(file, scenarios.Strict())
		sound(t, strict, strictErr)
		require.Equal(t, err == nil, strictErr == nil)
		if err != nil {
			require.Equal(t, err.Error(), strictErr.Error())
			return
		}
		require.LessOrEqual(t, strict.Summary.Units, b.Summary.Units)
		require.Empty(t, cmp.Diff(b.Scenario.Turns, strict.Scenario.Turns))
	})
}

func FuzzBEAM(f *testing.F) {
	f.Add(read(f, beamChat), read(f, beamQuestions))
	f.Add([]byte(cleanChat), []byte(cleanQuestions))
	f.Add(read(f, beamRow), []byte("{}"))
	f.Fuzz(func(t *testing.T, chat, questions []byte) {
		dir := beamFolder(t, map[string]string{
			"1M/7/chat.json": string(chat),
			"1M/7/probing_questions/probing_questions.json": string(questions),
		})
		b, err := scenarios.BEAM(dir)
		sound(t, b, err)
		with, err := scenarios.BEAM(dir, scenarios.OriginalInfo(), scenarios.Strict())
		sound(t, with, err)
		row, err := scenarios.BEAM(filepath.Join(dir, "1M", "7", "chat.json"))
		sound(t, row, err)
	})
}
