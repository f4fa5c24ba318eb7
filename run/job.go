package run

import (
	"context"
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

// overridden returns env with the variables of by, which replace those of the same name; of two equal names in by the
// last counts. It returns a new slice, because other calls share env.
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

// limit returns a context that ends after the job's timeout.
func (j *job) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	call := hook.Call{Timeout: j.timeout}
	return call.Limit(ctx)
}

// timedOut returns the error of a process that is killed after its timeout.
func (j *job) timedOut() error {
	return &hook.TimeoutError{After: j.timeout, Granted: j.stretch.granted}
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
