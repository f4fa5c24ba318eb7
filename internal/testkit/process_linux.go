package testkit

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// WaitForEnd waits until a process has ended, which need not be a child; a zombie has ended. If the process still runs
// after the given time, the test has failed, and WaitForEnd kills the process.
func WaitForEnd(t testing.TB, pid int, within time.Duration) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	due := time.Now().Add(within)
	for {
		left := max(0, time.Until(due).Milliseconds())
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			t.Errorf("process %d has not ended within %v: %q", pid, within, line)
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return
	}
}
