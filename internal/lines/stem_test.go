package lines_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/lines"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"run.txt": "run", "run.txt.gz": "run", "a.b.run.ZST": "a.b", "run": "run", "run.gz": "run",
		filepath.Join("dir.gz", "bm25.jsonl.zst"): "bm25",
	} {
		assert.Equal(t, want, lines.Stem(file), file)
	}
}
