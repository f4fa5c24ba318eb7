package docs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/llm"
	"github.com/snaphook-go/snaphook/wire"
)

const refuses = `echo no >&2; exit 2`

func session(t *testing.T, sys *pipeline.System, files map[string]string) *pipeline.Session {
	t.Helper()
	testkit.Home(t)
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: testkit.Project(t, files)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()); _ = sys.Close() })
	return s
}

func TestEachSystemBelowTheDoor(t *testing.T) {
	ctx, args := t.Context(), []byte(`{"command":"make"}`)
	t.Run("codex", func(t *testing.T) {
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{codex.Settings{}.Load}})
		session := session(t, sys, map[string]string{".codex/hooks.json": hooksOf("PreToolUse", refuses)})
		res, err := codex.PreToolUse.Fire(ctx, session, &codex.PreToolUseInput{Call: codex.Call{Tool: "Bash", Input: args}})
		if err != nil || !res.Blocked() {
			t.Errorf("blocked %v, %v; want a denial", res.Blocked(), err)
		}
	})
	t.Run("copilot", func(t *testing.T) {
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{copilot.Settings{}.Load}})
		session := session(t, sys, map[string]string{".github/hooks/hooks.json": `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "` + refuses + `"}]}}`})
		res, err := copilot.PreToolUse.Fire(ctx, session, &copilot.PreToolUseInput{Name: "bash", Args: args})
		if err != nil || !res.Blocked() {
			t.Errorf("blocked %v, %v; want a denial", res.Blocked(), err)
		}
	})
	t.Run("cursor", func(t *testing.T) {
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{cursor.Settings{}.Load}})
		session := session(t, sys, map[string]string{".cursor/hooks.json": `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "` + refuses + `"}]}}`})
		res, err := cursor.BeforeShellExecution.Fire(ctx, session, &cursor.BeforeShellExecutionInput{Command: "make"})
		if err != nil || !res.Blocked() {
			t.Errorf("blocked %v, %v; want a denial", res.Blocked(), err)
		}
	})
	t.Run("a profile", func(t *testing.T) {
		load := claude.Settings{Profile: claude.Devin}.Load
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}})
		session := session(t, sys, map[string]string{".devin/hooks.v1.json": hooksOf("PreToolUse", refuses)})
		res, err := claude.PreToolUse.Fire(ctx, session, &claude.PreToolUseInput{Name: "exec", Input: args})
		if err != nil || !res.Blocked() {
			t.Errorf("blocked %v, %v; want a denial", res.Blocked(), err)
		}
	})
}

func hooksOf(event, command string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

func TestFourSystemsAtTheDoor(t *testing.T) {
	testkit.Home(t)
	dir := testkit.Project(t, map[string]string{
		".claude/settings.json":    hooksOf("PreToolUse", "echo claude >> ran"),
		".codex/hooks.json":        hooksOf("PreToolUse", "echo codex >> ran"),
		".github/hooks/hooks.json": `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "echo copilot >> ran"}]}}`,
		".cursor/hooks.json":       `{"version": 1, "hooks": {"preToolUse": [{"command": "echo cursor >> ran; echo '{}'"}]}}`,
	})
	hooks, err := snaphook.Open(snaphook.Config{Dialects: []*snaphook.Dialect{
		snaphook.Claude(snaphook.ClaudeConfig{}),
		codexdoor.Codex(codex.Settings{}), // events/codex/door
		copilotdoor.Copilot(copilot.Settings{Alone: true}),
		cursordoor.Cursor(cursor.Settings{Alone: true}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: []byte(`{"command":"make"}`)}); err != nil {
		t.Fatal(err)
	}
	ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
	lines := strings.Fields(string(ran))
	slices.Sort(lines)
	if want := []string{"claude", "codex", "copilot", "cursor"}; !slices.Equal(lines, want) {
		t.Errorf("these ran: %q; want %q", lines, want)
	}
}

func TestCodexAtTheDoor(t *testing.T) {
	testkit.Home(t)
	dir := testkit.Project(t, map[string]string{".codex/hooks.json": hooksOf("PreToolUse", refuses)})
	hooks, err := snaphook.Open(snaphook.Config{Dialects: []*snaphook.Dialect{codexdoor.Codex(codex.Settings{})}})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: []byte(`{"command":"make"}`)})
	if err != nil || !v.Denied() {
		t.Errorf("denied %v, %v; want a denial", v.Denied(), err)
	}
}

// Claude Code's hooks run only once, as hooks of Claude Code, even where Cursor would import them.
func TestClaudeBesideCursorAtTheDoor(t *testing.T) {
	testkit.Home(t)
	dir := testkit.Project(t, map[string]string{
		".claude/settings.json": hooksOf("PreToolUse", "echo x >> ran"),
		".cursor/hooks.json":    `{"version": 1, "hooks": {}}`,
	})
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{}), cursordoor.Cursor(cursor.Settings{Alone: true})},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: []byte(`{"command":"make"}`)}); err != nil {
		t.Fatal(err)
	}
	if ran, _ := os.ReadFile(filepath.Join(dir, "ran")); string(ran) != "x\n" {
		t.Errorf("the hook wrote %q; want one line: it ran once", ran)
	}
}

// Both Claude Code's and Copilot's hooks run, and Claude Code's hooks run only once.
func TestClaudeBesideCopilotAtTheDoor(t *testing.T) {
	testkit.Home(t)
	dir := testkit.Project(t, map[string]string{
		".claude/settings.json": hooksOf("PreToolUse", "echo x >> ran"),
		".github/hooks/a.json":  `{"version": 1, "hooks": {"preToolUse": [{"bash": "echo no >&2; exit 2"}]}}`,
	})
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{}), copilotdoor.Copilot(copilot.Settings{Alone: true})},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: []byte(`{"command":"make"}`)})
	ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
	if err != nil || !v.Denied() || string(ran) != "x\n" {
		t.Errorf("denied %v, %v; Claude Code's hook wrote %q; want a denial, and one line", v.Denied(), err, ran)
	}
}

func Example_claude() {
	ctx, dir, done := guarded()
	defer done()
	plugin, key := dir, os.Getenv("ANTHROPIC_API_KEY")

	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{claude.Settings{
		Plugins: []claude.Plugin{{Root: plugin}},
		Model:   llm.Anthropic{Key: key, Model: "a small, fast model"}, // for prompt hooks
	}.Load}})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1", Dir: dir, Interactive: true})
	if err != nil {
		panic(err)
	}

	input := wire.Object(`{"command": "git push"}`)
	res, err := claude.PreToolUse.Fire(ctx, session, &claude.PreToolUseInput{Name: "Bash", Input: input, ID: "call-1"})
	if err != nil {
		panic(err)
	}
	switch res.Specific.PermissionDecision {
	case hook.Deny:
		fmt.Println("denied:", res.Reason)
	case hook.Ask:
		fmt.Println("ask the user:", res.Reason)
	case hook.Allow:
		fmt.Println("allowed")
	default:
		fmt.Println("the agent's own permissions decide")
	}
	texts := claude.TextsOf(res) // for the model, for the user, for the log alone
	fmt.Println(texts.Model)
	// Output:
	// denied: push by hand
	// [push by hand]
}

// refusing is a hook that exits with status 2, and gives its reason on standard error.
type refusing struct{}

func (refusing) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{Exit: 2, Stderr: []byte("in the sandbox")}, nil
}

func TestAroundEachHook(t *testing.T) {
	testkit.Home(t)
	dir := testkit.Project(t, map[string]string{".claude/settings.json": hooksOf("PreToolUse", "true")})
	sandbox := func(*hook.Hook, hook.Runner) hook.Runner { return refusing{} }
	hooks, err := snaphook.Open(snaphook.Config{Wrap: sandbox})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: []byte(`{"command":"make"}`)})
	if err != nil || v.Reason != "in the sandbox" {
		t.Errorf("reason %q, %v; want the sandbox's", v.Reason, err)
	}
}
