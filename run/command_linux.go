package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// execute runs a process with raw pipes and one poll(2) loop in the caller's
// goroutine. os/exec needs three times the system calls, and a goroutine for
// each stream.
func execute(ctx context.Context, j job) (reply hook.Reply, started bool, err error) {
	if memfdFlags() < 0 {
		return executePortable(ctx, j)
	}
	p := processes.Get().(*process)
	defer processes.Put(p)
	defer p.close()
	if started, err = p.start(ctx, &j); err != nil {
		return hook.Reply{}, started, err
	}
	status, err := p.wait(ctx, &j)
	reply = output(&p.stdout.capture, &p.stderr.capture)
	reply.Exit = status.ExitStatus()
	if status.Signaled() {
		reply.Exit, reply.Signal = -1, status.Signal()
	}
	return reply, true, err
}

// The descriptors that are polled.
const (
	pollStdout = iota
	pollStderr
	pollProcess
	pollBell
)

// process is one process, and what it takes to start and watch it. It is used
// again for the next one, for the sake of its buffers.
type process struct {
	pid            int
	pidfd          int
	bell           int // eventfd: ctx is over
	stdout, stderr stream
	theirs         [3]int // the child's ends of the pipes
	strays         []int  // pidfds of its descendants outside its group, once it is to end
	polled         [4]unix.PollFd
	files          [3]uintptr
	attr           syscall.ProcAttr
	sys            syscall.SysProcAttr
	ring           func()        // rings the bell, from another goroutine
	rang           chan struct{} // it has
}

var processes = sync.Pool{New: func() any {
	p := &process{pidfd: -1, bell: -1, theirs: [3]int{-1, -1, -1}, rang: make(chan struct{}, 1)}
	p.ring = func() {
		_, _ = unix.Write(p.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		p.rang <- struct{}{}
	}
	p.stdout = stream{capture{limit: MaxStdout}, -1}
	p.stderr = stream{capture{limit: MaxStderr}, -1}
	return p
}}

// starting lets one process start at a time. The system does no more than that
// anyway, and those that wait for it would hold twice the descriptors.
var starting sync.Mutex

func (p *process) start(ctx context.Context, j *job) (started bool, err error) {
	err = whileBusy(ctx, func() error { return p.attempt(ctx, j) })
	if err != nil {
		return false, startError(j, err)
	}
	if p.pidfd < 0 {
		return true, p.abandon(errors.New("the kernel gave no pidfd for it"))
	}
	return true, nil
}

// attempt starts the process once. Without success nothing is left open.
func (p *process) attempt(ctx context.Context, j *job) (err error) {
	starting.Lock()
	defer starting.Unlock()
	defer func() {
		if err != nil {
			p.pidfd = -1 // the kernel's leftover, if anything
			p.close()
		}
	}()
	if err := p.open(ctx, j.stdin); err != nil {
		return err
	}
	for i, fd := range p.theirs {
		p.files[i] = uintptr(fd)
	}
	p.sys = syscall.SysProcAttr{Setpgid: !j.noTerminal, Setsid: j.noTerminal, PidFD: &p.pidfd}
	p.attr = syscall.ProcAttr{Dir: j.dir, Env: j.env, Files: p.files[:], Sys: &p.sys}
	p.pid, err = syscall.ForkExec(j.program, j.argv, &p.attr)
	p.attr.Dir, p.attr.Env = "", nil
	for i := range p.theirs {
		closeFD(&p.theirs[i])
	}
	return err
}

// abandon kills a process that cannot be watched.
func (p *process) abandon(err error) error {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	_, _ = reap(p.pid)
	return fmt.Errorf("process %d had to be killed: %w", p.pid, err)
}

// open makes the descriptors, before there is a process that would be lost if
// one could not be had.
func (p *process) open(ctx context.Context, stdin []byte) (err error) {
	if p.theirs[0], err = readable(stdin); err != nil {
		return err
	}
	if p.stdout.fd, p.theirs[1], err = pipe(); err != nil {
		return err
	}
	if p.stderr.fd, p.theirs[2], err = pipe(); err != nil {
		return err
	}
	if ctx.Done() != nil {
		p.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	return err
}

// wait watches the process until it is gone.
func (p *process) wait(ctx context.Context, j *job) (syscall.WaitStatus, error) {
	stop := p.listen(ctx)
	defer p.unlisten(stop)
	var (
		cause error     // why the process is being killed
		sent  int       // how many signals it got
		until time.Time // when the next is due; zero is never
	)
	if j.timeout > 0 {
		until = time.Now().Add(j.timeout)
	}
	for {
		// Readiness of a pidfd is a state, not an event: an exit before the
		// call is seen too.
		if err := p.poll(until); err != nil {
			return 0, p.abandon(err)
		}
		if p.polled[pollProcess].Revents != 0 {
			return p.finish(cause)
		}
		rang := p.polled[pollBell].Revents != 0
		if !rang && (until.IsZero() || time.Now().Before(until)) {
			continue
		}
		switch sent++; sent {
		case 1:
			p.polled[pollBell].Fd = -1
			if cause = j.timedOut(); rang {
				cause = context.Cause(ctx)
			}
			until = time.Now().Add(j.grace)
			p.signal(syscall.SIGTERM)
		case 2:
			until = time.Now().Add(mourning)
			p.signal(syscall.SIGKILL)
		default:
			go func() { _, _ = reap(p.pid) }()
			return 0, stuckError(p.pid, cause)
		}
	}
}

// signal reaches the group, and whoever left it.
func (p *process) signal(signal syscall.Signal) {
	p.strays = append(p.strays, strays(p.pid)...) // before their parents die
	_ = syscall.Kill(-p.pid, signal)
	signalAll(p.strays, signal)
}

// listen lets the end of ctx ring the bell.
func (p *process) listen(ctx context.Context) (stop func() bool) {
	p.polled = [...]unix.PollFd{
		pollStdout:  {Fd: int32(p.stdout.fd), Events: unix.POLLIN},
		pollStderr:  {Fd: int32(p.stderr.fd), Events: unix.POLLIN},
		pollProcess: {Fd: int32(p.pidfd), Events: unix.POLLIN},
		pollBell:    {Fd: int32(p.bell), Events: unix.POLLIN},
	}
	if p.bell < 0 {
		return nil
	}
	return context.AfterFunc(ctx, p.ring)
}

// unlisten makes sure that nobody rings, so that the bell can be closed.
func (p *process) unlisten(stop func() bool) {
	if stop != nil && !stop() {
		<-p.rang
	}
}

// poll waits until something happens, and reads what there is to read.
func (p *process) poll(until time.Time) error {
	for {
		_, err := unix.Poll(p.polled[:], milliseconds(until))
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return err
		}
	}
	if p.polled[pollStdout].Revents != 0 {
		p.polled[pollStdout].Fd = p.stdout.read(1)
	}
	if p.polled[pollStderr].Revents != 0 {
		p.polled[pollStderr].Fd = p.stderr.read(1)
	}
	return nil
}

// milliseconds is the time left until then, rounded up, as poll counts it.
func milliseconds(then time.Time) int {
	if then.IsZero() {
		return -1
	}
	left := time.Until(then)
	return int(max(left+time.Millisecond-1, 0) / time.Millisecond)
}

// finish collects a process that is gone, and what it left in the pipes.
func (p *process) finish(cause error) (syscall.WaitStatus, error) {
	if cause != nil {
		// As long as its leader is not collected, the group cannot be somebody
		// else's.
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		signalAll(p.strays, syscall.SIGKILL)
	}
	status, err := reap(p.pid)
	if cause != nil {
		err = cause
	}
	p.stdout.rest()
	if err == nil && p.stdout.fd >= 0 && len(p.stdout.kept) == 0 {
		p.firstWord()
	}
	p.stderr.rest()
	return status, err
}

// firstWord waits for something on standard output, or its end.
func (p *process) firstWord() {
	until := time.Now().Add(patience)
	one := []unix.PollFd{{Fd: int32(p.stdout.fd), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(one, milliseconds(until))
		if err != unix.EINTR {
			break
		}
	}
	p.stdout.rest()
}

func reap(pid int) (status syscall.WaitStatus, err error) {
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err == nil {
			return status, nil
		}
		if err != syscall.EINTR {
			return 0, fmt.Errorf("the exit status of process %d is lost: %w; the program must not collect the engine's children", pid, err)
		}
	}
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
