package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// nodeSpares is the number of Node processes that wait for calls of one command.
const nodeSpares = 2

// node keeps Node processes that have started and wait before the script.
type node struct {
	pool  *Warm
	found interpreter
	env   []string
	dir   string
	noTTY bool
	was   fileStamp // stamp of the interpreter's file

	uses
	spares []*spare // guarded by uses.mu
	filled bool     // a goroutine is starting more
}

// spare is a process that waits for its one call.
type spare struct {
	*process
	stdin int // the pipe for the payload
	start int // the pipe for the call; if it is closed without a call, the process ends
}

// startNode prepares a command's interpreter.
func startNode(w *Warm, base job) (keeper, error) {
	found, note := interpreterOf(base)
	if note != "" {
		return nil, errors.New(note)
	}
	dir, err := w.loader()
	if err != nil {
		return nil, err
	}
	loader := []string{"--require", filepath.Join(dir, "warm.cjs")}
	if err := w.probe(found, base.env, base.dir, append(loader, found.argv[1:1+found.flags]...), "-e", "process.exit(3)"); err != nil {
		return nil, err
	}
	found.argv = slices.Insert(slices.Clone(found.argv), 1, loader...)
	n := &node{pool: w, found: found, dir: base.dir, noTTY: base.noTerminal, was: stampOf(found.program),
		env: append(slices.Clip(slices.Clone(base.env)), "SNAPHOOK_WARM=3:"+filepath.Join(dir, "cache"))}
	return n, n.fill()
}

// fill starts processes until there are enough spares.
func (n *node) fill() error {
	for {
		n.mu.Lock()
		full := len(n.spares) >= nodeSpares || n.retired || n.closed
		n.mu.Unlock()
		if full {
			return nil
		}
		s, err := n.spawn()
		if err != nil {
			return err
		}
		n.mu.Lock()
		late := n.retired || n.closed
		if !late {
			n.spares = append(n.spares, s)
		}
		n.mu.Unlock()
		if late {
			s.dismiss()
		}
	}
}

// spawn starts a spare.
func (n *node) spawn() (s *spare, err error) {
	s = &spare{process: processes.Get().(*process), stdin: -1, start: -1}
	defer func() {
		if err != nil {
			closeFD(&s.stdin)
			closeFD(&s.start)
			s.pidfd = -1
			s.free()
			s = nil
		}
	}()
	if err := s.open(nil, true); err != nil {
		return s, err
	}
	closeFD(&s.theirs[0])
	var in, start [2]int
	if err := unix.Pipe2(in[:], unix.O_CLOEXEC); err != nil {
		return s, err
	}
	s.theirs[0], s.stdin = in[0], in[1]
	if err := unix.Pipe2(start[:], unix.O_CLOEXEC); err != nil {
		return s, err
	}
	s.start = start[1]
	defer unix.Close(start[0])
	attr := &syscall.ProcAttr{
		Dir:   n.dir,
		Env:   n.env,
		Files: []uintptr{uintptr(s.theirs[0]), uintptr(s.theirs[1]), uintptr(s.theirs[2]), uintptr(start[0])},
		Sys:   &syscall.SysProcAttr{Setpgid: !n.noTTY, Setsid: n.noTTY, PidFD: &s.pidfd, Pdeathsig: syscall.SIGKILL},
	}
	if !n.pool.fork(func() { s.pid, err = syscall.ForkExec(n.found.program, n.found.argv, attr) }) {
		err = hook.ErrClosed
	}
	if err != nil {
		return s, err
	}
	for i := range s.theirs {
		closeFD(&s.theirs[i])
	}
	if s.pidfd < 0 {
		return s, s.abandon(errors.New("the kernel returned no pidfd for the process"))
	}
	return s, nil
}

// run passes a call to a spare.
func (n *node) run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error) {
	if stampOf(n.found.program) != n.was {
		return reply, false, true, nil
	}
	s := n.take()
	if s == nil {
		return reply, false, n.gone(), nil
	}
	defer n.unuse(n.close)
	defer n.ended()
	if !s.begin(j, changes) {
		s.dismiss()
		return reply, false, false, nil
	}
	s.guardBy(&n.pool.guard)
	reply, err = s.watch(ctx, &j)
	if errors.Is(err, errDeclared) {
		ctx, done := j.detach(s.wish)
		go s.background(ctx, j.grace, done)
		return hook.Reply{}, true, false, hook.ErrDetached
	}
	s.free()
	return reply, true, false, err
}

func (n *node) gone() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.retired || n.closed
}

// take returns a spare. Its replacement is started when the call has ended, to leave the processors to the call, or at
// once if no spare is left.
func (n *node) take() (s *spare) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.retired || n.closed {
		return nil
	}
	if len(n.spares) > 0 {
		s, n.spares = n.spares[0], n.spares[1:]
		n.running++
	}
	if len(n.spares) == 0 {
		n.refill()
	}
	return s
}

// ended replaces used processes after a call.
func (n *node) ended() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refill()
}

// refill starts missing spares in the background. The caller has locked n.
func (n *node) refill() {
	if len(n.spares) < nodeSpares && !n.filled && !n.retired && !n.closed {
		n.filled = true
		go n.keepFull()
	}
}

// keepFull starts processes until there are enough spares. If one does not start, keepFull stops; a call without a
// spare starts cold and reports the reason.
func (n *node) keepFull() {
	for done := false; !done; {
		err := n.fill()
		n.mu.Lock()
		done = err != nil || len(n.spares) >= nodeSpares || n.retired || n.closed
		n.filled = !done
		n.mu.Unlock()
	}
}

// begin sends the call. It returns false if the process has not begun the call.
func (s *spare) begin(j job, changes []string) bool {
	one := []unix.PollFd{
		{Fd: int32(s.pidfd), Events: unix.POLLIN},
		{Fd: int32(s.stdout.fd), Events: unix.POLLIN},
		{Fd: int32(s.stderr.fd), Events: unix.POLLIN},
	}
	if n, err := unix.Poll(one, 0); n != 0 || err != nil {
		return false // the process has ended, or has printed something before its call
	}
	text := strings.Join(append(changes, "run"), "\x00")
	if !utf8.ValidString(text) || !writeAll(s.stdin, j.stdin) {
		return false
	}
	closeFD(&s.stdin)
	done := writeAll(s.start, []byte(text))
	closeFD(&s.start)
	return done
}

// writeAll writes text to a pipe without waiting, and reports whether all of it fitted.
func writeAll(fd int, text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
		return false
	}
	n, err := unix.Write(fd, text)
	return err == nil && n == len(text)
}

// dismiss ends a process that has received no call.
func (s *spare) dismiss() {
	closeFD(&s.start)
	_ = syscall.Kill(-s.pid, syscall.SIGKILL)
	_, _, _ = reap(s.pid)
	closeFD(&s.stdin)
	s.free()
}

// retire ends the spares.
func (n *node) retire() { n.uses.retire(n.close) }

// close ends the spares. A process with a call ends after that call.
func (n *node) close() {
	n.end()
	n.mu.Lock()
	spares := n.spares
	n.spares = nil
	n.mu.Unlock()
	for _, s := range spares {
		s.dismiss()
	}
}
