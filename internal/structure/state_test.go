package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// started is what package-level variables call before main begins: values are
// made, and nothing is read but the working folder, which golden needs before a
// test leaves it.
var started = []string{
	"errors.New", "fmt.Errorf", "math.NaN", "reflect.TypeFor", "regexp.MustCompile", "strings.NewReplacer", "sync.OnceValue",
	"maphash.MakeSeed", // so that nobody can aim at the hash table
	"os.Getwd",
	"internal/jsonl.powers", "internal/rank.tables", "scenarios/memsys.func", "scenarios/reference.calendar", "scenarios/reference.set",
}

// mutable are the package-level variables that change after their declaration,
// with the reason.
var mutable = map[string]string{
	"golden.claims":                 "which contents this process compared each file with, so that two tests never share one",
	"golden.writing":                "one writer of golden files at a time",
	"internal/jsonl.indexes":        "a cache of the fields of types, safe for concurrent use",
	"internal/lines.buffers":        "a pool of read buffers, safe for concurrent use",
	"internal/trec.spare":           "a pool of the memory of blocks, safe for concurrent use",
	"tiaptest/cmd/tiaptest.ballast": "memory that is set aside once, before the command does anything",
}

// settable are the exported variables of public packages, which whoever imports
// one could set. Errors that callers compare with are left out.
var settable = []string{
	"tiaptest.Raw", "tiaptest.Source", "tiaptest.Canonical", // targets are values, and Go has no constant of a struct
}

// TestNoInit: importing a package does nothing but make its values.
func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		for _, file := range f.files {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						t.Errorf("%s: a function init; give the variable a value instead", line(d.Pos()))
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						checkStarted(t, f, d)
					}
				}
			}
		}
	}
}

func checkStarted(t *testing.T, f folder, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		for _, value := range spec.(*ast.ValueSpec).Values {
			ast.Inspect(value, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				switch {
				case !ok:
					_, function := n.(*ast.FuncLit)
					return !function // runs later, unless it is called here
				case called(f, call) != "":
					assert.Contains(t, started, called(f, call), "%s: called before main begins", line(call.Pos()))
				}
				return true
			})
		}
	}
}

// called names the function of a call; conversions and what only allocates have
// no name.
func called(f folder, call *ast.CallExpr) string {
	function := call.Fun
	if index, ok := function.(*ast.IndexExpr); ok {
		function = index.X
	}
	switch fun := function.(type) {
	case *ast.Ident:
		if slices.Contains([]string{"make", "new", "len", "string", "float64"}, fun.Name) {
			return ""
		}
		return f.path + "." + fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name + "." + fun.Sel.Name
		}
	case *ast.FuncLit:
		return f.path + ".func"
	case *ast.ArrayType, *ast.MapType:
		return ""
	}
	return f.path + ".?"
}

// TestNoGlobalFlags: a library that adds to the flags of a program collides with
// others; it may ask for those of go test.
func TestNoGlobalFlags(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		if f.command() {
			continue
		}
		for _, file := range f.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "flag" {
						assert.Contains(t, []string{"Lookup", "FlagSet", "NewFlagSet", "ContinueOnError", "ErrHelp", "Flag", "Value"}, s.Sel.Name, line(s.Pos()))
					}
				}
				return true
			})
		}
	}
}

// TestNoMutableState: package-level variables are constants in all but name.
// Found are assignments to a variable or a part of it, its address taken, methods
// on its address, and types that exist to change (locks, maps for concurrent
// use). A slice or map that is handed on and changed elsewhere is not found.
func TestNoMutableState(t *testing.T) {
	t.Parallel()
	found := map[string]token.Pos{}
	var exported []string
	for _, c := range typed(t) {
		for _, name := range c.pkg.Scope().Names() {
			if v, ok := c.pkg.Scope().Lookup(name).(*types.Var); ok && v.Exported() && !strings.HasPrefix(c.path, "internal/") && v.Type().String() != "error" {
				exported = append(exported, c.path+"."+name)
			}
		}
		changed(c.pkg, c.info, c.built, found)
	}
	for name, at := range found {
		if mutable[name] == "" {
			t.Errorf("%s: %s changes after its declaration; make it constant or local, or list it with the reason", line(at), name)
		}
	}
	for name := range mutable {
		assert.Contains(t, found, name, "listed as mutable")
	}
	assert.ElementsMatch(t, settable, exported)
}

// TestChangesAreFound: each way to change a variable is found, and no use that
// leaves it as it is.
func TestChangesAreFound(t *testing.T) {
	t.Parallel()
	const source = `package p

type counter struct { n int; next *counter }

func (c *counter) add() { c.n++ }
func (c counter) get() int { return c.n }

var (
	assigned, counted, ranged, part, key, sent, deep, inner = 0, 0, 0, counter{}, map[string]int{}, make(chan int), &counter{}, [2][]int{}
	address, method, cleared, deleted, copied, appended = 0, counter{}, []int{1}, map[string]int{}, []int{1}, []int{1}

	read, value, shadowed, source, pointer = map[string]int{}, counter{}, 1, []int{1}, &counter{}
)

func change() {
	assigned = 1
	counted++
	for ranged = range 3 {}
	part.n = 1
	key["a"] = 1
	deep.next.n, (inner[0][1:])[0] = 1, 1
	_ = &address
	method.add()
	clear(cleared)
	delete(deleted, "a")
	copy(copied, source)
	_ = append(appended, 1)

	_ = read["a"] + value.get() + source[0]
	shadowed := 2
	shadowed++
	local := value
	local.n = 1
	pointer.add() // of the value that it leads to, as *http.Client.Do is
}
`
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	require.NoError(t, err)
	info := newInfo()
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	found := map[string]token.Pos{}
	changed(pkg, info, []*ast.File{file}, found)
	var want []string
	for _, name := range []string{
		"assigned", "counted", "ranged", "part", "key", "sent", "deep", "inner",
		"address", "method", "cleared", "deleted", "copied", "appended",
	} {
		want = append(want, "p."+name)
	}
	assert.ElementsMatch(t, want, slices.Collect(maps.Keys(found)))
}

// changed adds the package-level variables that the files of a package change,
// its own and those of others, and where.
func changed(pkg *types.Package, info *types.Info, files []*ast.File, found map[string]token.Pos) {
	add := func(v *types.Var, at token.Pos) {
		name := strings.TrimPrefix(v.Pkg().Path(), modulePath+"/") + "." + v.Name()
		if _, ok := found[name]; !ok {
			found[name] = at
		}
	}
	for _, name := range pkg.Scope().Names() {
		if v, ok := pkg.Scope().Lookup(name).(*types.Var); ok && synchronized(v.Type(), nil) {
			add(v, v.Pos())
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, e := range changedBy(info, n) {
				if v := rootVariable(info, e); v != nil {
					add(v, e.Pos())
				}
			}
			return true
		})
	}
}

// changedBy are the expressions that a node changes or hands out to be changed.
func changedBy(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.SendStmt:
		return []ast.Expr{n.Chan}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := info.Uses[id].(*types.Builtin); ok && slices.Contains([]string{"clear", "delete", "copy", "append"}, b.Name()) {
				return n.Args[:1]
			}
		}
		if s, ok := n.Fun.(*ast.SelectorExpr); ok {
			if sel := info.Selections[s]; sel != nil && sel.Kind() == types.MethodVal {
				_, pointer := sel.Obj().Type().(*types.Signature).Recv().Type().(*types.Pointer)
				if _, already := sel.Recv().(*types.Pointer); pointer && !already {
					return []ast.Expr{s.X}
				}
			}
		}
	}
	return nil
}

// rootVariable is the package-level variable that an expression is, or is a part
// of. What a pointer in it leads to is part of it.
func rootVariable(info *types.Info, e ast.Expr) *types.Var {
	for {
		var id *ast.Ident
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.StarExpr:
			e = x.X
			continue
		case *ast.IndexExpr:
			e = x.X
			continue
		case *ast.SliceExpr:
			e = x.X
			continue
		case *ast.SelectorExpr:
			if info.Selections[x] != nil {
				e = x.X
				continue
			}
			id = x.Sel // of a package
		case *ast.Ident:
			id = x
		}
		if id == nil {
			return nil
		}
		v, ok := info.Uses[id].(*types.Var)
		if !ok || v.IsField() || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
			return nil
		}
		return v
	}
}

// synchronized reports whether a type holds what package sync makes for state
// that several goroutines change.
func synchronized(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
		switch n.Obj().Pkg().Path() {
		case "sync", "sync/atomic":
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		return false // what it leads to is made elsewhere
	case *types.Array:
		return synchronized(u.Elem(), seen)
	case *types.Struct:
		for field := range u.Fields() {
			if synchronized(field.Type(), seen) {
				return true
			}
		}
	}
	return false
}
