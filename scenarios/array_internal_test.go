package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// objects are the texts that eachObject finds, and their places.
func objects(t *testing.T, r io.Reader) (texts []string, places []int64) {
	t.Helper()
	require.NoError(t, eachObject("a.json", r, func(n int, at int64, text []byte) error {
		texts, places = append(texts, string(text)), append(places, at)
		require.Len(t, texts, n)
		return nil
	}))
	return texts, places
}

func TestEachObject(t *testing.T) {
	t.Parallel()
	want := []string{
		`{}`,
		`{"a":[{"b":"]}"}],"c":"\""}`,
		`{ "\\" : "\\\"}" , "é\"" : [ [ ] , { } ] }`,
		`{not even JSON, but "closed"]`,
	}
	for _, between := range []string{",", " ,\n\t", ",\r\n  "} {
		for _, around := range []string{"", " \n"} {
			text := around + "[" + around + strings.Join(want, between) + around + "]" + around
			for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
				texts, places := objects(t, r)
				require.Equal(t, want, texts)
				for i, at := range places {
					require.True(t, strings.HasPrefix(text[at-1:], want[i]))
				}
			}
		}
	}
	texts, _ := objects(t, strings.NewReader(" [ ] "))
	require.Empty(t, texts)
}

// The text is read in pieces; what an object is must not depend on where they end.
func TestEachObjectAcrossPieces(t *testing.T) {
	t.Parallel()
	const piece = 1 << 20 // the first buffer
	hard := `"a\\\"b\\":["}",{"c":"\\"}],"d":"\\\\\""`
	for shift := range len(hard) + 4 {
		first := fmt.Sprintf(`{"x":"%s",%s}`, strings.Repeat("x", piece-len(hard)-8+shift-4), hard)
		require.True(t, json.Valid([]byte(first)))
		second := `{` + hard + `}`
		texts, places := objects(t, strings.NewReader("["+first+","+second+"]"))
		require.Len(t, texts, 2)
		require.True(t, first == texts[0], "shift %d", shift)
		require.Equal(t, second, texts[1])
		require.Equal(t, []int64{2, int64(len(first)) + 3}, places)
	}
}

func TestEachObjectOfAnySize(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var want []string
	for range 40 {
		size := 1 << rng.IntN(22)
		want = append(want, fmt.Sprintf(`{"n":%d,"text":"%s"}`, rng.Uint32(), strings.Repeat(`\"}`, (size+rng.IntN(size))/3)))
	}
	text := "[" + strings.Join(want, ", ") + "]"
	texts, _ := objects(t, iotest.HalfReader(strings.NewReader(text)))
	require.True(t, slices.Equal(want, texts))
}

// endless repeats a byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestEachObjectGivesUp(t *testing.T) {
	t.Parallel()
	none := func(int, int64, []byte) error { return nil }
	for _, c := range []endless{'x', '[', '\\'} {
		err := eachObject("a.json", io.MultiReader(strings.NewReader(`[{"a":"b"},{"a":"`), c), none)
		require.EqualError(t, err, fmt.Sprintf("a.json: element 2 of the array is longer than 20 MiB (byte %d); shorten its texts, or look for a quotation mark or a brace in it that does not close", 12+maxObject))
	}
	fault := errors.New("cable pulled")
	for _, text := range []string{"", "[", `[{"a"`, `[{}`, `[{},`, `[{}]`} {
		err := eachObject("a.json", io.MultiReader(strings.NewReader(text), iotest.ErrReader(fault)), none)
		require.ErrorIs(t, err, fault, text)
	}
	err := eachObject("a.json", strings.NewReader("[{},{}]"), func(n int, _ int64, _ []byte) error {
		require.Equal(t, 1, n)
		return fault
	})
	require.Equal(t, fault, err)
}
