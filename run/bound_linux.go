package run

import (
	"context"
	"runtime"
	"syscall"

	"github.com/snaphook-go/snaphook/hook"
)

// deathSignal is what a process gets when the thread that has started it ends.
const deathSignal = syscall.SIGKILL

func boundTo(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr.Pdeathsig = deathSignal
	return attr
}

// bound runs a job whose process ends with this one, also if that is killed.
// The thread that starts the process stays until the process is gone: the kernel
// takes the end of the thread for that of the parent. A process that goes on in
// the background keeps it longer than the caller waits, so what may do so has a
// goroutine of its own.
func bound(ctx context.Context, j job, inner executor) (hook.Reply, bool, error) {
	if j.detach != nil {
		return boundBehind(ctx, j, inner)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inner(ctx, j)
}

// boundBehind is bound for what may go on in the background. It is a function of
// its own, since what its goroutine shares with the caller is on the heap.
func boundBehind(ctx context.Context, j job, inner executor) (reply hook.Reply, started bool, err error) {
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var rest func()
		j.background = func(f func()) { rest = f }
		reply, started, err = inner(ctx, j)
		close(ended)
		if rest != nil {
			rest()
		}
	}()
	<-ended
	return reply, started, err
}
