package structure_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// arrows are the packages of the module that each package may import, beside
// those of internal. What is internal imports nothing public, so that it can be
// tested alone; internal/cli is the exception that makes the command and the
// commands of scripts one.
var arrows = map[string][]string{
	"tiaptest":              nil,
	"tiaptest/record":       {"tiaptest"},
	"tiaptest/sensitivity":  {"tiaptest"},
	"tiaptest/semantic":     {"tiaptest"},
	"tiaptest/report":       {"tiaptest", "tiaptest/sensitivity", "tiaptest/semantic"},
	"golden":                {"tiaptest"},
	"scenarios":             {"tiaptest", "tiaptest/record"},
	"scenarios/memsys":      {"tiaptest", "scenarios"},
	"scenarios/reference":   {"tiaptest", "tiaptest/record"},
	"scenarios/script":      {"tiaptest", "golden"},
	"scenarios/quickstart":  nil,
	"internal/cli":          {"tiaptest", "tiaptest/semantic", "golden"},
	"tiaptest/cmd/tiaptest": {"tiaptest", "tiaptest/record", "tiaptest/sensitivity", "tiaptest/semantic", "tiaptest/report", "golden", "scenarios", "scenarios/memsys", "scenarios/reference", "scenarios/script"},
}

// abovePublic are the packages that may import internal/cli: being above public
// packages, it must not get below one.
var abovePublic = []string{"scenarios/script", "tiaptest/cmd/tiaptest"}

// forTests are the packages that only tests may import.
var forTests = []string{"internal/conformance", "internal/crash", "internal/hostile", "internal/offline", "internal/unprivileged", "internal/usermodule"}

// modules are the packages of other modules that a package may import itself.
var modules = map[string][]string{
	"internal/lines":        {"github.com/klauspost/compress/gzip", "github.com/klauspost/compress/zstd"},
	"internal/stat":         {"gonum.org/v1/gonum/mathext"},
	"internal/terminal":     {"golang.org/x/term"},
	"golden":                {"github.com/google/go-cmp/cmp", "github.com/klauspost/compress/zstd"},
	"scenarios":             {"github.com/rogpeppe/go-internal/txtar"},
	"scenarios/script":      {"github.com/rogpeppe/go-internal/testscript", "github.com/rogpeppe/go-internal/txtar"},
	"tiaptest/cmd/tiaptest": {"github.com/rogpeppe/go-internal/testscript"},
	"scenarios/memsys":      {"modernc.org/sqlite"},
	"scenarios/reference":   {"github.com/blevesearch/", "github.com/philippgille/chromem-go"},
}

// outside are the imports that reach beyond the process, by the packages that
// need them: what asks live systems, models and embedders, and the command.
// What is for tests alone may do as they do.
var outside = map[string][]string{
	"net":      {"scenarios/reference", "tiaptest/record"},
	"net/http": {"scenarios/reference", "tiaptest/record", "tiaptest/semantic"},
	"os/exec":  {"tiaptest/cmd/tiaptest", "tiaptest/record"},
	"plugin":   nil,
	"unsafe":   nil,
	"C":        nil,
}

// testingBy are the imports that are made for tests, by the packages that need them
// in what users compile: verbs take a testing.TB, record asks whether it runs in a
// test. Of fstest it is the file system in memory.
var testingBy = map[string][]string{
	"testing":        {"golden", "scenarios/script", "tiaptest", "tiaptest/record", "tiaptest/report"},
	"testing/fstest": {"scenarios"},
}

// light is all that a test of a user's compiles with tiaptest beside the
// standard library.
var light = []string{
	"github.com/klauspost/compress",
	"github.com/klauspost/compress/flate",
	"github.com/klauspost/compress/fse",
	"github.com/klauspost/compress/gzip",
	"github.com/klauspost/compress/huff0",
	"github.com/klauspost/compress/internal/cpuinfo",
	"github.com/klauspost/compress/internal/le",
	"github.com/klauspost/compress/internal/regmask",
	"github.com/klauspost/compress/internal/snapref",
	"github.com/klauspost/compress/zstd",
	"github.com/klauspost/compress/zstd/internal/xxhash",
	"gonum.org/v1/gonum/mathext",
	"gonum.org/v1/gonum/mathext/internal/amos",
	"gonum.org/v1/gonum/mathext/internal/cephes",
	"gonum.org/v1/gonum/mathext/internal/gonum",
}

func TestArrows(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, f := range folders(t) {
		own, _ := f.imports()
		allowed, public := arrows[f.path]
		internal := strings.HasPrefix(f.path, "internal/")
		if !public && !internal {
			t.Errorf("%s is a new package: say in arrows what it may import", f.path)
		}
		for _, to := range own {
			used[f.path+" "+to] = true
			switch {
			case to == "internal/cli":
				assert.Contains(t, abovePublic, f.path, "imports internal/cli, which is above public packages")
			case slices.Contains(forTests, to):
				assert.Contains(t, forTests, f.path, "imports %s, which is for tests", to)
			case strings.HasPrefix(to, "internal/"):
			default:
				assert.Contains(t, allowed, to, "%s must not import %s", f.path, to)
			}
		}
	}
	for from, allowed := range arrows {
		for _, to := range allowed {
			assert.True(t, used[from+" "+to], "%s no longer imports %s: take it out of arrows", from, to)
		}
	}
}

// TestArrowsPointDown: the compiler finds a cycle of imports that are there;
// this finds one among those that are allowed.
func TestArrowsPointDown(t *testing.T) {
	t.Parallel()
	var visit func(at string, path []string)
	visit = func(at string, path []string) {
		require.NotContains(t, path, at, "allowed imports form a cycle")
		for _, to := range arrows[at] {
			visit(to, append(slices.Clone(path), at))
		}
	}
	for at := range arrows {
		visit(at, nil)
	}
}

func TestModules(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		if slices.Contains(forTests, f.path) {
			continue // as tests may
		}
		_, others := f.imports()
		for _, at := range others {
			if standard(at) {
				continue
			}
			ok := slices.ContainsFunc(modules[f.path], func(prefix string) bool {
				return at == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(at, prefix)
			})
			assert.True(t, ok, "%s must not import %s; allowed are %q", f.path, at, modules[f.path])
		}
	}
}

// TestOutside: without these imports a package opens no connection and starts no
// program.
func TestOutside(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, f := range folders(t) {
		if slices.Contains(forTests, f.path) {
			continue
		}
		_, others := f.imports()
		for _, at := range others {
			switch {
			case at == "net/url" || at == "net/netip" || at == "net/mail" || at == "net/textproto":
			case at == "net" || strings.HasPrefix(at, "net/") || at == "crypto/tls" || outsideNames(at):
				found[at] = append(found[at], f.path)
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(found)) {
		assert.Equal(t, outside[at], found[at], "packages that import %s", at)
	}
	for at, by := range outside {
		assert.Equal(t, by, found[at], "packages that import %s", at)
	}
}

func outsideNames(at string) bool { _, ok := outside[at]; return ok }

// TestTesting: only verbs bring package testing along, and the file system in memory
// does not. Package testing has no effect in a program that never calls it: its
// flags are defined when a test binary starts.
func TestTesting(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, f := range folders(t) {
		if slices.Contains(forTests, f.path) {
			continue
		}
		_, others := f.imports()
		for _, at := range others {
			if at == "testing" || strings.HasPrefix(at, "testing/") {
				found[at] = append(found[at], f.path)
			}
		}
	}
	assert.Equal(t, testingBy, found)
	assert.NotContains(t, goList(t, nil, "-deps", "testing/fstest"), "testing")
}

// TestLight: what tiaptest compiles for a user's tests is fixed, and the same
// everywhere.
func TestLight(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "windows", "darwin"} {
		var got []string
		for _, at := range goList(t, []string{"GOOS=" + system, "GOARCH=amd64", "CGO_ENABLED=0"}, "-deps", "./tiaptest") {
			if !standard(at) && !strings.HasPrefix(at, modulePath) {
				got = append(got, at)
			}
		}
		slices.Sort(got)
		assert.Equal(t, light, got, "packages of other modules in tiaptest, on %s", system)
	}
}

// TestPackageNames: a package is named for what it does.
func TestPackageNames(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		assert.NotContains(t, []string{"util", "utils", "common", "types", "helpers", "assert", "require", "mock"}, f.name, f.path)
		if !f.command() {
			assert.Equal(t, f.path[strings.LastIndexByte(f.path, '/')+1:], f.name)
		}
	}
}
