package structure_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// most is the number of names that a package may export: functions, types,
// variables and constants, not methods and fields. To raise it is a decision: is
// there a user who needs the name, and no name there already that serves?
var most = map[string]int{
	"tiaptest":             105,
	"tiaptest/record":      25,
	"tiaptest/report":      25,
	"tiaptest/semantic":    60,
	"tiaptest/sensitivity": 35,
	"golden":               40,
	"scenarios":            25,
	"scenarios/memsys":     20,
	"scenarios/quickstart": 0,
	"scenarios/reference":  10,
	"scenarios/script":     3,
	"internal/limit":       24, // each limit is a name
}

// mostInternal is that of an internal package, whose names no user sees.
const mostInternal = 20

func TestExportedNames(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		if f.command() {
			continue
		}
		n := 0
		for _, file := range f.files {
			for _, d := range file.Decls {
				n += len(exportedBy(d))
			}
		}
		ceiling, public := most[f.path]
		if !public && strings.HasPrefix(f.path, "internal/") {
			ceiling = mostInternal
		}
		assert.LessOrEqual(t, n, ceiling, "names that %s exports", f.path)
		if public {
			assert.LessOrEqual(t, ceiling, n+5, "%s exports %d names: lower its ceiling", f.path, n)
		}
	}
}

// exportedBy are the exported names that a declaration declares at the top level.
func exportedBy(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	var out []*ast.Ident
	for _, name := range names {
		if name.IsExported() {
			out = append(out, name)
		}
	}
	return out
}

// TestDocumented: each exported name and method says what it means.
func TestDocumented(t *testing.T) {
	t.Parallel()
	for _, f := range folders(t) {
		for _, file := range f.files {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() && d.Name.Name != "Error" && (d.Recv == nil || receiverExported(d)) {
						assert.NotEmpty(t, d.Doc.Text(), "%s: %s has no doc comment", line(d.Pos()), d.Name)
					}
				case *ast.GenDecl:
					if d.Tok == token.IMPORT || d.Doc.Text() != "" && len(d.Specs) > 1 {
						continue // the comment is about the group
					}
					for _, spec := range d.Specs {
						doc := d.Doc.Text()
						switch spec := spec.(type) {
						case *ast.TypeSpec:
							doc += spec.Doc.Text()
						case *ast.ValueSpec:
							doc += spec.Doc.Text() + spec.Comment.Text()
						}
						if len(exportedBy(&ast.GenDecl{Tok: d.Tok, Specs: []ast.Spec{spec}})) > 0 {
							assert.NotEmpty(t, strings.TrimSpace(doc), "%s: no doc comment", line(spec.Pos()))
						}
					}
				}
			}
		}
	}
}

func receiverExported(d *ast.FuncDecl) bool {
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	id, ok := of.(*ast.Ident)
	return ok && id.IsExported()
}
