//go:build !race

package bench

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The compiler keeps the idle path free of cost: it inlines Active, and the caller's input stays on the stack.
func TestCompilerKeepsTheIdlePathFree(t *testing.T) {
	out := compilerOutput(t)
	if err := staysOnTheStack(out, "bench_test.go"); err != nil {
		t.Error(err)
	}
	if want := regexp.MustCompile(`bench_test\.go:.* inlining call to pipeline\.\(\*Event\[.*\]\)\.Active`); !want.MatchString(out) {
		t.Errorf("the compiler does not say %q", want)
	}
}

// compilerOutput returns the compiler's decisions (-m) about this package and its tests, without linking them. After
// the first call the build cache holds them.
func compilerOutput(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-test", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// staysOnTheStack returns an error if the compiler moved the input of a tool call in file to the
// heap, or if it found no such input.
func staysOnTheStack(out, file string) error { return onTheStack(out, file, "llxprt.BeforeToolInput") }

// onTheStack does the same as staysOnTheStack for literals of the type typ.
func onTheStack(out, file, typ string) error {
	literal := "&" + typ + "{...}"
	found := 0
	for line := range strings.Lines(out) {
		at, says, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.Contains(at, file+":") || !strings.HasPrefix(says, literal) {
			continue
		}
		if found++; says != literal+" does not escape" {
			return fmt.Errorf("%s: the input of a fire does not stay on the stack: %s", at, says)
		}
	}
	if found == 0 {
		return fmt.Errorf("the compiler says nothing of %s in %s", literal, file)
	}
	return nil
}
