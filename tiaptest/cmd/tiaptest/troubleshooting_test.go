package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// provoked are the messages of docs/troubleshooting.md with what brings each
// about.
var provoked = map[string]func(t *testing.T) string{
	"the file is missing; a bundle needs one query a line": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- queries.jsonl --\nnone\n", "audit DIR")
	},
	"a recording has begun and not ended": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- systems/c/run.jsonl.part --\n{\"query\":\"q1\",\"ranking\":[\"t1\"]}\n", "audit DIR")
	},
	"the text is UTF-16, not UTF-8": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- queries.jsonl --\n\xff\xfe{\x00}\x00\n", "audit DIR")
	},
	"ids of the run is in the store": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- systems/a/run.jsonl --\n{\"query\":\"q1\",\"ranking\":[\"1\",\"2\"]}\n{\"query\":\"q2\",\"ranking\":[\"3\"]}\n", "audit DIR")
	},
	"unknown target": func(t *testing.T) string { return complaint(t, soundBundle, "", "audit -targets gold DIR") },
	"unknown metric": func(t *testing.T) string { return complaint(t, soundBundle, "", "audit -metrics ndgc@10 DIR") },
	"rank every id once": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- systems/a/run.jsonl --\n{\"query\":\"q1\",\"ranking\":[\"m1\",\"m1\"]}\n{\"query\":\"q2\",\"ranking\":[\"m3\"]}\n", "audit DIR")
	},
	"lineage cycle": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- systems/a/store.jsonl --\n{\"id\":\"m1\",\"form\":\"fact\",\"parents\":[\"m2\"]}\n{\"id\":\"m2\",\"form\":\"fact\",\"parents\":[\"m1\"]}\n{\"id\":\"m3\",\"form\":\"raw\",\"sources\":[\"t2\"]}\n", "audit DIR")
	},
	"unknown schema": func(t *testing.T) string {
		return complaint(t, soundBundle, "-- scenario.json --\n{\"schema\":\"tiap.scenario/v2\"}\n", "audit DIR")
	},
	"there is no golden file": func(t *testing.T) string { return complaint(t, soundBundle, "", "gate -golden DIR/none.json DIR") },
	"identity mismatch":       func(t *testing.T) string { return recordedThen(t, nil, "-k 5") },
	"it was edited, or merged by hand": func(t *testing.T) string {
		return recordedThen(t, func(text string) string { return strings.ReplaceAll(text, `"tiny"`, `"large"`) }, "")
	},
	"unresolved merge conflict": func(t *testing.T) string {
		return recordedThen(t, func(text string) string { return "<<<<<<< HEAD\n" + text }, "")
	},
	"golden files are recorded by people": func(t *testing.T) string {
		dir := t.TempDir()
		writeFiles(t, dir, soundBundle)
		out, err := process("CI=true TIAP_UPDATE=1", "gate", "-golden", filepath.Join(dir, "golden.json"), dir)
		require.Error(t, err)
		return out
	},
	"winner flip on": func(t *testing.T) string {
		b, err := tiaptest.Open(filepath.Join(scenariosDir, "quickstart", "testdata", "garden"))
		require.NoError(t, err)
		return violation(t, b, tiaptest.NoWinnerFlip(tiaptest.NDCG(10)))
	},
	"compared nothing": func(t *testing.T) string {
		return violation(t, bundleOf(t, soundBundle), tiaptest.NoWinnerFlip(tiaptest.NDCG(10)))
	},
	"no headline target is declared": func(t *testing.T) string {
		b := bundleOf(t, soundBundle)
		b.Scenario.Headline = ""
		return violation(t, b, tiaptest.TargetsReported())
	},
}

func bundleOf(t *testing.T, text string) *tiaptest.Bundle {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, text)
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	return b
}

func violation(t *testing.T, b *tiaptest.Bundle, rule tiaptest.Rule) string {
	t.Helper()
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10)))
	require.NoError(t, err)
	err = a.Verify(rule)
	require.Error(t, err)
	return err.Error()
}

// complaint is what a command says about an input that was sound before a change.
func complaint(t *testing.T, sound, change, command string) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, sound, change)
	status, stdout, stderr := start(dir, strings.Fields(command)...)
	require.NotEqual(t, statusFine, status, stdout)
	return stdout + stderr
}

// recordedThen is what the gate says when its golden file was edited, or when it
// has other flags than at the recording.
func recordedThen(t *testing.T, edit func(string) string, flags string) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, soundBundle)
	recordGolden(t, dir)
	file := filepath.Join(dir, "golden.json")
	if edit != nil {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotEqual(t, string(text), edit(string(text)))
		require.NoError(t, os.WriteFile(file, []byte(edit(string(text))), 0o600))
	}
	status, stdout, stderr := start(dir, strings.Fields("gate -golden DIR/golden.json DIR "+flags)...)
	require.NotEqual(t, statusFine, status)
	return stdout + stderr
}

// process runs the command in a process with an environment of its own.
func process(env string, args ...string) (string, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), roleEnv+"=command"), strings.Fields(env)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var keyedText = regexp.MustCompile("(?m)^## `(.*)`$")

// TestTroubleshooting: each message of docs/troubleshooting.md is what somebody
// sees, and each that is provoked here is explained there.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "troubleshooting.md"))
	require.NoError(t, err)
	explained := map[string]bool{}
	for _, key := range keyedText.FindAllStringSubmatch(string(page), -1) {
		explained[key[1]] = true
		assert.Contains(t, provoked, key[1], "docs/troubleshooting.md explains what nothing provokes")
	}
	for text, provoke := range provoked {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			assert.True(t, explained[text], "docs/troubleshooting.md does not explain it")
			said := provoke(t)
			assert.Contains(t, said, text)
			t.Log(said)
		})
	}
}
