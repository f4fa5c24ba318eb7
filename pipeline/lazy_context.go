package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// lazyContext is a context that ends with its parent, at its deadline, or when it is cancelled. It creates its channel
// and its timer, and registers with the parent, only when something waits for its end. Few hooks in Go wait for it.
type lazyContext struct {
	parent  context.Context
	session *Session      // Value finds the session's state here; nil in contexts below the context of a fire
	timeout time.Duration // 0: no deadline except the parent's
	due     time.Time

	mu     sync.Mutex
	begun  atomic.Bool     // made or why has been set
	made   context.Context // nil until something waits for the end
	cancel context.CancelCauseFunc
	why    error // the cause, if the context was cancelled before made was set
}

// lazyTimeout returns a context that ends at now plus timeout, or without a deadline if timeout is 0.
func lazyTimeout(parent context.Context, timeout time.Duration, now time.Time) *lazyContext {
	return &lazyContext{parent: parent, timeout: timeout, due: now.Add(timeout)}
}

// end cancels the context.
func (c *lazyContext) end(why error) {
	c.mu.Lock()
	if c.made == nil && c.parent.Err() != nil {
		c.make() // the context ended earlier
	}
	if c.made == nil && c.why == nil {
		c.why = why
		c.begun.Store(true)
	}
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel(why)
	}
}

// make creates the standard context, under the lock.
func (c *lazyContext) make() context.Context {
	if c.made != nil {
		return c.made
	}
	c.begun.Store(true)
	if c.why != nil {
		c.made, c.cancel = context.WithCancelCause(context.WithoutCancel(c.parent)) // the parent may have ended later
		c.cancel(c.why)
		return c.made
	}
	made, cancel := context.WithCancelCause(c.parent)
	c.made, c.cancel = made, cancel
	if c.timeout > 0 {
		due, stop := context.WithDeadlineCause(made, c.due, &hook.TimeoutError{After: c.timeout})
		c.made, c.cancel = due, func(why error) {
			cancel(why)
			stop()
		}
	}
	return c.made
}

// Err returns nil while the context has not ended. For a context that has ended it makes the
// standard context, in which package context looks up the cause.
func (c *lazyContext) Err() error {
	if c.timeout <= 0 {
		return c.errAt(time.Time{})
	}
	return c.errAt(time.Now())
}

// errAt does the same as Err, and gets the current time as an argument. The time matters only if there is a deadline.
func (c *lazyContext) errAt(now time.Time) error {
	if !c.begun.Load() && c.parent.Err() == nil && (c.timeout <= 0 || now.Before(c.due)) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make().Err()
}

// Done makes the standard context, and returns its channel.
func (c *lazyContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make().Done()
}

// Deadline returns the earlier of its own deadline and its parent's.
func (c *lazyContext) Deadline() (time.Time, bool) {
	due, ok := c.parent.Deadline()
	if c.timeout > 0 && (!ok || c.due.Before(due)) {
		return c.due, true
	}
	return due, ok
}

// Value returns the session's state for a [hook.StateKey], otherwise the parent's value. Once the standard context is
// made, Value reads from it, because package context finds there the values by which it cancels children.
func (c *lazyContext) Value(key any) any {
	if _, is := key.(hook.StateKey); is && c.session != nil {
		return c.session.State()
	}
	c.mu.Lock()
	from := c.made
	c.mu.Unlock()
	if from == nil {
		from = c.parent
	}
	return from.Value(key)
}

func (c *lazyContext) String() string { return fmt.Sprint(c.parent) + ".hook" }

// late returns an error if ctx's deadline passed before a Go hook answered. The answer then has no effect, as for a
// process.
func late(ctx context.Context) error {
	if over := new(hook.TimeoutError); errors.As(context.Cause(ctx), &over) {
		return over
	}
	return nil
}
