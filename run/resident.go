package run

import "os"

// Resident is a long-lived process for many calls, in its own process group. The group is killed when the process ends,
// and when the engine's process ends in any way.
type Resident struct {
	proc  *os.Process
	gone  chan struct{}
	state *os.ProcessState // valid once gone is closed
}

// StartResident starts a program; attr.Sys is overwritten. It costs a thread that waits for the process. The caller
// closes the files of attr. It returns an error on systems other than Unix.
func StartResident(program string, argv []string, attr *os.ProcAttr) (*Resident, error) {
	r := &Resident{gone: make(chan struct{})}
	started := make(chan error, 1)
	go r.live(started, program, argv, attr)
	return r, <-started
}

// Gone returns a channel that is closed when the process and its group have ended.
func (r *Resident) Gone() <-chan struct{} { return r.gone }

// State reports how the process ended. Call it after Gone is closed.
func (r *Resident) State() *os.ProcessState { return r.state }

// Pid returns the id of the process, which is also the id of its group.
func (r *Resident) Pid() int { return r.proc.Pid }
