package run

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// job is one process to be.
type job struct {
	program    string // what to execute; argv[0] is only what it is told
	argv       []string
	env        []string
	shared     bool   // env is the same slice for other calls
	dir        string // "" is the engine's own
	event      string // of the hook
	stdin      []byte
	timeout    time.Duration // 0 is none
	grace      time.Duration
	room       *Room // for output; nil is not bounded
	noTerminal bool
	unset      bool     // bash has the text of the program as an argument
	held       *os.File // the program, open until it has started; nil is none
	ask        func(context.Context, hook.Question) (string, bool)
	detach     func(time.Duration) (context.Context, func(hook.Reply, error))
	background func(func()) // runs what goes on after ErrDetached; nil is a goroutine
}

// begun lets go of the program.
func (j *job) begun() {
	if j.held != nil {
		_ = j.held.Close() // it was read
	}
}

// later runs f after the executor has returned.
func (j *job) later(f func()) {
	if j.background != nil {
		j.background(f)
		return
	}
	go f()
}

// executor runs a job. There may be an error without a process: started tells.
type executor func(context.Context, job) (reply hook.Reply, started bool, err error)

// job returns the process of a call, which lacks its program.
func (c *Command) job(call hook.Call) job {
	j := job{
		argv: c.Argv, dir: call.Dir, stdin: call.Payload, timeout: call.Timeout, grace: cmp.Or(c.Grace, Grace),
		noTerminal: c.NoTerminal, ask: call.Ask, detach: call.Detach, room: c.Room,
	}
	if c.Environ == nil {
		j.env = os.Environ() // a new slice each time
	} else if j.env = c.Environ(call); j.env == nil {
		j.env = []string{} // package os would take nil for the engine's own
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

// overridden returns env with variables in place of those of the same name; of
// two with one name the last counts. It is a new slice: other calls have env.
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

// sets reports whether one of the entries sets the same variable as another.
func sets(entries []string, other string) bool {
	name, _, _ := strings.Cut(other, "=")
	return slices.ContainsFunc(entries, func(entry string) bool {
		return len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name
	})
}

// limit returns a context that ends when the process has had its time.
func (j *job) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	call := hook.Call{Timeout: j.timeout}
	return call.Limit(ctx)
}

// timedOut is why a process that took too long is killed.
func (j *job) timedOut() error { return &hook.TimeoutError{After: j.timeout} }
