package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/problem"
)

func packed(t *testing.T, ext, text string) []byte {
	var b bytes.Buffer
	switch ext {
	case ".gz":
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, text)
		require.NoError(t, errors.Join(err, w.Close()))
	case ".zst":
		w, err := zstd.NewWriter(&b)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, errors.Join(err, w.Close()))
	default:
		b.WriteString(text)
	}
	return b.Bytes()
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	var onDisk []byte
	for ext, text := range map[string]string{"": "plain", ".gz": "\xef\xbb\xbfgzip", ".zst": "zstd", ".empty": "", ".short": "\xef\xbb"} {
		file := filepath.Join(dir, "a"+ext)
		data := packed(t, ext, text)
		require.NoError(t, os.WriteFile(file, data, 0o666))
		files = append(files, file)
		onDisk = append(onDisk, data...)
	}
	got := map[string]string{}
	var last, total int64
	s, err := newSettings("", []Option{Progress(func(r, n int64) {
		assert.GreaterOrEqual(t, r, last)
		assert.LessOrEqual(t, r, n)
		last, total = r, n
	})})
	require.NoError(t, err)
	require.NoError(t, s.readFiles(files, func(file string, r io.Reader) error {
		text, err := io.ReadAll(r)
		got[filepath.Base(file)] = string(text)
		return err
	}))
	assert.Equal(t, map[string]string{"a": "plain", "a.gz": "gzip", "a.zst": "zstd", "a.empty": "", "a.short": "\xef\xbb"}, got)
	sum := sha256.Sum256(onDisk)
	assert.Equal(t, hex.EncodeToString(sum[:]), s.summary.SHA256)
	assert.EqualValues(t, len(onDisk), last)
	assert.EqualValues(t, len(onDisk), total)

	// The sum is of all bytes, whether a reader wants them or not.
	s.summary.SHA256, last = "", 0
	require.NoError(t, s.readFiles(files, func(string, io.Reader) error { return nil }))
	assert.Equal(t, hex.EncodeToString(sum[:]), s.summary.SHA256)
}

func TestReadFilesErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.gz")
	data := packed(t, ".gz", "some text")
	require.NoError(t, os.WriteFile(whole, data, 0o666))
	cut := filepath.Join(dir, "cut.gz")
	require.NoError(t, os.WriteFile(cut, data[:len(data)-1], 0o666))
	all := func(_ string, r io.Reader) error { _, err := io.ReadAll(r); return err }
	none := func(string, io.Reader) error { return nil }
	for _, test := range []struct {
		file string
		read func(string, io.Reader) error
		want string
	}{
		{dir, all, dir + ": this is no file; name a file"},
		{filepath.Join(dir, "absent"), all, "absent: no such file or directory; name a file that can be read"},
		{cut, all, cut + ": the gzip data is cut off"},
		{cut, none, cut + ": the gzip data is cut off"},
		{whole, func(string, io.Reader) error { return errors.New("wrong") }, whole + ": wrong"},
		{whole, func(file string, _ io.Reader) error { return &problem.Problem{File: file, Line: 3, What: "wrong"} }, whole + ":3: wrong"},
	} {
		s := &settings{}
		err := s.readFiles([]string{test.file}, test.read)
		require.ErrorContains(t, err, test.want)
		assert.Empty(t, s.summary.SHA256)
	}
}
