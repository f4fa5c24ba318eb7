package claude_test

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func TestMain(m *testing.M) {
	// The clock goroutine of regexp2 outlives the last match for a while.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// layer returns a settings file that is not on disk.
func layer(source hook.Source, text string) settings.Layer {
	return settings.Layer{Name: source.String(), Source: source, File: source.String() + ".json", Data: []byte(text), Strict: true}
}

// world holds the settings and the session of a fire. The zero world has no settings.
type world struct {
	claude.Settings
	host    pipeline.SessionConfig
	replies map[string]scripted // replies by command; a command with a reply is not started
}

// project returns a world with the settings of a project.
func project(text string) world {
	return world{Settings: claude.Settings{Layers: []settings.Layer{layer(hook.Project, text)}, Environ: []string{"PATH=" + os.Getenv("PATH")}}}
}

// scripted is the result of a process that is not started.
type scripted struct {
	hook.Reply
	delay time.Duration
	err   error
}

func (s scripted) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	ctx, cancel := call.Limit(ctx)
	defer cancel()
	if s.delay > 0 {
		select {
		case <-time.After(s.delay):
		case <-ctx.Done():
			return hook.Reply{}, context.Cause(ctx)
		}
	}
	return s.Reply, s.err
}

// says returns the result of a process with this exit status and output.
func says(exit int, stdout, stderr string) scripted {
	return scripted{Reply: hook.Reply{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}}
}

// load reads the settings, and replaces the runners of commands that have a reply.
func (w world) load(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	loaded, err := w.Settings.Load(ctx, at)
	for _, h := range loaded.Hooks {
		if reply, ok := w.replies[h.Command]; ok && h.Runner != nil {
			h.Runner = reply
		}
	}
	return loaded, err
}

func (w world) system(t testing.TB) *pipeline.System {
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{w.load}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = sys.Close() })
	return sys
}

func (w world) open(t testing.TB) *pipeline.Session {
	t.Helper()
	if w.host.Dir == "" {
		w.host.Dir = testkit.Dir(t)
	}
	w.host.ID = "s-1"
	s, err := w.system(t).NewSession(t.Context(), w.host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

var events = lo.KeyBy(pipeline.Events(claude.Dialect), func(e pipeline.Declared) string { return e.Info().Name })

// inputs holds one input for each event.
var inputs = map[string]string{
	"PreToolUse":          `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t-1"}`,
	"PermissionRequest":   `{"tool_name":"Bash","tool_input":{"command":"ls"}}`,
	"PermissionDenied":    `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t-1","reason":"risky"}`,
	"PostToolUse":         `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t-1","tool_response":{"stdout":"x"}}`,
	"PostToolUseFailure":  `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t-1","error":"boom"}`,
	"PostToolBatch":       `{"tool_calls":[]}`,
	"SessionStart":        `{"source":"startup"}`,
	"Setup":               `{"trigger":"init"}`,
	"SessionEnd":          `{"reason":"other"}`,
	"UserPromptSubmit":    `{"prompt":"hi"}`,
	"UserPromptExpansion": `{"expansion_type":"slash_command","command_name":"go","command_args":"","prompt":"hi"}`,
	"Stop":                `{"stop_hook_active":false}`,
	"StopFailure":         `{"error":"rate_limit"}`,
	"SubagentStart":       `{"agent_id":"a-1","agent_type":"Explore"}`,
	"SubagentStop":        `{"agent_id":"a-1","agent_type":"Explore","agent_transcript_path":"/t","stop_hook_active":false}`,
	"TeammateIdle":        `{"teammate_name":"bob"}`,
	"TaskCreated":         `{"task_id":"1","task_subject":"s"}`,
	"TaskCompleted":       `{"task_id":"1","task_subject":"s"}`,
	"FileChanged":         `{"file_path":"/a/b.env","event":"change"}`,
	"CwdChanged":          `{"old_cwd":"/a","new_cwd":"/b"}`,
	"ConfigChange":        `{"source":"user_settings"}`,
	"InstructionsLoaded":  `{"file_path":"/a/CLAUDE.md","memory_type":"Project","load_reason":"session_start"}`,
	"PreCompact":          `{"trigger":"manual","custom_instructions":null}`,
	"PostCompact":         `{"trigger":"manual","compact_summary":"s"}`,
	"Elicitation":         `{"mcp_server_name":"srv","message":"?"}`,
	"ElicitationResult":   `{"mcp_server_name":"srv","action":"accept"}`,
	"WorktreeCreate":      `{"name":"w"}`,
	"WorktreeRemove":      `{"worktree_path":"/w"}`,
	"Notification":        `{"message":"m","notification_type":"idle_prompt"}`,
	"MessageDisplay":      `{"turn_id":"1","message_id":"2","index":0,"final":true,"delta":"d"}`,
	"DirectoryAdded":      `{"directory":"/d","source":"slash_command"}`,
	"PreModelSwitch":      `{"from_model":"a","to_model":"b","requested_model":null,"source":"picker","context_tokens":1,"prompt_cache_warm":false,"estimated_cache_write_usd":0}`,
	"PostModelSwitch":     `{"from_model":"a","to_model":"b","requested_model":null,"source":"picker","context_tokens":1,"prompt_cache_warm":false,"estimated_cache_write_usd":0}`,
}

// fire fires an event; members of input override members of inputs.
func fire(t testing.TB, s *pipeline.Session, event, input string) *pipeline.JSONResult {
	t.Helper()
	members := map[string]jsontext.Value{}
	for _, text := range []string{inputs[event], input} {
		if err := json.Unmarshal([]byte(lo.CoalesceOrEmpty(text, "{}")), &members); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	fired, err := events[event].FireJSON(t.Context(), s, mustEncode(t, members))
	if err != nil {
		t.Fatal(err)
	}
	return fired
}

func mustEncode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantEffects compares the members of want with the effects of a fire. want can also have "blocked", which tells
// whether the fire blocked, and "outcomes", which maps commands to the outcomes of their hooks.
func wantEffects(t testing.TB, fired *pipeline.JSONResult, want string) {
	t.Helper()
	var wanted, got map[string]any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal(mustEncode(t, fired.Effects), &got); err != nil {
		t.Fatal(err)
	}
	got["blocked"] = fired.Blocked
	outcomes := map[string]any{}
	for _, h := range fired.Hooks {
		outcomes[lo.FromPtr(h.Command)] = string(h.Outcome)
	}
	got["outcomes"] = outcomes
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		if a, b := mustEncode(t, got[key]), mustEncode(t, wanted[key]); string(a) != string(b) {
			t.Errorf("%s:\ngot  %s\nwant %s", key, a, b)
		}
	}
}

// hooks returns settings for an event in which each command is a hook.
func hooks(event string, commands ...string) string {
	entries := lo.Map(commands, func(c string, _ int) map[string]any { return map[string]any{"type": "command", "command": c} })
	b, _ := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": entries}}}})
	return string(b)
}
