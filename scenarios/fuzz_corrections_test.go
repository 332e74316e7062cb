package scenarios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

// Whatever an overlay file holds, it is refused with its name, or the benchmark is
// sound with it.
func FuzzCorrections(f *testing.F) {
	f.Add(`{"query":"conv-90/qa0","evidence":["conv-90/D1:3"],"reason":"it says so"}`)
	f.Add(`{"query":"conv-90/qa6","evidence":[],"reason":"nothing does"}` + "\r\n\r\n" + `{"query":"conv-90/qa1","evidence":[{"id":"u","turns":["conv-90/D1:4","conv-90/D2:2"]}],"reason":"both"}`)
	f.Add(`{"query":"conv-90/qa0","evidence":["conv-90/D9:9"],"reason":"no such turn"}`)
	f.Add(`{"query":"elsewhere","evidence":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "overlay.jsonl")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		b, err := scenarios.LoCoMo(filepath.Join("testdata", "locomo", "locomo_sample.json"), scenarios.Corrections(file))
		if err != nil {
			require.ErrorContains(t, err, "overlay.jsonl")
			return
		}
		turns := make(map[string]bool)
		for _, turn := range b.Scenario.Turns {
			turns[turn.ID] = true
		}
		for _, q := range b.Scenario.Queries {
			for _, u := range q.Evidence {
				require.NotEmpty(t, u.Turns)
				for _, turn := range u.Turns {
					require.True(t, turns[turn], turn)
				}
			}
		}
		// A system that answers nothing right can be audited all the same.
		bundle := &tiaptest.Bundle{Scenario: b.Scenario}
		bundle.AddSystem("one", "").AddMemory("m", "raw", "conv-90/D1:1").AddRanking("conv-90/qa0", "m")
		if b.Summary.Scorable > 0 {
			_, err = tiaptest.Rescore(bundle)
			require.NoError(t, err)
		}
	})
}
