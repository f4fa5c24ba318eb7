package claude_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func gate(word hook.Decision, reason, input string) hook.Output[claude.PreToolUseOutput] {
	var g claude.PreToolUseOutput
	g.PermissionDecision, g.PermissionDecisionReason = word, reason
	if input != "" {
		g.UpdatedInput = wire.Object(input)
	}
	return hook.Output[claude.PreToolUseOutput]{Specific: g}
}

// answers registers hooks in Go with fixed answers.
func answers[In, Out any](e *pipeline.Event[In, Out], at pipeline.Scope, outs ...hook.Output[Out]) {
	for i, o := range outs {
		e.On(at, fmt.Sprint("hook ", i), func(context.Context, In) (hook.Output[Out], error) { return o, nil })
	}
}

func mustFire[In, Out any](t testing.TB, e *pipeline.Event[In, Out], s *pipeline.Session, in In) *hook.Result[Out] {
	t.Helper()
	res, err := e.Fire(t.Context(), s, &in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestTheStrictestPermissionWinsWithItsFirstReason(t *testing.T) {
	type out = hook.Output[claude.PreToolUseOutput]
	for _, tt := range []struct {
		name    string
		outs    []out
		word    hook.Decision
		reason  string
		input   string
		blocked bool
	}{
		{"deny beats allow", []out{gate("allow", "a", ""), gate("deny", "d", "")}, "deny", "d", "", true},
		{"deny beats a later allow", []out{gate("deny", "d", ""), gate("allow", "a", "")}, "deny", "d", "", true},
		{"deny beats defer", []out{gate("defer", "", ""), gate("deny", "d", "")}, "deny", "d", "", true},
		{"defer beats ask", []out{gate("ask", "q", ""), gate("defer", "x", "")}, "defer", "", "", false},
		{"ask beats allow", []out{gate("allow", "a", ""), gate("ask", "q", "")}, "ask", "q", "", false},
		{"allow beats silence", []out{{}, gate("allow", "a", ""), {}}, "allow", "a", "", false},
		{"the first of the winners with a reason", []out{gate("deny", "", ""), gate("deny", "d2", ""), gate("deny", "d3", "")}, "deny", "d2", "", true},
		{"a deny in the common word", []out{gate("allow", "a", ""), {Decision: hook.Block, Reason: "b"}}, "deny", "b", "", true},
		{"the common deny beats the own allow", []out{{Decision: hook.Deny, Reason: "b", Specific: gate("allow", "a", "").Specific}}, "deny", "b", "", true},
		{"the last rewrite in the order", []out{gate("allow", "", `{"a":1,"b":2}`), gate("", "", `{"a":3}`)}, "allow", "", `{"a":3}`, false},
		{"silence drops no rewrite", []out{gate("", "", `{"a":1}`), {}}, "", "", `{"a":1}`, false},
		{"a rewrite beside an ask", []out{gate("allow", "", `{"a":1}`), gate("ask", "", "")}, "ask", "", `{"a":1}`, false},
		{"no rewrite of what is denied", []out{gate("deny", "", ""), gate("allow", "", `{"a":1}`)}, "deny", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := project(`{}`).open(t)
			answers(claude.PreToolUse, s, tt.outs...)
			res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"a":0}`)})
			got := res.Specific
			if got.PermissionDecision != tt.word || got.PermissionDecisionReason != tt.reason || string(got.UpdatedInput) != tt.input || res.Blocked() != tt.blocked {
				t.Errorf("got %s, %q, %s, blocked %v; want %s, %q, %s, blocked %v", got.PermissionDecision, got.PermissionDecisionReason, got.UpdatedInput, res.Blocked(), tt.word, tt.reason, tt.input, tt.blocked)
			}
			if len(res.Reports) != len(tt.outs) {
				t.Errorf("%d hooks ran; want all %d", len(res.Reports), len(tt.outs))
			}
		})
	}
}

func TestSeveralRewritesAreAConflict(t *testing.T) {
	s := project(`{}`).open(t)
	answers(claude.PreToolUse, s, gate("", "", `{"a":1}`), gate("", "", `{"a":1}`))
	if res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash"}); len(res.Conflicts) != 0 {
		t.Errorf("conflicts %v; want none, both wrote the same", res.Conflicts)
	}
	answers(claude.PreToolUse, s, gate("", "", `{"a":2}`))
	res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash"})
	if len(res.Conflicts) != 1 || res.Conflicts[0].Key != "tool_input" || len(res.Conflicts[0].Hooks) != 3 {
		t.Errorf("conflicts %v; want one of the three, on tool_input", res.Conflicts)
	}
}

func TestHooksSeeTheOriginalInputAndRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := project(`{}`).open(t)
		seen := make(chan string, 3)
		for i := range 3 {
			claude.PreToolUse.On(s, fmt.Sprint(i), func(_ context.Context, c claude.PreToolUseInput) (hook.Output[claude.PreToolUseOutput], error) {
				seen <- string(c.Input)
				time.Sleep(time.Second)
				return gate("deny", "", `{"a":`+fmt.Sprint(i+1)+`}`), nil
			})
		}
		start := time.Now()
		mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"a":0}`)})
		if took := time.Since(start); took != time.Second {
			t.Errorf("three hooks of a second took %v; want them to run at the same time", took)
		}
		for range 3 {
			if got := <-seen; got != `{"a":0}` {
				t.Errorf("a hook saw %s; want the original", got)
			}
		}
	})
}

func TestAnswersOfSeveralHooksAreMerged(t *testing.T) {
	own := func(event, members string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + members + `}}`
	}
	for _, tt := range []struct {
		name, event string
		answers     []string
		want        string
	}{
		{"all contexts, messages and reasons in their order", "PostToolUse", []string{
			`{"systemMessage":"m1","decision":"block","reason":"r1","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c1"}}`,
			`{"systemMessage":"m2","decision":"block","reason":"r2","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c2"}}`,
		}, `{"additionalContext":["c1","c2"],"systemMessages":["m1","m2"],"reason":"r1\n\nr2","model_sees":["c1","r1","c2","r2"],"user_sees":["m1","m2"]}`},
		{"one stops, for the reason of the first", "PostToolUse", []string{`{}`, `{"continue":false,"stopReason":"s1"}`, `{"continue":false,"stopReason":"s2"}`, `{"continue":true}`},
			`{"continue":false,"stopReason":"s1","user_sees":["s1","s2"]}`},
		{"stopping beats the block of another", "Stop", []string{`{"decision":"block","reason":"r"}`, `{"continue":false}`}, `{"blocked":false,"continue":false}`},
		{"one block is enough", "UserPromptSubmit", []string{`{}`, `{"decision":"block","reason":"r"}`, `{"decision":"approve"}`}, `{"blocked":true,"reason":"r"}`},
		{"the last result counts", "PostToolUse", []string{own("PostToolUse", `"updatedToolOutput":"a","classifierContext":"x"`), `{}`, own("PostToolUse", `"updatedToolOutput":{"b":1},"classifierContext":"y"`)},
			`{"updatedToolOutput":{"b":1},"classifierContext":"x\ny"}`},
		{"a deny beats the permission of another", "PermissionRequest", []string{
			own("PermissionRequest", `"decision":{"behavior":"deny","message":"no"}`),
			own("PermissionRequest", `"decision":{"behavior":"allow","updatedInput":{"a":1}}`),
			own("PermissionRequest", `"decision":{"behavior":"deny","message":"nor I","interrupt":true}`),
		}, `{"permissionBehavior":"deny","updatedInput":null,"updatedPermissions":null,"interrupt":true,"reason":"no"}`},
		{"a late deny drops what was permitted", "PermissionRequest", []string{
			own("PermissionRequest", `"decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode"}]}`),
			own("PermissionRequest", `"decision":{"behavior":"deny"}`),
		}, `{"permissionBehavior":"deny","updatedInput":null,"updatedPermissions":null}`},
		{"permissions are joined", "PermissionRequest", []string{
			own("PermissionRequest", `"decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode"}]}`),
			own("PermissionRequest", `"decision":{"behavior":"allow","updatedPermissions":[{"type":"addRules"}]}`),
		}, `{"permissionBehavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode"},{"type":"addRules"}]}`},
		{"paths are joined", "SessionStart", []string{own("SessionStart", `"watchPaths":["/a"],"sessionTitle":"t1"`), own("SessionStart", `"watchPaths":["/b"],"sessionTitle":"t2"`)},
			`{"watchPaths":["/a","/b"],"sessionTitle":"t2"}`},
		{"a refusal beats an answer", "Elicitation", []string{own("Elicitation", `"action":"decline"`), own("Elicitation", `"action":"accept","content":{}`)}, `{"elicitation":{"action":"decline"},"blocked":true}`},
		{"the last answer counts", "Elicitation", []string{own("Elicitation", `"action":"accept","content":{"a":1}`), own("Elicitation", `"action":"accept","content":{"a":2}`)}, `{"elicitation":{"action":"accept","content":{"a":2}}}`},
		{"the last text is shown", "MessageDisplay", []string{own("MessageDisplay", `"displayContent":"a"`), own("MessageDisplay", `"displayContent":"b"`), `{}`}, `{"displayContent":"b"}`},
		{"one may try again", "PermissionDenied", []string{own("PermissionDenied", `"retry":true`), own("PermissionDenied", `"retry":false`)}, `{"retry":true}`},
		{"what failed hides nothing", "PreToolUse", []string{"!", own("PreToolUse", `"permissionDecision":"deny"`), "!"}, `{"blocked":true,"errors":2,"permissionDecision":"deny"}`},
	} {
		t.Run(tt.event+": "+tt.name, func(t *testing.T) {
			names := lo.Map(tt.answers, func(_ string, i int) string { return fmt.Sprint("h", i) })
			w := project(hooks(tt.event, names...))
			w.replies = map[string]scripted{}
			for i, name := range names {
				w.replies[name] = says(lo.Ternary(tt.answers[i] == "!", 1, 0), tt.answers[i], "")
			}
			wantEffects(t, fire(t, w.open(t), tt.event, ""), tt.want)
		})
	}
}

// A text that is too long is cut, and a file keeps the whole text (rule C37).
func TestTextsThatAreTooLongAreCutAndKept(t *testing.T) {
	long := strings.Repeat("ä", claude.MaxText+1)
	exact := strings.Repeat("ä", claude.MaxText)
	quoted := string(mustEncode(t, long))
	for _, tt := range []struct{ event, answer string }{
		{"UserPromptSubmit", long},
		{"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":` + quoted + `}}`},
		{"PreToolUse", `{"systemMessage":` + quoted + `}`},
		{"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":` + quoted + `}}`},
		{"PermissionRequest", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":` + quoted + `}}}`},
		{"PostToolUse", `{"continue":false,"stopReason":` + quoted + `}`},
	} {
		w := project(hooks(tt.event, "h"))
		w.replies = map[string]scripted{"h": says(0, tt.answer, "")}
		fired := fire(t, w.open(t), tt.event, "")
		wantEffects(t, fired, `{"spilled":true}`)
		effects := fired.Effects.(*claude.Effects)
		texts := slices.Concat(effects.ModelSees, effects.UserSees)
		if len(texts) != 1 || len([]rune(texts[0])) > 3000 || !strings.HasPrefix(texts[0], "ää") || !strings.Contains(texts[0], tt.event+".txt") {
			t.Errorf("%s: got %d texts %.200q; want a short one that names the file", tt.event, len(texts), texts)
		}
	}
	one(t, "UserPromptSubmit", "", says(0, exact, ""))(`{"spilled":false,"additionalContext":["` + exact + `"]}`)
}

func TestTheOwnReasonsAreCutToo(t *testing.T) {
	long := strings.Repeat("x", claude.MaxText+1)
	s := project(`{}`).open(t)
	answers(claude.PreToolUse, s, gate("deny", long, ""))
	if res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{Name: "Bash"}); len(res.Specific.PermissionDecisionReason) > 3000 {
		t.Errorf("the reason has %d bytes; want it cut", len(res.Specific.PermissionDecisionReason))
	}
	answers(claude.PermissionRequest, s, hook.Output[claude.PermissionRequestOutput]{Specific: claude.PermissionRequestOutput{Decision: &claude.Grant{Behavior: "deny", Message: long}}})
	if res := mustFire(t, claude.PermissionRequest, s, claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash"}}); len(res.Specific.Decision.Message) > 3000 {
		t.Errorf("the message has %d bytes; want it cut", len(res.Specific.Decision.Message))
	}
}

func TestDirectoryAddedWaitsForNoCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for source, want := range map[string][]string{"slash_command": {"hello"}, "register_repo_root": nil} {
			w := project(hooks("DirectoryAdded", "h"))
			w.replies = map[string]scripted{"h": {Reply: hook.Reply{Stdout: []byte(`{"systemMessage":"hello","continue":false}`)}, delay: time.Minute}}
			s, start := w.open(t), time.Now()
			fired := fire(t, s, "DirectoryAdded", `{"source":"`+source+`"}`)
			if took := time.Since(start); took != 0 {
				t.Errorf("the fire took %v; want it not to wait", took)
			}
			wantEffects(t, fired, `{"continue":true,"outcomes":{"h":"backgrounded"},"user_sees":[]}`)
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.NextTurn(); !slices.Equal(got, want) {
				t.Errorf("for the next turn: %q; want %q", got, want)
			}
		}
	})
}
