//go:build !race

package bench

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// oneHook is a session with one Go hook of a dialect. The dialect has other names than the host for the called tool and
// its argument. The tests fire the hook through package snaphook, and in the way of a host that supports only this
// dialect: with the event's input, Fire and the Apply function.
type oneHook struct {
	s     *snaphook.Session
	call  *snaphook.ToolCall
	alone func(context.Context) (run bool)
}

func (h *oneHook) through(ctx context.Context) (run bool) {
	v, err := h.s.BeforeTool(ctx, h.call)
	return err == nil && !v.Denied() && len(v.Reports) == 1
}

// hooksInGo returns a oneHook for each dialect.
func hooksInGo(tb testing.TB) map[string]*oneHook {
	tb.Helper()
	return map[string]*oneHook{"claude": oneOfClaude(tb), "llxprt": oneOfLLxprt(tb), "xcsh": oneOfXcsh(tb)}
}

func oneOfClaude(tb testing.TB) *oneHook {
	h := hookOf(tb, snaphook.Claude(snaphook.ClaudeConfig{}))
	claude.PreToolUse.On(h.s.Pipeline(), "gate", func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		return o, nil
	})
	h.alone = func(ctx context.Context) bool {
		in := claude.PreToolUseInput{Name: "Bash", Input: h.call.Input, ID: h.call.ID}
		res, err := claude.PreToolUse.Fire(ctx, h.s.Pipeline(), &in)
		return err == nil && claude.ApplyPreToolUse(&in, res).Run
	}
	return h
}

func oneOfLLxprt(tb testing.TB) *oneHook {
	h := hookOf(tb, snaphook.LLxprt(snaphook.LLxprtConfig{}))
	silent(h.s.Pipeline())
	h.alone = func(ctx context.Context) bool {
		in := llxprt.BeforeToolInput{Name: "run_shell_command", Input: h.call.Input}
		res, err := llxprt.BeforeTool.Fire(ctx, h.s.Pipeline(), &in)
		return err == nil && llxprt.ApplyBeforeTool(&in, res).Run
	}
	return h
}

func oneOfXcsh(tb testing.TB) *oneHook {
	h := hookOf(tb, snaphook.Xcsh(snaphook.XcshConfig{}))
	must(h.s.Modules().Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			return nil, nil
		})
		return nil
	}))
	h.alone = func(ctx context.Context) bool {
		in := xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: h.call.ID, Input: h.call.Input}
		res, err := xcsh.ToolCall.Fire(ctx, h.s.Modules(), &in)
		return h.s.Modules().Verdict(res, err) == nil
	}
	return h
}

// hookOf opens a session of a dialect that has no hooks yet.
func hookOf(tb testing.TB, d *snaphook.Dialect) *oneHook {
	tb.Helper()
	for _, name := range []string{"HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"} {
		tb.Setenv(name, tb.TempDir())
	}
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{d}, Log: slog.New(slog.DiscardHandler),
		Tools: []snaphook.Tool{{Name: "execute_command", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}}},
	})
	must(err)
	tb.Cleanup(hooks.Close)
	s, err := hooks.NewSession(context.Background(), snaphook.SessionConfig{ID: "bench", Dir: tb.TempDir(), Interactive: true})
	must(err)
	args := wire.Object(`{"cmd":"ls -la","cwd":"/w"}`)
	return &oneHook{s: s, call: &snaphook.ToolCall{ID: "c-1", Name: "execute_command", Input: args}}
}

// hostHook opens a session with a hook of the host, with the host's names.
func hostHook(tb testing.TB) *oneHook {
	tb.Helper()
	h := hookOf(tb, snaphook.Claude(snaphook.ClaudeConfig{}))
	snaphook.OnBeforeTool(h.s, "gate", func(context.Context, snaphook.ToolCall) (v snaphook.Verdict, err error) { return v, nil })
	return h
}

// mostThroughAgent limits the time of a Go hook through package snaphook, as a multiple of the hook's time in a host
// that fires the event of one dialect without package snaphook. moreThroughAgent limits the additional allocations of a
// dialect's hook: one for the call with the dialect's names, one for the report with the host's names.
const (
	mostThroughAgent = 1.3
	moreThroughAgent = 2
)

// anotherMachine is the margin of ratios whose two sides do not slow down alike on a busy machine, because they
// allocate, scan text and wait for memory in different proportions: one of these ratios ranged from 1.2 to 1.5 on idle
// and busy machines.
const anotherMachine = 0.5

func TestAHookInGoThroughAgentCostsLittleMore(t *testing.T) {
	testkit.Timed(t)
	ctx, host := context.Background(), hostHook(t)
	hooks := hooksInGo(t)
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		one := hooks[name]
		if !one.through(ctx) || !one.alone(ctx) || !host.through(ctx) {
			t.Fatalf("%s: a hook that says nothing keeps the tool from running, or has no report", name)
		}
		alone := timed(times(200, func() { one.alone(ctx) }))
		for what, h := range map[string]*oneHook{name: one, "the host": host} {
			at := place{"", "a hook of " + what + " through agent, ratio to " + name + " alone"}
			g := compared(at, mostThroughAgent, 101, 200, timed(times(200, func() { h.through(ctx) })), alone)
			g.margin = anotherMachine
			g.test(t)
		}
		more := testing.AllocsPerRun(100, func() { one.through(ctx) }) - testing.AllocsPerRun(100, func() { one.alone(ctx) })
		counted(place{"", "a hook of " + name + " through agent, allocations more than alone"}, more, moreThroughAgent).test(t)
	}
	four, one := timed(times(800, func() { host.through(ctx) })), timed(times(200, func() { hooks["claude"].alone(ctx) }))
	g := compared(place{"", "four fires through agent"}, mostThroughAgent, 11, 200, four, one)
	g.margin = anotherMachine
	g.mustFail(t)
}

func BenchmarkOneHookThroughAgent(b *testing.B) {
	for name, h := range hooksInGo(b) {
		for how, fire := range map[string]func(context.Context) bool{"through": h.through, "alone": h.alone} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fire(b.Context())
				}
			})
		}
	}
}
