package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/internal/usermodule"
	"github.com/tiaptest/tiap/tiaptest"
)

// TestSummarizeScript runs the scripts of testdata/summarize: modules of a user whose
// events of go test -json are summarized.
func TestSummarizeScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, userModule(t, "summarize"))
}

// userModule is for scripts in a folder of testdata. Each is a module that uses this
// one, with the command as its tool, and builds offline with the caches of this one.
func userModule(t *testing.T, folder string) testscript.Params {
	t.Helper()
	user := usermodule.New(t)
	user.AddCommand(t)
	user.Env["GOFLAGS"], user.Env["CI"] = "-mod=mod", "true"
	root := conformance.Checkout(t)
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	user.Mod = strings.Replace(string(own), "module github.com/tiaptest/tiap\n", "module example.com/user\n", 1) +
		"\ntool github.com/tiaptest/tiap/tiaptest/cmd/tiaptest\n\n" + usermodule.Requires(root)

	return testscript.Params{
		Dir:   filepath.Join("testdata", folder),
		Setup: user.Setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bundle": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.RemoveAll(ts.MkAbs(args[0])))
				ts.Check(smallTalk(len(args) > 1).WriteDir(ts.MkAbs(args[0])))
			},
			"status": exitsWith,
		},
	}
}

// exitsWith is the command "status N COMMAND ARG...": the command exits with N.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status n command [arg...]")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = fmt.Sprint(e.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, expected %s", got, args[0])
	}
}

// smallTalk is a bundle of six turns with two systems. A leads under every target,
// or, with a flip, B under all but Raw.
func smallTalk(flip bool) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "talk", Unit: "turn", Headline: "canonical"}}
	topics := []string{"tea", "train", "lamp", "river", "bread", "piano"}
	for _, topic := range topics {
		b.AddTurn("turn-"+topic, "The "+topic+" is fine.")
	}
	for _, topic := range topics {
		b.AddQuery("about-"+topic, "What about the "+topic+"?", "The "+topic)
	}
	for _, name := range []string{"A", "B"} {
		s := b.AddSystem(name, "")
		s.Unit, s.Lineage, s.Forms = "memory", "recorded at ingest", map[string]string{"fact": "a sentence made of a turn"}
		for _, other := range []string{"other1", "other2"} {
			s.AddMemory(other, "raw", "turn-other")
		}
		for _, topic := range topics {
			raw, fact := "raw-"+topic, "fact-"+topic
			s.AddMemory(raw, "raw", "turn-"+topic).AddMemory(fact, "fact", "turn-"+topic)
			ids := []string{raw, fact, "other1", "other2"}
			switch {
			case name == "B" && flip:
				ids = []string{fact, "other1", raw, "other2"}
			case name == "B":
				ids = []string{"other1", raw, "other2", fact}
			case flip:
				ids = []string{"other1", raw, fact, "other2"}
			}
			s.AddRanking("about-"+topic, ids...)
		}
	}
	return b
}
