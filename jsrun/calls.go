package jsrun

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// pendingCall is a request to the module. Only the code that removes it from Module.calls answers it, so that there is
// exactly one answer.
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

// do calls run on the module's goroutine, with the arguments as text, and waits for an answer.
func (m *Module) do(ctx context.Context, args []any, run func(c *pendingCall, text string)) (Value, error) {
	if m.isInside(ctx) {
		return nil, ErrInside
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c := &pendingCall{ctx: ctx, answer: make(chan outcome, 1)}
	text, err := m.encode(c, args)
	if err != nil {
		return nil, err
	}
	if err := m.admit(c, func() { m.begin(c, text, run) }); err != nil {
		return nil, err
	}
	select {
	case o := <-c.answer:
		return o.value, m.large(o.err, len(text))
	case <-ctx.Done():
		if m.take(c.id) != nil && m.proc != nil {
			m.queue.add(func() { m.forsake(c.id) })
		}
		return nil, context.Cause(ctx)
	}
}

// large changes an error of the engine: if the input of the call was large, the error gets a hint about the size.
func (m *Module) large(err error, size int) error {
	thrown := new(Error)
	if !errors.As(err, &thrown) || thrown.Name != internalError || size < int(min(m.opt.Memory/8, math.MaxInt)) {
		return err
	}
	said := *thrown
	said.Message += fmt.Sprintf(
		" (the arguments of the call have %d KiB, and the module's memory has %d KiB)",
		size>>10,
		m.opt.Memory>>10,
	)
	return &said
}

// admit registers c and queues its task.
func (m *Module) admit(c *pendingCall, task func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reason != nil {
		return m.reason
	}
	m.ids++
	c.id = m.ids
	m.calls[c.id] = c
	m.queue.add(task)
	return nil
}

// begin runs a call unless its caller has stopped waiting.
func (m *Module) begin(c *pendingCall, text string, run func(c *pendingCall, text string)) {
	if c.ctx.Err() != nil {
		return
	}
	for _, b := range c.objects {
		m.bindings[b.id] = b
	}
	run(c, text)
}

// take removes the call and returns it; nil if it has been answered or abandoned.
func (m *Module) take(id int64) *pendingCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[id]
	delete(m.calls, id)
	return c
}

// complete answers a call. It reports whether a caller was waiting. It runs on the module's goroutine.
func (m *Module) complete(id int64, o outcome) bool {
	c := m.take(id)
	if c == nil {
		return false
	}
	c.settled = true
	for _, b := range c.objects {
		m.unwatch(b)
	}
	c.answer <- o
	return true
}

// encode writes arguments in the form that prelude.js reads: a list of the arguments, with each
// object replaced by its properties; then the index, shape and number of each object; and the
// number of objects.
func (m *Module) encode(c *pendingCall, args []any) (string, error) {
	text, objects := []byte{'['}, []byte{}
	for i, arg := range args {
		var v Value
		var err error
		if b, is := arg.(Bound); is {
			v, err = b.values, b.err
			made := m.bind(c, b)
			objects = fmt.Appendf(objects, "%d,%d,%d,", i, made.shape, made.id)
		} else {
			v, err = argument(arg)
		}
		if err != nil {
			return "", fmt.Errorf("argument %d: %w", i+1, err)
		}
		text = append(append(text, v...), ',')
	}
	return string(fmt.Appendf(append(text, objects...), "%d]", len(c.objects))), nil
}

// argument returns v as JSON for the list that encode writes.
func argument(v any) (Value, error) {
	text, err := valueOf(v)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return Value("null"), nil
	case !text.IsValid(asJavaScript):
		return nil, errors.New("not JSON")
	}
	return text, nil
}
