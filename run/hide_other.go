//go:build !windows

package run

import "os/exec"

// hide is for Windows, where a program can open a window of its own.
func hide(*exec.Cmd) {}
