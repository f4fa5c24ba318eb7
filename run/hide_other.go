//go:build !windows

package run

import "os/exec"

// hide does nothing: only on Windows a program opens its own window.
func hide(*exec.Cmd) {}
