package claude_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// holds returns how many times in a row hooks keep a session going, up to a limit.
func holds(t *testing.T, s *pipeline.Session, limit int) (n int) {
	for ; n < limit; n++ {
		if res := mustFire(t, claude.Stop, s, claude.StopInput{Active: n > 0}); !res.Blocked() {
			if res.OverriddenBlock == "" {
				t.Error("the result does not say why the block does not count")
			}
			return n
		}
	}
	return n
}

// Hooks keep an agent going at most eight times in a row, or as often as the environment allows (rule C64).
func TestHooksKeepAnAgentGoingEightTimesInARow(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want int
	}{{"", 8}, {"=3", 3}, {"=0", 30}, {"=-1", 8}, {"=many", 8}, {"=", 8}} {
		for name, says := range map[string]hook.Output[claude.BasicOutput]{"a block": {Decision: hook.Block}, "context": {Context: "go on"}} {
			t.Run(tt.env+" "+name, func(t *testing.T) {
				w := project(`{}`)
				w.Level = claude.Docs // a level at which context keeps an agent going
				if tt.env != "" {
					w.Environ = append(w.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"+tt.env)
				}
				s := w.open(t)
				answers(claude.Stop, s, says)
				if got := holds(t, s, 30); got != tt.want {
					t.Errorf("kept going %d times; want %d", got, tt.want)
				}
				if got := holds(t, s, 30); got != tt.want {
					t.Errorf("after that, kept going %d times; want %d again", got, tt.want)
				}
			})
		}
	}
}

func TestAtTheDefaultLevelHooksKeepAnAgentGoingWithoutLimit(t *testing.T) {
	w := project(`{}`)
	s := w.open(t)
	answers(claude.Stop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block})
	if got := holds(t, s, 30); got != 30 {
		t.Errorf("kept going %d times; want all 30", got)
	}
	w.Environ = append(w.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=3")
	s = w.open(t)
	answers(claude.Stop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block})
	if got := holds(t, s, 30); got != 3 {
		t.Errorf("kept going %d times with a limit in the environment; want 3", got)
	}
}

func TestTheCountOfStopsStartsAnew(t *testing.T) {
	w := project(`{}`)
	w.Level = claude.Docs
	s := w.open(t)
	answers(claude.Stop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block})
	answers(claude.SubagentStop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block})
	for range 3 {
		if got := holds(t, s, 6); got != 6 { // a stop without stop_hook_active starts a new count
			t.Errorf("kept going %d times; want 6", got)
		}
	}
	for _, agent := range []string{"a", "b"} { // each agent has its own count
		var in claude.SubagentStopInput
		in.AgentID = agent
		for n := range 9 {
			in.Active = n > 0
			if res := mustFire(t, claude.SubagentStop, s, in); res.Blocked() != (n < 8) {
				t.Errorf("agent %s, stop %d: blocked %v", agent, n, res.Blocked())
			}
		}
	}
}

func TestALiftedBlockIsNoBlock(t *testing.T) {
	w := project(hooks("Stop", "h"))
	w.Environ = append(w.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=1")
	w.replies = map[string]scripted{"h": says(2, "", "go on")}
	s := w.open(t)
	wantEffects(t, fire(t, s, "Stop", `{"stop_hook_active":false}`), `{"blocked":true,"lifted":null,"model_sees":["go on"]}`)
	wantEffects(t, fire(t, s, "Stop", `{"stop_hook_active":true}`), `{"blocked":false,"lifted":"hooks have kept the agent going 1 times in a row; it stops now"}`)
}

// All hooks of SessionEnd share one time limit (rule C60).
func TestSessionEndHooksHaveOneBudget(t *testing.T) {
	const slow = `{"type":"command","command":"slow"}`
	for _, tt := range []struct {
		name, env, hooks string
		want             time.Duration // the time of the fire
		budget           time.Duration // the time limit of all hooks together, if it is longer than want
	}{
		{"1.5 seconds", "", slow, 1500 * time.Millisecond, 0},
		{"whatever a hook asks for", "", `{"type":"command","command":"slow","timeout":5}`, 1500 * time.Millisecond, 0},
		{"a variable is read as far as it is a number", " 500ms", slow, 500 * time.Millisecond, 0},
		{"what a hook asks for", "", `{"type":"command","command":"slow","timeout":5}`, 5 * time.Second, 0},
		{"less", "", `{"type":"command","command":"slow","timeout":0.5}`, 500 * time.Millisecond, 1500 * time.Millisecond},
		{"a minute at most", "", `{"type":"command","command":"slow","timeout":500}`, time.Minute, 0},
		{"one asks for more, the other has its own", "", slow + `,{"type":"command","command":"quick","timeout":10}`, 1500 * time.Millisecond, 0},
		{"a hook that cannot run asks for nothing", "", slow + `,{"type":"prompt","prompt":"p","timeout":50}`, 1500 * time.Millisecond, 0},
		{"the variable", "7000", slow, 7 * time.Second, 0},
		{"the variable against a hook", "2000", `{"type":"command","command":"slow","timeout":5}`, 2 * time.Second, 0},
		{"a variable that is none", "soon", slow, 1500 * time.Millisecond, 0},
		{"zero", "0", slow, 1500 * time.Millisecond, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := project(`{"hooks":{"SessionEnd":[{"hooks":[` + tt.hooks + `]}]}}`)
				if tt.name == "what a hook asks for" || tt.name == "a minute at most" {
					w.Level = claude.Docs
				}
				w.Environ = append(w.Environ, "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS="+tt.env)
				w.replies = map[string]scripted{"slow": {delay: time.Hour}, "quick": {}}
				s, start := w.open(t), time.Now()
				res := mustFire(t, claude.SessionEnd, s, claude.SessionEndInput{})
				if took := time.Since(start); took != tt.want {
					t.Errorf("the end took %v; want %v", took, tt.want)
				}
				together := fmt.Sprintf("together have %v,", max(tt.want, tt.budget))
				if errs := res.Errs(); len(errs) == 0 || !strings.Contains(errs[0].Error(), together) {
					t.Errorf("errors %v; want one with %q", errs, together)
				}
			})
		})
	}
}

func TestAPluginDoesNotRaiseTheBudgetOfSessionEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := project(`{}`)
		w.Plugins = []claude.Plugin{{Name: "p", Root: testkit.Dir(t), Data: []byte(`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"slow","timeout":30}]}]}}`)}}
		w.replies = map[string]scripted{"slow": {delay: time.Hour}}
		s, start := w.open(t), time.Now()
		fire(t, s, "SessionEnd", "")
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("the end took %v; want 1.5s", took)
		}
	})
}

// late fires an event with a hook in Go that never answers.
func late[In, Out any](t *testing.T, e *pipeline.Event[In, Out], in In) *hook.Result[Out] {
	s := project(`{}`).open(t)
	e.On(s, "late", func(ctx context.Context, _ In) (o hook.Output[Out], err error) {
		<-ctx.Done()
		return o, ctx.Err()
	})
	res := mustFire(t, e, s, in)
	if len(res.Errs()) != 1 || !errors.Is(res.Errs()[0], context.DeadlineExceeded) {
		t.Errorf("errors %v; want a timeout", res.Errs())
	}
	return res
}

// A hook in Go that does not answer in time blocks a tool call, a prompt or an expansion, but not a result, a stop or a
// compaction (rule C51).
func TestALateHookInGoBlocksWhatItGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pre := late(t, claude.PreToolUse, claude.PreToolUseInput{Name: "Bash"})
		if texts := claude.TextsOf(pre); !pre.Blocked() || pre.Specific.PermissionDecision != hook.Deny || len(texts.Model) != 1 {
			t.Errorf("PreToolUse: blocked %v, %q, model is told %q; want a denial of which the model is told", pre.Blocked(), pre.Specific.PermissionDecision, texts.Model)
		}
		if res := late(t, claude.UserPromptSubmit, claude.UserPromptSubmitInput{}); !res.Blocked() {
			t.Error("UserPromptSubmit: not blocked")
		}
		if res := late(t, claude.UserPromptExpansion, claude.UserPromptExpansionInput{}); !res.Blocked() {
			t.Error("UserPromptExpansion: not blocked")
		}
		if late(t, claude.PostToolUse, claude.PostToolUseInput{}).Blocked() || late(t, claude.Stop, claude.StopInput{}).Blocked() || late(t, claude.PreCompact, claude.PreCompactInput{}).Blocked() {
			t.Error("another event is blocked by a late hook; want it to go on")
		}
	})
}

func TestADenialBeatsAHookThatDidNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := project(`{}`).open(t)
		answers(claude.PreToolUse, s, gate("deny", "explicit", ""))
		claude.PreToolUse.On(s, "late", func(ctx context.Context, _ claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
			<-ctx.Done()
			return o, ctx.Err()
		})
		if res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash"}); res.Specific.PermissionDecisionReason != "explicit" {
			t.Errorf("the reason is %q; want the explicit one", res.Specific.PermissionDecisionReason)
		}
	})
}

func TestADecisionOfAGoHookIsHeldToTheEvent(t *testing.T) {
	s := project(`{}`).open(t)
	answers(claude.SessionStart, s, hook.Output[claude.SessionStartOutput]{Decision: hook.Deny, Reason: "no"})
	if res := mustFire(t, claude.SessionStart, s, claude.SessionStartInput{Source: "startup"}); res.Blocked() || len(res.Reports[0].Notes) != 1 {
		t.Errorf("a session cannot be kept from beginning: blocked %v, notes %q", res.Blocked(), res.Reports[0].Notes)
	}
	answers(claude.TeammateIdle, s, hook.Output[claude.BasicOutput]{Decision: hook.Deny, Reason: "work"})
	if res := mustFire(t, claude.TeammateIdle, s, claude.TeammateIdleInput{}); !res.Blocked() {
		t.Error("deny is what exit status 2 is, and the teammate may idle")
	}
	answers(claude.PermissionRequest, s, hook.Output[claude.PermissionRequestOutput]{Decision: hook.Deny})
	if res := mustFire(t, claude.PermissionRequest, s, claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash"}}); !res.Blocked() || res.Specific.Decision.Behavior != "deny" {
		t.Error("a denial of the program's counts, and the permission is not denied")
	}
	claude.PreToolUse.On(s, "broken", func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		return o, fmt.Errorf("broken")
	})
	if res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash"}); res.Blocked() || res.OK() {
		t.Errorf("a hook that failed: blocked %v, OK %v; want neither", res.Blocked(), res.OK())
	}
}
