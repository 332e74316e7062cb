package tally_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tiaptest/tiap/internal/tally"
)

func TestTally(t *testing.T) {
	t.Parallel()
	var c tally.Tally
	if n := c.Count("split"); n != 0 {
		t.Errorf("an empty tally counts %d", n)
	}
	c.Add("split", "a")
	c.Add("empty", "b")
	c.AddN("split", 2, "c")
	c.AddN("none", 0, "d")
	c.AddN("none", -1, "d")
	want := []tally.Kind{{Name: "empty", Count: 1, First: "b"}, {Name: "split", Count: 3, First: "a"}}
	if diff := cmp.Diff(want, slices.Collect(c.All())); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	for range c.All() {
		break
	}
}
