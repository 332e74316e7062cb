package tiaptest_test

import (
	"testing"
	"time"

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

// TestKnownCoversNoOtherFlip: a finding that shares a system, a target or the
// metric with a flip accepts it only if it is about that very flip, whatever the
// order of its names.
func TestKnownCoversNoOtherFlip(t *testing.T) {
	t.Parallel()
	b := crowd(3) // S01 and S02 flip between raw and source, and raw and canonical
	failing := func(f tiaptest.Finding) (n int) {
		for _, v := range tiaptest.NoWinnerFlip(mrr).Verify(auditOf(b, tiaptest.Metrics(mrr, ndcg), tiaptest.Resamples(100), tiaptest.Known(f))) {
			if !v.Note {
				n++
			}
		}
		return n
	}
	targets := []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical}
	names := []string{"S01", "S02", "S03"}
	for _, first := range names {
		for _, second := range names {
			for _, from := range targets {
				for _, to := range targets {
					if first == second || from.String() == to.String() {
						continue
					}
					f := tiaptest.Finding{A: first, B: second, Metric: mrr, Targets: [2]tiaptest.Target{from, to}, Reason: "known"}
					want := 2
					if first != "S03" && second != "S03" && (from.String() == "raw" || to.String() == "raw") {
						want = 1
					}
					assert.Equal(t, want, failing(f), "%v", f)
				}
			}
		}
	}
}

// TestKnownUntilToday: the end date of a finding is the last day on which it holds.
func TestKnownUntilToday(t *testing.T) {
	t.Parallel()
	for {
		today := time.Now()
		until := func(days int) error {
			end := today.AddDate(0, 0, days).Format(time.DateOnly)
			return auditOf(flipped(1), two(tiaptest.Known(finding(rawSource, end)))...).Verify(tiaptest.NoWinnerFlip(mrr))
		}
		yesterday, now := until(-1), until(0)
		if time.Now().Day() != today.Day() {
			continue // midnight has passed
		}
		assert.Error(t, yesterday)
		assert.NoError(t, now)
		return
	}
}
