package structure_test

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

// withoutOutput are the names whose examples cannot print: they need a running test
// or benchmark, or another program.
var withoutOutput = map[string][]string{
	"tiaptest":         {"Bench"},
	"tiaptest/record":  {"Command", "Record"},
	"tiaptest/report":  {"Artifacts"},
	"scenarios/script": {"Run"},
}

// TestEveryNameHasAnExample: each exported name of a public package has an example
// whose output is checked. The example of a type shows its constants too.
func TestEveryNameHasAnExample(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, f := range folders(t) {
		if _, public := arrows[f.path]; !public || f.command() || strings.HasPrefix(f.path, "internal/") {
			continue
		}
		examples := examplesIn(testsOf(t, f.path))
		for _, name := range toShow(f.files) {
			checked, ok := examples[name]
			assert.True(t, ok, "%s: %s has no example; add func Example%s to an example_*_test.go", f.path, name, name)
			assert.True(t, !ok || checked || slices.Contains(withoutOutput[f.path], name), "%s: Example%s has no // Output:", f.path, name)
			shown++
		}
		for _, name := range withoutOutput[f.path] {
			assert.False(t, examples[name], "%s: Example%s has an output: take it out of withoutOutput", f.path, name)
		}
	}
	assert.Greater(t, shown, 200, "names of public packages")
}

func TestToShow(t *testing.T) {
	t.Parallel()
	source := `package p
const A, b = 1, 2
var C int
type D struct{ E int }
type f struct{}
func G() {}
func h() {}
func (D) I() {}
const (
	J D = iota
	K
	L = "untyped"
)
const M int = 1
const N f = 1
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"A", "C", "D", "G", "L", "M", "N"}, toShow([]*ast.File{f}))
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

// testsOf are the test files of a package.
func testsOf(t *testing.T, at string) (tests []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(at), "*_test.go"))
	require.NoError(t, err)
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		tests = append(tests, f)
	}
	return tests
}

// toShow are the exported names that files declare at the top level, without the
// constants of an exported type.
func toShow(files []*ast.File) (names []string) {
	for _, f := range files {
		for _, d := range f.Decls {
			own := constantsOfTypes(d)
			for _, name := range exportedBy(d) {
				if !own[name] {
					names = append(names, name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// constantsOfTypes are the constants that a declaration gives a type with an exported
// name; without type and value a constant has those of the one before.
func constantsOfTypes(d ast.Decl) map[*ast.Ident]bool {
	out := map[*ast.Ident]bool{}
	group, ok := d.(*ast.GenDecl)
	if !ok || group.Tok != token.CONST {
		return out
	}
	typed := false
	for _, spec := range group.Specs {
		spec := spec.(*ast.ValueSpec)
		if of, ok := spec.Type.(*ast.Ident); ok {
			typed = of.IsExported()
		} else if spec.Values != nil {
			typed = false
		}
		for _, name := range spec.Names {
			out[name] = typed
		}
	}
	return out
}

// examplesIn names what files have examples of, and whether their output is
// checked.
func examplesIn(tests []*ast.File) map[string]bool {
	checked := map[string]bool{}
	for _, e := range doc.Examples(tests...) {
		checked[e.Name] = strings.TrimSpace(e.Output) != "" || e.EmptyOutput
	}
	return checked
}
