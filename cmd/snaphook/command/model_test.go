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

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// scriptedAPI is a server whose answer both model APIs can read. It records the path, key and body of the request.
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
	testkit.WriteFile(t, filepath.Join(dir, ".claude", "settings.json"), `{"hooks": {"PreToolUse": [{"hooks": [`+entry+`]}]}}`, 0o644)
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

// keyReader refuses each call with SNAPHOOK_MODEL_KEY as its reason.
const keyReader = `{"type": "command", "command": "echo \"key: $SNAPHOOK_MODEL_KEY.\" >&2; exit 2"}`

// keyReaders holds, for each hook system, a file with a keyReader and the flag that names the file.
var keyReaders = map[string]struct{ flag, file, text string }{
	"llxprt":  {"--settings", "s.json", `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [` + keyReader + `]}]}}`},
	"claude":  {"--settings", "s.json", `{"hooks": {"PreToolUse": [{"hooks": [` + keyReader + `]}]}}`},
	"codex":   {"--settings", "s.json", `{"hooks": {"PreToolUse": [{"hooks": [` + keyReader + `]}]}}`},
	"copilot": {"--settings", "s.json", `{"version": 1, "hooks": {"preToolUse": [` + keyReader + `]}}`},
	"cursor":  {"--settings", "s.json", `{"version": 1, "hooks": {"preToolUse": [` + keyReader + `]}}`},
	"xcsh": {"--module", "m.js", `export default (pi) => pi.on("tool_call", async () => {
		const ran = await pi.exec("sh", ["-c", "echo $SNAPHOOK_MODEL_KEY"]);
		return {block: true, reason: "key: " + (process.env.SNAPHOOK_MODEL_KEY ?? "") + ran.stdout.trim() + "."};
	})`},
}

func TestHooksOfNoSystemSeeTheKey(t *testing.T) {
	for _, d := range systems.All {
		t.Run(d.Name, func(t *testing.T) {
			reader, ok := keyReaders[strings.TrimSuffix(d.Name, "-extension")]
			if !ok {
				t.Fatal("keyReaders has no file for this system")
			}
			dir := t.TempDir()
			file := filepath.Join(dir, reader.file)
			testkit.WriteFile(t, file, reader.text, 0o644)
			cmd := exec.Command("snaphook", "fire", d.Name+"."+d.ToolGate, "--dir", dir, "--trusted", reader.flag, file)
			cmd.Env = append(os.Environ(), "HOME="+dir, "SNAPHOOK_MODEL_KEY=secret")
			cmd.Stdin = strings.NewReader(d.Example)
			said, _ := cmd.CombinedOutput() // the exit status follows the decision
			if !strings.Contains(string(said), "key: .") {
				t.Errorf("got %q, want no key", said)
			}
		})
	}
}

// mcp-proxy does not use the code by which fire passes the environment to hooks; therefore it has a test of its own.
func TestHooksBeforeAnMCPServerAndTheServerSeeNoKey(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}`
	for path, reader := range map[string]string{
		".llxprt/settings.json":  keyReaders["llxprt"].text,
		".claude/settings.json":  keyReaders["claude"].text,
		".codex/hooks.json":      keyReaders["codex"].text,
		".github/hooks/h.json":   keyReaders["copilot"].text,
		".cursor/hooks.json":     keyReaders["cursor"].text,
		".xcsh/hooks/pre/all.js": keyReaders["xcsh"].text,
		"no hook":                "",
	} {
		t.Run(path, func(t *testing.T) {
			dir := t.TempDir()
			testkit.WriteFile(t, filepath.Join(dir, path), reader, 0o644)
			cmd := exec.Command("snaphook", "mcp-proxy", "--dir", dir, "--trusted", "--", "sh", "-c",
				`read -r call && echo '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"key: '$SNAPHOOK_MODEL_KEY'."}}'`)
			cmd.Env = append(os.Environ(), "HOME="+dir, "SNAPHOOK_MODEL_KEY=secret")
			cmd.Stdin = strings.NewReader(call + "\n")
			said, _ := cmd.CombinedOutput() // the server, which gets no call, determines the exit status
			if !strings.Contains(string(said), "key: .") {
				t.Errorf("got %q, want no key", said)
			}
		})
	}
}
