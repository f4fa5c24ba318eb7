package door_test

import (
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func TestThroughAgentLLxprtsHooksSayTheSame(t *testing.T) {
	dir, found := llxprtcases.Dir("llxprt")
	if !found {
		t.Skip("the cases are found by the path of their source: run without -trimpath")
	}
	cases, err := llxprtcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if c.Kind != "" || c.Via != "" || len(c.Steps) > 0 {
			continue // a translation, a request on the bus, or a case of several steps
		}
		fire := llxprtFires[c.Event]
		if fire == nil {
			fire = llxprtModelFires[c.Event]
		}
		if fire == nil {
			t.Errorf("%s: nothing fires %s through agent; write how", c.Name, c.Event)
			continue
		}
		ran++
		t.Run(c.Theme+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			one, two := c.Prepare(t), c.Prepare(t)
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{llxprtOf(one).Load}, Log: testkit.Quiet})
			defer sys.Close()
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: one.SessionID, Dir: one.Cwd, Transcript: one.TranscriptPath, Untrusted: !one.Trusted})
			if err != nil {
				t.Fatal(err)
			}
			hooks, err := snaphook.Open(snaphook.Config{Dialects: beside("llxprt", snaphook.LLxprt(llxprtOf(two))), Log: testkit.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: two.SessionID, Dir: two.Cwd, Transcript: two.TranscriptPath, Untrusted: !two.Trusted})
			if err != nil {
				t.Fatal(err)
			}
			alone, through := fire(t, ses, s, wire.Object(one.Input), wire.Object(two.Input))
			same(t, alone, through, one.Project, two.Project)
		})
	}
	if ran < 50 {
		t.Errorf("%d cases were run; want the corpus", ran)
	}
}

func llxprtOf(p *llxprtcases.Prepared) llxprt.Settings {
	s := llxprt.Settings{
		Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: ".llxprt/settings.json", Data: p.Settings}},
		Environ: p.Environ(),
	}
	for _, x := range p.Extensions {
		if x.IsActive {
			s.Extensions = append(s.Extensions, llxprt.Extension{Name: x.Name, Dir: p.Project, Data: wire.Object(nil).With("hooks", x.Hooks)})
		}
	}
	return s
}

// fires fires one event directly, and through package snaphook, with the inputs of two copies of a case.
type fires func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (alone, through answer)

var llxprtFires = map[string]fires{
	"BeforeTool": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (a, b answer) {
		call := llxprt.BeforeToolInput{Name: one.Text("tool_name"), Input: wire.Object(one.Get("tool_input"))}
		res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call)
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyBeforeTool(&call, res)
		blocked, reason := llxprt.BlockingError(&res.Output)
		a = answer{Denied: blocked, Ask: v.Ask, Reason: reason, Stop: v.Stop, StopReason: v.StopReason, Input: string(v.Input), Contexts: read(res, v.Context, v.Message)}
		if a.Denied { // the model then gets no system messages
			a.Contexts = v.Context
		}
		got, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: two.Text("tool_name"), Input: wire.Object(two.Get("tool_input"))})
		b = of(t, got, err)
		if a.Ask { // without a user, as in these sessions, an ask is a denial
			a.Ask, a.Denied, b.Reason = false, true, ""
		}
		return a, b
	},
	"BeforeAgent": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := llxprt.BeforeAgent.Fire(t.Context(), ses, &llxprt.BeforeAgentInput{Prompt: one.Text("prompt")})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyBeforeAgent(res)
		got, err := s.Prompt(t.Context(), &snaphook.PromptInput{Text: two.Text("prompt")})
		return answer{Denied: res.Blocked(), Reason: v.Reason, Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
	"AfterAgent": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		again := one.Get("stop_hook_active").Kind() == 't'
		res, err := llxprt.AfterAgent.Fire(t.Context(), ses, &llxprt.AfterAgentInput{Prompt: one.Text("prompt"), Response: one.Text("prompt_response"), StopHookActive: again})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyAfterAgent(res)
		got, err := s.Stop(t.Context(), &snaphook.StopInput{Prompt: two.Text("prompt"), Answer: two.Text("prompt_response"), Again: again})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message), Continue: v.Prompt}, of(t, got, err)
	},
	"SessionStart": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := llxprt.SessionStart.Fire(t.Context(), ses, &llxprt.SessionStartInput{Source: one.Text("source")})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyLifecycle(res)
		got, err := s.Start(t.Context(), &snaphook.StartInput{Source: two.Text("source")})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
	"AfterTool": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		in := llxprt.AfterToolInput{
			Name: one.Text("tool_name"), Input: wire.Object(one.Get("tool_input")), Response: wire.Object(one.Get("tool_response")),
		}
		res, err := llxprt.AfterTool.Fire(t.Context(), ses, &in)
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyLifecycle(res)
		blocked, reason := llxprt.BlockingError(&res.Output)
		got, err := s.AfterTool(t.Context(), &snaphook.AfterToolInput{
			ToolCall: snaphook.ToolCall{Name: two.Text("tool_name"), Input: wire.Object(two.Get("tool_input"))},
			Result:   snaphook.ToolResult{Data: two.Get("tool_response")},
		})
		return answer{Denied: blocked, Reason: reason, Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
	"SessionEnd": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := llxprt.SessionEnd.Fire(t.Context(), ses, &llxprt.SessionEndInput{Reason: one.Text("reason")})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyLifecycle(res)
		got, err := s.End(t.Context(), &snaphook.EndInput{Reason: two.Text("reason")})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
}

// read joins the texts that the model reads: the context, and the system messages of hooks that worked. The sources of
// LLxprt put these messages into the conversation. If message is not the joined messages of all hooks, the event uses
// only the last answer, and read joins only message to the context.
func read[R any](res *hook.Result[R], context, message string) string {
	var all, worked []string
	for i := range res.Reports {
		r := &res.Reports[i]
		all = append(all, r.Output.Message)
		if r.Err == nil {
			worked = append(worked, r.Output.Message)
		}
	}
	if strings.Join(lo.Compact(all), "\n") != message {
		worked = []string{message}
	}
	return strings.Join(lo.Compact(append([]string{context}, worked...)), "\n")
}
