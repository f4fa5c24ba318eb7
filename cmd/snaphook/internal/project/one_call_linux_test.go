package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm"
)

// If the overlay says so, a command that fires one event runs scripts in its own process, and starts no bash.
func TestOneCallRunsScriptsInThisProcess(t *testing.T) {
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	wrapper := "#!/bin/sh\necho \"$*\" >> " + starts + "\nexec /bin/bash \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "bash"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir, "PWD=" + dir}
	for _, kind := range []string{run.WarmBash, run.WarmAuto, run.WarmOff, run.WarmPython} {
		if err := os.WriteFile(starts, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c := &run.Command{Argv: []string{"bash", "-c", "echo of a script"}, Environ: func(hook.Call) []string { return env }}
		h := &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}, Runner: c}
		pool := ForOneCall{warm.New(warm.Config{})}
		t.Cleanup(pool.Close)
		if note := pool.Keep(h, kind, dir); note != "" {
			t.Errorf("%s: %s", kind, note)
		}
		reply, err := c.Run(t.Context(), hook.Call{Dir: dir, Hook: h})
		if err != nil || string(reply.Stdout) != "of a script\n" {
			t.Errorf("%s: %q, %v", kind, reply.Stdout, err)
		}
		text, err := os.ReadFile(starts)
		if err != nil {
			t.Fatal(err)
		}
		here := kind == run.WarmBash || kind == run.WarmAuto
		if started := strings.Contains(string(text), "of a script"); started == here {
			t.Errorf("%s: bash was started for the script: %v", kind, started)
		}
	}
}
