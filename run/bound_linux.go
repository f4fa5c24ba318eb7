package run

import (
	"context"
	"runtime"
	"syscall"

	"github.com/snaphook-go/snaphook/hook"
)

// deathSignal is the signal that a process gets when the thread that started it ends.
const deathSignal = syscall.SIGKILL

func boundTo(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr.Pdeathsig = deathSignal
	return attr
}

// boundBehind does the same as bound for a process that may go to the background. It is a separate function because
// variables that its goroutine shares with the caller are allocated on the heap.
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
