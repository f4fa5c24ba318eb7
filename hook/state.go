package hook

import "context"

// State is the shared memory of a session's hooks of one source: small texts by key, 1 MiB in total.
// Processes use it by the command snaphook state. Concurrent updates are not lost. Each call costs a
// file access. It waits for a lock until ctx ends, and at most five seconds.
type State interface {
	// Get returns the value of a key, and whether there is one.
	Get(ctx context.Context, key string) (value string, ok bool, err error)
	Set(ctx context.Context, key, value string) error
	// CompareAndSwap sets a key to new if its value is old, and reports whether
	// it did.
	CompareAndSwap(ctx context.Context, key, old, new string) (swapped bool, err error)
	// Incr adds to a number, 0 if the key has no value, and returns the sum.
	Incr(ctx context.Context, key string, by int64) (sum int64, err error)
	Delete(ctx context.Context, key string) error
}

// StateKey is the key of the [State] in the context of a hook.
type StateKey struct{}

// StateFrom returns the program's state in the session of a hook in Go, from the hook's context;
// nil if ctx is not a hook's context. Hooks from settings have separate states and cannot change
// it.
func StateFrom(ctx context.Context) State {
	s, _ := ctx.Value(StateKey{}).(State)
	return s
}
