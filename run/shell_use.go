package run

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// ShellUse describes the shell that runs the script of a hook.
type ShellUse struct {
	Name string `json:"name"` // bash, sh, PowerShell, or the base name of another shell
	Path string `json:"path"` // the program; its bare name if PATH has no such program; "" if only this process can run the script

	// InProcess reports that this process runs the script, as "warm": "bash" demands. If Path is not empty, that
	// program runs each call that this process cannot run exactly.
	InProcess bool `json:"inProcess"`

	// Fails is the reason why every call fails: only this process can run the script, and it does not
	// support the whole script. Fails is empty if calls run.
	Fails string `json:"fails,omitempty"`

	// Left is the reason why the program ran the last call, although InProcess is set. It is empty before the first
	// call, and if this process ran the last call.
	Left string `json:"left,omitempty"`
}

// UsedShell reports which shell runs the script of a hook that is called in dir; ok is false if the hook starts no
// shell. Call it after [Warm.Keep], which may move the script into this process.
func UsedShell(h *hook.Hook, dir string) (use ShellUse, ok bool) {
	c, ok := hook.RunnerAs[*Command](h.Runner)
	if !ok {
		return use, false
	}
	call := hook.Call{Hook: h, Dir: dir}
	argv := c.Starts(call)
	warm := c.warm.Load()
	own := warm != nil && warm.shell != nil
	if len(argv) == 0 || !own && !isShell(strings.TrimSuffix(filepath.ToSlash(strings.ToLower(argv[0])), ".exe")) {
		return use, false
	}
	if own && warm.shell.alone() {
		return ShellUse{Name: "bash", InProcess: true, Fails: warm.shell.fails()}, true
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(argv[0])), ".exe")
	switch {
	case name == "pwsh" || name == "powershell":
		name = "PowerShell"
	case own:
		name = warm.shell.kind() // the first line of the script may name the shell
	}
	use = ShellUse{Name: name, Path: argv[0], InProcess: own}
	if own {
		use.Left = warm.shell.lastLeft()
	}
	j := c.job(call)
	if path, err := lookup(argv[0], j.env, dir); err == nil {
		use.Path = path
	}
	if runtime.GOOS == "windows" { // package os/exec searches for the program
		if path, err := findProgram(argv[0]); err == nil {
			use.Path = path
		}
	}
	return use, true
}
