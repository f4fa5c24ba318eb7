package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// New is called with constant texts alone, and each is a regular expression.
func TestEveryExpressionOfTheProjectCompiles(t *testing.T) {
	found := 0
	for dir, files := range packages(t, filepath.Join("..", "..")) {
		constants := map[string]ast.Expr{}
		for _, file := range files {
			for _, decl := range file.Decls {
				if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
					for _, spec := range gen.Specs {
						for i, value := range spec.(*ast.ValueSpec).Values {
							constants[spec.(*ast.ValueSpec).Names[i].Name] = value
						}
					}
				}
			}
		}
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !isCall(call, "lazyregexp", "New") {
					return true
				}
				found++
				pattern, known := text(call.Args[0], constants)
				if !known {
					t.Errorf("%s: New is called with a text that is not constant", dir)
					return true
				}
				if _, err := regexp.Compile(pattern); err != nil {
					t.Errorf("%s: %v", dir, err)
				}
				return true
			})
		}
	}
	if found < 100 {
		t.Errorf("%d expressions were found, fewer than the project has", found)
	}
}

// ofTests lists the directories whose packages no host links.
var ofTests = []string{".ci", "bench", "conformance", "examples", "internal/publichooks", "internal/testkit", "internal/transporttest"}

// A variable of a package that is compiled before main costs every host that links the package.
func TestNoExpressionIsCompiledAtTheStart(t *testing.T) {
	root := filepath.Join("..", "..")
	for dir, files := range packages(t, root) {
		name, err := filepath.Rel(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(ofTests, func(of string) bool { return strings.HasPrefix(filepath.ToSlash(name)+"/", of+"/") }) {
			continue
		}
		for _, file := range files {
			for _, decl := range file.Decls {
				ast.Inspect(decl, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncDecl, *ast.FuncLit: // they run later
						return false
					case *ast.CallExpr:
						if isCall(n, "regexp", "MustCompile") {
							t.Errorf("%s: a variable is compiled before main; use lazyregexp.New", name)
						}
					}
					return true
				})
			}
		}
	}
}

// packages returns the files without tests of each directory below root.
func packages(t *testing.T, root string) map[string][]*ast.File {
	t.Helper()
	all := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all[filepath.Dir(path)] = append(all[filepath.Dir(path)], file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isCall reports whether a call is one of a function of a package.
func isCall(call *ast.CallExpr, of, function string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != function {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == of
}

// text returns the value of a constant expression of texts.
func text(e ast.Expr, constants map[string]ast.Expr) (value string, known bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil
	case *ast.Ident:
		of, known := constants[e.Name]
		if !known {
			return "", false
		}
		return text(of, constants)
	case *ast.BinaryExpr:
		left, known := text(e.X, constants)
		right, also := text(e.Y, constants)
		return left + right, known && also && e.Op == token.ADD
	case *ast.ParenExpr:
		return text(e.X, constants)
	default:
		return "", false
	}
}

func TestAnExpressionIsCompiledOnceForAllGoroutines(t *testing.T) {
	re := lazyregexp.New(`^a(\d)$`)
	compiled := make([]*regexp.Regexp, 8)
	var all sync.WaitGroup
	for i := range compiled {
		all.Go(func() { compiled[i] = re.Compiled() })
	}
	all.Wait()
	for _, c := range compiled {
		if c != compiled[0] {
			t.Error("the expression is compiled more than once")
		}
	}
	if got := re.FindStringSubmatch("a7"); len(got) != 2 || got[1] != "7" {
		t.Errorf("%q", got)
	}
}
