package run

import (
	"os/exec"
	"syscall"
)

// hide keeps a hook from opening a window (rule C86).
func hide(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
