package codex_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// layer returns a settings file that is not on disk.
func layer(source hook.Source, file, text string) settings.Layer {
	l := codex.Layer(source, file)
	l.Data = []byte(text)
	return l
}

// project returns settings with a project's file: hooks.json if text begins with a brace or is empty, else
// config.toml.
func project(text string) codex.Settings {
	file := lo.Ternary(strings.HasPrefix(text, "{") || text == "", ".codex/hooks.json", ".codex/config.toml")
	return codex.Settings{Layers: []settings.Layer{layer(hook.Project, file, text)}, Environ: []string{"PATH=" + os.Getenv("PATH")}}
}

// says is a fixed reply that replaces the process of every hook.
type says hook.Reply

func (s says) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply(s), nil }

// open opens a session whose hooks all give this reply.
func open(t testing.TB, s codex.Settings, reply *hook.Reply) *pipeline.Session {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{
		func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
			loaded, err := s.Load(ctx, at)
			for _, h := range loaded.Hooks {
				if h.Runner != nil && reply != nil {
					h.Runner = says(*reply)
				}
			}
			return loaded, err
		},
	}})
	t.Cleanup(func() { _ = sys.Close() })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: testkit.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ses.Close(context.Background()) })
	return ses
}

// one returns settings with one hook on every event.
func one() codex.Settings {
	events := lo.Map(pipeline.Events(codex.Dialect), func(e pipeline.Declared, _ int) string {
		return `"` + e.Info().Name + `": [{"hooks": [{"type": "command", "command": "h"}]}]`
	})
	return project(`{"hooks": {` + strings.Join(events, ", ") + `}}`)
}

// inputs holds one input for each event.
var inputs = map[string]string{
	"SessionStart": `{"source":"startup"}`, "SessionEnd": `{"reason":"other"}`, "UserPromptSubmit": `{"prompt":"hi"}`,
	"PreToolUse":        `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1"}`,
	"PermissionRequest": `{"tool_name":"Bash","tool_input":{"command":"ls"}}`,
	"PostToolUse":       `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1","tool_response":"x"}`,
	"PreCompact":        `{"trigger":"auto"}`, "PostCompact": `{"trigger":"auto"}`,
	"SubagentStart": `{"agent_id":"a","agent_type":"b"}`, "SubagentStop": `{"agent_id":"a","agent_type":"b"}`,
	"Stop": `{}`, "Interrupt": `{}`,
}

// fire fires an event whose one hook gives this reply.
func fire(t testing.TB, event string, reply hook.Reply) *pipeline.JSONResult {
	t.Helper()
	ses := open(t, one(), &reply)
	for _, e := range pipeline.Events(codex.Dialect) {
		if e.Info().Name == event {
			res, err := e.FireJSON(t.Context(), ses, []byte(inputs[event]))
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
	}
	t.Fatalf("there is no event %s", event)
	return nil
}

func effectsOf(res *pipeline.JSONResult) *format.Effects { return res.Effects.(*format.Effects) }

// notes returns the notes of all hooks, one on each line.
func notes(res *pipeline.JSONResult) string {
	return strings.Join(lo.FlatMap(res.Hooks, func(h pipeline.HookRun, _ int) []string { return h.Notes }), "\n")
}
