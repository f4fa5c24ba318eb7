package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func TestLLxprt(t *testing.T) {
	dir, found := llxprtcases.Dir("llxprt")
	if !found {
		t.Skip("there are no llxprt cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := llxprtcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	llxprtcases.Run(t, cases, open, translate)
}

// The directory has cases: a search in the wrong directory must not pass.
func TestThereAreCases(t *testing.T) {
	for _, dialect := range []string{"llxprt", "claude", "xcsh"} {
		if _, found := llxprtcases.Dir(dialect); found {
			return
		}
	}
	t.Fatal("SNAPHOOK_CASES names a directory without llxprt/cases, claude/cases and xcsh/cases")
}

// engine runs the Go API for the judge.
type engine struct {
	p        *llxprtcases.Prepared
	sys      *pipeline.System
	ses      *pipeline.Session
	settings jsontext.Value // the settings that a reload reads
}

func open(t testing.TB, p *llxprtcases.Prepared) (llxprtcases.Engine, string) {
	e := &engine{p: p, settings: p.Settings}
	e.sys = pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{e.load},
		Log:  slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	ses, err := e.sys.NewSession(t.Context(), pipeline.SessionConfig{
		ID: p.SessionID, Dir: p.Cwd, Transcript: p.TranscriptPath, Untrusted: !p.Trusted,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.ses = ses
	return e, ""
}

func (e *engine) load(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	s := llxprt.Settings{
		Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: ".llxprt/settings.json", Data: e.settings}},
		Environ: e.p.Environ(),
	}
	for _, x := range e.p.Extensions {
		if x.IsActive {
			hooks := wire.Object(nil).With("hooks", x.Hooks)
			s.Extensions = append(s.Extensions, llxprt.Extension{Name: x.Name, Dir: e.p.Project, Data: hooks})
		}
	}
	return s.Load(ctx, at)
}

func (e *engine) Fire(ctx context.Context, event string, input jsontext.Value) (llxprtcases.Observation, error) {
	fire := fires[event]
	if fire == nil {
		return llxprtcases.Observation{}, fmt.Errorf("there is no event %q", event)
	}
	o, err := fire(ctx, e, wire.Object(input))
	accepted := lo.CountBy(e.ses.Hooks(), func(h *hook.Hook) bool { return h.Skip != hook.Invalid })
	o.Registered = &accepted
	return o, err
}

type fireFunc func(context.Context, *engine, wire.Object) (llxprtcases.Observation, error)

var fires = map[string]fireFunc{
	"BeforeTool": typed(llxprt.BeforeTool, nil),
	"AfterTool":  typed(llxprt.AfterTool, nil),
	"BeforeModel": typed(llxprt.BeforeModel, func(m map[string]any, p *llxprtcases.Prepared, res *hook.Result[llxprt.BeforeModelOutput]) {
		if target := p.Target.LLMRequest; target != nil {
			m["modifiedRequest"] = jsontext.Value(res.Specific.ApplyTo(wire.Object(target)))
		}
	}),
	"AfterModel": typed(llxprt.AfterModel, nil),
	"BeforeToolSelection": typed(llxprt.BeforeToolSelection, func(m map[string]any, p *llxprtcases.Prepared, res *hook.Result[llxprt.BeforeToolSelectionOutput]) {
		if target := p.Target.ToolSelection; target != nil {
			m["toolSelection"] = jsontext.Value(res.Specific.ApplyTo(wire.Object(target)))
		}
	}),
	"BeforeAgent":  typed(llxprt.BeforeAgent, nil),
	"AfterAgent":   typed(llxprt.AfterAgent, nil),
	"SessionStart": typed(llxprt.SessionStart, nil),
	"SessionEnd":   typed(llxprt.SessionEnd, nil),
	"PreCompress":  typed(llxprt.PreCompress, nil),
	"Notification": typed(llxprt.Notification, nil),
}

func typed[In, Out any](ev *pipeline.Event[In, Out], more func(map[string]any, *llxprtcases.Prepared, *hook.Result[Out])) fireFunc {
	return func(ctx context.Context, e *engine, input wire.Object) (o llxprtcases.Observation, err error) {
		var in In
		if err := input.Into(&in); err != nil {
			return o, err
		}
		start := time.Now()
		res, err := ev.Fire(ctx, e.ses, &in)
		took := time.Since(start)
		if err != nil {
			return o, err
		}
		fired := ev.Describe(in, res)
		o = observe(fired)
		o.Elapsed = took
		if more != nil {
			more(o.Methods, e.p, res)
		}
		return o, nil
	}
}

func observe(fired *pipeline.JSONResult) llxprtcases.Observation {
	o := llxprtcases.Observation{
		Success:    &fired.Result.Success,
		Errors:     fired.Result.Errors,
		AllOutputs: fired.Result.AllOutputs,
		PerHook:    []llxprtcases.HookRun{},
		Methods:    asMap(fired.Effects),
		Processed:  asMap(fired.Processed),
	}
	if fired.Result.FinalOutput != nil {
		o.Final = jsontext.Value(*fired.Result.FinalOutput)
	}
	for _, h := range fired.Hooks {
		run := llxprtcases.HookRun{
			Command: lo.FromPtr(h.Command), ExitCode: h.ExitCode, Success: &h.Success,
			Stdout: lo.FromPtr(h.Stdout), Stderr: lo.FromPtr(h.Stderr), Error: lo.FromPtr(h.Error),
		}
		if h.Output != nil {
			run.Output = jsontext.Value(*h.Output)
		}
		o.PerHook = append(o.PerHook, run)
	}
	return o
}

func asMap(v any) map[string]any {
	o, err := wire.Of(v)
	if err != nil {
		panic(err)
	}
	m := map[string]any{}
	for name, value := range o.Members() {
		m[name] = value
	}
	return m
}

func (e *engine) Publish(ctx context.Context, message jsontext.Value) (o llxprtcases.Observation, err error) {
	var m bus.Message
	if err := wire.Object(message).Into(&m); err != nil {
		return o, err
	}
	var b bus.Bus
	defer b.Close()
	responses := make(chan bus.Message, 1)
	defer b.Subscribe(bus.HookExecutionResponse, func(m bus.Message) { responses <- m })()
	defer bus.Serve(&b, e.ses, pipeline.Events(llxprt.Dialect))()
	if err := b.Publish(m); err != nil {
		return o, err
	}
	select {
	case m := <-responses:
		o.Bus, err = busView(m.Payload)
	case <-time.After(llxprtcases.BusPatience):
	}
	return o, err
}

// busView returns only the members that the format of the cases names.
func busView(payload jsontext.Value) (any, error) {
	var r bus.Response
	if err := wire.Object(payload).Into(&r); err != nil {
		return nil, err
	}
	view := map[string]any{"correlationId": r.CorrelationID, "success": r.Success, "error": r.Error}
	if r.Output != nil {
		view["output"] = map[string]any{
			"success": r.Output.Success, "finalOutput": r.Output.FinalOutput, "allOutputs": r.Output.AllOutputs, "errors": r.Output.Errors,
		}
	}
	return view, nil
}

func (e *engine) SetHookEnabled(name string, enabled bool) error {
	e.sys.SetEnabled(name, enabled)
	return nil
}

func (e *engine) ChangeSettings(settings jsontext.Value) error {
	e.settings = settings
	return nil
}

func (e *engine) Reinitialize() error { return e.sys.Reload(context.Background()) }

func (e *engine) Close() error { return e.sys.Close() }

func translate(fn string, args []jsontext.Value) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("no arguments")
	}
	first, base := wire.Object(args[0]), wire.Object(nil)
	if len(args) > 1 {
		base = wire.Object(args[1])
	}
	switch strings.TrimPrefix(fn, "to") {
	case "HookLLMRequest":
		return jsontext.Value(genai.ToHookRequest(first)), nil
	case "HookLLMResponse":
		return jsontext.Value(genai.ToHookResponse(first)), nil
	case "HookToolConfig":
		return jsontext.Value(genai.ToHookToolConfig(first)), nil
	case "fromHookLLMRequest":
		return jsontext.Value(genai.FromHookRequest(first, base)), nil
	case "fromHookLLMResponse":
		return jsontext.Value(genai.FromHookResponse(first, base)), nil
	case "fromHookToolConfig":
		return jsontext.Value(genai.FromHookToolConfig(first)), nil
	}
	return nil, fmt.Errorf("there is no translator %q", fn)
}
