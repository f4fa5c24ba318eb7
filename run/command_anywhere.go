package run

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

// executeAnywhere runs a process with os/exec, for systems other than Unix. The end of ctx kills the process, and on
// Windows its descendants too. It is compiled on all systems for tests.
func executeAnywhere(ctx context.Context, j job) (hook.Reply, bool, error) {
	ctx, cancel := j.limit(ctx)
	defer cancel()
	p := newProgram(&j)
	if err := p.start(ctx, &j); err != nil {
		return hook.Reply{}, false, fmt.Errorf(
			"cannot start %q in %q: %w; check both paths",
			j.program,
			j.dir,
			err,
		)
	}
	select {
	case <-p.gone:
	case <-ctx.Done():
	case wish := <-p.filter.declared:
		ctx, done := j.detach(wish)
		j.later(func() { done(p.end(ctx)) })
		return hook.Reply{}, true, hook.ErrDetached
	}
	reply, err := p.end(ctx)
	return reply, true, err
}

// anyProcess is a process of os/exec.
type anyProcess struct {
	cmd            *exec.Cmd
	family         family
	stdout, stderr capturingWriter
	filter         outputFilter
	feeding        sync.WaitGroup          // the goroutine that writes standard input
	stopAsking     context.CancelCauseFunc // cancels the question that the user is asked
	gone           chan struct{}           // closed when the process has ended
	err            error                   // how the process ended; set before gone is closed
}

// capturingWriter captures the bytes written to it.
type capturingWriter struct {
	capture
	filter *outputFilter // nil: the output is not filtered
}

// Write keeps the bytes that fit and never fails.
func (s *capturingWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := copy(s.room(), rest)
		s.took(n)
		rest = rest[n:]
		if s.filter != nil {
			s.filter.listen(&s.capture)
		}
	}
	return len(b), nil
}

func newProgram(j *job) *anyProcess {
	p := &anyProcess{
		cmd:        exec.Command(j.program, j.argv[1:]...),
		filter:     newOutputFilter(j),
		stopAsking: func(error) {},
		gone:       make(chan struct{}),
	}
	p.stdout = capturingWriter{capture{limit: MaxStdout, inOne: p.filter.questions != nil, shared: j.room}, &p.filter}
	p.stderr = capturingWriter{capture: capture{limit: MaxStderr, shared: j.room}}
	p.cmd.Dir, p.cmd.Env = j.dir, j.env
	hide(p.cmd)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.WaitDelay = patience // a child in the background may have the pipes open
	return p
}

func (p *anyProcess) start(ctx context.Context, j *job) error {
	// With cmd.Stdin a failed write would be the error of Wait, and the answer of a process that does not read its
	// input would be lost: os/exec ignores only some of the errors that Windows has for such a write.
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.family.adopt(p.cmd.Process)
	if p.filter.questions == nil {
		p.feeding.Go(func() {
			_, _ = stdin.Write(j.stdin)
			_ = stdin.Close()
		})
	} else {
		ctx, p.stopAsking = context.WithCancelCause(context.WithoutCancel(ctx))
		p.feeding.Go(func() { p.filter.questions.serve(ctx, j.stdin, stdin) })
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	return nil
}

// end waits until the process has ended, and returns the result.
func (p *anyProcess) end(ctx context.Context) (reply hook.Reply, err error) {
	defer p.family.leave()
	var cause error
	select {
	case <-p.gone:
	case <-ctx.Done():
		cause = context.Cause(ctx)
		p.family.end(p.cmd.Process)
		p.stopAsking(cause)
		<-p.gone
	}
	p.stopAsking(errEnded)
	p.feeding.Wait()
	reply = output(&p.stdout.capture, &p.stderr.capture)
	reply.Exit = p.cmd.ProcessState.ExitCode()
	if _, failed := errors.AsType[*exec.ExitError](p.err); cause == nil && !failed &&
		!errors.Is(p.err, exec.ErrWaitDelay) {
		return reply, p.err
	}
	return reply, cause
}
