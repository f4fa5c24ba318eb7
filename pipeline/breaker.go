package pipeline

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// breaker keeps a hook from being started that has failed too often in a row.
// After a while one run is let through: if it works, all are.
type breaker struct {
	mu      sync.Mutex
	limit   policy.Breaker
	failed  []hook.Class // in a row; the last ones, up to the limit
	until   time.Time    // while it is open
	trying  bool         // the one run is under way
	stopped bool
}

// broken are the classes of failures that a breaker counts: those of the means
// by which a hook runs. A status that means failure is the hook's own word.
var broken = []hook.Class{hook.ClassSpawn, hook.ClassMissing, hook.ClassTimeout, hook.ClassCrash, hook.ClassOutput,
	hook.ClassOversize, hook.ClassHTTP, hook.ClassModel}

func (b *breaker) set(limit policy.Breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = limit
}

// openError is a [hook.BreakerError] with the classes of the failures that
// opened the breaker: what is closed for one of those stays closed.
type openError struct {
	hook.BreakerError
	classes []hook.Class
}

func (e *openError) Unwrap() error { return &e.BreakerError }

// allow reports why the hook must not run now, or nil.
func (k *keeper) allow() error {
	if k == nil || k.breaker == nil {
		return nil
	}
	b := k.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		return nil
	}
	left := time.Until(b.until)
	if left <= 0 && !b.trying {
		b.trying = true
		return nil
	}
	return &openError{
		hook.BreakerError{Failures: len(b.failed), For: max(0, left)},
		slices.Compact(slices.Sorted(slices.Values(b.failed))),
	}
}

// done counts how a run that allow let through has ended; err is nil if it did
// not fail.
func (k *keeper) done(err error) {
	if k == nil || k.breaker == nil {
		return
	}
	b, class := k.breaker, hook.ClassOf(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	switch {
	case slices.Contains(broken, class):
		if b.failed = append(b.failed, class); len(b.failed) > b.limit.Failures {
			b.failed = b.failed[1:]
		}
		if len(b.failed) >= b.limit.Failures {
			b.stopped, b.until = true, time.Now().Add(b.limit.For)
		}
	case class == hook.ClassCancelled || class == hook.ClassQueue: // it says nothing of the hook
	default:
		b.failed, b.stopped = nil, false
	}
}

// openFailures counts hooks that failed open.
type openFailures struct {
	all     atomic.Int64
	mu      sync.Mutex
	byClass map[hook.Class]int64
}

func (o *openFailures) add(class hook.Class) {
	o.all.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byClass == nil {
		o.byClass = map[hook.Class]int64{}
	}
	o.byClass[class]++
}

func (o *openFailures) by() map[hook.Class]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make(map[hook.Class]int64, len(o.byClass))
	for class, n := range o.byClass {
		all[class] = n
	}
	return all
}
