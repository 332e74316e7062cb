package lines_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
)

// repeated repeats a text for ever.
type repeated struct {
	text string
	at   int
}

func (e *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.text[e.at:])
		e.at = (e.at + m) % len(e.text)
		n += m
	}
	return n, nil
}

// packed compresses n bytes of a text that repeats.
func packed(t testing.TB, name, text string, n int64) []byte {
	var b bytes.Buffer
	w := packer(t, name, &b)
	_, err := io.Copy(w, io.LimitReader(&repeated{text: strings.Repeat(text, 1<<16/len(text))}, n))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// What unpacks to far more than its size is read no further than the limit allows,
// whatever its lines are.
func TestDecompressBomb(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		for name, text := range map[string]string{"zeros": "\x00", "blank lines": "\n", "one record": `{"query":"q1","ranking":["a"]}` + "\n"} {
			t.Run(f.name+" of "+name, func(t *testing.T) {
				t.Parallel()
				data := packed(t, f.name, text, 2*limit.Unpacked)
				require.Less(t, int64(len(data))*limit.Ratio, int64(2*limit.Unpacked), "no bomb")
				d, err := lines.Decompress(f.name, bytes.NewReader(data))
				require.NoError(t, err)
				n, err := io.Copy(io.Discard, d)
				var over *limit.Error
				require.ErrorAs(t, err, &over)
				assert.Contains(t, over.What, "unpacks to more than 32 MiB and 256 times its size")
				assert.LessOrEqual(t, n, int64(limit.Unpacked+1<<20+limit.Ratio*128<<10))

				err = lines.Each(bufio.NewReader(d), func(int, []byte) error { return nil })
				require.ErrorAs(t, err, &over, "nor is it read further")
			})
		}
	}
}

// As much as the limit allows is read.
func TestDecompressBelowLimit(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		d, err := lines.Decompress(f.name, bytes.NewReader(packed(t, f.name, "\n", limit.Unpacked)))
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, d)
		require.NoError(t, err)
		assert.EqualValues(t, limit.Unpacked, n)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	var got []string
	err := lines.Each(strings.NewReader("\ufeffa\r\n\n  \nb"), func(line int, text []byte) error {
		got = append(got, strings.Repeat(".", line)+string(text))
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{".a", "....b"}, got)

	stop := errors.New("stop")
	n := 0
	require.ErrorIs(t, lines.Each(&repeated{text: "line\n"}, func(int, []byte) error {
		if n++; n == 100_000 {
			return stop
		}
		return nil
	}), stop)

	var cut *lines.ReadError
	err = lines.Each(io.MultiReader(strings.NewReader("a\nb\n"), &repeated{text: strings.Repeat("x", 1<<16)}), func(int, []byte) error { return nil })
	require.ErrorAs(t, err, &cut)
	assert.Equal(t, 2, cut.Line)
	require.ErrorContains(t, err, "the next line is longer than 32 MiB")
}

func TestReadAll(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		text, err := lines.ReadAll(f.name, bytes.NewReader(f.pack(t, "text")), 4)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
		_, err = lines.ReadAll(f.name, bytes.NewReader(f.pack(t, "texts")), 4)
		require.ErrorContains(t, err, "it has more than 4 bytes")
		_, err = lines.ReadAll(f.name, strings.NewReader("text"), 4)
		require.Error(t, err)
	}
	_, err := lines.ReadAll("plain", &repeated{text: strings.Repeat("x", 1<<16)}, 1<<20)
	require.ErrorContains(t, err, "it has more than 1 MiB")
}
