package modules

import (
	"context"
	_ "embed" // the texts of values
	"errors"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/wire"
)

//go:embed bus.js
var busJS string

// The constants are the results of a member that the host does not implement. With nothing the member drops the request
// and returns undefined. With fails, for a member that could restrict the agent, it throws an error.
const (
	nothing = "undefined"
	fails   = ""
)

// extended adds the members of the extension runtime to pi.
func extended(o *jsrun.Object) *jsrun.Object {
	maps.Copy(o.Sync, map[string]jsrun.Func{
		"registerTool":     jsrun.On(registerTool),
		"registerFlag":     jsrun.On(registerNamed("flag")),
		"registerShortcut": jsrun.On(registerNamed("shortcut")),
		"registerProvider": jsrun.On(registerNamed("provider")),
		"getFlag":          jsrun.On(getFlag),
	})
	lend(o.Sync, "pi.", apiOfPi, map[string]string{
		"getActiveTools": "[]", "getAllTools": "[]", "getCommands": "[]", "getSessionName": nothing,
		"getThinkingLevel": `"off"`, "sendUserMessage": fails, "setActiveTools": fails, "setLabel": fails,
		"setSessionName": fails, "setThinkingLevel": fails, "unregisterProvider": fails,
	})
	lend(o.Async, "pi.", apiOfPi, map[string]string{"setModel": fails})
	o.Values = map[string]string{"events": busJS, "typebox": typeboxJS}
	for name, register := range o.Sync {
		if name == "on" || strings.HasPrefix(name, "register") {
			o.Sync[name] = kept(register)
		}
	}
	return o
}

// extendedView adds the members of the extension runtime to the ctx of handlers.
func extendedView(o *jsrun.Object) *jsrun.Object {
	lend(o.Sync, "ctx.", apiOfSeen, map[string]string{
		"compact": fails, "getContextUsage": nothing, "getSystemPrompt": `""`, "shutdown": fails,
	})
	return o
}

// extendedUI adds the members of the extension runtime to ctx.ui. If the host does not implement them, they show
// nothing, as in a session without a user.
func extendedUI(o *jsrun.Object) *jsrun.Object {
	lend(o.Sync, "ctx.ui.", apiOfSeen, map[string]string{
		"getAllThemes": "[]", "getTheme": nothing, "getToolsExpanded": "false", "onTerminalInput": nothing,
		"pasteToEditor": nothing, "setEditorComponent": nothing, "setFooter": nothing, "setHeader": nothing,
		"setTheme": `{"success":false,"error":"the host has no themes"}`, "setTitle": nothing,
		"setToolsExpanded": nothing, "setWidget": nothing, "setWorkingMessage": nothing,
	})
	o.Around = map[string]string{"onTerminalInput": "call => () => { call(); return () => {}; }"}
	return o
}

func apiOfPi(m *boundModule) *xcsh.API { return m.api }

func apiOfSeen(s *boundContext) *xcsh.API { return s.m.api }

// lend adds members that the host may implement, and their results if it does not.
func lend[T any](to map[string]jsrun.Func, prefix string, of func(T) *xcsh.API, members map[string]string) {
	for name, without := range members {
		to[name] = jsrun.On(func(ctx context.Context, this T, args jsrun.Args) (any, error) {
			v, err := of(this).Extension(ctx, prefix+name, args)
			switch {
			case err != nil && without == nothing && errors.Is(err, errors.ErrUnsupported):
				return nil, nil
			case err != nil && without != fails && errors.Is(err, errors.ErrUnsupported):
				return jsrun.Value(without), nil
			}
			return v, err
		})
	}
}

// registerTool registers a definition that contains the name of the tool.
func registerTool(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	var tool struct {
		Name string `json:"name"`
	}
	if err := args.Decode(0, &tool); err != nil {
		return nil, err
	}
	return nil, m.registerOther("tool", tool.Name, args.Value(0))
}

// registerNamed returns the function that registers a name and a definition.
func registerNamed(kind string) func(context.Context, *boundModule, jsrun.Args) (any, error) {
	return func(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
		return nil, m.registerOther(kind, args.String(0), args.Value(1))
	}
}

// registerOther passes a definition to the host, with its functions as callable handles.
func (m *boundModule) registerOther(kind, name string, definition jsrun.Value) error {
	rest, functions := wire.Object("{}"), map[string]*function{}
	if definition.Kind() == '{' {
		rest = wire.Object(definition)
		for member, value := range wire.Object(definition).Members() {
			var h jsrun.Handle
			if json.Unmarshal(value, &h) == nil {
				functions[member], _ = m.register(kind+" "+name+" "+member, h)
				rest = rest.Without(member)
			}
		}
	}
	if kind == "flag" {
		m.flag(name, rest.Get("default"))
	}
	m.api.Register(xcsh.Registration{
		Kind: kind, Name: name, Definition: rest,
		Call: func(ctx context.Context, function string, args ...any) (jsrun.Value, error) {
			f := functions[function]
			if f == nil {
				return nil, errors.New("the " + kind + " " + name + " has no function " + function)
			}
			v, err := m.call(ctx, f, args...)
			return v, m.failure(err)
		},
	})
	return nil
}

// getFlag returns the host's value of a flag, or its default.
func getFlag(ctx context.Context, m *boundModule, args jsrun.Args) (any, error) {
	v, err := m.api.Extension(ctx, "pi.getFlag", args)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if value := m.flags[args.String(0)]; value != nil {
		return value, nil
	}
	return nil, nil
}

func (m *boundModule) flag(name string, value jsrun.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flags == nil {
		m.flags = map[string]jsrun.Value{}
	}
	m.flags[name] = value
}
