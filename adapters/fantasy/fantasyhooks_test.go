package fantasyhooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"charm.land/fantasy"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/fantasy"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

// did records the calls of the adapter's Options.
type did struct{ messages, stops []string }

func (d *did) options() fantasyhooks.Options {
	return fantasyhooks.Options{
		Message: func(text string) { d.messages = append(d.messages, text) },
		Stop:    func(reason string) { d.stops = append(d.stops, reason) },
	}
}

// kinds holds a function for each of the two ways to run an agent.
var kinds = map[string]func(context.Context, fantasy.Agent) (*fantasy.AgentResult, error){
	"generates": func(ctx context.Context, a fantasy.Agent) (*fantasy.AgentResult, error) {
		return a.Generate(ctx, fantasy.AgentCall{Prompt: "go"})
	},
	"streams": func(ctx context.Context, a fantasy.Agent) (*fantasy.AgentResult, error) {
		return a.Stream(ctx, fantasy.AgentStreamCall{Prompt: "go"})
	},
}

// agent returns an agent with hooks.
func agent(s *snaphook.Session, m *scripted, opt fantasyhooks.Options, tools ...fantasy.AgentTool) fantasy.Agent {
	return fantasy.NewAgent(fantasyhooks.Model(s, opt, m), fantasy.WithTools(fantasyhooks.Tools(s, opt, tools...)...))
}

// results returns the results of the tools of a run.
func results(r *fantasy.AgentResult) (all []fantasy.ToolResultContent) {
	for _, step := range r.Steps {
		all = append(all, step.Content.ToolResults()...)
	}
	return all
}

func TestHooksAroundATool(t *testing.T) {
	newText := adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}})
	fyi := adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}})
	for name, tt := range map[string]struct {
		hook func(*snaphook.Session)
		tool fantasy.AgentTool
		text string
		want string // the result
		did  did
	}{
		"none": {hook: adaptertest.None, want: `echo {"text":"hi"}`},
		"deny": {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), want: "error no"},
		"ask": {
			hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}),
			want: "error sure?\nA hook wants to ask the user, but there is no user: the call is refused.",
		},
		"rewrite": {hook: adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), want: `echo {"text":"other"}`},
		"stop": {
			hook: adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}),
			want: "error A hook has ended the agent's work.\nenough", did: did{stops: []string{"enough"}},
		},
		"stop after it": {
			hook: adaptertest.AfterTool(snaphook.Verdict{Stop: true, StopReason: "enough"}),
			want: `echo {"text":"hi"}`, did: did{stops: []string{"enough"}},
		},
		"context":           {hook: fyi, want: "echo {\"text\":\"hi\"}\n\nfyi"},
		"message":           {hook: adaptertest.AfterTool(snaphook.Verdict{Messages: []string{"look"}}), want: `echo {"text":"hi"}`, did: did{messages: []string{"look"}}},
		"objection":         {hook: adaptertest.AfterTool(snaphook.Verdict{Decision: hook.Deny, Reason: "hm"}), want: "echo {\"text\":\"hi\"}\n\nhm"},
		"rewritten result":  {hook: newText, want: "new"},
		"result that fails": {hook: adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "bad", Failed: true}}), want: "error bad"},
		"a failed tool":     {hook: fyi, text: "fail", want: "error failed\n\nfyi"},
		"a mended tool":     {hook: newText, text: "fail", want: "new"},
		"an image":          {hook: adaptertest.None, tool: image, want: "image/png YWJj "},
		"an image, context": {hook: fyi, tool: image, want: "image/png YWJj fyi"},
		"a replaced image":  {hook: newText, tool: image, want: "new"},
		"a denied image":    {hook: adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), tool: image, want: "error no"},
	} {
		for kind, work := range kinds {
			t.Run(name+" "+kind, func(t *testing.T) {
				if tt.text == "" {
					tt.text = "hi"
				}
				if tt.tool == nil {
					tt.tool = echo
				}
				s, m, got := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"`+tt.text+`"}`), did{}
				tt.hook(s)
				res, err := work(t.Context(), agent(s, m, got.options(), tt.tool))
				if err != nil {
					t.Fatal(err)
				}
				all := results(res)
				if len(all) != 1 || output(all[0].Result) != tt.want || all[0].ToolCallID != "c-1" {
					t.Errorf("the results are %+v; want %q", all, tt.want)
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.did) {
					t.Errorf("the callbacks got %+v; want %+v", got, tt.did)
				}
				if want := 2 - len(tt.did.stops); len(m.prompts) != want {
					t.Errorf("the model got %d requests; want %d", len(m.prompts), want)
				}
			})
		}
	}
}

func TestMetadataStaysWhereHooksRewriteAResult(t *testing.T) {
	s := adaptertest.Open(t, adaptertest.Echo)
	adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}})(s)
	res, err := fantasyhooks.Tools(s, fantasyhooks.Options{}, echo)[0].Run(t.Context(), fantasy.ToolCall{Input: "{}"})
	if err != nil || res.Content != "new" || res.Metadata != `"seen by the user"` {
		t.Errorf("got %+v, %v; want the new text and the metadata", res, err)
	}
}

func TestAToolsErrorComesBackWithTheTextOfHooks(t *testing.T) {
	s, failed := adaptertest.Open(t, adaptertest.Echo), false
	snaphook.OnAfterTool(s, "test", func(_ context.Context, in snaphook.AfterToolInput) (snaphook.Verdict, error) {
		failed = in.Result.Failed
		return snaphook.Verdict{Context: []string{"fyi"}, Stop: true}, nil
	})
	guarded := fantasyhooks.Tools(s, fantasyhooks.Options{}, echo)[0]
	res, err := guarded.Run(t.Context(), fantasy.ToolCall{ID: "c-1", Name: "echo", Input: `{"text":"broken"}`})
	if !errors.Is(err, errBroken) || err.Error() != "broken\n\nfyi" || !failed || !res.StopTurn {
		t.Errorf("got %+v, %v, and a failure for hooks: %v", res, err, failed)
	}
}

func TestArgumentsThatAreNoObjectAreTheModelsToMend(t *testing.T) {
	guarded := fantasyhooks.Tools(adaptertest.Open(t, adaptertest.Echo), fantasyhooks.Options{}, echo)[0]
	for input, want := range map[string]string{
		`{"text":`: `the input of snaphook.BeforeTool: the arguments of "echo" are not JSON; want one JSON object`,
		`[1]`:      `the input of snaphook.BeforeTool: the arguments of "echo" are an array; want one JSON object`,
	} {
		res, err := guarded.Run(t.Context(), fantasy.ToolCall{ID: "c-1", Name: "echo", Input: input})
		if err != nil || !res.IsError || res.Content != want {
			t.Errorf("%s: %+v, %v; want the error result %q", input, res, err, want)
		}
	}
}

// errorOf returns the error of a run. In v0.46 of fantasy the error of a call is in the result of the call: if the run
// has no error, errorOf returns the error of a call in the last step.
func errorOf(res *fantasy.AgentResult, err error) error {
	if err != nil || len(res.Steps) == 0 {
		return err
	}
	for _, part := range res.Steps[len(res.Steps)-1].Content {
		if r, is := part.(fantasy.ToolResultContent); is {
			if failed, is := r.Result.(fantasy.ToolResultOutputContentError); is {
				return failed.Error
			}
		}
	}
	return nil
}

func TestAClosedSessionRunsNothing(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`)
	opt := fantasyhooks.Options{}
	a, alone := agent(s, m, opt, echo), fantasy.NewAgent(m, fantasy.WithTools(fantasyhooks.Tools(s, opt, echo)...))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for kind, work := range kinds {
		if res, err := work(t.Context(), a); !errors.Is(err, hook.ErrClosed) || len(m.prompts) > 0 {
			t.Errorf("%s: %+v, %v; want hook.ErrClosed", kind, res, err)
		}
	}
	if res, err := kinds["streams"](t.Context(), alone); !errors.Is(errorOf(res, err), hook.ErrClosed) || len(m.prompts) != 1 {
		t.Errorf("with hooks around tools alone: %+v, %v; want hook.ErrClosed after one request", res, err)
	}
	model := fantasyhooks.Model(s, opt, m)
	if _, err := model.GenerateObject(t.Context(), fantasy.ObjectCall{}); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("an object: %v; want hook.ErrClosed", err)
	}
	if _, err := model.StreamObject(t.Context(), fantasy.ObjectCall{}); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("a stream of an object: %v; want hook.ErrClosed", err)
	}
}

// Each of the two calls that are not denied waits for the other: the calls end only if the tools run in parallel.
func TestParallelToolsRunSideBySideWithTheirHooks(t *testing.T) {
	s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"a"}`, `{"text":"no"}`, `{"text":"b"}`)
	snaphook.OnBeforeTool(s, "test", func(_ context.Context, c snaphook.ToolCall) (v snaphook.Verdict, _ error) {
		if c.Input.Text("text") == "no" {
			v.Decision, v.Reason = hook.Deny, "not "+c.ID
		}
		return v, nil
	})
	var both sync.WaitGroup
	both.Add(2)
	waiting := fantasy.NewParallelAgentTool("echo", "waits", func(_ context.Context, in echoInput, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
		both.Done()
		both.Wait()
		return fantasy.NewTextResponse(call.ID + " " + in.Text), nil
	})
	res, err := kinds["streams"](t.Context(), agent(s, m, fantasyhooks.Options{}, waiting))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results(res) {
		got = append(got, output(r.Result))
	}
	if want := "c-1 a|error not c-2|c-3 b"; strings.Join(got, "|") != want {
		t.Errorf("the results are %q; want %q", got, want)
	}
}

func TestToolsOfAProviderThatTheAgentRunsAreGuarded(t *testing.T) {
	ran := ""
	computer := fantasy.NewExecutableProviderTool(fantasy.ProviderDefinedTool{ID: "test.echo", Name: "echo"},
		func(_ context.Context, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
			ran = call.Input
			return fantasy.NewTextResponse("ran"), nil
		})
	search := fantasy.ProviderDefinedTool{ID: "test.search", Name: "search"}
	for name, tt := range map[string]struct {
		hook      func(*snaphook.Session)
		ran, want string
	}{
		"none":    {adaptertest.None, `{"text":"hi"}`, "ran"},
		"deny":    {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), "", "error no"},
		"rewrite": {adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), `{"text":"other"}`, "ran"},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := adaptertest.Open(t, adaptertest.Echo), calling(`{"text":"hi"}`)
			tt.hook(s)
			ran = ""
			tools := fantasyhooks.ProviderTools(s, fantasyhooks.Options{}, computer, search)
			res, err := kinds["generates"](t.Context(), fantasy.NewAgent(m, fantasy.WithProviderDefinedTools(tools...)))
			if err != nil {
				t.Fatal(err)
			}
			if all := results(res); len(all) != 1 || output(all[0].Result) != tt.want || ran != tt.ran {
				t.Errorf("the results are %+v, and it ran with %q; want %q and %q", all, ran, tt.want, tt.ran)
			}
			if want := "echo+search auto"; m.offers[0] != want {
				t.Errorf("the model was offered %q; want %q", m.offers[0], want)
			}
		})
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

	m, opt := calling(`{"text":"cat secret"}`), fantasyhooks.Options{}
	a := fantasy.NewAgent(
		fantasyhooks.Model(s, opt, m),
		fantasy.WithTools(fantasyhooks.Tools(s, opt, echo)...),
	)
	answer, err := a.Generate(ctx, fantasy.AgentCall{Prompt: "go"})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.last())
	fmt.Println(len(answer.Steps), "steps")
	// Output:
	// user:go|assistant:|tool:error not that file
	// 2 steps
}
