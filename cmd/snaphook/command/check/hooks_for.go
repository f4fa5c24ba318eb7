package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// callAsked is the call of --for: the name of a tool, or an event's input.
type callAsked struct {
	Tool  *string      `json:"tool"`
	Input *wire.Object `json:"input"` // null: only the name is known
	Asked []string     `json:"asked"` // the planned events; if only the name is known, the events whose hooks were compared with the name
}

// The relations of a hook to a call.
const (
	callRuns    = "runs"
	callSkips   = "skipped"
	callDepends = "depends" // depends on the call's arguments
)

// toolMembers and argumentMembers list the names that systems use for a tool and for its arguments, the commonest
// first.
var (
	toolMembers     = []string{"tool_name", "toolName"}
	argumentMembers = []string{"tool_input", "toolArgs", "input"}
)

// readCall reads the value of --for. It returns nil if the flag is not given.
func readCall(text string) (*callAsked, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, nil
	case strings.HasPrefix(text, "["), strings.HasPrefix(text, `"`):
		return nil, errors.New(`--for: want the name of a tool, or one object such as {"tool_name": "Bash", "tool_input": {"command": "ls"}}`)
	case !strings.HasPrefix(text, "{"):
		return &callAsked{Tool: &text}, nil
	}
	v := jsontext.Value(text)
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("--for: the call is not JSON: %w", err)
	}
	call := &callAsked{Input: lo.ToPtr(wire.Object(v))}
	for _, member := range toolMembers {
		if tool := call.Input.Text(member); tool != "" && call.Tool == nil {
			call.Tool = &tool
		}
	}
	if call.Tool == nil && call.Input.Text("hook_event_name") == "" {
		return nil, errors.New(`--for: the call names no tool and no event; write {"tool_name": "Bash", "tool_input": {…}}, or "hook_event_name"`)
	}
	return call, nil
}

// forCall returns the hooks that concern a call, each with its relation to the call.
func forCall(
	cmd *cobra.Command, f *hooksFlags, all []*project.Sources, hooks []listedHook, call *callAsked,
) ([]listedHook, error) {
	if call.Input == nil {
		return forTool(hooks, call), nil
	}
	var kept []listedHook
	call.Asked = []string{}
	for _, src := range all {
		event := eventFor(src.Dialect, call)
		if event == nil {
			continue
		}
		name := event.Info().FullName()
		call.Asked = append(call.Asked, name)
		decided, err := planCall(cmd, f, src, event, inputFor(src.Dialect, call))
		if err != nil {
			return nil, fmt.Errorf("--for: %w", err)
		}
		for _, h := range hooks {
			switch {
			case h.Event == name:
				kept = append(kept, h.inPlan(decided))
			case src.Dialect.Modules && h.isUnloaded():
				h.Call = lo.ToPtr(callSkips)
				kept = append(kept, h)
			}
		}
	}
	if len(call.Asked) == 0 {
		name := call.Input.Text("hook_event_name")
		return nil, fmt.Errorf("--for: no system has an event %q%s; `snaphook events` lists them", name, cli.DidYouMean("", name, allEventNames()))
	}
	return cli.OrEmpty(kept), nil
}

// forTool selects hooks by their matchers alone.
func forTool(hooks []listedHook, call *callAsked) []listedHook {
	kept := []listedHook{}
	for _, h := range hooks {
		if h.isUnloaded() {
			h.Call = lo.ToPtr(callSkips)
			kept = append(kept, h)
			continue
		}
		subject := subjectOf(h.hook)
		if !slices.Contains(toolMembers, subject) {
			continue
		}
		if !slices.Contains(call.Asked, h.Event) {
			call.Asked = append(call.Asked, h.Event)
		}
		if h.hook.Matcher != nil && !h.hook.Matcher.Match(*call.Tool) {
			continue
		}
		switch {
		case h.Why != nil:
			h.Call = lo.ToPtr(callSkips)
		case h.hook.Condition != nil || h.hook.Type == systems.ModuleType:
			h.Call = lo.ToPtr(callDepends)
		default:
			h.Call = lo.ToPtr(callRuns)
		}
		kept = append(kept, h)
	}
	call.Asked = cli.OrEmpty(call.Asked)
	return kept
}

// subjectOf returns the name of the input's member that matchers test at the event of a hook.
func subjectOf(h *hook.Hook) string {
	for _, e := range systems.Events() {
		if info := e.Info(); info.Name == h.Event && info.Dialect == h.Dialect {
			return info.Subject
		}
	}
	return ""
}

// eventFor returns the event of a call: the named one, or else the event before a tool runs; nil if the system has no
// such event.
func eventFor(d *systems.Dialect, call *callAsked) pipeline.Declared {
	name := call.Input.Text("hook_event_name")
	if name == "" {
		name = d.ToolGate
	}
	for _, e := range pipeline.Events(d.Dialect) {
		if info := e.Info(); info.Name == name || info.FullName() == name {
			return e
		}
	}
	return nil
}

// inputFor returns a call with the member names of a system.
func inputFor(d *systems.Dialect, call *callAsked) []byte {
	in := *call.Input
	tool, arguments := toolMembers[0], argumentMembers[0]
	if d.CallMembers != [2]string{} {
		tool, arguments = d.CallMembers[0], d.CallMembers[1]
	}
	move := func(names []string, to string) {
		for _, name := range names {
			if v := in.Get(name); v != nil && in.Get(to) == nil {
				in = in.Without(name).With(to, v)
			}
		}
	}
	if call.Tool != nil {
		move(toolMembers, tool)
		move(argumentMembers, arguments)
		if in.Get(arguments) == nil {
			in = in.With(arguments, jsontext.Value("{}"))
		}
		if d.Modules && in.Get("toolCallId") == nil {
			in = in.With("toolCallId", jsontext.Value(`"1"`))
		}
	}
	return in
}

// planCall plans a fire of one system; no hook runs.
func planCall(
	cmd *cobra.Command, f *hooksFlags, src *project.Sources, event pipeline.Declared, input []byte,
) (fire.Plan, error) {
	sys, ses, err := f.SessionOf(cmd, src, project.Opening{
		Event: event, Input: input, Warm: project.ColdNotes{Warm: warm.New(warm.Config{})}, Quiet: true,
	})
	if err != nil {
		return fire.Plan{}, err
	}
	defer sys.Close()
	name := event.Info().FullName()
	if src.Dialect.Modules {
		a, err := f.OpenModules(cmd, src, ses, project.NewLookHost(cmd))
		if err != nil {
			return fire.Plan{}, err
		}
		defer a.End(cmd)
	}
	decided, err := event.PlanJSON(ses, input)
	if err != nil {
		return fire.Plan{}, err
	}
	return fire.PlanOf(name, decided, ses.Hooks()), nil
}

// allEventNames returns the bare names of all events.
func allEventNames() []string {
	return lo.Uniq(lo.Map(systems.Events(), func(e pipeline.Declared, _ int) string { return e.Info().Name }))
}
