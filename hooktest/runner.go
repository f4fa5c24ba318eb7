package hooktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// RunnerOption changes how a Runner is checked.
type RunnerOption func(*runnerCheck)

// Unbounded skips the check that output is limited. why is the reason, such as that the other end cannot send more
// than the host allows.
func Unbounded(why string) RunnerOption {
	return func(c *runnerCheck) { c.unbounded = true; c.t.Logf("declared: %s", why) }
}

// Runner checks the properties that the engine expects of every runner:
//
//   - the hook receives the whole payload, from a few bytes to a megabyte, and its end; the payload is not
//     changed;
//   - the call returns when its context ends, with an error that wraps the context's error or
//     cause, and at its Timeout, with a [hook.TimeoutError];
//   - output of 32 MiB is cut and marked as truncated, or is an error;
//   - the runner may be used from many goroutines at once, and again after all these calls;
//   - nothing remains of a call, however it ended: neither goroutines nor open files nor
//     processes (files and processes on Linux).
//
// The other end has to be a hook that follows the payload's instructions: [Script], or one that uses [Answer].
// Processes that the runner keeps ready between calls may remain, if their number does not grow with the calls.
func Runner(t testing.TB, runner hook.Runner, opts ...RunnerOption) {
	t.Helper()
	c := &runnerCheck{t: t, runner: runner, dir: t.TempDir()}
	for _, opt := range opts {
		opt(c)
	}
	promises := []func(){
		c.payloads, c.timeout, c.contextEnd, c.contextEnded, c.bounds, c.concurrency, c.leaks,
	}
	for _, promise := range promises {
		if promise(); t.Failed() {
			return // further failures would repeat this failure
		}
	}
}

type runnerCheck struct {
	t         testing.TB
	runner    hook.Runner
	dir       string
	unbounded bool
}

var theHook = &hook.Hook{Identity: hook.Identity{ID: "hooktest", Dialect: "hooktest", Event: "Test", Name: "hooktest", Command: "hooktest"}}

func (c *runnerCheck) call(payload []byte) hook.Call {
	return hook.Call{Hook: theHook, Session: "hooktest", Dir: c.dir, Payload: payload, Timeout: time.Minute}
}

type ended struct {
	reply hook.Reply
	err   error
}

// run runs the hook; ok is false if it does not end in time.
func (c *runnerCheck) run(ctx context.Context, call hook.Call) (e ended, ok bool) {
	done := make(chan ended, 1)
	go func() {
		reply, err := c.runner.Run(ctx, call)
		done <- ended{reply, err}
	}()
	select {
	case e = <-done:
		return e, true
	case <-time.After(patience):
		return e, false
	}
}

// echo returns an error if the answer to a payload is wrong.
func (c *runnerCheck) echo(payload []byte) error {
	call, before := c.call(payload), bytes.Clone(payload)
	call.Timeout = 0
	reply, err := c.runner.Run(context.Background(), call)
	sum := []byte(digest(before))
	switch {
	case err != nil:
		return fmt.Errorf("a payload of %d bytes: %w", len(payload), err)
	case !bytes.Equal(payload, before):
		return fmt.Errorf("a payload of %d bytes was written to", len(payload))
	case bytes.Contains(reply.Stdout, before), bytes.Contains(reply.Stdout, sum), bytes.Contains(reply.Stderr, sum):
		return nil
	}
	return fmt.Errorf("a payload of %d bytes did not reach the hook as it is: it answers status %d, %.200q, %.200q",
		len(payload), reply.Exit, reply.Stdout, reply.Stderr)
}

func (c *runnerCheck) payloads() {
	c.t.Helper()
	for _, size := range []int{0, 4 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		if err := c.echo(payload(echoes, size, size)); err != nil {
			c.t.Error(err)
		}
	}
}

func (c *runnerCheck) timeout() {
	c.t.Helper()
	call := c.call(payload(hangs, 0, 0))
	call.Timeout = 200 * time.Millisecond
	got, ok := c.run(context.Background(), call)
	var late *hook.TimeoutError
	switch {
	case !ok:
		c.t.Errorf("with a Timeout of %v, the hook still runs after %v", call.Timeout, patience)
	case !errors.As(got.err, &late) || !errors.Is(got.err, context.DeadlineExceeded):
		c.t.Errorf("after its Timeout the call returns %v; want a *hook.TimeoutError, such as Call.Limit makes", got.err)
	}
}

var errEnough = errors.New("hooktest: the call is over")

func (c *runnerCheck) contextEnd() {
	c.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := time.AfterFunc(200*time.Millisecond, func() { cancel(errEnough) })
	defer stop.Stop()
	got, ok := c.run(ctx, c.call(payload(hangs, 1, 0)))
	switch {
	case !ok:
		c.t.Errorf("the hook still runs %v after the call's context has ended", patience)
	case !errors.Is(got.err, errEnough) && !errors.Is(got.err, context.Canceled):
		c.t.Errorf("when its context ends, the call returns %v; want its cause, %q", got.err, errEnough)
	}
}

func (c *runnerCheck) contextEnded() {
	c.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEnough)
	got, ok := c.run(ctx, c.call(payload(hangs, 2, 0)))
	if !ok || got.err == nil {
		c.t.Errorf("a call whose context has ended returns %+v; want an error at once", got)
	}
}

func (c *runnerCheck) bounds() {
	c.t.Helper()
	if c.unbounded {
		return
	}
	got, ok := c.run(context.Background(), c.call(payload(floods, 3, 0)))
	switch kept := len(got.reply.Stdout) + len(got.reply.Stderr); {
	case !ok:
		c.t.Errorf("a hook that writes %d bytes still runs after %v", flood, patience)
	case got.err == nil && kept >= flood:
		c.t.Errorf("%d bytes of output are kept; want a limit", kept)
	case got.err == nil && got.reply.Truncated == 0:
		c.t.Errorf("%d of %d bytes of output are kept, and Truncated does not say so", kept, flood)
	}
}

// callers is the number of goroutines that use the runner at once.
const callers = 16

func (c *runnerCheck) concurrency() {
	c.t.Helper()
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { errs[i] = c.echo(payload(echoes, i, 100*i)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		c.t.Errorf("used from %d goroutines: %v", callers, err)
	}
}

// leaks compares the resources that remain after one round of calls with the resources that remain after two rounds. A
// runner may keep resources ready, such as connections, but their number must not grow with the calls.
func (c *runnerCheck) leaks() {
	c.t.Helper()
	c.round(callers)
	before := settled()
	c.round(callers)
	var left map[string]int
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		left = map[string]int{}
		for what, n := range holdings() {
			if grown := n - before[what]; grown > callers/2 {
				left[what] = grown
			}
		}
		if len(left) == 0 {
			return
		}
	}
	c.t.Errorf("after %d calls more there are more than before: %v", 3*callers, left)
}

// settled returns the lowest counts seen within a short time, which leaves out resources that are just being freed.
func settled() map[string]int {
	least := holdings()
	for range 20 {
		time.Sleep(10 * time.Millisecond)
		for what, n := range holdings() {
			least[what] = min(least[what], n)
		}
	}
	return least
}

// round makes calls that end in three different ways, n of each.
func (c *runnerCheck) round(n int) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _ = c.echo(payload(echoes, i, 0)) })
		all.Go(func() {
			call := c.call(payload(hangs, i, 0))
			call.Timeout = 50 * time.Millisecond
			_, _ = c.run(context.Background(), call)
		})
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_, _ = c.run(ctx, c.call(payload(hangs, i, 0)))
		})
	}
	all.Wait()
}

// holdings returns the numbers of goroutines, open files and child processes.
func holdings() map[string]int {
	held := map[string]int{"goroutines": runtime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		held["open files"] = len(files)
	}
	if children, err := children(); err == nil {
		held["processes"] = children
	}
	return held
}
