package run

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// execute runs a process, which ends when the engine's process ends.
func execute(ctx context.Context, j job) (hook.Reply, bool, error) {
	return bound(ctx, j, executePolling)
}

// executePolling runs a process with raw pipes and one poll(2) loop on the caller's goroutine. os/exec makes three
// times the number of system calls, and needs a goroutine for each stream.
func executePolling(ctx context.Context, j job) (hook.Reply, bool, error) {
	// This function writes standard input before the process starts, which is impossible for the user's answers.
	if memfdFlags() < 0 || j.ask != nil {
		return executeStreams(ctx, j)
	}
	p := processes.Get().(*process)
	p.stdout.shared, p.stderr.shared = j.room, j.room
	bell := ctx.Done() != nil || j.detach != nil // ctx may end
	err := whileBusy(ctx, func() error { return p.attempt(&j, bell) })
	if j.held != nil {
		_ = j.held.Close() // already read
	}
	if err != nil {
		p.free()
		return hook.Reply{}, false, startError(&j, err)
	}
	if p.pidfd < 0 {
		err := p.abandon(errors.New("the kernel returned no pidfd for the process"))
		p.free()
		return hook.Reply{}, true, err
	}
	p.guardAt = time.Now().Add(guardAfter)
	reply, err := p.watch(ctx, &j)
	if errors.Is(err, errDeclared) {
		ctx, done := j.detach(p.wish)
		grace := j.grace // keeps the closure from holding all of j
		j.later(func() { p.background(ctx, grace, done) })
		return hook.Reply{}, true, hook.ErrDetached
	}
	p.free()
	return reply, true, err
}

// bound runs a job whose process ends when the engine's process ends, even if the engine's process is killed. bound
// keeps the thread that starts the job's process until that process has ended, because the kernel treats the end of the
// thread as the end of the parent. A process in the background keeps its thread longer than the caller waits: a job
// that may go to the background runs on its own goroutine.
func bound(ctx context.Context, j job, inner executor) (hook.Reply, bool, error) {
	if j.detach != nil {
		return boundBehind(ctx, j, inner)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inner(ctx, j)
}

// memfdFlags returns the flags with which this kernel creates a file in memory. It returns -1 if the kernel lacks
// memfds or pidfds, in which case executeStreams is used.
var memfdFlags = sync.OnceValue(func() int {
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return -1
	}
	unix.Close(pidfd)
	// A hardened kernel refuses memfds without MFD_NOEXEC_SEAL; kernels before 6.3 do not know that flag.
	for _, flags := range [...]int{unix.MFD_CLOEXEC | unix.MFD_NOEXEC_SEAL, unix.MFD_CLOEXEC} {
		if fd, err := unix.MemfdCreate("stdin", flags); err == nil {
			unix.Close(fd)
			return flags
		}
	}
	return -1
})

// pipeEnd is the engine's end of a pipe; fd is -1 after EOF.
type pipeEnd struct {
	capture
	fd int
}

// read reads until it has at least the given number of bytes, or no more are available, and returns the descriptor. It
// widens the pipe of a process with much output, to wake the engine less often.
func (s *pipeEnd) read(most int) (fd int32) {
	before := s.size()
	if s.fd >= 0 && drain(s.fd, &s.capture, most) {
		closeFD(&s.fd)
	}
	if s.fd >= 0 && before < much && s.size() >= much {
		_, _ = unix.FcntlInt(uintptr(s.fd), unix.F_SETPIPE_SZ, 1<<20) // fails if the user has too many pipes
	}
	return int32(s.fd)
}

// rest reads the remaining bytes of the pipe.
func (s *pipeEnd) rest() {
	if s.fd < 0 {
		return
	}
	size, err := unix.FcntlInt(uintptr(s.fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		size = 1 << 20
	}
	s.read(size)
}

// much is a little less than the default capacity of a pipe, in bytes.
const much = 60 << 10

// pipe creates a pipe for output. Only the engine's end is non-blocking, because the child expects blocking writes.
func pipe() (ours, theirs int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	_, err = unix.FcntlInt(uintptr(ends[0]), unix.F_SETFL, unix.O_NONBLOCK)
	return ends[0], ends[1], err
}

// readable returns a descriptor from which data can be read, followed by EOF: a filled pipe, or a file in memory if
// data does not fit into a pipe. The kernel gives users with many pipes small pipes, of a single page.
func readable(data []byte) (fd int, err error) {
	if len(data) > 64<<10 {
		return inMemory(data)
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, err
	}
	defer unix.Close(ends[1])
	if len(data) == 0 {
		return ends[0], nil
	}
	if _, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETFL, unix.O_NONBLOCK); err == nil {
		if n, _ := unix.Write(ends[1], data); n == len(data) {
			return ends[0], nil
		}
	}
	unix.Close(ends[0])
	if err != nil {
		return -1, err
	}
	return inMemory(data)
}

// inMemory returns the descriptor of an unnamed file with data.
func inMemory(data []byte) (fd int, err error) {
	fd, err = unix.MemfdCreate("stdin", memfdFlags())
	if err != nil {
		return -1, err
	}
	for done := 0; done < len(data) && err == nil; {
		var n int
		n, err = unix.Pwrite(fd, data[done:], int64(done)) // leaves the offset at the start
		if err == unix.EINTR {
			err = nil
		}
		done += max(n, 0)
	}
	if err != nil {
		closeFD(&fd)
	}
	return fd, err
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
		*fd = -1
	}
}
