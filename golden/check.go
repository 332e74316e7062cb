package golden

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
)

// Check compares an audit with the golden file of a key, testdata/golden/KEY.json
// in the folder of the package, and fails the test when what differs is one of
// the failing verdicts. It reports whether it passed. With TIAP_UPDATE=1 it
// records the audit instead. A file that is missing fails everywhere, and the
// message shows what would be recorded.
func Check(tb testing.TB, key string, a *tiaptest.Audit, opts ...Option) bool {
	tb.Helper()
	file, err := fileOf(key)
	var d *Difference
	if err == nil {
		d, err = check(tb.Name(), key, file, testCommand(tb), a, newSettings(opts))
	}
	if err != nil {
		tb.Error(harmless.Lines(fmt.Sprintf("golden %s: %v", key, err)))
		return false
	}
	tb.Attr("tiap.golden", fmt.Sprintf("%s %s", key, d.Verdict))
	if d.Failed() {
		tb.Error(d.failures(a, manner{test: true, full: testing.Verbose(), notes: true}))
	}
	if text := d.reports(); text != "" {
		tb.Log(text)
	}
	return !d.Failed()
}

// check compares or records.
func check(test, key, file, command string, a *tiaptest.Audit, s *settings) (*Difference, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	got, err := NewRecord(a)
	if err != nil {
		return nil, err
	}
	update, err := updating()
	if err != nil {
		return nil, err
	}
	content, err := got.files(file, s)
	if err != nil {
		return nil, err
	}
	if err := claimFile(file, key, test, content.record); err != nil {
		return nil, err
	}
	want, err := ReadRecord(file)
	_, other := errors.AsType[*foreign](err)
	switch {
	case other:
		return nil, err
	case update:
		return record(file, want, err, got, s, content)
	case errors.Is(err, fs.ErrNotExist):
		d := missing(shown(file), fmt.Sprintf("there is no golden file %s; it would record:\n%s", shown(file), got.content.preview()), got, s)
		d.accept = command
		return d, nil
	case err != nil:
		return nil, fmt.Errorf("%w\n    to record again: %s", err, command)
	}
	d := diff(want, got, s)
	d.source, d.accept = shown(file), command
	return d, nil
}

// record writes the golden file and says what changed.
func record(file string, want *Record, readErr error, got *Record, s *settings, content files) (*Difference, error) {
	written, err := save(file, content, nil)
	if err != nil {
		return nil, err
	}
	d := &Difference{Verdict: Same, got: &got.content, want: &got.content, source: shown(file), Notes: slices.Clone(got.stale)}
	if got.note != "" {
		d.Notes = append(d.Notes, got.note)
	}
	if !written {
		return d, nil
	}
	change := "recorded for the first time"
	switch {
	case readErr == nil:
		change = summary(diff(want, got, s))
	case !errors.Is(readErr, fs.ErrNotExist):
		change = "what was there could not be read: " + readErr.Error()
	}
	names := shown(file)
	if content.scoresName != "" {
		names += " and " + shown(filepath.Join(filepath.Dir(file), content.scoresName))
	}
	d.Notes = append([]string{fmt.Sprintf("golden updated: %s (%s)", names, change)}, d.Notes...)
	return d, nil
}

// summary says in a line what an update changed.
func summary(d *Difference) string {
	var parts []string
	for _, f := range d.Findings {
		text := f.Text
		if f.Verdict == WinnerFlip {
			_, winners, _ := strings.Cut(text, ": ")
			text = fmt.Sprintf("winner under %s: %s", f.Targets[0], winners[strings.LastIndex(winners, ": ")+1:])
			if slices.Contains(parts, text) {
				continue // by another metric
			}
		}
		parts = append(parts, text)
	}
	switch {
	case len(parts) == 0:
		return "no verdict changes"
	case len(parts) > 4:
		return strings.Join(parts[:4], "; ") + fmt.Sprintf("; and %d more", len(parts)-4)
	}
	return strings.Join(parts, "; ")
}

// missing is the outcome when there is nothing to compare with.
func missing(source, why string, got *Record, s *settings) *Difference {
	d := &Difference{got: &got.content, want: &got.content, source: source, Notes: got.stale}
	d.Findings = []Finding{{Verdict: Missing, Fails: s.fails[Missing], Text: "missing: " + why}}
	d.finish()
	return d
}

// preview shows the scores and winners that a record holds, by its first metric.
func (c *content) preview() string {
	var b bytes.Buffer
	metric := c.Identity.Metrics[0]
	fmt.Fprintf(&b, "    scenario %s, %s, %d shared queries\n\n", cmp.Or(c.Identity.Scenario, "unnamed"), c.conventions(), c.Shared.N)
	scored := make(map[string]bool)
	for _, s := range c.Systems {
		for t := range s.Values {
			scored[t] = true
		}
	}
	targets := targetsOf(scored)
	rows := [][]string{{metric}}
	rows[0] = append(rows[0], targets...)
	for _, s := range c.Systems {
		cells := []string{s.Name}
		for _, t := range targets {
			cell := "-"
			if v := s.Values[t][metric]; v != nil {
				cell = fmt.Sprintf("%.4f", float64(*v))
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	for _, p := range c.Pairs {
		cells := []string{"winner of " + p.A + ", " + p.B}
		for _, t := range targets {
			cells = append(cells, p.winner(t, metric))
		}
		rows = append(rows, cells)
	}
	_ = table.Write(&b, "    ", rows)
	if n := len(c.Identity.Metrics) - 1; n > 0 {
		fmt.Fprintf(&b, "    and by %s", english.Count(n, "more metric", "more metrics"))
	}
	return strings.TrimRight(b.String(), "\n")
}
