package xcsh

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// ExecGrace is the time between SIGTERM and SIGKILL for a program.
const ExecGrace = time.Second

// ExecOptions describe how [Exec] runs a program.
type ExecOptions struct {
	Timeout time.Duration // 0 or less means none
	Dir     string        // empty means the current directory
	Environ []string      // "NAME=value"; nil means the environment of the process

	// Room limits the output of several programs together; without a Room each program has its own limit. The result's
	// share is released only when a part of the Room is closed; see [run.Room.Part].
	Room *run.Room
}

// ExecResult is the outcome of a program that could be started.
type ExecResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`   // exit status; 128+n after signal n; -1 if Killed
	Killed bool   `json:"killed"` // the program ran into its timeout, or ctx ended

	// Truncated reports that there was more output than [run.MaxStdout], [run.MaxStderr] or the
	// Room allow. JSON omits a false Truncated.
	Truncated bool `json:"truncated,omitzero"`
}

// Exec runs a program, not a shell, with empty standard input. A program that fails is a result;
// one that cannot be started is an error.
//
// When ctx ends, or the timeout has passed, the program's process group gets SIGTERM and, after
// [ExecGrace], SIGKILL. The result then has the output up to that point. Exec waits for the
// program, but not for its background processes.
func Exec(ctx context.Context, program string, args []string, opt ExecOptions) (ExecResult, error) {
	argv := append([]string{program}, args...)
	command := &run.Command{Argv: argv, Grace: ExecGrace, Room: opt.Room}
	if opt.Environ != nil {
		command.Environ = func(hook.Call) []string { return opt.Environ }
	}
	reply, err := command.Run(ctx, hook.Call{Dir: opt.Dir, Timeout: max(0, opt.Timeout)})
	r := ExecResult{
		Stdout:    wire.Valid(reply.Stdout),
		Stderr:    wire.Valid(reply.Stderr),
		Code:      reply.Exit,
		Truncated: reply.Truncated != 0,
	}
	if opt.Room != nil {
		opt.Room.Add(int64(len(r.Stdout)+len(r.Stderr)) - run.Held(reply.Stdout, reply.Stderr))
	}
	late := new(hook.TimeoutError)
	switch {
	case err != nil && (errors.As(err, &late) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))):
		r.Code, r.Killed = -1, true
		return r, nil
	case err != nil:
		return ExecResult{}, err
	}
	if signal, ok := reply.Signal.(syscall.Signal); ok {
		r.Code = 128 + int(signal)
	}
	return r, nil
}
