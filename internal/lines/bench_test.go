package lines_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/lines"
)

func count(b lines.Block) (n int) {
	for range b.All() {
		n++
	}
	return n
}

// BenchmarkParse counts lines, beside a plain pass over the same bytes and
// their SHA-256. MB/s are of plain bytes.
func BenchmarkParse(b *testing.B) {
	const n = 1_500_000
	text := []byte(numbered(n))
	run := func(name string, f func() int) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if got := f(); got != n {
					b.Fatalf("%d lines", got)
				}
			}
		})
	}
	parse := func(r io.Reader) (total int) {
		err := lines.Parse(r, count, func(n int) error { total += n; return nil })
		require.NoError(b, err)
		return total
	}
	run("plain", func() int { return parse(bytes.NewReader(text)) })
	for _, f := range formats {
		packed := f.pack(b, string(text))
		run(f.name, func() int {
			d, err := lines.Decompress(f.name, bytes.NewReader(packed))
			require.NoError(b, err)
			defer d.Close()
			return parse(d)
		})
	}
	run("IndexByte", func() (total int) {
		for rest := text; len(rest) > 0; total++ {
			rest = rest[bytes.IndexByte(rest, '\n')+1:]
		}
		return total
	})
	run("sha256", func() int { _ = sha256.Sum256(text); return n })
}
