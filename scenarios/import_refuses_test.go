package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/scenarios"
)

// What stands in the place of the folder stays.
func TestImportPlaces(t *testing.T) {
	src := filepath.Join("testdata", "locomo", "locomo_sample.json")
	abs, err := filepath.Abs(src)
	require.NoError(t, err)
	parent := t.TempDir()
	link := filepath.Join(parent, "link")
	require.NoError(t, os.Symlink(parent, link))
	_, err = scenarios.Import(t.Context(), "locomo", src, link)
	assert.EqualError(t, err, link+": this is a link, which a folder would replace; name the place that it leads to")
	dangling := filepath.Join(parent, "dangling")
	require.NoError(t, os.Symlink(filepath.Join(parent, "nowhere"), dangling))
	_, err = scenarios.Import(t.Context(), "locomo", src, dangling)
	assert.ErrorContains(t, err, "this is a link")
	assert.ElementsMatch(t, []string{"link", "dangling"}, names(t, parent))

	empty := t.TempDir()
	t.Chdir(empty)
	_, err = scenarios.Import(t.Context(), "locomo", abs, ".")
	assert.EqualError(t, err, "the working folder cannot be replaced; name another folder")
	_, err = scenarios.Import(t.Context(), "locomo", abs, "nowhere/../x")
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, names(t, empty))
}

func TestImportEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parent := t.TempDir()
	_, err := scenarios.Import(ctx, "locomo", filepath.Join("testdata", "locomo", "locomo_sample.json"), filepath.Join(parent, "out"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, names(t, parent))
}

func TestNoQuestion(t *testing.T) {
	t.Parallel()
	src := filepath.Join(t.TempDir(), "none.json")
	text := `[{"sample_id":"conv-1","conversation":{"speaker_a":"A","speaker_b":"B"},"qa":[]}]`
	require.NoError(t, os.WriteFile(src, []byte(text), 0o666))
	_, err := scenarios.LoCoMo(src)
	assert.EqualError(t, err, src+": it has no question; name a source with at least one")
}

func TestCorrectionOfTwins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "twins.jsonl")
	text := `{"query":"conv-90/qa0","evidence":[{"id":"u","turns":["conv-90/D1:1"]},{"id":"u","turns":["conv-90/D1:2"]}],"reason":"both"}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	_, err := scenarios.LoCoMo(filepath.Join("testdata", "locomo", "locomo_sample.json"), scenarios.Corrections(file))
	assert.EqualError(t, err, file+`:1: the correction of query "conv-90/qa0" has two units with the id "u"; give every unit an id of its own, or none`)
}
