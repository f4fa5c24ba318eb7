package hook

import "context"

// State is a key-value store that a session's hooks of one source share: small texts, 1 MiB in total, or 512 KiB in a
// fleet. Hooks that are processes use the store by the command snaphook state. Concurrent updates are not lost. Each
// call costs a file access, and waits for a lock until ctx ends or five seconds have passed. In a fleet a call costs
// round trips to the server.
type State interface {
	// Get returns the value of a key, and whether there is one.
	Get(ctx context.Context, key string) (value string, ok bool, err error)
	Set(ctx context.Context, key, value string) error
	// CompareAndSwap sets a key to new if its value is old, and reports whether
	// it did.
	CompareAndSwap(ctx context.Context, key, old, new string) (swapped bool, err error)
	// Incr adds the number by to the value of a key, and returns the sum. A key without a value counts as 0.
	Incr(ctx context.Context, key string, by int64) (sum int64, err error)
	Delete(ctx context.Context, key string) error
}

// StateKey is the context key of the [State] that a hook in Go uses.
type StateKey struct{}

// StateFrom returns the state that the program and its hooks in Go share in a session. ctx is the context of a hook in
// Go; for any other context the state is nil. Hooks from settings use separate states and cannot change this state.
func StateFrom(ctx context.Context) State {
	s, _ := ctx.Value(StateKey{}).(State)
	return s
}
