// Package door connects the hooks of Cursor to the root package: [Cursor] is a dialect for snaphook.Config. It is a
// separate package so that programs without Cursor do not link its events.
package door

import (
	"cmp"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Cursor returns the hook system of Cursor. The zero Settings find the files where Cursor keeps them. Set Alone if
// Dialects also contains Claude Code, whose hooks would otherwise run twice.
//
// A tool call fires preToolUse, and then beforeShellExecution or beforeMCPExecution. beforeReadFile fires when the host
// has read a file, before the model gets the content; a denial replaces the content. Cursor has no event for
// permissions. Its events of Cursor Tab, afterAgentResponse, afterAgentThought and workspaceOpen have no moment: a host
// fires them itself.
func Cursor(cfg cursor.Settings) *snaphook.Dialect {
	names := &servers{}
	return snaphook.NewDialect(cursor.Dialect,
		snaphook.DialectConfig{Load: cfg.Load, ToolName: names.toolName, Argument: argument},
		fires(cursor.SessionStart, func(*snaphook.StartInput) (s cursor.SessionStartInput) { return s }, nil),
		fires(cursor.BeforeSubmitPrompt, func(in *snaphook.PromptInput) cursor.BeforeSubmitPromptInput {
			return cursor.BeforeSubmitPromptInput{Prompt: in.Text}
		}, nil),
		snaphook.InTurn(
			snaphook.Turn[snaphook.ToolCall]{Stage: fires(cursor.PreToolUse, func(in *snaphook.ToolCall) cursor.PreToolUseInput {
				return cursor.PreToolUseInput{Call: call(in)}
			}, func(res *hook.Result[cursor.Output], v *snaphook.Verdict) { v.Input = res.Specific.UpdatedInput })},
			snaphook.Turn[snaphook.ToolCall]{When: isShell, Stage: fires(cursor.BeforeShellExecution,
				func(in *snaphook.ToolCall) cursor.BeforeShellExecutionInput {
					return cursor.BeforeShellExecutionInput{Command: in.Input.Text("command")}
				}, nil)},
			snaphook.Turn[snaphook.ToolCall]{When: isMCP, Stage: fires(cursor.BeforeMCPExecution,
				func(in *snaphook.ToolCall) cursor.BeforeMCPExecutionInput {
					return cursor.BeforeMCPExecutionInput{Tool: bare(in), Input: text(in.Input), Server: names.of(bare(in))}
				}, nil)},
		),
		snaphook.InTurn(
			after(isRead, false, fires(cursor.BeforeReadFile, func(in *snaphook.AfterToolInput) cursor.BeforeReadFileInput {
				return cursor.BeforeReadFileInput{Path: in.Input.Text("file_path"), Content: content(&in.Result)}
			}, withhold)),
			after(nil, false, fires(cursor.PostToolUse, func(in *snaphook.AfterToolInput) cursor.PostToolUseInput {
				return cursor.PostToolUseInput{Call: call(&in.ToolCall), Output: cursor.Text(output(&in.Result))}
			}, replace)),
			after(nil, true, fires(cursor.PostToolUseFailure,
				func(in *snaphook.AfterToolInput) cursor.PostToolUseFailureInput {
					return cursor.PostToolUseFailureInput{Call: call(&in.ToolCall), Error: in.Result.Text, Failure: "error"}
				}, nil)),
			after(isShell, false, fires(cursor.AfterShellExecution,
				func(in *snaphook.AfterToolInput) cursor.AfterShellExecutionInput {
					return cursor.AfterShellExecutionInput{Command: in.Input.Text("command"), Output: content(&in.Result)}
				}, nil)),
			after(isMCP, false, fires(cursor.AfterMCPExecution, func(in *snaphook.AfterToolInput) cursor.AfterMCPExecutionInput {
				name := bare(&in.ToolCall)
				return cursor.AfterMCPExecutionInput{
					Tool: name, Input: text(in.Input), Server: names.of(name), Result: cursor.Text(output(&in.Result)),
				}
			}, nil)),
			after(isWrite, false, fires(cursor.AfterFileEdit, func(in *snaphook.AfterToolInput) cursor.AfterFileEditInput {
				edit := cursor.Edit{Old: in.Input.Text("old_string"), New: cmp.Or(in.Input.Text("new_string"), in.Input.Text("content"))}
				return cursor.AfterFileEditInput{Path: in.Input.Text("file_path"), Edits: []cursor.Edit{edit}}
			}, nil)),
		),
		fires(cursor.SubagentStart, func(in *snaphook.SubagentStartInput) cursor.SubagentStartInput {
			return cursor.SubagentStartInput{ID: in.ID, Type: in.Type}
		}, nil),
		fires(cursor.SubagentStop, func(in *snaphook.SubagentStopInput) cursor.SubagentStopInput {
			s := cursor.SubagentStopInput{Ending: ending(in.Again), Type: in.Type, Summary: in.Answer}
			if in.Transcript != "" {
				s.Transcript = &in.Transcript
			}
			return s
		}, goOn),
		fires(cursor.Stop, func(in *snaphook.StopInput) cursor.StopInput {
			return cursor.StopInput{Ending: ending(in.Again)}
		}, goOn),
		fires(cursor.PreCompact, func(in *snaphook.BeforeCompactInput) cursor.PreCompactInput {
			return cursor.PreCompactInput{Trigger: cmp.Or(in.Trigger, "auto")}
		}, nil),
		fires(cursor.SessionEnd, func(in *snaphook.EndInput) cursor.SessionEndInput {
			return cursor.SessionEndInput{Reason: cmp.Or(in.Reason, "completed")}
		}, nil),
	)
}

// fires returns the stage that fires an event. It copies the contexts and messages of each hook, in order.
func fires[In snaphook.Input, E any](
	ev *pipeline.Event[E, cursor.Output], input func(*In) E, read func(*hook.Result[cursor.Output], *snaphook.Verdict),
) snaphook.Stage {
	return snaphook.Fires(ev, input, func(res *hook.Result[cursor.Output], v *snaphook.Verdict) {
		if e := format.EffectsOf(res); len(res.Reports) > 0 {
			v.Context, v.Messages = e.AdditionalContext, e.SystemMessages
		}
		if read != nil {
			read(res, v)
		}
	})
}

// after returns the turn of an event that fires after a failed tool if failed is set, and otherwise after a successful
// tool. of selects the tools; nil selects all.
func after(of func(*snaphook.ToolCall) bool, failed bool, stage snaphook.Stage) snaphook.Turn[snaphook.AfterToolInput] {
	return snaphook.Turn[snaphook.AfterToolInput]{Stage: stage, When: func(in *snaphook.AfterToolInput) bool {
		return in.Result.Failed == failed && (of == nil || of(&in.ToolCall))
	}}
}

// withhold replaces the content of a file by the reason of a denial.
func withhold(res *hook.Result[cursor.Output], v *snaphook.Verdict) {
	if res.Blocked() {
		v.Result = &snaphook.ToolResult{Text: res.Reason, Failed: true}
		v.Decision, v.Reason = hook.Undecided, ""
	}
}

// replace replaces the result of an MCP server's tool.
func replace(res *hook.Result[cursor.Output], v *snaphook.Verdict) {
	if now := res.Specific.ToolOutput; now != nil {
		v.Result = &snaphook.ToolResult{Text: string(now), Data: now}
		if said, ok := wire.Text(now); ok {
			v.Result = &snaphook.ToolResult{Text: said}
		}
	}
}

// goOn makes the agent continue if hooks blocked.
func goOn(res *hook.Result[cursor.Output], v *snaphook.Verdict) {
	if res.Blocked() {
		v.Continue = res.Reason
	}
	v.Decision, v.Reason = hook.Undecided, ""
}

// ending returns the Ending of an agent; the session counts the follow-ups. again means that a hook has made the agent
// continue before.
func ending(again bool) cursor.Ending {
	e := cursor.Ending{Status: "completed", Uncounted: true}
	if again {
		e.Loops = 1
	}
	return e
}

func call(c *snaphook.ToolCall) cursor.Call {
	return cursor.Call{Tool: c.Name, Input: c.Input, ID: c.ID}
}

func text(args wire.Object) cursor.Text { return cursor.Text(cmp.Or(string(args), "{}")) }

// content returns a result as text.
func content(r *snaphook.ToolResult) string { return cmp.Or(r.Text, string(r.Data)) }

// output returns a result as JSON.
func output(r *snaphook.ToolResult) string {
	return cmp.Or(string(r.Data), string(wire.Quote(r.Text)))
}

const mcp = "MCP:"

func isShell(c *snaphook.ToolCall) bool { return c.Name == "Shell" }
func isRead(c *snaphook.ToolCall) bool  { return c.Name == "Read" }
func isWrite(c *snaphook.ToolCall) bool { return c.Name == "Write" }
func isMCP(c *snaphook.ToolCall) bool   { return strings.HasPrefix(c.Name, mcp) }

// bare returns the name of an MCP server's tool without the prefix.
func bare(c *snaphook.ToolCall) string { return strings.TrimPrefix(c.Name, mcp) }

// servers maps the names of tools to their servers, because Cursor's names do not contain the server. It is safe for
// concurrent use.
type servers struct{ byTool sync.Map }

// of returns the server of a tool; "" if several have a tool of that name.
func (s *servers) of(tool string) string {
	server, _ := s.byTool.Load(tool)
	name, _ := server.(string)
	return name
}

// toolName returns the name of a tool in Cursor; empty means the host's name.
func (s *servers) toolName(t snaphook.Tool) string {
	switch t.Kind {
	case snaphook.Shell:
		return "Shell"
	case snaphook.Read:
		return "Read"
	case snaphook.Write, snaphook.Edit:
		return "Write"
	case snaphook.Grep:
		return "Grep"
	case snaphook.List:
		return "List"
	case snaphook.Fetch:
		return "WebFetch"
	case snaphook.Search:
		return "WebSearch"
	case snaphook.Task:
		return "Task"
	case snaphook.MCP:
		if had, there := s.byTool.LoadOrStore(t.Name, t.Server); there && had != t.Server {
			s.byTool.Store(t.Name, "")
		}
		return mcp + t.Name
	}
	return ""
}

// argument returns the name of an argument in Cursor; empty means the canonical name.
func argument(k snaphook.Kind, canonical string) string {
	switch canonical {
	case "path":
		if k == snaphook.Read || k == snaphook.Write || k == snaphook.Edit {
			return "file_path"
		}
	case "old":
		return "old_string"
	case "new":
		return "new_string"
	case "agent":
		return "subagent_type"
	}
	return ""
}
