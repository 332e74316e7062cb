package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestContestedScripts judges contested credits from the first list to the audit, each
// step in a process of its own.
func TestContestedScripts(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "contested"),
		Setup: func(e *testscript.Env) error {
			e.Setenv(roleEnv, "command")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tiaptest": func(ts *testscript.TestScript, failing bool, args []string) {
				switch err := ts.Exec(self, args...); {
				case failing && err == nil:
					ts.Fatalf("it should have failed")
				case !failing:
					ts.Check(err)
				}
			},
			"fill": fill,
		},
	})
}

// fill FILE LABEL TEXT... labels the rows of a table whose memory holds one of the
// texts. There must be such rows.
func fill(ts *testscript.TestScript, failing bool, args []string) {
	if failing || len(args) < 3 {
		ts.Fatalf("usage: fill FILE LABEL TEXT...")
	}
	file, label, texts := args[0], args[1], args[2:]
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(file))).ReadAll()
	ts.Check(err)
	filled := 0
	for _, row := range rows[1:] {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(row[3], text) }) {
			row[4] = label
			filled++
		}
	}
	if filled == 0 {
		ts.Fatalf("%s has no row with %q", file, texts)
	}
	var out bytes.Buffer
	ts.Check(csv.NewWriter(&out).WriteAll(rows))
	ts.Check(os.WriteFile(ts.MkAbs(file), out.Bytes(), 0o666))
}
