package tiaptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestKnownRefusesFindings: a finding that says too little is an error that says
// what it lacks, beside others that are sound.
func TestKnownRefusesFindings(t *testing.T) {
	t.Parallel()
	sound := finding(rawSource, "2027-03-01")
	for want, spoil := range map[string]func(*tiaptest.Finding){
		"":                                   func(*tiaptest.Finding) {},
		`needs two systems, not "" and "A"`:  func(f *tiaptest.Finding) { f.A = "" },
		`needs two systems, not "B" and ""`:  func(f *tiaptest.Finding) { f.B = "" },
		`needs two systems, not "B" and "B"`: func(f *tiaptest.Finding) { f.B = "B" },
		"needs two targets":                  func(f *tiaptest.Finding) { f.Targets[1] = tiaptest.Target{} },
		"needs a metric":                     func(f *tiaptest.Finding) { f.Metric = tiaptest.Metric{} },
		"needs a reason":                     func(f *tiaptest.Finding) { f.Reason = " " },
		`ends on "2027-3-1"`:                 func(f *tiaptest.Finding) { f.Until = "2027-3-1" },
	} {
		f := sound
		spoil(&f)
		_, err := tiaptest.Rescore(flipped(1), contestOptions, tiaptest.Known(sound, f))
		if want == "" {
			require.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}
