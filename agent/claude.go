package agent

import (
	"context"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// ClaudeConfig is how the hooks of Claude Code are read and run: its settings, and the
// models, agents and tools that its hooks may use.
type ClaudeConfig = claude.Settings

// claudeWords is how Claude Code calls tools.
var claudeWords = vocabulary{
	kinds: map[Kind]spelling{
		Shell: {tool: "Bash"},
		Read:  {"Read", map[string]string{"path": "file_path"}},
		Write: {"Write", map[string]string{"path": "file_path"}},
		Edit: {
			"Edit",
			map[string]string{"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all"},
		},
		List:   {tool: "LS"},
		Glob:   {tool: "Glob"},
		Grep:   {"Grep", map[string]string{"include": "glob"}},
		Fetch:  {tool: "WebFetch"},
		Search: {tool: "WebSearch"},
		Task:   {"Task", map[string]string{"agent": "subagent_type"}},
		Todo:   {tool: "TodoWrite"},
	},
	mcp: func(server, tool string) string { return "mcp__" + server + "__" + tool },
}

// Claude is the hook system of Claude Code. The zero config finds the settings where
// Claude Code keeps them.
func Claude(cfg ClaudeConfig) *Dialect {
	return &Dialect{
		name: claude.Dialect.Name, words: claudeWords, load: cfg.Load,

		start: claudeStage(claude.SessionStart, func(_ *site, in *StartInput, _ *part) claude.SessionStartInput {
			return claude.SessionStartInput{Source: or(in.Source, "startup"), Model: in.Model}
		}, nil),
		prompt: claudeStage(
			claude.UserPromptSubmit,
			func(_ *site, in *PromptInput, _ *part) claude.UserPromptSubmitInput {
				return claude.UserPromptSubmitInput{Prompt: in.Text}
			},
			blocks[claude.UserPromptSubmitInput, claude.UserPromptSubmitOutput],
		),
		beforeTool: claudeStage(claude.PreToolUse, func(at *site, in *ToolCall, p *part) claude.PreToolUseInput {
			return claudeCall(at, in, p)
		}, claudeGate),
		afterTool: claudeAfterTool(),
		permission: claudeStage(
			claude.PermissionRequest,
			func(at *site, in *PermissionInput, p *part) claude.PermissionRequestInput {
				return claude.PermissionRequestInput{
					PreToolUseInput: claudeCall(at, &in.ToolCall, p),
					Suggestions:     in.Suggestions,
				}
			},
			claudePermission,
		),
		subagentStart: claudeStage(
			claude.SubagentStart,
			func(_ *site, in *SubagentStartInput, _ *part) claude.SubagentStartInput {
				return claude.SubagentStartInput{CommonInput: claude.CommonInput{AgentID: in.ID, AgentType: in.Type}}
			},
			nil,
		),
		subagentStop: claudeStage(
			claude.SubagentStop,
			func(_ *site, in *SubagentStopInput, _ *part) claude.SubagentStopInput {
				return claude.SubagentStopInput{Transcript: in.Transcript, StopInput: claude.StopInput{
					CommonInput: claude.CommonInput{
						AgentID:   in.ID,
						AgentType: in.Type,
					}, Active: in.Again, Message: in.Answer,
				}}
			},
			continues[claude.SubagentStopInput],
		),
		stop: claudeStage(claude.Stop, func(_ *site, in *StopInput, _ *part) claude.StopInput {
			return claude.StopInput{Active: in.Again, Message: in.Answer}
		}, continues[claude.StopInput]),
		beforeCompact: claudeStage(
			claude.PreCompact,
			func(_ *site, in *BeforeCompactInput, _ *part) claude.PreCompactInput {
				c := claude.PreCompactInput{Trigger: or(in.Trigger, "auto")}
				if in.Instructions != "" {
					c.Instructions = &in.Instructions
				}
				return c
			},
			blocks[claude.PreCompactInput, claude.BasicOutput],
		),
		afterCompact: claudeStage(
			claude.PostCompact,
			func(_ *site, in *AfterCompactInput, _ *part) claude.PostCompactInput {
				return claude.PostCompactInput{Trigger: or(in.Trigger, "auto"), Summary: in.Summary}
			},
			nil,
		),
		notify: claudeStage(claude.Notification, func(_ *site, in *NotifyInput, _ *part) claude.NotificationInput {
			return claude.NotificationInput{Message: in.Message, Title: in.Title, Type: in.Type}
		}, nil),
		end: claudeStage(claude.SessionEnd, func(_ *site, in *EndInput, _ *part) claude.SessionEndInput {
			return claude.SessionEndInput{Reason: or(in.Reason, "other")}
		}, nil),
	}
}

// claudeStage makes a stage of one event: its input of the host's, and what its result
// says besides stop, contexts and messages.
func claudeStage[In, CIn, COut any](
	ev *pipeline.Event[CIn, COut],
	input func(*site, *In, *part) CIn,
	read func(CIn, *hook.Result[COut], *part),
) stage[In] {
	return stage[In]{
		events: []pipeline.Declared{ev},
		fire: func(ctx context.Context, at *site, in *In, p *part) {
			sent := input(at, in, p)
			claudeFire(ctx, at, ev, &sent, read, p)
		},
	}
}

func claudeFire[CIn, COut any](
	ctx context.Context,
	at *site,
	ev *pipeline.Event[CIn, COut],
	sent *CIn,
	read func(CIn, *hook.Result[COut], *part),
	p *part,
) {
	res, err := ev.Fire(ctx, at.ses, sent)
	p.err = err
	report(p, claude.Dialect.Name, res, ev)
	d := claude.ApplyLifecycle(res)
	p.Stop, p.StopReason, p.Context, p.Messages = d.Stop, d.StopReason, d.Context, d.Messages
	if read != nil {
		read(*sent, res, p)
	}
	if res.OverriddenBlock != "" {
		p.Messages = append(p.Messages, res.OverriddenBlock)
	}
}

// claudeCall is a call as Claude Code's hooks see it.
func claudeCall(at *site, in *ToolCall, p *part) claude.PreToolUseInput {
	p.view = at.show(in)
	c := claude.PreToolUseInput{
		Name: p.view.name, Input: p.view.args, ID: in.ID, OriginalInput: at.original(in),
	}
	if server := at.hooks.server(in.Name); server != "" {
		c.Server = &claude.Server{Name: server}
	}
	return c
}

func claudeGate(sent claude.PreToolUseInput, res *hook.Result[claude.PreToolUseOutput], p *part) {
	v := claude.ApplyPreToolUse(&sent, res)
	p.Decision, p.Reason, p.Preapproved = word(v.Decision), v.Reason, v.Decision == hook.Allow
	if now := res.Specific.UpdatedInput; now != nil && v.Decision != hook.Deny {
		p.changes = p.view.whole(now)
	}
	claims(p, res, func(g *claude.PreToolUseOutput) wire.Object { return g.UpdatedInput })
}

func claudePermission(sent claude.PermissionRequestInput, res *hook.Result[claude.PermissionRequestOutput], p *part) {
	v := claude.ApplyPermissionRequest(&sent, res)
	p.Decision, p.Reason, p.Preapproved = word(v.Decision), v.Reason, v.Decision == hook.Allow
	if v.Interrupt {
		p.Stop, p.StopReason = true, v.Reason
	}
	if d := res.Specific.Decision; d != nil && d.UpdatedInput != nil && v.Decision != hook.Deny {
		p.changes = p.view.whole(d.UpdatedInput)
	}
	claims(p, res, func(g *claude.PermissionRequestOutput) wire.Object {
		if g.Decision == nil {
			return nil
		}
		return g.Decision.UpdatedInput
	})
}

// claims notes what each hook has rewritten that answers with all arguments. One that
// leaves as it was what another has changed takes that back.
func claims[COut any](p *part, res *hook.Result[COut], input func(*COut) wire.Object) {
	if len(res.Reports) == 1 {
		if now := input(&res.Reports[0].Output.Specific); now != nil {
			p.rewrites(res.Reports[0].Hook, p.view.whole(now))
		}
		return
	}
	touched := map[string]bool{}
	for i := range res.Reports {
		if now := input(&res.Reports[i].Output.Specific); now != nil {
			for _, c := range p.view.whole(now) {
				touched[c.name] = true
			}
		}
	}
	for i := range res.Reports {
		r := &res.Reports[i]
		now := input(&r.Output.Specific)
		if now == nil {
			continue
		}
		changes := p.view.whole(now)
		changed := map[string]bool{}
		for _, c := range changes {
			changed[c.name] = true
		}
		for _, m := range members(now) {
			if name := p.view.host(m.name); touched[name] && !changed[name] {
				changes = append(changes, change{name, m.value})
			}
		}
		p.rewrites(r.Hook, changes)
	}
}

// blocks reads the result of an event whose hooks can keep something from happening.
func blocks[CIn, COut any](_ CIn, res *hook.Result[COut], p *part) {
	v := claude.ApplyBlock(res)
	if !v.Run && (!v.Stop || v.Reason != "") {
		p.Decision, p.Reason = hook.Deny, v.Reason
	}
}

// continues reads the result of an event whose hooks can send an agent back to work.
func continues[CIn any](_ CIn, res *hook.Result[claude.BasicOutput], p *part) {
	v := claude.ApplyStop(res)
	switch {
	case !v.Again:
	case v.Prompt != "":
		p.Continue = v.Prompt
	case len(p.Context) > 0: // contexts alone keep an agent going
		p.Continue, p.Context = lines(p.Context...), nil
	default:
		p.Continue = "A hook has sent the agent back to work, and gave no reason."
	}
}
