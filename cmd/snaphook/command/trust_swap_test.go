package command

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// A project with granted trust, whose settings and script are swapped all the time, runs only files
// that trust was granted for.
func TestNoSwapRunsWhatTrustWasNotGrantedFor(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("LLXPRT_SYSTEM_SETTINGS_PATH", filepath.Join(home, "none.json"))
	settings, script := filepath.Join(dir, ".llxprt", "settings.json"), filepath.Join(dir, "g.sh")
	const around = `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "@"}]}]}}`
	good := map[string]string{settings: strings.Replace(around, "@", "./g.sh", 1), script: "#!/bin/sh\necho no >&2\nexit 2\n"}
	evil := map[string]string{settings: strings.Replace(around, "@", ": >ran", 1), script: "#!/bin/sh\n: >ran\n"}
	if err := os.Mkdir(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(texts map[string]string, name string) {
		if err := os.WriteFile(name+".new", []byte(texts[name]), 0o755); err != nil {
			t.Error(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Error(err)
		}
	}
	put(good, settings)
	put(good, script)
	if status, said := executed(t, "", "trust", "grant", "--dir", dir); status != 0 || !strings.Contains(said, "trusted") {
		t.Fatalf("status %d: %s", status, said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var swaps sync.WaitGroup
	defer swaps.Wait()
	defer cancel()
	swaps.Go(func() {
		for ctx.Err() == nil {
			for _, name := range []string{settings, script} {
				put(evil, name)
				time.Sleep(rand.N(3 * time.Millisecond))
				put(good, name)
				time.Sleep(rand.N(30 * time.Millisecond))
			}
		}
	})
	blocked := 0
	for range 60 {
		status, said := executed(t, `{"tool_name": "write_file", "tool_input": {}}`, "fire", "llxprt.BeforeTool", "--dir", dir)
		if status == 2 {
			blocked++
		} else if !strings.Contains(said, "trust") {
			t.Errorf("status %d without a word of trust: %s", status, said)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Fatal("what trust was not granted for has run")
		}
	}
	t.Logf("%d of 60 fires ran the guard", blocked)
}

// executed runs the command line in this process.
func executed(t *testing.T, in string, args ...string) (status int, said string) {
	t.Helper()
	f, out := &cli.Global{}, bytes.Buffer{}
	root := newRoot(f)
	root.SetArgs(args)
	root.SetIn(strings.NewReader(in))
	root.SetOut(&out)
	root.SetErr(&out)
	root.SilenceUsage, root.SilenceErrors = true, true
	if err := root.ExecuteContext(t.Context()); err != nil {
		return cli.Failed, out.String() + err.Error()
	}
	return f.Status, out.String()
}
