package einohooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/eino"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestHooksAroundAModel(t *testing.T) {
	atModel := func(v snaphook.Verdict) func(*snaphook.Session) {
		return func(s *snaphook.Session) {
			snaphook.OnBeforeModel(s, "test", func(context.Context, snaphook.BeforeModelInput) (snaphook.Verdict, error) { return v, nil })
		}
	}
	afterModel := func(v snaphook.Verdict) func(*snaphook.Session) {
		return func(s *snaphook.Session) {
			snaphook.OnAfterModel(s, "test", func(context.Context, snaphook.AfterModelInput) (snaphook.Verdict, error) { return v, nil })
		}
	}
	for name, tt := range map[string]struct {
		hook    func(*snaphook.Session)
		request string // the messages of the last request; empty if the model is not called
		answer  string
	}{
		"none":             {adaptertest.None, `user:go|assistant:|tool:echo {"text":"hi"}`, "done"},
		"deny":             {atModel(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), "", "no"},
		"stop":             {atModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), "", "enough"},
		"an answer":        {atModel(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "mine"}}), "", "mine"},
		"context":          {atModel(snaphook.Verdict{Context: []string{"fyi"}}), `user:go|assistant:|tool:echo {"text":"hi"}|system:fyi`, "done"},
		"a response":       {afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "other"}}), `user:go|assistant:other|tool:echo {"text":"hi"}`, "other"},
		"no response":      {afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Failed: true}}), "user:go", ""},
		"stop afterwards":  {afterModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), "user:go", "enough"},
		"another message":  {rewriting(func(m string) string { return m + "!" }), `user:go!|assistant:!|tool:echo {"text":"hi"}!`, "done"},
		"one more message": {adding, `user:go|assistant:|tool:echo {"text":"hi"}|system:more`, "done"},
	} {
		for kind, of := range map[string]tool.BaseTool{"generates": plain{}, "streams": stream{}} {
			t.Run(name+" "+kind, func(t *testing.T) {
				s, m, stopped := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`), false
				tt.hook(s)
				answer, err := work(t, s, m, of, einohooks.Options{Stop: func(context.Context, string) { stopped = true }})
				if err != nil || answer != tt.answer {
					t.Errorf("the answer is %q, %v; want %q", answer, err, tt.answer)
				}
				switch {
				case tt.request == "" && len(m.requests) > 0:
					t.Errorf("the model was sent %q", m.requests)
				case tt.request != "" && m.last() != tt.request:
					t.Errorf("the model was sent %q; want %q", m.last(), tt.request)
				}
				if stopped != strings.HasPrefix(name, "stop") {
					t.Errorf("stopped: %v", stopped)
				}
			})
		}
	}
}

// rewriting changes the text of every message of a request.
func rewriting(change func(string) string) func(*snaphook.Session) {
	return onRequest(func(messages []map[string]any) []map[string]any {
		for _, m := range messages {
			m["content"] = change(m["content"].(string))
		}
		return messages
	})
}

// adding adds a message to a request.
var adding = onRequest(func(messages []map[string]any) []map[string]any {
	return append(messages, map[string]any{"role": "system", "content": "more"})
})

func onRequest(change func([]map[string]any) []map[string]any) func(*snaphook.Session) {
	return func(s *snaphook.Session) {
		snaphook.OnBeforeModel(s, "test", func(_ context.Context, in snaphook.BeforeModelInput) (v snaphook.Verdict, err error) {
			var r map[string]any
			if err := in.Request.Into(&r); err != nil {
				return v, err
			}
			var messages []map[string]any
			for _, m := range r["messages"].([]any) {
				messages = append(messages, m.(map[string]any))
			}
			r["messages"] = change(messages)
			v.Input, err = wire.Of(r)
			return v, err
		})
	}
}
