package warm

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// The shell that runs a script is known: its path even if the script runs in this process, and why it ran the last
// call.
func TestTheShellOfAHookIsKnown(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH")}
	kept := func(script string) *hook.Hook {
		c := &run.Command{Environ: func(hook.Call) []string { return env }, Argv: run.Bash(script)}
		w := &run.Warm{Tools: shell.NewTools(nil)}
		t.Cleanup(w.Close)
		if note := c.SetWarm(w, run.WarmBash, dir); note != "" {
			t.Fatal(note)
		}
		return &hook.Hook{Runner: c}
	}
	if got, _ := run.UsedShell(kept("echo no >&2; exit 2"), dir); got.Name != "bash" || !got.InProcess || !filepath.IsAbs(got.Path) {
		t.Errorf("in the process: %+v; want bash, and its path for the calls that it has to run", got)
	}
	some := kept(`read -r x; if [ "$x" = odd ]; then trap : EXIT; fi; exit 2`)
	for payload, left := range map[string]string{"odd\n": "trap", "even\n": ""} {
		reply, err := some.Runner.Run(t.Context(), hook.Call{Payload: []byte(payload), Dir: dir})
		if err != nil || reply.Exit != 2 {
			t.Errorf("%q: exit %d, %v", payload, reply.Exit, err)
		}
		if got, _ := run.UsedShell(some, dir); (got.Left == "") != (left == "") || !strings.Contains(got.Left, left) {
			t.Errorf("after %q: left because of %q, want %q", payload, got.Left, left)
		}
	}
}

// Calls in this process leave nothing: neither memory nor descriptors nor processes grow. To make a million calls:
// SNAPHOOK_WARM_CALLS=1000000 go test ./warm -run TestCallsLeaveNothing -timeout 0.
func TestCallsLeaveNothing(t *testing.T) {
	needBash(t)
	calls := 400
	if n, err := strconv.Atoi(os.Getenv("SNAPHOOK_WARM_CALLS")); err == nil {
		calls = n
	}
	p := newPair(t, []string{"bash", "-c", "read -r x; echo \"$x\""}, nil, projectOf(t))
	calling := func(n int) {
		for range n {
			p.one(p.warm)
		}
	}
	count := func(pattern string) int {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	calling(20)
	before, open, ran := heap(), count("/proc/self/fd/*"), p.ran.Load()
	calling(calls)
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
	if now := count("/proc/self/fd/*"); now > open+4 {
		t.Errorf("%d descriptors, before there were %d", now, open)
	}
	if n := p.ran.Load() - ran; n != uint64(calls) { // a call in this process starts no process
		t.Errorf("%d of %d calls have run in this process", n, calls)
	}
}
