package snaphook_test

import (
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// six opens a session of six dialects; Claude Code's dialect has a hook for a moment that the tests do not fire.
func six(t testing.TB) *snaphook.Session {
	none := []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "SNAPHOOK_ETC=" + t.TempDir()}
	return open(t, snaphook.Config{Dialects: []*snaphook.Dialect{
		snaphook.Claude(snaphook.ClaudeConfig{}), snaphook.LLxprt(snaphook.LLxprtConfig{}), snaphook.Xcsh(snaphook.XcshConfig{}),
		codexdoor.Codex(codex.Settings{Environ: none}), copilotdoor.Copilot(copilot.Settings{Environ: none, Alone: true}),
		cursordoor.Cursor(cursor.Settings{Environ: none, Alone: true}),
	}}, map[string]string{".claude/settings.json": claudeHook("PostCompact", "", "true")})
}

func TestAMomentWithoutHooksAllocatesNothingInSixDialects(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	s, ctx, call := six(t), t.Context(), command("ls -la")
	denied := 0
	count := func(v *snaphook.Verdict, err error) {
		if err != nil || v.Denied() {
			denied++
		}
	}
	for name, fire := range map[string]func(){
		"BeforeTool":    func() { v, err := s.BeforeTool(ctx, call); count(v, err) },
		"AfterTool":     func() { v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: *call}); count(v, err) },
		"Prompt":        func() { v, err := s.Prompt(ctx, &snaphook.PromptInput{Text: "hi"}); count(v, err) },
		"Permission":    func() { v, err := s.Permission(ctx, &snaphook.PermissionInput{}); count(v, err) },
		"SubagentStart": func() { v, err := s.SubagentStart(ctx, &snaphook.SubagentStartInput{}); count(v, err) },
		"SubagentStop":  func() { v, err := s.SubagentStop(ctx, &snaphook.SubagentStopInput{}); count(v, err) },
		"BeforeCompact": func() { v, err := s.BeforeCompact(ctx, &snaphook.BeforeCompactInput{}); count(v, err) },
		"Notify":        func() { v, err := s.Notify(ctx, &snaphook.NotifyInput{}); count(v, err) },
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

func TestAMomentWithoutHooksInSixDialectsCostsAFewIdleFires(t *testing.T) {
	testkit.Timed(t)
	s, ctx, call := six(t), t.Context(), command("ls -la")
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
	t.Logf("an idle moment of six dialects costs %.2f idle fires of one", got)
	if got > idleRatio {
		t.Errorf("an idle moment costs %.2f idle fires; want at most %v", got, idleRatio)
	}
}
