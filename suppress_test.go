package snaphook_test

import (
	"context"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

func TestSystemMessagesAndSuppressOutputReachTheHost(t *testing.T) {
	llxprt := func(event, answer string) map[string]string {
		return map[string]string{".llxprt/settings.json": llxprtHook(event, "", `echo '`+answer+`'`)}
	}
	for name, tt := range map[string]struct {
		files    map[string]string
		text     string // the result's text
		messages []string
		suppress bool
		hidden   bool // the hook's stdout is hidden
	}{
		"LLxprt, before the tool": {
			files: llxprt("BeforeTool", `{"systemMessage":"m","suppressOutput":true,"hookSpecificOutput":{"additionalContext":"not shown"}}`),
			text:  "out\n\nm", messages: []string{"m"}, suppress: true, hidden: true,
		},
		"LLxprt, after the tool": {
			files: llxprt("AfterTool", `{"systemMessage":"m","suppressOutput":true,"hookSpecificOutput":{"additionalContext":"c"}}`),
			text:  "out\n\nc\n\nm", messages: []string{"m"}, suppress: true, hidden: true,
		},
		"LLxprt, a refusal": {
			files: llxprt("BeforeTool", `{"decision":"deny","reason":"no","systemMessage":"m","suppressOutput":true}`),
			text:  "no", messages: []string{"m"}, suppress: true, hidden: true,
		},
		"LLxprt, the message of another hook than the one that refuses": {
			files: map[string]string{".llxprt/settings.json": `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[
				{"type":"command","command":"echo no >&2; exit 2"},{"type":"command","command":"echo '{\"systemMessage\":\"logged\"}'"}]}]}}`},
			text: "no", messages: []string{"logged"},
		},
		"LLxprt, plain text before the tool": {files: llxprt("BeforeTool", "logged"), text: "out\n\nlogged", messages: []string{"logged"}},
		"LLxprt, plain text":                 {files: llxprt("AfterTool", "linted"), text: "out\n\nlinted", messages: []string{"linted"}},
		"LLxprt, the warning of a failure": {
			files: map[string]string{".llxprt/settings.json": llxprtHook("AfterTool", "", "echo boom >&2; exit 1")},
			text:  "out", messages: []string{"Warning: boom"},
		},
		"LLxprt, false":            {files: llxprt("AfterTool", `{"suppressOutput":false}`), text: "out"},
		"Gemini CLI, an objection": {files: map[string]string{".gemini/settings.json": llxprtHook("AfterTool", "", `echo '{"decision":"deny","reason":"no","systemMessage":"m","suppressOutput":true}'`)}, text: "Tool result blocked: no\n\nm", messages: []string{"m"}, suppress: true, hidden: true},
		"Claude Code, whose message is for the user and whose word hides the hook's stdout": {
			files: map[string]string{".claude/settings.json": claudeHook("PostToolUse", "", `echo '{"systemMessage":"m","suppressOutput":true}'`)},
			text:  "out", messages: []string{"m"}, hidden: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, snaphook.Config{}, tt.files)
			out, err := s.RunTool(t.Context(), command("ls"), func(context.Context, wire.Object) (snaphook.ToolResult, error) {
				return snaphook.ToolResult{Text: "out"}, nil
			})
			if err != nil || out.Text != tt.text || out.SuppressOutput != tt.suppress || !slices.Equal(out.Messages, tt.messages) {
				t.Errorf("text %q, suppressed %v, messages %q, %v; want %+v", out.Text, out.SuppressOutput, out.Messages, err, tt)
			}
			if len(out.Reports) == 0 || out.Reports[0].SuppressOutput != tt.hidden {
				t.Errorf("reports %+v; want the stdout of the first one hidden: %v", out.Reports, tt.hidden)
			}
		})
	}
}

func TestAHookOfTheProgramSuppressesOutput(t *testing.T) {
	s := open(t, snaphook.Config{}, nil)
	snaphook.OnAfterTool(s, "secret", func(context.Context, snaphook.AfterToolInput) (snaphook.Verdict, error) {
		return snaphook.Verdict{SuppressOutput: true}, nil
	})
	v, err := s.AfterTool(t.Context(), &snaphook.AfterToolInput{ToolCall: *command("ls")})
	if err != nil || !v.SuppressOutput || v.Decision != hook.Undecided {
		t.Errorf("%+v, %v; want the output suppressed and nothing decided", v, err)
	}
}
