// Mutant measures what the tests of one package notice: it changes the package
// in one place at a time and counts the changes that make a test fail.
//
//	go run .ci/mutant.go [-first REGEXP] [-skip REGEXP] [-at REGEXP] [-min PERCENT] [-name NAME] [-v] PACKAGE [FILE ...]
//
// All mutants are compiled into one test binary, a variable of the environment
// chooses the one that lives; so a mutant costs a run of the tests, not a build.
// With -first it meets these tests alone at first, and the others, but for those of
// -skip, if it survives. Without FILE all files of the package are changed. -at
// tries only the mutants whose line, as it is printed, matches. Run it in a copy: a
// mutant may write where the program would not.
//
// The last line is NAME: KILLED/MUTANTS, which .ci/numbers.go reads; without -name
// it names the package and the files.
//
// The changes: a comparison negated, its boundary moved, + for - and * for /,
// && for ||, ++ for --, a sign turned, a condition negated, a returned true or
// false negated, break for continue, a statement (call, assignment, ++) left
// out. Constants and strings stay as they are. A mutant that no test reaches
// counts as survivor; one that needs five times the processor time of the tests
// counts as killed.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// operators is the file that the mutated package gets beside its own, without its
// first line.
const operators = `
import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantAlive, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantReached  = os.Getenv("MUTANT_REACHED")
	mutantSeen     [mutants + 1]atomic.Bool
)

func mutant(id int) bool {
	if mutantReached != "" {
		mutantNote(id)
	}
	return id == mutantAlive
}

func mutantNote(id int) {
	if mutantSeen[id].Load() || mutantSeen[id].Swap(true) {
		return
	}
	f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, id)
	f.Close()
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutantLess[T cmp.Ordered](id int, a, b T) bool      { return a < b || mutant(id) && a == b }
func mutantGreater[T cmp.Ordered](id int, a, b T) bool   { return a > b || mutant(id) && a == b }
func mutantAtMost[T cmp.Ordered](id int, a, b T) bool    { return a <= b && !(mutant(id) && a == b) }
func mutantAtLeast[T cmp.Ordered](id int, a, b T) bool   { return a >= b && !(mutant(id) && a == b) }
func mutantAnd[T ~bool](id int, a T, b func() T) T       { if mutant(id) { return a || b() }; return a && b() }
func mutantOr[T ~bool](id int, a T, b func() T) T        { if mutant(id) { return a && b() }; return a || b() }
func mutantAdd[T mutantNumber](id int, a, b T) T         { if mutant(id) { return a - b }; return a + b }
func mutantSubtract[T mutantNumber](id int, a, b T) T    { if mutant(id) { return a + b }; return a - b }
func mutantMultiply[T mutantNumber](id int, a, b T) T    { if mutant(id) { return a / b }; return a * b }
func mutantDivide[T mutantNumber](id int, a, b T) T      { if mutant(id) { return a * b }; return a / b }
func mutantRemainder[T mutantInteger](id int, a, b T) T  { if mutant(id) { return a * b }; return a % b }
func mutantSign[T mutantNumber](id int, a T) T           { if mutant(id) { return -a }; return a }
`

var comparison = map[token.Token]struct{ boundary, to, negated string }{
	token.LSS: {"mutantLess", "<=", ">="},
	token.GTR: {"mutantGreater", ">=", "<="},
	token.LEQ: {"mutantAtMost", "<", ">"},
	token.GEQ: {"mutantAtLeast", ">", "<"},
	token.EQL: {"", "", "!="},
	token.NEQ: {"", "", "=="},
}

var arithmetic = map[token.Token]struct{ function, to string }{
	token.ADD: {"mutantAdd", "-"},
	token.SUB: {"mutantSubtract", "+"},
	token.MUL: {"mutantMultiply", "/"},
	token.QUO: {"mutantDivide", "*"},
	token.REM: {"mutantRemainder", "*"},
}

// mutation is one change.
type mutation struct {
	id   int // from 1
	at   token.Position
	what string
}

// edit is a piece of text that stands in place of the bytes from..to.
type edit struct {
	from, to int
	text     string
	kind     int // closes come before opens at the same place
	order    int // of opens; closes stand in reverse
}

const (
	closes = iota
	replaces
	opens
)

// mutator collects the mutations of a package and the edits of one of its files.
type mutator struct {
	fset      *token.FileSet
	info      *types.Info
	pkg       *types.Package
	mutations []mutation
	edits     []edit
	loops     map[ast.Stmt]bool // break and continue that may change places
	blocks    map[ast.Stmt]bool // statements that may be left out
}

// String says where and what, as file.go:line:column: change.
func (m mutation) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", filepath.Base(m.at.Filename), m.at.Line, m.at.Column, m.what)
}

func (m *mutator) mutation(at token.Pos, format string, args ...any) int {
	id := len(m.mutations) + 1
	m.mutations = append(m.mutations, mutation{id: id, at: m.fset.Position(at), what: fmt.Sprintf(format, args...)})
	return id
}

// wrap puts text around a node; nodes are wrapped from the outside in.
func (m *mutator) wrap(n ast.Node, before, after string) {
	from, to := m.fset.Position(n.Pos()).Offset, m.fset.Position(n.End()).Offset
	order := len(m.edits)
	m.edits = append(m.edits, edit{from, from, before, opens, order}, edit{to, to, after, closes, -order})
}

func (m *mutator) replace(at token.Pos, length int, text string) {
	from := m.fset.Position(at).Offset
	m.edits = append(m.edits, edit{from, from + length, text, replaces, len(m.edits)})
}

// call makes x op y a call of a function of operators.
func (m *mutator) call(x *ast.BinaryExpr, function string, id int) {
	m.wrap(x, fmt.Sprintf("%s(%d, ", function, id), ")")
	m.replace(x.OpPos, len(x.Op.String()), ",")
}

func (m *mutator) negate(n ast.Expr, format string, args ...any) {
	m.wrap(n, "((", fmt.Sprintf(") != %s(mutant(%d)))", m.boolean(n), m.mutation(n.Pos(), format, args...)))
}

// boolean names the type of a condition, which need not be bool.
func (m *mutator) boolean(x ast.Expr) string {
	if _, ok := m.info.TypeOf(x).(*types.Named); ok {
		return m.typeName(x)
	}
	return "bool"
}

func (m *mutator) number(x ast.Expr) bool {
	t := m.info.TypeOf(x)
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat) != 0
}

func (m *mutator) constant(x ast.Expr) bool {
	tv := m.info.Types[x]
	return tv.Value != nil || tv.IsType()
}

func (m *mutator) typeName(x ast.Expr) string {
	return types.TypeString(m.info.TypeOf(x), func(p *types.Package) string {
		if p == m.pkg {
			return ""
		}
		return p.Name()
	})
}

// condition negates a condition that is no comparison and so would stay as it is.
func (m *mutator) condition(x ast.Expr) {
	switch x := x.(type) {
	case nil, *ast.BinaryExpr, *ast.ParenExpr:
	default:
		if !m.constant(x) {
			m.negate(x, "condition negated")
		}
	}
}

func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		m.blocks[s] = true
	}
}

// loopControl notes the unlabelled break and continue of a loop with a
// condition. Without one, a break more could leave a function without return.
func (m *mutator) loopControl(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
				m.loops[n] = true
			}
		}
		return true
	})
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CommClause:
		m.statements(n.Body)
	case *ast.IfStmt:
		m.condition(n.Cond)
	case *ast.ForStmt:
		m.condition(n.Cond)
		if n.Cond != nil {
			m.loopControl(n.Body)
		}
	case *ast.RangeStmt:
		m.loopControl(n.Body)
	case *ast.BranchStmt:
		if m.loops[n] {
			other := token.CONTINUE
			if n.Tok == token.CONTINUE {
				other = token.BREAK
			}
			m.wrap(n, fmt.Sprintf("if mutant(%d) { %v }; ", m.mutation(n.Pos(), "%v -> %v", n.Tok, other), other), "")
		}
	case *ast.ReturnStmt:
		for _, x := range n.Results {
			if id, ok := x.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
				m.negate(x, "return %s negated", id.Name)
			}
		}
	case *ast.ExprStmt:
		m.leaveOut(n)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			m.leaveOut(n)
		}
		if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && m.number(n.Lhs[0]) {
			id := m.mutation(n.TokPos, "%v turned", n.Tok)
			m.wrap(n.Rhs[0], fmt.Sprintf("mutantSign[%s](%d, ", m.typeName(n.Lhs[0]), id), ")")
		}
	case *ast.IncDecStmt:
		m.leaveOut(n)
		turned := "--"
		if n.Tok == token.DEC {
			turned = "++"
		}
		id := m.mutation(n.TokPos, "%v -> %s", n.Tok, turned)
		m.wrap(n, "func() { if mutant("+strconv.Itoa(id)+") { "+types.ExprString(n.X)+turned+" } else { ", " } }()")
	case *ast.UnaryExpr:
		if n.Op == token.SUB && !m.constant(n) && m.number(n) {
			m.wrap(n, fmt.Sprintf("mutantSign(%d, ", m.mutation(n.Pos(), "-x -> x")), ")")
		}
	case *ast.BinaryExpr:
		m.binary(n)
	}
	return true
}

func (m *mutator) binary(x *ast.BinaryExpr) {
	if m.constant(x) {
		return
	}
	if c, ok := comparison[x.Op]; ok {
		m.negate(x, "%v -> %s", x.Op, c.negated)
		if c.boundary != "" {
			if of := m.boolean(x); of != "bool" {
				m.wrap(x, of+"(", ")")
			}
			m.call(x, c.boundary, m.mutation(x.OpPos, "%v -> %s", x.Op, c.to))
		}
		return
	}
	if a, ok := arithmetic[x.Op]; ok && m.number(x) {
		m.call(x, a.function, m.mutation(x.OpPos, "%v -> %s", x.Op, a.to))
		return
	}
	switch x.Op {
	case token.LAND, token.LOR:
		function, other := "mutantAnd", token.LOR
		if x.Op == token.LOR {
			function, other = "mutantOr", token.LAND
		}
		id := m.mutation(x.OpPos, "%v -> %v", x.Op, other)
		m.wrap(x, fmt.Sprintf("%s(%d, ", function, id), ") })")
		m.replace(x.OpPos, 2, fmt.Sprintf(", func() %s { return (", m.boolean(x)))
	}
}

// leaveOut leaves out a statement of a block, but no panic: the function could
// end without return.
func (m *mutator) leaveOut(s ast.Stmt) {
	if !m.blocks[s] {
		return
	}
	if x, ok := s.(*ast.ExprStmt); ok {
		if call, ok := x.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return
			}
		}
	}
	m.wrap(s, fmt.Sprintf("if !mutant(%d) { ", m.mutation(s.Pos(), "statement left out")), " }")
}

// apply returns the source with the edits of a file and forgets them.
func (m *mutator) apply(source []byte) []byte {
	slices.SortStableFunc(m.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind), cmp.Compare(a.order, b.order))
	})
	var out bytes.Buffer
	at := 0
	for _, e := range m.edits {
		out.Write(source[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(source[at:])
	m.edits = m.edits[:0]
	return out.Bytes()
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, Name, Export string
	GoFiles                       []string
}

// list returns the package and the files that hold what it imports, compiled.
func list(path string) (target goPackage, exports map[string]string, err error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Name,Export,GoFiles", path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return target, nil, fmt.Errorf("go list %s: %w", path, err)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			return target, exports, nil // the last one is the package itself
		} else if err != nil {
			return target, nil, err
		}
		exports[p.ImportPath] = p.Export
		target = p
	}
}

// mutate writes the mutated package and the overlay that puts it in the place of
// the package.
func mutate(p goPackage, exports map[string]string, only []string, work string) (mutations []mutation, overlay string, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, "", err
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	checked, err := config.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, "", err
	}
	for _, name := range only {
		if !slices.Contains(p.GoFiles, name) {
			return nil, "", fmt.Errorf("%s has no file %s", p.ImportPath, name)
		}
	}

	m := &mutator{fset: fset, info: info, pkg: checked, loops: map[ast.Stmt]bool{}, blocks: map[ast.Stmt]bool{}}
	replace := map[string]string{}
	write := func(name string, text []byte) error {
		replace[filepath.Join(p.Dir, name)] = filepath.Join(work, name)
		return os.WriteFile(filepath.Join(work, name), text, 0o600)
	}
	for i, name := range p.GoFiles {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, "", err
		}
		ast.Inspect(files[i], m.visit)
		if err := write(name, m.apply(source)); err != nil {
			return nil, "", err
		}
	}
	if err := write("mutant_operators.go", fmt.Appendf(nil, "package %s\n%s\nconst mutants = %d\n", p.Name, operators, len(m.mutations))); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return m.mutations, overlay, os.WriteFile(overlay, text, 0o600)
}

// tests are the tests of a package with all mutants in it.
type tests struct {
	binary, dir string
	only, skip  string
	seconds     int // of processor time; 0: any
}

// limit keeps the tests from running on for ever; it leaves them five times the
// processor time that they took.
func (t *tests) limit(took time.Duration) { t.seconds = int(5*took.Seconds()) + 2 }

// run runs the tests with these variables in the environment.
func (t tests) run(env ...string) (output []byte, took time.Duration, failed bool, err error) {
	limit := ""
	if t.seconds > 0 {
		limit = fmt.Sprintf("ulimit -t %d && ulimit -v 8000000 && ", t.seconds)
	}
	cmd := exec.Command("bash", "-c", limit+`exec "$@"`, "tests", t.binary,
		"-test.short", "-test.failfast", "-test.timeout=5m", "-test.run="+t.only, "-test.skip="+t.skip)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), env...)
	output, err = cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return nil, 0, false, err
	}
	return output, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), !cmd.ProcessState.Success(), nil
}

// reached reads the mutants that the tests reach.
func reached(file string) (map[int]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ids := map[int]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		id, err := strconv.Atoi(lines.Text())
		if err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, lines.Err()
}

// request is what the command is asked to do.
type request struct {
	path, first, skip string
	name              string // of what is measured
	files             []string
	at                *regexp.Regexp
	verbose           bool
}

// measure returns how many percent of the mutants the tests kill, and prints the
// others.
func (r request) measure() (share float64, err error) {
	work, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil { // a test may run itself as another user
		return 0, err
	}
	p, exports, err := list(r.path)
	if err != nil {
		return 0, err
	}
	mutations, overlay, err := mutate(p, exports, r.files, work)
	if err != nil {
		return 0, err
	}
	mutations = slices.DeleteFunc(mutations, func(m mutation) bool { return !r.at.MatchString(m.String()) })
	if len(mutations) == 0 {
		return 0, fmt.Errorf("%s: nothing to mutate", p.ImportPath)
	}
	t := tests{binary: filepath.Join(work, "tests"), dir: p.Dir, skip: r.skip}
	build := exec.Command("go", "test", "-overlay", overlay, "-c", "-o", t.binary, p.ImportPath)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: the mutants do not build: %w\n%s", p.ImportPath, err, out)
	}
	reachedFile := filepath.Join(work, "reached")
	if err := cmp.Or(os.WriteFile(reachedFile, nil, 0o666), os.Chmod(reachedFile, 0o666)); err != nil {
		return 0, err
	}
	out, took, failed, err := t.run("MUTANT_REACHED=" + reachedFile)
	if err != nil || failed {
		return 0, fmt.Errorf("%s: the tests fail without mutant: %w", p.ImportPath, cmp.Or(err, errors.New(string(out))))
	}
	t.limit(took)
	ids, err := reached(reachedFile)
	if err != nil {
		return 0, err
	}
	stages := []tests{t}
	if r.first != "" {
		few := t
		few.only = r.first
		if _, took, failed, err = few.run(); err != nil || failed {
			return 0, fmt.Errorf("%s: the first tests fail without mutant: %w", p.ImportPath, cmp.Or(err, errors.New("see go test")))
		}
		few.limit(took)
		stages = []tests{few, t}
	}

	killed := 0
	for _, m := range mutations {
		status := "not reached"
		if ids[m.id] {
			status = "lived"
			for _, stage := range stages {
				_, _, failed, err := stage.run("MUTANT=" + strconv.Itoa(m.id))
				if err != nil {
					return 0, err
				}
				if failed {
					killed++
					status = "killed"
					break
				}
			}
		}
		if r.verbose || status != "killed" {
			fmt.Printf("  %v: %s\n", m, status)
		}
	}
	// Under the same limits, and after all that the mutants did.
	if out, _, failed, err := t.run(); err != nil || failed {
		return 0, fmt.Errorf("%s: without mutant the tests fail in the end, so failures say nothing: %w", p.ImportPath, cmp.Or(err, errors.New(string(out))))
	}
	share = 100 * float64(killed) / float64(len(mutations))
	fmt.Printf("%s: %d/%d\n", cmp.Or(r.name, strings.Join(append([]string{p.ImportPath}, r.files...), " ")), killed, len(mutations))
	return share, nil
}

func main() {
	var r request
	flag.StringVar(&r.first, "first", "", "run the tests that match `REGEXP` first, the others for survivors")
	flag.StringVar(&r.skip, "skip", "", "leave out the tests that match `REGEXP`")
	at := flag.String("at", "", "try only the mutants whose line matches `REGEXP`")
	least := flag.Float64("min", 0, "fail when fewer than `PERCENT` of the mutants are killed")
	flag.StringVar(&r.name, "name", "", "call what is measured `NAME`")
	flag.BoolVar(&r.verbose, "v", false, "list killed mutants too")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	r.path, r.files = flag.Arg(0), flag.Args()[1:]
	share, err := 0.0, error(nil)
	if r.at, err = regexp.Compile(*at); err == nil {
		share, err = r.measure()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if share < *least {
		fmt.Fprintf(os.Stderr, "%.1f %% are fewer than %g %%\n", share, *least)
		os.Exit(1)
	}
}
