package bench

import (
	"context"
	"log/slog"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// dialects is a session that three dialects have hooks in, none of which is for
// the events that are fired here.
type dialects struct {
	ses     *pipeline.Session
	modules *xcsh.Modules
}

func allDialects(tb testing.TB) *dialects {
	tb.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	tb.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "bench", Dir: tb.TempDir()})
	must(err)
	llxprt.AfterTool.On(ses, "go", func(context.Context, llxprt.ToolDone) (o hook.Output[llxprt.Plain], err error) { return o, nil })
	claude.Stop.On(ses, "go", func(context.Context, claude.Stopping) (o hook.Output[claude.Plain], err error) { return o, nil })
	d := &dialects{ses, xcsh.New(ses, xcsh.Config{})}
	tb.Cleanup(func() { must(d.modules.Close()) })
	must(d.modules.Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			return nil, nil
		})
		return nil
	}))
	return d
}

// idle fires an event that has no hooks so many times, in each of the dialects.
func (d *dialects) idle() map[string]func(times int) {
	ctx := context.Background()
	return map[string]func(int){
		"llxprt": func(times int) {
			for range times {
				llxprt.BeforeTool.Fire(ctx, d.ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
			}
		},
		"claude": func(times int) {
			for range times {
				claude.PreToolUse.Fire(ctx, d.ses, &claude.Call{Name: "Write", Input: arguments})
			}
		},
		"xcsh": func(times int) {
			for range times {
				_, _ = xcsh.BeforeAgentStart.Fire(ctx, d.modules, &xcsh.BeforeAgentStartEvent{Prompt: "tidy up"})
			}
		},
	}
}

func BenchmarkFireIdleOfThree(b *testing.B) {
	for name, fire := range allDialects(b).idle() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			fire(b.N)
		})
	}
}
