package door_test

import (
	"github.com/snaphook-go/snaphook/internal/testkit"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// xcshStep fires one step of a case directly, and through package snaphook.
type xcshStep func(t *testing.T, m *xcsh.Modules, s *snaphook.Session, step *xcshcases.Step) (alone, through answer)

// xcshSteps maps the events before and after a tool, the event of a prompt, and the operation runTool to functions. It
// leaves out the events of sessions and of an agent's end: their handlers decide nothing.
var xcshSteps = map[string]xcshStep{
	"tool_call":          xcshToolCall,
	"tool_result":        xcshToolResult,
	"before_agent_start": xcshPrompt,
	"runTool":            xcshTool,
}

func TestThroughAgentXcshsModulesSayTheSame(t *testing.T) {
	dir, found := llxprtcases.Dir("xcsh")
	if !found {
		t.Skip("there are no xcsh cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := xcshcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases { // package snaphook has the hook runtime: cases of the extension runtime are left out
		if len(c.Hooks) == 0 || c.Runtime == "extension" {
			continue
		}
		for i := range c.Steps {
			step := &c.Steps[i]
			fire := xcshSteps[momentOf(step)]
			if fire == nil {
				continue
			}
			ran++
			t.Run(c.Name, func(t *testing.T) {
				alone, s := xcshModules(t), openXcsh(t)
				for _, h := range c.Hooks {
					for _, m := range []*xcsh.Modules{alone, s.Modules()} {
						path, factory := xcshcases.Typed(h)
						_ = m.Add(path, factory) // a module that fails to load fails on both sides
					}
				}
				one, other := fire(t, alone, s, step)
				same(t, one, other)
			})
		}
	}
	if ran < 30 {
		t.Errorf("%d steps were run; want the corpus", ran)
	}
}

// momentOf returns the event that a step fires, runTool for a step that runs a tool, and "" for other steps.
func momentOf(step *xcshcases.Step) string {
	switch step.Op {
	case "runTool":
		return step.Op
	case "emitToolCall":
		return "tool_call"
	case "emitBeforeAgentStart":
		return "before_agent_start"
	case "emit":
		return wire.Object(step.Event).Text("type")
	}
	return ""
}

// xcshModules returns modules in a session of the engine, as a host that uses xcsh alone has them.
func xcshModules(t *testing.T) *xcsh.Modules {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: testkit.Quiet})
	t.Cleanup(func() { _ = sys.Close() })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	m := xcsh.New(ses, xcsh.Config{Log: testkit.Quiet})
	t.Cleanup(func() { _ = m.Close() })
	m.Initialize(xcsh.Host{})
	return m
}

func openXcsh(t *testing.T) *snaphook.Session {
	t.Helper()
	hooks, err := snaphook.Open(snaphook.Config{Dialects: beside("xcsh", snaphook.Xcsh(snaphook.XcshConfig{})), Log: testkit.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: testkit.Project(t, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eventOf reads the event of a step.
func eventOf[E any](t *testing.T, step *xcshcases.Step) *E {
	t.Helper()
	e := new(E)
	if err := json.Unmarshal(step.Event, e); err != nil {
		t.Fatal(err)
	}
	return e
}

func xcshToolCall(t *testing.T, m *xcsh.Modules, s *snaphook.Session, step *xcshcases.Step) (a, b answer) {
	e := eventOf[xcsh.ToolCallEvent](t, step)
	call := snaphook.ToolCall{ID: e.ToolCallID, Name: e.ToolName, Input: e.Input}
	a.Input = string(e.Input)
	res, err := xcsh.ToolCall.Fire(t.Context(), m, e)
	if refusal := m.Verdict(res, err); refusal != nil {
		a.Denied, a.Reason = true, refusal.Error()
	}
	v, err := s.BeforeTool(t.Context(), &call)
	return a, of(t, v, err)
}

func xcshToolResult(t *testing.T, m *xcsh.Modules, s *snaphook.Session, step *xcshcases.Step) (a, b answer) {
	e := eventOf[xcsh.ToolResultEvent](t, step)
	in := snaphook.AfterToolInput{
		ToolCall: snaphook.ToolCall{ID: e.ToolCallID, Name: e.ToolName, Input: e.Input},
		Result:   snaphook.ToolResult{Text: partsOf(e.Content), Data: e.Details, Failed: e.IsError},
	}
	res, err := xcsh.ToolResult.Fire(t.Context(), m, e)
	a.Result = partsOf(e.Content)
	if err == nil && res != nil {
		now := m.Review(e, res)
		a.Result = partsOf(now.Content)
	}
	v, err := s.AfterTool(t.Context(), &in)
	b = of(t, v, err)
	if b.Result = in.Result.Text; v.Result != nil {
		b.Result = v.Result.Text
	}
	return a, b
}

// xcshTool fires the events before and after a tool, with the result that the step gives the tool.
func xcshTool(t *testing.T, m *xcsh.Modules, s *snaphook.Session, step *xcshcases.Step) (a, b answer) {
	event := wire.Object(nil).With("toolName", wire.Quote(step.Tool.Name)).With("toolCallId", wire.Quote(step.ToolCallID)).
		With("input", step.Params)
	a, b = xcshToolCall(t, m, s, &xcshcases.Step{Event: jsontext.Value(event.With("type", wire.Quote("tool_call")))})
	if a.Denied || b.Denied {
		return a, b
	}
	event = event.With("type", wire.Quote("tool_result")).With("content", jsontext.Value("[]"))
	if o := wire.Object(step.Tool.Result); o.IsObject() && o.Get("content") != nil {
		event = event.With("content", o.Get("content"))
		if details := o.Get("details"); details != nil {
			event = event.With("details", details)
		}
	}
	if step.Tool.Throws != nil {
		event = event.With("isError", jsontext.Value("true")).With("content", xcsh.Parts(xcsh.TextPart("it failed")))
	}
	return xcshToolResult(t, m, s, &xcshcases.Step{Event: jsontext.Value(event)})
}

func xcshPrompt(t *testing.T, m *xcsh.Modules, s *snaphook.Session, step *xcshcases.Step) (a, b answer) {
	prompt := step.Prompt
	if prompt == "" {
		prompt = wire.Object(step.Event).Text("prompt")
	}
	res, err := xcsh.BeforeAgentStart.Fire(t.Context(), m, &xcsh.BeforeAgentStartEvent{Prompt: prompt})
	if err == nil && res != nil {
		all := res.Messages
		if res.Message != nil && len(all) == 0 {
			all = []xcsh.CustomMessage{*res.Message}
		}
		var texts []string
		for _, message := range all {
			if text, ok := wire.Text(message.Content); ok {
				texts = append(texts, text)
			}
		}
		a.Contexts = strings.Join(texts, "\n")
	}
	v, err := s.Prompt(t.Context(), &snaphook.PromptInput{Text: prompt})
	return a, of(t, v, err)
}

func partsOf(parts []xcsh.Part) string {
	var texts []string
	for _, part := range parts {
		if text, ok := part.PlainText(); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
