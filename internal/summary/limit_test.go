package summary_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/summary"
	"github.com/tiaptest/tiap/internal/testjson"
)

// Of as much as is read at most, a summary takes memory in proportion, and says how
// much there was. What it allocates is counted, so no other test runs meanwhile.
func TestManyFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("summarizes a hundred thousand failures")
	}
	const n = 80_000
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"Action":"output","Package":"p","Test":"T%d","Output":"    a_test.go:%d: winner flip %d\n"}`+"\n", i, i+1, i)
		fmt.Fprintf(&b, `{"Action":"fail","Package":"p","Test":"T%d"}`+"\n", i)
	}
	const packages = 15_000 // that fail and pass by turns
	for i := range packages {
		fmt.Fprintf(&b, `{"ImportPath":"q%d","Action":"build-fail"}`+"\n", i)
		fmt.Fprintf(&b, `{"Action":"fail","Package":"q%d","FailedBuild":"q%d"}`+"\n", i, i)
		fmt.Fprintf(&b, `{"Action":"pass","Package":"q%d_"}`+"\n", i)
	}
	deep := strings.Repeat("a/", 200<<10)
	fmt.Fprintf(&b, `{"Action":"fail","Package":%q,"Test":%q}`+"\n", deep, deep)
	reader := testjson.Reader{Note: summary.IsFinding}
	_, err := reader.Read(&b)
	require.NoError(t, err)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := summary.New("go test", reader.Run(), summary.FindPlaces(t.TempDir(), ""), nil)
	markdown := s.Markdown()
	annotations := s.Annotations()
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	assert.Less(t, allocated, uint64(512<<20))
	assert.Less(t, len(markdown), 65_536)
	assert.True(t, s.Failed())
	assert.Contains(t, s.Line(), fmt.Sprintf("%d flips in failed tests, %d of %d tests failed, %d builds failed, %d of %d packages failed", n, n+1, n+1, packages, packages+2, 2*packages+2))
	assert.Equal(t, n+1+packages+2, len(annotations), "tests, builds and the packages that did not end")
	t.Logf("%d MiB allocated", allocated>>20)
}
