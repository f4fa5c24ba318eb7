package snaphook_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// idle opens a session of three dialects that has hooks, but no hook for the moments that the
// tests fire.
func idle(t testing.TB) *snaphook.Session {
	s := open(t, snaphook.Config{}, map[string]string{".claude/settings.json": claudeHook("PostCompact", "", "true")})
	llxprt.AfterAgent.On(s.Pipeline(), "go", func(context.Context, llxprt.AfterAgentInput) (o hook.Output[llxprt.AfterAgentOutput], err error) {
		return o, nil
	})
	return s
}

func TestAMomentWithoutHooksAllocatesNothing(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	s, ctx, call := idle(t), t.Context(), command("ls -la")
	denied := 0
	count := func(v *snaphook.Verdict, err error) {
		if err != nil || v.Denied() {
			denied++
		}
	}
	// Start is missing: it always fires Claude Code's SessionStart, which clears the session's
	// variables.
	for name, fire := range map[string]func(){
		"BeforeTool":    func() { v, err := s.BeforeTool(ctx, call); count(v, err) },
		"AfterTool":     func() { v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: *call}); count(v, err) },
		"Prompt":        func() { v, err := s.Prompt(ctx, &snaphook.PromptInput{Text: "hi"}); count(v, err) },
		"BeforeModel":   func() { v, err := s.BeforeModel(ctx, &snaphook.BeforeModelInput{}); count(v, err) },
		"AfterModel":    func() { v, err := s.AfterModel(ctx, &snaphook.AfterModelInput{}); count(v, err) },
		"ToolChoice":    func() { v, err := s.ToolChoice(ctx, &snaphook.ToolChoiceInput{}); count(v, err) },
		"Permission":    func() { v, err := s.Permission(ctx, &snaphook.PermissionInput{}); count(v, err) },
		"SubagentStart": func() { v, err := s.SubagentStart(ctx, &snaphook.SubagentStartInput{}); count(v, err) },
		"SubagentStop":  func() { v, err := s.SubagentStop(ctx, &snaphook.SubagentStopInput{}); count(v, err) },
		"BeforeCompact": func() { v, err := s.BeforeCompact(ctx, &snaphook.BeforeCompactInput{}); count(v, err) },
		"Notify":        func() { v, err := s.Notify(ctx, &snaphook.NotifyInput{}); count(v, err) },
		"End":           func() { v, err := s.End(ctx, &snaphook.EndInput{}); count(v, err) },
		"Active":        func() { _ = s.Active(snaphook.BeforeTool) },
	} {
		n := testing.AllocsPerRun(100, fire)
		for range 4 { // the lowest result is compared: goroutines of other tests may still allocate
			n = min(n, testing.AllocsPerRun(100, fire))
		}
		if n != 0 {
			t.Errorf("%s allocates %v times; want 0", name, n)
		}
	}
	if denied > 0 {
		t.Errorf("%d denials", denied)
	}
}

// ratio returns the time of this divided by the time of other. The two functions run in turn, in many short tries, and
// the best time of each counts. While the ratio is above limit, ratio measures again, up to ten times: on a busy
// machine one of the two functions may have been interrupted in every try.
func ratio(this, other func(times int), times, tries int, limit float64) (got float64) {
	got = math.Inf(1)
	for range 10 {
		least := [2]time.Duration{time.Hour, time.Hour}
		for range tries {
			for i, f := range [...]func(int){this, other} {
				start := time.Now()
				f(times)
				least[i] = min(least[i], time.Since(start))
			}
		}
		if got = min(got, float64(least[0])/float64(least[1])); got <= limit {
			break
		}
	}
	return got
}

// idleRatio limits the time of a moment without hooks, as a multiple of one dialect's idle fire.
const idleRatio = 4.0

func TestAMomentWithoutHooksCostsAFewIdleFires(t *testing.T) {
	testkit.Timed(t)
	s, ctx, call := idle(t), t.Context(), command("ls -la")
	in, ses := claude.PreToolUseInput{Name: "Bash", Input: call.Input}, s.Pipeline()
	got := ratio(func(n int) {
		for range n {
			_, _ = s.BeforeTool(ctx, call)
		}
	}, func(n int) {
		for range n {
			_, _ = claude.PreToolUse.Fire(ctx, ses, &in)
		}
	}, 10_000, 100, idleRatio)
	t.Logf("an idle moment of three dialects costs %.2f idle fires of one", got)
	if got > idleRatio {
		t.Errorf("an idle moment costs %.2f idle fires; want at most %v", got, idleRatio)
	}
}

func BenchmarkMoment(b *testing.B) {
	s, ctx, call := idle(b), b.Context(), command("ls -la")
	b.Run("idle", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			_, _ = s.BeforeTool(ctx, call)
		}
	})
	b.Run("active", func(b *testing.B) {
		for range b.N {
			_ = s.Active(snaphook.BeforeTool)
		}
	})
	in, ses := claude.PreToolUseInput{Name: "grep_files", Input: call.Input}, s.Pipeline()
	b.Run("idle of claude", func(b *testing.B) {
		for range b.N {
			_, _ = claude.PreToolUse.Fire(ctx, ses, &in)
		}
	})
}
