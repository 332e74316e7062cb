// Package usermodule makes modules of users for tests: they use this module and
// build offline, with the caches of this one.
package usermodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/conformance"
)

// Module is a module of a user.
type Module struct {
	Mod string            // its go.mod
	Env map[string]string // what its commands run with, beside the variables of a script

	sum   []byte
	tools string // a folder for the front of PATH, or none
}

// Requires is what the go.mod of a user says of a checkout of this module.
func Requires(checkout string) string {
	return fmt.Sprintf("require github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", checkout)
}

// New returns a module that needs what this one needs. In short mode it skips the
// test: modules take long to build.
func New(tb testing.TB) *Module {
	tb.Helper()
	if testing.Short() {
		tb.Skip("builds the module of a user")
	}
	root := conformance.Checkout(tb)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		tb.Fatal(err)
	}
	m := &Module{Mod: "module example.com/user\n\ngo 1.26\n\n" + Requires(root), sum: sum}
	text, err := exec.CommandContext(tb.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	if err := errors.Join(err, json.Unmarshal(text, &m.Env)); err != nil {
		tb.Fatal(err)
	}
	maps.Copy(m.Env, map[string]string{
		"GOENV": "off", "GOFLAGS": "-mod=mod -vet=off", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off",
	})
	return m
}

// AddCommand builds the command tiaptest, for scripts to call by its name.
func (m *Module) AddCommand(tb testing.TB) {
	tb.Helper()
	m.tools = tb.TempDir()
	build := exec.CommandContext(tb.Context(), "go", "build", "-o", filepath.Join(m.tools, "tiaptest"), "./tiaptest/cmd/tiaptest")
	build.Dir = conformance.Checkout(tb)
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
}

// Write makes a folder the root of the module.
func (m *Module) Write(dir string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte(m.Mod), 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), m.sum, 0o666),
	)
}

// Setup makes the folder of a script the root of the module.
func (m *Module) Setup(e *testscript.Env) error {
	for name, value := range m.Env {
		e.Setenv(name, value)
	}
	if m.tools != "" {
		e.Setenv("PATH", m.tools+string(filepath.ListSeparator)+e.Getenv("PATH"))
	}
	return m.Write(e.WorkDir)
}
