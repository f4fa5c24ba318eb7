package claude

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Each function of this file whose name begins with add merges an event's own part of one hook's answer into the own
// part of the merged answer.

// addGate keeps the strictest permission, and the whole rewrite of the hook that is last in plan order, even if another
// hook finishes later: the same configuration always gives the same answer. A denial removes the rewrite.
func addGate(all *PreToolUseOutput, one *hook.Output[PreToolUseOutput]) {
	g := one.Specific
	if rank[g.PermissionDecision] > rank[all.PermissionDecision] {
		all.PermissionDecision, all.PermissionDecisionReason = g.PermissionDecision, ""
	}
	if g.PermissionDecision == all.PermissionDecision && all.PermissionDecisionReason == "" {
		all.PermissionDecisionReason = one.Reason
	}
	if g.UpdatedInput != nil {
		all.UpdatedInput = g.UpdatedInput
	}
	if all.PermissionDecision == hook.Deny {
		all.UpdatedInput = nil
	}
}

func addSwitch(all *PreModelSwitchOutput, one *hook.Output[PreModelSwitchOutput]) {
	g := one.Specific
	if rank[g.PermissionDecision] > rank[all.PermissionDecision] {
		all.PermissionDecision, all.PermissionDecisionReason = g.PermissionDecision, one.Reason
	}
}

// rewrites returns the arguments that a hook set, as {"tool_input": …}; nil if the hook set none.
func rewrites(o *hook.Output[PreToolUseOutput]) wire.Object { return asInput(o.Specific.UpdatedInput) }

// asInput returns an object whose member tool_input holds the arguments; nil for no arguments.
func asInput(arguments wire.Object) wire.Object {
	if arguments == nil {
		return nil
	}
	return wire.Object(nil).With("tool_input", []byte(arguments))
}

// addPermission keeps any denial, and joins the permission rules.
func addPermission(all *PermissionRequestOutput, one *hook.Output[PermissionRequestOutput]) {
	g := one.Specific.Decision
	if g == nil {
		return
	}
	grant := *g
	grant.Message = one.Reason
	switch a := all.Decision; {
	case a == nil || a.Behavior == "allow" && grant.Behavior == "deny":
	case a.Behavior == "deny" && grant.Behavior == "allow":
		grant = *a
	case grant.Behavior == "deny":
		interrupt := a.Interrupt || grant.Interrupt
		if a.Message != "" {
			grant.Message = a.Message
		}
		grant.Interrupt = interrupt
	default:
		if grant.UpdatedInput == nil {
			grant.UpdatedInput = a.UpdatedInput
		}
		grant.UpdatedPermissions = slices.Concat(a.UpdatedPermissions, grant.UpdatedPermissions)
	}
	all.Decision = &grant
}

func addRetry(all *PermissionDeniedOutput, one *hook.Output[PermissionDeniedOutput]) {
	all.Retry = all.Retry || one.Specific.Retry
}

// maxClassifier limits the characters of context for the classifier, of all hooks together (release 2.1.236).
const maxClassifier = 2_000

func addEdit(all *PostToolUseOutput, one *hook.Output[PostToolUseOutput]) {
	e := one.Specific
	if e.UpdatedToolOutput != nil {
		all.UpdatedToolOutput = e.UpdatedToolOutput
	}
	if e.ClassifierContext != "" {
		texts := appendText(nil, all.ClassifierContext)
		all.ClassifierContext = beginning(strings.Join(append(texts, e.ClassifierContext), "\n"), maxClassifier)
	}
}

func addOpening(all *SessionStartOutput, one *hook.Output[SessionStartOutput]) {
	o := one.Specific
	if o.InitialUserMessage != "" {
		all.InitialUserMessage = o.InitialUserMessage
	}
	if o.SessionTitle != "" {
		all.SessionTitle = o.SessionTitle
	}
	all.WatchPaths = joined(all.WatchPaths, o.WatchPaths)
	all.ReloadSkills = all.ReloadSkills || o.ReloadSkills
}

func addPromptGate(all *UserPromptSubmitOutput, one *hook.Output[UserPromptSubmitOutput]) {
	if title := one.Specific.SessionTitle; title != "" {
		all.SessionTitle = title
	}
	all.SuppressOriginalPrompt = all.SuppressOriginalPrompt || one.Specific.SuppressOriginalPrompt
}

func addWatch(all *FileChangedOutput, one *hook.Output[FileChangedOutput]) {
	all.WatchPaths = joined(all.WatchPaths, one.Specific.WatchPaths)
}

// joined appends one to all. It returns nil only if both are nil, because nil and an empty list differ.
func joined(all, one []string) []string {
	if one == nil {
		return all
	}
	if all == nil {
		all = []string{}
	}
	return append(slices.Clip(all), one...)
}

// addPath keeps the first path: the caller wants one worktree.
func addPath(all *WorktreeCreateOutput, one *hook.Output[WorktreeCreateOutput]) {
	if all.WorktreePath == "" {
		all.WorktreePath = one.Specific.WorktreePath
	}
}

// addReply keeps a refusal if there is one, and otherwise the last answer.
func addReply(all *ElicitationOutput, one *hook.Output[ElicitationOutput]) {
	r := one.Specific
	refused := all.Action == "decline" || all.Action == "cancel"
	if r.Action == "" || refused && r.Action == "accept" {
		return
	}
	all.Action, all.Content = r.Action, r.Content
}

func addDisplay(all *MessageDisplayOutput, one *hook.Output[MessageDisplayOutput]) {
	if text := one.Specific.DisplayContent; text != nil {
		all.DisplayContent = text
	}
}
