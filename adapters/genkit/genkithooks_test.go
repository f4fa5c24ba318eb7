package genkithooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/snaphook-go/snaphook"
	genkithooks "github.com/snaphook-go/snaphook/adapters/genkit"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { adaptertest.Main(m) }

type echoInput struct {
	Text string `json:"text"`
}

// echo repeats its text.
var echo = ai.NewTool("echo", "repeats a text", func(_ *ai.ToolContext, in echoInput) (string, error) {
	if in.Text == "broken" {
		return "", errors.New("it is broken")
	}
	return "echo " + in.Text, nil
})

// table is a tool that returns an object, not a text.
var table = ai.NewTool("echo", "returns an object", func(_ *ai.ToolContext, in echoInput) (map[string]any, error) {
	return map[string]any{"echo": in.Text}, nil
})

// scripted is a model that calls the tool once, with a text, and then answers with the output of
// the tool, one part on each line. It records the requests that it gets.
type scripted struct {
	call     any
	requests []*ai.ModelRequest
}

func (m *scripted) generate(ctx context.Context, req *ai.ModelRequest, cb ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	m.requests = append(m.requests, req)
	for _, message := range req.Messages {
		if message.Role == ai.RoleTool {
			return m.answer(ctx, req, cb, "done: "+outputs(message))
		}
	}
	if m.call == nil {
		return m.answer(ctx, req, cb, "done")
	}
	call := ai.NewToolRequestPart(&ai.ToolRequest{Name: "echo", Ref: "c-1", Input: m.call})
	return &ai.ModelResponse{Request: req, Message: ai.NewModelMessage(call)}, nil
}

func (m *scripted) answer(
	ctx context.Context, req *ai.ModelRequest, cb ai.ModelStreamCallback, text string,
) (*ai.ModelResponse, error) {
	if cb != nil {
		for _, word := range strings.SplitAfter(text, " ") {
			if err := cb(ctx, &ai.ModelResponseChunk{Content: []*ai.Part{ai.NewTextPart(word)}}); err != nil {
				return nil, err
			}
		}
	}
	return &ai.ModelResponse{Request: req, Message: ai.NewModelTextMessage(text), FinishReason: ai.FinishReasonStop}, nil
}

// outputs returns the outputs of tools in a message, with the texts of their parts.
func outputs(m *ai.Message) string {
	var all []string
	for _, part := range m.Content {
		all = append(all, fmt.Sprint(part.ToolResponse.Output))
		for _, more := range part.ToolResponse.Content {
			all = append(all, more.Text)
		}
	}
	return strings.Join(all, "\n")
}

// seen records the calls of the adapter's Options.
type seen struct{ messages, stops []string }

// run generates once, with hooks around the tool and the model.
func run(t *testing.T, s *snaphook.Session, tool ai.Tool, m *scripted, more ...ai.GenerateOption) (string, seen, error) {
	t.Helper()
	var did seen
	opt := genkithooks.Options{
		Message: func(text string) { did.messages = append(did.messages, text) },
		Stop:    func(reason string) { did.stops = append(did.stops, reason) },
	}
	g := genkit.Init(t.Context())
	model := genkit.DefineModel(g, "test/scripted", &ai.ModelOptions{Supports: &ai.ModelSupports{
		Multiturn: true, Tools: true, SystemRole: true,
	}}, m.generate)
	res, err := genkit.Generate(t.Context(), g, append([]ai.GenerateOption{
		ai.WithModel(model), ai.WithPrompt("go"),
		ai.WithTools(genkithooks.Tools(s, opt, tool)...),
		ai.WithMiddleware(genkithooks.Model(s, opt)),
	}, more...)...)
	if err != nil {
		return "", did, err
	}
	return res.Text(), did, nil
}

func TestHooksAroundATool(t *testing.T) {
	hi := map[string]any{"text": "hi"}
	for name, tt := range map[string]struct {
		hook func(*snaphook.Session)
		tool ai.Tool
		call any
		want string
		did  seen
	}{
		"none": {hook: adaptertest.None, want: "done: echo hi"},
		"deny": {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), want: "done: no"},
		"ask": {
			hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}),
			want: "done: sure?\nA hook wants to ask the user, but there is no user: the call is refused.",
		},
		"rewrite": {hook: adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), want: "done: echo other"},
		"stop": {
			hook: adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}),
			want: "done: A hook has ended the agent's work.\nenough", did: seen{stops: []string{"enough"}},
		},
		"context": {hook: adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), want: "done: echo hi\n\nfyi"},
		"context beside an object": {
			hook: adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), tool: table, want: "done: map[echo:hi]\nfyi",
		},
		"message": {
			hook: adaptertest.AfterTool(snaphook.Verdict{Messages: []string{"look"}}), want: "done: echo hi", did: seen{messages: []string{"look"}},
		},
		"rewritten result": {hook: adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), want: "done: new"},
		"rewritten object": {
			hook: adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), tool: table, want: "done: new",
		},
		"stop after it": {
			hook: adaptertest.AfterTool(snaphook.Verdict{Stop: true, StopReason: "enough"}),
			want: "done: echo hi\n\nA hook has ended the agent's work.\nenough", did: seen{stops: []string{"enough"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := adaptertest.Open(t, adaptertest.Echo)
			tt.hook(s)
			if tt.call == nil {
				tt.call = hi
			}
			if tt.tool == nil {
				tt.tool = echo
			}
			got, did, err := run(t, s, tt.tool, &scripted{call: tt.call})
			if err != nil || strings.TrimSpace(got) != tt.want || fmt.Sprint(did) != fmt.Sprint(tt.did) {
				t.Errorf("the answer is %q, %+v, %v; want %q, %+v", got, did, err, tt.want, tt.did)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, _, err := run(t, s, tt.tool, &scripted{call: tt.call}); !errors.Is(err, hook.ErrClosed) {
				t.Errorf("with a closed session: %q, %v; want hook.ErrClosed", got, err)
			}
		})
	}
}

func TestHooksAroundTheModel(t *testing.T) {
	before := func(v snaphook.Verdict) func(*snaphook.Session) {
		return func(s *snaphook.Session) {
			snaphook.OnBeforeModel(s, "test", func(context.Context, snaphook.BeforeModelInput) (snaphook.Verdict, error) { return v, nil })
		}
	}
	after := func(v snaphook.Verdict) func(*snaphook.Session) {
		return func(s *snaphook.Session) {
			snaphook.OnAfterModel(s, "test", func(context.Context, snaphook.AfterModelInput) (snaphook.Verdict, error) { return v, nil })
		}
	}
	for name, tt := range map[string]struct {
		hook     func(*snaphook.Session)
		want     string
		requests string // the texts of the only request; empty if the model is not called
		did      seen
	}{
		"none":   {hook: adaptertest.None, want: "done", requests: "user: go"},
		"deny":   {hook: before(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), want: "no"},
		"stop":   {hook: before(snaphook.Verdict{Stop: true, StopReason: "enough"}), want: "enough", did: seen{stops: []string{"enough"}}},
		"answer": {hook: before(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "cached"}}), want: "cached"},
		"context": {
			hook: before(snaphook.Verdict{Context: []string{"fyi"}}), want: "done", requests: "user: go, system: fyi",
		},
		"rewritten request": {
			hook: before(snaphook.Verdict{Input: wire.Object(`{"messages":[{"role":"user","content":"stay"}]}`)}),
			want: "done", requests: "user: stay",
		},
		"one more message": {
			hook: before(snaphook.Verdict{Input: wire.Object(`{"messages":[{"role":"system","content":"more"},{"role":"user","content":"go"}]}`)}),
			want: "done", requests: "system: more, user: go",
		},
		"rewritten response": {hook: after(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), want: "new", requests: "user: go"},
		"stop after it": {
			hook: after(snaphook.Verdict{Stop: true, StopReason: "enough"}),
			want: "done\nenough", requests: "user: go", did: seen{stops: []string{"enough"}},
		},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", name, stream), func(t *testing.T) {
				s, m, chunks := adaptertest.Open(t, adaptertest.Echo), &scripted{}, ""
				tt.hook(s)
				var more []ai.GenerateOption
				if stream {
					more = append(more, ai.WithStreaming(func(_ context.Context, c *ai.ModelResponseChunk) error {
						chunks += c.Text()
						return nil
					}))
				}
				got, did, err := run(t, s, echo, m, more...)
				if err != nil || got != tt.want || fmt.Sprint(did) != fmt.Sprint(tt.did) {
					t.Errorf("the answer is %q, %+v, %v; want %q, %+v", got, did, err, tt.want, tt.did)
				}
				if stream && chunks != tt.want {
					t.Errorf("%q was streamed; want %q", chunks, tt.want)
				}
				if got := texts(m.requests); got != tt.requests {
					t.Errorf("the model got %q; want %q", got, tt.requests)
				}
			})
		}
	}
}

// texts returns the messages of all requests.
func texts(requests []*ai.ModelRequest) string {
	var all []string
	for _, req := range requests {
		for _, m := range req.Messages {
			all = append(all, string(m.Role)+": "+m.Text())
		}
	}
	return strings.Join(all, ", ")
}

func TestAFailedToolFailsForHooksAndForGenkit(t *testing.T) {
	s, failed := adaptertest.Open(t, adaptertest.Echo), false
	snaphook.OnAfterTool(s, "test", func(_ context.Context, in snaphook.AfterToolInput) (snaphook.Verdict, error) {
		failed = in.Result.Failed
		return snaphook.Verdict{}, nil
	})
	_, _, err := run(t, s, echo, &scripted{call: map[string]any{"text": "broken"}})
	if err == nil || !strings.Contains(err.Error(), "it is broken") || !failed {
		t.Errorf("got %v, and a failure for hooks: %v; want both", err, failed)
	}
}

func TestAnInterruptReachesGenkit(t *testing.T) {
	asks := ai.NewTool("echo", "asks the user", func(ctx *ai.ToolContext, _ echoInput) (string, error) {
		return "", ctx.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"why": "sure?"}})
	})
	g := genkit.Init(t.Context())
	m := &scripted{call: map[string]any{"text": "hi"}}
	model := genkit.DefineModel(g, "test/scripted", &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true}}, m.generate)
	res, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithPrompt("go"),
		ai.WithTools(genkithooks.Tools(adaptertest.Open(t, adaptertest.Echo), genkithooks.Options{}, asks)...))
	if err != nil || res.FinishReason != ai.FinishReasonInterrupted || len(res.Interrupts()) != 1 {
		t.Errorf("got %+v, %v; want one interrupt", res, err)
	}
}

func Example() {
	ctx := context.Background()
	hooks, err := snaphook.Open(snaphook.Config{Tools: []snaphook.Tool{
		{Name: "echo", Kind: snaphook.Shell, Args: map[string]string{"command": "text"}},
	}})
	if err != nil {
		panic(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1"}) // the hooks of the current directory
	if err != nil {
		panic(err)
	}
	snaphook.OnBeforeTool(s, "no-secrets", func(_ context.Context, c snaphook.ToolCall) (snaphook.Verdict, error) {
		if strings.Contains(c.Input.Text("text"), "secret") {
			return snaphook.Verdict{Decision: hook.Deny, Reason: "not that file"}, nil
		}
		return snaphook.Verdict{}, nil
	})

	var opt genkithooks.Options
	g := genkit.Init(ctx)
	m := &scripted{call: map[string]any{"text": "cat secret"}}
	model := genkit.DefineModel(g, "test/scripted", &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true}}, m.generate)
	res, err := genkit.Generate(ctx, g, ai.WithModel(model), ai.WithPrompt("go"),
		ai.WithTools(genkithooks.Tools(s, opt, echo)...),
		ai.WithMiddleware(genkithooks.Model(s, opt)))
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Text())
	// Output: done: not that file
}
