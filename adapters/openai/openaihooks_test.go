package openaihooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/openai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { adaptertest.Main(m) }

// echo repeats the arguments of its calls.
func echo(_ context.Context, name, args string) (string, error) {
	if strings.Contains(args, "broken") {
		return "", errors.New("broken")
	}
	return name + " " + args, nil
}

// into decodes the JSON answer of an endpoint.
func into[T any](t *testing.T, text string) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// chat runs one call that a model of Chat Completions asks for, and returns the result of the call.
func chat(t *testing.T, s *snaphook.Session, custom bool, args string) (string, openaihooks.Did, error) {
	t.Helper()
	called := `{"id":"c-1","type":"function","function":{"name":"echo","arguments":` + string(wire.Quote(args)) + `}}`
	if custom {
		called = `{"id":"c-1","type":"custom","custom":{"name":"echo","input":` + string(wire.Quote(args)) + `}}`
	}
	m := into[openai.ChatCompletionMessage](t, `{"role":"assistant","tool_calls":[`+called+`]}`)
	results, did, err := openaihooks.Chat(t.Context(), s, m, echo)
	if err != nil {
		return "", did, err
	}
	if len(results) != 1 || results[0].OfTool.ToolCallID != "c-1" {
		t.Fatalf("the results are %+v; want one of c-1", results)
	}
	return results[0].OfTool.Content.OfString.Value, did, nil
}

// response does the same as chat for Responses.
func response(t *testing.T, s *snaphook.Session, custom bool, args string) (string, openaihooks.Did, error) {
	t.Helper()
	called := `{"id":"x","call_id":"c-1","type":"function_call","name":"echo","arguments":` + string(wire.Quote(args)) + `}`
	if custom {
		called = `{"id":"x","call_id":"c-1","type":"custom_tool_call","name":"echo","input":` + string(wire.Quote(args)) + `}`
	}
	r := into[responses.Response](t, `{"output":[{"type":"reasoning","id":"r","summary":[]},`+called+`]}`)
	results, did, err := openaihooks.Responses(t.Context(), s, r, echo)
	if err != nil {
		return "", did, err
	}
	if len(results) != 1 {
		t.Fatalf("the results are %+v; want one", results)
	}
	text, err := json.Marshal(results[0])
	if err != nil {
		t.Fatal(err)
	}
	o := wire.Object(text)
	if o.Text("call_id") != "c-1" {
		t.Fatalf("the result is %s; want one of c-1", text)
	}
	return o.Text("output"), did, nil
}

func TestHooksAroundACall(t *testing.T) {
	object, text := `{"text":"hi"}`, "hi"
	for name, tt := range map[string]struct {
		hook   func(*snaphook.Session)
		custom bool
		args   string
		want   string
		did    openaihooks.Did
	}{
		"none":              {hook: adaptertest.None, args: object, want: "echo " + object},
		"deny":              {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), args: object, want: "no"},
		"ask":               {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}), args: object, want: "sure?\nA hook wants to ask the user, but there is no user: the call is refused."},
		"rewrite":           {hook: adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), args: object, want: `echo {"text":"other"}`},
		"stop":              {hook: adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}), args: object, want: "A hook has ended the agent's work.\nenough", did: openaihooks.Did{Stop: true, StopReason: "enough"}},
		"context":           {hook: adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), args: object, want: "echo " + object + "\n\nfyi"},
		"message":           {hook: adaptertest.AfterTool(snaphook.Verdict{Messages: []string{"look"}}), args: object, want: "echo " + object, did: openaihooks.Did{Messages: []string{"look"}}},
		"rewritten result":  {hook: adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), args: object, want: "new"},
		"no JSON":           {hook: adaptertest.None, args: "{", want: `the input of snaphook.BeforeTool: the arguments of "echo" are not JSON; want one JSON object`},
		"a tool that fails": {hook: adaptertest.None, args: `{"text":"broken"}`, want: "broken"},
		"custom":            {hook: adaptertest.None, custom: true, args: text, want: "echo hi"},
		"custom deny":       {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), custom: true, args: text, want: "no"},
		"custom rewrite":    {hook: adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"input":"other"}`)}), custom: true, args: text, want: "echo other"},
	} {
		for kind, run := range map[string]func(*testing.T, *snaphook.Session, bool, string) (string, openaihooks.Did, error){"chat": chat, "responses": response} {
			t.Run(name+" of "+kind, func(t *testing.T) {
				s := adaptertest.Open(t, adaptertest.Echo)
				tt.hook(s)
				got, did, err := run(t, s, tt.custom, tt.args)
				if err != nil || got != tt.want || fmt.Sprint(did) != fmt.Sprint(tt.did) {
					t.Errorf("the result is %q, %+v, %v; want %q, %+v", got, did, err, tt.want, tt.did)
				}
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got, _, err := run(t, s, tt.custom, tt.args); !errors.Is(err, hook.ErrClosed) {
					t.Errorf("with a closed session: %q, %v", got, err)
				}
			})
		}
	}
}

func TestNothingRunsAfterAStop(t *testing.T) {
	s := adaptertest.Open(t, adaptertest.Echo)
	snaphook.OnAfterTool(s, "test", func(context.Context, snaphook.AfterToolInput) (snaphook.Verdict, error) {
		return snaphook.Verdict{Stop: true, StopReason: "enough"}, nil
	})
	ran := 0
	m := into[openai.ChatCompletionMessage](t, `{"tool_calls":[
		{"id":"c-1","type":"function","function":{"name":"echo","arguments":"{}"}},
		{"id":"c-2","type":"function","function":{"name":"echo","arguments":"{}"}}]}`)
	results, did, err := openaihooks.Chat(t.Context(), s, m, func(context.Context, string, string) (string, error) { ran++; return "", nil })
	if err != nil || !did.Stop || ran != 1 || len(results) != 2 {
		t.Errorf("%d tools ran, with %d results, %+v, %v; want one, and a result for each call", ran, len(results), did, err)
	}
}

// endpoint is a model that calls a tool to read a secret, and then answers done.
func endpoint(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	message := `{"role":"assistant","content":"done"}`
	if !strings.Contains(string(body), `"role":"tool"`) {
		message = `{"role":"assistant","tool_calls":[{"id":"c-1","type":"function","function":{"name":"echo","arguments":"{\"text\":\"cat secret\"}"}}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"choices":[{"message":`+message+`}]}`)
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

	srv := httptest.NewServer(http.HandlerFunc(endpoint))
	defer srv.Close()
	client := openai.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("k"))
	params := openai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("go")},
	}
	for {
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			panic(err)
		}
		message := answer.Choices[0].Message
		params.Messages = append(params.Messages, message.ToParam())
		results, did, err := openaihooks.Chat(ctx, s, &message, echo)
		if err != nil {
			panic(err)
		}
		if did.Stop || len(results) == 0 {
			fmt.Println(message.Content)
			return
		}
		fmt.Println(results[0].OfTool.Content.OfString.Value)
		params.Messages = append(params.Messages, results...)
	}
	// Output:
	// not that file
	// done
}
