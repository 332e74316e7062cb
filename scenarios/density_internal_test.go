package scenarios

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Progress counts the sessions of each ingest anew.
func TestWatched(t *testing.T) {
	t.Parallel()
	quiet := record.ParseFunc(func(context.Context, []tiaptest.Turn) ([]tiaptest.Memory, error) { return nil, nil })
	var told, silent bytes.Buffer
	for w, every := range map[*bytes.Buffer]time.Duration{&told: 0, &silent: time.Hour} {
		p := watched(quiet, "D5", 2, w, every)
		for range 3 {
			_, err := p.Parse(t.Context(), nil)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, "D5: parsed 1 of 2 sessions\nD5: parsed 2 of 2 sessions\nD5: parsed 1 of 2 sessions\n", told.String())
	assert.Empty(t, silent.String())
}
