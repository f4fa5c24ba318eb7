package schemas_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// wiretap runs between the engine and a worker, and records their lines.
const wiretap = `import os, subprocess, sys, threading
worker = subprocess.Popen([sys.executable, "worker.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
log = open("lines", "ab", buffering=0)
def back():
    for line in worker.stdout:
        log.write(line)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
threading.Thread(target=back, daemon=True).start()
for line in sys.stdin.buffer:
    log.write(line)
    worker.stdin.write(line)
    worker.stdin.flush()
worker.stdin.close()
worker.wait()
`

// Every line that the engine and the libraries of examples/workers exchange conforms to the schema. The test exchanges
// every form of line.
func TestTheLinesOfWorkersAreOfTheSchema(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("workers are kept on Linux, and this one is in Python")
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "..", "..", "docs", "worker.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	library, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "examples", "workers"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for name, worker := range map[string]string{
		"a main function": "import sys\nfrom snaphook_worker import serve\ndef main():\n    print(sys.stdin.read())\n    sys.exit(2)\nserve(main)\n",
		"a handler":       "import time\nfrom snaphook_worker import handle\ndef check(payload):\n    if payload.get('slow'):\n        time.sleep(60)\n    return {'decision': 'block'}\nhandle(check, threads=2)\n",
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"tap.py": wiretap, "worker.py": worker} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PYTHONPATH=" + library, "PYTHONDONTWRITEBYTECODE=1"}
		c := &run.Command{Argv: []string{python, "tap.py"}, Environ: func(hook.Call) []string { return env }}
		pool := &run.Warm{Log: slog.New(slog.DiscardHandler)}
		if note := c.SetWarm(pool, run.WarmWorker, dir); note != "" {
			t.Fatal(note)
		}
		call := hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte("{\"tool_name\": \"Bash\"}\n"), Timeout: 20 * time.Second}
		if _, err := c.Run(t.Context(), call); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "a handler" { // the worker's answer comes after the call has ended
			call.Payload = []byte("{\"slow\": true}\n")
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			if _, err := c.Run(ctx, call); err == nil {
				t.Error("a call without an answer has succeeded")
			}
			cancel()
			call.Payload = []byte("{}\n")
			if _, err := c.Run(t.Context(), call); err != nil {
				t.Errorf("after it: %v", err)
			}
			testkit.Eventually(t, "the worker has read the cancel, perhaps after the call that follows", func() bool {
				text, _ := os.ReadFile(filepath.Join(dir, "lines"))
				return bytes.Contains(text, []byte(`{"cancel":`))
			})
		}
		pool.Close()
		text, err := os.ReadFile(filepath.Join(dir, "lines"))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, text...)
	}
	for line := range bytes.Lines(lines) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%.200q: %v", line, err)
		}
	}
	for _, form := range []string{`{"ready":`, `"payload":`, `"deadlineMs":`, `{"cancel":`, `"exit":`, `"output":`} {
		if !bytes.Contains(bytes.ReplaceAll(lines, []byte(`": `), []byte(`":`)), []byte(form)) {
			t.Errorf("no line has %s: %.2000q", form, lines)
		}
	}
}
