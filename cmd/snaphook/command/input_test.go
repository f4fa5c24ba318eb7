package command

import (
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
)

// An empty input is answered with an example for the system of the event, and the example can be fired.
func TestAnEmptyInputIsAnsweredWithAnExampleOfItsSystem(t *testing.T) {
	for _, d := range systems.All {
		if d.ToolGate == "" || d.Modules && d != &systems.Xcsh {
			continue // modules of another runtime are found by the events of xcsh
		}
		_, said := executed(t, "", "fire", d.Name+"."+d.ToolGate, "--dir", t.TempDir())
		if want := "echo '" + d.Example + "' | snaphook fire " + d.Name + "." + d.ToolGate; d.Example == "" || !strings.Contains(said, want) {
			t.Errorf("%s: got %q; want %q in it", d.Name, said, want)
		}
		if status, said := executed(t, d.Example, "fire", d.Name+"."+d.ToolGate, "--dir", t.TempDir()); status != 0 {
			t.Errorf("%s: the example ends with %d: %s", d.Name, status, said)
		}
	}
}

// A large input does not change the garbage collector's percentage, which a program that runs
// commands of this package may have set.
func TestALargeInputLeavesTheCollectorAsItWas(t *testing.T) {
	const theirs = 137
	defer debug.SetGCPercent(debug.SetGCPercent(theirs))
	dir := t.TempDir()
	large := strings.Repeat("a", 4<<20)
	var runs sync.WaitGroup
	for _, args := range [][]string{{"fire", "llxprt.BeforeTool"}, {"plan", "llxprt.BeforeTool"}, {"fire", "claude.PreToolUse"}, {"fire", "llxprt.BeforeTool"}} {
		for _, end := range []string{`"}}`, ""} { // valid JSON and invalid JSON
			runs.Go(func() {
				executed(t, `{"tool_name":"write_file","tool_input":{"content":"`+large+end, append(args, "--dir", dir)...)
			})
		}
	}
	runs.Wait()
	if got := debug.SetGCPercent(theirs); got != theirs {
		t.Errorf("the collector's percentage is %d, was %d", got, theirs)
	}
}
