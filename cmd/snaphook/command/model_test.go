package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scriptedAPI answers in the form of both APIs, and records the path, key and body of the request.
type scriptedAPI struct {
	path, key, body string
}

func (s *scriptedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.path, s.body = r.URL.Path, string(body)
	s.key = r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	io.WriteString(w, `{"content": [{"type": "text", "text": "{\"ok\": false, \"reason\": \"not on a Friday\"}"}], "stop_reason": "end_turn",
		"choices": [{"message": {"content": "{\"ok\": false, \"reason\": \"not on a Friday\"}"}, "finish_reason": "stop"}]}`)
}

// firePrompt fires an event with one prompt hook, and returns the program's standard error.
func firePrompt(t *testing.T, entry string, environ ...string) (stderr string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".claude", "settings.json"), []byte(`{"hooks": {"PreToolUse": [{"hooks": [`+entry+`]}]}}`))
	cmd := exec.Command("snaphook", "fire", "claude.PreToolUse", "--dir", dir) // testscript.Main put snaphook on PATH
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, environ...)
	cmd.Stdin = strings.NewReader(`{"tool_name": "Bash", "tool_input": {"command": "deploy"}}`)
	var said strings.Builder
	cmd.Stderr = &said
	_ = cmd.Run() // the exit status follows the decision
	return said.String()
}

func TestPromptHooksAskTheModelOfTheEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		environ               []string
		path, key, inTheModel string
	}{
		"by snaphook's own variables": {[]string{"SNAPHOOK_MODEL_PROVIDER=openai", "SNAPHOOK_MODEL_URL=URL", "SNAPHOOK_MODEL_KEY=k1", "SNAPHOOK_MODEL=small", "ANTHROPIC_API_KEY=k2"},
			"/v1/chat/completions", "k1", `"model":"small"`},
		"by those of Anthropic": {[]string{"ANTHROPIC_BASE_URL=URL", "ANTHROPIC_API_KEY=k2", "SNAPHOOK_MODEL=small"}, "/v1/messages", "k2", `"model":"small"`},
		"by those of OpenAI":    {[]string{"OPENAI_BASE_URL=URL/v1", "OPENAI_API_KEY=k3", "SNAPHOOK_MODEL=small"}, "/v1/chat/completions", "k3", `"model":"small"`},
		"without a key":         {[]string{"SNAPHOOK_MODEL_URL=URL", "SNAPHOOK_MODEL=small"}, "/v1/messages", "", `"model":"small"`},
	} {
		t.Run(name, func(t *testing.T) {
			api := &scriptedAPI{}
			server := httptest.NewServer(api)
			defer server.Close()
			for i := range tt.environ {
				tt.environ[i] = strings.Replace(tt.environ[i], "=URL", "="+server.URL, 1)
			}
			said := firePrompt(t, `{"type": "prompt", "prompt": "May this run? $ARGUMENTS"}`, tt.environ...)
			if api.path != tt.path || api.key != tt.key || !strings.Contains(api.body, tt.inTheModel) || !strings.Contains(api.body, "deploy") {
				t.Errorf("asked %s with key %q: %s; want %s, %q and %s", api.path, api.key, api.body, tt.path, tt.key, tt.inTheModel)
			}
			if !strings.Contains(said, "not on a Friday") {
				t.Errorf("got %q, want the model's reason", said)
			}
		})
	}
}

func TestAHookThatNamesItsModelNeedsNoDefault(t *testing.T) {
	api := &scriptedAPI{}
	server := httptest.NewServer(api)
	defer server.Close()
	firePrompt(t, `{"type": "prompt", "prompt": "?", "model": "own"}`, "SNAPHOOK_MODEL_URL="+server.URL)
	if !strings.Contains(api.body, `"model":"own"`) {
		t.Errorf("asked %s, want the hook's model", api.body)
	}
}

func TestWhatTheCommandLineLacksIsNamed(t *testing.T) {
	for entry, want := range map[string]string{
		`{"type": "prompt", "prompt": "?"}`: "the command line knows no model; set SNAPHOOK_MODEL_PROVIDER to anthropic or openai, " +
			"SNAPHOOK_MODEL_KEY or ANTHROPIC_API_KEY to the API key, and SNAPHOOK_MODEL to a small, fast model",
		`{"type": "agent", "prompt": "?"}`:                 "the command line cannot run agents, while a host of snaphook can",
		`{"type": "mcp_tool", "server": "s", "tool": "t"}`: "the command line is connected to no MCP server, while a host of snaphook can be",
	} {
		if said := firePrompt(t, entry); !strings.Contains(said, want) {
			t.Errorf("%s: got %q, want %q in it", entry, said, want)
		}
	}
}

func TestHooksDoNotSeeTheKey(t *testing.T) {
	said := firePrompt(t, `{"type": "command", "command": "echo \"key: $SNAPHOOK_MODEL_KEY.\" >&2; exit 2"}`, "SNAPHOOK_MODEL_KEY=secret")
	if !strings.Contains(said, "key: .") {
		t.Errorf("got %q, want no key", said)
	}
}
