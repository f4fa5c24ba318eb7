package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
)

// standIn replaces bubblewrap where it is not installed: it checks the options that matter, and
// starts the command without a network.
const standIn = `#!/bin/bash
case " $* " in *" --unshare-net "*"--ro-bind / / "*|*"--ro-bind / / "*" --unshare-net "*) ;; *) echo "no sandbox: $*" >&2; exit 1;; esac
while [ "$1" != -- ]; do if [ "$1" = --chdir ]; then cd "$2"; fi; shift; done
shift
exec unshare --user --map-root-user --net -- "$@"
`

// sandbox returns bubblewrap, or its stand-in.
func sandbox(t *testing.T) (bwrap string) {
	t.Helper()
	if bwrap, err := exec.LookPath("bwrap"); err == nil && exec.Command(bwrap, "--ro-bind", "/", "/", "--unshare-net", "true").Run() == nil {
		return bwrap
	}
	if err := exec.Command("unshare", "--user", "--map-root-user", "--net", "true").Run(); err != nil {
		t.Skip("neither bubblewrap nor unshare can make a sandbox on this machine:", err)
	}
	bwrap = filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(bwrap, []byte(standIn), 0o700); err != nil {
		t.Fatal(err)
	}
	return bwrap
}

// guard denies if it sees a network, or if the input asks for rm -rf.
const guard = `#!/bin/bash
input=$(cat)
if grep -v lo: /proc/net/dev | grep -q :; then echo "there is a network" >&2; exit 2; fi
case $input in *"rm -rf"*) echo "no rm in $PWD" >&2; exit 2;; esac
`

const hooks = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash guard.sh"}]}]}}`

func bash(command string) *snaphook.ToolCall {
	return &snaphook.ToolCall{Name: "Bash", Input: []byte(`{"command": "` + command + `"}`)}
}

func TestHooksRunInTheSandboxWithoutANetwork(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".claude/settings.json": hooks, "guard.sh": guard} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	bwrap := sandbox(t)
	for command, want := range map[string]string{"ls": "not denied", "rm -rf /": "denied: no rm in " + dir} {
		answer, err := ask(t.Context(), dir, bwrap, bash(command))
		if err != nil || answer != want {
			t.Errorf("%s: %s, %v; want %s", command, answer, err, want)
		}
	}
	out, _ := os.ReadFile("/proc/net/dev")
	if strings.Count(string(out), ":") > 1 { // outside of the sandbox there is a network
		if answer, err := ask(t.Context(), dir, "", bash("ls")); answer != "denied: there is a network" {
			t.Errorf("without the sandbox: %s, %v; want the guard to see a network", answer, err)
		}
	}
}
