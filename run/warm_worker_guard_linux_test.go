package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// refusing is a worker that answers each call with ANSWER.
const refusing = `import json, sys
print('{"ready":{"concurrency":8}}', flush=True)
for line in sys.stdin:
    c = json.loads(line)
    if "cancel" in c: continue
    print(json.dumps({"id": c["id"], **ANSWER}), flush=True)
`

func TestAnAnswerInOtherWordsIsAFailure(t *testing.T) {
	for answer, want := range map[string]string{
		`{"decision": "block", "reason": "no"}`:     `the member "decision"`,
		`{"error": "the guard crashed", "code": 1}`: `the member "error"`,
		`{"exitCode": 2, "stderr": "no"}`:           `the member "exitCode"`,
		`{"Exit": 2}`:                               `the member "Exit"`,
		`{"exit": 0, "v": 1}`:                       "",
		`{"output": None}`:                          "",
		`{"output": None, "exit": 0, "stdout": ""}`: "",
		`{"output": {}, "stderr": "for the log"}`:   "",
		`{}`:                          `neither "exit" nor "output"`,
		`{"stderr": "no"}`:            `neither "exit" nor "output"`,
		`{"stdout": "{}"}`:            `neither "exit" nor "output"`,
		`{"exit": None}`:              `null as "exit"`,
		`{"exit": "2"}`:               `"2" as "exit"`,
		`{"exit": 2.0}`:               `2.0 as "exit"`,
		`{"exit": -2}`:                `-2 as "exit"`,
		`{"exit": 256}`:               `256 as "exit"`,
		`{"exit": True}`:              `true as "exit"`,
		`{"exit": 2, "stderr": None}`: `null as "stderr"`,
		`{"exit": 0, "stdout": None}`: `null as "stdout"`,
		`{"exit": 0, "stdout": {"decision": "block"}}`: "as \"stdout\"",
		`{"output": {}, "stdout": "no"}`:               `"output" beside`,
		`{"output": {}, "exit": 2}`:                    `"output" beside`,
		`{"output": None, "exit": 2}`:                  `"output" beside`,
		`{"output": "block"}`:                          `as "output"`,
		`{"output": False}`:                            `as "output"`,
		`{"output": [{"decision": "block"}]}`:          `as "output"`,
		`{"exit": 2, "v": 2}`:                          "the version 2",
	} {
		c, call := newWorker(t, "python3", "w.py", strings.ReplaceAll(refusing, "ANSWER", answer))
		for range 2 { // the worker also answers the second call
			reply, err := c.Run(t.Context(), call)
			if want == "" && err != nil || want != "" && (hook.ClassOf(err) != hook.ClassOutput || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: exit %d, error %v, want %q", answer, reply.Exit, err, want)
			}
		}
	}
}

// An answer with a repeated member, such as two exit statuses, is a failure.
func TestAWorkersMemberThatIsThereTwiceIsAFailure(t *testing.T) {
	text := strings.Replace(refusing, `{"id": c["id"], **ANSWER})`, `{"id": c["id"]})[:-1] + ', "exit": 2, "exit": 0}'`, 1)
	c, call := newWorker(t, "python3", "w.py", text)
	if reply, err := c.Run(t.Context(), call); hook.ClassOf(err) != hook.ClassOutput || !strings.Contains(err.Error(), `"exit" twice`) {
		t.Errorf("exit %d, error %v", reply.Exit, err)
	}
}

func FuzzWorkerAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","exit":2,"stdout":"","stderr":"no"}`, `{"id":"1","output":{}}`, `{"id":"1","output":null}`, `{"id":"1"}`,
		`{"id":"1","exit":null}`, `{"id":"1","exit":2,"exit":0}`, `{"ready":{}}`, `[]`, ``, `{"id":"1","exit":2}{`, "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, ok := readAnswer(line)
		if !ok {
			return
		}
		reply, err := a.reply()
		if err != nil && hook.ClassOf(err) != hook.ClassOutput {
			t.Errorf("%q: %v, want the class output", line, err)
		}
		if err == nil && a.exit == nil && a.output == nil {
			t.Errorf("%q: %+v without an exit status and an output", line, reply)
		}
	})
}

// A worker never starts cold: as an ordinary hook it would allow everything.
func TestAWorkerNeverStartsCold(t *testing.T) {
	ready := strings.ReplaceAll(refusing, "ANSWER", `{"exit": 2}`)
	for name, test := range map[string]struct {
		change func(c *Command, call *hook.Call)
		want   string
	}{
		"a shell has to run it": {func(c *Command, call *hook.Call) {
			c.Argv = []string{"/bin/sh", "-c", "cd . && " + c.Argv[0] + " w.py"}
			c.SetWarm(&Warm{}, WarmWorker, call.Dir)
		}, "not one plain call of a program"},
		"without a pool": {func(c *Command, call *hook.Call) {
			w := &Warm{}
			w.Close()
			c.SetWarm(w, WarmWorker, call.Dir)
		}, hook.ErrClosed.Error()},
		"an environment that bash would read in another way": {func(c *Command, call *hook.Call) {
			c.Direct, c.Environ = c.Argv, func(hook.Call) []string { return []string{"PATH=" + os.Getenv("PATH"), "/=x", "A=1", "A=2"} }
			c.Argv = []string{"/bin/sh", "-c", strings.Join(c.Argv, " ")}
			c.SetWarm(c.warm.Load().pool, WarmWorker, call.Dir)
		}, ""},
		"it may ask the user": {func(_ *Command, call *hook.Call) {
			call.Ask = func(context.Context, hook.Question) (string, bool) { return "", false }
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, call := newWorker(t, "python3", "w.py", ready)
			test.change(c, &call)
			reply, err := c.Run(t.Context(), call)
			if test.want == "" && (err != nil || reply.Exit != 2) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("exit %d, stdout %q, error %v, want %q", reply.Exit, reply.Stdout, err, test.want)
			}
		})
	}
}

// If there are more workers than the pool keeps, they take turns, and no call is lost.
func TestAWorkerThatMakesRoomLosesNoCall(t *testing.T) {
	w := &Warm{Log: quietLog, Limit: 2}
	t.Cleanup(w.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.py"), []byte(strings.ReplaceAll(refusing, "ANSWER", `{"exit": 2}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for i := range 5 {
		c := &Command{Argv: []string{need(t, "python3", "/usr/bin/python3"), "w.py", strconv.Itoa(i)}, Environ: func(hook.Call) []string { return nil }}
		if note := c.SetWarm(w, WarmWorker, dir); note != "" {
			t.Fatal(note)
		}
		call := hook.Call{Dir: dir, Hook: &hook.Hook{}, Payload: []byte("{}"), Timeout: 30 * time.Second}
		for range 2 {
			calls.Go(func() {
				for range 6 {
					if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 {
						t.Errorf("worker %d: exit %d, error %v", i, reply.Exit, err)
					}
				}
			})
		}
	}
	calls.Wait()
}

// A process that the worker has started, and that has left the worker's group, may hold the worker's output open: this
// does not delay the worker's end.
func TestADaemonOfAWorkerHoldsUpNothing(t *testing.T) {
	daemon := "import subprocess\nd = subprocess.Popen(['sleep', '300'], start_new_session=True)\nopen('daemon', 'w').write(str(d.pid))\n"
	for name, last := range map[string]string{
		"closed":            "",
		"ended by itself":   "    import os; os._exit(0)\n",
		"ended by an error": "    raise Exception()\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, call := newWorker(t, "python3", "w.py", daemon+strings.ReplaceAll(refusing, "ANSWER", `{"exit": 2}`)+last)
			t.Cleanup(func() {
				text, _ := os.ReadFile(filepath.Join(call.Dir, "daemon"))
				if pid, err := strconv.Atoi(string(text)); err == nil {
					p, _ := os.FindProcess(pid)
					_ = p.Kill()
				}
			})
			if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 {
				t.Fatalf("exit %d, error %v", reply.Exit, err)
			}
			if last != "" { // the engine notices the worker's end long before the time limit
				start := time.Now()
				_, err := c.Run(t.Context(), call)
				if errors.As(err, new(*hook.TimeoutError)) || time.Since(start) > 10*time.Second {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			}
			start := time.Now()
			c.warm.Load().pool.Close()
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("closing took %v", took)
			}
		})
	}
}
