package run

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// job describes a process to start.
type job struct {
	program    string // the file to execute; the program itself only gets argv[0]
	argv       []string
	env        []string
	shared     bool   // other calls share env, which must not be changed
	dir        string // "" means the engine's own
	event      string // the hook's event
	stdin      []byte
	timeout    time.Duration // 0: no limit
	pid        *atomic.Int64 // gets the id of the process while it runs; may be nil
	factor     float64       // factor by which the limit may grow; see Stretch of [hook.Call]
	stretch    stretch       // the extensions of the limit that are granted
	grace      time.Duration
	room       *Room // limit for output; nil: none
	noTerminal bool
	loading    bool // the job is only for Starts: no process runs
	// bash gets the script's text as an argument, and exits with 127 in place of 1 if a variable is unset
	unset bool
	text  []byte // the checked bytes of the script that the command runs; nil: not checked
	// The last word before the script, in the command or in the script's first line: the shell, or its last
	// option.
	reader     string
	held       *os.File // the opened program, closed once it has started; may be nil
	ask        func(context.Context, hook.Question) (string, bool)
	detach     func(time.Duration) (context.Context, func(hook.Reply, error))
	background func(func()) // runs the rest after ErrDetached; nil: a new goroutine does
}

// executor runs a job. started reports whether a process was started; an error is possible in both cases.
type executor func(context.Context, job) (reply hook.Reply, started bool, err error)

// later runs f after the executor has returned.
func (j *job) later(f func()) {
	if j.background != nil {
		j.background(f)
		return
	}
	go f()
}

// limit returns a context that ends after the job's timeout.
func (j *job) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	call := hook.Call{Timeout: j.timeout}
	return call.Limit(ctx)
}

// timedOut returns the error of a process that is killed after its timeout.
func (j *job) timedOut() error {
	return &hook.TimeoutError{After: j.timeout, Granted: j.stretch.granted}
}

// detachIfMarked completes Run: if the process ended before its declaration was read, the hook still goes to the
// background, because the result must not depend on timing.
func (j *job) detachIfMarked(reply hook.Reply) (hook.Reply, error) {
	wish, declared := new(asyncMarker).scan(reply.Stdout)
	if !declared {
		return reply, nil
	}
	_, done := j.detach(wish)
	go done(reply, nil)
	return hook.Reply{}, hook.ErrDetached
}

// plain returns the process that a call would start without a shell.
func (j job) plain(c *Command) (direct job, ok bool) {
	if direct, ok := j.direct(c); ok {
		return direct, true
	}
	if len(c.Direct) > 0 || len(c.Argv) == 0 || isShell(c.Argv[0]) {
		return j, false
	}
	j.program = c.Argv[0]
	if program, err := lookup(c.Argv[0], j.env, j.dir); err == nil {
		j.program = program
	}
	return j, true
}

// process returns the process that a warm call of the given kind starts. A worker starts without a shell even if bash
// would change its environment.
func (j job) process(c *Command, kind string) (direct job, ok bool) {
	if direct, ok := j.plain(c); ok || kind != WarmWorker || len(c.Direct) == 0 {
		return direct, ok
	}
	program, err := lookup(c.Direct[0], j.env, j.dir)
	if err != nil {
		program = c.Direct[0] // the start of this program fails with the reason
	}
	j.program, j.argv = program, c.Direct
	return j, true
}

// overridden returns env with the variables of by, which replace variables of the same name; if by has a name twice,
// the last variable counts. It returns a new slice, because other calls share env.
func overridden(env, by []string) []string {
	all := make([]string, 0, len(env)+len(by))
	for _, entry := range env {
		if !sets(by, entry) {
			all = append(all, entry)
		}
	}
	for i, entry := range by {
		if !sets(by[i+1:], entry) {
			all = append(all, entry)
		}
	}
	return all
}

// sets reports whether one of entries sets the same variable as other.
func sets(entries []string, other string) bool {
	name, _, _ := strings.Cut(other, "=")
	return slices.ContainsFunc(entries, func(entry string) bool {
		return len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name
	})
}
