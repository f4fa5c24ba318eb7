package llxprt_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// An agent that applies every verdict works as the rules demand (L48, L49, L50, L51, L52, L53).
func TestAnAgentAppliesEveryVerdict(t *testing.T) {
	for _, tt := range []struct {
		name       string
		hooks      func(at *pipeline.Session)
		tools      []string
		log        []string
		transcript []string
		requests   int
	}{
		{
			name:  "without hooks the agent works",
			hooks: func(*pipeline.Session) {},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "answer: done"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a blocked tool does not run and the model sees the reason",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeTool.On(s, "guard", says[llxprt.BeforeToolInput](gateOutput{Decision: hook.Deny, Reason: "not there", Context: "not for the model"}))
			},
			log: []string{"answer: done"}, transcript: []string{"user: go", "tool: not there"}, requests: 2,
		},
		{
			name: "a tool is blocked by its permission too",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeTool.On(s, "guard", says[llxprt.BeforeToolInput](gateOutput{Specific: permission(hook.Deny, "not there")}))
			},
			log: []string{"answer: done"}, transcript: []string{"user: go", "tool: not there"}, requests: 2,
		},
		{
			name: "a tool runs with the changes of all hooks over its own arguments",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeTool.On(s, "one", says[llxprt.BeforeToolInput](gateOutput{Specific: llxprt.BeforeToolOutput{ToolInput: wire.Object(`{"path":"b"}`)}}))
				llxprt.BeforeTool.On(s, "two", says[llxprt.BeforeToolInput](gateOutput{Specific: llxprt.BeforeToolOutput{ToolInput: wire.Object(`{"mode":1}`)}}))
			},
			tools: []string{`{"path":"b","content":"hi","mode":1}`}, log: []string{"output: 1 line", "answer: done"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a stop before a tool ends the agent, and the tool does not run",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeTool.On(s, "stop", says[llxprt.BeforeToolInput](gateOutput{Stop: true, StopReason: "enough"}))
			},
			log: []string{"stopped: enough"}, transcript: []string{"user: go", "tool: enough"}, requests: 1,
		},
		{
			name: "after a tool a denial's reason and the context are appended, and the output is hidden",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterTool.On(s, "note", says[llxprt.AfterToolInput](hook.Output[llxprt.BasicOutput]{Decision: hook.Deny, Reason: "late", Context: "and linted", Suppress: true, Message: "linted"}))
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"message: linted", "answer: done"},
			transcript: []string{"user: go", "tool: written\n\nlate\n\nand linted"}, requests: 2,
		},
		{
			name: "a text alone is the response to go on with",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterModel.On(s, "redact", func(_ context.Context, d llxprt.AfterModelInput) (o hook.Output[llxprt.AfterModelOutput], err error) {
					if strings.Contains(string(d.Response), "done") {
						o.Specific.Response = wire.Object(`{"text":"redacted"}`)
					}
					return o, nil
				})
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "answer: redacted"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a text alone takes the place of the model's response",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeModel.On(s, "cache", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{Specific: llxprt.BeforeModelOutput{Response: wire.Object(`{"text":"cached"}`)}}))
			},
			log: []string{"answer: cached"}, transcript: []string{"user: go"},
		},
		{
			name: "an ask of LLxprt runs the tool",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeTool.On(s, "guard", says[llxprt.BeforeToolInput](gateOutput{Decision: hook.Ask, Reason: "sure?"}))
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "answer: done"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a stop after a tool ends the agent",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterTool.On(s, "stop", says[llxprt.AfterToolInput](hook.Output[llxprt.BasicOutput]{Stop: true}))
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "stopped: No reason provided"},
			transcript: []string{"user: go", "tool: written"}, requests: 1,
		},
		{
			name: "a synthetic response takes the place of the model's",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeModel.On(s, "cache", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{
					Decision: hook.Block, Specific: llxprt.BeforeModelOutput{Response: wire.Object(`{"candidates":[{"content":{"role":"model","parts":["cached"]}}]}`)},
				}))
			},
			log: []string{"answer: cached"}, transcript: []string{"user: go"},
		},
		{
			name: "a response without a block is used too",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeModel.On(s, "cache", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{
					Specific: llxprt.BeforeModelOutput{Response: wire.Object(`{"candidates":[{"content":{"role":"model","parts":["cached"]}}]}`)},
				}))
			},
			log: []string{"answer: cached"}, transcript: []string{"user: go"},
		},
		{
			name: "a block without a response is a response that says nothing",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeModel.On(s, "block", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{Decision: hook.Deny, Reason: "no"}))
			},
			transcript: []string{"user: go"},
		},
		{
			name: "a stop before the model ends the agent",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeModel.On(s, "stop", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{Stop: true, StopReason: "budget"}))
			},
			log: []string{"stopped: budget"}, transcript: []string{"user: go"},
		},
		{
			name: "a stop after the model ends the agent with its reason",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterModel.On(s, "stop", says[llxprt.AfterModelInput](hook.Output[llxprt.AfterModelOutput]{Stop: true, StopReason: "budget"}))
			},
			log: []string{"stopped: budget", "last words: budget"}, transcript: []string{"user: go"}, requests: 1,
		},
		{
			name: "a modified response is the one to go on with",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterModel.On(s, "redact", func(_ context.Context, d llxprt.AfterModelInput) (o hook.Output[llxprt.AfterModelOutput], err error) {
					if strings.Contains(string(d.Response), "done") {
						o.Specific.Response = wire.Object(`{"candidates":[{"content":{"role":"model","parts":["d***"]}}]}`)
					}
					return o, nil
				})
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "answer: d***"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a stop while tools are chosen ends the agent, and a denial has no effect",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeToolSelection.On(s, "stop", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeToolSelectionOutput]{Decision: hook.Deny, Reason: "no tools"}))
				llxprt.BeforeToolSelection.On(s, "stop", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeToolSelectionOutput]{Stop: true, StopReason: "budget"}))
			},
			log: []string{"stopped: budget"}, transcript: []string{"user: go"},
		},
		{
			name: "a prompt gets context",
			hooks: func(s *pipeline.Session) {
				llxprt.SessionStart.On(s, "rules", says[llxprt.SessionStartInput](hook.Output[llxprt.BasicOutput]{Context: "be kind"}))
				llxprt.BeforeAgent.On(s, "branch", says[llxprt.BeforeAgentInput](hook.Output[llxprt.BasicOutput]{Context: "branch: main"}))
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "answer: done"},
			transcript: []string{"user: be kind", "user: go", "user: branch: main", "tool: written"}, requests: 2,
		},
		{
			name: "a blocked prompt is refused",
			hooks: func(s *pipeline.Session) {
				llxprt.BeforeAgent.On(s, "guard", says[llxprt.BeforeAgentInput](hook.Output[llxprt.BasicOutput]{Decision: hook.Block, Reason: "a secret"}))
			},
			log: []string{"refused: a secret"},
		},
		{
			name: "an answer that is blocked sends the agent back with the reason, once",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterAgent.On(s, "tests", func(_ context.Context, a llxprt.AfterAgentInput) (o hook.Output[llxprt.AfterAgentOutput], err error) {
					if !a.StopHookActive {
						o.Decision, o.Reason, o.Specific.ClearContext = hook.Block, "run the tests", true
					}
					return o, nil
				})
			},
			tools:      []string{`{"path":"a","content":"hi"}`, `{"path":"a","content":"hi"}`},
			log:        []string{"output: 1 line", "cleared: the context", "answer: done", "output: 1 line", "answer: done"},
			transcript: []string{"user: run the tests", "tool: written"}, requests: 4,
		},
		{
			name: "a stop is stronger than a block",
			hooks: func(s *pipeline.Session) {
				llxprt.AfterAgent.On(s, "tests", says[llxprt.AfterAgentInput](hook.Output[llxprt.AfterAgentOutput]{Decision: hook.Block, Reason: "again"}))
				llxprt.AfterAgent.On(s, "stop", says[llxprt.AfterAgentInput](hook.Output[llxprt.AfterAgentOutput]{Stop: true, StopReason: "late"}))
			},
			tools: []string{`{"path":"a","content":"hi"}`}, log: []string{"output: 1 line", "stopped: late"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "messages of the lifecycle are shown",
			hooks: func(s *pipeline.Session) {
				message := hook.Output[llxprt.BasicOutput]{Message: "hello"}
				llxprt.SessionStart.On(s, "m", says[llxprt.SessionStartInput](message))
				llxprt.PreCompress.On(s, "m", says[llxprt.PreCompressInput](message))
				llxprt.Notification.On(s, "m", says[llxprt.NotificationInput](message))
				llxprt.SessionEnd.On(s, "m", says[llxprt.SessionEndInput](message))
			},
			tools:      []string{`{"path":"a","content":"hi"}`},
			log:        []string{"message: hello", "message: hello", "output: 1 line", "message: hello", "answer: done", "message: hello"},
			transcript: []string{"user: go", "tool: written"}, requests: 2,
		},
		{
			name: "a session that is stopped does nothing",
			hooks: func(s *pipeline.Session) {
				llxprt.SessionStart.On(s, "stop", says[llxprt.SessionStartInput](hook.Output[llxprt.BasicOutput]{Stop: true, StopReason: "closed"}))
			},
			log: []string{"stopped: closed"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &agent{t: t, ses: session(t, system(t, project(`{}`)), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})}
			tt.hooks(a.ses)
			a.run("go")
			for _, cmp := range []struct {
				what      string
				got, want []string
			}{{"tools", a.tools, tt.tools}, {"log", a.log, tt.log}, {"transcript", a.transcript(), tt.transcript}} {
				if !slices.Equal(cmp.got, cmp.want) {
					t.Errorf("%s\ngot  %q\nwant %q", cmp.what, cmp.got, cmp.want)
				}
			}
			if len(a.requests) != tt.requests {
				t.Errorf("the model was called %d times; want %d", len(a.requests), tt.requests)
			}
		})
	}
}

func TestHooksChangeARequestAndTheRestStays(t *testing.T) {
	a := &agent{t: t, ses: session(t, system(t, project(`{}`)), pipeline.SessionConfig{Dir: t.TempDir()})}
	llxprt.BeforeModel.On(a.ses, "cold", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{Specific: llxprt.BeforeModelOutput{Request: wire.Object(`{"config":{"temperature":0}}`)}}))
	llxprt.BeforeModel.On(a.ses, "small", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeModelOutput]{Specific: llxprt.BeforeModelOutput{Request: wire.Object(`{"config":{"maxOutputTokens":5}}`)}}))
	llxprt.BeforeToolSelection.On(a.ses, "read only", says[llxprt.BeforeModelInput](hook.Output[llxprt.BeforeToolSelectionOutput]{Specific: llxprt.BeforeToolSelectionOutput{ToolConfig: wire.Object(`{"mode":"ANY","allowedFunctionNames":["ls"]}`)}}))
	a.run("go")
	want := `{"model":"m","contents":[{"role":"user","parts":[{"text":"go"}]}],"config":{"topP":0.5,"temperature":0,"maxOutputTokens":5},` +
		`"tools":[{"name":"write_file"}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls"]}}}`
	if len(a.requests) == 0 || string(a.requests[0]) != want {
		t.Errorf("the model got\n%s\nwant\n%s", a.requests, want)
	}
}

func TestContextIsAppendedToWhateverAToolGave(t *testing.T) {
	for _, tt := range []struct{ name, response, want string }{
		{"a string", `{"llmContent":"ok","x":1}`, `{"llmContent":"ok\n\nnote","x":1}`},
		{"an empty string", `{"llmContent":""}`, `{"llmContent":"note"}`},
		{"a list", `{"llmContent":["ok",{"inlineData":{}}]}`, `{"llmContent":["ok",{"inlineData":{}},{"text":"note"}]}`},
		{"an empty list", `{"llmContent":[]}`, `{"llmContent":[{"text":"note"}]}`},
		{"a part", `{"llmContent":{"inlineData":{}}}`, `{"llmContent":[{"inlineData":{}},{"text":"note"}]}`},
		{"nothing", `{"x":1}`, `{"x":1,"llmContent":"note"}`},
		{"null", `{"llmContent":null}`, `{"llmContent":"note"}`},
		{"no response", ``, `{"llmContent":"note"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			done := &llxprt.AfterToolInput{Name: "t", Response: wire.Object(tt.response)}
			res := &hook.Result[llxprt.BasicOutput]{Output: hook.Output[llxprt.BasicOutput]{Context: "note"}}
			if _, got := llxprt.ApplyAfterTool(done, res); string(got) != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
			if string(done.Response) != tt.response {
				t.Errorf("the tool's own response became %s", done.Response)
			}
		})
	}
}

// An agent that applies every verdict works with hooks in Bash: one guards, one changes the tool's input, and one sends
// the agent back to work.
func TestAnAgentWithHooksInBash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("LLxprt Code hands hooks to PowerShell on Windows")
	}
	dir := testkit.Dir(t)
	guard := "#!/bin/bash\ninput=$(cat)\nif [[ $input == *'\"path\":\"a\"'* && ! -e asked ]]; then touch asked; echo 'not a' >&2; exit 2; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "guard.sh"), []byte(guard), 0o755); err != nil {
		t.Fatal(err)
	}
	s := project(`{"tools": {"enableHooks": true}, "hooks": {
		"BeforeTool": [{"matcher": "^write_", "hooks": [{"type": "command", "command": "\"$LLXPRT_PROJECT_DIR\"/guard.sh"}]}],
		"AfterAgent": [{"hooks": [{"type": "command", "command": "grep -q '\"stop_hook_active\":true' || echo '{\"decision\":\"block\",\"reason\":\"once more\",\"hookSpecificOutput\":{\"clearContext\":true}}'"}]}],
		"AfterTool": [{"hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"formatted\"},\"suppressOutput\":true}'"}]}]
	}}`)
	a := &agent{t: t, ses: session(t, system(t, s), pipeline.SessionConfig{ID: "s", Dir: dir})}
	a.run("go")
	if want := []string{"cleared: the context", "answer: done", "answer: done"}; !slices.Equal(a.log, want) {
		t.Errorf("log %q; want %q", a.log, want)
	}
	if want := []string{"user: once more", "tool: written\n\nformatted"}; !slices.Equal(a.transcript(), want) {
		t.Errorf("transcript %q; want %q", a.transcript(), want)
	}
	if want := []string{`{"path":"a","content":"hi"}`}; !slices.Equal(a.tools, want) {
		t.Errorf("tools %q; want %q: the first call was denied", a.tools, want)
	}
}
