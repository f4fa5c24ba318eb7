package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// listMost limits the text of a list, in bytes.
const listMost = 16 << 20

// python is a resident interpreter that forks for each call.
type python struct {
	proc    *os.Process
	control int      // a socket for packets
	output  *os.File // output of the interpreter itself

	own   string // the directory to which the interpreter writes its list of files
	list  atomic.Pointer[fileList]
	calls atomic.Uint64
	told  ids // ids of ended calls that the interpreter does not know yet
	uses
}

// startPython starts the interpreter of a command with the command's options and environment.
func startPython(w *Warm, base job) (keeper, error) {
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
	p := &python{own: dir}
	if err := p.start(w, found, append(env, "SNAPHOOK_WARM=3:"+had+":"+found.script()), base.dir); err != nil {
		return nil, err
	}
	return p, nil
}

// start starts the process of the interpreter.
func (p *python) start(w *Warm, found interpreter, env []string, dir string) (err error) {
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
	stdin, end, err := os.Pipe() // pipes, because the interpreter uses its streams before it gets those of the call
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
		}} // the interpreter kills its calls when its socket is closed, and must therefore outlive this process
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

// run sends a call to the interpreter and watches the process that it forks.
func (p *python) run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error) {
	if p.spoke() {
		// The interpreter itself prints something when it starts; a cold run has this text in its output each time.
		return reply, false, true, nil
	}
	if !p.use() {
		return reply, false, true, nil
	}
	q := processes.Get().(*process)
	how := p.begin(ctx, q, &j, changes)
	if how == newList && p.readList() {
		q.close()
		how = p.begin(ctx, q, &j, changes)
	}
	if how != begun {
		q.free()
		p.unuse(p.close)
		return reply, false, how != notBegun, nil
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

// spoke reports whether the interpreter printed something itself.
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

// beginning is the result of trying to start a call.
type beginning int

const (
	notBegun beginning = iota // the call has not begun
	begun
	outOfDate // the call has not begun, and the interpreter must be replaced
	newList   // the call has not begun: the interpreter has written a new list of files
)

// begin starts a call.
func (p *python) begin(ctx context.Context, q *process, j *job, changes []string) beginning {
	if err := q.open(j.stdin, ctx.Done() != nil || j.detach != nil); err != nil {
		return notBegun
	}
	var status, start [2]int
	if unix.Pipe2(status[:], unix.O_CLOEXEC) != nil {
		return notBegun
	}
	q.pidfd = status[0]
	if unix.Pipe2(start[:], unix.O_CLOEXEC) != nil {
		_ = unix.Close(status[1])
		return notBegun
	}
	line := startLine{r: start[0], w: start[1]}
	defer line.close()
	id := strconv.FormatUint(p.calls.Add(1), 10)
	flags, dir := "p", cmp.Or(j.dir, ".")
	if j.noTerminal {
		flags = "s"
	}
	list := p.list.Load()
	rights := unix.UnixRights(q.theirs[0], q.theirs[1], q.theirs[2], status[1], start[0])
	err := p.told.handOver(func(told string) error {
		packet := append([]string{"run", id, flags, dir, told, list.number()}, changes...)
		return p.send(strings.Join(packet, "\x00"), rights, unix.MSG_DONTWAIT)
	})
	_ = unix.Close(status[1])
	for i := range q.theirs {
		closeFD(&q.theirs[i])
	}
	switch {
	case errors.Is(err, unix.EMSGSIZE), errors.Is(err, unix.EAGAIN): // these errors concern only this call
		return notBegun
	case err != nil, !list.holds(j.dir): // the list is checked while the process gets ready
		return outOfDate
	}
	line.start() // if there is no process, await sees the end of the status pipe
	q.remote = &remoteCall{id: id, python: p}
	return q.remote.await(q, &line)
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

// listPath returns the file to which the interpreter writes its list.
func (p *python) listPath() string {
	return filepath.Join(p.own, fmt.Sprint("files-", p.proc.Pid))
}

// readList reads the current list.
func (p *python) readList() bool {
	f, _, err := bounded.Open(p.listPath())
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, listMost+1))
	if err != nil || len(text) > listMost {
		return false
	}
	l, err := parseList(string(text))
	if err == nil {
		p.list.Store(l)
	}
	return err == nil
}

// close ends the interpreter and its running calls.
func (p *python) close() {
	if !p.end() {
		return
	}
	_ = unix.Shutdown(p.control, unix.SHUT_RDWR)
	endProcess(p.proc)
	closeFD(&p.control)
	_ = p.output.Close()
	_ = os.Remove(p.listPath())
}
