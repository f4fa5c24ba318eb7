package run

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/snaphook-go/snaphook/hook"
)

// Agreed are the files of a project that a user agreed to run, as they were then.
// Package trust has them.
type Agreed interface {
	// Same reports an error unless every file is what it was.
	Same(ctx context.Context) error

	// Open opens a file that is to run. It reports an error unless what is read
	// from the descriptor is what it was, and returns nil for a file that is none
	// of the project's. text is all of it, nil if it is long. Close f.
	Open(ctx context.Context, path string) (f *os.File, text []byte, err error)
}

// Pin makes later calls run what the user agreed to, or fail. It is called before
// the first Run.
//
// Every file is looked at before each call. A command that is one plain call of
// a script of sh, dash or bash, or of a compiled program, then runs the very
// bytes that were looked at, whatever has become of the file: a shell gets the
// text of the script as an argument, with the script's path as $0, and a program
// is started through its descriptor. Scripts of more than 128 KiB, those of bash
// that ask for more of their callers than BASH_SOURCE[0], and everything else
// are opened again, by the shell or the interpreter, about a millisecond after
// the look; and so are the files that a script opens while it runs.
func (c *Command) Pin(a Agreed) { c.agreed = a }

// Pinnable is a [hook.Runner] that can be held to what a user agreed to.
type Pinnable interface{ Pin(a Agreed) }

var _ Pinnable = (*Command)(nil)

// Pinned returns a Runner that is held to what the user agreed to, as
// [Command.Pin] says, or where r is no command in that all files are looked at
// before each call. A Runner with a method Unwrap() hook.Runner is looked into.
func Pinned(r hook.Runner, a Agreed) hook.Runner {
	for at := r; at != nil; {
		if c, ok := at.(Pinnable); ok {
			c.Pin(a)
			return r
		}
		wrapper, ok := at.(interface{ Unwrap() hook.Runner })
		if !ok {
			break
		}
		at = wrapper.Unwrap()
	}
	return looked{r, a}
}

// looked looks at the files before each call.
type looked struct {
	hook.Runner
	agreed Agreed
}

// Run runs the hook unless a file has changed.
func (l looked) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if err := l.agreed.Same(ctx); err != nil {
		return hook.Reply{}, notAgreed(err)
	}
	return l.Runner.Run(ctx, call)
}

// Unwrap returns the runner itself.
func (l looked) Unwrap() hook.Runner { return l.Runner }

func notAgreed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &hook.ClassError{Class: hook.ClassUntrusted, Err: err}
}

// runKept runs a call as the user agreed to, or warm. ran is false if it has to start as
// any other command.
func (c *Command) runKept(
	ctx context.Context, call hook.Call, j job, execute executor,
) (reply hook.Reply, ran bool, err error) {
	m := c.warm.Load()
	switch worker := m != nil && m.kind == WarmWorker; {
	case c.agreed == nil:
	case !worker:
		reply, ran, err = c.runAgreed(ctx, j, execute)
	default: // it is running: what was agreed to has to be there still
		if err := c.agreed.Same(ctx); err != nil {
			return reply, true, notAgreed(err)
		}
	}
	if m != nil && !ran {
		reply, ran, err = m.run(ctx, c, call, j)
	}
	return reply, ran, err
}

// runAgreed runs a call that is held to what the user agreed to, unless it may
// run as it is.
func (c *Command) runAgreed(ctx context.Context, j job, execute executor) (reply hook.Reply, ran bool, err error) {
	if err := c.agreed.Same(ctx); err != nil {
		return reply, true, notAgreed(err)
	}
	pinned, ok, err := c.pin(ctx, j)
	if err == nil && !ok {
		return reply, false, nil
	}
	started := false
	if err == nil {
		reply, started, err = execute(ctx, pinned)
	}
	if !started && ctx.Err() == nil && c.elsewhere(&j) {
		return c.runAgreed(ctx, j, execute)
	}
	if pinned.unset && reply.Exit == 127 && bytes.Contains(reply.Stderr, []byte("unbound variable")) {
		reply.Exit = 1 // with which bash ends a file
	}
	return reply, true, err
}
