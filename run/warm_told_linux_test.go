package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A warm Python script reports its end before the kernel has freed its memory. The script's locks are free before the
// report, and no later call of the hook finds the process of an earlier one.
func TestWhatAWarmCallHeldIsFreeAtItsEnd(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", `import fcntl, os
try:
    with open("pid") as f:
        os.kill(int(f.read()), 0)
    print("the process of an earlier call is there")
except (FileNotFoundError, ProcessLookupError):
    pass
with open("pid", "w") as f:
    f.write(str(os.getpid()))
fd = os.open("lock", os.O_RDWR | os.O_CREAT)
try:
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("the lock of an earlier call is there")
`)
	h.heat()
	lock, err := os.Open(filepath.Join(h.dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	const calls = 200
	early := 0
	for range calls {
		if out := h.run(); out != "" {
			t.Fatal(out)
		}
		if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			t.Fatalf("the lock of the call: %v", err)
		}
		_ = unix.Flock(int(lock.Fd()), unix.LOCK_UN)
		early += toldBy(h.w)
	}
	if early < calls/2 {
		t.Errorf("%d of %d calls have told their end early", early, calls)
	}
}

// toldBy returns the number of calls that have reported their end since the last call began.
func toldBy(w *Warm) int {
	p := pythonOf(w)
	if p == nil {
		return 0
	}
	p.told.mu.Lock()
	defer p.told.mu.Unlock()
	return len(p.told.all)
}

// A call starts cold if the interpreter's list of loaded files is gone, and the interpreter is
// replaced.
func TestAnInterpreterWithoutItsListIsReplaced(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "print('here')\n")
	h.heat()
	p := pythonOf(h.w)
	p.list.Store(nil)
	if err := os.Remove(p.listPath()); err != nil {
		t.Fatal(err)
	}
	before := h.w.ran.Load()
	if out := h.run(); out != "here\n" || h.w.ran.Load() != before {
		t.Errorf("%q, warm %v; want a cold call", out, h.w.ran.Load() != before)
	}
	if out := h.heat(); out != "here\n" || pythonOf(h.w) == p {
		t.Errorf("later %q, of the same interpreter %v", out, pythonOf(h.w) == p)
	}
}

// A process that a script forks ends without reporting the end of the script.
func TestAForkOfAWarmScriptDoesNotTellItsEnd(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py",
		"import os, sys\nif os.fork() == 0:\n    sys.exit(7)\nos.wait()\nprint('the script', flush=True)\nsys.exit(2)\n")
	h.heat()
	for range 50 {
		reply, err := h.Run(t.Context(), h.call)
		if out := string(reply.Stdout); err != nil || reply.Exit != 2 || out != "the script\n" {
			t.Fatalf("exit %d, %q, %v; want 2 of the script", reply.Exit, out, err)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("l1\x00f5 6 7 8 /a b\x00f- /c\x00njson\x00csitecustomize\x00s/p\x00d.")
	f.Add("")
	f.Add("f1 2 3")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseList(text)
		if err != nil {
			return
		}
		if n := strings.Count(text, "\x00") + 1; len(l.files)+len(l.folders) > n {
			t.Errorf("%d files and %d folders of %d items", len(l.files), len(l.folders), n)
		}
		for _, file := range l.files {
			if file.path != "" && !strings.Contains(text, file.path) {
				t.Errorf("%q is not in the text", file.path)
			}
		}
	})
}
