package xcshcases

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

// operations maps the names of operations to functions, which return the outcome of a step.
var operations map[string]func(*runningCase, *Step) map[string]any

func init() { // filled here, because the operations refer to the map
	operations = map[string]func(*runningCase, *Step) map[string]any{
		"emit":                 (*runningCase).emit,
		"emitToolCall":         func(w *runningCase, s *Step) map[string]any { return w.fire("tool_call", s.Event) },
		"emitContext":          (*runningCase).emitContext,
		"emitBeforeAgentStart": (*runningCase).emitBeforeAgentStart,
		"runTool":              (*runningCase).runTool,
		"hasHandlers": func(w *runningCase, s *Step) map[string]any {
			name, _ := fromJSON(s.Event).(string)
			return ok(w.modules.Has(name))
		},
		"getHookPaths":          func(w *runningCase, _ *Step) map[string]any { return ok(list(w.modules.Paths())) },
		"getRegisteredCommands": (*runningCase).commands,
		"getCommand":            (*runningCase).getCommand,
		"getMessageRenderer":    (*runningCase).getRenderer,
		"runCommand":            (*runningCase).runCommand,
		"callApi":               (*runningCase).callAPI,
		"initialize":            (*runningCase).initialize,
		"addListener":           func(w *runningCase, s *Step) map[string]any { w.listen(Listener{ID: s.ID}); return done(nil) },
		"removeListener":        (*runningCase).removeListener,
		"emitError":             (*runningCase).emitError,
		"runnerState":           (*runningCase).runnerState,
		"commandContext":        (*runningCase).commandContext,
		"wait": func(_ *runningCase, s *Step) map[string]any {
			time.Sleep(time.Duration(s.MS) * time.Millisecond)
			return done(nil)
		},
		"loadHooks":       (*runningCase).load,
		"discoverAndLoad": (*runningCase).discoverAndLoad,
		"discover":        (*runningCase).discover,
		"registry":        (*runningCase).registry,
		"capabilityInfo":  (*runningCase).capabilityInfo,
		"resolvePath":     (*runningCase).resolvePath,
		"status":          (*runningCase).status,
		"sanitize":        (*runningCase).sanitize,
		"exec":            (*runningCase).exec,
	}
}

func ok(value any) map[string]any { return map[string]any{"ok": true, "value": value} }

// done returns an outcome without a value.
func done(err error) map[string]any {
	if err == nil {
		return map[string]any{"ok": true}
	}
	outcome := map[string]any{"ok": false, "error": err.Error()}
	if thrown := new(xcsh.Thrown); errors.As(err, &thrown) && err.Error() == thrown.Value {
		outcome["nonError"] = true
	}
	return outcome
}

// list returns an empty list for nil.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func eventName(event jsontext.Value) string {
	named := struct {
		Type string `json:"type"`
	}{}
	_ = json.Unmarshal(event, &named)
	return named.Type
}

// emit fires the event of a step. xcsh itself has special functions for three of the events, besides a generic emit.
// This engine fires every event by the event's own rules.
func (w *runningCase) emit(s *Step) map[string]any { return w.fire(eventName(s.Event), s.Event) }

func (w *runningCase) fire(name string, event jsontext.Value) map[string]any {
	e, known := xcsh.Lookup(name)
	if !known {
		return done(w.modules.Announce(w.t.Context(), name, wire.Object(event)))
	}
	result, err := e.FireJSON(w.t.Context(), w.modules, event)
	if err != nil || result == nil {
		return done(err)
	}
	return ok(fromJSON(result))
}

func (w *runningCase) emitContext(s *Step) map[string]any {
	messages := []xcsh.Message{}
	for _, m := range s.Messages {
		messages = append(messages, xcsh.Message{Object: []byte(m)})
	}
	r, err := xcsh.Context.Fire(w.t.Context(), w.modules, &xcsh.ContextEvent{Messages: messages})
	outcome := done(err)
	if err == nil {
		outcome = ok(xcsh.ApplyContext(messages, r))
	}
	outcome["inputAfter"] = messages
	return outcome
}

func (w *runningCase) emitBeforeAgentStart(s *Step) map[string]any {
	event := map[string]any{"prompt": s.Prompt}
	if s.Images != nil {
		event["images"] = s.Images
	}
	if s.SystemPrompt != "" {
		event["systemPrompt"] = s.SystemPrompt
	}
	return w.fire("before_agent_start", toJSON(event))
}

func described(c xcsh.Command) map[string]any {
	d := map[string]any{"name": c.Name}
	if c.Description != "" {
		d["description"] = c.Description
	}
	return d
}

func (w *runningCase) commands(*Step) map[string]any {
	all := []any{}
	for _, c := range w.modules.Commands() {
		all = append(all, described(c))
	}
	return ok(all)
}

func (w *runningCase) getCommand(s *Step) map[string]any {
	c, found := w.modules.Command(s.Name)
	if !found {
		return done(nil)
	}
	return ok(described(c))
}

func (w *runningCase) getRenderer(s *Step) map[string]any {
	render, found := w.modules.Renderer(s.CustomType)
	if !found {
		return done(nil)
	}
	return ok(render(xcsh.CustomMessage{CustomType: s.CustomType, Content: xcsh.Text("")}, false, xcsh.NoUI{}.Theme()))
}

func (w *runningCase) runCommand(s *Step) map[string]any {
	c, found := w.modules.Command(s.Name)
	if !found {
		return done(fmt.Errorf("there is no command %s", strconv.Quote(s.Name)))
	}
	args, _ := fromJSON(s.Args).(string)
	return done(w.modules.RunCommand(w.t.Context(), &c, args))
}

func (w *runningCase) callAPI(s *Step) map[string]any {
	call := Call{Call: s.Call}
	if err := optional(s.Args, &call.Args); err != nil {
		return done(err)
	}
	api := w.apis[s.Hook]
	if api == nil {
		return done(fmt.Errorf("there is no hook %s", strconv.Quote(s.Hook)))
	}
	return done(call.onAPI(api))
}

func (w *runningCase) initialize(s *Step) map[string]any {
	var i Initialize
	if err := optional(s.Options, &i); err != nil {
		w.t.Fatal(err)
	}
	w.modules.Initialize(w.host(&i))
	return done(nil)
}

func (w *runningCase) removeListener(s *Step) map[string]any {
	if remove := w.unlisten[s.ID]; remove != nil {
		remove()
	}
	return done(nil)
}

// optional reads a member that may be absent.
func optional(text jsontext.Value, into any) error {
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into, json.RejectUnknownMembers(true))
}

func (w *runningCase) emitError(s *Step) map[string]any {
	text := func(name string) string { t, _ := s.Error[name].(string); return t }
	w.modules.Report(xcsh.HookError{Path: text("hookPath"), Event: text("event"), Message: text("error")})
	return done(nil)
}

func (w *runningCase) runnerState(*Step) map[string]any {
	return ok(map[string]any{"hasUI": w.modules.CommandContext().HasUI})
}

func (w *runningCase) commandContext(s *Step) map[string]any {
	cc := w.modules.CommandContext()
	value := map[string]any{}
	for _, field := range s.Fields {
		if v, has := lookup(fields(&cc.HookContext), field); has {
			value[field] = v
		}
	}
	outcome := ok(value)
	if len(s.Calls) > 0 {
		outcome["calls"] = results(s.Calls, func(c *Call) (any, bool) { return onCommandContext(w.t.Context(), c, cc) })
	}
	return outcome
}

// entries is a session that has only a list of entries.
type entries struct {
	xcsh.NoSession
	list []jsontext.Value
}

// Entries implements [xcsh.SessionView].
func (e entries) Entries() []xcsh.Entry {
	var all []xcsh.Entry
	for _, entry := range e.list {
		all = append(all, xcsh.Entry{Object: []byte(entry)})
	}
	return all
}
