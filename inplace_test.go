package snaphook_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// shrinking lists the functions of package slices that shift the elements of their argument and
// clear its tail: other holders of the slice see empty elements.
var shrinking = []string{"Compact", "CompactFunc", "Delete", "DeleteFunc"}

// A slice that is shrunk in place must have been made in the same function; a slice in a field may also be shrunk if
// the result is assigned to the field. A slice of a parameter or of a captured variable must be copied first: its owner
// may read it again.
func TestOnlyOwnSlicesAreShrunkInPlace(t *testing.T) {
	seen := 0
	for _, path := range tracked(t, "*.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			calls, foreign := shrunk(fn)
			seen += calls
			for _, call := range foreign {
				t.Errorf("%s: %s shrinks a slice in place that is not its own; use slices.Clone or lo.Reject",
					files.Position(call.Pos()), fn.Name.Name)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d calls seen; the test looks in the wrong place", seen)
	}
}

// shrunk returns the number of calls that shrink a slice, and the calls that may shrink a slice of another owner.
func shrunk(fn *ast.FuncDecl) (calls int, foreign []*ast.CallExpr) {
	own := locals(fn)
	back := map[*ast.CallExpr]bool{} // calls whose result replaces their argument
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if call, ok := right.(*ast.CallExpr); ok && len(call.Args) > 0 && len(n.Lhs) == len(n.Rhs) {
					back[call] = source(n.Lhs[i]) == source(call.Args[0])
				}
			}
		case *ast.CallExpr:
			if !shrinks(n) {
				break
			}
			calls++
			switch arg := n.Args[0].(type) {
			case *ast.CallExpr, *ast.CompositeLit: // made here
			case *ast.Ident:
				if !own[arg.Name] {
					foreign = append(foreign, n)
				}
			default:
				if !back[n] {
					foreign = append(foreign, n)
				}
			}
		}
		return true
	})
	return calls, foreign
}

func shrinks(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && source(f.X) == "slices" && slices.Contains(shrinking, f.Sel.Name)
}

// locals lists the variables whose values a function creates: by a call or a literal, or without a value.
func locals(fn *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				name, ok := left.(*ast.Ident)
				if !ok || n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
					continue
				}
				switch n.Rhs[i].(type) {
				case *ast.CallExpr, *ast.CompositeLit:
					own[name.Name] = true
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				own[name.Name] = i >= len(n.Values)
			}
		}
		return true
	})
	if fn.Type.Results != nil {
		for _, field := range fn.Type.Results.List {
			for _, name := range field.Names {
				own[name.Name] = true
			}
		}
	}
	return own
}

// source returns a name or a selector as the file spells it, and "" for any other expression.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := source(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}
