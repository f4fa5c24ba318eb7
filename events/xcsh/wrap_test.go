package xcsh_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
)

// input is the input of the tools in this file.
type input struct {
	Command string `json:"command"`
}

// gives returns a tool whose result is a text.
func gives(text string) xcsh.Execute[input, *xcsh.Output] {
	return func(context.Context, string, input, func(*xcsh.Output)) (*xcsh.Output, error) {
		return &xcsh.Output{Content: []xcsh.Part{xcsh.TextPart(text)}, Details: jsontext.Value(`{"n":1}`), Extra: jsontext.Value(`{"extra":true}`)}, nil
	}
}

func failing(err error) xcsh.Execute[input, *xcsh.Output] {
	return func(context.Context, string, input, func(*xcsh.Output)) (*xcsh.Output, error) { return nil, err }
}

func content(o *xcsh.Output) string {
	var all []string
	if o != nil {
		for _, part := range o.Content {
			text, _ := part.PlainText()
			all = append(all, text)
		}
	}
	return strings.Join(all, "|")
}

// guarded returns modules with one gate.
func guarded(t *testing.T, cfg xcsh.Config, h xcsh.Handler[xcsh.ToolCallEvent, xcsh.ToolCallResult]) *xcsh.Modules {
	m := start(t, cfg)
	add(t, m, "gate.ts", func(api *xcsh.API) error { xcsh.ToolCall.On(api, h); return nil })
	return m
}

// If the modules are closed while the first of two gates runs, the second does not run, and neither
// does the tool.
func TestModulesClosedDuringAFireLetNoToolRun(t *testing.T) {
	type gate = func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error)
	call := &xcsh.ToolCallEvent{ToolName: "bash", Input: []byte(`{}`)}
	for name, fire := range map[string]func(m *xcsh.Modules) (ran bool, err error){
		"GateTool": func(m *xcsh.Modules) (bool, error) {
			err := xcsh.GateTool(t.Context(), m, call)
			return err == nil, err
		},
		"RunTool": func(m *xcsh.Modules) (ran bool, err error) {
			_, refused, err := xcsh.RunTool(t.Context(), m, call, func(context.Context, *xcsh.ToolCallEvent) (*xcsh.Output, error) {
				ran = true
				return &xcsh.Output{}, nil
			})
			return ran || refused != "", err
		},
		"FireResult": func(m *xcsh.Modules) (bool, error) {
			res, err := xcsh.ToolCall.FireResult(t.Context(), m, call)
			return !res.Blocked() || len(res.Reports) != 1, err
		},
		"FireJSON": func(m *xcsh.Modules) (bool, error) {
			r, err := xcsh.ToolCall.FireJSON(t.Context(), m, []byte(`{"toolName":"bash","input":{}}`))
			return r != nil, err
		},
	} {
		for _, extensions := range []bool{false, true} {
			m := start(t, xcsh.Config{Extensions: extensions})
			for _, h := range []gate{
				func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
					return nil, m.Close()
				},
				func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
					return &xcsh.ToolCallResult{Block: true}, nil
				},
			} {
				add(t, m, "gate.ts", func(api *xcsh.API) error { xcsh.ToolCall.On(api, h); return nil })
			}
			if ran, err := fire(m); ran || !errors.Is(err, hook.ErrClosed) {
				t.Errorf("%s, extensions %v: ran %v, %v; want %v", name, extensions, ran, err, hook.ErrClosed)
			}
		}
	}
}

// A host that closes its modules cannot run the tools that they guarded.
func TestClosedModulesGuardWhatTheyGuarded(t *testing.T) {
	for _, extensions := range []bool{false, true} {
		m := guarded(t, xcsh.Config{Extensions: extensions}, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			return &xcsh.ToolCallResult{Block: true}, nil
		})
		run := xcsh.WrapTool(m, "bash", xcsh.OutputShape[input](), gives("ran"))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if out, err := run(t.Context(), "c-1", input{}, nil); !errors.Is(err, hook.ErrClosed) || out != nil {
			t.Errorf("the tool ran: %q, %v", content(out), err)
		}
		call := &xcsh.ToolCallEvent{ToolName: "bash", Input: []byte(`{}`)}
		if err := xcsh.GateTool(t.Context(), m, call); !errors.Is(err, hook.ErrClosed) {
			t.Errorf("the gate: %v", err)
		}
		if out, refused, err := xcsh.RunTool(t.Context(), m, call, func(context.Context, *xcsh.ToolCallEvent) (*xcsh.Output, error) { return &xcsh.Output{}, nil }); out != nil || err == nil && refused == "" {
			t.Errorf("RunTool: %v, %q, %v", out, refused, err)
		}
		if res, err := xcsh.ToolCall.FireResult(t.Context(), m, call); !errors.Is(err, hook.ErrClosed) || !res.Blocked() {
			t.Errorf("the result: blocked %v, %v", res.Blocked(), err)
		}
		if r, err := xcsh.SessionBeforeSwitch.Fire(t.Context(), m, &xcsh.SessionBeforeSwitchEvent{}); !errors.Is(err, hook.ErrClosed) {
			t.Errorf("before a switch: %v, %v", r, err)
		}
	}
}

// overriding returns modules with handlers that give these results.
func overriding(t *testing.T, cfg xcsh.Config, results ...*xcsh.ToolResultOverride) *xcsh.Modules {
	m := start(t, cfg)
	add(t, m, "edit.ts", func(api *xcsh.API) error {
		for _, r := range results {
			xcsh.ToolResult.On(api, func(context.Context, *xcsh.ToolResultEvent, *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
				return r, nil
			})
		}
		return nil
	})
	return m
}

func yes(b bool) *bool { return &b }

func TestAGateKeepsAToolFromRunning(t *testing.T) {
	extension := xcsh.Config{Extensions: true}
	for name, tt := range map[string]struct {
		cfg    xcsh.Config
		result *xcsh.ToolCallResult
		err    error
		panics any
		want   string
	}{
		"with a reason":               {result: &xcsh.ToolCallResult{Block: true, Reason: "no"}, want: "no"},
		"without one":                 {result: &xcsh.ToolCallResult{Block: true}, want: "Tool execution was blocked by a hook"},
		"without one, extension":      {cfg: extension, result: &xcsh.ToolCallResult{Block: true}, want: "Tool execution was blocked by an extension"},
		"by an error":                 {err: errors.New("boom"), want: "boom"},
		"by an error, extension":      {cfg: extension, err: errors.New("boom"), want: "Extension gate.ts failed: boom"},
		"by a panic":                  {panics: "boom", want: "panic: boom"},
		"by what is thrown, no error": {err: &xcsh.Thrown{Value: "plain"}, want: "Hook failed, blocking execution: plain"},
	} {
		m := guarded(t, tt.cfg, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			if tt.panics != nil {
				panic(tt.panics)
			}
			return tt.result, tt.err
		})
		ran := false
		tool := func(context.Context, string, input, func(*xcsh.Output)) (*xcsh.Output, error) {
			ran = true
			return nil, nil
		}
		_, err := xcsh.WrapTool(m, "bash", xcsh.OutputShape[input](), tool)(t.Context(), "1", input{}, nil)
		if err == nil || err.Error() != tt.want || ran {
			t.Errorf("%s: the error is %v and the tool ran %v, want %q", name, err, ran, tt.want)
		}
		if blocked := new(xcsh.BlockedError); tt.result != nil && !errors.As(err, &blocked) {
			t.Errorf("%s: the error is a %T", name, err)
		}
	}
}

// An error of a handler in the extension runtime is reported to the listeners (rule X45).
func TestAnErrorOfAnExtensionIsReported(t *testing.T) {
	m := guarded(t, xcsh.Config{Extensions: true}, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
		return nil, errors.New("boom")
	})
	told := errorsOf(m)
	_, _ = xcsh.ToolCall.Fire(t.Context(), m, &xcsh.ToolCallEvent{})
	if !slices.Equal(*told, []string{"gate.ts tool_call boom"}) {
		t.Errorf("told %q", *told)
	}
}

func TestParametersThatHooksCannotSeeKeepTheToolFromRunning(t *testing.T) {
	m := guarded(t, xcsh.Config{}, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
		return nil, nil
	})
	tool := xcsh.WrapTool(m, "bash", xcsh.OutputShape[[]int](), func(context.Context, string, []int, func(*xcsh.Output)) (*xcsh.Output, error) {
		t.Error("the tool runs")
		return nil, nil
	})
	if _, err := tool(t.Context(), "1", nil, nil); err == nil || !strings.Contains(err.Error(), "bash") {
		t.Errorf("the error is %v", err)
	}
}

func TestResultsAreOverridden(t *testing.T) {
	text := func(s string) []xcsh.Part { return []xcsh.Part{xcsh.TextPart(s)} }
	for name, tt := range map[string]struct {
		extensions bool
		results    []*xcsh.ToolResultOverride
		want       string // the result's content, details and other members
	}{
		"by nobody":                       {want: `out {"n":1} {"extra":true}`},
		"by one that gives nothing":       {results: []*xcsh.ToolResultOverride{nil}, want: `out {"n":1} {"extra":true}`},
		"by an empty answer":              {results: []*xcsh.ToolResultOverride{{}}, want: `out {"n":1} `},
		"in their content":                {results: []*xcsh.ToolResultOverride{{Content: text("new")}}, want: `new {"n":1} `},
		"by no content":                   {results: []*xcsh.ToolResultOverride{{Content: []xcsh.Part{}}}, want: ` {"n":1} `},
		"in their details, to false":      {results: []*xcsh.ToolResultOverride{{Details: jsontext.Value("false")}}, want: `out false `},
		"in their details, to null":       {results: []*xcsh.ToolResultOverride{{Details: jsontext.Value("null")}}, want: `out {"n":1} `},
		"by the last, as a whole":         {results: []*xcsh.ToolResultOverride{{Content: text("new")}, {Details: jsontext.Value("0")}, nil}, want: `out 0 `},
		"with an error that has no say":   {results: []*xcsh.ToolResultOverride{{IsError: yes(true)}}, want: `out {"n":1} `},
		"by member, as extensions":        {extensions: true, results: []*xcsh.ToolResultOverride{{Content: text("new")}, {Details: jsontext.Value("0")}, nil}, want: `new 0 `},
		"by an empty answer, as one":      {extensions: true, results: []*xcsh.ToolResultOverride{{}}, want: `out {"n":1} {"extra":true}`},
		"with an error taken back, later": {extensions: true, results: []*xcsh.ToolResultOverride{{IsError: yes(true)}, {IsError: yes(false)}}, want: `out {"n":1} `},
	} {
		m := overriding(t, xcsh.Config{Extensions: tt.extensions}, tt.results...)
		o, err := xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), gives("out"))(t.Context(), "1", input{}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := content(o) + " " + string(o.Details) + " " + string(o.Extra); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

func TestExtensionsTurnSuccessIntoFailureAndBack(t *testing.T) {
	text := []xcsh.Part{xcsh.TextPart("bad"), xcsh.ImagePart("image/png", ""), xcsh.TextPart("worse")}
	own := errors.New("real failure")
	for name, tt := range map[string]struct {
		extensions bool
		tool       xcsh.Execute[input, *xcsh.Output]
		result     xcsh.ToolResultOverride
		want       string
	}{
		"a success marked as an error":       {true, gives(""), xcsh.ToolResultOverride{IsError: yes(true)}, "error Tool result marked as error by extension"},
		"a success marked, with its text":    {true, gives("out"), xcsh.ToolResultOverride{IsError: yes(true), Content: text}, "error bad\nworse"},
		"a failure marked as a success":      {true, failing(own), xcsh.ToolResultOverride{IsError: yes(false)}, "ok real failure"},
		"a failure marked, with a text":      {true, failing(own), xcsh.ToolResultOverride{IsError: yes(false), Content: text[:1]}, "ok bad"},
		"a failure that is not marked":       {true, failing(own), xcsh.ToolResultOverride{Content: text}, "error real failure"},
		"a failure marked in a hook runtime": {false, failing(own), xcsh.ToolResultOverride{IsError: yes(false)}, "error real failure"},
	} {
		m := overriding(t, xcsh.Config{Extensions: tt.extensions}, &tt.result)
		o, err := xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), tt.tool)(t.Context(), "1", input{}, nil)
		got := "ok " + content(o)
		if err != nil {
			got = "error " + err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestAToolThatFailsIsShownWithItsError(t *testing.T) {
	m := start(t, xcsh.Config{})
	own := errors.New("real failure")
	var saw xcsh.ToolResultEvent
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.ToolResult.On(api, func(_ context.Context, e *xcsh.ToolResultEvent, _ *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
			saw = *e
			return &xcsh.ToolResultOverride{Content: []xcsh.Part{}}, nil
		})
		return nil
	})
	_, err := xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), failing(own))(t.Context(), "7", input{Command: "ls"}, nil)
	text, _ := saw.Content[0].PlainText()
	if err != own || !saw.IsError || text != "real failure" || saw.Details != nil || saw.ToolCallID != "7" || string(saw.Input) != `{"command":"ls"}` {
		t.Errorf("%v; the handler sees %+v", err, saw)
	}
}

func TestProgressGoesThroughAsItIs(t *testing.T) {
	m := guarded(t, xcsh.Config{}, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
		return nil, nil
	})
	sent := &xcsh.Output{}
	var got []*xcsh.Output
	tool := xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), func(_ context.Context, _ string, _ input, progress func(*xcsh.Output)) (*xcsh.Output, error) {
		progress(sent)
		return sent, nil
	})
	result, err := tool(t.Context(), "1", input{}, func(o *xcsh.Output) { got = append(got, o) })
	if err != nil || result != sent || len(got) != 1 || got[0] != sent {
		t.Errorf("%v, %v, progress %v", result, err, got)
	}
}

func TestAPanicOfAToolIsItsOwn(t *testing.T) {
	m := overriding(t, xcsh.Config{}, nil)
	defer func() {
		if v := recover(); v != "the tool's" {
			t.Errorf("recovered %v", v)
		}
	}()
	panics := func(context.Context, string, input, func(*xcsh.Output)) (*xcsh.Output, error) { panic("the tool's") }
	_, _ = xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), panics)(t.Context(), "1", input{}, nil)
}

func TestAPanicOfAGateIsAPanicError(t *testing.T) {
	m := guarded(t, xcsh.Config{}, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
		panic("x")
	})
	_, err := xcsh.ToolCall.Fire(t.Context(), m, &xcsh.ToolCallEvent{})
	if panicked := new(hook.PanicError); !errors.As(err, &panicked) {
		t.Errorf("the error is %v", err)
	}
}
