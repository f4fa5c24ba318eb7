package command

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

func TestReadingEndsWithTheContext(t *testing.T) {
	in, typed := io.Pipe() // a terminal at which no user types
	defer typed.Close()    // ends the blocked read too
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := readAll(ctx, in); text != nil || !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("got %q, %v, want nothing and %v", text, err, cli.ErrInterrupted)
	}
}

// endlessZeros is an io.Reader of zeros without an end, like /dev/zero.
type endlessZeros struct{}

func (endlessZeros) Read(b []byte) (int, error) { return len(b), nil }

func TestAnInputWithoutEndIsAnError(t *testing.T) {
	if text, err := readAll(t.Context(), endlessZeros{}); text != nil || err == nil || err.Error() != "it is larger than 128 MiB" {
		t.Errorf("got %d bytes, %v; want an error that names the limit", len(text), err)
	}
}

// An empty input is answered with an example for the system of the event, and the example can be fired.
func TestAnEmptyInputIsAnsweredWithAnExampleOfItsSystem(t *testing.T) {
	for _, d := range dialects {
		if d.toolGate == "" || d.modules && d != &xcshRow {
			continue // modules of another runtime are asked for by the events of xcsh
		}
		_, said := executed(t, "", "fire", d.Name+"."+d.toolGate, "--dir", t.TempDir())
		if want := "echo '" + d.example + "' | snaphook fire " + d.Name + "." + d.toolGate; d.example == "" || !strings.Contains(said, want) {
			t.Errorf("%s: got %q; want %q in it", d.Name, said, want)
		}
		if status, said := executed(t, d.example, "fire", d.Name+"."+d.toolGate, "--dir", t.TempDir()); status != 0 {
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
	large := strings.Repeat("a", largeInput)
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

func TestTheLastCommandRestoresTheCollector(t *testing.T) {
	const theirs = 137
	defer debug.SetGCPercent(debug.SetGCPercent(theirs))
	first, second := collectAt(10), collectAt(400)
	first()
	first()
	now := debug.SetGCPercent(400)
	second()
	if last := debug.SetGCPercent(theirs); now != 400 || last != theirs {
		t.Errorf("%d while one still runs, %d after both; want 400 and %d", now, last, theirs)
	}
}
