//go:build !race

package bench

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// The constants are the scripts that run cold and warm; workerGuard runs only warm.
const (
	pythonGuard = `import json, pathlib, re, sys
call = json.load(sys.stdin)
if re.search(r"\brm\b", call["tool_input"]["command"]) and pathlib.Path("/etc").is_dir():
    print("no", file=sys.stderr)
    sys.exit(2)
`
	nodeGuard = `const call = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (/\brm\b/.test(call.tool_input.command)) { process.stderr.write("no\n"); process.exitCode = 2; }
`
	moduleGuard = `import fs from "node:fs";
const call = JSON.parse(fs.readFileSync(0, "utf8"));
if (/\brm\b/.test(call.tool_input.command)) { process.stderr.write("no\n"); process.exitCode = 2; }
`
	workerGuard = `import json, sys
sys.stdout.write('{"ready":{"concurrency":8}}\n')
sys.stdout.flush()
for line in sys.stdin:
    if '"payload"' in line:
        sys.stdout.write('{"id":"%s","exit":2,"stderr":"no"}\n' % json.loads(line)["id"])
        sys.stdout.flush()
`
)

// warmPair is a command that starts cold and the same command kept warm.
type warmPair struct {
	t          *testing.T
	cold, warm *run.Command
	pool       *run.Warm
	call       hook.Call
	exit       int
}

func newWarmPair(t *testing.T, kind, program, text string, exit int) *warmPair {
	t.Helper()
	path, err := exec.LookPath(program)
	if system := "/usr/bin/" + program; err != nil || fileExists(system) {
		path = system
	}
	if !fileExists(path) {
		t.Skipf("%s is not installed", program)
	}
	dir := t.TempDir()
	name := "guard.cjs"
	if text == moduleGuard {
		name = "guard.mjs"
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	argv := []string{path, name}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "SHELL=/bin/bash", "PWD=" + dir}
	environ := func(hook.Call) []string { return env }
	p := &warmPair{
		t: t, cold: &run.Command{Argv: argv, Environ: environ}, warm: &run.Command{Argv: argv, Environ: environ}, exit: exit,
		pool: &run.Warm{Log: slog.New(slog.DiscardHandler)},
		call: hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"rm x"}}` + "\n")},
	}
	t.Cleanup(p.pool.Close)
	if note := p.warm.SetWarm(p.pool, kind, dir); note != "" {
		t.Fatal(note)
	}
	p.call.Hook.Runner = p.warm
	p.pool.Prewarm(p.call)
	if kind == run.WarmWorker { // a worker has no cold start
		p.time(p.warm, 10)
		return p
	}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); { // ends when calls are warm
		if took := p.time(p.warm, 1); took*2 < p.time(p.cold, 1) {
			break
		}
	}
	return p
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// time makes calls one after the other, and returns the time that all of them took.
func (p *warmPair) time(c *run.Command, times int) time.Duration {
	start := time.Now()
	for range times {
		if reply, err := c.Run(context.Background(), p.call); err != nil || reply.Exit != p.exit {
			p.t.Fatalf("exit %d, stderr %q, err %v", reply.Exit, reply.Stderr, err)
		}
	}
	return time.Since(start)
}

// many makes calls on the given number of goroutines at the same time, and returns the time that all of them took.
func (p *warmPair) many(c *run.Command, calls, goroutines int) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range calls / goroutines {
				if reply, err := c.Run(context.Background(), p.call); err != nil || reply.Exit != p.exit {
					p.t.Errorf("exit %d, stderr %q, err %v", reply.Exit, reply.Stderr, err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// ratio checks the time of a warm call against a cold call. The goal holds for an idle machine;
// the gate fails only above three times the goal.
func (p *warmPair) ratio(what string, most float64, pairs, times int, each func(c *run.Command) time.Duration) {
	g := compared(place{"warm", what + ", ratio to cold"}, most, pairs, times,
		func() time.Duration { return each(p.warm) }, func() time.Duration { return each(p.cold) })
	g.margin = 2
	g.test(p.t)
}

// Module warm has the same test for scripts of bash that run in this process.
func TestWarmHooksAreFast(t *testing.T) {
	testkit.Timed(t)
	for name, test := range map[string]struct {
		kind, program, text string
		exit                int
		most, parallel      float64
	}{
		"python guard with json, re, pathlib": {run.WarmPython, "python3", pythonGuard, 2, 0.20, 0.25},
		"node guard":                          {run.WarmNode, "node", nodeGuard, 2, 0.35, 0},
		"node guard, a module":                {run.WarmNode, "node", moduleGuard, 2, 0.35, 0},
		"worker in Python":                    {run.WarmWorker, "python3", workerGuard, 2, 0.02, 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWarmPair(t, test.kind, test.program, test.text, test.exit)
			if test.kind == run.WarmWorker { // a worker is compared with a guard that starts cold
				if err := os.WriteFile(filepath.Join(p.call.Dir, "cold.py"), []byte(pythonGuard), 0o755); err != nil {
					t.Fatal(err)
				}
				p.cold.Argv = []string{p.cold.Argv[0], "cold.py"}
			}
			p.ratio(name, test.most, 20, 1, func(c *run.Command) time.Duration { return p.time(c, 1) })
			if test.parallel > 0 {
				p.ratio(name+", 8 at once", test.parallel, 5, 8, func(c *run.Command) time.Duration { return p.many(c, 8, 8) })
				p.ratio(name+", 4 in turn", test.parallel, 5, 4, func(c *run.Command) time.Duration { return p.time(c, 4) })
			}
			if test.kind == run.WarmPython {
				p.ratio(name+", 200 by 16", 0.25, 1, 200, func(c *run.Command) time.Duration { return p.many(c, 200, 16) })
			}
			waits := waiting(t)
			place{"warm", name + ", memory of what waits (PSS)"}.note(fmt.Sprintf("%.1f MB in %d processes", waits.megabytes, waits.processes))
		})
	}
}

// A package that is slow to import costs little once the interpreter has imported it.
func TestAWarmHookWithAPackage(t *testing.T) {
	testkit.Timed(t)
	for _, name := range []string{"requests", "yaml"} {
		t.Run(name, func(t *testing.T) {
			p := newWarmPair(t, run.WarmPython, pythonWith(t, name), "import "+name+"\n"+pythonGuard, 2)
			p.ratio("python guard with "+name, 0.05, 40, 1, func(c *run.Command) time.Duration { return p.time(c, 1) })
		})
	}
}

// pythonWith returns the path of an interpreter that has a package: the system's, or else the python3 of PATH. It skips
// the test if neither interpreter has the package.
func pythonWith(t *testing.T, name string) string {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.CommandContext(t.Context(), python, "-c", "import "+name+", sys; print(sys.executable)").Output()
		if err == nil {
			return strings.TrimSpace(string(path))
		}
	}
	t.Skipf("the package %s is not installed", name)
	return ""
}

func TestAWorkerCallAllocatesLittle(t *testing.T) {
	p := newWarmPair(t, run.WarmWorker, "python3", workerGuard, 2)
	allocations(place{"warm", "worker"}, 25, func() { p.time(p.warm, 1) }).test(t)
}

// A call of a worker takes at most about four times as long as the bare round trip: a line to the same program and its
// answer, over two pipes. The promise of 40 µs is for a machine on which the round trip takes 10 to 16 µs; the ratio is
// valid on any machine, and smaller on a busy one.
func TestAWorkerCallIsARoundTrip(t *testing.T) {
	testkit.Timed(t)
	const calls = 200
	p := newWarmPair(t, run.WarmWorker, "python3", workerGuard, 2)
	trip := bareTrips(t, p)
	g := compared(place{"warm", "worker in Python, ratio to a bare round trip"}, 4, 9, calls,
		func() time.Duration { return p.time(p.warm, calls) }, func() time.Duration { return timed(func() { trip(calls) })() })
	g.margin = 1
	g.test(t)
}

// bareTrips starts the worker of a pair and returns a function that makes the given number of
// round trips to it.
func bareTrips(t *testing.T, p *warmPair) func(times int) {
	t.Helper()
	worker := exec.Command(p.warm.Argv[0], p.warm.Argv[1:]...)
	worker.Dir = p.call.Dir
	in, err := worker.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = worker.Wait() })
	lines := bufio.NewReader(out)
	if _, err := lines.ReadSlice('\n'); err != nil { // the worker is ready
		t.Fatal(err)
	}
	line := []byte(`{"v":1,"id":"1","event":"PreToolUse","cwd":"` + p.call.Dir + `","payload":` + strings.TrimSpace(string(p.call.Payload)) + "}\n")
	return func(times int) {
		for range times {
			if _, err := in.Write(line); err != nil {
				t.Fatal(err)
			}
			if answer, err := lines.ReadSlice('\n'); err != nil || !strings.Contains(string(answer), `"exit":2`) {
				t.Fatalf("%q, %v", answer, err)
			}
		}
	}
}

// memory holds the memory and the number of the processes that this process has started.
type memory struct {
	megabytes float64
	processes int
}

// waiting adds up the memory of the processes that this process has started. Shared pages are
// counted once.
func waiting(t *testing.T) (m memory) {
	t.Helper()
	m.add(strconv.Itoa(os.Getpid()))
	return m
}

// add adds the memory of the children of a process, recursively.
func (m *memory) add(parent string) {
	files, _ := filepath.Glob("/proc/" + parent + "/task/*/children")
	for _, file := range files {
		list, _ := os.ReadFile(file)
		for pid := range strings.FieldsSeq(string(list)) {
			rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
			for line := range strings.SplitSeq(string(rollup), "\n") {
				if kib, ok := strings.CutPrefix(line, "Pss:"); ok {
					n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(kib), " kB"))
					m.megabytes += float64(n) / 1024
					m.processes++
				}
			}
			m.add(pid)
		}
	}
}
