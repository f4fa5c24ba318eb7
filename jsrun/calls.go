package jsrun

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
)

// pendingCall is a request to the module. Only the code that takes it out of the open calls answers it, so that there
// is exactly one answer.
type pendingCall struct {
	id      int64
	ctx     context.Context
	answer  chan outcome // buffered: the module never waits for the caller
	objects []*binding
	settled bool // used by the module's goroutine only
}

type outcome struct {
	value Value
	err   error
}

// openCalls holds the calls without an answer, until the module ends. Any goroutine may use it.
type openCalls struct {
	mu     sync.Mutex
	calls  map[int64]*pendingCall
	last   int64 // the last id of a call
	reason error // why the module has ended; nil while it has not
}

// add registers a call and sets its id. It returns the reason if the module has ended.
func (o *openCalls) add(c *pendingCall) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reason != nil {
		return o.reason
	}
	o.last++
	c.id = o.last
	o.calls[c.id] = c
	return nil
}

// take removes the call and returns it; nil if it has been answered or abandoned.
func (o *openCalls) take(id int64) *pendingCall {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.calls[id]
	delete(o.calls, id)
	return c
}

// any reports whether a call is open.
func (o *openCalls) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.calls) > 0
}

// ended returns the reason why the module has ended; nil while it runs.
func (o *openCalls) ended() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reason
}

// end stores the reason and removes all calls. first is false, and nothing changes, if there is a reason already.
func (o *openCalls) end(reason error) (calls map[int64]*pendingCall, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reason != nil {
		return nil, false
	}
	calls, o.calls = o.calls, nil
	o.reason = reason
	return calls, true
}

// withSize adds a hint about the size to an error of the engine, if the arguments of the call are large for the
// memory of the module.
func withSize(err error, size int, memory uint64) error {
	thrown, is := errors.AsType[*Error](err)
	if !is || thrown.Name != internalError || size < int(min(memory/8, math.MaxInt)) {
		return err
	}
	hinted := *thrown
	hinted.Message += fmt.Sprintf(
		" (the arguments of the call have %d KiB, and the module's memory has %d KiB)",
		size>>10,
		memory>>10,
	)
	return &hinted
}
