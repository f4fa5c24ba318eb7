package snaphook_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// realSleeps lists the test files in which time.Sleep takes real time, with the reason. None of them waits for
// something: the sleep is a part of the world that the test observes.
var realSleeps = map[string]string{
	"bench/serve_test.go":                         "a server that answers late",
	"cmd/snaphook/command/stats_file_test.go":     "hooks of different durations",
	"cmd/snaphook/command/trust_swap_test.go":     "an attacker changes files at random times",
	"cmd/snaphook/internal/bench/bench_test.go":   "a hook whose duration is measured",
	"cmd/snaphook/internal/bench/figures_test.go": "a hook whose duration is measured",
	"hooktest/runner_test.go":                     "a broken runner, during whose calls other calls begin",
	"run/family_windows_test.go":                  "a program that runs until it is killed",
	"trust/pin_unix_test.go":                      "an attacker changes files at random times",
}

// No test sleeps to wait for something: time is fake in the bubbles of synctest, and testkit.Eventually waits for the
// changes that nothing signals. A helper that runs in bubbles calls testkit.Sleep, which panics elsewhere.
func TestNoTestSleepsOnTheRealClock(t *testing.T) {
	files := tracked(t, "*_test.go")
	if len(files) < 500 {
		t.Fatalf("only %d files were looked at", len(files))
	}
	unseen := maps.Clone(realSleeps)
	for _, path := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range sleepsOutsideBubbles(file) {
			if _, known := realSleeps[filepath.ToSlash(path)]; !known {
				t.Errorf("%s: time.Sleep outside of a synctest bubble: wait for the thing itself", set.Position(at))
			}
			delete(unseen, filepath.ToSlash(path))
		}
	}
	for path := range unseen {
		t.Errorf("%s has no sleep on the real clock: remove it from the list", path)
	}
}

// sleepsOutsideBubbles returns the positions of time.Sleep that no function literal in a call of synctest.Test encloses.
func sleepsOutsideBubbles(file *ast.File) (found []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !names(n.Fun, "synctest", "Test")
		case *ast.SelectorExpr:
			if names(n, "time", "Sleep") {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

// names reports whether an expression is the name of a package's function.
func names(e ast.Expr, pkg, function string) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != function {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == pkg
}

func TestASleepIsFoundOutsideABubbleAlone(t *testing.T) {
	const text = `package p
func TestA(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { time.Sleep(1); go func() { time.Sleep(2) }() })
	go func() { time.Sleep(3) }()
	later := time.Sleep
	testkit.Sleep(4)
}`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, at := range sleepsOutsideBubbles(file) {
		lines = append(lines, set.Position(at).Line)
	}
	if want := []int{4, 5}; !slices.Equal(lines, want) {
		t.Errorf("sleeps in the lines %v, want %v", lines, want)
	}
}
