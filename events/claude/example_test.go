package claude_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// opened returns a session with the settings of a project.
func opened(text string, cfg pipeline.SessionConfig) (s *pipeline.Session, done func()) {
	ctx := context.Background()
	file := settings.Layer{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text), Strict: true}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{claude.Settings{Layers: []settings.Layer{file}}.Load}})
	s, err := sys.NewSession(ctx, cfg)
	if err != nil {
		panic(err)
	}
	return s, func() {
		_ = s.Close(ctx)
		_ = sys.Close()
	}
}

func ExampleSettings() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "project-")
	defer func() { _ = os.RemoveAll(dir) }()
	_ = os.Mkdir(filepath.Join(dir, ".claude"), 0o755)
	_ = os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(`{"hooks": {"PreToolUse": [{
  "matcher": "Bash",
  "hooks": [{"type": "command", "if": "Bash(rm *)", "command": "echo keep your files >&2; exit 2"}]
}]}}`), 0o644)

	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{claude.Settings{}.Load}})
	defer func() { _ = sys.Close() }()
	ses, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, command := range []string{"ls", "cd /tmp && rm -rf x"} {
		call := claude.PreToolUseInput{Name: "Bash", Input: wire.Object(nil).With("command", wire.Quote(command))}
		res, err := claude.PreToolUse.Fire(ctx, ses, &call)
		fmt.Println(command, res.Blocked(), res.Reason, err)
	}
	// Output:
	// ls false  <nil>
	// cd /tmp && rm -rf x true keep your files <nil>
}

func ExampleSettings_Load() {
	file := settings.Layer{Name: "project", Source: hook.Project, File: "settings.json", Strict: true, Data: []byte(`{"hooks": {"PreToolUse": [{
  "hooks": [
    {"type": "command", "command": "./guard.sh", "timeout": 5},
    {"type": "comand", "command": "./audit.sh"}
]}]}}`)}
	loaded, _ := claude.Settings{Layers: []settings.Layer{file}}.Load(context.Background(), pipeline.Workspace{Dir: "/project"})
	for _, h := range loaded.Hooks {
		fmt.Printf("%v %s %v %q\n", h.Position, h.Event, h.Timeout, h.Skip)
	}
	for _, problem := range loaded.Problems {
		fmt.Println(problem)
	}
	// Output:
	// settings.json:3:5 PreToolUse 5s ""
	// settings.json:4:5 PreToolUse 0s "invalid"
	// settings.json:4:14: there is no hook type "comand"; write one of command, http, mcp_tool, prompt, agent
}

func ExampleDiscover() {
	for _, layer := range claude.Discover("/project")[:2] {
		fmt.Println(layer.Name, filepath.ToSlash(layer.File))
	}
	// Output:
	// project /project/.claude/settings.json
	// local /project/.claude/settings.local.json
}

// Hooks in Go are typed, and decide like hooks in settings.
func Example_hooksInGo() {
	ctx := context.Background()
	ses, done := opened(`{}`, pipeline.SessionConfig{})
	defer done()
	claude.PreToolUse.On(ses, "dry run", func(_ context.Context, c claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		o.Specific.PermissionDecision = hook.Allow
		o.Specific.UpdatedInput = c.Input.With("dry_run", []byte("true"))
		return o, nil
	})
	res, err := claude.PreToolUse.Fire(ctx, ses, &claude.PreToolUseInput{Name: "Deploy", Input: wire.Object(`{"to":"prod"}`)})
	fmt.Println(res.Specific.PermissionDecision, string(res.Specific.UpdatedInput), err)
	// Output: allow {"to":"prod","dry_run":true} <nil>
}

// A stream reports each hook when it begins and when it ends.
func Example_stream() {
	ses, done := opened(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo tests fail >&2; exit 2", "statusMessage": "running the tests"}]}]}}`, pipeline.SessionConfig{})
	defer done()
	for r := range claude.Stop.Stream(context.Background(), ses, &claude.StopInput{}) {
		if r.Started {
			fmt.Println("started:", r.Hook.Status)
		} else {
			fmt.Println("done:", r.Output.Decision, r.Output.Reason)
		}
	}
	// Output:
	// started: running the tests
	// done: deny tests fail
}

func ExampleTextsOf() {
	ses, done := opened(`{"hooks": {"PostToolUse": [{"hooks": [
  {"type": "command", "command": "echo three warnings >&2; exit 2"},
  {"type": "command", "command": "echo '{\"systemMessage\": \"formatted\"}'"},
  {"type": "command", "command": "echo quietly"}
]}]}}`, pipeline.SessionConfig{})
	defer done()
	res, _ := claude.PostToolUse.Fire(context.Background(), ses, &claude.PostToolUseInput{PreToolUseInput: claude.PreToolUseInput{Name: "Write"}})
	texts := claude.TextsOf(res)
	fmt.Println("model:", texts.Model)
	fmt.Println("user:", texts.User)
	// Output:
	// model: [three warnings]
	// user: [formatted]
}

func ExampleEffectsOf() {
	ses, done := opened(`{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo no secrets >&2; exit 2"}]}]}}`, pipeline.SessionConfig{})
	defer done()
	res, _ := claude.UserPromptSubmit.Fire(context.Background(), ses, &claude.UserPromptSubmitInput{Prompt: "my password is …"})
	effects := claude.EffectsOf(res)
	fmt.Println("erased:", *effects.PromptErased, effects.UserSees)
	// Output: erased: true [no secrets]
}

func ExampleFrontMatter_Register() {
	ctx := context.Background()
	ses, done := opened(`{}`, pipeline.SessionConfig{})
	defer done()
	agent := claude.FrontMatter{Name: "reviewer", File: "agents/reviewer.md", Agent: true, Hooks: []byte(`{"Stop": [{"hooks": [{"type": "command", "command": "echo look again >&2; exit 2"}]}]}`)}
	remove, _, err := agent.Register(ses)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, _ := claude.SubagentStop.Fire(ctx, ses, &claude.SubagentStopInput{})
	fmt.Println(res.Blocked(), res.Reason)
	remove() // the hook was needed only for this task
	res, _ = claude.SubagentStop.Fire(ctx, ses, &claude.SubagentStopInput{})
	fmt.Println(res.Blocked())
	// Output:
	// true look again
	// false
}

// The model gets the answers of background hooks in its next turn.
func Example_background() {
	ctx := context.Background()
	ses, done := opened(`{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "async": true, "command": "echo '{\"systemMessage\": \"the build is green\"}'"}]}]}}`, pipeline.SessionConfig{
		Finished: func(f pipeline.Finished) { fmt.Println(f.Outcome, f.Context) },
	})
	defer done() // Close waits for background hooks
	res, _ := claude.PostToolUse.Fire(ctx, ses, &claude.PostToolUseInput{PreToolUseInput: claude.PreToolUseInput{Name: "Write"}})
	fmt.Println("in the background:", res.Reports[0].Backgrounded)
	_ = ses.Wait(ctx)
	fmt.Println(ses.NextTurn())
	// Unordered output:
	// in the background: true
	// success [the build is green]
	// [the build is green]
}

// The host's shell sources the variables that hooks export before every later command.
func Example_exports() {
	ses, done := opened(`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo export NODE_ENV=test >> \"$CLAUDE_ENV_FILE\""}]}]}}`, pipeline.SessionConfig{})
	defer done()
	_, _ = claude.SessionStart.Fire(context.Background(), ses, &claude.SessionStartInput{Source: "startup"})
	script, err := ses.Exports()
	fmt.Print(script, err)
	// Output:
	// export NODE_ENV=test
	// <nil>
}
