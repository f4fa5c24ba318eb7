package jsrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
)

// binding is the Go side of a JavaScript object. It is removed when JavaScript collects the object.
type binding struct {
	id    int64
	funcs []Func
	this  any
	call  *pendingCall // the call that had the object as an argument
	ctx   context.Context
	stop  func() bool // stops watching the call's context; nil if it is not watched
}

// context returns the context for functions of the object. Once the module has answered the object's call, the end of
// the call's context no longer affects the object.
func (b *binding) context() context.Context {
	if b.call.settled {
		return context.WithoutCancel(b.ctx)
	}
	return b.ctx
}

// hostObjects holds the objects of the host that the module can use, and runs their functions. Only the module's
// goroutine uses it, apart from the method encode and the fields below mu.
type hostObjects struct {
	ctx   context.Context // ends with the module
	queue *taskQueue
	enter func(op string, args ...any) // calls an entry of prelude.js, on the module's goroutine

	bindings map[int64]*binding
	cancels  map[int64]context.CancelCauseFunc // cancels the asynchronous functions
	work     sync.WaitGroup                    // running asynchronous functions

	mu     sync.Mutex
	shapes map[*Object]int // indexes in known
	known  []*objectShape
	last   int64 // the last id of a binding
}

func newHostObjects(ctx context.Context, queue *taskQueue, enter func(op string, args ...any)) *hostObjects {
	return &hostObjects{
		ctx:      ctx,
		queue:    queue,
		enter:    enter,
		bindings: map[int64]*binding{},
		cancels:  map[int64]context.CancelCauseFunc{},
		shapes:   map[*Object]int{},
	}
}

// encode writes arguments in the form that prelude.js reads: a list of the arguments, with each
// object replaced by its properties; then the index, shape and number of each object; and the
// number of objects.
func (h *hostObjects) encode(c *pendingCall, args []any) (string, error) {
	text, objects := []byte{'['}, []byte{}
	for i, arg := range args {
		var v Value
		var err error
		if b, is := arg.(Bound); is {
			v, err = b.values, b.err
			id, shape := h.bind(c, b)
			objects = fmt.Appendf(objects, "%d,%d,%d,", i, shape, id)
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

// bind adds an object to the objects of a call.
func (h *hostObjects) bind(c *pendingCall, b Bound) (id int64, shape int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	shape, known := h.shapes[b.object]
	if !known {
		shape = len(h.known)
		h.known = append(h.known, newShape(b.object))
		h.shapes[b.object] = shape
	}
	h.last++
	c.objects = append(c.objects, &binding{
		id: h.last, funcs: h.known[shape].funcs, this: b.this, call: c, ctx: cmp.Or(b.ctx, c.ctx),
	})
	return h.last, shape
}

// shape returns the text that creates an object; undefined if there is no such shape.
func (h *hostObjects) shape(id int64) any {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id < 0 || id >= int64(len(h.known)) {
		return undefined
	}
	return h.known[id].source
}

// watch aborts the object's signal when its context ends. It returns the cause if the context has
// ended already.
func (h *hostObjects) watch(b *binding) (why any) {
	ctx := b.ctx
	switch {
	case b.call.settled || b.stop != nil:
		return undefined
	case ctx.Err() != nil:
		return context.Cause(ctx).Error()
	}
	b.stop = context.AfterFunc(ctx, func() {
		h.queue.add(func() { h.enter("abort", b.id, context.Cause(ctx).Error()) })
	})
	return undefined
}

// unwatch releases the object's signal, unless it is aborted.
func (h *hostObjects) unwatch(b *binding) {
	if b.stop != nil && b.stop() {
		h.queue.add(func() { h.enter("done", b.id) })
	}
}

// inside is the key of a visit, in the context of a synchronous function.
type inside struct{ h *hostObjects }

// visit is one run of a synchronous function.
type visit struct{ over atomic.Bool }

// isInside reports whether ctx is the context of a synchronous function that runs now.
func (h *hostObjects) isInside(ctx context.Context) bool {
	v, is := ctx.Value(inside{h}).(*visit)
	return is && !v.over.Load()
}

// sync calls a function while JavaScript waits.
func (h *hostObjects) sync(b *binding, fn int64, text string) any {
	now := &visit{}
	defer now.over.Store(true)
	ctx := context.WithValue(b.context(), inside{h}, now)
	answer, sent := answerOf(ctx, b.funcs[fn], b.this, text)
	if sent != nil {
		sent()
	}
	return answer
}

// mostAsync limits the asynchronous functions that run for a module at the same time.
const mostAsync = 1000

// async calls a function on a new goroutine, and then settles the promise with the number id.
func (h *hostObjects) async(id int64, b *binding, fn int64, text string, aborted bool) {
	if len(h.cancels) >= mostAsync {
		h.queue.add(func() {
			h.enter("settle", id, fmt.Sprintf("!more than %d functions of the host are running", mostAsync))
		})
		return
	}
	ctx, cancel := context.WithCancelCause(b.context())
	if aborted { // cancels the context before the function begins
		cancel(errAborted)
	}
	stop := context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })
	h.cancels[id] = cancel
	h.work.Go(func() {
		var answer any = "!the function ended its goroutine"
		sent := func() {}
		defer func() {
			stop()
			cancel(nil)
			h.queue.add(func() {
				delete(h.cancels, id)
				h.enter("settle", id, answer)
				sent()
			})
		}()
		var done func()
		if answer, done = answerOf(ctx, b.funcs[fn], b.this, text); done != nil {
			sent = h.once(done)
		}
	})
}

// once returns a function that calls done. The end of the module, which drops the queue, calls done too. Only the first
// of these calls has an effect.
func (h *hostObjects) once(done func()) func() {
	done = sync.OnceFunc(done)
	forget := context.AfterFunc(h.ctx, done)
	return func() {
		forget()
		done()
	}
}

// errAborted is the cause of a context that JavaScript ended.
var errAborted = errors.New("aborted by the module")

// cancel ends the context of an asynchronous function.
func (h *hostObjects) cancel(id int64) {
	if cancel := h.cancels[id]; cancel != nil {
		cancel(errAborted)
	}
}

// answerOf calls f and encodes the answer for prelude.js: undefined, "=" and JSON, or "!" and an error text. sent, if
// not nil, is called after the answer has been read.
func answerOf(ctx context.Context, f Func, this any, args string) (answer any, sent func()) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = fmt.Sprintf("!panic: %v", cause)
		}
	}()
	var list Args
	if err := json.Unmarshal([]byte(args), &list, asJavaScript); err != nil {
		return "!" + err.Error(), nil
	}
	result, err := f(ctx, this, list)
	if err != nil {
		return "!" + err.Error(), nil
	}
	if held, is := result.(Sent); is {
		result, sent = held.Value, held.Done
	}
	v, err := valueOf(result)
	if err != nil {
		return "!" + err.Error(), sent
	}
	if v == nil {
		return undefined, sent
	}
	return "=" + string(v), sent
}
