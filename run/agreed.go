package run

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/snaphook-go/snaphook/hook"
)

// Agreed holds the files of a project that a user agreed to run, with their contents at that time. Package trust
// implements it.
type Agreed interface {
	// Same returns an error if any file has changed since the user agreed, or if the hook would run other files in dir,
	// the working directory of a call.
	Same(ctx context.Context, dir string) error

	// Open opens a file that is about to run. It returns an error if the file's bytes differ from the agreed ones, and
	// a nil f for a file outside the project. text is the whole file, or nil if it is long or empty. The caller
	// closes f.
	Open(ctx context.Context, path string) (f *os.File, text []byte, err error)
}

// Pin restricts later calls to files that the user agreed to; other calls fail. Call it before the first Run.
//
// Every call first checks each file. Two kinds of commands then run exactly the bytes that were checked, even if the
// file has changed since: a plain call of a script of sh, dash or bash, and a call of a compiled program. A shell gets
// the script's text as an argument, with the script's path as $0; a program is started through its descriptor. All
// other files are opened again by the shell or the interpreter, about a millisecond after the check: scripts of more
// than 128 KiB, bash scripts that read more about their callers than BASH_SOURCE[0], scripts of other interpreters, and
// files that a script opens while it runs.
func (c *Command) Pin(a Agreed) { c.agreed = a }

// Pinnable is a [hook.Runner] that can be restricted to files that a user agreed to.
type Pinnable interface{ Pin(a Agreed) }

var _ Pinnable = (*Command)(nil)

// Pinned returns a Runner that runs only files that the user agreed to. It pins a command as [Command.Pin] describes.
// For any other Runner it checks all files before each call. Pinned looks through
// Runners that wrap others; see [hook.RunnerAs].
func Pinned(r hook.Runner, a Agreed) hook.Runner {
	if c, ok := hook.RunnerAs[Pinnable](r); ok {
		c.Pin(a)
		return r
	}
	return checkedRunner{r, a}
}

// checkedRunner checks the agreed files before each call.
type checkedRunner struct {
	hook.Runner
	agreed Agreed
}

// Run runs the hook unless a file has changed.
func (l checkedRunner) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if err := l.agreed.Same(ctx, call.Dir); err != nil {
		return hook.Reply{}, notAgreed(err)
	}
	return l.Runner.Run(ctx, call)
}

// Unwrap returns the wrapped Runner.
func (l checkedRunner) Unwrap() hook.Runner { return l.Runner }

func notAgreed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &hook.ClassError{Class: hook.ClassUntrusted, Err: err}
}

// runKept runs a call whose command is pinned, or has a warm interpreter. ran is false if the call has to start like
// any other command.
func (c *Command) runKept(
	ctx context.Context, call hook.Call, j job, execute executor,
) (reply hook.Reply, ran bool, err error) {
	m := c.warm.Load()
	if m != nil && m.unread {
		m = m.read(c, j.dir)
	}
	switch worker := m != nil && m.kind == WarmWorker; {
	case c.agreed == nil:
	case !worker:
		reply, ran, err = c.runAgreed(ctx, m, j, execute)
	default: // check the agreed files, and leave the start to m.run
		if err := c.agreed.Same(ctx, j.dir); err != nil {
			return reply, true, notAgreed(err)
		}
	}
	if m != nil && !ran {
		reply, ran, err = m.run(ctx, c, call, j)
	}
	return reply, ran, err
}

// runAgreed runs a call of a pinned command with the checked bytes. If m holds the command's script, this process may
// run the script itself. ran is false if the call may run unchanged.
func (c *Command) runAgreed(
	ctx context.Context, m *warmth, j job, execute executor,
) (reply hook.Reply, ran bool, err error) {
	if err := c.agreed.Same(ctx, j.dir); err != nil {
		return reply, true, notAgreed(err)
	}
	pinned, ok, err := c.pin(ctx, j)
	if err == nil && !ok {
		return reply, false, nil
	}
	if err == nil && m != nil && m.shell != nil && pinned.text != nil {
		j.text, j.reader = pinned.text, pinned.reader
		if reply, ran, err = m.runShell(j); ran {
			return reply, true, err
		}
	}
	started := false
	if err == nil {
		reply, started, err = execute(ctx, pinned)
	}
	if !started && ctx.Err() == nil && c.elsewhere(&j) {
		return c.runAgreed(ctx, m, j, execute)
	}
	if pinned.unset && reply.Exit == 127 && bytes.Contains(reply.Stderr, []byte("unbound variable")) {
		reply.Exit = 1 // bash exits with 1 if a script file uses an unset variable
	}
	return reply, true, err
}
