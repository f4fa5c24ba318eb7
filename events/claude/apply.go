package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Directive holds the instructions to the caller that all events have in common.
type Directive struct {
	Stop       bool     // end the agent's loop
	StopReason string   // the reason for the user
	Context    []string // tell the model this, a text for each hook
	Messages   []string // show this to the user, a text for each hook
}

// ApplyLifecycle returns the instructions of an event whose hooks cannot block, such as
// SessionStart, SessionEnd, SubagentStart or Notification.
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

// decided returns the decision of the hooks. It ignores a block that the reducer derived from "continue": false alone.
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

// BlockVerdict lists the instructions of an event whose hooks can block.
type BlockVerdict struct {
	Directive
	Run    bool   // go ahead
	Reason string // the reason of a block; empty after a stop alone
}

// ApplyBlock returns the instructions of an event whose hooks can only block: PreCompact, ConfigChange, TaskCreated and
// the like. Run is false after a block and after a stop; Reason is set only after a block.
func ApplyBlock[Out any](res *hook.Result[Out]) BlockVerdict {
	v := BlockVerdict{Directive: ApplyLifecycle(res)}
	blocked := decided(res).Blocks() && res.OverriddenBlock == ""
	if v.Run = !blocked && !v.Stop; blocked {
		v.Reason = res.Reason
	}
	return v
}

// ToolVerdict lists the instructions of PreToolUse.
type ToolVerdict struct {
	Directive
	Run      bool          // run the tool: at once if Decision is allow, else after the normal permission checks
	Decision hook.Decision // allow, ask, defer or deny; empty: use the normal permission checks
	Reason   string        // of the Decision
	Input    wire.Object   // the arguments to run the tool with, changed or not
}

// ApplyPreToolUse returns the instructions for a tool call. Run is false for ask and defer, because the user decides.
// Run is also false after a stop, which does not change Decision.
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

// PermissionVerdict lists the instructions of PermissionRequest.
type PermissionVerdict struct {
	Directive
	Decision    hook.Decision // allow or deny; empty: ask the user
	Reason      string        // the reason of a denial, for the model
	Interrupt   bool          // after a denial, stop the agent
	Input       wire.Object   // the arguments to run the tool with, changed or not
	Permissions []wire.Object // permission rules to add to the session
}

// ApplyPermissionRequest returns the instructions that replace a question to the user.
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

// ResultVerdict lists the instructions of PostToolUse or PostToolUseFailure.
type ResultVerdict struct {
	Directive
	Feedback string         // the objections of hooks, for the model in addition to the result
	Response jsontext.Value // the result for the model, changed or not; nil after a failure
}

// ApplyPostToolUse returns the instructions for the result of a tool. A block undoes nothing: its
// reason is Feedback.
func ApplyPostToolUse(done *PostToolUseInput, res *hook.Result[PostToolUseOutput]) ResultVerdict {
	v := ResultVerdict{Directive: ApplyLifecycle(res), Feedback: feedback(res), Response: done.Response}
	if edited := res.Specific.UpdatedToolOutput; edited != nil {
		v.Response = edited
	}
	return v
}

// ApplyPostToolUseFailure returns the instructions for a failed tool.
func ApplyPostToolUseFailure(res *hook.Result[BasicOutput]) ResultVerdict {
	return ResultVerdict{Directive: ApplyLifecycle(res), Feedback: feedback(res)}
}

// feedback returns the reasons of the hooks that blocked, even at an event at which a block has no effect.
func feedback[Out any](res *hook.Result[Out]) string {
	var reasons []string
	for i := range res.Reports {
		if r := &res.Reports[i]; !r.Backgrounded && r.Output.Decision.Blocks() {
			reasons = appendText(reasons, r.Output.Reason)
		}
	}
	return strings.Join(reasons, "\n")
}

// PromptVerdict lists the instructions of UserPromptSubmit or UserPromptExpansion.
type PromptVerdict struct {
	Directive
	Run    bool   // let the agent work on the prompt, with Context for the model
	Reason string // the reason of a block, for the user; empty after a stop alone
	Hide   bool   // leave the prompt out of the message about the block
	Title  string // the session's title, if a hook gave one
}

// ApplyUserPromptSubmit returns the instructions for a prompt.
func ApplyUserPromptSubmit(res *hook.Result[UserPromptSubmitOutput]) PromptVerdict {
	b := ApplyBlock(res)
	return PromptVerdict{
		Directive: b.Directive, Run: b.Run, Reason: b.Reason,
		Hide: res.Specific.SuppressOriginalPrompt, Title: res.Specific.SessionTitle,
	}
}

// StopVerdict lists the instructions of Stop or SubagentStop.
type StopVerdict struct {
	Directive
	Again  bool   // make the agent continue
	Prompt string // the text with which to send it back; empty if Context contains the whole text
}

// ApplyStop returns the instructions for an agent that is about to end its answer. A stop overrides
// a block; [StopCap] limits how often hooks can keep the agent going.
func ApplyStop(res *hook.Result[BasicOutput]) StopVerdict {
	v := StopVerdict{Directive: ApplyLifecycle(res)}
	if v.Again = res.Blocked() && res.OverriddenBlock == "" && !v.Stop; v.Again {
		v.Prompt = res.Reason
	}
	return v
}
