package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Grace is the default time between SIGTERM and SIGKILL (L24); a [Command] may set its own.
const Grace = 5 * time.Second

// MaxStdout and MaxStderr limit the captured output, in bytes. Run reads and discards the rest, and flags the stream in
// [hook.Reply.Truncated].
const (
	MaxStdout = 8 << 20
	MaxStderr = 1 << 20
)

const (
	// patience limits the wait for output after a process has ended without writing to standard output, while another
	// process still has the stream open: a script that redirects itself with exec > >(tee log) ends before its tee.
	patience = 50 * time.Millisecond

	// killWait limits how long Run waits for a process to end after SIGKILL.
	killWait = 2 * time.Second
)

// Command is a [hook.Runner] that starts a program for each call, in the call's directory, with the call's payload, and
// nothing else, on its standard input. The program does not have to read it.
//
// The program leads its own process group. When the context ends, or at the call's timeout, the group gets SIGTERM and,
// if its leader still runs after Grace, SIGKILL; processes of the group that outlive the leader are killed too. On
// Linux the same happens to descendants that have left the group, as setsid(1) does, unless they have lost their parent
// before, like daemons. On Linux the program is also killed when this process is killed, and its group soon after,
// unless it had run for less than 250 ms. Run returns when the leader is gone, with [context.Cause] or a
// [hook.TimeoutError] as the error and a Reply that has the captured output. If the kernel keeps a killed process for
// more than two seconds, Run reports this in its error and leaves a goroutine to collect the process. On Windows the
// program and its descendants are killed at once.
//
// Run waits for the program, not for its output: it neither stops nor waits for a child in the background. Only if the
// program wrote nothing to standard output, and a child still has the stream open, does Run wait up to 50 ms for the
// first bytes.
//
// With [hook.Call.Detach], a program whose first line of standard output is {"async": true} goes to the background, for
// the time that "asyncTimeout" gives in milliseconds. The call's timeout no longer applies; a goroutine watches the
// program under the new context, and passes all of its output, including that line, to done. Run does not wait for that
// goroutine. The declaration also counts if the program ends before Run has read it.
//
// With [hook.Call.Ask], standard input stays open after the payload. A program that reads it to the end therefore waits
// until its timeout: the host has to choose which hooks may ask. Each line of standard output of the form
//
//	{"prompt": "id", "message": "text", "options": [{"key": "k", "label": "l"}]}
//
// is a question and not part of the output. The user gets the questions one by one, and Run writes {"prompt_response":
// "id", "selected": "k"} as the answer; without an answer standard input ends. The time that the user takes counts
// against the hook's timeout. When the program has ended or has to end, Ask's context ends too, and Run waits for Ask.
//
// A program that fails is a Reply. An error without a Reply names the unusable program or directory and the reason; it
// wraps the [syscall.Errno].
//
// A Command may be used from many goroutines at once. A run costs little more than the process: one goroutine, the
// caller's, and a thread while it waits (Linux), and three pipes.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is searched for in the PATH of the call's
	// environment, as by a shell: relative directories of PATH are relative to the call's directory.
	Argv []string

	// Direct is the program by which the bash of Argv would replace itself; see the function [Direct]. Run starts it
	// without the shell, with the environment that bash would pass on, in any order. In cases in which bash would act
	// differently, because of a variable such as BASH_ENV or because the program cannot be started, Run starts Argv
	// instead. If Direct is nil, Run always starts Argv.
	Direct []string

	// Environ returns the whole environment of the process, each name once; nil means the engine's own. Variables of
	// [hook.Call.Env] replace those of the same name; a call with such variables costs a copy of the environment, and a
	// new search for the program.
	Environ func(call hook.Call) []string

	// Needs lists directories that have to exist before the program is started, such as the directory of a plugin:
	// without this check "python3 gone.py" exits with status 2, which counts as a denial. Each directory costs a stat.
	Needs []string

	// Fallback lists directories to work in if the call's directory is missing; the first that exists is used. They
	// cost nothing if the call's directory exists.
	Fallback []string

	// NoTerminal detaches the program from the engine's terminal: the program leads its own session, and has no
	// /dev/tty. Otherwise the program may write to the terminal; a program that reads from the terminal is stopped by
	// the system until its timeout. NoTerminal has no effect on Windows.
	NoTerminal bool

	// Grace is the time between SIGTERM and SIGKILL; 0 means the constant Grace.
	Grace time.Duration

	// Room limits the captured output of several commands together. If Room is nil, each command has only its own
	// limit.
	Room *Room

	ready   atomic.Pointer[readied] // cached start of the last call without a shell
	located atomic.Pointer[readied] // cached path of Argv's program
	warm    atomic.Pointer[warmth]  // nil: every call starts a process
	agreed  Agreed                  // nil: any file may run
}

var _ hook.Runner = (*Command)(nil)

// Run starts the program and waits for it; see [Command].
func (c *Command) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	return c.run(ctx, call, execute)
}

// run implements Run with an executor, a parameter for tests.
func (c *Command) run(ctx context.Context, call hook.Call, execute executor) (hook.Reply, error) {
	if ctx.Err() != nil {
		return hook.Reply{}, context.Cause(ctx)
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return hook.Reply{}, errors.New(
			"cannot start a command without a program: its Argv is empty; name the program first",
		)
	}
	if len(c.Needs) > 0 {
		if err := c.complete(); err != nil {
			return hook.Reply{}, err
		}
	}
	j := c.job(call)
	reply, ran, err := c.runKept(ctx, call, j, execute)
	if !ran {
		reply, ran, err = c.start(ctx, j, execute)
	}
	if !ran && ctx.Err() == nil && c.elsewhere(&j) {
		if c.agreed != nil { // the agreed files were checked for the missing directory, not for the new one
			if err := c.agreed.Same(ctx, j.dir); err != nil {
				return hook.Reply{}, notAgreed(err)
			}
		}
		reply, _, err = c.start(ctx, j, execute)
	}
	if j.detach == nil || err != nil {
		return reply, err
	}
	return j.detachIfMarked(reply)
}

// start runs a job without a shell if possible.
func (c *Command) start(ctx context.Context, j job, execute executor) (reply hook.Reply, started bool, err error) {
	if direct, ok := j.direct(c); ok {
		reply, started, err := execute(ctx, direct)
		if started || ctx.Err() != nil {
			return reply, started, err
		}
	}
	fresh, err := c.locate(&j)
	if err != nil {
		return hook.Reply{}, false, err
	}
	reply, started, err = execute(ctx, j)
	if !started && !fresh && ctx.Err() == nil { // the program may have moved
		c.located.Store(nil)
		if _, err := c.locate(&j); err != nil {
			return hook.Reply{}, false, err
		}
		return execute(ctx, j)
	}
	return reply, started, err
}

// locate finds the program of Argv, and caches its path for calls with the same environment. fresh reports that the
// path was not cached.
func (c *Command) locate(j *job) (fresh bool, err error) {
	if r := c.located.Load(); r.fits(j) {
		j.program = r.program
		return false, nil
	}
	if j.program, err = lookup(c.Argv[0], j.env, j.dir); err != nil {
		return true, err
	}
	if j.shared && filepath.IsAbs(j.program) {
		c.located.Store(&readied{env: j.env, dir: j.dir, program: j.program})
	}
	return true, nil
}

// inDir returns the path of a file; a relative file counts from dir.
func inDir(file, dir string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// job returns the job for a call, without its program.
func (c *Command) job(call hook.Call) job {
	j := job{
		argv: c.Argv, dir: call.Dir, stdin: call.Payload, timeout: call.Timeout, factor: call.Stretch, pid: call.PID,
		grace:      cmp.Or(c.Grace, Grace),
		noTerminal: c.NoTerminal, ask: call.Ask, detach: call.Detach, room: c.Room,
	}
	if c.Environ == nil {
		j.env = os.Environ() // os.Environ returns a new slice each time
	} else if j.env = c.Environ(call); j.env == nil {
		j.env = []string{} // for nil, package os would use the engine's environment
	}
	if call.Hook != nil {
		j.event = call.Hook.Event
	}
	j.shared = c.Environ != nil && len(call.Env) == 0
	if len(call.Env) > 0 {
		j.env = overridden(j.env, call.Env)
	}
	return j
}

// Starts returns the program and arguments with which Run would start a call, from either Direct or Argv.
func (c *Command) Starts(call hook.Call) []string {
	j := c.job(call)
	j.loading = true
	if direct, ok := j.direct(c); ok {
		return direct.argv
	}
	return c.Argv
}

// complete returns an error that names a missing directory of Needs.
func (c *Command) complete() error {
	for _, dir := range c.Needs {
		if err := missing(dir); err != nil {
			return fmt.Errorf(
				"cannot start %q without the plugin's directory %q: %w; reinstall the plugin or remove its hooks",
				c.Argv[0],
				dir,
				err,
			)
		}
	}
	return nil
}

// elsewhere moves a job whose directory is missing to the first existing directory of Fallback.
func (c *Command) elsewhere(j *job) bool {
	if len(c.Fallback) == 0 || j.dir == "" {
		return false
	}
	if err := missing(j.dir); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return false
	}
	for _, dir := range c.Fallback {
		if missing(dir) == nil {
			j.dir = dir
			return true
		}
	}
	return false
}

// missing returns an error unless dir is a directory.
func missing(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return errors.Unwrap(err) // the errno; the caller names the path
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	return nil
}
