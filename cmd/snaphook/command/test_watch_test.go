package command

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// TestWatchRunsAgainAfterEachChange changes a project while its fixtures are watched, and reads
// the output of each run.
func TestWatchRunsAgainAfterEachChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const refuses = "#!/bin/sh\necho no >&2\nexit 2\n"
	const fixture = `{"name": "refused", "session": [{"event": "claude.PreToolUse",
		"input": {"tool_name": "Bash", "tool_input": {}}, "expect": {"blocked": true}}]}`
	write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]}}`)
	write("guard.sh", refuses)
	write("guard.hooktest.json", fixture)

	ctx, cancel := context.WithCancel(t.Context())
	read, said := io.Pipe()
	f := &cli.Global{}
	done := make(chan error, 1)
	go func() {
		root := newRoot(f)
		root.SetArgs([]string{"test", "--watch", "--jobs", "1", "--dir", dir, "--junit", filepath.Join(dir, "out.xml")})
		root.SetOut(said)
		root.SetErr(said)
		root.SilenceUsage, root.SilenceErrors = true, true
		err := root.ExecuteContext(ctx)
		_ = said.Close() // never fails
		done <- err
	}()
	lines := bufio.NewScanner(read)
	until := func(want string) {
		t.Helper()
		var seen []string
		for lines.Scan() {
			if seen = append(seen, lines.Text()); strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("it ends before it says %q:\n%s", want, strings.Join(seen, "\n"))
	}
	until("1 passed, 0 failed")
	for _, step := range []struct{ file, text, want string }{
		{"guard.sh", "#!/bin/sh\n", "0 passed, 1 failed"},
		{"guard.hooktest.json", `{"sesion": []}`, `unknown member "sesion"`},
		{"guard.hooktest.json", fixture, "0 passed, 1 failed"},
		{"more.hooktest.json", strings.Replace(fixture, "true", "false", 1), "1 passed, 1 failed"},
		{"guard.sh", refuses, "1 passed, 1 failed"},
		{"more.hooktest.json", fixture, "2 passed, 0 failed"},
	} {
		until("waiting for a change")
		write(step.file, step.text)
		until(step.want)
	}
	until("waiting for a change")
	cancel()
	for lines.Scan() {
	}
	if err := <-done; err != nil || f.Status != 0 {
		t.Errorf("after an interrupt it ends with %v, status %d; want those of the last run, which holds", err, f.Status)
	}
}
