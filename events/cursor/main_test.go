package cursor_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/cursor"
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
func layer(name, text string) settings.Layer {
	l := cursor.Layer(name, name+".json")
	l.Data = []byte(text)
	return l
}

// with returns the settings of layers, given as names and texts in turn.
func with(texts ...string) cursor.Settings {
	s := cursor.Settings{Environ: []string{"PATH=" + os.Getenv("PATH")}}
	for _, pair := range lo.Chunk(texts, 2) {
		s.Layers = append(s.Layers, layer(pair[0], pair[1]))
	}
	return s
}

// on returns settings with hooks of one event in the project's file.
func on(event, entries string) cursor.Settings {
	return with("project", `{"version": 1, "hooks": {"`+event+`": [`+entries+`]}}`)
}

// prints returns an entry whose command prints an answer.
func prints(answer string, members ...string) string {
	return `{"command": ` + quoted("cat > /dev/null; printf '%s' '"+answer+"'") + strings.Join(append([]string{""}, members...), ", ") + `}`
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// says is a fixed reply that replaces the process of every hook.
type says hook.Reply

func (s says) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply(s), nil }

// replying loads settings whose hooks all give this reply.
func replying(s cursor.Settings, reply hook.Reply) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := s.Load(ctx, at)
		for _, h := range loaded.Hooks {
			if h.Runner != nil {
				h.Runner = says(reply)
			}
		}
		return loaded, err
	}
}

// open opens a session.
func open(t testing.TB, load pipeline.Load, change ...func(*pipeline.SessionConfig)) *pipeline.Session {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{load}})
	t.Cleanup(func() { _ = sys.Close() })
	cfg := pipeline.SessionConfig{ID: "s-1", Dir: testkit.Dir(t), State: t.TempDir()}
	for _, c := range change {
		c(&cfg)
	}
	ses, err := sys.NewSession(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ses.Close(context.Background()) })
	return ses
}

// inputs holds one input for each event.
var inputs = map[string]string{
	"sessionStart": `{}`, "sessionEnd": `{"reason":"completed"}`, "beforeSubmitPrompt": `{"prompt":"hi"}`,
	"preToolUse":           `{"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"t-1"}`,
	"postToolUse":          `{"tool_name":"Shell","tool_input":{},"tool_output":"{}"}`,
	"postToolUseFailure":   `{"tool_name":"Shell","tool_input":{},"error_message":"no"}`,
	"beforeShellExecution": `{"command":"ls -la"}`, "afterShellExecution": `{"command":"ls -la"}`,
	"beforeMCPExecution": `{"tool_name":"search","tool_input":"{}"}`, "afterMCPExecution": `{"tool_name":"search","tool_input":"{}"}`,
	"beforeReadFile": `{"file_path":"/a"}`, "beforeTabFileRead": `{"file_path":"/a"}`, "afterFileEdit": `{"file_path":"/a"}`,
	"afterTabFileEdit": `{"file_path":"/a"}`, "subagentStart": `{"subagent_type":"explore"}`,
	"subagentStop": `{"subagent_type":"explore","status":"completed"}`, "stop": `{"status":"completed"}`, "preCompact": `{"trigger":"auto"}`,
	"afterAgentResponse": `{"text":"hi"}`, "afterAgentThought": `{"text":"hm"}`, "workspaceOpen": `{}`,
}

// gates lists the events that ask for permission.
var gates = []string{"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart", "preToolUse"}

func eventNamed(t testing.TB, name string) pipeline.Declared {
	t.Helper()
	for _, e := range pipeline.Events(cursor.Dialect) {
		if e.Info().Name == name {
			return e
		}
	}
	t.Fatalf("there is no event %s", name)
	return nil
}

// fireIn fires an event with an input; "" means the event's input in inputs.
func fireIn(t testing.TB, ses *pipeline.Session, event, input string) *pipeline.JSONResult {
	t.Helper()
	if input == "" {
		input = inputs[event]
	}
	res, err := eventNamed(t, event).FireJSON(t.Context(), ses, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// fire fires an event whose one hook gives this reply; members are further members of its entry.
func fire(t testing.TB, event string, reply hook.Reply, members ...string) *pipeline.JSONResult {
	t.Helper()
	entry := strings.Join(append([]string{`"command": "h"`}, members...), ", ")
	return fireIn(t, open(t, replying(on(event, "{"+entry+"}"), reply)), event, "")
}

// answers fires an event whose one hook prints stdout.
func answers(t testing.TB, event, stdout string) *pipeline.JSONResult {
	t.Helper()
	return fire(t, event, hook.Reply{Stdout: []byte(stdout)})
}

func effectsOf(res *pipeline.JSONResult) *cursor.Effects { return res.Effects.(*cursor.Effects) }

// decision returns the decision of the effects; "" if there is none.
func decision(res *pipeline.JSONResult) string { return string(lo.FromPtr(effectsOf(res).Decision)) }

// said returns the notes and errors of all hooks, one on each line.
func said(res *pipeline.JSONResult) string {
	return strings.Join(lo.FlatMap(res.Hooks, func(h pipeline.HookRun, _ int) []string { return append(h.Notes, lo.FromPtr(h.Error)) }), "\n")
}

// problems returns the problems of loading, one on each line.
func problems(t testing.TB, s cursor.Settings) string {
	t.Helper()
	loaded, err := s.Load(t.Context(), pipeline.Workspace{Dir: testkit.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lo.Map(loaded.Problems, func(p settings.Problem, _ int) string { return p.Error() }), "\n")
}
