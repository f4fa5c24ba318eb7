package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// newWorker returns a command that is kept warm as a worker, and a call of it. The text of the worker may import the
// modules in examples/workers.
func newWorker(t *testing.T, program, script, text string) (*Command, hook.Call) {
	t.Helper()
	dir := t.TempDir()
	examples, err := filepath.Abs("../examples/workers")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, script), []byte(strings.ReplaceAll(text, "EXAMPLES", examples)), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "PYTHONPATH=" + examples, "PYTHONDONTWRITEBYTECODE=1"}
	c := &Command{Argv: []string{need(t, program, "/usr/bin/"+program), script}, Environ: func(hook.Call) []string { return env }}
	w := &Warm{Log: quietLog}
	t.Cleanup(w.Close)
	if note := c.SetWarm(w, WarmWorker, dir); note != "" {
		t.Fatal(note)
	}
	return c, hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte("{\"tool_input\":\n{\"command\":\"rm /etc/x\"}}\n"), Timeout: 20 * time.Second}
}

// byHand is a worker that implements the protocol without a library: the member "do" of the payload selects its action.
const byHand = `import json, os, sys, time
print('{"ready":{"concurrency":8}}', flush=True)
for line in sys.stdin:
    c = json.loads(line)
    if "cancel" in c:
        continue
    a = c["payload"].get("do", "")
    if a == "die": os._exit(3)
    if a == "hang": continue
    if a == "garbage": print("this is not an answer", flush=True); continue
    if a == "stranger": print('{"id":"77"}', flush=True); continue
    if a == "long": print("x" * (80 << 20), flush=True); continue
    if a == "eat": sys.eaten = getattr(sys, "eaten", []) + [bytearray(600 << 20)]
    print(json.dumps({"id": c["id"], "exit": 2, "stdout": str(os.getpid()), "stderr": json.dumps(c)}), flush=True)
`

func TestWorkersOfTheExamples(t *testing.T) {
	for _, test := range []struct{ name, program, script, text string }{
		{"a main function in Python", "python3", "w.py", "import json, sys\nfrom snaphook_worker import serve\ndef main():\n    c = json.load(sys.stdin)\n    print('out')\n    print('refused', c['tool_input']['command'], file=sys.stderr)\n    sys.exit(2)\nserve(main)\n"},
		{"a handler in Node", "node", "w.mjs", "import { serve, refuse } from 'EXAMPLES/snaphook_worker.mjs';\nserve(async p => { throw refuse('refused ' + p.tool_input.command); }, { concurrency: 4 });\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, call := newWorker(t, test.program, test.script, test.text)
			for range 3 {
				reply, err := c.Run(t.Context(), call)
				if err != nil || reply.Exit != 2 || strings.TrimSpace(string(reply.Stderr)) != "refused rm /etc/x" {
					t.Fatalf("exit %d, stderr %q, err %v", reply.Exit, reply.Stderr, err)
				}
			}
		})
	}
}

func TestAWorkerMayAnswerWithAnObject(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", "from snaphook_worker import handle\nhandle(lambda p: {'decision': 'block', 'reason': p['tool_input']['command']}, threads=4)\n")
	reply, err := c.Run(t.Context(), call)
	if err != nil || reply.Exit != 0 || !strings.Contains(string(reply.Stdout), `"reason": "rm /etc/x"`) {
		t.Errorf("exit %d, stdout %q, err %v", reply.Exit, reply.Stdout, err)
	}
}

func TestAWorkerAnswersManyCallsInOneProcess(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", byHand)
	call.Env = []string{"CALL=one"}
	pids := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			reply, err := c.Run(t.Context(), call)
			if err != nil || reply.Exit != 2 || !strings.Contains(string(reply.Stderr), `"env": {"CALL": "one"}`) || !strings.Contains(string(reply.Stderr), `"event": "PreToolUse"`) {
				t.Errorf("exit %d, stderr %q, err %v", reply.Exit, reply.Stderr, err)
			}
			mu.Lock()
			pids[string(reply.Stdout)] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(pids) != 1 {
		t.Errorf("%d processes answered, want 1", len(pids))
	}
}

// If a worker fails, its calls fail with a reason, and the worker starts again.
func TestAWorkerThatFailsStartsAgain(t *testing.T) {
	for name, reason := range map[string]string{
		"die":      "ended before it answered",
		"garbage":  `not an answer: "this is not an answer`,
		"stranger": `answered "77", which is not the id of a waiting call`,
		"long":     "a line of more than",
	} {
		t.Run(name, func(t *testing.T) {
			c, call := newWorker(t, "python3", "w.py", byHand)
			bad := call
			bad.Timeout = 2 * time.Minute // "long" writes more bytes than fit in a line, on a machine that may be busy
			bad.Payload = []byte(`{"do":"` + name + `"}`)
			if reply, err := c.Run(t.Context(), bad); err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("exit %d, err %v; want an error with %q", reply.Exit, err, reason)
			}
			again(t, c, call)
		})
	}
}

// again runs calls until the worker is up again.
func again(t *testing.T, c *Command, call hook.Call) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); ; {
		reply, err := c.Run(t.Context(), call)
		if err == nil && reply.Exit == 2 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("exit %d, err %v; want the worker up again", reply.Exit, err)
		}
	}
}

func TestACallThatAWorkerDoesNotAnswerTimesOut(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", byHand)
	if _, err := c.Run(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	hang := call
	hang.Payload, hang.Timeout = []byte(`{"do":"hang"}`), 50*time.Millisecond
	_, err := c.Run(t.Context(), hang)
	var late *hook.TimeoutError
	if !errors.As(err, &late) || late.After != hang.Timeout {
		t.Errorf("err %v, want a timeout", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(hook.ErrNotNeeded)
	if _, err := c.Run(ctx, call); !errors.Is(err, hook.ErrNotNeeded) {
		t.Errorf("err %v, want the reason why the context ended", err)
	}
	if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 {
		t.Errorf("the next call: exit %d, err %v", reply.Exit, err)
	}
}

// inTurn is a worker that takes one call after the other, and hangs in a call whose payload says so.
const inTurn = `import json, os, sys, time
print('{"ready":{"concurrency":1}}', flush=True)
for line in sys.stdin:
    c = json.loads(line)
    if "cancel" in c: continue
    if c["payload"].get("do") == "hang": time.sleep(600)
    print(json.dumps({"id": c["id"], "exit": 2, "stdout": str(os.getpid())}), flush=True)
`

// The calls after a call that hangs are answered within their time limit, which is shorter than the time in which a
// worker has to answer a cancelled call.
func TestACallThatHangsMakesNoOtherCallLate(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", inTurn)
	first, err := c.Run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	hang := call
	hang.Payload, hang.Timeout = []byte(`{"do":"hang"}`), 50*time.Millisecond
	call.Timeout = workerGrace - time.Second
	var all sync.WaitGroup
	for range 3 { // the other calls begin before and after the timeout of a call that hangs
		all.Go(func() {
			var late *hook.TimeoutError
			if _, err := c.Run(t.Context(), hang); !errors.As(err, &late) {
				t.Errorf("the call that hangs: %v, want a timeout", err)
			}
			if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 || string(reply.Stdout) == string(first.Stdout) {
				t.Errorf("the next call: exit %d from process %s, %v", reply.Exit, reply.Stdout, err)
			}
		})
	}
	all.Wait()
}

// A process that is replaced while it has calls answers them before it ends.
func TestAReplacedWorkerAnswersItsCalls(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", strings.Replace(byHand, `if a == "hang": continue`,
		`if a == "wait": open("waits", "w").write("x"); open("go").readline()`, 1))
	waits, release := testkit.Pipe(t, call.Dir, "waits"), testkit.Pipe(t, call.Dir, "go")
	waiting := call
	waiting.Payload = []byte(`{"do":"wait"}`)
	answered := make(chan hook.Reply, 1)
	go func() {
		reply, err := c.Run(context.Background(), waiting)
		if err != nil {
			t.Error("the call of the replaced process:", err)
		}
		answered <- reply
	}()
	if _, err := waits.Read(make([]byte, 1)); err != nil {
		t.Fatal("the worker has not got its call: ", err)
	}
	base, _ := c.job(call).process(c, WarmWorker)
	k := c.warm.Load().pool.slot(warmKey{c, call.Dir, environKey(base.env)}).now(func() keeper { return nil }).(*worker)
	k.mu.Lock()
	k.live.replace()
	k.mu.Unlock()
	after, err := c.Run(t.Context(), call)
	if err != nil {
		t.Error("the next call:", err)
	}
	if _, err := release.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if first := <-answered; first.Exit != 2 || string(first.Stdout) == string(after.Stdout) {
		t.Errorf("exit %d from process %s, and the next call from %s; want two processes", first.Exit, first.Stdout, after.Stdout)
	}
}

func TestAProgramThatIsNoWorker(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", "print('hello')\n")
	if _, err := c.Run(t.Context(), call); err == nil || !strings.Contains(err.Error(), "not an answer") {
		t.Errorf("err %v, want one that says what it printed", err)
	}
	c, call = newWorker(t, "python3", "w.py", "import time\ntime.sleep(30)\n")
	call.Timeout = 100 * time.Millisecond
	var late *hook.TimeoutError
	if _, err := c.Run(t.Context(), call); !errors.As(err, &late) {
		t.Errorf("err %v, want a timeout", err)
	}
}

func TestAWorkerThatHoldsTooMuchMemoryIsReplaced(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", byHand)
	first, err := c.Run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	eat := call
	eat.Payload = []byte(`{"do":"eat"}`)
	if _, err := c.Run(t.Context(), eat); err != nil {
		t.Fatal(err)
	}
	last := first
	for range 130 {
		if last, err = c.Run(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if string(first.Stdout) == string(last.Stdout) {
		t.Errorf("process %s still answers", last.Stdout)
	}
}

func TestAWorkerCallAllocatesLittle(t *testing.T) {
	c, call := newWorker(t, "python3", "w.py", byHand)
	call.Timeout = 0
	if n := testing.AllocsPerRun(200, func() { _, _ = c.Run(context.Background(), call) }); n > 25 {
		t.Errorf("%v allocations, want at most 25", n)
	}
}
