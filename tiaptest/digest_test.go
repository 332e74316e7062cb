package tiaptest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDigestOfManyRecords has the definition: the hashes of the records, sorted
// and hashed again.
func TestDigestOfManyRecords(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 63, 64, 1000, 20_000} {
		var d digest
		d.text("alone")
		d.end()
		d.each(n, func(d *digest, i int) {
			d.text("record", strconv.Itoa(i%(n/2+1)))
			d.number(-i)
		})

		hashes := [][]byte{sum([]byte("\x05alone"))}
		for i := range n {
			id := strconv.Itoa(i % (n/2 + 1))
			b := append([]byte("\x06record"), byte(len(id)))
			hashes = append(hashes, sum(binary.AppendVarint(append(b, id...), int64(-i))))
		}
		slices.SortFunc(hashes, bytes.Compare)
		want := sha256.Sum256(slices.Concat(hashes...))
		assert.Equal(t, "sha256:"+hex.EncodeToString(want[:]), d.String(), "%d records", n)
	}
}

func sum(b []byte) []byte {
	h := sha256.Sum256(b)
	return h[:]
}
