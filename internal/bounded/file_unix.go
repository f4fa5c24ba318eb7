//go:build unix

package bounded

import "syscall"

// noWait makes open return at once for a pipe without a writer, and does not make a terminal the controlling
// terminal.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// noFollow makes open fail for a symbolic link.
const noFollow = syscall.O_NOFOLLOW
