package tiaptest_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutOutput are the names whose examples cannot print.
var withoutOutput = []string{
	"Bench", // it reports to a running benchmark
}

func TestEveryNameHasAnExample(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files, tests []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, f)
		} else {
			files = append(files, f)
		}
	}
	exported := exportedNames(files)
	require.Contains(t, exported, "Audit")
	examples := examplesIn(tests)
	for _, name := range exported {
		checked, shown := examples[name]
		assert.True(t, shown, "%s has no example; add func Example%s to an example_*_test.go", name, name)
		assert.True(t, !shown || checked || slices.Contains(withoutOutput, name), "Example%s has no // Output:", name)
	}
}

func TestExportedNames(t *testing.T) {
	t.Parallel()
	source := `package p
const A, b = 1, 2
var C int
type D struct{ E int }
type f struct{}
func G() {}
func h() {}
func (D) I() {}
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"A", "C", "D", "G"}, exportedNames([]*ast.File{f}))
}

func TestExamplesIn(t *testing.T) {
	t.Parallel()
	source := `package p_test
func ExampleA() {
	// Output: 1
}
func ExampleB() {}
func ExampleC_M() {
	// Output:
}
func TestD(t *testing.T) {}
`
	f, err := parser.ParseFile(token.NewFileSet(), "p_test.go", source, parser.ParseComments)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"A": true, "B": false, "C_M": true}, examplesIn([]*ast.File{f}))
}

// exportedNames are the exported names that files declare at the top level.
func exportedNames(files []*ast.File) []string {
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(spec.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add(id)
						}
					}
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// examplesIn names what files have examples of, and whether their output is
// checked.
func examplesIn(tests []*ast.File) map[string]bool {
	checked := make(map[string]bool)
	for _, e := range doc.Examples(tests...) {
		checked[e.Name] = e.Output != "" || e.EmptyOutput
	}
	return checked
}
