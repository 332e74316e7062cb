package intern_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/intern"
)

func Example() {
	var ids intern.Table
	for _, id := range []string{"mem_7", "mem_3", "mem_7", ""} {
		fmt.Printf("%q is %d\n", id, ids.AddString(id))
	}
	_, ok := ids.LookupString("mem_9")
	fmt.Println(ids.Len(), ids.String(1), ok)
	// Output:
	// "mem_7" is 0
	// "mem_3" is 1
	// "mem_7" is 0
	// "" is 2
	// 3 mem_3 false
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		add  []string
		want []uint32
	}{
		{"none", nil, nil},
		{"empty string", []string{"", ""}, []uint32{0, 0}},
		{"empty string later", []string{"a", "", "a", ""}, []uint32{0, 1, 0, 1}},
		{"parts of one another", []string{"ab", "a", "b", "abab", "ab"}, []uint32{0, 1, 2, 3, 0}},
		{"same concatenation", []string{"ab", "c", "a", "bc"}, []uint32{0, 1, 2, 3}},
		{"case and NUL tell apart", []string{"a", "A", "a\x00", "\x00"}, []uint32{0, 1, 2, 3}},
		{"any bytes", []string{"\xff", "\xff\xfe", "\xff"}, []uint32{0, 1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var table intern.Table
			_, ok := table.Lookup(nil)
			assert.False(t, ok, "found in an empty table")
			var got []uint32
			for _, s := range test.add {
				got = append(got, table.Add([]byte(s)))
			}
			assert.Equal(t, test.want, got)
			for i, s := range test.add {
				assert.Equal(t, s, table.String(test.want[i]))
			}
			_, ok = table.LookupString("absent")
			assert.False(t, ok)
		})
	}
}

// The table is a map from strings to their order of first appearance.
func TestTableIsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var table intern.Table
		model := make(map[string]uint32)
		check := func(s string) {
			want, known := model[s]
			for name, lookup := range map[string]func() (uint32, bool){
				"Lookup":       func() (uint32, bool) { return table.Lookup([]byte(s)) },
				"LookupString": func() (uint32, bool) { return table.LookupString(s) },
			} {
				if sym, ok := lookup(); ok != known || ok && sym != want {
					t.Fatalf("%s(%q) = %d, %v, want %d, %v", name, s, sym, ok, want, known)
				}
			}
		}
		ids := rapid.OneOf(rapid.StringMatching(`[ab]{0,3}`), rapid.String(),
			rapid.Map(rapid.IntRange(0, 500), func(i int) string { return fmt.Sprintf("conv-26/mem_%d", i) }))
		for _, s := range rapid.SliceOfN(ids, 0, 300).Draw(t, "ids") {
			check(s)
			buf := []byte(s)
			sym := table.Add(buf)
			for i := range buf {
				buf[i] = '!' // the table must not have kept it
			}
			if _, known := model[s]; !known {
				model[s] = uint32(len(model))
			}
			check(s)
			if sym != model[s] || table.AddString(s) != sym {
				t.Fatalf("Add(%q) = %d, then %d, want %d", s, sym, table.AddString(s), model[s])
			}
			if table.Len() != len(model) {
				t.Fatalf("Len() = %d, want %d", table.Len(), len(model))
			}
		}
		for s, sym := range model {
			if got := table.String(sym); got != s || string(table.Bytes(sym)) != s {
				t.Fatalf("String(%d) = %q, want %q", sym, got, s)
			}
		}
	})
}

// AddTable is Add of one string after the other.
func TestAddTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 300), strconv.Itoa), 0, 300)
		var together, alone, part intern.Table
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			part.Reset()
			want := []uint32{7}
			for _, id := range ids.Draw(t, "ids") {
				if _, known := part.LookupString(id); !known {
					want = append(want, alone.AddString(id))
				}
				part.AddString(id)
			}
			if got := together.AddTable(&part, []uint32{7}); !slices.Equal(want, got) {
				t.Fatalf("symbols %v, want %v", got, want)
			}
		}
		if together.Len() != alone.Len() {
			t.Fatalf("%d strings, want %d", together.Len(), alone.Len())
		}
		for sym := range uint32(alone.Len()) {
			if together.String(sym) != alone.String(sym) {
				t.Fatalf("%d is %q, want %q", sym, together.String(sym), alone.String(sym))
			}
		}
	})
}

// AddStrings is Add of one string after the other.
func TestAddStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 300), strconv.Itoa), 0, 300)
		var together, alone intern.Table
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			add := ids.Draw(t, "ids")
			for _, id := range add {
				alone.AddString(id)
			}
			together.AddStrings(len(add), func(i int) string { return add[i] })
		}
		if together.Len() != alone.Len() {
			t.Fatalf("%d strings, want %d", together.Len(), alone.Len())
		}
		for sym := range uint32(alone.Len()) {
			if together.String(sym) != alone.String(sym) {
				t.Fatalf("%d is %q, want %q", sym, together.String(sym), alone.String(sym))
			}
		}
	})
}

// Lookups of many are lookups of one after the other.
func TestSymbolsOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 200), strconv.Itoa), 0, 300)
		var table, other intern.Table
		for _, id := range ids.Draw(t, "table") {
			table.AddString(id)
		}
		for _, id := range ids.Draw(t, "other") {
			other.AddString(id)
		}
		from := rapid.IntRange(0, other.Len()).Draw(t, "from")
		want := make([]int32, other.Len())
		for i := range want {
			want[i] = -1
			if sym, ok := table.LookupString(other.String(uint32(i))); ok {
				want[i] = int32(sym)
			}
		}
		got := make([]int32, len(want)-from)
		if table.SymbolsOf(&other, from, got); !slices.Equal(want[from:], got) {
			t.Fatalf("from %d on %v, want %v", from, got, want[from:])
		}
		strings := make([][]byte, len(want))
		for i := range strings {
			strings[i] = other.Bytes(uint32(i))
		}
		got = make([]int32, len(want))
		if table.Symbols(strings, got); !slices.Equal(want, got) {
			t.Fatalf("%v, want %v", got, want)
		}
		got = make([]int32, len(want))
		if table.SymbolsOfStrings(func(i int) string { return other.String(uint32(i)) }, got); !slices.Equal(want, got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// A nil table can be read.
func TestNil(t *testing.T) {
	t.Parallel()
	var table *intern.Table
	require.Zero(t, table.Len())
	_, ok := table.LookupString("a")
	require.False(t, ok)
	_, ok = table.Lookup([]byte("a"))
	require.False(t, ok)
	got := []int32{7}
	table.SymbolsOfStrings(func(int) string { return "a" }, got)
	require.Equal(t, []int32{-1}, got)
	got = []int32{7}
	table.Symbols([][]byte{nil}, got)
	require.Equal(t, []int32{-1}, got)
}

// Strings of all lengths stay what they were, about the sizes of the table's
// allocations too, and after Reset.
func TestLengths(t *testing.T) {
	t.Parallel()
	lengths := []int{0, 1, 65534, 65535, 65536, 0, 65537, 131070, 131071, 131072, 1 << 20, 3, 65533, 2, 0}
	var table intern.Table
	for round := range 3 {
		var want []string
		for i, n := range lengths {
			s := strings.Repeat(string(rune('a'+i+round)), n)
			if sym := table.AddString(s); int(sym) == len(want) {
				want = append(want, s)
			} else {
				require.Equal(t, s, table.String(sym)) // the empty string again
			}
		}
		for sym, s := range want {
			if got := table.String(uint32(sym)); got != s {
				t.Fatalf("round %d: string %d has %d bytes, want %d", round, sym, len(got), len(s))
			}
		}
		table.Reset()
		slices.Reverse(lengths)
	}
}

// Room for many makes no difference but in allocations.
func TestExpect(t *testing.T) {
	fill := func(expect int) float64 {
		return testing.AllocsPerRun(5, func() {
			var table intern.Table
			table.AddString("before")
			table.Expect(expect)
			id := []byte{0, 0}
			for i := range 1000 {
				binary.BigEndian.PutUint16(id, uint16(i))
				if sym := table.Add(id); sym != uint32(i+1) {
					t.Fatalf("symbol %d, want %d", sym, i+1)
				}
			}
			if table.String(0) != "before" {
				t.Fatalf("the first string is %q", table.String(0))
			}
		})
	}
	require.Less(t, fill(1000), fill(0))
}

// Many symbols: the table grows often, and what was added stays.
func TestGrowth(t *testing.T) {
	t.Parallel()
	const n = 50_000
	id := func(i int) string { return fmt.Sprintf("q%d", i*7919) }
	var table intern.Table
	first := table.Bytes(table.AddString("first"))
	for i := range n {
		require.Equal(t, uint32(i+1), table.AddString(id(i)))
	}
	require.Equal(t, "first", string(first), "bytes that were handed out changed")
	for i := range n {
		sym, ok := table.LookupString(id(i))
		require.True(t, ok)
		require.Equal(t, uint32(i+1), sym)
	}
	_, ok := table.LookupString(id(n))
	require.False(t, ok)
}

// A table that was emptied is as good as new, and takes no memory anew.
func TestReset(t *testing.T) {
	var table intern.Table
	table.Reset()
	fill := func(first int) {
		table.Reset()
		if _, ok := table.LookupString("0"); ok || table.Len() != 0 {
			t.Fatal("not empty")
		}
		for i := range 1000 {
			if sym := table.AddString(strconv.Itoa(first + i)); sym != uint32(i) {
				t.Fatalf("symbol %d, want %d", sym, i)
			}
		}
	}
	fill(0)
	fill(1000)
	require.Equal(t, "1999", table.String(999))
	id := []byte("3000")
	require.Zero(t, testing.AllocsPerRun(10, func() {
		table.Reset()
		for i := range 1000 {
			id[3] = byte(i)
			table.Add(id)
		}
	}))
}

func TestBytesLimitsCapacity(t *testing.T) {
	t.Parallel()
	var table intern.Table
	table.AddString("a")
	table.AddString("b")
	_ = append(table.Bytes(0), 'x')
	require.Equal(t, "b", table.String(1))
}

// Run with -race this shows that reading from several goroutines is safe.
func TestConcurrentLookup(t *testing.T) {
	t.Parallel()
	var table intern.Table
	for i := range 1000 {
		table.AddString(fmt.Sprint(i))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				sym, ok := table.LookupString(fmt.Sprint(i))
				assert.True(t, ok)
				assert.Equal(t, fmt.Sprint(i), table.String(sym))
			}
		})
	}
	wg.Wait()
}

func TestKnownIDsDoNotAllocate(t *testing.T) {
	var table intern.Table
	long := strings.Repeat("a long id ", 20)
	b := []byte(long)
	table.Add(b)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		table.Add(b)
		table.Lookup(b)
		table.LookupString(long)
		table.Bytes(0)
	}))
}

// BenchmarkTable adds and looks up 100,000 ids, beside a map. The rate is per
// id.
func BenchmarkTable(b *testing.B) {
	const n = 100_000
	ids := make([][]byte, n)
	for i := range ids {
		ids[i] = fmt.Appendf(nil, "conv-26/mem_%d", i*7919%n)
	}
	var table intern.Table
	model := make(map[string]uint32)
	for _, id := range ids {
		table.Add(id)
		model[string(id)] = uint32(len(model))
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/id")
		})
	}
	run("Add", func() {
		var t intern.Table
		for _, id := range ids {
			t.Add(id)
		}
	})
	run("Add_map", func() {
		m := make(map[string]uint32)
		for _, id := range ids {
			if _, ok := m[string(id)]; !ok {
				m[string(id)] = uint32(len(m))
			}
		}
	})
	run("Lookup", func() {
		for _, id := range ids {
			if _, ok := table.Lookup(id); !ok {
				b.Fatal("lost")
			}
		}
	})
	run("Lookup_map", func() {
		for _, id := range ids {
			if _, ok := model[string(id)]; !ok {
				b.Fatal("lost")
			}
		}
	})
}
