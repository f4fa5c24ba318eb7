package foreign

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

var (
	beforeRelease = pipeline.Declare(llxprt.Dialect, pipeline.Spec[deploy, vote]{
		Name: "BeforeRelease", Can: pipeline.CanBlock, Subject: func(d *deploy) *string { return &d.Target },
	})
	afterRelease = pipeline.Declare(llxprt.Dialect, pipeline.Spec[deploy, vote]{Name: "AfterRelease"})
)

// No text of settings crashes the host in LLxprt's dialect either, with the rules of both profiles.
func FuzzLoadLLxprt(f *testing.F) {
	for _, text := range []string{
		`{"tools": {"enableHooks": true}, "hooks": {"BeforeRelease": [{"matcher": "prod", "sequential": true, "hooks": [{"type": "command", "command": "true"}]}]}}`,
		`{"tools": {"enableHooks": true}, "hooks": {"AfterRelease": [{"matcher": "(", "hooks": [{"type": "plugin"}, 7, {}]}, [], null], "disabled": ["a"]}}`,
		`{"tools": {"enableHooks": 1}, "hooksConfig": {"enabled": true, "disabled": [1]}, "hooks": {"BeforeTool": [{"matcher": 1, "hooks": [{"type": "command", "command": "'${extensionPath}'", "timeout": -1, "env": {"a": 1}}]}]}}`,
		`{"security": {"environmentVariableRedaction": {"enabled": 1, "allowed": {}, "blocked": [1]}}, "hooks": []}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, profile := range []llxprt.Profile{"", llxprt.Gemini} {
			load := llxprt.Settings{
				Layers:     []settings.Layer{{Name: "user", Source: hook.User, Data: text}},
				Extensions: []llxprt.Extension{{Name: "e", Dir: "/e", Data: text}},
				Environ:    []string{"HOME=/nowhere"}, Profile: profile,
			}
			s := loaded(load.Load)
			if s == nil {
				continue
			}
			_, _ = beforeRelease.PlanJSON(s, []byte(`{"target": "prod"}`))
			_, _ = afterRelease.PlanJSON(s, []byte(`{}`))
			_, _ = llxprt.BeforeTool.PlanJSON(s, []byte(`{"tool_name": "a", "tool_input": {}}`))
			_, _ = llxprt.SessionStart.PlanJSON(s, []byte(`{"source": "startup"}`))
		}
	})
}

// loaded returns a session with the hooks of load, or nil if it loads nothing usable.
func loaded(load pipeline.Load) *pipeline.Session {
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{load}})
	s, err := sys.NewSession(context.Background(), pipeline.SessionConfig{Dir: os.TempDir()})
	if err != nil {
		return nil
	}
	return s
}

// No module ends the host, whatever events it names, including the program's own, and whatever its handlers return. A
// handler that cannot run on an event of the program is a failure in the result.
func FuzzLoadXcsh(f *testing.F) {
	for _, text := range []string{
		"tool_call\n{\"block\":true}", "before_ship\nnull", "session_start\n\nbefore_ship\n{\"block\":1}", "nothing\n{", "context\n{\"messages\":[]}", "\n", "/a b\n\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := loaded(func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) { return pipeline.Loaded{}, nil })
		m := xcsh.New(s, xcsh.Config{Dir: "/project", Log: slog.New(slog.DiscardHandler)})
		defer m.Close()
		lines := strings.Split(text, "\n")
		foreign := 0
		_ = m.Add(lines[0], func(api *xcsh.API) error {
			for i := 0; i+1 < len(lines) && i < 8; i += 2 {
				api.RegisterCommand(xcsh.Command{Name: lines[i], Description: lines[i+1]})
				answer := jsontext.Value(lines[i+1])
				xcsh.OnDynamic(api, lines[i], func(context.Context, wire.Object, *xcsh.HookContext) (xcsh.DynamicResult, error) {
					return xcsh.DynamicResult{Value: answer}, nil
				})
				if lines[i] == "before_ship" {
					foreign++
				}
			}
			return nil
		})
		_, _ = beforeShip.PlanJSON(s, []byte(`{"target": "prod"}`))
		res, err := beforeShip.Fire(context.Background(), s, &deploy{Target: "prod"})
		if err != nil || foreign > 0 && res.OK() {
			t.Errorf("%d handlers of the program's event, error %v, OK %v; want failures that the result has", foreign, err, res.OK())
		}
		for _, e := range xcsh.Events() {
			_, _ = e.FireJSON(context.Background(), m, jsontext.Value(`{"toolName":"t","input":{}}`))
		}
	})
}
