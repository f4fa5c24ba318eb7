package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Directive is what every result asks of the caller besides the event's own.
type Directive struct {
	Stop       bool     // end the agent's loop
	StopReason string   // tell the user why
	Context    []string // tell the model this, a text for each hook
	Messages   []string // show this to the user, a text for each hook
}

// ApplyLifecycle says what a caller has to do after an event whose hooks cannot
// block, such as SessionStart, SessionEnd, SubagentStart or Notification.
func ApplyLifecycle[Out any](res *hook.Result[Out]) (d Directive) {
	if d.Stop = res.Stop; d.Stop {
		d.StopReason = res.StopReason
	}
	for i := range res.Reports {
		if r := &res.Reports[i]; !r.Backgrounded {
			d.Context = appendText(d.Context, r.Output.Context)
			d.Messages = appendText(d.Messages, r.Output.Message)
		}
	}
	return d
}

// decided is the decision that hooks have made, without the block that stands
// for "continue": false alone.
func decided[Out any](res *hook.Result[Out]) (d hook.Decision) {
	if !res.Stop || !res.Decision.Blocks() {
		return res.Decision
	}
	for i := range res.Reports {
		if r := &res.Reports[i]; rank[r.Output.Decision] > rank[d] {
			d = r.Output.Decision
		}
	}
	return d
}

// BlockVerdict is what a caller has to do after an event whose hooks can keep
// something from going ahead.
type BlockVerdict struct {
	Directive
	Run    bool   // go ahead
	Reason string // when it must not: why
}

// ApplyBlock says what a caller has to do after an event whose hooks can block,
// and no more: PreCompact, ConfigChange, TaskCreated and the like. A stop alone is
// not a block; Run is false with either.
func ApplyBlock[Out any](res *hook.Result[Out]) BlockVerdict {
	v := BlockVerdict{Directive: ApplyLifecycle(res)}
	blocked := decided(res).Blocks() && res.OverriddenBlock == ""
	if v.Run = !blocked && !v.Stop; blocked {
		v.Reason = res.Reason
	}
	return v
}

// ToolVerdict is what a caller has to do after PreToolUse.
type ToolVerdict struct {
	Directive
	Run      bool          // run the tool; if Decision is not allow, after the normal permission checks
	Decision hook.Decision // allow, ask, defer or deny; empty: hooks leave it to the normal permission checks
	Reason   string        // of the Decision
	Input    wire.Object   // the arguments to run the tool with, changed or not
}

// ApplyPreToolUse says what a caller has to do with a tool call. With ask and
// defer Run is false: the user decides. A stop alone leaves the Decision as it is.
func ApplyPreToolUse(call *PreToolUseInput, res *hook.Result[PreToolUseOutput]) ToolVerdict {
	v := ToolVerdict{Directive: ApplyLifecycle(res), Decision: permissions[decided(res)], Input: call.Input}
	if v.Decision != "" {
		v.Reason = res.Reason
	}
	if input := res.Specific.UpdatedInput; input != nil && v.Decision != hook.Deny {
		v.Input = input
	}
	v.Run = !v.Stop && (v.Decision == "" || v.Decision == hook.Allow)
	return v
}

// PermissionVerdict is what a caller has to do after PermissionRequest.
type PermissionVerdict struct {
	Directive
	Decision    hook.Decision // allow or deny; empty: ask the user
	Reason      string        // of a denial, for the model
	Interrupt   bool          // the agent stops, with a denial
	Input       wire.Object   // the arguments to run the tool with, changed or not
	Permissions []wire.Object // what the session permits from now on
}

// ApplyPermissionRequest says what a caller has to do in place of asking the user.
func ApplyPermissionRequest(call *PermissionRequestInput, res *hook.Result[PermissionRequestOutput]) PermissionVerdict {
	v := PermissionVerdict{Directive: ApplyLifecycle(res), Input: call.Input}
	d := res.Specific.Decision
	if d == nil {
		return v
	}
	v.Decision, v.Reason = hook.Decision(d.Behavior), d.Message
	v.Interrupt, v.Permissions = d.Interrupt, d.UpdatedPermissions
	if d.UpdatedInput != nil {
		v.Input = d.UpdatedInput
	}
	return v
}

// ResultVerdict is what a caller has to do after PostToolUse or
// PostToolUseFailure.
type ResultVerdict struct {
	Directive
	Feedback string         // tell the model this beside the result: why a hook objects to what was done
	Response jsontext.Value // the result that the model sees, changed or not; nil after a failure
}

// ApplyPostToolUse says what a caller has to do with the result of a tool. A block
// undoes nothing: its reason is Feedback.
func ApplyPostToolUse(done *PostToolUseInput, res *hook.Result[PostToolUseOutput]) ResultVerdict {
	v := ResultVerdict{Directive: ApplyLifecycle(res), Feedback: feedback(res), Response: done.Response}
	if edited := res.Specific.UpdatedToolOutput; edited != nil {
		v.Response = edited
	}
	return v
}

// ApplyPostToolUseFailure says what a caller has to do when a tool has failed.
func ApplyPostToolUseFailure(res *hook.Result[BasicOutput]) ResultVerdict {
	return ResultVerdict{Directive: ApplyLifecycle(res), Feedback: feedback(res)}
}

// feedback are the reasons of the hooks that blocked, also where the event has
// nothing to block.
func feedback[Out any](res *hook.Result[Out]) string {
	var reasons []string
	for i := range res.Reports {
		if r := &res.Reports[i]; !r.Backgrounded && r.Output.Decision.Blocks() {
			reasons = appendText(reasons, r.Output.Reason)
		}
	}
	return strings.Join(reasons, "\n")
}

// PromptVerdict is what a caller has to do after UserPromptSubmit or
// UserPromptExpansion.
type PromptVerdict struct {
	Directive
	Run    bool   // let the agent work on the prompt, with Context for the model
	Reason string // when it must not: why, for the user
	Hide   bool   // leave the prompt out of the message about the block
	Title  string // of the session, if a hook gave one
}

// ApplyUserPromptSubmit says what a caller has to do with a prompt.
func ApplyUserPromptSubmit(res *hook.Result[UserPromptSubmitOutput]) PromptVerdict {
	b := ApplyBlock(res)
	return PromptVerdict{
		Directive: b.Directive, Run: b.Run, Reason: b.Reason,
		Hide: res.Specific.SuppressOriginalPrompt, Title: res.Specific.SessionTitle,
	}
}

// StopVerdict is what a caller has to do after Stop or SubagentStop.
type StopVerdict struct {
	Directive
	Again  bool   // send the agent back to work
	Prompt string // with this text; empty if all there is to say is in Context
}

// ApplyStop says what a caller has to do when the agent is about to end its answer.
// A stop is stronger than a block; [StopCap] bounds how often hooks can keep it
// going.
func ApplyStop(res *hook.Result[BasicOutput]) StopVerdict {
	v := StopVerdict{Directive: ApplyLifecycle(res)}
	if v.Again = res.Blocked() && res.OverriddenBlock == "" && !v.Stop; v.Again {
		v.Prompt = res.Reason
	}
	return v
}
