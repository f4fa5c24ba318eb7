package xcsh

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// module holds the registrations of one module.
type module struct {
	m              *Modules
	path, resolved string
	source         hook.Source
	rank           int
	closer         io.Closer

	mu        sync.Mutex
	live      bool // its handlers run
	closed    bool
	handlers  []*subscription
	counted   int
	commands  []Command
	renderers map[string]Renderer
	others    []Registration
}

// subscription is a handler of a module that is subscribed to an event.
type subscription struct {
	hook    *hook.Hook
	number  int            // number of the handler in its module, from 1
	dynamic DynamicHandler // for an event that does not belong to the system; see [Modules.Announce]
	remove  func()         // nil until the hook is registered
}

// add subscribes a hook, of which only the event and the function are set. The hook runs once the module has been
// loaded.
func (mod *module) add(h *hook.Hook) (remove func()) { return mod.subscribe(h, nil) }

func (mod *module) subscribe(h *hook.Hook, dynamic DynamicHandler) (remove func()) {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	mod.counted++
	h.ID = fmt.Sprintf("%s/%s/%s#%d", mod.source, h.Event, mod.path, mod.counted)
	h.Name, h.Type, h.Command, h.Source, h.Rank = mod.path, "module", mod.path, mod.source, mod.rank
	h.Position.File = mod.resolved
	entry := &subscription{hook: h, number: mod.counted, dynamic: dynamic}
	if mod.closed {
		return func() {}
	}
	mod.handlers = append(mod.handlers, entry)
	if mod.live {
		entry.remove, _ = pipeline.Register(mod.m.ses, h) // cannot fail: the event has made the hook
	}
	return func() { mod.drop(entry) }
}

func (mod *module) drop(entry *subscription) {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	mod.handlers = slices.DeleteFunc(mod.handlers, func(other *subscription) bool { return other == entry })
	if entry.remove != nil {
		entry.remove()
	}
}

// begin registers the handlers as hooks, which run from now on.
func (mod *module) begin() {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	mod.live = true
	for _, entry := range mod.handlers {
		entry.remove, _ = pipeline.Register(mod.m.ses, entry.hook) // cannot fail: the event has made the hook
	}
}

// close removes all registrations. Later registrations of the module are ignored.
func (mod *module) close() error {
	mod.mu.Lock()
	mod.closed = true
	for _, entry := range mod.handlers {
		if entry.remove != nil {
			entry.remove()
		}
	}
	mod.handlers, mod.commands, mod.renderers = nil, nil, nil
	mod.mu.Unlock()
	if mod.closer == nil {
		return nil
	}
	if err := mod.closer.Close(); err != nil {
		return fmt.Errorf("%s: %w", mod.path, err)
	}
	return nil
}

func (mod *module) info() Info {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	i := Info{
		Path:     mod.path,
		Resolved: mod.resolved,
		Source:   mod.source,
		Events:   map[string]int{},
		Commands: []string{},
	}
	if at, is := mod.closer.(interface{ Runtime() (name, why string) }); is {
		i.Runtime, i.RuntimeReason = at.Runtime()
	}
	for _, entry := range mod.handlers {
		i.Events[entry.hook.Event]++
	}
	for _, c := range mod.commands {
		i.Commands = append(i.Commands, c.Name)
	}
	i.Renderers = slices.Sorted(maps.Keys(mod.renderers))
	i.Others = slices.Clone(mod.others)
	return i
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
