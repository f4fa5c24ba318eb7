// Package foreign tests events that a program declares in the dialects. The tests need a separate process, because
// other tests list all events of a dialect.
package foreign

import (
	"context"
	"log/slog"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// deploy is the input of an event that a program declares in the dialect.
type deploy struct {
	Target string `json:"target"`
}

type vote struct {
	Slot string `json:"slot,omitempty"`
}

var (
	beforeDeploy = pipeline.Declare(claude.Dialect, pipeline.Spec[deploy, vote]{
		Name: "BeforeDeploy", Can: pipeline.CanBlock, Subject: func(d *deploy) *string { return &d.Target },
	})
	afterDeploy = pipeline.Declare(claude.Dialect, pipeline.Spec[deploy, vote]{Name: "AfterDeploy"})
)

// open makes a session with these settings.
func open(t *testing.T, text string) *pipeline.Session {
	t.Helper()
	layers := []settings.Layer{{Name: "user", Source: hook.User, Data: []byte(text)}}
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{claude.Settings{Layers: layers}.Load}})
	t.Cleanup(func() { sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var beforeShip = pipeline.Declare(xcsh.Dialect, pipeline.Spec[deploy, vote]{
	Name: "before_ship", Can: pipeline.CanBlock, Subject: func(d *deploy) *string { return &d.Target },
	Rules: pipeline.Rules{Match: match.Tool},
})

func TestAnEventOfTheProgramStandsBesideModules(t *testing.T) {
	ses := open(t, `{}`)
	m := xcsh.New(ses, xcsh.Config{})
	if err := m.Add("module", func(api *xcsh.API) error { return nil }); err != nil {
		t.Fatal(err)
	}
	beforeShip.On(ses, "guard", func(context.Context, deploy) (hook.Output[vote], error) {
		return hook.Output[vote]{Decision: hook.Deny}, nil
	}, pipeline.Match("prod"))
	for target, blocked := range map[string]bool{"prod": true, "stage": false} {
		if res, err := beforeShip.Fire(t.Context(), ses, &deploy{Target: target}); err != nil || res.Blocked() != blocked {
			t.Errorf("%s: %v, blocked %v, want %v", target, err, res.Blocked(), blocked)
		}
	}
}

func TestAnEventOfTheProgramTakesHooksFromSettings(t *testing.T) {
	s := open(t, `{"hooks": {
  "BeforeDeploy": [
    {"matcher": "prod", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]},
    {"matcher": "test", "hooks": [{"type": "command", "command": "exit 2"}]}],
  "AfterDeploy": [{"hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"slot\": \"a\"}}'"}]}]}}`)
	if problems := s.Problems(); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
	res, err := beforeDeploy.Fire(t.Context(), s, &deploy{Target: "prod"})
	if err != nil || !res.Blocked() || res.Reason != "not today" || len(res.Reports) != 1 {
		t.Errorf("prod: %v, blocked %v, %q", err, res.Blocked(), res.Reason)
	}
	if texts := claude.TextsOf(res); len(texts.Model) != 1 {
		t.Errorf("the model is told %q", texts.Model)
	}
	if res, err := beforeDeploy.Fire(t.Context(), s, &deploy{Target: "stage"}); err != nil || len(res.Reports) > 0 {
		t.Errorf("stage: %v, %d reports", err, len(res.Reports))
	}
	if after, err := afterDeploy.Fire(t.Context(), s, &deploy{}); err != nil || after.Specific.Slot != "a" {
		t.Errorf("after: %v, %+v", err, after.Specific)
	}
}

// No text of settings crashes the host, even if a program has declared its own events.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		`{"hooks": {"BeforeDeploy": [{"matcher": "prod", "hooks": [{"type": "command", "command": "true", "if": "Bash(a)"}]}]}}`,
		`{"hooks": {"AfterDeploy": [{"hooks": [{"type": "prompt", "prompt": "p $ARGUMENTS", "once": true}]}]}}`,
		`{"hooks": {"BeforeDeploy": [{"matcher": 1, "hooks": [{"type": "http", "url": "http://x", "async": true}, 7, {}]}, [], null]}}`,
		`{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "a", "args": ["b"], "shell": "bash", "onFailure": "block"}]}]}}`,
		`{"disableAllHooks": true, "allowManagedHooksOnly": "x", "hooks": []}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		load := claude.Settings{Layers: []settings.Layer{{Name: "user", Source: hook.User, Data: text}}, Environ: []string{"HOME=/nowhere"}}
		loaded, err := load.Load(context.Background(), pipeline.Workspace{Dir: "/project"})
		if err != nil {
			return
		}
		sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) { return loaded, nil }}})
		defer sys.Close()
		s, err := sys.NewSession(context.Background(), pipeline.SessionConfig{Dir: "/project"})
		if err != nil {
			return
		}
		_, _ = beforeDeploy.PlanJSON(s, []byte(`{"target": "prod"}`))
		_, _ = afterDeploy.PlanJSON(s, []byte(`{}`))
		_, _ = claude.PreToolUse.PlanJSON(s, []byte(`{"tool_name": "Bash", "tool_input": {"command": "a"}}`))
	})
}
