package codex

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// reducer merges the answers of an event in plan order (CX33 to CX36). Any denial overrides an approval. At Stop and
// SubagentStop, any stop overrides both. The merged answer has the messages and contexts of all hooks and, unless the
// call is denied, the last rewrite.
func reducer(t *traits) hook.Reducer[Output] {
	return func(outs iter.Seq[hook.Output[Output]]) hook.Output[Output] {
		// One struct: separate variables, assigned in the body of a range-over-func loop, would each be
		// allocated.
		so := new(merging)
		for o := range outs {
			so.add(&o)
		}
		return so.finish(t)
	}
}

type merging struct {
	all                         hook.Output[Output]
	reasons, messages, contexts []string
}

func (m *merging) add(o *hook.Output[Output]) {
	all := &m.all
	switch {
	case o.Decision.Blocks():
		all.Decision = o.Decision
		m.reasons = append(m.reasons, o.Reason)
	case o.Stop && o.Reason != "": // the feedback of PostToolUse
		m.reasons = append(m.reasons, o.Reason)
	case o.Decision != "" && all.Decision == "":
		all.Decision = o.Decision
	}
	if o.Stop && (!all.Stop || all.StopReason == "") {
		all.Stop, all.StopReason = true, o.StopReason
	}
	all.Suppress = all.Suppress || o.Suppress
	if o.Specific.UpdatedInput != nil {
		all.Specific.UpdatedInput = o.Specific.UpdatedInput
	}
	if g := o.Specific.Decision; g != nil && (all.Specific.Decision == nil || g.Behavior == "deny" && all.Specific.Decision.Behavior != "deny") {
		all.Specific.Decision = g
	}
	if o.Message != "" {
		m.messages = append(m.messages, o.Message)
	}
	if o.Context != "" {
		m.contexts = append(m.contexts, o.Context)
	}
}

func (m *merging) finish(t *traits) hook.Output[Output] {
	all := m.all
	all.Set = hook.SetAnswer
	all.Message, all.Context = strings.Join(m.messages, "\n"), strings.Join(m.contexts, "\n")
	switch {
	case t.frees && all.Stop:
		all.Decision = ""
	case len(m.reasons) == 0:
	case t.joins:
		all.Reason = strings.Join(m.reasons, "\n\n")
	default:
		all.Reason = m.reasons[0]
	}
	if all.Decision.Blocks() {
		all.Specific.UpdatedInput = nil
	}
	return all
}

// settle removes from a hook's report the parts that its event does not honour, shortens texts that are too long for
// the model, and notes why a run is Failed.
func settle(s *pipeline.Session, t *traits, can pipeline.Capability, r *hook.Report[Output]) {
	o := &r.Output
	if o.Stop && can&pipeline.CanStop == 0 {
		if r.Err == nil {
			r.Notes = append(r.Notes, fmt.Sprintf("continue: false has no effect on %s", r.Hook.Event))
		}
		o.Stop, o.StopReason = false, ""
	}
	if o.Decision != "" && can&pipeline.CanBlock == 0 {
		o.Decision, o.Reason = "", ""
	}
	if t.deaf {
		o.Context = ""
	}
	if wrong, ok := errors.AsType[*format.AnswerError](r.Err); ok {
		o.Message = wrong.Message
	}
	limit := limitOf(s, r.Hook)
	for _, text := range []*string{&o.Context, &o.Reason} {
		spill(s, limit, text, &r.Notes)
	}
	if can&pipeline.CanBlock != 0 {
		format.NoteLostDenial(r)
	}
	format.NoteFailed(r)
}

// concludeCall denies a call if its new input is invalid for the tool, or cannot be converted to the host's arguments.
// Bash and apply_patch need a command. In Codex itself, a call with invalid input fails with a message for the model
// (CX37).
func concludeCall(_ *pipeline.Session, in *PreToolUseInput, res *hook.Result[Output]) {
	now := res.Specific.UpdatedInput
	if now == nil || res.Decision.Blocks() {
		return
	}
	wrong := ""
	if command := wire.Object(now).Get("command"); !now.IsObject() {
		wrong = "the new input that a hook has written is not a JSON object"
	} else if _, isText := wire.Text(command); !isText && (in.Tool == "Bash" || in.Tool == "apply_patch") {
		wrong = fmt.Sprintf("the new input that a hook has written for %s has no string \"command\"", in.Tool)
	} else if in.Made {
		wrong = fmt.Sprintf("the new input that a hook has written for %s cannot be put into the arguments of the host's tool", in.Tool)
	}
	if wrong == "" {
		return
	}
	res.Decision, res.Reason, res.Specific.UpdatedInput = hook.Deny, wrong, nil
	for i := len(res.Reports) - 1; i >= 0; i-- {
		if r := &res.Reports[i]; r.Output.Specific.UpdatedInput != nil {
			r.Notes = append(r.Notes, wrong+"; the call is not run")
			return
		}
	}
}

// effects returns everything that a host has to apply.
func effects(t *traits, call *Call, res *hook.Result[Output]) *format.Effects {
	e := format.EffectsOf(res)
	if t.silent {
		e.UserSees = nil
	}
	if t.verdict != nil {
		t.verdict(e, call, &res.Output)
	}
	return e
}

// denyCall sets the effects of PreToolUse. An allow approves nothing (CX25).
func denyCall(e *format.Effects, call *Call, o *hook.Output[Output]) {
	if o.Decision.Blocks() {
		e.Decide(hook.Deny)
		e.TellModel(blocked(call, o.Reason))
	}
	e.UpdatedInput = jsontext.Value(o.Specific.UpdatedInput)
}

// blocked returns the text that the model gets in place of a result.
func blocked(call *Call, reason string) string {
	if call.Tool == "Bash" || call.Tool == "apply_patch" {
		return "Command blocked by PreToolUse hook: " + reason + ". Command: " + call.Input.Text("command")
	}
	return "Tool call blocked by PreToolUse hook: " + reason + ". Tool: " + call.Tool
}

// answerPermission sets the effects of PermissionRequest.
func answerPermission(e *format.Effects, _ *Call, o *hook.Output[Output]) {
	switch {
	case o.Decision.Blocks():
		e.Decide(hook.Deny)
		e.TellModel(o.Reason)
	case o.Decision == hook.Allow, o.Decision == hook.Approve:
		e.Decide(hook.Allow)
	}
}

// refusePrompt sets the effects of UserPromptSubmit.
func refusePrompt(e *format.Effects, _ *Call, o *hook.Output[Output]) {
	if o.Decision.Blocks() {
		e.Decide(hook.Deny)
		e.TellUser(o.Reason)
	}
}

// replaceResult sets the effects of PostToolUse: feedback replaces the result.
func replaceResult(e *format.Effects, _ *Call, o *hook.Output[Output]) {
	if (o.Decision.Blocks() || o.Stop) && o.Reason != "" {
		e.UpdatedOutput = wire.Quote(o.Reason)
		e.TellModel(o.Reason)
	}
}

// goOn sets the effects of Stop and SubagentStop.
func goOn(e *format.Effects, _ *Call, o *hook.Output[Output]) {
	if o.Decision.Blocks() && !o.Stop {
		e.Followup = &o.Reason
		e.TellModel(o.Reason)
	}
}
