package testkit

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// WaitForEnd waits until a process has ended, which need not be a child. If the process still runs after the given
// time, the test has failed, and WaitForEnd kills the process.
func WaitForEnd(t testing.TB, pid int, within time.Duration) {
	t.Helper()
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err == windows.ERROR_INVALID_PARAMETER {
		return // there is no such process
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	event, err := windows.WaitForSingleObject(h, uint32(max(0, within.Milliseconds())))
	if err != nil {
		t.Fatal(err)
	}
	if event != windows.WAIT_OBJECT_0 {
		t.Errorf("process %d has not ended within %v", pid, within)
		_ = windows.TerminateProcess(h, 1)
	}
}
