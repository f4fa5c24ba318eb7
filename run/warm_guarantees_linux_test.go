package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// A call that starts children without end is killed at its time limit, with all its children, and later calls are warm.
func TestAWarmCallThatForksWithoutEnd(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", `import os, time
if os.path.exists('slow'):
    open('began-' + str(os.getpid()), 'w').close()
    for _ in range(40): # a real one would leave the tests no machine
        if os.fork() == 0:
            time.sleep(60)
    while True:
        if os.fork() == 0:
            os._exit(0)
        os.wait()
print('here')
`)
	h.heat()
	h.write("slow", "")
	call := h.call
	call.Timeout = time.Second
	if _, err := h.Run(context.Background(), call); err == nil {
		t.Error("no error, want a timeout")
	}
	pid := waitForFile(t, h.dir, "began-")
	testkit.Eventually(t, "no process of the group is left", func() bool { return len(inGroup(pid)) == 0 })
	os.Remove(filepath.Join(h.dir, "slow"))
	if out := h.heat(); out != "here\n" {
		t.Errorf("the next calls printed %q", out)
	}
}

// A call starts cold if its interpreter has changed while it was warm.
func TestAnInterpreterThatChangesStartsCold(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	h := newWarmHook(t, python, "hook.py", "import sys\nprint(sys.prefix != sys.base_prefix, any('dist-packages' in p for p in sys.path))\n")
	venv := filepath.Join(h.dir, "venv")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Skipf("no venv can be made: %s", out)
	}
	program := filepath.Join(venv, "bin", "python3")
	h.Argv = []string{program, "hook.py"}
	if out := h.heat(); out != "True False\n" {
		t.Fatalf("in the venv: %q", out)
	}
	cfg, _ := os.ReadFile(filepath.Join(venv, "pyvenv.cfg"))
	h.write("venv/pyvenv.cfg", strings.Replace(string(cfg), "site-packages = false", "site-packages = true", 1))
	before := h.w.ran.Load()
	cold, _ := exec.Command(program, filepath.Join(h.dir, "hook.py")).Output()
	if out := h.run(); out != string(cold) || h.w.ran.Load() != before {
		t.Errorf("after pyvenv.cfg has changed: %q, want %q of a cold start", out, cold)
	}
	h.heat()
	os.Remove(program)
	h.write("venv/bin/python3", "#!/bin/sh\necho another program\n")
	for range 3 {
		if out := h.run(); out != "another program\n" {
			t.Errorf("after the interpreter has changed: %q", out)
		}
		h.w.starts.Wait()
	}
}

// A command in two directories has two interpreters: projects share none.
func TestProjectsShareNoInterpreter(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os\nprint(os.getppid(), os.getcwd())\n")
	other := filepath.Join(filepath.Dir(h.dir), "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(h.dir, "hook.py"))
	if err := os.WriteFile(filepath.Join(other, "hook.py"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	here := h.heat()
	h.call.Dir = other
	there := h.heat()
	a, _, _ := strings.Cut(here, " ")
	b, _, _ := strings.Cut(there, " ")
	if a == b || !strings.HasSuffix(there, other+"\n") {
		t.Errorf("%q and %q, want another parent in another directory", here, there)
	}
}

// Two hooks with the same command, directory and environment, such as one of the user and one of
// a project, share no process: a trusted script never runs in a process that an untrusted one has
// used.
func TestHooksShareNoProcess(t *testing.T) {
	for program, script := range map[string]string{
		"python3": "import os\nprint(os.getppid())\n",
		"node":    "console.log(process.pid)\n",
	} {
		t.Run(program, func(t *testing.T) {
			users := newWarmHook(t, need(t, program, "/usr/bin/"+program), "hook.js", script)
			projects := *users
			projects.Command = &Command{Argv: users.Argv, Environ: users.Environ}
			if note := projects.SetWarm(users.w, WarmAuto, users.dir); note != "" {
				t.Fatal(note)
			}
			mine, theirs := users.heat(), projects.heat()
			if mine == theirs || len(users.w.kept) != 2 {
				t.Errorf("both ran in %q, and %d places are kept; want two of each", mine, len(users.w.kept))
			}
		})
	}
}

// The environment of a warm child in /proc has no variable of an earlier call.
func TestTheEnvironmentOfAWarmChildInProc(t *testing.T) {
	for program, script := range map[string]string{
		"python3": "import time\nenv = open('/proc/self/environ').read()\nprint(env)\n",
		"node":    "console.log(require('fs').readFileSync('/proc/self/environ', 'utf8'))\n",
	} {
		t.Run(program, func(t *testing.T) {
			h := newWarmHook(t, need(t, program, "/usr/bin/"+program), "hook.js", script)
			h.heat()
			h.warm("SECRET=hunter2")
			h.w.starts.Wait()
			for range 3 {
				if out := h.run(); strings.Contains(out, "hunter2") {
					t.Errorf("the next call's environment: %q", out)
				}
				h.w.starts.Wait()
			}
		})
	}
}

// A worker that keeps 1 MB of each call is replaced before it has 1 GB.
func TestAWorkerThatLeaks(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", `import json, os, sys
print('{"ready":{"concurrency":1}}', flush=True)
kept = []
for line in sys.stdin:
    c = json.loads(line)
    if "payload" in c:
        kept.append(b"x" * (1 << 20))
        print(json.dumps({"id": c["id"], "exit": 0, "stdout": str(os.getpid())}), flush=True)
`)
	pids := map[string]int{}
	for range 1100 {
		reply, err := c.Run(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		pids[string(reply.Stdout)]++
	}
	for pid, calls := range pids {
		if calls > 700 {
			t.Errorf("process %s has answered %d calls, and kept as many MB", pid, calls)
		}
	}
}

// Calls leave nothing: neither memory nor descriptors nor processes grow. To make a million calls:
// SNAPHOOK_WARM_CALLS=1000000 go test ./run -run TestWarmSoak -timeout 0.
func TestWarmSoak(t *testing.T) {
	calls := 400
	if n, err := strconv.Atoi(os.Getenv("SNAPHOOK_WARM_CALLS")); err == nil {
		calls = n
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"hook.py": "import sys\nprint(sys.stdin.read())\n", "w.py": byHand} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "SHELL=/bin/bash", "PWD=" + dir}
	environ := func(hook.Call) []string { return env }
	python := need(t, "python3", "/usr/bin/python3")
	w := &Warm{Log: quietLog}
	defer w.Close()
	var commands []*Command
	for kind, argv := range map[string][]string{WarmPython: {python, "hook.py"}, WarmWorker: {python, "w.py"}} {
		c := &Command{Argv: argv, Environ: environ}
		if note := c.SetWarm(w, kind, dir); note != "" {
			t.Fatal(note)
		}
		commands = append(commands, c)
	}
	call := hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "E"}}, Payload: []byte("{}\n"), Timeout: time.Minute}
	rounds := func(n int) {
		for range n {
			for _, c := range commands {
				if _, err := c.Run(t.Context(), call); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	rounds(20)
	w.starts.Wait()
	rounds(20)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, open, family := heap(), descriptors(t), len(descendants(os.Getpid()))
	rounds(calls / len(commands))
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
	if now := descriptors(t); now > open+4 {
		t.Errorf("%d descriptors, before there were %d", now, open)
	}
	if now := len(descendants(os.Getpid())); now > family+1 {
		t.Errorf("%d processes, before there were %d", now, family)
	}
	if n := w.ran.Load(); n < uint64(calls) {
		t.Errorf("%d calls were warm, want at least %d", n, calls)
	}
}

// A directory that is removed and made again is a new directory: a call runs in the new directory,
// not in the removed one, in which its process was made ready.
func TestADirectoryThatIsMadeAgain(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "print('before')\n")
	h.heat()
	awaitNextChild(t, h.w)
	if err := os.RemoveAll(h.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h.write("hook.py", "import os\nprint(os.getcwd(), os.listdir('.'))\n")
	for range 3 {
		if out := h.run(); out != h.dir+" ['hook.py']\n" {
			t.Errorf("got %q", out)
		}
		h.w.starts.Wait()
	}
}

// A cancelled call ends, and the next call is warm.
func TestAWarmCallThatIsCancelled(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os, time\nif os.path.exists('slow'):\n    open('began-' + str(os.getpid()), 'w').close()\n    time.sleep(60)\nprint('here')\n")
	h.heat()
	h.write("slow", "")
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan error, 1)
	go func() {
		reply, err := h.Run(ctx, h.call)
		if reply.Signal != syscall.SIGTERM {
			t.Errorf("signal %v, want SIGTERM", reply.Signal)
		}
		ended <- err
	}()
	pid := waitForFile(t, h.dir, "began-")
	cancel(hook.ErrNotNeeded)
	if err := <-ended; err != hook.ErrNotNeeded {
		t.Errorf("err %v, want the reason why it was cancelled", err)
	}
	testkit.WaitForEnd(t, pid, 10*time.Second)
	os.Remove(filepath.Join(h.dir, "slow"))
	if out := h.warm(); out != "here\n" {
		t.Errorf("the next call printed %q", out)
	}
}

// Each of 300 calls in a row, or of 60 without SNAPHOOK_TIMES, has the output and the exit status of a cold call.
func TestThreeHundredWarmCalls(t *testing.T) {
	calls := 60
	if testkit.Whole() {
		calls = 300
	}
	for program, script := range map[string]struct{ text, each string }{
		"python3": {`import atexit, json, os, sys
call = json.load(sys.stdin)
json.seen = getattr(json, "seen", 0) + 1
atexit.register(lambda: print("the end", json.seen))
os.environ["SEEN"] = os.environ.get("SEEN", "") + "x"
with open("log", "a") as f:
    f.write("x")
print(call["n"], os.environ["SEEN"], len(sys.argv), os.getpgrp() == os.getpid())
sys.exit(call["n"] % 5)
`, " x 1 True\nthe end 1\n"},
		"node": {`const fs = require("fs");
const call = JSON.parse(fs.readFileSync(0, "utf8"));
fs.seen = (fs.seen ?? 0) + 1;
process.on("exit", () => console.log("the end", fs.seen));
process.env.SEEN = (process.env.SEEN ?? "") + "x";
fs.appendFileSync("log", "x");
console.log(call.n, process.env.SEEN, process.argv.length);
process.exit(call.n % 5);
`, " x 2\nthe end 1\n"},
	} {
		t.Run(program, func(t *testing.T) {
			h := newWarmHook(t, need(t, program, "/usr/bin/"+program), "hook.js", script.text)
			h.heatTo(`{"n": 0}`)
			before := h.w.ran.Load()
			for i := range calls {
				h.call.Payload = []byte(`{"n": ` + strconv.Itoa(i) + `}`)
				reply, err := h.Run(context.Background(), h.call)
				want := strconv.Itoa(i) + script.each
				if err != nil || string(reply.Stdout) != want || len(reply.Stderr) > 0 || reply.Exit != i%5 {
					t.Fatalf("call %d: exit %d, %q, %q, %v; want %d and %q", i, reply.Exit, reply.Stdout, reply.Stderr, err, i%5, want)
				}
				if program == "node" { // used Node processes are replaced in the background
					h.w.starts.Wait()
				}
			}
			if ran := h.w.ran.Load() - before; ran < uint64(calls)*2/3 {
				t.Errorf("%d of %d calls were warm", ran, calls)
			}
		})
	}
}

// heatTo does the same as heat for calls with a payload.
func (h *warmHook) heatTo(payload string) {
	h.t.Helper()
	h.call.Payload = []byte(payload)
	h.heat()
}
