package run_test

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/run"
)

// The constants are the hook that hooktest.Runner needs, as a script for each interpreter. The Python script writes a
// file if its parent is not the host, because it then runs warm.
const (
	inPython = `import os, sys, time
payload = sys.stdin.buffer.read()
if os.getppid() != int(os.environ["HOST"]):
    open(os.environ["MARK"], "w").close()
if b'"hooktest":"hang"' in payload:
    time.sleep(600)
elif b'"hooktest":"flood"' in payload:
    sys.stdout.write("x" * (32 << 20))
else:
    sys.stdout.buffer.write(payload)
`
	inNode = `const chunks = [];
process.stdin.on("data", (c) => chunks.push(c)).on("end", () => {
  const payload = Buffer.concat(chunks);
  if (payload.includes('"hooktest":"hang"')) setTimeout(() => {}, 600000);
  else if (payload.includes('"hooktest":"flood"')) process.stdout.write("x".repeat(32 << 20));
  else process.stdout.write(payload);
});
`
)

func TestWarmCommandsHold(t *testing.T) {
	for _, tt := range []struct{ kind, program, script, text string }{
		{run.WarmPython, "python3", "hook.py", inPython},
		{run.WarmNode, "node", "hook.js", inNode},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			program := "/usr/bin/" + tt.program
			if _, err := os.Stat(program); err != nil {
				if program, err = exec.LookPath(tt.program); err != nil {
					t.Skipf("%s is not installed", tt.program)
				}
			}
			dir := t.TempDir()
			script, mark := filepath.Join(dir, tt.script), filepath.Join(dir, "warm")
			if err := os.WriteFile(script, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			env := []string{"PATH=" + os.Getenv("PATH"), "HOST=" + strconv.Itoa(os.Getpid()), "MARK=" + mark}
			c := &run.Command{Argv: []string{program, script}, Environ: func(hook.Call) []string { return env }}
			w := &run.Warm{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
			t.Cleanup(w.Close)
			if note := c.SetWarm(w, tt.kind, dir); note != "" {
				t.Fatal(note)
			}
			hooktest.Runner(t, c)
			if _, err := os.Stat(mark); err != nil && tt.kind == run.WarmPython {
				t.Errorf("no call was warm: %v", err)
			}
		})
	}
}
