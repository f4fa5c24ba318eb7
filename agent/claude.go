package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// ClaudeConfig is how the hooks of Claude Code are read and run: its settings, and the
// models, agents and tools that its hooks may use.
type ClaudeConfig = claude.Settings

// Claude is the hook system of Claude Code. The zero config finds the settings where
// Claude Code keeps them.
func Claude(cfg ClaudeConfig) *Dialect {
	word := func(w words) string { return w.claude }
	return &Dialect{name: claude.Dialect.Name, word: word, load: cfg.Load, stages: table(
		claudeStage(starts, claude.SessionStart, func(in *StartInput, _ *part) claude.SessionStartInput {
			return claude.SessionStartInput{Source: cmp.Or(in.Source, "startup"), Model: in.Model}
		}, lifecycle),
		claudeStage(prompts, claude.UserPromptSubmit, func(in *PromptInput, _ *part) claude.UserPromptSubmitInput {
			return claude.UserPromptSubmitInput{Prompt: in.Text}
		}, blocks),
		claudeStage(beforeTools, claude.PreToolUse, claudeCall, claudeGate),
		afterTools.stage(claudeAfterTool, claude.PostToolUse, claude.PostToolUseFailure),
		claudeStage(permissions, claude.PermissionRequest, claudeAsked, claudePermission),
		claudeStage(subagentStarts, claude.SubagentStart, func(in *SubagentStartInput, _ *part) claude.SubagentStartInput {
			return claude.SubagentStartInput{CommonInput: claude.CommonInput{AgentID: in.ID, AgentType: in.Type}}
		}, lifecycle),
		claudeStage(subagentStops, claude.SubagentStop, func(in *SubagentStopInput, _ *part) claude.SubagentStopInput {
			c := claude.SubagentStopInput{Transcript: in.Transcript}
			c.AgentID, c.AgentType, c.Active, c.Message = in.ID, in.Type, in.Again, in.Answer
			return c
		}, continues),
		claudeStage(stops, claude.Stop, func(in *StopInput, _ *part) claude.StopInput {
			return claude.StopInput{Active: in.Again, Message: in.Answer}
		}, continues),
		claudeStage(beforeCompacts, claude.PreCompact, func(in *BeforeCompactInput, _ *part) claude.PreCompactInput {
			c := claude.PreCompactInput{Trigger: cmp.Or(in.Trigger, "auto")}
			if in.Instructions != "" {
				c.Instructions = &in.Instructions
			}
			return c
		}, blocks),
		claudeStage(afterCompacts, claude.PostCompact, func(in *AfterCompactInput, _ *part) claude.PostCompactInput {
			return claude.PostCompactInput{Trigger: cmp.Or(in.Trigger, "auto"), Summary: in.Summary}
		}, lifecycle),
		claudeStage(notifies, claude.Notification, func(in *NotifyInput, _ *part) claude.NotificationInput {
			return claude.NotificationInput{Message: in.Message, Title: in.Title, Type: in.Type}
		}, lifecycle),
		claudeStage(ends, claude.SessionEnd, func(in *EndInput, _ *part) claude.SessionEndInput {
			return claude.SessionEndInput{Reason: cmp.Or(in.Reason, "other")}
		}, lifecycle),
	)}
}

// claudeRead reads the result of an event, and returns what it says besides the event's own
// words.
type claudeRead[R any] = func(*hook.Result[R], *part) claude.Directive

// claudeStage makes a stage of one event: its input of the host's, and how its result is
// read.
func claudeStage[In, E, R any](
	m *moment[In], ev *pipeline.Event[E, R], input func(*In, *part) E, read claudeRead[R],
) stage {
	return m.stage(func(ctx context.Context, in *In, p *part) {
		sent := input(in, p)
		claudeFire(ctx, ev, &sent, read, p)
	}, ev)
}

func claudeFire[E, R any](ctx context.Context, ev *pipeline.Event[E, R], sent *E, read claudeRead[R], p *part) {
	res, err := ev.FireRead(ctx, p.s.ses, sent, p.sound)
	p.err = err
	report(p, res, ev.Outcome)
	d := read(res, p)
	p.Stop, p.StopReason, p.Context, p.Messages = d.Stop, d.StopReason, d.Context, d.Messages
	if res.OverriddenBlock != "" {
		p.Messages = append(p.Messages, res.OverriddenBlock)
	}
}

// lifecycle reads the result of an event that has no words of its own.
func lifecycle[R any](res *hook.Result[R], _ *part) claude.Directive {
	return claude.ApplyLifecycle(res)
}

// claudeCall is a call as Claude Code's hooks see it.
func claudeCall(in *ToolCall, p *part) (c claude.PreToolUseInput) {
	c.Name, c.Input, c.ID, c.OriginalInput = p.name, p.view.Object, in.ID, p.original(in)
	if server := p.tool.Server; server != "" {
		c.Server = &claude.Server{Name: server}
	}
	return c
}

func claudeGate(res *hook.Result[claude.PreToolUseOutput], p *part) claude.Directive {
	v := claude.ApplyPreToolUse(&claude.PreToolUseInput{}, res)
	p.decide(v.Decision, v.Reason)
	rewrites(p, res, func(g *claude.PreToolUseOutput) wire.Object { return g.UpdatedInput })
	return v.Directive
}

func claudeAsked(in *PermissionInput, p *part) claude.PermissionRequestInput {
	return claude.PermissionRequestInput{PreToolUseInput: claudeCall(&in.ToolCall, p), Suggestions: in.Suggestions}
}

func claudePermission(res *hook.Result[claude.PermissionRequestOutput], p *part) claude.Directive {
	v := claude.ApplyPermissionRequest(&claude.PermissionRequestInput{}, res)
	p.decide(v.Decision, v.Reason)
	if v.Interrupt {
		v.Stop, v.StopReason = true, v.Reason
	}
	rewrites(p, res, func(g *claude.PermissionRequestOutput) wire.Object {
		if g.Decision == nil {
			return nil
		}
		return g.Decision.UpdatedInput
	})
	return v.Directive
}

// rewrites takes what hooks have rewritten that answer with all arguments. One that
// leaves as it was what another has changed takes that back.
func rewrites[R any](p *part, res *hook.Result[R], input func(*R) wire.Object) {
	if now := input(&res.Specific); now != nil && p.Decision != hook.Deny {
		p.changes = p.view.Whole(now)
	}
	var touched map[string]bool
	for i := range res.Reports {
		r := &res.Reports[i]
		now := input(&r.Output.Specific)
		if now == nil {
			continue
		}
		if touched == nil {
			touched = map[string]bool{}
		}
		p.rewrites(r.Hook, p.view.Patch(now))
		for _, c := range p.view.Whole(now) {
			touched[c.Name] = true
			if c.Value == nil {
				p.rewrites(r.Hook, []rename.Change{c})
			}
		}
	}
	p.claims = slices.DeleteFunc(p.claims, func(c claim) bool { return !touched[c.Name] })
}

// blocks reads the result of an event whose hooks can keep something from happening.
func blocks[R any](res *hook.Result[R], p *part) claude.Directive {
	v := claude.ApplyBlock(res)
	if !v.Run && (!v.Stop || v.Reason != "") {
		p.Decision, p.Reason = hook.Deny, v.Reason
	}
	return v.Directive
}

// continues reads the result of an event whose hooks can send an agent back to work.
func continues(res *hook.Result[claude.BasicOutput], p *part) claude.Directive {
	v := claude.ApplyStop(res)
	switch {
	case !v.Again:
	case v.Prompt != "":
		p.Continue = v.Prompt
	case len(v.Context) > 0: // contexts alone keep an agent going
		p.Continue, v.Context = lines(v.Context...), nil
	default:
		p.Continue = "A hook has sent the agent back to work, and gave no reason."
	}
	return v.Directive
}

// claudeAfterTool fires the event of a tool that has succeeded, or that of one that has
// failed.
func claudeAfterTool(ctx context.Context, in *AfterToolInput, p *part) {
	call := claudeCall(&in.ToolCall, p)
	if in.Result.Failed {
		sent := claude.PostToolUseFailureInput{PreToolUseInput: call, Error: in.Result.Text}
		object := func(res *hook.Result[claude.BasicOutput], p *part) claude.Directive {
			return p.object(claude.ApplyPostToolUseFailure(res))
		}
		claudeFire(ctx, claude.PostToolUseFailure, &sent, object, p)
		return
	}
	sent := claude.PostToolUseInput{PreToolUseInput: call, Response: in.Result.json()}
	claudeFire(ctx, claude.PostToolUse, &sent, func(res *hook.Result[claude.PostToolUseOutput], p *part) claude.Directive {
		if now := res.Specific.UpdatedToolOutput; now != nil {
			p.Result = resultOf(now)
		}
		return p.object(claude.ApplyPostToolUse(&sent, res))
	}, p)
}

// object makes a denial of what hooks object to after the fact.
func (p *part) object(v claude.ResultVerdict) claude.Directive {
	if v.Feedback != "" {
		p.Decision, p.Reason = hook.Deny, v.Feedback
	}
	return v.Directive
}

// json is what hooks see of a result.
func (r *ToolResult) json() jsontext.Value {
	if r.Data != nil {
		return r.Data
	}
	return wire.Quote(r.Text)
}

// resultOf is a result that a hook wrote as JSON.
func resultOf(value jsontext.Value) *ToolResult {
	if text, ok := wire.Text(value); ok {
		return &ToolResult{Text: text}
	}
	return &ToolResult{Text: string(value), Data: value}
}
