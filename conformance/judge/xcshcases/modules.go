package xcshcases

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

// Maker makes the module of a hook. It returns the path that errors name, and the factory. The module records its
// actions in its log; see [GenerateJS].
type Maker func(h Hook) (path string, f xcsh.Factory)

// Typed makes modules in Go whose handlers have the types of their events.
func Typed(h Hook) (path string, f xcsh.Factory) { return h.Path, h.factory(typedOn) }

// Untyped makes modules in Go whose handlers use JSON, like handlers in other languages. The results of the handlers
// can be any value.
func Untyped(h Hook) (path string, f xcsh.Factory) {
	return h.Path, h.factory(func(api *xcsh.API, h *Handler) { xcsh.OnDynamic(api, h.On, h.dynamic(api)) })
}

func (h *Hook) factory(on func(*xcsh.API, *Handler)) xcsh.Factory {
	return func(api *xcsh.API) error {
		for i := range h.FactoryAPI {
			if err := h.FactoryAPI[i].onAPI(api); err != nil {
				return err
			}
		}
		for i := range h.Handlers {
			on(api, &h.Handlers[i])
		}
		for i := range h.Commands {
			api.RegisterCommand(h.Commands[i].command(api))
		}
		for _, r := range h.Renderers {
			api.RegisterMessageRenderer(r.CustomType, func(xcsh.CustomMessage, bool, xcsh.Theme) string { return r.ID })
		}
		return nil
	}
}

// dynamic returns a handler that uses JSON.
func (h *Handler) dynamic(api *xcsh.API) xcsh.DynamicHandler {
	return func(ctx context.Context, event wire.Object, hc *xcsh.HookContext) (xcsh.DynamicResult, error) {
		result, err := h.behave(ctx, api, fromJSON(jsontext.Value(event)).(map[string]any), hc)
		return xcsh.DynamicResult{Value: result}, err
	}
}

// typedOn subscribes a handler that uses the event's types, or JSON if there is no such event.
func typedOn(api *xcsh.API, h *Handler) {
	i := slices.IndexFunc(typed, func(e eventType) bool { return e.name == h.On })
	if i < 0 {
		xcsh.OnDynamic(api, h.On, h.dynamic(api))
		return
	}
	typed[i].on(api, h)
}

// eventType is an event with its types.
type eventType struct {
	name string
	on   func(*xcsh.API, *Handler)
	read func(any) any // converts a result to the event's result type
}

func event[E, R any](e *xcsh.Event[E, R]) eventType {
	return eventType{
		name: e.Name(),
		on: func(api *xcsh.API, h *Handler) {
			e.On(api, func(ctx context.Context, in *E, hc *xcsh.HookContext) (*R, error) {
				return typedRun[E, R](ctx, api, h, in, hc)
			})
		},
		read: func(result any) any { return fromJSON(toJSON(read[R](toJSON(result)))) },
	}
}

func notice[E any](n *xcsh.Notice[E]) eventType {
	return eventType{name: n.Name(), on: func(api *xcsh.API, h *Handler) {
		n.On(api, func(ctx context.Context, in *E, hc *xcsh.HookContext) error {
			_, err := typedRun[E, xcsh.Nothing](ctx, api, h, in, hc)
			return err
		})
	}}
}

// typedRun runs behave on the event as JSON, and copies the changes back into the event.
func typedRun[E, R any](ctx context.Context, api *xcsh.API, h *Handler, in *E, hc *xcsh.HookContext) (*R, error) {
	event := fromJSON(toJSON(in)).(map[string]any)
	event["type"] = h.On
	result, err := h.behave(ctx, api, event, hc)
	if len(h.Mutate) > 0 {
		delete(event, "type")
		if err := json.Unmarshal(toJSON(event), in); err != nil {
			return nil, err
		}
	}
	if err != nil || result == nil || result.Kind() == 'n' {
		return nil, err
	}
	r := read[R](result)
	return &r, nil
}

// read converts a result to its type R, and drops fields that R does not have.
func read[R any](result jsontext.Value) (r R) {
	if err := wire.Object(result).Into(&r); err != nil {
		panic(err)
	}
	return r
}

var typed = []eventType{
	notice(xcsh.SessionStart), event(xcsh.SessionBeforeSwitch), notice(xcsh.SessionSwitch),
	event(xcsh.SessionBeforeBranch), notice(xcsh.SessionBranch),
	event(xcsh.SessionBeforeCompact), event(xcsh.SessionCompacting), notice(xcsh.SessionCompact),
	event(xcsh.SessionBeforeTree), notice(xcsh.SessionTree), notice(xcsh.SessionShutdown),
	event(xcsh.Context), event(xcsh.BeforeAgentStart), notice(xcsh.AgentStart), notice(xcsh.AgentEnd),
	notice(xcsh.TurnStart), notice(xcsh.TurnEnd),
	notice(xcsh.AutoCompactionStart), notice(xcsh.AutoCompactionEnd),
	notice(xcsh.AutoRetryStart), notice(xcsh.AutoRetryEnd),
	notice(xcsh.TTSRTriggered), notice(xcsh.TodoReminder), event(xcsh.ToolCall), event(xcsh.ToolResult),
}
