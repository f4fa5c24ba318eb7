package door_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// fixture is a case of conformance/cli/cursor.
type fixture struct {
	Name               string
	Project, Home, Etc map[string]json.RawMessage
	Scripts            map[string]string
	Args               []string
	Event              string
	Input              json.RawMessage
	Steps              []fixture
}

// place writes the files of a case, and returns its settings and its project.
func (f *fixture) place(t *testing.T) (s cursor.Settings, project string) {
	t.Helper()
	root := testkit.Dir(t)
	project = filepath.Join(root, "project")
	home, etc := filepath.Join(root, "home"), filepath.Join(root, "etc")
	filled := strings.NewReplacer("{{DIR}}", project, "{{HOME}}", home)
	put := func(dir, name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(filled.Replace(text)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for dir, files := range map[string]map[string]json.RawMessage{project: f.Project, home: f.Home, etc: f.Etc} {
		for name, content := range files {
			text := string(content)
			_ = json.Unmarshal(content, &text) // a JSON string is the text of the file
			put(dir, name, text)
		}
	}
	for name, text := range f.Scripts {
		put(project, name, text)
	}
	_ = os.MkdirAll(project, 0o755)
	return cursor.Settings{Environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SNAPHOOK_ETC=" + etc, "HOOK_LOG=" + filepath.Join(root, "log"),
	}}, project
}

// moments maps an event to a function that fires it through the root package, with the input of the
// event itself.
var moments = map[string]func(*testing.T, *snaphook.Session, wire.Object) (*snaphook.Verdict, error){
	"preToolUse": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: in.Text("tool_use_id"), Name: in.Text("tool_name"), Input: wire.Object(in.Get("tool_input"))})
	},
	"beforeShellExecution": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Shell", Input: wire.Object(nil).With("command", in.Get("command"))})
	},
	"beforeSubmitPrompt": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Prompt(t.Context(), &snaphook.PromptInput{Text: in.Text("prompt")})
	},
	"sessionStart": func(t *testing.T, s *snaphook.Session, _ wire.Object) (*snaphook.Verdict, error) {
		return s.Start(t.Context(), &snaphook.StartInput{})
	},
	"preCompact": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.BeforeCompact(t.Context(), &snaphook.BeforeCompactInput{Trigger: in.Text("trigger")})
	},
	"subagentStart": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.SubagentStart(t.Context(), &snaphook.SubagentStartInput{ID: in.Text("subagent_id"), Type: in.Text("subagent_type")})
	},
	"sessionEnd": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.End(t.Context(), &snaphook.EndInput{Reason: in.Text("reason")})
	},
	"postToolUse": func(t *testing.T, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.AfterTool(t.Context(), &snaphook.AfterToolInput{
			ToolCall: snaphook.ToolCall{ID: "1", Name: in.Text("tool_name"), Input: wire.Object(in.Get("tool_input"))},
			Result:   snaphook.ToolResult{Data: []byte(in.Text("tool_output"))},
		})
	},
}

// The root package gives the same answer as the event itself, in the cases whose event has a moment of its own.
func TestThroughTheRootPackageCursorsHooksSayTheSame(t *testing.T) {
	files, err := filepath.Glob("../../../conformance/cli/cursor/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, step := range append(f.Steps, lo.Ternary(f.Event == "", nil, []fixture{f})...) {
			event := strings.TrimPrefix(step.Event, "cursor.")
			fire := moments[event]
			other := lo.SomeBy([][2]string{{"reToolUse", "beforeShellExecution"}, {"ostToolUse", "afterShellExecution"}}, func(pair [2]string) bool {
				return strings.Contains(string(text), pair[0]) && (event == pair[1] || strings.Contains(string(text), `"`+pair[1]+`"`))
			})
			if fire == nil || other || strings.Contains(string(step.Input), `"tool_input": "`) {
				continue // the event has no moment, or hooks of another event answer at its moment
			}
			ran++
			t.Run(f.Name+" "+event, func(t *testing.T) { f.compare(t, event, string(step.Input), fire) })
		}
	}
	if ran < 60 {
		t.Errorf("%d events were fired; want those of the corpus", ran)
	}
}

func (f *fixture) compare(t *testing.T, event, input string, fire func(*testing.T, *snaphook.Session, wire.Object) (*snaphook.Verdict, error)) {
	untrusted := slices.Contains(f.Args, "--untrusted")
	s, project := f.place(t)
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Log: slog.New(slog.DiscardHandler)})
	defer sys.Close()
	alone, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: project, Untrusted: untrusted, Interactive: untrusted})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pipeline.Events(cursor.Dialect), func(e pipeline.Declared) bool { return e.Info().Name == event })
	res, err := pipeline.Events(cursor.Dialect)[i].FireJSON(t.Context(), alone, []byte(strings.ReplaceAll(input, "{{DIR}}", project)))
	if err != nil {
		t.Fatal(err)
	}
	s, project = f.place(t)
	hooks, err := snaphook.Open(snaphook.Config{Dialects: beside(s), Tools: []snaphook.Tool{
		{Name: "Shell", Kind: snaphook.Shell}, {Name: "Write", Kind: snaphook.Write, Args: map[string]string{"path": "file_path"}},
		{Name: "Read", Kind: snaphook.Read, Args: map[string]string{"path": "file_path"}},
	}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	ses, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: project, Untrusted: untrusted, Interactive: untrusted})
	if err != nil {
		t.Fatal(err)
	}
	v, err := fire(t, ses, wire.Object(strings.ReplaceAll(input, "{{DIR}}", project)))
	if err != nil {
		t.Fatal(err)
	}
	e := res.Effects.(*cursor.Effects)
	outcomes := lo.Map(res.Hooks, func(h pipeline.HookRun, _ int) string { return string(h.Outcome) })
	through := lo.Map(v.Reports, func(r snaphook.Report, _ int) string { return string(r.Outcome) })
	asks := lo.FromPtr(e.Decision) == hook.Ask // the session has no user
	same := v.Denied() == (res.Blocked || asks) && (!res.Blocked || v.Reason == lo.FromPtr(res.Reason)) &&
		slices.Equal(v.Context, e.AdditionalContext) && slices.Equal(v.Messages, e.SystemMessages) && slices.Equal(through, outcomes)
	if !same {
		t.Errorf("the event alone: blocked %v for %q, effects %+v, %q\nthe root package: %+v, %q", res.Blocked, lo.FromPtr(res.Reason), e.Effects, outcomes, v, through)
	}
}

// beside returns five other dialects and then Cursor's. The others have no settings, and therefore change no answer.
func beside(s cursor.Settings) []*snaphook.Dialect {
	none := []settings.Layer{}
	return []*snaphook.Dialect{
		snaphook.Claude(snaphook.ClaudeConfig{Layers: none}),
		codexdoor.Codex(codex.Settings{Layers: none}),
		snaphook.LLxprt(snaphook.LLxprtConfig{Layers: none, LayersFound: true}),
		copilotdoor.Copilot(copilot.Settings{Layers: none}),
		snaphook.Xcsh(snaphook.XcshConfig{NoProject: true}),
		door.Cursor(s),
	}
}
