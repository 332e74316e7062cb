package trec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestLineReadsAsSplit reads blocks of lines of the usual shape with others among
// them. Both ways of reading a line find the same fields.
func TestLineReadsAsSplit(t *testing.T) {
	t.Parallel()
	usual := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		fields := rapid.SampledFrom([]int{4, 6}).Draw(t, "fields")
		odd := func() bool { return rapid.IntRange(0, 60).Draw(t, "odd") == 0 }
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			n := fields
			if odd() {
				n = rapid.IntRange(0, 8).Draw(t, "n")
			}
			for i := range n {
				if i > 0 || odd() {
					b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "\t"}).Draw(t, "blank"))
				}
				if odd() {
					b.WriteString(rapid.SampledFrom([]string{" ", "\v", "\f", "\r", "\x00", "\x1f", "!", "\x7f", "\x80", "\xa0", "\xff"}).Draw(t, "byte"))
				}
				b.WriteString(rapid.StringMatching(`[!-~\x{80}-\x{ff}]{1,3}|[a-z\x{e9}]{0,140}`).Draw(t, "field"))
			}
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", " \n", "\r\r\n"}).Draw(t, "end"))
		}
		data := []byte(strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", "\n"}).Draw(t, "cut")))

		var fast, slow line
		fast.open(data)
		slow.open(data)
		for slow.next < len(data) {
			if probe := fast; probe.usual(fields) {
				usual++
			}
			fast.read(fields)
			slow.split()
			require.Equal(t, slow.next, fast.next)
			require.Equal(t, slow.count, fast.count)
			require.Equal(t, slow.text(), fast.text())
			for i := range min(slow.count, maxFields) {
				require.Equal(t, slow.field(i), fast.field(i))
			}
		}
		require.Equal(t, len(data), fast.next)
	})
	require.Positive(t, usual)
}

func TestLowBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte(" !\x1f\x80\xa0\x00"))), 0, 150).Draw(t, "data")
		base := rapid.IntRange(0, len(data)).Draw(t, "base")
		want := uint64(0)
		for i, c := range data[base:min(base+64, len(data))] {
			if c <= ' ' {
				want |= 1 << i
			}
		}
		require.Equal(t, want, lowBytes(data, base))
	})
}
