package jsrun

import (
	"cmp"
	"context"
	"sync/atomic"
)

// binding is the Go side of a JavaScript object. It is removed when JavaScript collects the object.
type binding struct {
	id    int64
	shape int
	funcs []Func
	this  any
	call  *pendingCall // the call that had the object as an argument
	ctx   context.Context
	stop  func() bool // stops watching the call's context; nil if it is not watched
}

func (m *Module) bind(c *pendingCall, b Bound) *binding {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, known := m.shapes[b.object]
	if !known {
		at = len(m.known)
		m.known = append(m.known, newShape(b.object))
		m.shapes[b.object] = at
	}
	m.ids++
	made := &binding{id: m.ids, shape: at, funcs: m.known[at].funcs, this: b.this, call: c, ctx: cmp.Or(b.ctx, c.ctx)}
	c.objects = append(c.objects, made)
	return made
}

// context returns the context for functions of the object. Once the module has answered the object's call, the end of
// the call's context no longer affects the object.
func (b *binding) context() context.Context {
	if b.call.settled {
		return context.WithoutCancel(b.ctx)
	}
	return b.ctx
}

// watch aborts the object's signal when its context ends. It returns the cause if the context has
// ended already.
func (m *Module) watch(b *binding) (why any) {
	ctx := b.ctx
	switch {
	case b.call.settled || b.stop != nil:
		return undefined
	case ctx.Err() != nil:
		return context.Cause(ctx).Error()
	}
	b.stop = context.AfterFunc(ctx, func() {
		m.queue.add(func() { m.enter(nil, "abort", b.id, context.Cause(ctx).Error()) })
	})
	return undefined
}

func (m *Module) unwatch(b *binding) {
	if b.stop != nil && b.stop() {
		m.queue.add(func() { m.enter(nil, "done", b.id) })
	}
}

// inside is the key of a visit, in the context of a synchronous function.
type inside struct{ m *Module }

// visit is one run of a synchronous function.
type visit struct{ over atomic.Bool }

func (m *Module) isInside(ctx context.Context) bool {
	v, is := ctx.Value(inside{m}).(*visit)
	return is && !v.over.Load()
}
