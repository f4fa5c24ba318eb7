//go:build unix && !linux

package run

import "os"

// collect returns the state of a process that has ended.
type collect func() (*os.ProcessState, error)

// awaitExit waits for the process and reaps it at once, because these systems have no common way to wait without
// reaping (waitid of macOS returns for a stopped process too). The group of a killed hook is therefore signalled just
// after its leader was reaped; the group's id stays in use as long as the group has members.
func awaitExit(p *os.Process) collect {
	state, err := p.Wait()
	return func() (*os.ProcessState, error) { return state, err }
}
