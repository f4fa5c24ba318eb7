package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// python is a resident interpreter that forks for each call.
type python struct {
	proc    *os.Process
	control int      // a socket of packets
	output  *os.File // what the interpreter itself prints

	calls atomic.Uint64
	uses
}

// startPython starts the interpreter of a command, as for the command itself.
func (w *Warm) startPython(base job) (keeper, error) {
	found, note := interpreterOf(base)
	if note != "" {
		return nil, errors.New(note)
	}
	dir, err := w.loader()
	if err != nil {
		return nil, err
	}
	env, had := make([]string, 0, len(base.env)+2), "="
	for _, entry := range base.env {
		if value, ok := strings.CutPrefix(entry, "PYTHONPATH="); ok {
			if had = "+"; value == "" {
				return nil, errors.New("PYTHONPATH is set and empty; unset it")
			}
			entry = "PYTHONPATH=" + dir + ":" + value
		}
		env = append(env, entry)
	}
	if had == "=" {
		env = append(env, "PYTHONPATH="+dir)
	}
	if err := w.probe(found, env, base.dir, found.argv[1:1+found.flags], "-c", "raise SystemExit(3)"); err != nil {
		return nil, err
	}
	p := &python{}
	if err := w.startResident(p, found, append(env, "SNAPHOOK_WARM=3:"+had+":"+found.script()), base.dir); err != nil {
		return nil, err
	}
	return p, nil
}

// startResident starts the process of p.
func (w *Warm) startResident(p *python, found interpreter, env []string, dir string) (err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	p.control = pair[0]
	_ = unix.SetsockoptTimeval(p.control, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 1})
	defer func() {
		if err != nil {
			closeFD(&p.control)
		}
	}()
	stdin, end, err := os.Pipe() // pipes, since the interpreter looks at its streams before the call's are there
	if err != nil {
		return err
	}
	end.Close()
	defer stdin.Close()
	output, printed, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	attr := &os.ProcAttr{Dir: dir, Env: env, Files: []*os.File{stdin, printed, printed, theirs},
		Sys: &syscall.SysProcAttr{
			Setpgid: true,
		}} // at the end of its socket it kills its calls: it must outlive us by so much
	if !w.fork(func() { p.proc, err = os.StartProcess(found.program, found.argv, attr) }) {
		err = hook.ErrClosed
	}
	if err != nil {
		output.Close()
		return err
	}
	p.output = output
	return nil
}

// run hands a call to the interpreter and watches the process that it forks.
func (p *python) run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error) {
	if p.spoke() {
		return reply, false, true, nil // at each start it prints something, which belongs to the hook
	}
	if !p.use() {
		return reply, false, true, nil
	}
	q := processes.Get().(*process)
	started, stale := p.begin(ctx, q, &j, changes)
	if !started {
		q.free()
		p.unuse(p.close)
		return reply, false, stale, nil
	}
	reply, err = q.watch(ctx, &j)
	lost := q.remote.lost
	if errors.Is(err, errDeclared) {
		ctx, done := j.detach(q.wish)
		go q.background(ctx, j.grace, func(reply hook.Reply, err error) {
			p.unuse(p.close)
			done(reply, err)
		})
		return hook.Reply{}, true, false, hook.ErrDetached
	}
	q.free()
	p.unuse(p.close)
	return reply, true, lost, err
}

// retire ends the interpreter when its last call has ended.
func (p *python) retire() { p.uses.retire(p.close) }

// spoke reports whether the interpreter has printed something of its own.
func (p *python) spoke() bool {
	conn, err := p.output.SyscallConn()
	if err != nil {
		return true
	}
	n := 1
	if conn.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) != nil || err != nil {
		return true
	}
	return n > 0
}

// begin starts a call. Without success nothing of it has happened.
func (p *python) begin(ctx context.Context, q *process, j *job, changes []string) (started, stale bool) {
	if err := q.open(j.stdin, ctx.Done() != nil || j.detach != nil); err != nil {
		return false, false
	}
	var status [2]int
	if unix.Pipe2(status[:], unix.O_CLOEXEC) != nil {
		return false, false
	}
	q.pidfd = status[0]
	id := strconv.FormatUint(p.calls.Add(1), 10)
	flags := "p"
	if j.noTerminal {
		flags = "s"
	}
	dir := j.dir
	if dir == "" {
		dir = "."
	}
	packet := strings.Join(append([]string{"run", id, flags, dir}, changes...), "\x00")
	err := p.send(packet, unix.UnixRights(q.theirs[0], q.theirs[1], q.theirs[2], status[1]), unix.MSG_DONTWAIT)
	_ = unix.Close(status[1])
	for i := range q.theirs {
		closeFD(&q.theirs[i])
	}
	if err != nil {
		return false, !errors.Is(err, unix.EMSGSIZE) && !errors.Is(err, unix.EAGAIN) // those are about this call
	}
	q.remote = &remote{id: id, python: p}
	return q.remote.await(q)
}

// send sends a packet to the interpreter.
func (p *python) send(packet string, rights []byte, flags int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return hook.ErrClosed
	}
	return unix.Sendmsg(p.control, []byte(packet), rights, nil, unix.MSG_NOSIGNAL|flags)
}

// close ends the interpreter, and the calls that still run.
func (p *python) close() {
	if !p.end() {
		return
	}
	_ = unix.Shutdown(p.control, unix.SHUT_RDWR)
	endProcess(p.proc)
	closeFD(&p.control)
	_ = p.output.Close()
}

// remote is a process that a resident interpreter has forked. Its parent tells
// how it ends.
type remote struct {
	id     string
	python *python
	read   []byte // of the status, and not yet used
	lost   bool   // the interpreter has ended before the call
}

// await waits until the process leads its group.
func (r *remote) await(q *process) (started, stale bool) {
	until := time.Now().Add(warmReady)
	for {
		line, eof := r.line(q.pidfd, until)
		switch {
		case strings.HasPrefix(line, "p"):
			pid, err := strconv.Atoi(line[1:])
			q.pid = pid
			return err == nil, err != nil
		case line != "" || eof || !time.Now().Before(until):
			return false, true
		}
	}
}

// line reads a line of the status; "" if there is none until then.
func (r *remote) line(fd int, until time.Time) (line string, eof bool) {
	for {
		if text, rest, ok := bytes.Cut(r.read, []byte("\n")); ok {
			r.read = rest
			return string(text), false
		}
		one := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(one, milliseconds(until))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return "", err != nil
		}
		buffer := make([]byte, 512)
		n, err = unix.Read(fd, buffer)
		if n <= 0 && err != unix.EINTR {
			return "", true
		}
		r.read = append(r.read, buffer[:max(n, 0)]...)
	}
}

// signal sends a signal to the group of the process, unless it is gone.
func (r *remote) signal(s syscall.Signal) {
	_ = r.python.send(fmt.Sprintf("kill\x00%s\x00%d", r.id, int(s)), nil, 0)
}

// status returns how the process ended. If the interpreter has ended, what is
// left of the call is killed, and counts as killed.
func (r *remote) status(q *process) syscall.WaitStatus {
	line, _ := r.line(q.pidfd, time.Now().Add(warmReady))
	code, err := strconv.Atoi(strings.TrimPrefix(line, "e"))
	if line == "" || err != nil {
		r.lost = true
		_ = syscall.Kill(-q.pid, syscall.SIGKILL)
		return syscall.WaitStatus(syscall.SIGKILL)
	}
	return syscall.WaitStatus(code)
}
