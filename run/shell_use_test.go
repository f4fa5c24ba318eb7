package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

func TestTheShellOfAHookIsKnown(t *testing.T) {
	dir := t.TempDir()
	path := os.Getenv("PATH")
	use := func(c *Command) ShellUse {
		c.Environ = func(hook.Call) []string { return append(os.Environ(), "PATH="+path) }
		use, ok := UsedShell(&hook.Hook{Runner: c}, dir)
		if !ok {
			return ShellUse{}
		}
		return use
	}
	if got := use(&Command{Argv: []string{"node", "guard.js"}}); got != (ShellUse{}) {
		t.Errorf("a program: %+v; want no shell", got)
	}
	if got := use(&Command{Argv: PowerShell("exit 2")}); got.Name != "PowerShell" || got.InProcess || got.Path == "" {
		t.Errorf("PowerShell: %+v", got)
	}
	if !HasBash() {
		t.Skip("bash is not installed")
	}
	got := use(&Command{Argv: Bash("exit 2")})
	if got.Name != "bash" || got.InProcess || !filepath.IsAbs(got.Path) {
		t.Errorf("bash: %+v; want its path", got)
	}
}

// A script for bash that PowerShell gets is marked; a script that is written for PowerShell is not.
func TestAScriptForBashIsMarkedForPowerShell(t *testing.T) {
	m := shellMachine{windows: true, getenv: func(string) string { return "" },
		lookPath: func(string) (string, error) { return "", os.ErrNotExist }, isFile: func(string) bool { return false }}
	for _, argv := range [][]string{m.bash("exit 2"), m.prefixed("time", "exit 2")} {
		if text := argv[len(argv)-1]; text != "exit 2"+withoutBash+powershellStatus {
			t.Errorf("for bash: %q", text)
		}
	}
	if text := strings.Join(m.powerShell("exit 2"), " "); strings.Contains(text, withoutBash) {
		t.Errorf("for PowerShell: %q", text)
	}
}
