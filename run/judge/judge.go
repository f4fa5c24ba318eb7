package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/within"
)

// MaxTurns limits the turns of an agent hook's agent (Claude Code hooks documentation 2.1.239, "Agent-based hooks").
const MaxTurns = 50

// Model is a language model that the host supplies; package llm implements it. It is used from many
// goroutines at once.
type Model interface {
	// Generate returns the whole text of the model's answer. A failure, or a truncated answer, is an error. Generate
	// returns soon after ctx has ended; its result is then ignored.
	Generate(ctx context.Context, r ModelRequest) (string, error)
}

// ModelRequest is one question to a [Model].
type ModelRequest struct {
	Model  string // as configured; "": the host chooses a small, fast model
	System string // instructions for the form of the answer, JSON
	Prompt string // the question
}

// AgentRunner lets an agent of the host work on a question, with tools that only read. It is used
// from many goroutines at once.
type AgentRunner interface {
	// RunAgent returns the whole of the agent's last message. RunAgent returns soon after ctx has ended; its result is
	// then ignored. Hooks must not fire for that agent's own actions, or the agent would judge itself.
	RunAgent(ctx context.Context, r AgentRequest) (string, error)
}

// AgentRequest is one question to an [AgentRunner].
type AgentRequest struct {
	Model    string // as configured; "": the host chooses a small, fast model
	System   string // instructions for the form of the answer, JSON
	Prompt   string // the question
	Session  string // the id of the session whose hook asks
	Dir      string // the session's working directory
	MaxTurns int    // limit on turns; always MaxTurns
}

// Verdict is the answer of a model or an agent about a call.
type Verdict struct {
	OK         bool
	Reason     string // not empty unless OK
	Impossible bool   // not OK, and no change can make it OK; never set by an agent
}

// Judge is a [hook.Runner] that asks a model about each call: a prompt hook, or an agent hook (Claude Code hooks
// documentation 2.1.239, "Prompt-based hooks").
//
// The question is Prompt with the call's payload. The answer is one JSON object {"ok": bool, "reason": string,
// "impossible": bool}. "ok": false refuses with or without a reason; a missing or blank reason is replaced. White space
// and one ``` fence around the object are skipped. Any other answer is an error that quotes the answer's beginning: a
// model that evades the question decides nothing. "ok": true beside a member that denies is a [hook.UnreadError].
//
// When ctx ends or the call's timeout has passed, the error is [context.Cause] or a [hook.TimeoutError], as soon as the
// Model returns.
//
// A Judge may be used from many goroutines at once. A call costs as much as the model's.
type Judge struct {
	Model Model       // asked unless Agent is set
	Agent AgentRunner // asked if set; nil means a prompt hook

	Name string // the configured model; "" lets the host choose

	// Prompt is the question. $ARGUMENTS in it is replaced by the payload; without $ARGUMENTS the payload follows after
	// a blank line. \$ means $. Nothing else is replaced; the payload stays as it is.
	Prompt string

	// Answer converts a verdict to the equivalent reply of a command, which depends on the event. The dialect sets it.
	Answer func(v Verdict) hook.Reply
}

var _ hook.Runner = (*Judge)(nil)

// Run asks, and waits for the verdict; see [Judge].
func (j *Judge) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if j.Answer == nil {
		return hook.Reply{}, errors.New("the Judge has no Answer, so a verdict would have no effect; set Answer")
	}
	v, err := within.Limit(ctx, call, func(ctx context.Context) (Verdict, error) {
		reply, err := j.ask(ctx, call)
		if err != nil {
			return Verdict{}, err
		}
		v, err := readVerdict(reply)
		if err != nil && !errors.As(err, new(*hook.UnreadError)) {
			err = &hook.ClassError{Class: hook.ClassOutput, Err: err}
		}
		return v, err
	})
	if err != nil {
		return hook.Reply{}, err
	}
	v.Impossible = v.Impossible && j.Agent == nil
	return j.Answer(v), nil
}

func (j *Judge) ask(ctx context.Context, call hook.Call) (reply string, err error) {
	prompt := fillPrompt(j.Prompt, bytes.TrimSpace(call.Payload))
	who := "the model"
	switch {
	case j.Agent != nil:
		who = "the agent"
		reply, err = j.Agent.RunAgent(ctx, AgentRequest{
			Model: j.Name, System: agentSystem, Prompt: prompt, Session: call.Session, Dir: call.Dir, MaxTurns: MaxTurns,
		})
	case j.Model != nil:
		reply, err = j.Model.Generate(ctx, ModelRequest{Model: j.Name, System: modelSystem, Prompt: prompt})
	default:
		return "", errors.New(
			"there is no model to ask: the host has to supply a Model, and an AgentRunner for agent hooks",
		)
	}
	if err != nil {
		return "", &hook.ClassError{Class: hook.ClassModel, Err: fmt.Errorf("%s: %w", who, err)}
	}
	return reply, nil
}
