package tracetree

// role is the meaning of an event for the tree.
type role uint8

const (
	mark role = iota
	sessionStart
	sessionEnd
	turnStart
	turnEnd
	turnFailed
	modelStart
	modelEnd
	toolStart
	toolEnd
	toolFailed
	toolMark // belongs to a tool run that it neither begins nor ends
	agentStart
	agentEnd
)

// kin returns the role that a role is compared as: a failed tool counts as an ended tool, a failed turn as an ended
// turn.
func (r role) kin() role {
	switch r {
	case turnFailed:
		return turnEnd
	case toolFailed:
		return toolEnd
	}
	return r
}

// roles maps the events of all dialects, and of a program's own hooks (host), to roles. Every other event is a mark.
var roles = map[string]role{
	"host.Start":         sessionStart,
	"host.End":           sessionEnd,
	"host.Prompt":        turnStart,
	"host.Stop":          turnEnd,
	"host.BeforeModel":   modelStart,
	"host.ToolChoice":    modelEnd, // an event of the model call, which it does not end: see endModel
	"host.AfterModel":    modelEnd,
	"host.BeforeTool":    toolStart,
	"host.AfterTool":     toolEnd,
	"host.Permission":    toolMark,
	"host.SubagentStart": agentStart,
	"host.SubagentStop":  agentEnd,

	"claude.SessionStart":       sessionStart,
	"claude.SessionEnd":         sessionEnd,
	"claude.UserPromptSubmit":   turnStart,
	"claude.Stop":               turnEnd,
	"claude.StopFailure":        turnFailed,
	"claude.PreToolUse":         toolStart,
	"claude.PostToolUse":        toolEnd,
	"claude.PostToolUseFailure": toolFailed,
	"claude.PermissionRequest":  toolMark,
	"claude.PermissionDenied":   toolMark,
	"claude.SubagentStart":      agentStart,
	"claude.SubagentStop":       agentEnd,

	"codex.SessionStart":      sessionStart,
	"codex.SessionEnd":        sessionEnd,
	"codex.UserPromptSubmit":  turnStart,
	"codex.Stop":              turnEnd,
	"codex.PreToolUse":        toolStart,
	"codex.PostToolUse":       toolEnd,
	"codex.PermissionRequest": toolMark,
	"codex.SubagentStart":     agentStart,
	"codex.SubagentStop":      agentEnd,

	"copilot.sessionStart":        sessionStart,
	"copilot.sessionEnd":          sessionEnd,
	"copilot.userPromptSubmitted": turnStart,
	"copilot.agentStop":           turnEnd,
	"copilot.preToolUse":          toolStart,
	"copilot.postToolUse":         toolEnd,
	"copilot.postToolUseFailure":  toolFailed,
	"copilot.permissionRequest":   toolMark,
	"copilot.subagentStart":       agentStart,
	"copilot.subagentStop":        agentEnd,

	"cursor.sessionStart":         sessionStart,
	"cursor.sessionEnd":           sessionEnd,
	"cursor.beforeSubmitPrompt":   turnStart,
	"cursor.stop":                 turnEnd,
	"cursor.preToolUse":           toolStart,
	"cursor.postToolUse":          toolEnd,
	"cursor.postToolUseFailure":   toolFailed,
	"cursor.beforeShellExecution": toolMark,
	"cursor.afterShellExecution":  toolMark,
	"cursor.beforeMCPExecution":   toolMark,
	"cursor.afterMCPExecution":    toolMark,
	"cursor.subagentStart":        agentStart,
	"cursor.subagentStop":         agentEnd,

	"llxprt.SessionStart":        sessionStart,
	"llxprt.SessionEnd":          sessionEnd,
	"llxprt.BeforeAgent":         turnStart,
	"llxprt.AfterAgent":          turnEnd,
	"llxprt.BeforeModel":         modelStart,
	"llxprt.BeforeToolSelection": modelEnd, // an event of the model call, which it does not end: see endModel
	"llxprt.AfterModel":          modelEnd,
	"llxprt.BeforeTool":          toolStart,
	"llxprt.AfterTool":           toolEnd,

	"xcsh.session_start":    sessionStart,
	"xcsh.session_shutdown": sessionEnd,
	"xcsh.agent_start":      turnStart,
	"xcsh.agent_end":        turnEnd,
	"xcsh.turn_start":       modelStart,
	"xcsh.turn_end":         modelEnd,
	"xcsh.tool_call":        toolStart,
	"xcsh.tool_result":      toolEnd,

	"xcsh-extension.session_start":    sessionStart,
	"xcsh-extension.session_shutdown": sessionEnd,
	"xcsh-extension.agent_start":      turnStart,
	"xcsh-extension.agent_end":        turnEnd,
	"xcsh-extension.turn_start":       modelStart,
	"xcsh-extension.turn_end":         modelEnd,
	"xcsh-extension.tool_call":        toolStart,
	"xcsh-extension.tool_result":      toolEnd,
}
