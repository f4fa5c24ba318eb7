//go:build unix

package bounded

import "syscall"

// noWait opens a pipe that has taken a file's place without waiting for its
// writer, and a terminal without becoming its process.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// noFollow refuses a link in the place of a file.
const noFollow = syscall.O_NOFOLLOW
