//go:build unix

package run

import (
	"os"
	"runtime"
	"syscall"
)

// live starts the process and stays on its thread until the process has ended, because the kernel treats the end of the
// thread as the end of the parent.
func (r *Resident) live(started chan<- error, program string, argv []string, attr *os.ProcAttr) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(r.gone)
	attr.Sys = boundTo(&syscall.SysProcAttr{Setpgid: true})
	var err error
	if r.proc, err = os.StartProcess(program, argv, attr); err != nil {
		started <- err
		return
	}
	commands.watch(r.proc.Pid)
	started <- nil
	collect := awaitExit(r.proc)
	_ = syscall.Kill(-r.proc.Pid, syscall.SIGKILL) // kill the group before its id can belong to another group
	commands.release(r.proc.Pid)
	r.state, _ = collect()
}

// Kill ends the process and its group, and returns when they are gone.
func (r *Resident) Kill() {
	select {
	case <-r.gone:
		return
	default:
	}
	_ = r.proc.Signal(syscall.SIGKILL) // live then kills the rest of the group
	<-r.gone
}
