package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/wire"
)

func calls(cmd string) Message {
	return Message{Role: "model", Calls: []snaphook.ToolCall{{ID: "c-1", Name: "execute_command", Input: wire.Object(`{"cmd":` + string(wire.Quote(cmd)) + `}`)}}}
}

// play runs the host once with these files in its project, and returns the text that the model got
// and the text that the user saw.
func play(t *testing.T, files map[string]string, replies ...Message) (told, shown string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hooks, err := snaphook.Open(snaphook.Config{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s", Dir: dir, Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	if problems := s.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	model, out := &Scripted{Replies: replies}, &bytes.Buffer{}
	host := Host{Session: s, Model: model, Out: out}
	if err := host.Run(t.Context(), "do it"); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, m := range host.Messages {
		all.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return all.String(), out.String()
}

func claude(event, script string) map[string]string {
	return map[string]string{".claude/settings.json": settings(event, script, "")}
}

func llxprt(event, script string) map[string]string {
	return map[string]string{".llxprt/settings.json": settings(event, script, `"tools":{"enableHooks":true},`)}
}

func settings(event, script, more string) string {
	return `{` + more + `"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":` + string(wire.Quote(script)) + `}]}]}}`
}

func pi(handler string) map[string]string {
	return map[string]string{".xcsh/hooks/pre/all.ts": "export default function (pi) { " + handler + " }"}
}

func TestHooksOfEverySystemTakePart(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		told  string // text that the model must get
		shown string // text that the user must see
	}{
		"claude denies":        {claude("PreToolUse", `echo "no $(grep -o Bash)" >&2; exit 2`), "tool: no Bash\n", ""},
		"claude rewrites":      {claude("PreToolUse", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo rewritten"}}}'`), "tool: rewritten\n", ""},
		"claude adds context":  {claude("UserPromptSubmit", "echo remember this"), "system: remember this\n", ""},
		"claude stops":         {claude("PostToolUse", `echo '{"continue":false,"stopReason":"enough"}'`), "tool: ls", "stopped: enough"},
		"claude continues":     {claude("Stop", `grep -q '"stop_hook_active":true' || { echo "go on" >&2; exit 2; }`), "user: go on\n", "answer: done\nanswer: done"},
		"llxprt denies":        {llxprt("BeforeTool", `echo "no $(grep -o run_shell_command | head -1)" >&2; exit 2`), "tool: no run_shell_command\n", ""},
		"llxprt rewrites":      {llxprt("BeforeTool", `echo '{"hookSpecificOutput":{"tool_input":{"command":"echo rewritten"}}}'`), "tool: rewritten\n", ""},
		"llxprt adds context":  {llxprt("AfterTool", `echo '{"hookSpecificOutput":{"additionalContext":"remember this"}}'`), "remember this\n", ""},
		"llxprt stops":         {llxprt("BeforeModel", `echo '{"continue":false,"stopReason":"enough"}'`), "user: do it\n", "stopped: enough"},
		"llxprt continues":     {llxprt("AfterAgent", `grep -q '"stop_hook_active":true' || echo '{"decision":"block","reason":"go on"}'`), "user: go on\n", "answer: done\nanswer: done"},
		"pi denies":            {pi(`pi.on("tool_call", e => e.toolName === "bash" && e.input.command.includes("ls") ? {block: true, reason: "no bash"} : undefined)`), "tool: no bash\n", ""},
		"pi rewrites a result": {pi(`pi.on("tool_result", e => ({content: [{type: "text", text: "rewritten"}]}))`), "tool: rewritten\n", ""},
		"pi adds context":      {pi(`pi.on("before_agent_start", () => ({message: {customType: "note", content: "remember this", display: true}}))`), "system: remember this\n", ""},
		"pi stops":             {pi(`pi.on("tool_call", (e, ctx) => { ctx.abort() })`), "", "stopped: A hook module has aborted"},
		"pi says more":         {pi(`pi.on("tool_result", () => { pi.sendMessage({customType: "note", content: "go on", display: true}) })`), "system: go on\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			told, shown := play(t, tt.files, calls("echo ls"))
			if !strings.Contains(told, tt.told) || !strings.Contains(shown, tt.shown) {
				t.Errorf("the model was told\n%sthe user saw\n%swant %q and %q", told, shown, tt.told, tt.shown)
			}
		})
	}
}

func TestHooksOfThreeSystemsOfOneProject(t *testing.T) {
	files := pi(`pi.on("tool_call", e => e.input.command.includes("secret") ? {block: true, reason: "pi"} : undefined)`)
	for name, text := range claude("PreToolUse", `grep -q secret && { echo claude >&2; exit 2; }; exit 0`) {
		files[name] = text
	}
	for name, text := range llxprt("BeforeTool", `grep -q secret && { echo llxprt >&2; exit 2; }; exit 0`) {
		files[name] = text
	}
	if told, _ := play(t, files, calls("cat secret")); !strings.Contains(told, "tool: claude\nllxprt\npi\n") {
		t.Errorf("the model was told\n%s", told)
	}
}

func TestAnotherAgentAndALongConversation(t *testing.T) {
	task := Message{Role: "model", Calls: []snaphook.ToolCall{{ID: "c-1", Name: "delegate", Input: wire.Object(`{"prompt":"sub"}`)}}}
	replies := []Message{task, {Role: "model", Text: "from below"}}
	for range 25 {
		replies = append(replies, calls("true"))
	}
	told, _ := play(t, map[string]string{".claude/settings.json": `{"hooks":{"PreCompact":[{"hooks":[{"type":"command","command":"touch compacted"}]}]}}`}, replies...)
	if !strings.HasPrefix(told, "system: ") || !strings.Contains(told, "messages were left out") {
		t.Errorf("the model was told\n%s", told)
	}
}

func TestAModelOfAnEndpoint(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["model"] != "m" || len(body["tools"].([]any)) != 1 {
			t.Errorf("the request is %v, %v", body, err)
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hm","tool_calls":[{"id":"c","function":{"name":"read_text","arguments":"{\"file\":\"a\"}"}}]}}]}`)
	}))
	defer srv.Close()
	m := &OpenAI{URL: srv.URL, Key: "k", Name: "m"}
	reply, err := m.Reply(t.Context(), []Message{{Role: "user", Text: "hi"}}, []string{"read_text"})
	if err != nil || reply.Text != "hm" || len(reply.Calls) != 1 || reply.Calls[0].Name != "read_text" || reply.Calls[0].Input.Text("file") != "a" {
		t.Errorf("the reply is %+v, %v", reply, err)
	}
}
