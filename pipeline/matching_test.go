package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Hundreds of a project's regular expressions that never end delay a fire only by the time limit of one plan, and
// disable no guard.
func TestExpressionsWithoutEndDelayAFireByOneBudget(t *testing.T) {
	var groups []string
	for i := range 200 {
		groups = append(groups, fmt.Sprintf(`{"matcher": "^(a+)+%d$", "hooks": [{"type": "command", "command": "exit 0 # %d"}]}`, i, i))
	}
	groups = append(groups, `{"matcher": "^(a+)+$", "hooks": [{"type": "command", "name": "guard", "command": "exit 2"}]}`)
	text := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [` + strings.Join(groups, ",") + `]}}`
	load := llxprt.Settings{Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "p.json", Data: []byte(text)}}}.Load
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(regexp2.StopTimeoutClock) // a goroutine of the library
	input := []byte(`{"tool_name": "` + strings.Repeat("a", 60) + `!", "tool_input": {}}`)
	var plans int
	for _, e := range pipeline.Events(llxprt.Dialect) {
		if e.Info().Name != "BeforeTool" {
			continue
		}
		start := time.Now()
		planned, err := e.PlanJSON(ses, input)
		if took := time.Since(start); err != nil || took > 20*time.Second {
			t.Errorf("planned in %v, %v; want about 100 ms, where each matcher took a second", took, err)
		}
		plans = len(planned.Run)
	}
	if plans != 201 {
		t.Errorf("%d hooks would run, want all, the guard among them", plans)
	}
}

// panics is a matcher that panics, as a host's own may.
type panics struct{}

func (panics) Match(string) bool { panic("of the matcher") }

func TestAMatcherThatPanicsLosesNoGuard(t *testing.T) {
	var log strings.Builder
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	llxprt.BeforeTool.On(ses, "guard", func(context.Context, llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		return hook.Output[llxprt.BeforeToolOutput]{Decision: hook.Deny}, nil
	}, pipeline.MatchWith(panics{}))
	res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "write_file"})
	if err != nil || res.Output.Decision != hook.Deny || !strings.Contains(log.String(), "of the matcher") {
		t.Errorf("%v, %v, log %q; want a denial, and the log to say what panicked", res.Output.Decision, err, log.String())
	}
}
