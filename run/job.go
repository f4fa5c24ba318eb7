package run

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// later runs f after the executor has returned.
func (j *job) later(f func()) {
	if j.background != nil {
		j.background(f)
		return
	}
	go f()
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

// locate finds the program of Argv, and keeps where it is for calls with the
// same environment. It is fresh if it was searched for.
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
