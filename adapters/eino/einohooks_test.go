package einohooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/eino"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { adaptertest.Main(m) }

// work runs an agent with hooks for one message, and returns its answer.
func work(t *testing.T, s *snaphook.Session, m *scripted, of tool.BaseTool, opt einohooks.Options) (string, error) {
	t.Helper()
	a, err := react.NewAgent(t.Context(), &react.AgentConfig{
		ToolCallingModel: einohooks.Model(s, m, opt),
		ToolsConfig: compose.ToolsNodeConfig{
			Tools: []tool.BaseTool{of}, ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(s, opt)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, streams := of.(stream); streams {
		out, err := a.Stream(t.Context(), []*schema.Message{schema.UserMessage("go")})
		if err != nil {
			return "", err
		}
		answer, err := schema.ConcatMessageStream(out)
		if err != nil {
			return "", err
		}
		return answer.Content, nil
	}
	answer, err := a.Generate(t.Context(), []*schema.Message{schema.UserMessage("go")})
	if err != nil {
		return "", err
	}
	return answer.Content, nil
}

func TestHooksAroundATool(t *testing.T) {
	for name, tt := range map[string]struct {
		hook func(*snaphook.Session)
		want string // the tool result that the model gets
	}{
		"none":             {adaptertest.None, `echo {"text":"hi"}`},
		"deny":             {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), "no"},
		"ask":              {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}), "sure?\nA hook wants to ask the user, but there is no user: the call is refused."},
		"rewrite":          {adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), `echo {"text":"other"}`},
		"stop":             {adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}), "A hook has ended the agent's work.\nenough"},
		"context":          {adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), "echo {\"text\":\"hi\"}\n\nfyi"},
		"rewritten result": {adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), "new"},
	} {
		for kind, of := range map[string]tool.BaseTool{"invokable": plain{}, "streamable": stream{}, "enhanced": enhanced{}, "enhanced stream": enhancedStream{}} {
			t.Run(name+" "+kind, func(t *testing.T) {
				s, m, stopped := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`), ""
				tt.hook(s)
				node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{
					Tools: []tool.BaseTool{of},
					ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(s, einohooks.Options{
						Stop: func(_ context.Context, reason string) { stopped = reason },
					})},
				})
				if err != nil {
					t.Fatal(err)
				}
				message := schema.AssistantMessage("", []schema.ToolCall{m.call})
				for _, streams := range []bool{false, true} {
					if got := result(t, node, message, streams); got != tt.want {
						t.Errorf("as a stream %v: the result is %q; want %q", streams, got, tt.want)
					}
				}
				if name == "stop" && stopped != "enough" {
					t.Errorf("stopped for %q", stopped)
				}
			})
		}
	}
}

// result runs the call of a message, and returns the texts of the call's result, with a blank line
// between two parts.
func result(t *testing.T, node *compose.ToolsNode, message *schema.Message, streams bool) string {
	t.Helper()
	var out []*schema.Message
	var err error
	if streams {
		var r *schema.StreamReader[[]*schema.Message]
		if r, err = node.Stream(t.Context(), message); err == nil {
			var chunks [][]*schema.Message
			for {
				chunk, stop := r.Recv()
				if stop != nil {
					break
				}
				chunks = append(chunks, chunk)
			}
			r.Close()
			out, err = schema.ConcatMessageArray(chunks)
		}
	} else {
		out, err = node.Invoke(t.Context(), message)
	}
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for _, part := range out[0].UserInputMultiContent {
		texts = append(texts, part.Text)
	}
	if len(texts) == 0 {
		return out[0].Content
	}
	return strings.Join(texts, "\n\n")
}

func TestArgumentsThatAreNoJSONAreTheModelsToMend(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":`)
	answer, err := work(t, s, m, plain{}, einohooks.Options{})
	if err != nil || answer != "done" || !strings.Contains(m.last(), `the arguments of "echo" are not JSON`) {
		t.Errorf("the answer is %q, %v; the model was sent %q", answer, err, m.last())
	}
}

func TestAClosedSessionEndsTheGraph(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{}`)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if answer, err := work(t, s, m, plain{}, einohooks.Options{}); err == nil || len(m.requests) > 0 {
		t.Errorf("the answer is %q, after the requests %q; want an error, and none", answer, m.requests)
	}
	for _, of := range []tool.BaseTool{plain{}, stream{}, enhanced{}, enhancedStream{}} {
		node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{
			Tools: []tool.BaseTool{of}, ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(s, einohooks.Options{})},
		})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := node.Invoke(t.Context(), schema.AssistantMessage("", []schema.ToolCall{m.call})); !errors.Is(err, hook.ErrClosed) {
			t.Errorf("%T: %v, %v; want a closed session", of, out, err)
		}
	}
}

func TestAStopEndsAReactAgent(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`)
	adaptertest.AfterTool(snaphook.Verdict{Stop: true, StopReason: "enough"})(s)
	answer, err := work(t, s, m, plain{}, einohooks.Options{Stop: func(ctx context.Context, _ string) {
		if err := react.SetReturnDirectly(ctx); err != nil {
			t.Error(err)
		}
	}})
	if err != nil || !strings.HasSuffix(answer, "enough") || len(m.requests) != 1 {
		t.Errorf("the answer is %q, %v, after %d requests; want the tool's result, after one", answer, err, len(m.requests))
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

	m, opt := calling(`{"text":"cat secret"}`), einohooks.Options{}
	a, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: einohooks.Model(s, m, opt),
		ToolsConfig: compose.ToolsNodeConfig{
			Tools: []tool.BaseTool{plain{}}, ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(s, opt)},
		},
	})
	if err != nil {
		panic(err)
	}
	answer, err := a.Generate(ctx, []*schema.Message{schema.UserMessage("go")})
	fmt.Println(m.last(), err)
	fmt.Println(answer.Content)
	// Output:
	// user:go|assistant:|tool:not that file <nil>
	// done
}
