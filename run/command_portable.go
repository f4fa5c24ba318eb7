//go:build unix

package run

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// executePortable runs a process with nothing but what package os offers on
// every Unix: a goroutine for each stream and one for the process, all of
// which it waits for.
func executePortable(ctx context.Context, j job) (reply hook.Reply, started bool, err error) {
	ctx, cancel := j.limit(ctx)
	defer cancel()
	p := &child{
		stdout: reader{capture: capture{limit: MaxStdout}},
		stderr: reader{capture: capture{limit: MaxStderr}},
	}
	defer p.close()
	if err := p.start(ctx, &j); err != nil {
		return hook.Reply{}, false, startError(&j, err)
	}
	state, err := p.wait(ctx, j.grace)
	p.rest(err == nil)
	reply = output(&p.stdout.capture, &p.stderr.capture)
	if state == nil {
		return reply, true, err
	}
	reply.Exit = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		reply.Signal = status.Signal()
	}
	return reply, true, err
}

// child is a process and our ends of its pipes.
type child struct {
	process        *os.Process
	stdin          *os.File
	stdout, stderr reader
	moving         sync.WaitGroup // the goroutines that move data
}

type reader struct {
	capture
	file *os.File
}

func (p *child) start(ctx context.Context, j *job) error {
	var theirs [3]*os.File
	defer func() {
		for _, file := range theirs {
			_ = file.Close() // of nil is an error, no more
		}
	}()
	var err error
	if theirs[0], p.stdin, err = os.Pipe(); err != nil {
		return err
	}
	if p.stdout.file, theirs[1], err = os.Pipe(); err != nil {
		return err
	}
	if p.stderr.file, theirs[2], err = os.Pipe(); err != nil {
		return err
	}
	attr := &os.ProcAttr{Dir: j.dir, Env: j.env, Files: theirs[:], Sys: &syscall.SysProcAttr{Setpgid: !j.noTerminal, Setsid: j.noTerminal}}
	err = whileBusy(ctx, func() (err error) {
		p.process, err = os.StartProcess(j.program, j.argv, attr)
		return err
	})
	if err != nil {
		return err
	}
	p.moving.Go(func() {
		_, _ = p.stdin.Write(j.stdin) // a child that does not read it is no error
		_ = p.stdin.Close()
	})
	p.moving.Go(p.stdout.readAll)
	p.moving.Go(p.stderr.readAll)
	return nil
}

func (r *reader) readAll() {
	for {
		n, err := r.file.Read(r.room())
		r.took(n)
		if err != nil {
			return
		}
	}
}

// wait waits until the process is gone. There is no state if it never went.
func (p *child) wait(ctx context.Context, grace time.Duration) (*os.ProcessState, error) {
	gone := make(chan collect, 1) // room for it: nobody may be there to take it
	go func() { gone <- awaitExit(p.process) }()
	select {
	case get := <-gone:
		return get()
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	for _, ask := range [...]struct {
		signal   syscall.Signal
		patience time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, mourning}} {
		_ = syscall.Kill(-p.process.Pid, ask.signal)
		select {
		case get := <-gone:
			_ = syscall.Kill(-p.process.Pid, syscall.SIGKILL)
			state, _ := get()
			return state, cause
		case <-time.After(ask.patience):
		}
	}
	go func() { _, _ = (<-gone)() }()
	return nil, stuckError(p.process.Pid, cause)
}

// rest stops the goroutines, and reads what is left in the pipes.
func (p *child) rest(patiently bool) {
	past := time.Unix(1, 0)
	_ = p.stdin.SetWriteDeadline(past)
	_ = p.stdout.file.SetReadDeadline(past)
	_ = p.stderr.file.SetReadDeadline(past)
	p.moving.Wait()
	eof := p.stdout.rest()
	if patiently && !eof && len(p.stdout.kept) == 0 {
		_ = p.stdout.file.SetReadDeadline(time.Now().Add(patience))
		n, _ := p.stdout.file.Read(p.stdout.room())
		p.stdout.took(n)
		p.stdout.rest()
	}
	p.stderr.rest()
}

// rest reads what is in the pipe, which holds less than a megabyte.
func (r *reader) rest() (eof bool) {
	_ = r.file.SetReadDeadline(time.Time{})
	raw, err := r.file.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Read(func(fd uintptr) bool {
		eof = drain(int(fd), &r.capture, 1<<20)
		return true
	})
	return eof || err != nil
}

func (p *child) close() {
	for _, file := range [...]*os.File{p.stdin, p.stdout.file, p.stderr.file} {
		_ = file.Close()
	}
}
