package lines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/lines"
)

func gz(t testing.TB, text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zst(t testing.TB, text string) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "q%d %d %x\n", i, i*i, i*7919)
	}
	return b.String()
}

// unpack reads all of a compressed file, errors included.
func unpack(name string, r io.Reader) (string, error) {
	d, err := lines.Decompress(name, r)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(d)
	return string(data), errors.Join(err, d.Close())
}

var formats = []struct {
	name string
	pack func(testing.TB, string) []byte
}{
	{"run.jsonl.gz", gz},
	{"run.jsonl.zst", zst},
}

func TestDecompress(t *testing.T) {
	t.Parallel()
	text := numbered(5000)
	got, err := unpack("run.jsonl", strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, text, got)
	for _, f := range formats {
		for _, name := range []string{f.name, strings.ToUpper(f.name)} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, err := unpack(name, bytes.NewReader(f.pack(t, text)))
				require.NoError(t, err)
				require.True(t, text == got)

				got, err = unpack(name, iotest.OneByteReader(bytes.NewReader(f.pack(t, "a\n"))))
				require.NoError(t, err)
				require.Equal(t, "a\n", got)

				got, err = unpack(name, bytes.NewReader(f.pack(t, "")))
				require.NoError(t, err, "a compressed empty file is whole")
				require.Empty(t, got)

				parts := bytes.Join([][]byte{f.pack(t, text[:1000]), f.pack(t, ""), f.pack(t, text[1000:])}, nil)
				got, err = unpack(name, bytes.NewReader(parts))
				require.NoError(t, err)
				require.True(t, text == got)
			})
		}
	}
}

func TestDecompressFaults(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			packed := f.pack(t, numbered(100))
			for _, test := range []struct {
				what string
				data []byte
				want string
			}{
				{"empty", nil, "the file is empty, which no "},
				{"plain text", []byte(numbered(2)), "not "},
				{"short plain text", []byte("a"), ""},
				{"text after", append(packed[:len(packed):len(packed)], "more text than a header"...), "something follows the "},
				{"a byte after", append(packed[:len(packed):len(packed)], 'x'), ""},
				{"zeros after", append(packed[:len(packed):len(packed)], make([]byte, 512)...), "something follows the "},
				{"cut off", packed[:len(packed)-1], "data is cut off: unexpected EOF"},
			} {
				_, err := unpack(f.name, bytes.NewReader(test.data))
				require.Error(t, err, test.what)
				assert.NotErrorIs(t, err, io.EOF, test.what)
				assert.ErrorContains(t, err, test.want, test.what)
			}
		})
	}
}

// However a file is cut, reading it ends in an error.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			first := f.pack(t, numbered(20))
			packed := append(first[:len(first):len(first)], f.pack(t, numbered(20))...)
			for n := range packed {
				if n == len(first) {
					continue // whole in itself: nobody can tell
				}
				for _, r := range []io.Reader{
					bytes.NewReader(packed[:n]),
					bytes.NewBuffer(packed[:n]),
					iotest.OneByteReader(bytes.NewReader(packed[:n])),
				} {
					_, err := unpack(f.name, r)
					require.Error(t, err, "after %d of %d bytes", n, len(packed))
				}
			}
		})
	}
}

// A fault of the file below is reported as such, not as an end.
func TestUnderlyingError(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		packed := f.pack(t, numbered(20))
		for _, fault := range []error{errors.New("cable pulled"), io.ErrUnexpectedEOF} {
			for n := 0; n <= len(packed); n++ {
				r := io.MultiReader(bytes.NewReader(packed[:n]), iotest.ErrReader(fault))
				_, err := unpack(f.name, r)
				require.ErrorIs(t, err, fault, "%s after %d of %d bytes", f.name, n, len(packed))
			}
		}
	}
}

// A flipped bit is an error or, in a field that carries no data, changes nothing.
func TestDamaged(t *testing.T) {
	t.Parallel()
	text := numbered(20)
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			packed := f.pack(t, text)
			silent := 0
			for i := range packed {
				for bit := range 8 {
					packed[i] ^= 1 << bit
					got, err := unpack(f.name, bytes.NewReader(packed))
					packed[i] ^= 1 << bit
					if err == nil {
						silent++
						require.Equal(t, text, got, "byte %d bit %d", i, bit)
					}
				}
			}
			require.Less(t, silent, 8*8)
		})
	}
}

func TestZstdWindow(t *testing.T) {
	t.Parallel()
	frame := func(windowLog byte) io.Reader { // an empty frame that asks for the window
		return bytes.NewReader([]byte{0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3, 1, 0, 0})
	}
	got, err := unpack("a.zst", frame(27))
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = unpack("a.zst", frame(28))
	require.ErrorContains(t, err, "a window of more than 128 MiB")
}

func TestParseCompressed(t *testing.T) {
	t.Parallel()
	text := numbered(1000)
	for _, f := range formats {
		packed := f.pack(t, text)
		d, err := lines.Decompress(f.name, bytes.NewReader(packed))
		require.NoError(t, err)
		got, err := read(d, 100, 2)
		require.NoError(t, err)
		require.Equal(t, plain(text), got)
		require.NoError(t, d.Close())

		d, err = lines.Decompress(f.name, bytes.NewReader(packed[:len(packed)-1]))
		require.NoError(t, err)
		got, err = read(d, 100, 2)
		var readErr *lines.ReadError
		require.ErrorAs(t, err, &readErr)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, len(got), readErr.Line)
	}
}

// packer compresses what is written to it, as the ending of a name says.
func packer(t testing.TB, name string, w io.Writer) io.WriteCloser {
	if strings.HasSuffix(name, ".gz") {
		return gzip.NewWriter(w)
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	return z
}
