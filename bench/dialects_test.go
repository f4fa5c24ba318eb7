package bench

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// dialects is a session with a hook of each of three dialects. Only gateBash is for an event that the tests fire.
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
	llxprt.AfterTool.On(ses, "go", func(context.Context, llxprt.AfterToolInput) (o hook.Output[llxprt.BasicOutput], err error) {
		return o, nil
	})
	claude.Stop.On(ses, "go", func(context.Context, claude.StopInput) (o hook.Output[claude.BasicOutput], err error) { return o, nil })
	d := &dialects{ses, xcsh.New(ses, xcsh.Config{})}
	tb.Cleanup(func() { must(d.modules.Close()) })
	must(d.modules.Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, gateBash)
		return nil
	}))
	return d
}

// gateBash is a typical guard in Go.
func gateBash(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
	if e.ToolName == "bash" && strings.Contains(e.Input.Text("command"), "rm -rf") {
		return &xcsh.ToolCallResult{Block: true, Reason: "rm -rf is not for tools"}, nil
	}
	return nil, nil
}

// bashCall is a call that gateBash allows.
var bashCall = xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "c1", Input: wire.Object(`{"command":"ls -la /tmp"}`)}

const bashCallJSON = `{"toolName":"bash","toolCallId":"c1","input":{"command":"ls -la /tmp"}}`

func BenchmarkFireGate(b *testing.B) {
	d := allDialects(b)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = xcsh.ToolCall.Fire(b.Context(), d.modules, &bashCall)
	}
}

// idle returns, for each dialect, a function that fires an event without hooks the given number
// of times. It makes the inputs beforehand: zeroing the 192 bytes of Claude's input takes as long
// as the fire.
func (d *dialects) idle() map[string]func(times int) {
	ctx := context.Background()
	write, use, start := llxprt.BeforeToolInput{Name: "write_file", Input: arguments}, claude.PreToolUseInput{Name: "Write", Input: arguments}, xcsh.BeforeAgentStartEvent{Prompt: "tidy up"}
	return map[string]func(int){
		"llxprt": func(times int) {
			for range times {
				llxprt.BeforeTool.Fire(ctx, d.ses, &write)
			}
		},
		"claude": func(times int) {
			for range times {
				claude.PreToolUse.Fire(ctx, d.ses, &use)
			}
		},
		"xcsh": func(times int) {
			for range times {
				_, _ = xcsh.BeforeAgentStart.Fire(ctx, d.modules, &start)
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
