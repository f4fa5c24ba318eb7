// Package door connects the hooks of Codex to the root package: [Codex] is a dialect for snaphook.Config. It is a
// separate package so that programs without Codex link neither its events nor a TOML parser.
package door

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Codex returns the hook system of the Codex CLI. The zero Settings find the files where Codex keeps them.
//
// Hooks see tools of the kinds Write and Edit as apply_patch, with a patch made from the host's arguments. If a hook
// rewrites such a patch, the call is denied, because a patch cannot be converted back to the host's arguments. Codex's
// Interrupt has no moment; a host fires [codex.Interrupt] itself.
func Codex(cfg codex.Settings) *snaphook.Dialect {
	return snaphook.NewDialect(codex.Dialect,
		snaphook.DialectConfig{Load: cfg.Load, ToolName: toolName, Argument: argument},
		fires(codex.SessionStart, func(in *snaphook.StartInput) codex.SessionStartInput {
			return codex.SessionStartInput{Source: cmp.Or(in.Source, "startup"), Model: in.Model}
		}, nil),
		fires(codex.UserPromptSubmit, func(in *snaphook.PromptInput) codex.UserPromptSubmitInput {
			return codex.UserPromptSubmitInput{Prompt: in.Text}
		}, nil),
		fires(codex.PreToolUse, func(in *snaphook.ToolCall) codex.PreToolUseInput {
			call, made := callOf(in)
			return codex.PreToolUseInput{Call: call, ID: in.ID, Made: made}
		}, func(res *hook.Result[codex.Output], v *snaphook.Verdict) { v.Input = res.Specific.UpdatedInput }),
		fires(codex.PermissionRequest, func(in *snaphook.PermissionInput) codex.PermissionRequestInput {
			call, _ := callOf(&in.ToolCall)
			return codex.PermissionRequestInput{Call: call}
		}, func(_ *hook.Result[codex.Output], v *snaphook.Verdict) { v.Preapproved = v.Decision == hook.Allow }),
		fires(codex.PostToolUse, func(in *snaphook.AfterToolInput) codex.PostToolUseInput {
			call, made := callOf(&in.ToolCall)
			return codex.PostToolUseInput{
				PreToolUseInput: codex.PreToolUseInput{Call: call, ID: in.ID, Made: made}, Response: response(&in.Result),
			}
		}, feedback),
		fires(codex.SubagentStart, func(in *snaphook.SubagentStartInput) codex.SubagentStartInput {
			return codex.SubagentStartInput{AgentID: in.ID, AgentType: in.Type}
		}, nil),
		fires(codex.SubagentStop, func(in *snaphook.SubagentStopInput) codex.SubagentStopInput {
			return codex.SubagentStopInput{
				SubagentStartInput: codex.SubagentStartInput{AgentID: in.ID, AgentType: in.Type},
				Transcript:         some(in.Transcript), Active: in.Again, Message: some(in.Answer),
			}
		}, goOn),
		fires(codex.Stop, func(in *snaphook.StopInput) codex.StopInput {
			return codex.StopInput{Active: in.Again, Message: some(in.Answer)}
		}, goOn),
		fires(codex.PreCompact, func(in *snaphook.BeforeCompactInput) codex.PreCompactInput {
			return codex.PreCompactInput{Trigger: cmp.Or(in.Trigger, "auto")}
		}, nil),
		fires(codex.PostCompact, func(in *snaphook.AfterCompactInput) codex.PostCompactInput {
			return codex.PostCompactInput{Trigger: cmp.Or(in.Trigger, "auto")}
		}, nil),
		fires(codex.SessionEnd, func(in *snaphook.EndInput) codex.SessionEndInput {
			return codex.SessionEndInput{Reason: cmp.Or(in.Reason, "other")}
		}, nil),
	)
}

// fires returns the stage that fires an event. It copies the contexts and messages of each hook, in order.
func fires[In snaphook.Input, E any](
	ev *pipeline.Event[E, codex.Output], input func(*In) E, read func(*hook.Result[codex.Output], *snaphook.Verdict),
) snaphook.Stage {
	return snaphook.Fires(ev, input, func(res *hook.Result[codex.Output], v *snaphook.Verdict) {
		if e := format.EffectsOf(res); len(res.Reports) > 0 {
			v.Context, v.Messages = e.AdditionalContext, e.SystemMessages
		}
		if read != nil {
			read(res, v)
		}
	})
}

// feedback replaces the result of a tool by the hooks' reason, after a block or a stop. Only a block marks the result
// as failed.
func feedback(res *hook.Result[codex.Output], v *snaphook.Verdict) {
	if blocked := res.Blocked(); blocked || res.Stop {
		v.Result = &snaphook.ToolResult{Text: res.Reason, Failed: blocked}
	}
	v.Decision, v.Reason = hook.Undecided, ""
}

// goOn makes the agent continue if hooks blocked.
func goOn(res *hook.Result[codex.Output], v *snaphook.Verdict) {
	if res.Blocked() && !res.Stop {
		v.Continue = res.Reason
	}
	v.Decision, v.Reason = hook.Undecided, ""
}

func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func response(r *snaphook.ToolResult) jsontext.Value {
	if r.Data != nil {
		return r.Data
	}
	return wire.Quote(r.Text)
}

// toolName returns the name of a tool in Codex; empty means the host's name.
func toolName(t snaphook.Tool) string {
	switch t.Kind {
	case snaphook.Shell:
		return "Bash"
	case snaphook.Write, snaphook.Edit:
		return "apply_patch"
	case snaphook.Task:
		return "spawn_agent"
	case snaphook.MCP:
		return "mcp__" + t.Server + "__" + t.Name
	}
	return ""
}

// argument returns the name of an argument in Codex; empty means the canonical name.
func argument(k snaphook.Kind, canonical string) string {
	if k == snaphook.Task && canonical == "prompt" {
		return "message"
	}
	return ""
}

// callOf returns a call in the form for Codex's hooks. made reports that its input is a patch made from the host's
// arguments.
func callOf(c *snaphook.ToolCall) (call codex.Call, made bool) {
	call = codex.Call{Tool: c.Name, Input: c.Input}
	path, isText := wire.Text(c.Input.Get("path"))
	if c.Name != "apply_patch" || !isText || c.Input.Get("command") != nil {
		return call, false
	}
	call.Input = wire.Object(nil).With("command", wire.Quote(patch(path, c.Input)))
	return call, true
}

// patch converts the arguments of a Write or an Edit to a patch.
func patch(path string, args wire.Object) string {
	b := new(strings.Builder)
	b.WriteString("*** Begin Patch\n")
	if args.Get("old") == nil && args.Get("new") == nil {
		b.WriteString("*** Add File: " + path + "\n")
		lines(b, "+", args.Text("content"))
	} else {
		b.WriteString("*** Update File: " + path + "\n@@\n")
		lines(b, "-", args.Text("old"))
		lines(b, "+", args.Text("new"))
	}
	return b.String() + "*** End Patch"
}

func lines(b *strings.Builder, sign, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(sign + line + "\n")
	}
}
