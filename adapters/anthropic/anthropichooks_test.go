package anthropichooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/anthropic"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { adaptertest.Main(m) }

// endpoint is a model that calls the tool echo once, and then answers done.
type endpoint struct {
	input string // arguments of the call

	mu      sync.Mutex
	results []string // tool results that the endpoint has received
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Content []struct {
				Type    string `json:"type"`
				IsError bool   `json:"is_error"`
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply := `"content":[{"type":"tool_use","id":"c-1","name":"echo","input":` + e.input + `}],"stop_reason":"tool_use"`
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, message := range request.Messages {
		for _, block := range message.Content {
			if block.Type != "tool_result" {
				continue
			}
			var texts []string
			for _, c := range block.Content {
				texts = append(texts, c.Text)
			}
			e.results = append(e.results, fmt.Sprintf("%v %s", block.IsError, strings.Join(texts, "|")))
			reply = `"content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"`
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"m","type":"message","role":"assistant","model":"m",`+reply+`,"usage":{"input_tokens":1,"output_tokens":1}}`)
}

func (e *endpoint) said() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.results, "\n")
}

// echo repeats its arguments, with an image if it has one.
type echo struct{ image bool }

var errBroken = errors.New("broken")

func (echo) Name() string        { return "echo" }
func (echo) Description() string { return "repeats" }
func (echo) InputSchema() anthropic.BetaToolInputSchemaParam {
	return anthropic.BetaToolInputSchemaParam{}
}

func (e echo) Execute(_ context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	if strings.Contains(string(input), "broken") {
		return nil, errBroken
	}
	blocks := []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: "echo " + string(input)}}}
	if e.image {
		source := anthropic.BetaImageBlockParamSourceUnion{OfURL: &anthropic.BetaURLImageSourceParam{URL: "http://x"}}
		blocks = append(blocks, anthropic.BetaToolResultBlockParamContentUnion{OfImage: &anthropic.BetaImageBlockParam{Source: source}})
	}
	return blocks, nil
}

// work runs a tool runner with hooks until the model has answered.
func work(ctx context.Context, s *snaphook.Session, model *endpoint, of anthropic.BetaTool, opt anthropichooks.Options) (string, error) {
	srv := httptest.NewServer(model)
	defer srv.Close()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("k"), option.WithMaxRetries(0))
	tools := anthropichooks.Tools(s, []anthropic.BetaTool{of}, opt)
	runner := client.Beta.Messages.NewToolRunner(tools, anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
		Model: "m", MaxTokens: 9, Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("go"))},
	}})
	message, err := runner.RunToCompletion(ctx)
	if err != nil {
		return "", err
	}
	return message.Content[0].Text, nil
}

func TestHooksAroundATool(t *testing.T) {
	for name, tt := range map[string]struct {
		hook  func(*snaphook.Session)
		input string
		want  string // the result's error flag and its texts
	}{
		"none":              {adaptertest.None, `{"text":"hi"}`, `false echo {"text":"hi"}`},
		"deny":              {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), `{"text":"hi"}`, "true Error: no"},
		"ask":               {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}), `{"text":"hi"}`, "true Error: sure?\nA hook wants to ask the user, but there is no user: the call is refused."},
		"rewrite":           {adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), `{"text":"hi"}`, `false echo {"text":"other"}`},
		"stop":              {adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}), `{"text":"hi"}`, "true Error: A hook has ended the agent's work.\nenough"},
		"context":           {adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), `{"text":"hi"}`, `false echo {"text":"hi"}|fyi`},
		"rewritten result":  {adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), `{"text":"hi"}`, "false new"},
		"a tool that fails": {adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), `{"text":"broken"}`, "true Error: broken\n\nfyi"},
		"no object":         {adaptertest.None, `[1]`, `true Error: the input of snaphook.BeforeTool: the arguments of "echo" are an array; want one JSON object`},
	} {
		for kind, of := range map[string]echo{"a text": {}, "an image too": {image: true}} {
			t.Run(name+" with "+kind, func(t *testing.T) {
				s, model, stopped := adaptertest.Open(t, adaptertest.Echo), &endpoint{input: tt.input}, ""
				tt.hook(s)
				answer, err := work(t.Context(), s, model, of, anthropichooks.Options{Stop: func(reason string) { stopped = reason }})
				if err != nil || answer != "done" {
					t.Fatalf("the answer is %q, %v", answer, err)
				}
				want := tt.want
				if of.image && strings.Contains(want, "false echo") {
					text, more, _ := strings.Cut(want, "|")
					want = text + "|" // the image is the empty part between the texts
					if more != "" {
						want += "|" + more
					}
				}
				if got := model.said(); got != want {
					t.Errorf("the model was sent %q; want %q", got, want)
				}
				if name == "stop" && stopped != "enough" {
					t.Errorf("stopped for %q", stopped)
				}
			})
		}
	}
}

func TestAnImageThatHooksReplaceIsGone(t *testing.T) {
	s := adaptertest.Open(t, adaptertest.Echo)
	adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}})(s)
	guarded := anthropichooks.Tools(s, []anthropic.BetaTool{picture{}}, anthropichooks.Options{})[0]
	out, err := guarded.Execute(t.Context(), json.RawMessage(`{}`))
	if err != nil || len(out) != 1 || out[0].OfText == nil || out[0].OfText.Text != "new" {
		t.Errorf("got %+v, %v; want the new text alone", out, err)
	}
}

// picture returns an image without a text.
type picture struct{ echo }

func (picture) Execute(ctx context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	blocks, err := echo{image: true}.Execute(ctx, input)
	return blocks[1:], err
}

func TestAToolsErrorComesBack(t *testing.T) {
	s := adaptertest.Open(t, adaptertest.Echo)
	guarded := anthropichooks.Tools(s, []anthropic.BetaTool{echo{}}, anthropichooks.Options{})[0]
	if _, err := guarded.Execute(t.Context(), json.RawMessage(`{"text":"broken"}`)); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, err := guarded.Execute(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, hook.ErrClosed) || out != nil {
		t.Errorf("with a closed session: %v, %v", out, err)
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

	model := &endpoint{input: `{"text":"cat secret"}`}
	srv := httptest.NewServer(model)
	defer srv.Close()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("k"))

	tools := anthropichooks.Tools(s, []anthropic.BetaTool{echo{}}, anthropichooks.Options{})
	runner := client.Beta.Messages.NewToolRunner(tools, anthropic.BetaToolRunnerParams{
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model: "m", MaxTokens: 9,
			Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("go"))},
		},
	})
	message, err := runner.RunToCompletion(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(model.said())
	fmt.Println(message.Content[0].Text)
	// Output:
	// true Error: not that file
	// done
}
