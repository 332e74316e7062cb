package limit_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
)

// What has no end is named.
func TestRegular(t *testing.T) {
	t.Parallel()
	for mode, want := range map[fs.FileMode]string{
		0:                "",
		fs.ModeDir:       "it is a folder; give a file in its place",
		fs.ModeSocket:    "it is no regular file but a socket; give a file in its place",
		fs.ModeIrregular: "it is no regular file but something else; give a file in its place",
	} {
		fsys := fstest.MapFS{"file": &fstest.MapFile{Mode: mode}}
		info, err := fs.Stat(fsys, "file")
		require.NoError(t, err)
		if err := limit.Regular(info); want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}
