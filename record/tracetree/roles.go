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
	toolMark // belongs to the run of a tool, and neither begins nor ends it
	agentStart
	agentEnd
)

// roles are the roles of the events of the three dialects; every other event is a mark.
var roles = map[string]role{
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

	"llxprt.SessionStart":        sessionStart,
	"llxprt.SessionEnd":          sessionEnd,
	"llxprt.BeforeAgent":         turnStart,
	"llxprt.AfterAgent":          turnEnd,
	"llxprt.BeforeModel":         modelStart,
	"llxprt.BeforeToolSelection": modelEnd, // the call of the model continues
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
}
