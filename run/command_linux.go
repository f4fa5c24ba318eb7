package run

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// execute runs a process that ends with this one.
func execute(ctx context.Context, j job) (hook.Reply, bool, error) {
	return bound(ctx, j, executePolling)
}

// executePolling runs a process with raw pipes and one poll(2) loop on the caller's goroutine. os/exec needs three
// times as many system calls, and a goroutine for each stream.
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
		err := p.abandon(errors.New("the kernel returned no pidfd for it"))
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

// The descriptors that are polled.
const (
	pollStdout = iota
	pollStderr
	pollProcess
	pollBell
)

// process is one process, with the resources to start and watch it. It is reused because of its buffers.
type process struct {
	pid            int
	pidfd          int
	bell           int // eventfd that is set when ctx ends
	stdout, stderr pipeEnd
	theirs         [3]int // the child's ends of the pipes: stdin, stdout, stderr
	strays         []int  // pidfds of descendants outside the group, found when the process has to end
	marker         asyncMarker
	wish           time.Duration // asyncTimeout from the declaration
	polled         [4]unix.PollFd
	files          [3]uintptr
	attr           syscall.ProcAttr
	sys            syscall.SysProcAttr
	ring           func()        // writes to bell; called on another goroutine
	rang           chan struct{} // closed after the bell was written to
	remote         *remoteCall   // the process of a warm interpreter, or nil; then pidfd is the status pipe
	ran            time.Duration // the processor time of the process, after its end
	guardAt        time.Time     // when guard starts to watch the process; zero means never
	guard          *guardian     // the guardian that watches the process, or nil
}

var processes = sync.Pool{New: func() any {
	p := &process{pidfd: -1, bell: -1, theirs: [3]int{-1, -1, -1}, rang: make(chan struct{}, 1)}
	p.ring = func() {
		_, _ = unix.Write(p.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		p.rang <- struct{}{}
	}
	p.stdout = pipeEnd{capture{limit: MaxStdout}, -1}
	p.stderr = pipeEnd{capture{limit: MaxStderr}, -1}
	return p
}}

// starting serializes starts. The system does so anyway, and waiting processes would need twice the descriptors.
var starting sync.Mutex

// attempt starts the process once. On failure no descriptor stays open.
func (p *process) attempt(j *job, bell bool) (err error) {
	starting.Lock()
	defer starting.Unlock()
	defer func() {
		if err != nil {
			p.pidfd = -1 // the kernel may have set it although the start failed
			p.close()
		}
	}()
	if err := p.open(j.stdin, bell); err != nil {
		return err
	}
	for i, fd := range p.theirs {
		p.files[i] = uintptr(fd)
	}
	p.sys = syscall.SysProcAttr{Setpgid: !j.noTerminal, Setsid: j.noTerminal, PidFD: &p.pidfd, Pdeathsig: deathSignal}
	p.attr = syscall.ProcAttr{Dir: j.dir, Env: j.env, Files: p.files[:], Sys: &p.sys}
	p.pid, err = syscall.ForkExec(j.program, j.argv, &p.attr)
	p.attr.Dir, p.attr.Env = "", nil
	for i := range p.theirs {
		closeFD(&p.theirs[i])
	}
	return err
}

// open creates all descriptors before the process starts, because a later failure would lose the process.
func (p *process) open(stdin []byte, bell bool) (err error) {
	if p.theirs[0], err = readable(stdin); err != nil {
		return err
	}
	if p.stdout.fd, p.theirs[1], err = pipe(); err != nil {
		return err
	}
	if p.stderr.fd, p.theirs[2], err = pipe(); err != nil {
		return err
	}
	if bell {
		p.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	return err
}

// free returns p to the pool. The caller must not use p afterwards.
func (p *process) free() {
	p.close()
	p.stdout.limit, p.stderr.limit = MaxStdout, MaxStderr // a Room may have lowered them
	p.stdout.shared, p.stderr.shared = nil, nil
	p.marker, p.remote, p.guardAt = asyncMarker{}, nil, time.Time{}
	processes.Put(p)
}

func (p *process) close() {
	closeFD(&p.stdout.fd)
	closeFD(&p.stderr.fd)
	closeFD(&p.pidfd)
	closeFD(&p.bell)
	for i := range p.theirs {
		closeFD(&p.theirs[i])
	}
	for i := range p.strays {
		closeFD(&p.strays[i])
	}
	p.strays = p.strays[:0]
}

// bound runs a job whose process ends with this one, even if this one is killed. It keeps the thread that starts the
// process until the process has ended, because the kernel treats the end of that thread as the end of the parent. A
// process in the background keeps its thread longer than the caller waits: a job that may go there runs on its own
// goroutine.
func bound(ctx context.Context, j job, inner executor) (hook.Reply, bool, error) {
	if j.detach != nil {
		return boundBehind(ctx, j, inner)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inner(ctx, j)
}

// memfdFlags returns the flags with which this kernel creates a file in memory. It is -1 if the kernel lacks memfds or
// pidfds; then executePortable is used.
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

// read reads at most most bytes, and returns the descriptor. It widens the pipe of a process with much output, which
// wakes the engine less often.
func (s *pipeEnd) read(most int) (fd int32) {
	before := len(s.kept)
	if s.fd >= 0 && drain(s.fd, &s.capture, most) {
		closeFD(&s.fd)
	}
	if s.fd >= 0 && before < much && len(s.kept) >= much {
		_, _ = unix.FcntlInt(uintptr(s.fd), unix.F_SETPIPE_SZ, 1<<20) // fails if the user has too many pipes
	}
	return int32(s.fd)
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
// data does not fit into a pipe. Users with many pipes get small ones, of a single page.
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
