package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// lazyContext is a context that ends with its parent, at its deadline, or when it is
// cancelled. Its channel, its timer and its place among the children of the
// parent are made when something waits for its end, which few hooks in Go do.
type lazyContext struct {
	parent  context.Context
	session *Session      // whose state hooks find in it; nil in those below that of a fire
	timeout time.Duration // 0: no deadline of its own
	due     time.Time

	mu     sync.Mutex
	made   context.Context // nil until something waits
	cancel context.CancelCauseFunc
	why    error // it was cancelled before it was made
}

// lazyTimeout returns a context that has so much time from now on; 0 means no limit.
func lazyTimeout(parent context.Context, timeout time.Duration, now time.Time) *lazyContext {
	return &lazyContext{parent: parent, timeout: timeout, due: now.Add(timeout)}
}

// end cancels the context.
func (c *lazyContext) end(why error) {
	c.mu.Lock()
	if c.made == nil && c.parent.Err() != nil {
		c.make() // it has ended before
	}
	if c.made == nil && c.why == nil {
		c.why = why
	}
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel(why)
	}
}

// make makes the context that this one stands for, under the lock.
func (c *lazyContext) make() context.Context {
	if c.made != nil {
		return c.made
	}
	if c.why != nil {
		c.made, c.cancel = context.WithCancelCause(context.WithoutCancel(c.parent)) // which ended later, if it did
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

// Err is nil while the context goes on. One that has ended is made, since it is
// there that package context looks for the cause.
func (c *lazyContext) Err() error {
	if c.timeout <= 0 {
		return c.errAt(time.Time{})
	}
	return c.errAt(time.Now())
}

// errAt is Err at a time that the caller has read, which counts if there is a deadline.
func (c *lazyContext) errAt(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil && c.why == nil && c.parent.Err() == nil && (c.timeout <= 0 || now.Before(c.due)) {
		return nil
	}
	return c.make().Err()
}

// Done makes the channel.
func (c *lazyContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make().Done()
}

// Deadline is the earlier one of its own and its parent's.
func (c *lazyContext) Deadline() (time.Time, bool) {
	due, ok := c.parent.Deadline()
	if c.timeout > 0 && (!ok || c.due.Before(due)) {
		return c.due, true
	}
	return due, ok
}

// Value is the parent's; package context also finds what was made.
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

// timeout is how long h may run: its own, or the event's; 0 means no limit.
func (e *definition) timeout(h *hook.Hook) time.Duration {
	d := h.Timeout
	if d == 0 {
		d = e.rules.Timeout
	}
	return max(0, d)
}

// budget ends the fire when the longest hook that it waits for has had its time.
func (f *fireState) budget() {
	var longest time.Duration
	for _, h := range f.plan.Run {
		d := f.of.timeout(h)
		if !waitsFor(h) {
			continue
		}
		if d == 0 {
			return
		}
		longest = max(longest, d)
	}
	f.ctx = lazyTimeout(f.ctx, longest, time.Now())
}

// waitsFor reports whether the fire goes on only when the hook is done.
func waitsFor(h *hook.Hook) bool { return h.Background == hook.Foreground || h.Func != nil }

// inflight is a fire that Close has to end, in the list of its session's shard.
// The list costs a fire no allocation, where a context that follows the
// system's would cost five.
type inflight struct {
	ctx        *lazyContext
	prev, next *inflight
}

// begin counts a fire and lists it, unless the system is closed. The number is
// higher than that of every fire which the session began before.
func (l *shard) begin(u *inflight) (number int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, false
	}
	l.done.Add(1)
	l.running++
	if u.next = l.first; u.next != nil {
		u.next.prev = u
	}
	l.first = u
	l.begun++
	return l.begun, true
}

func (l *shard) end(u *inflight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u.next != nil {
		u.next.prev = u.prev
	}
	if u.prev != nil {
		u.prev.next = u.next
	} else {
		l.first = u.next
	}
	u.prev, u.next = nil, nil
	l.running--
	l.done.Done()
}

// keeperOf returns the keeper of a hook; nil if it has none.
func keeperOf(h *hook.Hook) *keeper {
	if h.Policy == nil {
		return nil
	}
	k, _ := h.Policy.Keeper.(*keeper)
	return k
}

// bounds are the limits of a policy by name. The system's mutex guards them.
type bounds map[policy.Bound]*semaphore.Weighted

func (all *bounds) get(b policy.Bound) *semaphore.Weighted {
	if *all == nil {
		*all = bounds{}
	}
	if (*all)[b] == nil {
		(*all)[b] = semaphore.NewWeighted(int64(b.Limit))
	}
	return (*all)[b]
}

// acquire takes the permits that a hook needs to run: those of its policy, the
// narrowest first, then one of the workers. All hooks take them in this order,
// so that none holds what another needs while it waits for that one.
//
// It returns how long it has waited.
func (sys *System) acquire(
	ctx context.Context,
	h *hook.Hook,
	workers *semaphore.Weighted,
) (queued time.Duration, err error) {
	k := keeperOf(h)
	if k == nil {
		return acquire(ctx, workers)
	}
	start := time.Now()
	if h.Policy.Queue > 0 {
		waits, cancel := context.WithTimeoutCause(ctx, h.Policy.Queue, &hook.QueueError{After: h.Policy.Queue})
		defer cancel()
		ctx = waits
	}
	for i, permits := range append(slices.Clip(k.bounds), workers) {
		if err := permits.Acquire(ctx, 1); err != nil {
			for _, held := range k.bounds[:i] {
				held.Release(1)
			}
			return time.Since(start), contextCause(ctx, err)
		}
	}
	return time.Since(start), nil
}

// release returns what acquire took.
func (sys *System) release(h *hook.Hook, workers *semaphore.Weighted) {
	workers.Release(1)
	if k := keeperOf(h); k != nil {
		for _, held := range k.bounds {
			held.Release(1)
		}
	}
}

// acquire returns how long it has waited for a permit.
func acquire(ctx context.Context, permits *semaphore.Weighted) (queued time.Duration, err error) {
	if permits.TryAcquire(1) {
		return 0, nil
	}
	start := time.Now()
	err = permits.Acquire(ctx, 1)
	return time.Since(start), err
}
