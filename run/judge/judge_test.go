package judge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
)

// modelFunc and agentFunc adapt functions to a host.
type modelFunc func(context.Context, ModelRequest) (string, error)

func (f modelFunc) Generate(ctx context.Context, r ModelRequest) (string, error) { return f(ctx, r) }

type agentFunc func(context.Context, AgentRequest) (string, error)

func (f agentFunc) RunAgent(ctx context.Context, r AgentRequest) (string, error) { return f(ctx, r) }

func says(reply string) Model {
	return modelFunc(func(context.Context, ModelRequest) (string, error) { return reply, nil })
}

// inWords is an Answer whose reply has the verdict as text.
func inWords(v Verdict) hook.Reply {
	if v == (Verdict{OK: true}) {
		return hook.Reply{}
	}
	text := v.Reason
	if v.Impossible {
		text += " (impossible)"
	}
	return hook.Reply{Stdout: []byte(text)}
}

func TestJudgeAnswersWithTheVerdict(t *testing.T) {
	for _, tt := range []struct{ name, reply, stdout, err string }{
		{"ok is what the dialect makes of it", `{"ok": true}`, "", ""},
		{"not ok", `{"ok": false, "reason": "tests missing"}`, "tests missing", ""},
		{"impossible", `{"ok": false, "reason": "no network", "impossible": true}`, "no network (impossible)", ""},
		{"text", "Sure, go ahead!", "", `the reply "Sure, go ahead!" is not a verdict; want {"ok": true} or {"ok": false, "reason": "..."}`},
		{"no reason", `{"ok": false}`, noReason, ""},
		{"both", `{"ok": true, "block": true}`, "", `its answer cannot be used: "ok" is true, and another member of the reply denies: "{\"block\":true}"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply, err := (&Judge{Model: says(tt.reply), Prompt: "?", Answer: inWords}).Run(t.Context(), hook.Call{Payload: []byte("{}")})
			if string(reply.Stdout) != tt.stdout || reply.Exit != 0 {
				t.Errorf("got %+v, want standard output %q", reply, tt.stdout)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != tt.err) {
				t.Errorf("err = %v, want %q", err, tt.err)
			}
		})
	}
}

func TestJudgeAsksTheModel(t *testing.T) {
	var got ModelRequest
	model := modelFunc(func(_ context.Context, r ModelRequest) (string, error) {
		got = r
		return `{"ok":true}`, nil
	})
	j := &Judge{Model: model, Name: "small", Prompt: "Is $ARGUMENTS fine?", Answer: inWords}
	if _, err := j.Run(t.Context(), hook.Call{Payload: []byte(`{"tool":"ls"}`)}); err != nil {
		t.Fatal(err)
	}
	if got.Model != "small" || got.Prompt != `Is {"tool":"ls"} fine?` {
		t.Errorf("got %+v, want the model and the prompt with the payload", got)
	}
	for _, word := range []string{"JSON", `"ok"`, `"reason"`, `"impossible"`} {
		if !strings.Contains(got.System, word) {
			t.Errorf("the system prompt does not speak of %s", word)
		}
	}
}

func TestJudgeAsksTheAgent(t *testing.T) {
	var got AgentRequest
	agent := agentFunc(func(_ context.Context, r AgentRequest) (string, error) {
		got = r
		return "```json\n" + `{"ok":false,"reason":"uncommitted","impossible":true}` + "\n```", nil
	})
	j := &Judge{Model: says(`{"ok":true}`), Agent: agent, Prompt: "Committed?", Answer: inWords}
	reply, err := j.Run(t.Context(), hook.Call{Session: "s-1", Dir: "/work", Payload: []byte(`{}`)})
	if err != nil || string(reply.Stdout) != "uncommitted" {
		t.Errorf("got %q, %v; want the agent's reason, and nothing about impossible", reply.Stdout, err)
	}
	if strings.Contains(got.System, "impossible") || !strings.Contains(got.System, `"ok"`) {
		t.Errorf("the system prompt is %q, want the form of a verdict without impossible", got.System)
	}
	got.System = ""
	if diff := cmp.Diff(AgentRequest{Prompt: "Committed?\n\n{}", Session: "s-1", Dir: "/work", MaxTurns: 50}, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestJudgeSaysWhatIsMissing(t *testing.T) {
	_, err := (&Judge{Answer: inWords}).Run(t.Context(), hook.Call{})
	if err == nil || !strings.Contains(err.Error(), "the host has to supply a Model") {
		t.Errorf("err = %v, want an error that there is no model", err)
	}
	_, err = (&Judge{Model: says(`{"ok":true}`)}).Run(t.Context(), hook.Call{})
	if err == nil || !strings.Contains(err.Error(), "no Answer") {
		t.Errorf("err = %v, want an error that there is no Answer", err)
	}
}

func TestJudgePassesErrorsOn(t *testing.T) {
	overloaded := errors.New("overloaded")
	model := modelFunc(func(context.Context, ModelRequest) (string, error) { return `{"ok":true}`, overloaded })
	_, err := (&Judge{Model: model, Answer: inWords}).Run(t.Context(), hook.Call{})
	if !errors.Is(err, overloaded) || err.Error() != "the model: overloaded" {
		t.Errorf("err = %v, want the model: overloaded", err)
	}
	agent := agentFunc(func(context.Context, AgentRequest) (string, error) { return "", overloaded })
	if _, err = (&Judge{Agent: agent, Answer: inWords}).Run(t.Context(), hook.Call{}); err == nil || err.Error() != "the agent: overloaded" {
		t.Errorf("err = %v, want the agent: overloaded", err)
	}
}
