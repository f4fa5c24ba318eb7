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

// execute runs a process that ends with this one.
func execute(ctx context.Context, j job) (hook.Reply, bool, error) {
	return bound(ctx, j, executePolling)
}

// executePolling runs a process with raw pipes and one poll(2) loop in the
// caller's goroutine. os/exec needs three times the system calls, and a
// goroutine for each stream.
func executePolling(ctx context.Context, j job) (hook.Reply, bool, error) {
	// Standard input is written before there is a process. What the user will
	// answer is not known then, and a pipe that stays open needs a writer.
	if memfdFlags() < 0 || j.ask != nil {
		return executeStreams(ctx, j)
	}
	p := processes.Get().(*process)
	p.stdout.shared, p.stderr.shared = j.room, j.room
	started, err := p.start(ctx, &j)
	j.begun()
	if err != nil {
		p.free()
		return hook.Reply{}, started, err
	}
	reply, err := p.watch(ctx, &j)
	if errors.Is(err, errDeclared) {
		ctx, done := j.detach(p.wish)
		grace := j.grace // so that the closure does not hold all of j
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

// process is one process, and what it takes to start and watch it. It is used
// again for the next one, for the sake of its buffers.
type process struct {
	pid            int
	pidfd          int
	bell           int // eventfd: ctx is over
	stdout, stderr stream
	theirs         [3]int // the child's ends of the pipes
	strays         []int  // pidfds of its descendants outside its group, once it is to end
	marker         asyncMarker
	wish           time.Duration // what it declared
	polled         [4]unix.PollFd
	files          [3]uintptr
	attr           syscall.ProcAttr
	sys            syscall.SysProcAttr
	ring           func()        // rings the bell, from another goroutine
	rang           chan struct{} // it has
	remote         *remote       // forked by a resident interpreter; pidfd is its status then
	guardAt        time.Time     // when to have it watched by commands; zero is never
	guard          *guardian     // what watches it; nil before
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
	bell := ctx.Done() != nil || j.detach != nil // whose context may end
	err = whileBusy(ctx, func() error { return p.attempt(j, bell) })
	if err != nil {
		return false, startError(j, err)
	}
	if p.pidfd < 0 {
		return true, p.abandon(errors.New("the kernel gave no pidfd for it"))
	}
	p.guardAt = time.Now().Add(guardAfter)
	return true, nil
}

// attempt starts the process once. Without success nothing is left open.
func (p *process) attempt(j *job, bell bool) (err error) {
	starting.Lock()
	defer starting.Unlock()
	defer func() {
		if err != nil {
			p.pidfd = -1 // the kernel's leftover, if anything
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

// abandon kills a process that cannot be watched.
func (p *process) abandon(err error) error {
	if p.remote != nil {
		p.remote.signal(syscall.SIGKILL)
		return fmt.Errorf("process %d had to be killed: %w", p.pid, err)
	}
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	p.unguard()
	_, _ = reap(p.pid)
	return fmt.Errorf("process %d had to be killed: %w", p.pid, err)
}

// open makes the descriptors, before there is a process that would be lost if
// one could not be had.
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

// free returns back what the process took. p belongs to others then.
func (p *process) free() {
	p.close()
	p.stdout.limit, p.stderr.limit = MaxStdout, MaxStderr // which a Room may have lowered
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
