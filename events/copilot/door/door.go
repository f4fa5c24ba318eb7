// Package door connects the hooks of GitHub Copilot to the root package: [Copilot] is a dialect for snaphook.Config. It
// is a separate package so that programs without Copilot do not link its events.
package door

import (
	"cmp"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Copilot returns the hook system of GitHub Copilot, on the surface named by cfg.Profile. The zero Settings find the
// files where the command line of Copilot keeps them. Set Alone if Dialects also contains Claude Code, whose hooks
// would otherwise run twice.
//
// If a postToolUse hook turns a result into a failure, postToolUseFailure fires too. userPromptTransformed and
// errorOccurred have no moment: a host fires [copilot.UserPromptTransformed] and [copilot.ErrorOccurred] itself, and
// preToolUse for several calls at once (see [copilot.Batch]).
func Copilot(cfg copilot.Settings) *snaphook.Dialect {
	return snaphook.NewDialect(copilot.Dialect,
		snaphook.DialectConfig{Load: cfg.Load, ToolName: toolName, Argument: argument},
		fires(copilot.SessionStart, func(in *snaphook.StartInput) copilot.SessionStartInput {
			return copilot.SessionStartInput{Source: word(sources, cmp.Or(in.Source, "startup"))}
		}, func(res *hook.Result[copilot.Output], v *snaphook.Verdict) { v.Continue = res.Specific.InitialPrompt }),
		fires(copilot.UserPromptSubmitted, func(in *snaphook.PromptInput) copilot.UserPromptSubmittedInput {
			return copilot.UserPromptSubmittedInput{Prompt: in.Text}
		}, nil),
		fires(copilot.PreToolUse, func(in *snaphook.ToolCall) copilot.PreToolUseInput {
			return copilot.PreToolUseInput{Name: in.Name, Args: args(in), ID: in.ID}
		}, func(res *hook.Result[copilot.Output], v *snaphook.Verdict) {
			v.Input, v.Preapproved = wire.Object(res.Specific.ModifiedArgs), v.Decision == hook.Allow
		}),
		snaphook.InTurn(
			after(false, fires(copilot.PostToolUse, func(in *snaphook.AfterToolInput) copilot.PostToolUseInput {
				return copilot.PostToolUseInput{
					Name: in.Name, Args: args(&in.ToolCall), ID: in.ID,
					Result: wire.Object(`{"resultType":"success"}`).With("textResultForLlm", wire.Quote(content(&in.Result))),
				}
			}, replace)),
			after(true, fires(copilot.PostToolUseFailure,
				func(in *snaphook.AfterToolInput) copilot.PostToolUseFailureInput {
					return copilot.PostToolUseFailureInput{
						Name: in.Name, Args: args(&in.ToolCall), ID: in.ID, Error: content(&in.Result),
					}
				}, nil)),
		),
		fires(copilot.PermissionRequest, func(in *snaphook.PermissionInput) copilot.PermissionRequestInput {
			return copilot.PermissionRequestInput{
				Name: in.Name, Input: wire.Object(args(&in.ToolCall)), Suggestions: in.Suggestions,
			}
		}, func(_ *hook.Result[copilot.Output], v *snaphook.Verdict) { v.Preapproved = v.Decision == hook.Allow }),
		fires(copilot.SubagentStart, func(in *snaphook.SubagentStartInput) copilot.SubagentStartInput {
			return copilot.SubagentStartInput{Name: in.Type}
		}, nil),
		fires(copilot.SubagentStop, func(in *snaphook.SubagentStopInput) copilot.SubagentStopInput {
			return copilot.SubagentStopInput{
				ID: in.ID, Type: in.Type, Name: in.Type, Response: in.Answer, Transcript: in.Transcript, StopReason: "end_turn",
			}
		}, func(res *hook.Result[copilot.Output], v *snaphook.Verdict) {
			if now := res.Specific.ModifiedResponse; now != nil {
				v.Result = &snaphook.ToolResult{Text: *now}
			}
			goOn(res, v)
		}),
		fires(copilot.AgentStop, func(in *snaphook.StopInput) copilot.AgentStopInput {
			return copilot.AgentStopInput{Active: in.Again, StopReason: "end_turn"}
		}, goOn),
		fires(copilot.PreCompact, func(in *snaphook.BeforeCompactInput) copilot.PreCompactInput {
			return copilot.PreCompactInput{Trigger: cmp.Or(in.Trigger, "auto"), Instructions: in.Instructions}
		}, nil),
		fires(copilot.Notification, func(in *snaphook.NotifyInput) copilot.NotificationInput {
			return copilot.NotificationInput{Message: in.Message, Title: in.Title, Type: in.Type}
		}, nil),
		fires(copilot.SessionEnd, func(in *snaphook.EndInput) copilot.SessionEndInput {
			return copilot.SessionEndInput{Reason: word(endings, cmp.Or(in.Reason, "other"))}
		}, nil),
	)
}

// fires returns the stage that fires an event. It copies the contexts and messages of each hook, in order.
func fires[In snaphook.Input, E any](
	ev *pipeline.Event[E, copilot.Output], input func(*In) E, read func(*hook.Result[copilot.Output], *snaphook.Verdict),
) snaphook.Stage {
	return snaphook.Fires(ev, input, func(res *hook.Result[copilot.Output], v *snaphook.Verdict) {
		if len(res.Reports) > 0 {
			e := format.EffectsOf(res)
			v.Context, v.Messages = e.AdditionalContext, e.SystemMessages
		}
		if read != nil {
			read(res, v)
		}
	})
}

// after returns the turn of an event that fires after a failed tool if failed is set, and otherwise after a successful
// tool.
func after(failed bool, stage snaphook.Stage) snaphook.Turn[snaphook.AfterToolInput] {
	return snaphook.Turn[snaphook.AfterToolInput]{Stage: stage, When: func(in *snaphook.AfterToolInput) bool {
		return in.Result.Failed == failed
	}}
}

// replace replaces a tool's result. If the event joins contexts, they become one text.
func replace(res *hook.Result[copilot.Output], v *snaphook.Verdict) {
	if v.Context = nil; res.Context != "" {
		v.Context = []string{res.Context}
	}
	now := res.Specific.ModifiedResult
	if now == nil {
		return
	}
	said, isText := wire.Text(now.Get("textResultForLlm"))
	if !isText {
		said = string(now)
	}
	kind := now.Text("resultType")
	v.Result = &snaphook.ToolResult{Text: said, Failed: kind != "" && kind != "success"}
}

// goOn makes the agent continue if hooks blocked.
func goOn(res *hook.Result[copilot.Output], v *snaphook.Verdict) {
	if res.Blocked() {
		v.Continue = res.Reason
	}
	if res.OverriddenBlock != "" {
		v.Messages = append(v.Messages, res.OverriddenBlock)
	}
	v.Decision, v.Reason = hook.Undecided, ""
}

func args(c *snaphook.ToolCall) []byte { return lo.CoalesceSliceOrEmpty(c.Input, wire.Object("{}")) }

// content returns a result as text.
func content(r *snaphook.ToolResult) string { return cmp.Or(r.Text, string(r.Data)) }

// sources maps the sources of a session, and endings the reasons of its end, to Copilot's words.
var (
	sources = map[string]string{"clear": "new", "fork": "new", "compact": "resume"}
	endings = map[string]string{
		"clear": "complete", "other": "complete", "exit": "user_exit", "logout": "user_exit", "prompt_input_exit": "user_exit",
	}
)

func word(words map[string]string, said string) string { return lo.CoalesceOrEmpty(words[said], said) }

// toolNames maps kinds of tools to their names in Copilot; tools of other kinds keep the host's names.
var toolNames = map[snaphook.Kind]string{
	snaphook.Shell: "bash", snaphook.Read: "view", snaphook.Write: "create", snaphook.Edit: "edit", snaphook.List: "view",
	snaphook.Glob: "glob", snaphook.Grep: "grep", snaphook.Fetch: "web_fetch", snaphook.Search: "web_search",
	snaphook.Task: "task", snaphook.Todo: "update_todo",
}

// toolName returns the name of a tool in Copilot; empty means the host's name.
func toolName(t snaphook.Tool) string {
	if t.Kind == snaphook.MCP {
		return t.Server + "-" + t.Name
	}
	return toolNames[t.Kind]
}

// argument returns the name of an argument in Copilot; empty means the canonical name.
func argument(k snaphook.Kind, canonical string) string {
	switch {
	case k == snaphook.Write && canonical == "content":
		return "file_text"
	case k == snaphook.Edit && canonical == "old":
		return "old_str"
	case k == snaphook.Edit && canonical == "new":
		return "new_str"
	case k == snaphook.Grep && canonical == "include":
		return "glob"
	case k == snaphook.Task && canonical == "agent":
		return "agent_type"
	}
	return ""
}
