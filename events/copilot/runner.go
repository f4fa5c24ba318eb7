package copilot

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// speaking runs a hook with a payload in the spelling of its event. If the input has several calls, it runs the hook
// once for each.
type speaking struct {
	hook.Runner
	t       *traits
	event   string
	spell   spelling
	matcher hook.Matcher // the matcher of tools; nil matches every tool
	dir     string       // the hook's directory; "" is the session's
}

// Unwrap returns the Runner of the hook itself.
func (s speaking) Unwrap() hook.Runner { return s.Runner }

// Run runs the hook.
func (s speaking) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if s.dir != "" {
		call.Dir = s.dir
	}
	input := wire.Object(call.Payload)
	if more := input.Get("toolCalls"); more != nil && s.t.closed {
		return s.each(ctx, call, input, more)
	}
	return s.one(ctx, call, input)
}

// one runs the hook once.
func (s speaking) one(ctx context.Context, call hook.Call, input wire.Object) (hook.Reply, error) {
	call.Payload = s.t.payload(s.spell, input)
	reply, err := s.Runner.Run(ctx, call)
	if err == nil && reply.Signal == nil && reply.Exit == 2 && reply.Truncated&hook.Stdout == 0 {
		s.endedByTwo(&reply)
	}
	return reply, err
}

// endedByTwo sets the answer of a hook that exited with status 2. At permissionRequest the answer is a denial with the
// output's message; at postToolUseFailure plain text becomes context for the model (G33, G34).
func (s speaking) endedByTwo(r *hook.Reply) {
	said := wire.Trim(r.Stdout)
	isObject := len(said) > 0 && said[0] == '{' && wire.Object(said).IsValid()
	switch {
	case s.t.spread:
		answer := wire.Object(nil).With("behavior", wire.Quote(string(hook.Deny)))
		if message := wire.Object(said).Text("message"); isObject && message != "" {
			answer = answer.With("message", wire.Quote(message))
		}
		r.Stdout = answer
	case s.t.guides && !isObject && len(said) > 0:
		r.Stdout = wire.Object(nil).With(contextMember, wire.Quote(wire.Valid(said)))
	}
}

// each runs the hook for each call that its matcher accepts, up to the first denial (G24). It
// approves the calls if the hook approves each of them.
func (s speaking) each(
	ctx context.Context, call hook.Call, input wire.Object, calls jsontext.Value,
) (reply hook.Reply, err error) {
	var all []Call
	if err := (wire.Object(`{"calls":` + string(calls) + `}`)).Into(&struct {
		Calls *[]Call `json:"calls"`
	}{&all}); err != nil {
		return reply, err
	}
	base, decode := input.Without("toolName", "toolArgs", "toolUseId", "toolCalls"), s.t.decoder(s.event)
	merged, approved, rewrites := hook.Output[Output]{}, 0, false
	var contexts []string
	var unread []string // notes on the first answer that was not understood
	var doubtful []byte // the first answer that was not understood
	for _, c := range all {
		if s.matcher != nil && !s.matcher.Match(c.Name) {
			continue
		}
		one := base.With("toolName", wire.Quote(c.Name)).With("toolArgs", orNull(c.Args)).With("toolUseId", wire.Quote(c.ID))
		if reply, err = s.one(ctx, call, one); err != nil || reply.Exit != 0 || reply.Signal != nil {
			return reply, err
		}
		out, notes, _ := decode(reply.Stdout)
		if out.Decision.Blocks() {
			return reply, nil
		}
		if len(notes) > 0 && unread == nil {
			unread, doubtful = notes, reply.Stdout
		}
		if out.Decision == hook.Allow {
			approved++
		}
		if out.Decision == hook.Ask && merged.Decision == "" {
			merged.Decision, merged.Reason = out.Decision, out.Reason
		}
		contexts, rewrites = add(contexts, out.Context), rewrites || out.Specific.ModifiedArgs != nil
	}
	if approved == len(all) {
		merged.Decision = hook.Allow
	}
	if unread != nil && merged.Decision != hook.Ask {
		reply.Stdout = doubtful // the engine decodes this answer, and adds the notes
	} else {
		reply.Stdout = batchAnswer(merged, contexts)
		reply.Notes = append(reply.Notes, unread...)
	}
	if rewrites {
		reply.Notes = append(reply.Notes, fmt.Sprintf("modifiedArgs has no effect on %d calls at once", len(all)))
	}
	return reply, nil
}

func batchAnswer(o hook.Output[Output], contexts []string) []byte {
	answer := wire.Object(nil)
	if o.Decision != "" {
		answer = answer.With("permissionDecision", wire.Quote(string(o.Decision))).
			With("permissionDecisionReason", wire.Quote(o.Reason))
	}
	for _, text := range contexts[:min(1, len(contexts))] {
		for _, more := range contexts[1:] {
			text += "\n\n" + more
		}
		answer = answer.With(contextMember, wire.Quote(text))
	}
	return answer
}

func orNull(v jsontext.Value) jsontext.Value {
	if v == nil {
		return jsontext.Value("null")
	}
	return v
}

// promptRunner is a hook of the type "prompt": the agent starts with its text.
type promptRunner string

// Run answers with the prompt.
func (p promptRunner) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{Stdout: wire.Object(nil).With("initialPrompt", wire.Quote(string(p)))}, nil
}
