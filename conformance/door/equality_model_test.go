package door_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// llxprtModelFires fires LLxprt's events about models, notices and compaction. An event that is fired directly has the
// form of Google's SDK, and package snaphook has the form that hooks see: the test compares both in the form that hooks
// see.
var llxprtModelFires = map[string]fires{
	"BeforeModel": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (a, b answer) {
		request := wire.Object(one.Get("llm_request"))
		res, err := llxprt.BeforeModel.Fire(t.Context(), ses, &llxprt.BeforeModelInput{Request: request})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyBeforeModel(genai.FromHookRequest(request, nil), res)
		a = answer{Denied: res.Blocked(), Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}
		if a.Denied {
			a.Reason = llxprt.EffectiveReason(&res.Output)
		}
		if a.Input = string(genai.ToHookRequest(v.Request)); a.Denied {
			a.Input = "" // no request is sent
		}
		if !v.Call && res.Specific.Response != nil { // the denial has a response: without one, the host makes it
			a.Result = string(genai.ToHookResponse(v.Response))
		}
		got, err := s.BeforeModel(t.Context(), &snaphook.BeforeModelInput{Request: wire.Object(two.Get("llm_request"))})
		if b = of(t, got, err); b.Denied {
			b.Input = ""
		}
		return a, b
	},
	"AfterModel": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		in := llxprt.AfterModelInput{Request: wire.Object(one.Get("llm_request")), Response: wire.Object(one.Get("llm_response"))}
		res, err := llxprt.AfterModel.Fire(t.Context(), ses, &in)
		if err != nil {
			t.Fatal(err)
		}
		was := genai.FromHookResponse(in.Response, nil)
		c, response := llxprt.ApplyAfterModel(was, res)
		a := answer{Stop: c.Stop, StopReason: c.StopReason, Contexts: read(res, c.Context, c.Message)}
		if !wire.Equal(jsontext.Value(response), jsontext.Value(was)) {
			a.Result = string(genai.ToHookResponse(response))
		}
		got, err := s.AfterModel(t.Context(), &snaphook.AfterModelInput{Request: wire.Object(two.Get("llm_request")), Response: wire.Object(two.Get("llm_response"))})
		return a, of(t, got, err)
	},
	"BeforeToolSelection": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		request := wire.Object(one.Get("llm_request"))
		res, err := llxprt.BeforeToolSelection.Fire(t.Context(), ses, &llxprt.BeforeModelInput{Request: request})
		if err != nil {
			t.Fatal(err)
		}
		sdk := wire.Object(nil).With("toolConfig", jsontext.Value(genai.FromHookToolConfig(wire.Object(request.Get("toolConfig")))))
		c, chosen := llxprt.ApplyBeforeToolSelection(sdk, res)
		a := answer{Stop: c.Stop, StopReason: c.StopReason, Contexts: read(res, c.Context, c.Message)}
		if config := genai.RequestToolConfig(chosen); string(config) != "{}" {
			a.Input = string(config)
		}
		got, err := s.ToolChoice(t.Context(), &snaphook.ToolChoiceInput{Request: wire.Object(two.Get("llm_request"))})
		b := of(t, got, err)
		b.Input = string(got.Input.Get("toolConfig"))
		return a, b
	},
	"Notification": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		in := llxprt.NotificationInput{Type: one.Text("notification_type"), Message: one.Text("message"), Details: wire.Object("{}")}
		res, err := llxprt.Notification.Fire(t.Context(), ses, &in)
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyLifecycle(res)
		got, err := s.Notify(t.Context(), &snaphook.NotifyInput{Type: two.Text("notification_type"), Message: two.Text("message")})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
	"PreCompress": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := llxprt.PreCompress.Fire(t.Context(), ses, &llxprt.PreCompressInput{Trigger: one.Text("trigger")})
		if err != nil {
			t.Fatal(err)
		}
		v := llxprt.ApplyLifecycle(res)
		got, err := s.BeforeCompact(t.Context(), &snaphook.BeforeCompactInput{Trigger: two.Text("trigger")})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: read(res, v.Context, v.Message)}, of(t, got, err)
	},
}
