package claude_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/run/judge"
)

// oracle is a model, or an agent, with one fixed answer.
type oracle struct {
	answer string
	err    error
	delay  time.Duration
	asked  []judge.ModelRequest
}

func (o *oracle) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	o.asked = append(o.asked, r)
	select {
	case <-time.After(o.delay):
		return o.answer, o.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (o *oracle) RunAgent(ctx context.Context, r judge.AgentRequest) (string, error) {
	return o.Generate(ctx, judge.ModelRequest{Model: r.Model, Prompt: r.Prompt})
}

// judged returns a world with one hook that asks the oracle.
func judged(event, hook string, o *oracle) world {
	w := project(`{"hooks":{"` + event + `":[{"hooks":[` + hook + `]}]}}`)
	w.Model, w.Agent = o, o
	return w
}

// A model's refusal has the effects that the event declares, with and without continueOnBlock, which lets the turn go
// on (rule C48; release 2.1.239).
func TestARefusalOfAModel(t *testing.T) {
	const (
		held  = `{"blocked":true,"continue":true,"model_sees":["r"],"user_sees":[]}`
		ends  = `{"blocked":false,"continue":false,"stopReason":"r","model_sees":[],"user_sees":["r"]}`
		told  = `{"blocked":false,"continue":true,"model_sees":["r"],"user_sees":[]}`
		user  = `{"blocked":true,"continue":true,"model_sees":[],"user_sees":["r"]}`
		empty = `{"blocked":false,"continue":true,"model_sees":[],"user_sees":[],"errors":0}`
	)
	for _, tt := range []struct{ event, strict, gentle string }{
		{"Stop", held, held},
		{"SubagentStop", held, held},
		{"PreToolUse", `{"blocked":true,"permissionDecision":"deny","continue":false,"stopReason":"r","model_sees":[],"user_sees":["r"]}`, held},
		{"PostToolUse", ends, told},
		{"PostToolBatch", `{"blocked":true,"continue":false,"model_sees":[],"user_sees":["r"]}`, `{"blocked":true,"continue":false,"model_sees":[],"user_sees":["r"]}`},
		{"UserPromptSubmit", user, user},
		{"UserPromptExpansion", user, user},
		{"PostToolUseFailure", told, told},
		{"TaskCreated", held, held},
		{"TaskCompleted", held, held},
		{"TeammateIdle", ends, held},
		{"PermissionRequest", empty, empty},
		{"PermissionDenied", empty, empty},
		{"PreModelSwitch", user, user},
		{"PostModelSwitch", empty, empty},
	} {
		for _, how := range []struct{ hook, want string }{
			{`{"type":"prompt","prompt":"p"}`, tt.strict},
			{`{"type":"prompt","prompt":"p","continueOnBlock":true}`, tt.gentle},
			{`{"type":"agent","prompt":"p"}`, tt.gentle},
			{`{"type":"agent","prompt":"p","continueOnBlock":false}`, tt.gentle},
		} {
			t.Run(tt.event+how.hook, func(t *testing.T) {
				wantEffects(t, fire(t, judged(tt.event, how.hook, &oracle{answer: `{"ok":false,"reason":"r"}`}).open(t), tt.event, ""), how.want)
				wantEffects(t, fire(t, judged(tt.event, how.hook, &oracle{answer: `{"ok":true}`}).open(t), tt.event, ""), empty)
				const ours = `"the condition of the hook does not hold; no reason was given"`
				for _, reasonless := range []string{`{"ok":false}`, `{"ok":false,"reason":""}`, `{"ok":false,"reason":null}`} {
					want := strings.ReplaceAll(how.want, `"r"`, ours)
					wantEffects(t, fire(t, judged(tt.event, how.hook, &oracle{answer: reasonless}).open(t), tt.event, ""), want)
				}
			})
		}
	}
}

func TestAModelThatSaysImpossibleLetsTheAgentStop(t *testing.T) {
	const impossible = `{"ok":false,"reason":"r","impossible":true}`
	for _, tt := range []struct {
		event, kind string
		blocked     bool
	}{{"Stop", "prompt", false}, {"SubagentStop", "prompt", false}, {"Stop", "agent", true}, {"PreToolUse", "prompt", true}} {
		w := judged(tt.event, `{"type":"`+tt.kind+`","prompt":"p"}`, &oracle{answer: impossible})
		wantEffects(t, fire(t, w.open(t), tt.event, ""), fmt.Sprintf(`{"blocked":%t}`, tt.blocked))
	}
}

// A model that gives no verdict decides nothing (rule C47).
func TestAModelWithoutAVerdictDecidesNothing(t *testing.T) {
	for _, o := range []*oracle{{answer: "I think so"}, {answer: `{"ok":"yes"}`}, {answer: ""}, {err: errors.New("overloaded")}} {
		w := judged("PreToolUse", `{"type":"prompt","prompt":"p"}`, o)
		wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":false,"errors":1,"model_sees":[],"outcomes":{"p":"non_blocking_error"}}`)
	}
	w := project(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"p"},{"type":"agent","prompt":"p"},{"type":"mcp_tool","server":"s","tool":"t"}]}]}}`)
	wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":false,"errors":3}`) // the host has no model, agent or tool
}

func TestAPromptHas30SecondsAndAnAgent60(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for hook, want := range map[string]time.Duration{
			`{"type":"prompt","prompt":"p"}`: 30 * time.Second, `{"type":"agent","prompt":"p"}`: time.Minute, `{"type":"prompt","prompt":"p","timeout":2}`: 2 * time.Second,
		} {
			s, start := judged("UserPromptSubmit", hook, &oracle{delay: time.Hour}).open(t), time.Now()
			wantEffects(t, fire(t, s, "UserPromptSubmit", ""), `{"blocked":false,"outcomes":{"p":"cancelled"}}`)
			if took := time.Since(start); took != want {
				t.Errorf("%s took %v; want %v", hook, took, want)
			}
		}
	})
}

func TestThePromptHoldsTheInput(t *testing.T) {
	for prompt, want := range map[string]string{
		`judge $ARGUMENTS!`:    `judge {…}!`,
		`judge`:                "judge\n\n{…}",
		`costs \$5 $ARGUMENTS`: `costs $5 {…}`,
		`\$ARGUMENTS`:          "$ARGUMENTS\n\n{…}",
	} {
		o := &oracle{answer: `{"ok":true}`}
		entry := `{"type":"prompt","model":"m","prompt":` + string(mustEncode(t, prompt)) + `}`
		fire(t, judged("Stop", entry, o).open(t), "Stop", `{"last_assistant_message":"$ARGUMENTS \\$"}`)
		if len(o.asked) != 1 || o.asked[0].Model != "m" {
			t.Fatalf("asked %+v; want the model m, once", o.asked)
		}
		before, after, _ := strings.Cut(want, "{…}")
		got := o.asked[0].Prompt
		if !strings.HasPrefix(got, before+"{") || !strings.HasSuffix(got, "}"+after) || !strings.Contains(got, `"hook_event_name":"Stop"`) || !strings.Contains(got, `"$ARGUMENTS \\$"`) {
			t.Errorf("%q became %q; want %q", prompt, got, want)
		}
	}
}
