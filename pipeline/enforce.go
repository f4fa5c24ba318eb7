package pipeline

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
	"weak"

	"golang.org/x/sync/semaphore"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// policyState holds the engine's state of a hook with a policy. A nil policyState means that the hook has no policy.
type policyState struct {
	breaker *breaker // nil if the policy has no breaker
	bounds  []*semaphore.Weighted
}

// policyStateOf returns the state of a hook; nil if it has no policy.
func policyStateOf(h *hook.Hook) *policyState {
	if h.Policy == nil {
		return nil
	}
	k, _ := h.Policy.Keeper.(*policyState)
	return k
}

func inShadow(h *hook.Hook) bool { return h.Policy != nil && h.Policy.Mode == hook.Shadow }

// breaker stops starting a hook that has failed too often in a row. After a while it allows one
// trial run, whose success closes the breaker.
type breaker struct {
	all *breakers
	key breakerKey

	mu      sync.Mutex
	limit   policy.Breaker
	failed  []hook.Class // the classes of the last consecutive failures, up to the limit
	until   time.Time    // the earliest time of the next trial run
	trying  bool         // a trial run is in progress
	stopped bool
}

// broken lists the failure classes that a breaker counts: failures of the infrastructure. An exit
// status that means failure is not one of them, since the hook chose it.
var broken = []hook.Class{hook.ClassSpawn, hook.ClassMissing, hook.ClassTimeout, hook.ClassCrash, hook.ClassOutput,
	hook.ClassOversize, hook.ClassHTTP, hook.ClassModel, hook.ClassRemote}

// unheard lists the failure classes of hooks that were cancelled or not started.
var unheard = []hook.Class{hook.ClassCancelled, hook.ClassQueue, hook.ClassBreaker, hook.ClassUntrusted,
	hook.ClassInvalid}

func (b *breaker) set(limit policy.Breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = limit
}

// openError is a [hook.BreakerError] with the classes of the failures that opened the breaker. A hook that fails closed
// for one of these classes also fails closed while the breaker is open.
type openError struct {
	hook.BreakerError
	classes []hook.Class
}

func (e *openError) Unwrap() error { return &e.BreakerError }

// allow returns an error if the hook must not run now. trial is true for the single run that an open breaker allows;
// the caller passes it to done.
func (k *policyState) allow() (trial bool, err error) {
	if k == nil || k.breaker == nil {
		return false, nil
	}
	b := k.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		return false, nil
	}
	left := time.Until(b.until)
	if left <= 0 && !b.trying {
		b.trying = true
		return true, nil
	}
	return false, &openError{
		hook.BreakerError{Failures: len(b.failed), For: max(0, left)},
		slices.Compact(slices.Sorted(slices.Values(b.failed))),
	}
}

// mayStillStart checks the breaker again after a run has waited for its permit: if the breaker opened meanwhile, the
// run must not start.
func (k *policyState) mayStillStart(trial *bool) (err error) {
	if !*trial {
		*trial, err = k.allow()
	}
	return err
}

// done counts the end of a run that allow permitted; err is nil if the run succeeded. While the breaker is open only
// the trial counts, because other runs began before it opened.
func (k *policyState) done(trial bool, err error) {
	if k == nil || k.breaker == nil {
		return
	}
	b, class := k.breaker, hook.ClassOf(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
	switch {
	case b.stopped && !trial:
	case slices.Contains(broken, class):
		if b.failed = append(b.failed, class); len(b.failed) > b.limit.Failures {
			b.failed = b.failed[1:]
		}
		b.all.keep(b)
		if len(b.failed) >= b.limit.Failures {
			b.stopped, b.until = true, time.Now().Add(b.limit.For)
		}
	case slices.Contains(unheard, class): // the hook did not cause the failure
	case len(b.failed) > 0:
		b.failed, b.stopped = nil, false
		b.all.release(b)
	}
}

// breakers finds the breaker of a hook by its name. A breaker that counts failures outlives the sessions of its
// workspace: a host may end each session before it makes the next. Other breakers go with the hooks that use them.
type breakers struct {
	mu      sync.Mutex
	all     map[breakerKey]weak.Pointer[breaker]
	sweep   int                     // of removes entries without a breaker when all has this length
	failing map[breakerKey]*breaker // breakers that count failures, at most mostFailing
}

// breakerKey is the workspace and the name of a hook.
type breakerKey struct {
	at   Workspace
	name string
}

// mostFailing limits the breakers that are kept while no hook uses them.
const mostFailing = 1000

// of returns the breaker of a hook. The breaker of a hook is the same in all sessions of its workspace.
func (all *breakers) of(at Workspace, name string) *breaker {
	all.mu.Lock()
	defer all.mu.Unlock()
	key := breakerKey{at, name}
	if b := all.all[key].Value(); b != nil {
		return b
	}
	if all.all == nil {
		all.all, all.failing = map[breakerKey]weak.Pointer[breaker]{}, map[breakerKey]*breaker{}
	}
	if len(all.all) >= all.sweep {
		maps.DeleteFunc(all.all, func(_ breakerKey, p weak.Pointer[breaker]) bool { return p.Value() == nil })
		all.sweep = 2*len(all.all) + 64
	}
	b := &breaker{all: all, key: key}
	all.all[key] = weak.Make(b)
	return b
}

// keep keeps a breaker in memory, and gives up another if there are too many.
func (all *breakers) keep(b *breaker) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if _, kept := all.failing[b.key]; kept {
		return
	}
	for other := range all.failing {
		if len(all.failing) < mostFailing {
			break
		}
		delete(all.failing, other)
	}
	all.failing[b.key] = b
}

// release lets a breaker go with the hooks that use it.
func (all *breakers) release(b *breaker) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.failing, b.key)
}

// bounds holds the semaphores of a policy's limits by name. The system's mutex guards it.
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

// workerPermits holds the permits of hooks that run in processes or wait for servers.
type workerPermits struct {
	waited     *semaphore.Weighted // for hooks that a fire waits for
	background *semaphore.Weighted // for hooks in the background
	unlimited  *semaphore.Weighted // for hooks with NoPermit
}

// newWorkerPermits returns permits. The number limit is for hooks that a fire waits for, and the same number is for
// background hooks.
func newWorkerPermits(limit int) workerPermits {
	return workerPermits{
		waited:     semaphore.NewWeighted(int64(limit)),
		background: semaphore.NewWeighted(int64(limit)),
		unlimited:  semaphore.NewWeighted(math.MaxInt64),
	}
}

// of returns the semaphore for a hook that a fire waits for.
func (p *workerPermits) of(h *hook.Hook) *semaphore.Weighted {
	if h.NoPermit {
		return p.unlimited
	}
	return p.waited
}

// acquire takes one permit and returns how long it waited.
func acquire(ctx context.Context, permits *semaphore.Weighted) (queued time.Duration, err error) {
	if permits.TryAcquire(1) {
		return 0, nil
	}
	start := time.Now()
	err = permits.Acquire(ctx, 1)
	return time.Since(start), err
}

// acquireFor takes the permits that a hook needs to run: first the limits of its policy, narrowest first, then a worker
// permit. All hooks use this order, which rules out deadlock.
//
// It returns how long it waited.
func acquireFor(
	ctx context.Context,
	h *hook.Hook,
	workers *semaphore.Weighted,
) (queued time.Duration, err error) {
	k := policyStateOf(h)
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

// releaseFor releases the permits that acquireFor took.
func releaseFor(h *hook.Hook, workers *semaphore.Weighted) {
	workers.Release(1)
	if k := policyStateOf(h); k != nil {
		for _, held := range k.bounds {
			held.Release(1)
		}
	}
}
