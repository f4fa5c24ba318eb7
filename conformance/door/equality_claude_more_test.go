package door_test

import (
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// claudeOthers lists the events of Claude Code that the test does not compare, with the reason. Through
// Session.Pipeline, a host fires the events that correspond to no moment.
var claudeOthers = map[string]string{
	"Setup":             "of the installation",
	"ConfigChange":      "of a host's settings",
	"CwdChanged":        "of a host's shell",
	"Elicitation":       "of a host's MCP client",
	"ElicitationResult": "of a host's MCP client",
	"PermissionDenied":  "of a host's classifier",
	"WorktreeCreate":    "of a host's worktrees",
	"TaskCreated":       "of a host's task list",
	"TaskCompleted":     "of a host's task list",
	"TeammateIdle":      "of a host's teams",
	"PostToolBatch":     "of a host's batches",
	"MessageDisplay":    "of a host's screen",
	"StopFailure":       "the output of hooks is ignored",
	"PreCompact":        "no tool, prompt, session or stop",
	"PostCompact":       "no tool, prompt, session or stop",
	"Notification":      "no tool, prompt, session or stop",
}

func init() {
	claudeFires["PostToolUseFailure"] = claudeFailure
	claudeFires["PermissionRequest"] = claudePermission
	claudeFires["SubagentStart"] = claudeSubagentStart
	claudeFires["SubagentStop"] = claudeSubagentStop
	claudeFires["SessionEnd"] = claudeEnd
}

func claudeFailure(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
	in := claude.PostToolUseFailureInput{PreToolUseInput: claudeCall(one), Error: one.Text("error")}
	res, err := claude.PostToolUseFailure.Fire(t.Context(), ses, &in)
	if err != nil {
		t.Fatal(err)
	}
	v := claude.ApplyPostToolUseFailure(res)
	failed := snaphook.ToolResult{Text: two.Text("error"), Failed: true}
	got, err := s.AfterTool(t.Context(), &snaphook.AfterToolInput{ToolCall: agentCall(two), Result: failed})
	return answer{
		Denied: v.Feedback != "", Reason: v.Feedback, Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v.Directive),
	}, of(t, got, err)
}

func claudePermission(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
	in := claude.PermissionRequestInput{PreToolUseInput: claudeCall(one)}
	res, err := claude.PermissionRequest.Fire(t.Context(), ses, &in)
	if err != nil {
		t.Fatal(err)
	}
	v := claude.ApplyPermissionRequest(&in, res)
	got, err := s.Permission(t.Context(), &snaphook.PermissionInput{ToolCall: agentCall(two)})
	a := answer{
		Denied: v.Decision == hook.Deny, Reason: v.Reason, Stop: v.Stop, StopReason: v.StopReason,
		Input: string(v.Input), Contexts: contexts(v.Directive),
	}
	if v.Interrupt {
		a.Stop, a.StopReason = true, v.Reason
	}
	return a, of(t, got, err)
}

func claudeSubagentStart(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
	in := claude.SubagentStartInput{CommonInput: claude.CommonInput{AgentID: one.Text("agent_id"), AgentType: one.Text("agent_type")}}
	res, err := claude.SubagentStart.Fire(t.Context(), ses, &in)
	if err != nil {
		t.Fatal(err)
	}
	v := claude.ApplyLifecycle(res)
	got, err := s.SubagentStart(t.Context(), &snaphook.SubagentStartInput{ID: two.Text("agent_id"), Type: two.Text("agent_type")})
	return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v)}, of(t, got, err)
}

func claudeSubagentStop(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (a, b answer) {
	active := one.Get("stop_hook_active").Kind() == 't'
	in := claude.SubagentStopInput{Transcript: one.Text("agent_transcript_path"), StopInput: claude.StopInput{
		CommonInput: claude.CommonInput{AgentID: one.Text("agent_id"), AgentType: one.Text("agent_type")},
		Active:      active, Message: one.Text("last_assistant_message"),
	}}
	res, err := claude.SubagentStop.Fire(t.Context(), ses, &in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.SubagentStop(t.Context(), &snaphook.SubagentStopInput{
		ID: two.Text("agent_id"), Type: two.Text("agent_type"), Transcript: two.Text("agent_transcript_path"),
		Answer: two.Text("last_assistant_message"), Again: active,
	})
	b = of(t, got, err)
	return stopped(claude.ApplyStop(res), b), b
}

func claudeEnd(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
	res, err := claude.SessionEnd.Fire(t.Context(), ses, &claude.SessionEndInput{Reason: one.Text("reason")})
	if err != nil {
		t.Fatal(err)
	}
	v := claude.ApplyLifecycle(res)
	got, err := s.End(t.Context(), &snaphook.EndInput{Reason: two.Text("reason")})
	return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v)}, of(t, got, err)
}

// stopped returns the answer of an event whose hooks can send an agent back to work.
func stopped(v claude.StopVerdict, through answer) answer {
	a := answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v.Directive), Continue: v.Prompt}
	if v.Again && v.Prompt == "" && a.Contexts != "" { // context without a prompt makes the agent continue
		a.Continue, a.Contexts = a.Contexts, ""
	}
	if v.Again && a.Continue == "" {
		a.Continue = through.Continue // the hooks blocked without a text
	}
	return a
}
