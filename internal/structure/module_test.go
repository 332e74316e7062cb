package structure_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root       = "../.."
	modulePath = "github.com/tiaptest/tiap"
)

// folder is one package of the module, as its files say: those for other systems
// are among them, those of tests are not.
type folder struct {
	path  string // below the module, "tiaptest/record"
	name  string
	files []*ast.File
	built []*ast.File // the files for this system
}

var fset = token.NewFileSet()

// module reads the module once. The tests read its files themselves, so that go
// test runs them again when one changes.
var module = sync.OnceValues(func() ([]folder, error) { return readModule(root) })

func folders(t *testing.T) []folder {
	t.Helper()
	all, err := module()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func readModule(root string) ([]folder, error) {
	byPath := map[string]*folder{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if file == root {
				return nil
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil || name == "testdata" || name[0] == '.' || name[0] == '_' {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		syntax, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		at := filepath.ToSlash(dir)
		f := byPath[at]
		if f == nil {
			f = &folder{path: at, name: syntax.Name.Name}
			byPath[at] = f
		}
		f.files = append(f.files, syntax)
		built, err := build.Default.MatchFile(filepath.Dir(file), name)
		if built {
			f.built = append(f.built, syntax)
		}
		return err
	})
	var all []folder
	for _, at := range slices.Sorted(maps.Keys(byPath)) {
		all = append(all, *byPath[at])
	}
	return all, err
}

// imports are the import paths of a package, those in the module below it.
func (f folder) imports() (own, others []string) {
	seen := map[string]bool{}
	for _, file := range f.files {
		for _, spec := range file.Imports {
			at, err := strconv.Unquote(spec.Path.Value)
			if err != nil || seen[at] {
				continue
			}
			seen[at] = true
			if below, ok := strings.CutPrefix(at, modulePath+"/"); ok {
				own = append(own, below)
			} else {
				others = append(others, at)
			}
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	return own, others
}

// standard reports whether an import path is one of the standard library.
func standard(at string) bool {
	first, _, _ := strings.Cut(at, "/")
	return !strings.Contains(first, ".")
}

// command reports whether a package is a program, which nothing imports.
func (f folder) command() bool { return f.name == "main" }

// goList runs go list in the module and returns its lines.
func goList(t *testing.T, env []string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// checked is a package with what go/types knows of it.
type checked struct {
	folder
	pkg  *types.Package
	info *types.Info
}

// typed checks the types of the packages. Those of other modules are left
// empty: their compiling takes minutes, and no question asked here is theirs.
func typed(t *testing.T) []checked {
	t.Helper()
	all := folders(t)
	var std []string
	for _, f := range all {
		_, others := f.imports()
		for _, at := range others {
			if standard(at) && at != "unsafe" && at != "C" {
				std = append(std, at)
			}
		}
	}
	slices.Sort(std)
	exports := map[string]string{}
	// With its dependencies, whose types appear in signatures.
	for _, line := range goList(t, nil, append([]string{"-deps", "-export", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"}, slices.Compact(std)...)...) {
		at, file, _ := strings.Cut(line, "=")
		exports[at] = file
	}
	imports := &moduleImporter{
		std: importer.ForCompiler(fset, "gc", func(at string) (io.ReadCloser, error) { return os.Open(exports[at]) }),
		own: map[string]*checked{}, left: map[string]folder{},
	}
	for _, f := range all {
		imports.left[f.path] = f
	}
	var out []checked
	for _, f := range all {
		c, err := imports.check(f.path)
		require.NoError(t, err)
		out = append(out, *c)
	}
	return out
}

type moduleImporter struct {
	std  types.Importer
	own  map[string]*checked
	left map[string]folder
}

func (m *moduleImporter) Import(at string) (*types.Package, error) {
	if standard(at) {
		return m.std.Import(at)
	}
	if below, ok := strings.CutPrefix(at, modulePath+"/"); ok {
		c, err := m.check(below)
		if err != nil {
			return nil, err
		}
		return c.pkg, nil
	}
	empty := types.NewPackage(at, path.Base(at))
	empty.MarkComplete()
	return empty, nil
}

func (m *moduleImporter) check(at string) (*checked, error) {
	if c := m.own[at]; c != nil {
		return c, nil
	}
	f, ok := m.left[at]
	if !ok {
		return nil, errors.New("no package " + at + ", or an import cycle through it")
	}
	delete(m.left, at)
	c := &checked{folder: f, info: newInfo()}
	// Errors are those of the names that empty packages lack; the compiler finds
	// the others.
	config := types.Config{Importer: m, Error: func(error) {}}
	c.pkg, _ = config.Check(modulePath+"/"+at, fset, f.built, c.info)
	m.own[at] = c
	return c, nil
}

func newInfo() *types.Info {
	return &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
}

// line is where a thing stands, for messages.
func line(at token.Pos) string {
	p := fset.Position(at)
	file, err := filepath.Rel(root, p.Filename)
	if err != nil {
		file = p.Filename
	}
	return filepath.ToSlash(file) + ":" + strconv.Itoa(p.Line)
}
