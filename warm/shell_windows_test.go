package warm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// Where Git's bash is not installed, the policy "warm": "bash" runs a script in this process; if this process does not
// support the script exactly, the script fails, and PowerShell never gets it.
func TestAScriptRunsInThisProcessWhereThereIsNoBashOnWindows(t *testing.T) {
	t.Setenv("CLAUDE_CODE_GIT_BASH_PATH", "")
	if run.HasBash() {
		t.Skip("Git's bash is installed")
	}
	pool := &run.Warm{Tools: shell.NewTools(nil)}
	dir := t.TempDir()
	for script, want := range map[string]string{
		`read -r in; [[ $in == *evil* ]] && { echo no >&2; exit 2; }; exit 0`: "",
		`echo "a b"; exit 3`:       "",
		`somewhere --else`:         "somewhere",
		`[ -e /tmp/x ] && exit 2`:  "a path without a drive",
		`cd /; pwd`:                "cd",
		`cat < "/etc/passwd"`:      "cat",
		`[ "$HOME" = x ] || :`:     "$HOME",
		`echo "${PATH%%:*}"`:       "$PATH",
		`echo ~/x`:                 "HOME",
		`Get-Item C:\x | Select-X`: "Get-Item",
	} {
		c := &run.Command{Argv: run.Bash(script)}
		if note := c.SetWarm(pool, run.WarmBash, dir); note != "" {
			t.Errorf("%s: %s", script, note)
		}
		reply, err := c.Run(t.Context(), hook.Call{Payload: []byte(`{"a":"evil"}`), Dir: dir})
		var class *hook.ClassError
		switch {
		case want == "" && (err != nil || reply.Exit < 2):
			t.Errorf("%s: exit %d, %v; want the status of the script", script, reply.Exit, err)
		case want != "" && (!errors.As(err, &class) || !strings.Contains(err.Error(), want) || len(reply.Stdout) > 0):
			t.Errorf("%s: %+v, %v; want it not to run, because %s", script, reply, err, want)
		}
	}
	c := &run.Command{Argv: []string{"cmd.exe", "/c", "exit 0"}}
	if note, want := c.SetWarm(pool, run.WarmBash, dir), "the command does not run a script with bash or dash"; note != want {
		t.Errorf("another program: %q; want %q", note, want)
	}
}
