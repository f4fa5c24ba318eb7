package snaphook_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
	"github.com/snaphook-go/snaphook/wire"
)

// Of the project's hooks, only those to which the user has agreed run, even if the project changes
// while the session is open.
func ExampleConfig_wrap() {
	if runtime.GOOS == "windows" {
		// The guard is a script of sh.
		fmt.Println("trusted\ntrue guarded")
		fmt.Println(`true The guard of PreToolUse could not run (failure class "untrusted"): the call is denied.`)
		return
	}
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "project")
	defer os.RemoveAll(dir)
	dir, _ = filepath.EvalSymlinks(dir)
	guard, file := filepath.Join(dir, "guard.sh"), filepath.Join(dir, "settings.json")
	_ = os.WriteFile(guard, []byte("#!/bin/sh\necho guarded >&2; exit 2\n"), 0o755)
	_ = os.WriteFile(file, []byte(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]}}`), 0o644)

	// The project's hooks, for each dialect that runs.
	// a program uses claude.Discover(dir)
	claude := snaphook.ClaudeConfig{Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: file}}}
	loaded, err := claude.Load(ctx, pipeline.Workspace{Dir: dir})
	if err != nil {
		panic(err)
	}
	covered, err := trust.Cover(ctx, dir, loaded.Hooks, trust.Options{})
	if err != nil {
		panic(err)
	}

	// The user agrees to the hooks in covered.Hooks; later the program reads only the state.
	store := trust.Store(filepath.Join(dir, ".trust.json")) // trust.DefaultStore() is the user's own
	digests := map[string]string{"claude": covered.Digest}
	_ = store.Decide(ctx, dir, trust.Decision{State: trust.Granted, Digests: digests, Guards: covered.Guards})
	decisions, _ := store.Read(ctx)
	state := decisions.State(dir, digests)
	fmt.Println(state)

	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Claude(claude)},
		Log:      slog.New(slog.DiscardHandler),
		Wrap: func(h *hook.Hook, r hook.Runner) hook.Runner {
			if h.Source != hook.Project && h.Source != hook.Local {
				return r // the user's own
			}
			return covered.Wrap(h, r)
		},
	})
	if err != nil {
		panic(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir, Untrusted: state != trust.Trusted})
	if err != nil {
		panic(err)
	}
	defer s.Close(ctx)

	call := &snaphook.ToolCall{ID: "1", Name: "Bash", Input: wire.Object(`{"command": "ls"}`)}
	v, _ := s.BeforeTool(ctx, call)
	fmt.Println(v.Denied(), strings.TrimSpace(v.Reason))

	// The model, or a pull, changes the guard: the guard does not run, and its tool call is
	// blocked.
	_ = os.WriteFile(guard, []byte("#!/bin/sh\nexit 0 # lets all pass\n"), 0o755)
	v, _ = s.BeforeTool(ctx, call)
	fmt.Println(v.Denied(), v.Reason)

	// Output:
	// trusted
	// true guarded
	// true The guard of PreToolUse could not run (failure class "untrusted"): the call is denied.
}

// The user agreed to a guard, and a change has removed it from the settings: its tool calls are
// blocked until the user agrees again.
func ExampleConfig_granted() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "project")
	defer os.RemoveAll(dir)
	dir, _ = filepath.EvalSymlinks(dir)
	file := filepath.Join(dir, "settings.json")
	_ = os.WriteFile(file, []byte(`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}`), 0o644)
	claude := snaphook.ClaudeConfig{Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: file}}}
	store := trust.Store(filepath.Join(dir, ".trust.json")) // trust.DefaultStore() is the user's own

	look := func() *trust.Covered { // covers the current settings
		loaded, err := claude.Load(ctx, pipeline.Workspace{Dir: dir})
		if err != nil {
			panic(err)
		}
		covered, err := trust.Cover(ctx, dir, loaded.Hooks, trust.Options{})
		if err != nil {
			panic(err)
		}
		return covered
	}
	grant := func() {
		covered := look()
		digests := map[string]string{"claude": covered.Digest}
		_ = store.Decide(ctx, dir, trust.Decision{State: trust.Granted, Digests: digests, Guards: covered.Guards})
	}
	session := func() {
		covered := look()
		decisions, _ := store.Read(ctx)
		state := decisions.State(dir, map[string]string{"claude": covered.Digest})
		hooks, err := snaphook.Open(snaphook.Config{
			Dialects: []*snaphook.Dialect{snaphook.Claude(claude)},
			Log:      slog.New(slog.DiscardHandler),
			Granted:  decisions.Guards,
		})
		if err != nil {
			panic(err)
		}
		defer hooks.Close()
		s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir, Undecided: state != trust.Trusted})
		if err != nil {
			panic(err)
		}
		defer s.Close(ctx)
		for _, tool := range []string{"Bash", "Read"} {
			v, _ := s.BeforeTool(ctx, &snaphook.ToolCall{ID: "1", Name: tool, Input: wire.Object(`{"command": "ls"}`)})
			fmt.Println(strings.TrimSpace(fmt.Sprint(state, " ", tool, " ", v.Denied(), " ", v.Reason)))
		}
	}

	grant()
	session()
	_ = os.WriteFile(file, []byte(`{"hooks": {}}`), 0o644)
	session()
	grant()
	session()

	// Output:
	// trusted Bash false
	// trusted Read false
	// changed Bash true The guard of PreToolUse could not run (failure class "untrusted"): the call is denied.
	// changed Read false
	// trusted Bash false
	// trusted Read false
}
