package xcsh

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Announce fires an event that does not belong to the system: it calls the handlers that modules have subscribed to its
// name. Their results are ignored, and failures are reported to the listeners, as with a [Notice]. Each handler gets a
// copy of event, an object, with the name as its type.
//
// If the system has an event of that name, Announce returns an error and runs nothing; use the method of that event.
func (m *Modules) Announce(ctx context.Context, name string, event wire.Object) error {
	if _, known := Lookup(name); known {
		return fmt.Errorf("%s is an event of the system: fire it with its own Fire", name)
	}
	if len(event) > 0 && (!valid(jsontext.Value(event)) || !event.IsObject()) {
		return fmt.Errorf("the event %s is not a JSON object", name)
	}
	event = withType(name, event.Without("type"))
	ctx = m.firing(ctx)
	for _, mod := range m.list() {
		for h := mod.next(name, 0); h != nil; h = mod.next(name, h.number) {
			if err := m.announce(ctx, h.dynamic, event); err != nil {
				m.Report(HookError{Path: mod.path, Event: name, Message: err.Error(), Stack: m.stack(err)})
			}
		}
	}
	return nil
}

func (m *Modules) announce(ctx context.Context, h DynamicHandler, event wire.Object) (err error) {
	caught := panics.Try(func() { _, err = h(ctx, bytes.Clone(event), m.contextOf(ctx)) })
	if caught != nil {
		return &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
	}
	return err
}

// next returns the first handler of an announced event whose number is greater than after, or nil. It also finds a
// handler that was subscribed while the previous handler ran.
func (mod *module) next(event string, after int) *subscription {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	i := slices.IndexFunc(
		mod.handlers,
		func(h *subscription) bool { return h.number > after && h.dynamic != nil && h.hook.Event == event },
	)
	if i < 0 {
		return nil
	}
	return mod.handlers[i]
}
