//go:build unix && !linux

package testkit

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// WaitForEnd waits until a process has ended, which need not be a child. If the process still exists after the given
// time, the test has failed, and WaitForEnd kills the process.
func WaitForEnd(t testing.TB, pid int, within time.Duration) {
	t.Helper()
	for due := time.Now().Add(within); unix.Kill(pid, 0) != unix.ESRCH; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(due) {
			t.Errorf("process %d has not ended within %v", pid, within)
			_ = unix.Kill(pid, unix.SIGKILL)
			return
		}
	}
}
