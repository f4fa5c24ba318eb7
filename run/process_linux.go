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
	"github.com/snaphook-go/snaphook/internal/processor"
)

// The constants are the indexes of the polled descriptors.
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
	rang           chan struct{} // gets a token after the bell was written to
	remote         *remoteCall   // the process of a warm interpreter, or nil; if it is set, pidfd is the status pipe
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

// attempt starts the process once. On failure no descriptor stays open.
func (p *process) attempt(j *job, bell bool) (err error) {
	starting.Lock()
	defer starting.Unlock()
	defer func() {
		if err != nil {
			p.pidfd = -1 // the kernel may have set pidfd although the start failed
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
	p.stdout.limit, p.stderr.limit = MaxStdout, MaxStderr // a Room may have lowered the limits
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

// errDeclared interrupts watching: the process has declared that it continues in the background.
var errDeclared = errors.New("declared to go on in the background")

// watch watches a process until it ends, and returns its result.
func (p *process) watch(ctx context.Context, j *job) (hook.Reply, error) {
	status, err := p.wait(ctx, j)
	if errors.Is(err, errDeclared) {
		return hook.Reply{}, err
	}
	reply := output(&p.stdout.capture, &p.stderr.capture)
	reply.Granted, reply.Processor = j.stretch.granted, p.ran
	reply.Exit = status.ExitStatus()
	if status.Signaled() {
		reply.Exit, reply.Signal = -1, status.Signal()
	}
	return reply, err
}

// background watches a process that no caller waits for.
func (p *process) background(ctx context.Context, grace time.Duration, done func(hook.Reply, error)) {
	var rung [8]byte
	_, _ = unix.Read(p.bell, rung[:]) // clears the bell of the previous context
	reply, err := p.watch(ctx, &job{grace: grace})
	p.free()
	done(reply, err)
}

// wait watches the process until it has ended, or has declared that it continues in the background.
func (p *process) wait(ctx context.Context, j *job) (syscall.WaitStatus, error) {
	stop := p.listen(ctx)
	defer func() {
		if stop != nil && !stop() {
			<-p.rang // wait until the bell is unused before closing it
		}
	}()
	var e termination
	if j.pid != nil {
		j.pid.Store(int64(p.pid))
		defer j.pid.Store(0)
	}
	p.ran = 0
	start := time.Now()
	if j.timeout > 0 {
		e.next = start.Add(j.timeout)
		j.stretch = newStretch(j.timeout, j.factor)
		j.stretch.start(start, j.timeout)
	}
	for {
		until := earliest(e.next, p.guardAt, j.stretch.lookAt)
		// Readiness of a pidfd is a state, not an event: an exit before the call is seen too.
		if err := p.poll(until); err != nil {
			return 0, p.abandon(err)
		}
		rang := p.polled[pollBell].Revents != 0
		switch {
		case p.polled[pollProcess].Revents != 0:
			return p.finish(e.cause)
		case (rang || e.due()) && p.exited(): // this process may have been suspended after the poll
			return p.finish(e.cause)
		case !rang && e.sent == 0 && p.extend(j, &e, start):
		case rang || e.due():
			if err := p.hasten(ctx, j, &e, rang); err != nil {
				return 0, err
			}
		case j.detach != nil && e.cause == nil && p.declares():
			return 0, errDeclared
		}
		if !p.guardAt.IsZero() && !time.Now().Before(p.guardAt) {
			p.guardBy(&commands)
		}
		if at := j.stretch.lookAt; !at.IsZero() && !time.Now().Before(at) {
			p.lookEarly(j, &e)
		}
	}
}

// earliest returns the earliest of times that are not zero.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if first.IsZero() || !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first
}

// machineLoad is a variable for tests.
var machineLoad = processor.Load

// lookEarly looks at the process before its limit, and sets the time of the next look.
func (p *process) lookEarly(j *job, e *termination) {
	next := j.stretch.lookAt.Add(j.timeout / looksIn)
	if e.sent > 0 || !next.Before(e.next) { // no further look is due before the limit, and extend looks at the limit
		next = time.Time{}
	}
	j.stretch.lookAt = next
	if e.sent == 0 {
		j.stretch.look(time.Now(), processor.TimesOf(p.pid), machineLoad())
	}
}

// extend lengthens the time limit, which has been reached, by the time for which the process and its descendants waited
// for a processor. It reports whether the limit has changed.
func (p *process) extend(j *job, e *termination, start time.Time) bool {
	if !e.due() || j.stretch.most <= 0 {
		return false
	}
	now := time.Now()
	waited := j.stretch.look(now, processor.TimesOf(p.pid), machineLoad())
	more := j.stretch.extend(min(waited, now.Sub(start)))
	e.next = e.next.Add(more)
	return more > 0
}

// guardBy makes g watch the process until unguard is called.
func (p *process) guardBy(g *guardian) {
	p.guardAt, p.guard = time.Time{}, g
	g.watch(p.pid)
}

// unguard stops the guardian's watch. Call it before the process is reaped or abandoned.
func (p *process) unguard() {
	p.guard.release(p.pid)
	p.guard = nil
}

// termination tracks the signals sent to a process that has to end.
type termination struct {
	cause error     // why it is killed
	sent  int       // number of signals sent
	next  time.Time // time of the next signal; zero: never
}

func (e *termination) due() bool { return !e.next.IsZero() && !time.Now().Before(e.next) }

// hasten sends the next, harsher signal. It returns an error if no signal is left.
func (p *process) hasten(ctx context.Context, j *job, e *termination, rang bool) error {
	switch e.sent++; e.sent {
	case 1:
		p.polled[pollBell].Fd = -1
		if e.cause = j.timedOut(); rang {
			e.cause = context.Cause(ctx)
		}
		e.next = time.Now().Add(j.grace)
		p.signal(syscall.SIGTERM)
		if !p.guardAt.IsZero() { // the guardian kills the group if the engine ends now
			p.guardBy(&commands)
		}
	case 2:
		e.next = time.Now().Add(killWait)
		p.signal(syscall.SIGKILL)
	default:
		if p.guard != nil {
			p.unguard()
		}
		if p.remote == nil {
			go func(pid int) { _, _, _ = reap(pid) }(p.pid) // without p, which is reused for another process
		}
		return stuckError(p.pid, e.cause)
	}
	return nil
}

// declares reports whether the process has just declared that it continues in the background.
func (p *process) declares() (declared bool) {
	p.wish, declared = p.marker.scan(p.stdout.kept)
	return declared
}

// signal sends a signal to the group, and to descendants that have left it.
func (p *process) signal(signal syscall.Signal) {
	p.strays = append(p.strays, strays(p.pid)...) // strays are searched for before their parents end
	if p.remote != nil {
		p.remote.signal(signal)
	} else {
		_ = syscall.Kill(-p.pid, signal)
	}
	signalAll(p.strays, signal)
}

// listen makes the end of ctx write to the bell.
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

// poll waits until a descriptor is ready, and reads the available output.
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

// exited reports whether the process has ended.
func (p *process) exited() bool {
	polled := p.polled[pollProcess : pollProcess+1]
	n, err := unix.Poll(polled, 0)
	return err == nil && n > 0 && polled[0].Revents != 0
}

// milliseconds returns the timeout of a poll that ends at the time then, rounded up; -1 if then is zero.
func milliseconds(then time.Time) int {
	if then.IsZero() {
		return -1
	}
	left := time.Until(then)
	return int(max(left+time.Millisecond-1, 0) / time.Millisecond)
}

// finish reaps a process that has ended, and reads the rest of its output.
func (p *process) finish(cause error) (syscall.WaitStatus, error) {
	if cause != nil {
		// No other group can get this id until the leader is reaped.
		if p.remote == nil {
			_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		}
		signalAll(p.strays, syscall.SIGKILL)
	}
	if p.guard != nil {
		p.unguard()
	}
	var status syscall.WaitStatus
	var err error
	if p.remote != nil {
		status = p.remote.status(p)
	} else {
		status, p.ran, err = reap(p.pid)
	}
	if cause != nil {
		err = cause
	}
	p.stdout.rest()
	if err == nil && p.stdout.fd >= 0 && p.stdout.size() == 0 {
		p.scanMarker()
	}
	p.stderr.rest()
	return status, err
}

// scanMarker waits up to patience for the first bytes on standard output, or its end, and reads the available output.
func (p *process) scanMarker() {
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

// reap collects a process, and returns the processor time of the process and of the descendants that it has collected.
func reap(pid int) (status syscall.WaitStatus, ran time.Duration, err error) {
	var used syscall.Rusage
	for {
		_, err := syscall.Wait4(pid, &status, 0, &used)
		if err == nil {
			return status, time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
		}
		if err != syscall.EINTR {
			return 0, 0, fmt.Errorf(
				"the exit status of process %d is lost: %w; the program must not collect the engine's children",
				pid,
				err,
			)
		}
	}
}

// abandon kills a process that cannot be watched.
func (p *process) abandon(err error) error {
	if p.remote != nil {
		p.remote.signal(syscall.SIGKILL)
		return fmt.Errorf("process %d had to be killed: %w", p.pid, err)
	}
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	if p.guard != nil {
		p.unguard()
	}
	_, _, _ = reap(p.pid)
	return fmt.Errorf("process %d had to be killed: %w", p.pid, err)
}
