package llxprt_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

type (
	toolGate   = hook.Output[llxprt.BeforeToolOutput]
	toolReview = hook.Output[llxprt.BasicOutput]
)

// toolSession returns a session with one hook before a tool, and one after it.
func toolSession(t *testing.T, before toolGate, after toolReview) *pipeline.Session {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	llxprt.BeforeTool.On(s, "before", func(context.Context, llxprt.BeforeToolInput) (toolGate, error) { return before, nil })
	llxprt.AfterTool.On(s, "after", func(context.Context, llxprt.AfterToolInput) (toolReview, error) { return after, nil })
	return s
}

func TestRunTool(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		before toolGate
		after  toolReview
		failed error
		ran    bool
		want   string // the text for the model
		asks   llxprt.Common
	}{
		"no objection":      {ran: true, want: "rm"},
		"a denial":          {before: toolGate{Decision: hook.Deny, Reason: "no"}, want: "no"},
		"a stop":            {before: toolGate{Stop: true, StopReason: "enough"}, want: "enough", asks: llxprt.Common{Stop: true, StopReason: "enough"}},
		"a message":         {before: toolGate{Message: "look"}, ran: true, want: "rm", asks: llxprt.Common{Message: "look"}},
		"two messages":      {before: toolGate{Message: "look"}, after: toolReview{Message: "there"}, ran: true, want: "rm", asks: llxprt.Common{Message: "look\nthere"}},
		"a context":         {after: toolReview{Context: "fyi"}, ran: true, want: "rm\n\nfyi"},
		"a stop after it":   {after: toolReview{Stop: true, StopReason: "enough"}, ran: true, want: "rm", asks: llxprt.Common{Stop: true, StopReason: "enough"}},
		"a tool that fails": {failed: broken, ran: true, want: "rm"},
	} {
		t.Run(name, func(t *testing.T) {
			s, ran := toolSession(t, tt.before, tt.after), false
			call := llxprt.BeforeToolInput{Name: "run_shell_command", Input: wire.Object(`{"command":"rm"}`)}
			got, asks, err := llxprt.RunTool(t.Context(), s, &call, func(_ context.Context, in wire.Object) (wire.Object, error) {
				ran = true
				return wire.Object(nil).With("llmContent", in.Get("command")), tt.failed
			})
			if ran != tt.ran || got.Text("llmContent") != tt.want || !errors.Is(err, tt.failed) {
				t.Errorf("the tool ran: %v, the model sees %s, %v; want %v, %q, %v", ran, got, err, tt.ran, tt.want, tt.failed)
			}
			if asks.Stop != tt.asks.Stop || asks.StopReason != tt.asks.StopReason || asks.Message != tt.asks.Message {
				t.Errorf("the hooks ask for %+v; want %+v", asks, tt.asks)
			}
		})
	}
}

// If the fire fails, the tool does not run.
func TestRunToolRefusesWhatHooksCannotSee(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	closed, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		s    *pipeline.Session
		args string
	}{
		"a system that is closed":      {closed, `{}`},
		"arguments that are no object": {toolSession(t, toolGate{}, toolReview{}), `{"command":`},
		"no session":                   {nil, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			call := llxprt.BeforeToolInput{Name: "run_shell_command", Input: wire.Object(tt.args)}
			got, _, err := llxprt.RunTool(t.Context(), tt.s, &call, func(context.Context, wire.Object) (wire.Object, error) {
				t.Error("the tool ran")
				return nil, nil
			})
			if err == nil || strings.TrimSpace(got.Text("llmContent")) == "" {
				t.Errorf("got %s, %v; want a reason for the model, and an error", got, err)
			}
		})
	}
}
