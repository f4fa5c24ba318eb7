package claude_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Hooks export variables to files, in the order of the fires (rule C85).
func TestVariablesThatHooksLeave(t *testing.T) {
	w := project(`{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"echo export A=1 > \"$CLAUDE_ENV_FILE\""},
{"type":"command","command":"printf 'export A=2' > \"$CLAUDE_ENV_FILE\""}]}],
"CwdChanged":[{"hooks":[{"type":"command","command":"echo export B=${PWD##*[/\\\\]} > \"$CLAUDE_ENV_FILE\""}]}]}}`)
	s := w.open(t)
	want := func(text string) {
		t.Helper()
		if got, err := s.Exports(); err != nil || got != text {
			t.Errorf("exports %q, %v; want %q", got, err, text)
		}
	}
	fire(t, s, "SessionStart", "")
	want("export A=1\nexport A=2\n")
	cwd := testkit.Dir(t)
	fire(t, s, "CwdChanged", `{"cwd":`+string(mustEncode(t, cwd))+`}`)
	want("export A=1\nexport A=2\nexport B=" + filepath.Base(cwd) + "\n")
	fire(t, s, "SessionStart", `{"source":"clear"}`)
	want("export A=1\nexport A=2\n")
}

// The answer of a background hook is context for the model's next turn (rule C81).
func TestBackgroundHooksTellTheModelLater(t *testing.T) {
	long := `x=$(printf '%12000s.' ''); echo "${x// /x}" >&2; exit 2`
	for _, tt := range []struct {
		name, command, more, outcome string
		next                         []string
		wake                         string
		wakes                        bool
	}{
		{"async", `echo '{"systemMessage":"m","decision":"block","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}'; exit 2`, `,"async":true`, "backgrounded", []string{"c", "m"}, "", false},
		{"declared when it runs", `echo '{"async":true}'; echo '{"systemMessage":"m"}'`, "", "backgrounded", []string{"m"}, "", false},
		{"rewake", `echo out; echo err >&2; exit 2`, `,"asyncRewake":true`, "backgrounded", nil, "err", true},
		{"rewake without a word on standard error", `echo out; exit 2`, `,"asyncRewake":true`, "backgrounded", nil, "out", true},
		{"no rewake", `echo err >&2; exit 1`, `,"asyncRewake":true`, "backgrounded", nil, "", false},
		{"a long rewake", long, `,"asyncRewake":true`, "backgrounded", nil, strings.Repeat("x", 2000), true},
		{"rewake with words of the entry", `echo err >&2; exit 2`, `,"asyncRewake":true,"rewakeMessage":"Look at this:","rewakeSummary":"a summary"`, "backgrounded", nil, "Look at this:\nerr", true},
		{"plain text", `echo plain`, `,"async":true`, "backgrounded", nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ended pipeline.Finished
			w := project(command(t, "PostToolUse", tt.command, tt.more))
			w.host.Finished = func(f pipeline.Finished) { ended = f }
			s := w.open(t)
			wantEffects(t, fire(t, s, "PostToolUse", ""), `{"blocked":false,"decision":null,"additionalContext":[],"user_sees":[],"errors":0}`)
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.NextTurn(); !slices.Equal(got, tt.next) {
				t.Errorf("for the next turn %q; want %q", got, tt.next)
			}
			if summary := strings.Contains(tt.more, "rewakeSummary"); summary && ended.Message != "a summary" || !summary && ended.Message != "" {
				t.Errorf("the user is shown %q", ended.Message)
			}
			if ended.Wakes != tt.wakes || !strings.HasPrefix(ended.Wake, tt.wake) || len(ended.Wake) > 3000 {
				t.Errorf("wakes %v, with %.50q (%d bytes); want %v, %.50q", ended.Wakes, ended.Wake, len(ended.Wake), tt.wakes, tt.wake)
			}
		})
	}
}

// If the user does not answer a hook's question, the hook's standard input ends (rule C84).
func TestAUserWhoGivesNoAnswerEndsTheInput(t *testing.T) {
	w := project(command(t, "PreToolUse", `read -r in; echo '{"prompt":"q","message":"?","options":[{"key":"y","label":"Yes"}]}'; read -r a || { echo cancelled >&2; exit 2; }`, ""))
	w.host.MayAsk = func(*hook.Hook) bool { return true }
	w.host.Ask = func(context.Context, *hook.Hook, hook.Question) (string, bool) { return "", false }
	wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":true,"reason":"cancelled"}`)
	w.host.Ask = nil
	wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":true,"reason":"cancelled"}`) // there is no user to ask
}

func TestWorktrees(t *testing.T) {
	dir := testkit.Dir(t)
	if err := os.Symlink("/tmp", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, dir, map[string]string{"sub/x": ""})
	for _, tt := range []struct{ command, path string }{
		{"echo building >&2; echo one; echo DIR/w; echo; echo", "DIR/w"},
		{`printf '\033[32m%s\033[0m\n' DIR/w`, "DIR/w"},
		{"echo w/x", "DIR/w/x"},
		{"echo '  DIR/a b  '", "DIR/a b"},
		{"echo DIR/../w", ""},
		{"echo DIR/./w", ""},
		{"echo DIR/w/", "DIR/w/"},
		{"echo DIR/link/w", ""},
		{"echo /tmp/w", lo.Ternary(runtime.GOOS == "windows", "", "/tmp/w")}, // the path of this folder of Git's bash varies
		{"echo DIR/w; exit 1", ""},
		{"true", ""},
		{"exit 2", ""},
		{`echo '{"async":false}'`, `DIR/{"async":false}`},
	} {
		t.Run(tt.command, func(t *testing.T) {
			w := project(command(t, "WorktreeCreate", strings.ReplaceAll(tt.command, "DIR", dir), ""))
			w.host.Dir = dir
			want := string(mustEncode(t, filepath.FromSlash(strings.ReplaceAll(tt.path, "DIR", dir))))
			wantEffects(t, fire(t, w.open(t), "WorktreeCreate", ""), lo.Ternary(tt.path == "", `{"blocked":true}`, `{"blocked":false,"worktreePath":`+want+`}`))
		})
	}
	w := project(command(t, "WorktreeCreate", "echo w", ""))
	w.host.Dir = dir
	wantEffects(t, fire(t, w.open(t), "WorktreeCreate", `{"cwd":"`+filepath.ToSlash(dir)+`/sub"}`),
		`{"worktreePath":`+string(mustEncode(t, filepath.Join(dir, "sub", "w")))+`}`)
}
