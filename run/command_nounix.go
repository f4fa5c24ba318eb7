//go:build !unix

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/snaphook-go/snaphook/hook"
)

// lookup leaves the search to os/exec, which knows the system's rules for the
// names of programs. It uses the engine's PATH.
func lookup(name string, _ []string, _ string) (string, error) { return name, nil }

// readied is never made here: os/exec searches, and there is no bash to do
// without.
type readied struct {
	env          []string
	dir, program string
}

func (*readied) fits(*job) bool { return false }

func (j job) direct(*Command) (job, bool) { return j, false }

// execute runs a process with os/exec. There are no signals here: the end of
// ctx kills the process, without the ones that it has started.
func execute(ctx context.Context, j job) (reply hook.Reply, started bool, err error) {
	ctx, cancel := j.limit(ctx)
	defer cancel()
	stdout, stderr := &capture{limit: MaxStdout}, &capture{limit: MaxStderr}
	cmd := exec.CommandContext(ctx, j.program, j.argv[1:]...)
	cmd.Dir, cmd.Env = j.dir, j.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(j.stdin), stdout, stderr
	cmd.WaitDelay = patience // the pipes may be held by a child in the background
	err = cmd.Run()
	if cmd.ProcessState == nil {
		if ctx.Err() != nil {
			return hook.Reply{}, false, context.Cause(ctx)
		}
		return hook.Reply{}, false, fmt.Errorf("cannot start %q in %q: %w; check the path of both", j.program, j.dir, err)
	}
	reply = output(stdout, stderr)
	reply.Exit = cmd.ProcessState.ExitCode()
	if _, ended := errors.AsType[*exec.ExitError](err); ended && ctx.Err() == nil || errors.Is(err, exec.ErrWaitDelay) {
		return reply, true, nil
	}
	if err != nil && ctx.Err() != nil {
		return reply, true, context.Cause(ctx)
	}
	return reply, true, err
}

// Write keeps what fits and never fails.
func (c *capture) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := copy(c.room(), rest)
		c.took(n)
		rest = rest[n:]
	}
	return len(b), nil
}
