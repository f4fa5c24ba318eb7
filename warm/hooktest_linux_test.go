package warm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// inBash is the hook that hooktest.Runner needs.
const inBash = `IFS= read -r -d '' payload
case $payload in
*'"hooktest":"hang"'*) while :; do :; done ;;
*'"hooktest":"flood"'*) printf '%33554432s' x ;;
*) printf '%s' "$payload" ;;
esac
`

func TestACommandWithAScriptHolds(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "hook.sh")
	testkit.WriteFile(t, script, inBash, 0o600)
	env := []string{"PATH=" + os.Getenv("PATH")}
	c := &run.Command{Argv: []string{"/bin/bash", script}, Environ: func(hook.Call) []string { return env }}
	w := &run.Warm{Log: testkit.Quiet, Tools: shell.NewTools(nil)}
	t.Cleanup(w.Close)
	if note := c.SetWarm(w, run.WarmBash, dir); note != "" {
		t.Fatal(note)
	}
	hooktest.Runner(t, c)
}
