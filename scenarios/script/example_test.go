package script_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/scenarios/script"
)

func ExampleRun() {
	var t *testing.T // of TestScenarios(t *testing.T)
	script.Run(t, testscript.Params{
		Dir:           "testdata/scenarios",
		UpdateScripts: os.Getenv("TIAP_UPDATE") == "1", // what cmp compares with
	})
}

// A script that says who leads, outside go test: D5 finds the fact first, D1 the
// turn.
func ExampleRunT() {
	dir, err := os.MkdirTemp("", "script")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "talk.txtar")
	text := `
winner D1 D5 raw mrr@5
winner D1 D5 canonical mrr@5
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		panic(err)
	}
	failed, log := run(file, testscript.Params{Setup: talk}) // calls script.RunT with a T of its own
	fmt.Print(log, "failed: ", failed)
	// Output:
	// > winner D1 D5 raw mrr@5
	// [stdout]
	// D1 leads D5 on mrr@5 under raw: gap D1-D5 +0.1667 [+0.1667, +0.1667], n 3
	//
	// > winner D1 D5 canonical mrr@5
	// FAIL: talk.txtar:3: D5 leads D1 on mrr@5 under canonical: gap D1-D5 -0.7500 [-0.7500, -0.7500], n 3; expected D1 to lead D5
	//
	// failed: true
}

// The commands stand beside those of one's own.
func ExampleCommands() {
	cmds := script.Commands()
	cmds["ingest"] = func(ts *testscript.TestScript, neg bool, args []string) {
		// build a store in the script's folder
	}
	fmt.Println(slices.Sorted(maps.Keys(cmds)))
	// Output: [audit coverage explain findings flip gate golden ingest prints recommend score subset winner]
}
