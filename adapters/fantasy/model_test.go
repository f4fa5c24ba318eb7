package fantasyhooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/fantasy"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/fantasy"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func beforeModel(v snaphook.Verdict) func(*snaphook.Session) {
	return func(s *snaphook.Session) {
		snaphook.OnBeforeModel(s, "test", func(context.Context, snaphook.BeforeModelInput) (snaphook.Verdict, error) { return v, nil })
	}
}

func afterModel(v snaphook.Verdict) func(*snaphook.Session) {
	return func(s *snaphook.Session) {
		snaphook.OnAfterModel(s, "test", func(context.Context, snaphook.AfterModelInput) (snaphook.Verdict, error) { return v, nil })
	}
}

// text returns the joined texts of a response.
func text(r *fantasy.AgentResult) (all string) {
	for _, c := range r.Response.Content {
		if c, ok := c.(fantasy.TextContent); ok {
			all += c.Text
		}
	}
	return all
}

func TestHooksAroundAModel(t *testing.T) {
	for name, tt := range map[string]struct {
		hook    func(*snaphook.Session)
		request string // the messages of the last request; empty if the model is not called
		answer  string
	}{
		"none":              {adaptertest.None, `user:go|assistant:|tool:echo {"text":"hi"}`, "done"},
		"deny":              {beforeModel(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), "", "no"},
		"stop":              {beforeModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), "", "enough"},
		"stop at the tools": {toolChoice("", snaphook.Verdict{Stop: true, StopReason: "enough"}), "", "enough"},
		"an answer":         {beforeModel(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "mine"}}), "", "mine"},
		"context":           {beforeModel(snaphook.Verdict{Context: []string{"fyi"}}), `user:go|assistant:|tool:echo {"text":"hi"}|user:fyi`, "done"},
		"context of tools":  {toolChoice("", snaphook.Verdict{Context: []string{"fyi"}}), `user:go|assistant:|tool:echo {"text":"hi"}|user:fyi`, "done"},
		"a look":            {afterModel(snaphook.Verdict{}), `user:go|assistant:|tool:echo {"text":"hi"}`, "done"},
		"a response":        {afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "other"}}), `user:go|assistant:other|tool:echo {"text":"hi"}`, "other"},
		"no response":       {afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Failed: true}}), "user:go", ""},
		"stop afterwards":   {afterModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), "user:go", "enough"},
		"another message":   {rewriting(func(m string) string { return m + "!" }), `user:go!|assistant:!|tool:echo {"text":"hi"}!`, "done"},
		"one more message":  {adding, `user:go|assistant:|tool:echo {"text":"hi"}|user:more`, "done"},
	} {
		for kind, work := range kinds {
			t.Run(name+" "+kind, func(t *testing.T) {
				s, m, got := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`), did{}
				tt.hook(s)
				res, err := work(t.Context(), agent(s, m, got.options(), echo))
				if err != nil || text(res) != tt.answer {
					t.Fatalf("the answer is %+v, %v; want %q", res, err, tt.answer)
				}
				if m.last() != tt.request {
					t.Errorf("the model was sent %q; want %q", m.last(), tt.request)
				}
				if stopped := len(got.stops) > 0; stopped != strings.HasPrefix(name, "stop") {
					t.Errorf("stopped: %v", stopped)
				}
			})
		}
	}
}

// onRequest changes the messages of every request.
func onRequest(change func([]map[string]any) []map[string]any) func(*snaphook.Session) {
	return func(s *snaphook.Session) {
		snaphook.OnBeforeModel(s, "test", func(_ context.Context, in snaphook.BeforeModelInput) (v snaphook.Verdict, err error) {
			var r struct {
				Messages []map[string]any `json:"messages"`
			}
			if err := in.Request.Into(&r); err != nil {
				return v, err
			}
			r.Messages = change(r.Messages)
			v.Input, err = wire.Of(r)
			return v, err
		})
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

// adding adds a system message to the end of a request.
var adding = onRequest(func(messages []map[string]any) []map[string]any {
	return append(messages, map[string]any{"role": "system", "content": "more"})
})

// conversation returns a prompt with every kind of part that fantasy's messages can have.
func conversation() fantasy.Prompt {
	result := func(id string, out fantasy.ToolResultOutputContent) fantasy.MessagePart {
		return fantasy.ToolResultPart{ToolCallID: id, Output: out}
	}
	return fantasy.Prompt{
		fantasy.NewSystemMessage("be brief"),
		fantasy.NewUserMessage("look", fantasy.FilePart{Filename: "x.png", MediaType: "image/png", Data: []byte("x")}),
		{Role: fantasy.MessageRoleAssistant, ProviderOptions: fantasy.ProviderOptions{"test": nil}, Content: []fantasy.MessagePart{
			fantasy.ReasoningPart{Text: "hm"}, fantasy.TextPart{Text: "first"}, fantasy.TextPart{Text: "second"},
			fantasy.ToolCallPart{ToolCallID: "c-1", ToolName: "echo", Input: "{}"},
			fantasy.ToolCallPart{ToolCallID: "c-2", ToolName: "echo", Input: "{}"},
			fantasy.ToolResultPart{ToolCallID: "p", ProviderExecuted: true},
		}},
		{Role: fantasy.MessageRoleTool, Content: []fantasy.MessagePart{
			result("c-1", fantasy.ToolResultOutputContentText{Text: "one"}),
			result("c-2", fantasy.ToolResultOutputContentError{Error: errBroken}),
			result("c-3", fantasy.ToolResultOutputContentMedia{Data: "eA==", MediaType: "image/png", Text: "two"}),
		}},
		{Role: fantasy.MessageRoleAssistant},
		{Role: fantasy.MessageRoleUser, Content: []fantasy.MessagePart{fantasy.FilePart{Filename: "y"}, &fantasy.TextPart{Text: "what is it?"}}},
	}
}

func TestARequestStaysAsTheHostWroteItButForTheTextsThatHooksChange(t *testing.T) {
	for name, tt := range map[string]struct {
		hook func(*snaphook.Session)
		want func(fantasy.Prompt) // changes the conversation into the expected prompt
	}{
		"no hook":           {adaptertest.None, func(fantasy.Prompt) {}},
		"a hook that looks": {beforeModel(snaphook.Verdict{}), func(fantasy.Prompt) {}},
		"one result": {replacing("one", "redacted"), func(p fantasy.Prompt) {
			p[3].Content[0] = fantasy.ToolResultPart{ToolCallID: "c-1", Output: fantasy.ToolResultOutputContentText{Text: "redacted"}}
		}},
		"a failed result": {replacing("broken", ""), func(p fantasy.Prompt) {
			p[3].Content[1] = fantasy.ToolResultPart{ToolCallID: "c-2", Output: fantasy.ToolResultOutputContentError{Error: errors.New("")}}
		}},
		"the text beside media": {replacing("two", "2"), func(p fantasy.Prompt) {
			p[3].Content[2] = fantasy.ToolResultPart{ToolCallID: "c-3", Output: fantasy.ToolResultOutputContentMedia{Data: "eA==", MediaType: "image/png", Text: "2"}}
		}},
		"one text of two":         {replacing("second", "2nd"), func(p fantasy.Prompt) { p[2].Content[2] = fantasy.TextPart{Text: "2nd"} }},
		"a text that is gone":     {replacing("first", ""), func(p fantasy.Prompt) { p[2].Content = slices.Delete(p[2].Content, 1, 2) }},
		"a message that is empty": {replacing("be brief", ""), func(p fantasy.Prompt) { copy(p, p[1:]); p[len(p)-1] = fantasy.Message{} }},
		"a text beside a file":    {replacing("what is it?", "?"), func(p fantasy.Prompt) { p[5].Content[1] = fantasy.TextPart{Text: "?"} }},
		"a message without text":  {replacing("", "oh"), func(p fantasy.Prompt) { p[4].Content = []fantasy.MessagePart{fantasy.TextPart{Text: "oh"}} }},
	} {
		t.Run(name, func(t *testing.T) {
			s, m, given, want := adaptertest.Open(t, adaptertest.Echo), calling(), conversation(), conversation()
			tt.hook(s)
			tt.want(want)
			if last := len(want) - 1; want[last].Role == "" {
				want = want[:last]
			}
			if _, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).Generate(t.Context(), fantasy.Call{Prompt: given}); err != nil {
				t.Fatal(err)
			}
			if got := m.prompts[0]; !reflect.DeepEqual(got, want) {
				t.Errorf("the model was sent\n%+v; want\n%+v", got, want)
			}
			if !reflect.DeepEqual(given, conversation()) {
				t.Errorf("the host's prompt is now %+v", given)
			}
		})
	}
}

// replacing changes the text of messages from old to now.
func replacing(old, now string) func(*snaphook.Session) {
	return rewriting(func(text string) string {
		if text == old {
			return now
		}
		return text
	})
}

// Providers of fantasy drop system messages that follow another message, and some providers drop all system
// messages but the first.
func TestSystemMessagesOfHooksReachTheModel(t *testing.T) {
	system := map[string]any{"role": "system", "content": "more"}
	for name, tt := range map[string]struct {
		at    int
		given fantasy.Prompt
		want  string
	}{
		"before the host's": {0, fantasy.Prompt{fantasy.NewSystemMessage("be brief"), fantasy.NewUserMessage("go")}, "system:more+be brief|user:go"},
		"after the host's":  {1, fantasy.Prompt{fantasy.NewSystemMessage("be brief"), fantasy.NewUserMessage("go")}, "system:be brief+more|user:go"},
		"at the end":        {2, fantasy.Prompt{fantasy.NewSystemMessage("be brief"), fantasy.NewUserMessage("go")}, "system:be brief|user:go|user:more"},
		"alone":             {0, fantasy.Prompt{fantasy.NewUserMessage("go")}, "system:more|user:go"},
		"beside the host's two": {
			1, fantasy.Prompt{fantasy.NewSystemMessage("a"), fantasy.NewSystemMessage("b"), fantasy.NewUserMessage("go")}, "system:a+more|system:b|user:go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := adaptertest.Open(t, adaptertest.Echo), calling()
			onRequest(func(messages []map[string]any) []map[string]any { return slices.Insert(messages, tt.at, system) })(s)
			if _, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).Generate(t.Context(), fantasy.Call{Prompt: tt.given}); err != nil {
				t.Fatal(err)
			}
			if m.last() != tt.want {
				t.Errorf("the model was sent %q; want %q", m.last(), tt.want)
			}
		})
	}
}

// toolChoice adds a hook that answers every choice of tools with v. If config is not empty, the hook also sets the
// toolConfig of the request to config.
func toolChoice(config string, v snaphook.Verdict) func(*snaphook.Session) {
	return func(s *snaphook.Session) {
		snaphook.OnToolChoice(s, "test", func(_ context.Context, in snaphook.ToolChoiceInput) (snaphook.Verdict, error) {
			if now := v; config != "" {
				now.Input = in.Request.With("toolConfig", []byte(config))
				return now, nil
			}
			return v, nil
		})
	}
}

func TestHooksRestrictTheToolsOfARequest(t *testing.T) {
	for name, tt := range map[string]struct {
		config string
		host   fantasy.ToolChoice
		want   string // tools and choice
	}{
		"no restriction":               {``, "auto", "read+write auto"},
		"some names":                   {`{"allowedFunctionNames":["read","other"]}`, "auto", "read auto"},
		"some names, and one of them":  {`{"mode":"ANY","allowedFunctionNames":["read"]}`, "auto", "read required"},
		"a mode alone":                 {`{"mode":"ANY"}`, "auto", "read+write required"},
		"no tools":                     {`{"mode":"NONE","allowedFunctionNames":[]}`, "auto", "read+write none"},
		"no names":                     {`{"mode":"AUTO","allowedFunctionNames":[]}`, "required", "read+write none"},
		"names of no tool":             {`{"mode":"ANY","allowedFunctionNames":["other"]}`, "auto", "read+write none"},
		"the host wants none":          {`{"mode":"ANY"}`, "none", "read+write none"},
		"the host wants any":           {`{"allowedFunctionNames":["read"]}`, "required", "read required"},
		"the host's tool":              {`{"mode":"ANY","allowedFunctionNames":["read"]}`, "read", "read read"},
		"the host's tool is not there": {`{"allowedFunctionNames":["read"]}`, "write", "read auto"},
		"the host's tool, but any":     {`{"mode":"ANY","allowedFunctionNames":["read"]}`, "write", "read required"},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := adaptertest.Open(t, adaptertest.Echo), calling()
			toolChoice(tt.config, snaphook.Verdict{})(s)
			tools := []fantasy.Tool{fantasy.FunctionTool{Name: "read"}, fantasy.ProviderDefinedTool{Name: "write"}}
			call := fantasy.Call{Prompt: fantasy.Prompt{fantasy.NewUserMessage("go")}, Tools: tools, ToolChoice: &tt.host}
			host := tt.host
			if _, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).Generate(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			if m.offers[0] != tt.want {
				t.Errorf("the model was offered %q; want %q", m.offers[0], tt.want)
			}
			if tools[0].GetName() != "read" || tools[1] == nil || *call.ToolChoice != host {
				t.Errorf("the host's call is now %+v", call)
			}
		})
	}
	t.Run("in a form that cannot be read", func(t *testing.T) {
		s, m := adaptertest.Open(t, adaptertest.Echo), calling()
		toolChoice(`{"allowedFunctionNames":7}`, snaphook.Verdict{})(s)
		call := fantasy.Call{Tools: []fantasy.Tool{fantasy.FunctionTool{Name: "read"}}}
		if _, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).Generate(t.Context(), call); err == nil || len(m.prompts) > 0 {
			t.Errorf("the error is %v, after %d requests; want one and no request", err, len(m.prompts))
		}
	})
}

func TestAResponseThatHooksReplaceKeepsItsCalls(t *testing.T) {
	m := calling(`{"text":"hi"}`)
	s := adaptertest.Open(t, adaptertest.Echo)
	afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "other"}})(s)
	model := fantasyhooks.Model(s, fantasyhooks.Options{}, m)
	stream, err := model.Stream(t.Context(), fantasy.Call{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p := range stream {
		got = append(got, string(p.Type)+p.Delta)
	}
	if want := "text_start text_deltaother text_end tool_input_start " + `tool_input_delta{"text":"hi"}` + " tool_input_end tool_call finish"; strings.Join(got, " ") != want {
		t.Errorf("it streams %q; want %q", got, want)
	}
	m.calls, got = nil, nil
	if stream, err = model.Stream(t.Context(), fantasy.Call{}); err != nil {
		t.Fatal(err)
	}
	for p := range stream {
		got = append(got, string(p.Type)+p.Delta)
	}
	if want := "reasoning_start reasoning_deltahm reasoning_end text_start text_deltaother text_end finish"; strings.Join(got, " ") != want {
		t.Errorf("without calls it streams %q; want %q", got, want)
	}
}

func TestAStreamThatHooksDoNotReviewPassesAsItComes(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling()
	beforeModel(snaphook.Verdict{Context: []string{"fyi"}})(s)
	stream, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).Stream(t.Context(), fantasy.Call{})
	if err != nil {
		t.Fatal(err)
	}
	for range stream {
		break
	}
	if m.parts != 1 {
		t.Errorf("%d parts have come before the first one is read; want 1", m.parts)
	}
}

func TestAStreamThatFailsIsAnErrorWhetherHooksReviewItOrNot(t *testing.T) {
	for name, addHook := range map[string]func(*snaphook.Session){"none": adaptertest.None, "review": afterModel(snaphook.Verdict{})} {
		t.Run(name, func(t *testing.T) {
			s, m := adaptertest.Open(t, adaptertest.Echo), calling()
			addHook(s)
			m.fails = errBroken
			if res, err := kinds["streams"](t.Context(), agent(s, m, fantasyhooks.Options{}, echo)); !errors.Is(err, errBroken) {
				t.Errorf("an agent: %+v, %v; want the model's error", res, err)
			}
			stream, err := fantasyhooks.Model(s, fantasyhooks.Options{}, m).StreamObject(t.Context(), fantasy.ObjectCall{})
			if err == nil {
				_, err = fantasy.NewStreamObjectResult[city](t.Context(), stream).Object()
			}
			if !errors.Is(err, errBroken) {
				t.Errorf("an object: %v; want the model's error", err)
			}
		})
	}
}

type city struct {
	City string `json:"city"`
}

func TestHooksAroundARequestForAnObject(t *testing.T) {
	call := fantasy.ObjectCall{
		Prompt: fantasy.Prompt{fantasy.NewUserMessage("go")},
		Schema: fantasy.Schema{Type: "object", Properties: map[string]*fantasy.Schema{"city": {Type: "string"}}, Required: []string{"city"}},
	}
	objects := map[string]func(context.Context, fantasy.LanguageModel) (any, error){
		"generates": func(ctx context.Context, m fantasy.LanguageModel) (any, error) {
			res, err := m.GenerateObject(ctx, call)
			if err != nil {
				return nil, err
			}
			return res.Object, nil
		},
		"streams": func(ctx context.Context, m fantasy.LanguageModel) (any, error) {
			stream, err := m.StreamObject(ctx, call)
			if err != nil {
				return nil, err
			}
			res, err := fantasy.NewStreamObjectResult[map[string]any](ctx, stream).Object()
			if err != nil {
				return nil, err
			}
			return res.Object, nil
		},
	}
	answer := func(text string) *snaphook.ToolResult { return &snaphook.ToolResult{Text: text} }
	for name, tt := range map[string]struct {
		hook    func(*snaphook.Session)
		request string
		object  string // the expected object as JSON; empty if an error is expected
		says    string // text of the error
	}{
		"none":                      {hook: adaptertest.None, request: "user:go", object: `{"city":"Rome"}`},
		"a look":                    {hook: afterModel(snaphook.Verdict{}), request: "user:go", object: `{"city":"Rome"}`},
		"deny":                      {hook: beforeModel(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), says: `the answer of the hooks, "no", is not JSON`},
		"stop":                      {hook: beforeModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), says: `"enough"`},
		"an answer":                 {hook: beforeModel(snaphook.Verdict{Result: answer(`{"city":"Oslo"}`)}), object: `{"city":"Oslo"}`},
		"an answer of another form": {hook: beforeModel(snaphook.Verdict{Result: answer(`{"town":"Oslo"}`)}), says: `the answer of the hooks, "{\"town\":\"Oslo\"}", does not fit the schema`},
		"context":                   {hook: beforeModel(snaphook.Verdict{Context: []string{"fyi"}}), request: "user:go|user:fyi", object: `{"city":"Rome"}`},
		"another message":           {hook: replacing("go", "stay"), request: "user:stay", object: `{"city":"Rome"}`},
		"a response":                {hook: afterModel(snaphook.Verdict{Result: answer(`{"city":"Bonn"}`)}), request: "user:go", object: `{"city":"Bonn"}`},
		"no response":               {hook: afterModel(snaphook.Verdict{Result: &snaphook.ToolResult{Failed: true}}), request: "user:go", says: `the answer of the hooks, "", is not JSON`},
		"stop afterwards":           {hook: afterModel(snaphook.Verdict{Stop: true, StopReason: "enough"}), request: "user:go", says: "enough"},
	} {
		for kind, ask := range objects {
			t.Run(name+" "+kind, func(t *testing.T) {
				s, m := adaptertest.Open(t, adaptertest.Echo), calling()
				tt.hook(s)
				object, err := ask(t.Context(), fantasyhooks.Model(s, fantasyhooks.Options{}, m))
				switch {
				case tt.object == "" && (!fantasy.IsNoObjectGeneratedError(err) || !strings.Contains(fmt.Sprint(err), tt.says)):
					t.Errorf("the error is %v; want one that says %q", err, tt.says)
				case tt.object != "" && (err != nil || encoded(t, object) != tt.object):
					t.Errorf("the object is %v, %v; want %s", object, err, tt.object)
				}
				if m.last() != tt.request {
					t.Errorf("the model was sent %q; want %q", m.last(), tt.request)
				}
			})
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
