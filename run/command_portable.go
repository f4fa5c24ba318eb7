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

// executePortable runs a process with only the functions that package os offers on every Unix. On
// Linux that process ends when the engine's process ends.
func executePortable(ctx context.Context, j job) (hook.Reply, bool, error) {
	return bound(ctx, j, executeStreams)
}

// executeStreams runs a process with a goroutine for each stream and one for the process. It waits
// for all these goroutines.
func executeStreams(ctx context.Context, j job) (hook.Reply, bool, error) {
	ctx, cancel := j.limit(ctx)
	defer cancel()
	p := newChild(&j)
	err := p.start(ctx, &j)
	if j.held != nil {
		_ = j.held.Close() // already read
	}
	if err != nil {
		p.close()
		return hook.Reply{}, false, startError(&j, err)
	}
	if wish, declared := p.watch(ctx); declared {
		ctx, done := j.detach(wish)
		j.later(func() { done(p.end(ctx, j.grace)) })
		return hook.Reply{}, true, hook.ErrDetached
	}
	reply, err := p.end(ctx, j.grace)
	return reply, true, err
}

// childProcess is a process and the engine's ends of its pipes.
type childProcess struct {
	process        *os.Process
	stdin          *os.File
	stdout, stderr pipeReader
	filter         outputFilter
	moving         sync.WaitGroup          // goroutines that copy data
	stopAsking     context.CancelCauseFunc // cancels the question that the user is asked
	gone           chan struct{}           // closed when the process has ended
	state          collect                 // set before gone is closed
	ward           ward
}

type pipeReader struct {
	capture
	file   *os.File
	filter *outputFilter // nil: the output is not filtered
}

func newChild(j *job) *childProcess {
	p := &childProcess{
		stdout:     pipeReader{capture: capture{limit: MaxStdout, shared: j.room}},
		stderr:     pipeReader{capture: capture{limit: MaxStderr, shared: j.room}},
		filter:     newOutputFilter(j),
		stopAsking: func(error) {},
		gone:       make(chan struct{}),
	}
	p.stdout.filter, p.stdout.inOne = &p.filter, p.filter.questions != nil
	return p
}

// watch waits until the process has ended, has to end, or has declared that it continues in the background.
func (p *childProcess) watch(ctx context.Context) (wish time.Duration, declared bool) {
	select {
	case <-p.gone:
	case <-ctx.Done():
	case wish = <-p.filter.declared:
		return wish, true
	}
	return 0, false
}

// end waits until the process has ended, and returns the result.
func (p *childProcess) end(ctx context.Context, grace time.Duration) (hook.Reply, error) {
	defer p.close()
	state, err := p.wait(ctx, grace)
	p.rest(err == nil)
	reply := output(&p.stdout.capture, &p.stderr.capture)
	if state == nil {
		return reply, err
	}
	reply.Exit = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		reply.Signal = status.Signal()
	}
	return reply, err
}

func (p *childProcess) start(ctx context.Context, j *job) error {
	var theirs [3]*os.File
	defer func() {
		for _, file := range theirs {
			_ = file.Close() // Close of a nil file returns an error
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
	attr := &os.ProcAttr{
		Dir:   j.dir,
		Env:   j.env,
		Files: theirs[:],
		Sys:   boundTo(&syscall.SysProcAttr{Setpgid: !j.noTerminal, Setsid: j.noTerminal}),
	}
	err = whileBusy(ctx, func() (err error) {
		p.process, err = os.StartProcess(j.program, j.argv, attr)
		return err
	})
	if err != nil {
		return err
	}
	p.moving.Go(p.stdout.readAll)
	p.moving.Go(p.stderr.readAll)
	p.feed(ctx, j)
	p.ward.begin(p.process.Pid)
	go func() {
		p.state = awaitExit(p.process)
		close(p.gone)
	}()
	return nil
}

// feed writes the payload. Then it ends standard input, unless the process may ask.
func (p *childProcess) feed(ctx context.Context, j *job) {
	if p.filter.questions == nil {
		p.moving.Go(func() {
			_, _ = p.stdin.Write(j.stdin) // a child that does not read it is not an error
			_ = p.stdin.Close()
		})
		return
	}
	// If the process goes to the background, a question outlives ctx.
	ctx, p.stopAsking = context.WithCancelCause(context.WithoutCancel(ctx))
	p.moving.Go(func() { p.filter.questions.serve(ctx, j.stdin, p.stdin) })
}

func (r *pipeReader) readAll() {
	for {
		n, err := r.file.Read(r.room())
		r.received(n)
		if err != nil {
			return
		}
	}
}

// received records n bytes that were read, and filters the output.
func (r *pipeReader) received(n int) {
	r.took(n)
	r.scanMarker()
}

func (r *pipeReader) scanMarker() {
	if r.filter != nil {
		r.filter.listen(&r.capture)
	}
}

// wait waits until the process has ended. The state is nil if the process has not ended.
func (p *childProcess) wait(ctx context.Context, grace time.Duration) (*os.ProcessState, error) {
	defer p.ward.end()
	select {
	case <-p.gone:
		p.ward.end()
		return p.state()
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	for _, ask := range [...]struct {
		signal   syscall.Signal
		patience time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, killWait}} {
		_ = syscall.Kill(-p.process.Pid, ask.signal)
		p.stopAsking(cause) // after the signal: the process must not take the end of standard input for an answer
		select {
		case <-p.gone:
			_ = syscall.Kill(-p.process.Pid, syscall.SIGKILL)
			p.ward.end()
			state, _ := p.state()
			return state, cause
		case <-time.After(ask.patience):
		}
	}
	go func() { // only reaps the process
		<-p.gone
		_, _ = p.state()
	}()
	return nil, stuckError(p.process.Pid, cause)
}

// rest stops the goroutines and reads the rest of the output from the pipes.
func (p *childProcess) rest(patiently bool) {
	p.stopAsking(errEnded)
	past := time.Unix(1, 0)
	_ = p.stdin.SetWriteDeadline(past)
	_ = p.stdout.file.SetReadDeadline(past)
	_ = p.stderr.file.SetReadDeadline(past)
	p.moving.Wait()
	eof := p.stdout.rest()
	if patiently && !eof && p.stdout.size() == 0 {
		_ = p.stdout.file.SetReadDeadline(time.Now().Add(patience))
		n, _ := p.stdout.file.Read(p.stdout.room())
		p.stdout.took(n)
		p.stdout.rest()
	}
	p.stderr.rest()
}

// rest reads the rest of the output from the pipe, about a megabyte at most.
func (r *pipeReader) rest() (eof bool) {
	_ = r.file.SetReadDeadline(time.Time{})
	raw, err := r.file.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Read(func(fd uintptr) bool {
		eof = drain(int(fd), &r.capture, 1<<20)
		return true
	})
	r.scanMarker()
	return eof || err != nil
}

func (p *childProcess) close() {
	for _, file := range [...]*os.File{p.stdin, p.stdout.file, p.stderr.file} {
		_ = file.Close()
	}
}
