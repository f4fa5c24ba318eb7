package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// warmHook is a command in a directory of its own, kept warm.
type warmHook struct {
	*Command
	t    *testing.T
	w    *Warm
	dir  string
	call hook.Call
}

func newWarmHook(t *testing.T, program, script, text string) *warmHook {
	t.Helper()
	dir := testkit.Dir(t)
	dir = filepath.Join(dir, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := &warmHook{t: t, w: &Warm{Log: quietLog}, dir: dir, call: hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "E"}}, Payload: []byte("{}"), Timeout: 20 * time.Second}}
	t.Cleanup(h.w.Close)
	h.write(script, text)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	h.Command = &Command{Argv: []string{program, script}, Environ: func(hook.Call) []string { return env }, Grace: 200 * time.Millisecond}
	if note := h.SetWarm(h.w, WarmAuto, dir); note != "" {
		t.Fatal(note)
	}
	return h
}

func (h *warmHook) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

// run runs a call and returns its output.
func (h *warmHook) run(env ...string) string {
	h.t.Helper()
	call := h.call
	call.Env = env
	reply, err := h.Run(context.Background(), call)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(reply.Stdout) + string(reply.Stderr)
}

// heat runs calls until two have been warm, and returns the output of the last.
func (h *warmHook) heat() (out string) {
	h.t.Helper()
	until := time.Now().Add(time.Minute)
	for before := h.w.ran.Load(); h.w.ran.Load() < before+2; {
		if out = h.run(); time.Now().After(until) {
			h.t.Fatal("no call has been warm for a minute")
		}
		h.w.starts.Wait()
	}
	return out
}

// warm runs a call that has to be warm.
func (h *warmHook) warm(env ...string) string {
	h.t.Helper()
	before := h.w.ran.Load()
	out := h.run(env...)
	if h.w.ran.Load() != before+1 {
		h.t.Fatal("the call started cold")
	}
	return out
}

// resident returns the process of the interpreter that forks.
func (h *warmHook) resident() *os.Process {
	h.t.Helper()
	if p := residentOf(h.w); p != nil {
		return p
	}
	h.t.Fatal("no interpreter is resident")
	return nil
}

func TestWhatChangesWhileWarmIsSeenByTheNextCall(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	for name, test := range map[string]struct {
		before, after map[string]string
		path          string // PYTHONPATH, relative to the directory
		cold          bool   // the next call starts cold
	}{
		"the script":                                            {map[string]string{"hook.py": "print('old')"}, map[string]string{"hook.py": "print('new')"}, "", false},
		"a module of the project":                               {map[string]string{"hook.py": "import m; print(m.x)", "m.py": "x = 'old'"}, map[string]string{"m.py": "x = 'newer'"}, "", false},
		"an installed package":                                  {map[string]string{"hook.py": "import inst; print(inst.x)", "../lib/site-packages/inst.py": "x = 'old'"}, map[string]string{"../lib/site-packages/inst.py": "x = 'newer'"}, "../lib/site-packages", true},
		"a module that hides one of the library":                {map[string]string{"hook.py": "import colorsys; print(getattr(colorsys, 'x', 'old'))"}, map[string]string{"colorsys.py": "x = 'new'"}, "", true},
		"a sitecustomize on PYTHONPATH":                         {map[string]string{"hook.py": "import sys; print(getattr(sys, 'x', 'old'))", "../lib/other.py": ""}, map[string]string{"../lib/sitecustomize.py": "import sys; sys.x = 'new'"}, "../lib", true},
		"one beside the script, which no start of Python loads": {map[string]string{"hook.py": "import sys; print(open('x').read().strip() + getattr(sys, 'x', ''))", "x": "old", "sitecustomize.py": "import sys; sys.x = 'loaded'"}, map[string]string{"x": "new"}, "", false},
		"a package that hides one":                              {map[string]string{"hook.py": "import colorsys; print(getattr(colorsys, 'x', 'old'))"}, map[string]string{"colorsys/__init__.py": "x = 'new'"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWarmHook(t, python, "hook.py", "")
			if test.path != "" {
				env := []string{"PATH=" + os.Getenv("PATH"), "PYTHONPATH=" + filepath.Join(h.dir, test.path)}
				h.Environ = func(hook.Call) []string { return env }
			}
			lay := func(files map[string]string) {
				for name, text := range files {
					os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o755)
					h.write(name, text+"\n")
				}
			}
			lay(test.before)
			if out := h.heat(); out != "old\n" {
				t.Fatalf("before the change %q", out)
			}
			lay(test.after)
			before := h.w.ran.Load()
			if out := h.run(); !strings.HasPrefix(out, "new") {
				t.Errorf("after the change %q", out)
			}
			if cold := h.w.ran.Load() == before; cold != test.cold {
				t.Errorf("the call after the change was cold %v, want %v", cold, test.cold)
			}
			if out := h.heat(); !strings.HasPrefix(out, "new") {
				t.Errorf("later %q", out)
			}
		})
	}
}

func TestNothingStaysFromOneCallToTheNext(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os\nprint(open('/proc/self/environ').read(), sorted(os.environ), os.environ.get('SECRET'))\n")
	h.heat()
	if out := h.warm("SECRET=hunter2"); !strings.Contains(out, "hunter2") {
		t.Errorf("the call does not see its own variable: %s", out)
	}
	if out := h.warm(); strings.Contains(out, "hunter2") || strings.Contains(out, "SECRET'") || strings.Contains(out, "SNAPHOOK_WARM'") {
		t.Errorf("the next call sees %s", out)
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(h.resident().Pid) + "/environ")
	if err != nil || bytes.Contains(environ, []byte("hunter2")) {
		t.Errorf("the interpreter's environment (%v) is %q", err, environ)
	}
}

func TestAVariableThatInterpretersReadStartsCold(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import sys\nprint(sys.flags.optimize)\n")
	h.heat()
	before := h.w.ran.Load()
	if out := h.run("PYTHONOPTIMIZE=2"); out != "2\n" || h.w.ran.Load() != before {
		t.Errorf("got %q, %d calls were warm", out, h.w.ran.Load()-before)
	}
}

func TestTheInterpreterDiesBetweenCalls(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "print('here')\n")
	h.heat()
	_ = h.resident().Kill()
	for range 3 {
		if out := h.run(); out != "here\n" {
			t.Errorf("a call after its death: %q", out)
		}
	}
	if out := h.heat(); out != "here\n" {
		t.Errorf("warm again: %q", out)
	}
}

// An idle interpreter forks the child of the next call. If this child dies, the call still runs. A call runs the text
// that the script has when the call comes.
func TestTheChildOfTheNextCall(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os\nprint(os.getpid())\n")
	h.heat()
	pid := awaitNextChild(t, h.w)
	if out := h.warm(); out != strconv.Itoa(pid)+"\n" {
		t.Errorf("the call ran in process %q, want %d, which was ready", out, pid)
	}
	dead := awaitNextChild(t, h.w)
	if err := syscall.Kill(dead, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if out := h.run(); out == "" || out == strconv.Itoa(dead)+"\n" {
		t.Errorf("after its death: %q", out)
	}
	h.heat()
	awaitNextChild(t, h.w)
	h.write("hook.py", "print('changed')\n")
	if out := h.run(); out != "changed\n" {
		t.Errorf("after a change of the script: %q", out)
	}
	h.heat()
	pid = awaitNextChild(t, h.w)
	_ = h.resident().Kill()
	testkit.WaitForEnd(t, pid, 10*time.Second)
}

func TestTheInterpreterDiesDuringACall(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os, sys, time\nif os.path.exists('slow'):\n    open('began-' + str(os.getpid()), 'w').close()\n    time.sleep(30)\nprint('here')\n")
	h.heat()
	h.write("slow", "")
	replies := make(chan hook.Reply, 1)
	go func() {
		reply, _ := h.Run(context.Background(), h.call)
		replies <- reply
	}()
	pid := waitForFile(t, h.dir, "began-")
	_ = h.resident().Kill()
	if reply := <-replies; reply.Signal != syscall.SIGKILL || reply.Exit != -1 {
		t.Errorf("the call ended with %d, %v; want it killed", reply.Exit, reply.Signal)
	}
	testkit.WaitForEnd(t, pid, 10*time.Second)
	os.Remove(filepath.Join(h.dir, "slow"))
	if out := h.run(); out != "here\n" {
		t.Errorf("the next call: %q", out)
	}
	if files, _ := filepath.Glob(filepath.Join(h.dir, "began-*")); len(files) != 1 {
		t.Errorf("the call ran %d times", len(files))
	}
}

// A call that a hung interpreter does not begin starts cold, and only once.
func TestTheInterpreterHangs(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "with open('ran', 'a') as f:\n    f.write('x')\n")
	h.heat()
	os.Remove(filepath.Join(h.dir, "ran"))
	p := h.resident()
	_ = p.Signal(syscall.SIGSTOP)
	h.run()
	_ = p.Signal(syscall.SIGCONT)
	h.run()
	if ran, _ := os.ReadFile(filepath.Join(h.dir, "ran")); len(ran) != 2 {
		t.Errorf("2 calls ran %d times", len(ran))
	}
	h.heat()
}

// The host can take back a start that the process has not read; the process then never begins. It cannot take back a
// start that the process has read.
func TestAStartIsTakenBackUnlessItWasSeen(t *testing.T) {
	for _, seen := range []bool{false, true} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		process, err := unix.FcntlInt(uintptr(p[0]), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(process)
		line := startLine{r: p[0], w: p[1]}
		line.start()
		one := make([]byte, 1)
		if seen {
			if n, err := unix.Read(process, one); n != 1 {
				t.Fatal(n, err)
			}
		}
		if back := line.takeBack(); back == seen {
			t.Errorf("seen by the process %v, taken back %v", seen, back)
		}
		line.close()
		if n, err := unix.Read(process, one); n != 0 {
			t.Errorf("seen before %v: the process reads %d bytes, %v, when the host has given up; want the end", seen, n, err)
		}
	}
}

func TestAWarmCallThatIgnoresItsEndIsKilled(t *testing.T) {
	for _, test := range []struct{ program, script, text string }{
		{"python3", "hook.py", "import os, signal, subprocess, time\nif os.path.exists('slow'):\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    subprocess.Popen(['sleep', '30'])\n    open('began-' + str(os.getpid()), 'w').close()\n    time.sleep(30)\n"},
		{"node", "hook.js", "const fs = require('fs');\nif (fs.existsSync('slow')) {\n  process.on('SIGTERM', () => {});\n  require('child_process').spawn('sleep', ['30']);\n  fs.writeFileSync('began-' + process.pid, '');\n  setTimeout(() => {}, 30000);\n}\n"},
	} {
		t.Run(test.program, func(t *testing.T) {
			h := newWarmHook(t, need(t, test.program, "/usr/bin/"+test.program), test.script, test.text)
			warm := false
			for tries := 0; !warm && tries < 5; tries++ { // on a busy machine a process may not be ready
				h.heat()
				h.write("slow", "")
				call := h.call
				call.Timeout = 2 * time.Second
				before := h.w.ran.Load()
				_, err := h.Run(context.Background(), call)
				var late *hook.TimeoutError
				if !errors.As(err, &late) || late.After != call.Timeout {
					t.Errorf("err %v, want a timeout", err)
				}
				warm = h.w.ran.Load() == before+1
				pid := waitForFile(t, h.dir, "began-")
				testkit.WaitForEnd(t, pid, 10*time.Second)
				for _, left := range inGroup(pid) {
					testkit.WaitForEnd(t, left, 10*time.Second)
				}
				os.Remove(filepath.Join(h.dir, "slow"))
				os.Remove(filepath.Join(h.dir, "began-"+strconv.Itoa(pid)))
			}
			if !warm {
				t.Error("no call was warm")
			}
			h.heat()
		})
	}
}

func TestADirectoryThatIsGone(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "print('here')\n")
	h.heat()
	os.RemoveAll(h.dir)
	if _, err := h.Run(context.Background(), h.call); err == nil || !strings.Contains(err.Error(), h.dir) {
		t.Errorf("err %v, want what a cold start says", err)
	}
}

func TestManyWarmCallsAtOnce(t *testing.T) {
	h := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import sys\nprint(sys.stdin.read())\n")
	h.heat()
	places := make(chan struct{}, 16)
	var wg sync.WaitGroup
	most := 0
	for i := range 200 {
		places <- struct{}{}
		most = max(most, descriptors(t))
		wg.Go(func() {
			defer func() { <-places }()
			call := h.call
			call.Payload = []byte(strconv.Itoa(i))
			if reply, err := h.Run(context.Background(), call); err != nil || string(reply.Stdout) != strconv.Itoa(i)+"\n" {
				t.Errorf("call %d: %q, %v", i, reply.Stdout, err)
			}
		})
	}
	wg.Wait()
	if limit := 6*cap(places) + 24; most > limit { // six descriptors for each call, four once its process runs
		t.Errorf("%d descriptors at most, want %d", most, limit)
	}
}

// The first call uses the process that Prewarm has started.
func TestPrewarm(t *testing.T) {
	for kind, program := range map[string]string{WarmPython: need(t, "python3", "/usr/bin/python3"), WarmNode: need(t, "node", "/usr/bin/node")} {
		t.Run(kind, func(t *testing.T) {
			h := newWarmHook(t, program, "hook.js", "print(1)\n")
			if kind == WarmNode {
				h.write("hook.js", "console.log(1)\n")
			}
			call := h.call
			call.Hook = &hook.Hook{Identity: hook.Identity{Event: "E"}, Runner: h.Command}
			h.w.Prewarm(call)
			h.w.starts.Wait()
			if out := h.warm(); out != "1\n" {
				t.Errorf("the first call printed %q", out)
			}
		})
	}
}

// A limit that is set while hooks are warm counts at once.
func TestSetLimit(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	h := newWarmHook(t, python, "hook.py", "print('here')\n")
	h.heat()
	other := &Command{Argv: h.Argv, Environ: h.Environ}
	other.SetWarm(h.w, WarmPython, h.dir)
	other.Run(context.Background(), h.call)
	h.w.starts.Wait()
	h.w.SetLimit(1)
	h.w.closes.Wait()
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	if len(h.w.kept) != 1 {
		t.Errorf("%d commands are kept, want 1", len(h.w.kept))
	}
}

func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	h := newWarmHook(t, python, "hook.py", "print('here')\n")
	h.w.Limit = 1
	h.heat()
	first := h.resident().Pid
	other := &Command{Argv: h.Argv, Environ: h.Environ}
	other.SetWarm(h.w, WarmPython, h.dir)
	if _, err := other.Run(context.Background(), h.call); err != nil {
		t.Fatal(err)
	}
	h.w.starts.Wait()
	h.w.closes.Wait()
	testkit.WaitForEnd(t, first, 10*time.Second)
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	if len(h.w.kept) != 1 {
		t.Errorf("%d commands are kept, want 1", len(h.w.kept))
	}
}

// After a host is killed none of its processes runs: neither the interpreter nor a waiting process, a running call or
// the processes that the call has started.
func TestNothingOutlivesAHostThatIsKilled(t *testing.T) {
	if dir := os.Getenv("SNAPHOOK_TEST_WARM_HOST"); dir != "" {
		warmHost(t, dir)
		return
	}
	need(t, "python3", "/usr/bin/python3")
	need(t, "node", "/usr/bin/node")
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) { testNothingOutlives(t, signal) })
	}
}

func testNothingOutlives(t *testing.T, signal syscall.Signal) {
	dir := t.TempDir()
	host := exec.Command(os.Args[0], "-test.run", "^TestNothingOutlivesAHostThatIsKilled$")
	host.Env = append(os.Environ(), "SNAPHOOK_TEST_WARM_HOST="+dir)
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "warm" {
	}
	family := descendants(host.Process.Pid)
	if len(family) < 7 {
		t.Errorf("the host has %d descendants, want an interpreter, its call, a process of Node, a child of each, and more that wait", len(family))
	}
	_ = host.Process.Signal(signal)
	_ = host.Wait() // on SIGQUIT a Go program first prints its goroutines
	until := time.Now().Add(2 * time.Second)
	for _, pid := range family {
		testkit.WaitForEnd(t, pid, time.Until(until))
	}
}

// warmHost runs warm hooks, as a program with the engine does, until it is killed.
func warmHost(t *testing.T, dir string) {
	py := newWarmHook(t, need(t, "python3", "/usr/bin/python3"), "hook.py", "import os, subprocess, time\nif os.path.exists('slow'):\n    subprocess.Popen(['sleep', '30'])\n    open('began-' + str(os.getpid()), 'w').close()\n    time.sleep(30)\n")
	js := newWarmHook(t, need(t, "node", "/usr/bin/node"), "hook.js", "const fs = require('fs');\nif (fs.existsSync('slow')) {\n  require('child_process').spawn('sleep', ['30']);\n  fs.writeFileSync('began-' + process.pid, '');\n  setTimeout(() => {}, 30000);\n}\n")
	for _, h := range []*warmHook{py, js} {
		h.heat()
		h.write("slow", "")
		go h.Run(context.Background(), h.call)
		call := waitForFile(t, h.dir, "began-")
		testkit.Eventually(t, "what the call has started is watched", func() bool { return watched(h.w, call) })
	}
	os.Stdout.WriteString("\nwarm\n")
	select {}
}

// watched reports whether the group of a call is killed with its host: by the interpreter that has forked the call, or
// by a guardian, which watches a cold call only after guardAfter.
func watched(w *Warm, call int) bool {
	for _, g := range []*guardian{&w.guard, &commands} {
		g.mu.Lock()
		_, listed := g.groups[call]
		g.mu.Unlock()
		if listed {
			return true
		}
	}
	p := pythonOf(w)
	return p != nil && slices.Contains(descendants(p.proc.Pid), call)
}

// waitForFile waits for a file whose name begins with the prefix, and returns the process id in the
// name.
func waitForFile(t *testing.T, dir, prefix string) (pid int) {
	t.Helper()
	testkit.Eventually(t, "the script has begun", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
		if len(files) > 0 {
			pid, _ = strconv.Atoi(strings.TrimPrefix(filepath.Base(files[0]), prefix))
		}
		return len(files) > 0
	})
	return pid
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && len(rest) > 0 && rest[0] != 'Z'
}

// inGroup returns the processes of a process group.
func inGroup(group int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if g, _ := syscall.Getpgid(pid); err == nil && g == group && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func descendants(pid int) (family []int) {
	for _, child := range offspring(pid) {
		family = append(append(family, child), descendants(child)...)
	}
	return family
}
