package run

import (
	"os"

	"golang.org/x/sys/unix"
)

// collect returns the state of a process that has ended, and lets the system
// forget it.
type collect func() (*os.ProcessState, error)

// awaitExit waits until the process has ended, but leaves it to be collected,
// so that its id, and its group's, stay its own.
func awaitExit(p *os.Process) collect {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	return p.Wait
}
