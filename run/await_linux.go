package run

import (
	"os"

	"golang.org/x/sys/unix"
)

// collect reaps a process that has ended, and returns its state.
type collect func() (*os.ProcessState, error)

// awaitExit waits until the process has ended, without reaping it: before a process is reaped, the system does not
// reuse its id or its group's id.
func awaitExit(p *os.Process) collect {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	return p.Wait
}
