package tiaptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/intern"
)

// Hits mean the ids that they were made of, in their block and, once settled, in the
// table of the store with what it lacks behind.
func TestBlockIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 150), func(i int) string { return strings.Repeat("m", i%3) + fmt.Sprint(i) }), 0, 120)
		var stored, others intern.Table
		for _, id := range draw.Draw(t, "store") {
			stored.AddString(id)
		}
		block := blockIDs{stored: &stored}
		var hits [][]uint32
		var lists [][]string
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			ids := draw.Draw(t, "ids")
			list := make([][]byte, len(ids))
			for i, id := range ids {
				list[i] = []byte(id)
			}
			got := block.append(nil, list)
			for i, h := range got {
				if id := block.id(h); id != ids[i] {
					t.Fatalf("hit %d is of %q, want %q", i, id, ids[i])
				}
				if same, ok := block.hit(ids[i]); !ok || same != h {
					t.Fatalf("the hit of %q is %d, %v, want %d", ids[i], same, ok, h)
				}
			}
			if _, ok := block.hit("absent"); ok {
				t.Fatal("found what is in neither")
			}
			sorted := slices.Sorted(slices.Values(ids))
			if got, want := block.distinct(got), len(slices.Compact(sorted)) == len(ids); got != want {
				t.Fatalf("distinct is %v of %q", got, ids)
			}
			block.settle(got, &others)
			if n := block.others.Len(); n > 0 {
				t.Fatalf("%d ids are left for the next block", n)
			}
			hits, lists = append(hits, got), append(lists, ids)
		}
		stored.AddTable(&others, nil)
		for i, list := range lists {
			for j, id := range list {
				if got := stored.String(hits[i][j]); got != id {
					t.Fatalf("block %d, hit %d is of %q in the end, want %q", i, j, got, id)
				}
			}
		}
	})
}
