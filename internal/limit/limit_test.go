package limit_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/internal/limit"
)

func TestReadAll(t *testing.T) {
	t.Parallel()
	text, err := limit.ReadAll(strings.NewReader("four"), 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(text))
	_, err = limit.ReadAll(strings.NewReader("fives"), 4)
	var over *limit.Error
	require.ErrorAs(t, err, &over)
	assert.Equal(t, "it has more than 4 bytes", over.What)
}

// A file that is too large is refused by its size: none of it is read.
func TestReadFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
	text, err := limit.ReadFile(file, 4)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	require.NoError(t, os.Truncate(file, 10<<30))
	_, err = limit.ReadFile(file, limit.Document)
	require.ErrorContains(t, err, "it has more than 512 MiB; ")

	_, err = limit.ReadFile(filepath.Dir(file), 4)
	require.ErrorContains(t, err, "it is a folder")
	_, err = limit.ReadFile(file+"x", 4)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestBytes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "32 MiB", limit.Bytes(limit.Line))
	assert.Equal(t, "1 GiB", limit.Bytes(1<<30))
	assert.Equal(t, "1048577 bytes", limit.Bytes(1<<20+1))
}

// A file is read as a stream is, and one that is shorter or longer than it says, too.
func TestReadAllOfFile(t *testing.T) {
	t.Parallel()
	for _, says := range []int64{0, 3, 4, 5, 9} {
		text, err := limit.ReadAll(&sized{strings.NewReader("four"), says}, 9)
		require.NoError(t, err)
		assert.Equal(t, "four", string(text), "of %d bytes", says)
		_, err = limit.ReadAll(&sized{strings.NewReader("four"), says}, 3)
		require.Error(t, err, "of %d bytes", says)
	}
	fault := errors.New("cable pulled")
	for _, says := range []int64{0, 4} {
		_, err := limit.ReadAll(&sized{iotest.ErrReader(fault), says}, 9)
		require.ErrorIs(t, err, fault)
	}
}

// sized is a file that says how many bytes it has.
type sized struct {
	io.Reader
	size int64
}

func (s *sized) Stat() (fs.FileInfo, error) { return info{size: s.size}, nil }
func (s *sized) Close() error               { return nil }

type info struct {
	fs.FileInfo
	size int64
}

func (i info) Size() int64 { return i.size }
