package snaphook

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// ClaudeConfig configures Claude Code's hooks: their settings, and the models, agents and tools
// that they may use.
type ClaudeConfig = claude.Settings

// Claude returns the hook system of Claude Code. The zero config finds the settings where Claude
// Code keeps them.
func Claude(cfg ClaudeConfig) *Dialect {
	d := &Dialect{name: claude.Dialect.Name, translate: claudeWords(claude.ClaudeCode), load: cfg.Load, stages: table(
		fires(starts, claude.SessionStart, func(in *StartInput, _ *dialectAnswer) claude.SessionStartInput {
			return claude.SessionStartInput{Source: cmp.Or(in.Source, "startup"), Model: in.Model}
		}, claudeStart),
		fires(prompts, claude.UserPromptSubmit, func(in *PromptInput, _ *dialectAnswer) claude.UserPromptSubmitInput {
			return claude.UserPromptSubmitInput{Prompt: in.Text}
		}, blocks),
		fires(beforeTools, claude.PreToolUse, claudeCall, claudeGate),
		afterTools.stage(claudeAfterTool, claude.PostToolUse, claude.PostToolUseFailure),
		fires(permissions, claude.PermissionRequest, claudeAsked, claudePermission),
		fires(subagentStarts, claude.SubagentStart, func(in *SubagentStartInput, _ *dialectAnswer) claude.SubagentStartInput {
			return claude.SubagentStartInput{CommonInput: claude.CommonInput{AgentID: in.ID, AgentType: in.Type}}
		}, lifecycle),
		fires(subagentStops, claude.SubagentStop, func(in *SubagentStopInput, _ *dialectAnswer) claude.SubagentStopInput {
			c := claude.SubagentStopInput{Transcript: in.Transcript}
			c.AgentID, c.AgentType, c.Active, c.Message = in.ID, in.Type, in.Again, in.Answer
			return c
		}, continues),
		fires(stops, claude.Stop, func(in *StopInput, _ *dialectAnswer) claude.StopInput {
			return claude.StopInput{Active: in.Again, Message: in.Answer}
		}, continues),
		fires(beforeCompacts, claude.PreCompact, func(in *BeforeCompactInput, _ *dialectAnswer) claude.PreCompactInput {
			c := claude.PreCompactInput{Trigger: cmp.Or(in.Trigger, "auto")}
			if in.Instructions != "" {
				c.Instructions = &in.Instructions
			}
			return c
		}, blocks),
		fires(afterCompacts, claude.PostCompact, func(in *AfterCompactInput, _ *dialectAnswer) claude.PostCompactInput {
			return claude.PostCompactInput{Trigger: cmp.Or(in.Trigger, "auto"), Summary: in.Summary}
		}, lifecycle),
		fires(notifies, claude.Notification, func(in *NotifyInput, _ *dialectAnswer) claude.NotificationInput {
			return claude.NotificationInput{Message: in.Message, Title: in.Title, Type: in.Type}
		}, lifecycle),
		fires(ends, claude.SessionEnd, func(in *EndInput, _ *dialectAnswer) claude.SessionEndInput {
			return claude.SessionEndInput{Reason: cmp.Or(in.Reason, "other")}
		}, lifecycle),
	)}
	profiles := claude.Profiles()[1:]
	d.variants = lo.Map(profiles, func(p claude.Profile, _ int) func(*Tool) *translated { return claudeWords(p) })
	d.variant = func(s *pipeline.Session) int { return slices.Index(profiles, claude.ProfileOf(s)) }
	return d
}

// claudeWords returns a function that translates tools to the names of a Claude Code profile.
func claudeWords(p claude.Profile) func(*Tool) *translated {
	return func(t *Tool) *translated {
		kind := kinds[t.Kind]
		name := kind.tool.claude
		if t.Kind == MCP {
			name = fmt.Sprintf(name, mcpName(t.Server), mcpName(t.Name))
		}
		return translate(t, cmp.Or(p.Tool(name), t.Name), func(canonical string) string {
			return p.Argument(kind.tool.claude, cmp.Or(kind.args[canonical].claude, canonical))
		})
	}
}

// direct applies the instructions that every event of Claude Code has.
func direct(p *dialectAnswer, d claude.Directive) {
	p.Stop, p.StopReason, p.Context, p.Messages = d.Stop, d.StopReason, d.Context, d.Messages
}

// lifecycle reads the result of an event that has only the common instructions.
func lifecycle[R any](res *hook.Result[R], p *dialectAnswer) { direct(p, claude.ApplyLifecycle(res)) }

// claudeStart reads the result of SessionStart. If hooks have exported variables, it starts a shell to read them.
func claudeStart(res *hook.Result[claude.SessionStartOutput], p *dialectAnswer) {
	lifecycle(res, p)
	exportEnv(p)
}

// exportEnv reads the variables that hooks have exported for the host's commands.
func exportEnv(p *dialectAnswer) {
	files := p.s.ses.EnvFiles()
	if len(files) == 0 {
		return
	}
	env, err := claude.Exported(context.Background(), files, os.Environ())
	if err != nil {
		p.Messages = append(p.Messages, err.Error())
		p.s.hooks.log.Warn("the variables of hooks cannot be used", "session", p.s.cfg.ID, "error", err.Error())
	}
	p.Env = env
}

// claudeCall returns a call in the form of Claude Code's hooks.
func claudeCall(in *ToolCall, p *dialectAnswer) (c claude.PreToolUseInput) {
	c.Name, c.Input, c.ID, c.OriginalInput = p.name, p.view.Object, in.ID, p.original(in)
	if server := p.tool.Server; server != "" {
		c.Server = &claude.Server{Name: server}
	}
	return c
}

func claudeGate(res *hook.Result[claude.PreToolUseOutput], p *dialectAnswer) {
	v := claude.ApplyPreToolUse(&claude.PreToolUseInput{}, res)
	direct(p, v.Directive)
	p.decide(v.Decision, v.Reason)
	claudeRewrites(p, res, func(g *claude.PreToolUseOutput) wire.Object { return g.UpdatedInput })
}

func claudeAsked(in *PermissionInput, p *dialectAnswer) claude.PermissionRequestInput {
	return claude.PermissionRequestInput{PreToolUseInput: claudeCall(&in.ToolCall, p), Suggestions: in.Suggestions}
}

func claudePermission(res *hook.Result[claude.PermissionRequestOutput], p *dialectAnswer) {
	v := claude.ApplyPermissionRequest(&claude.PermissionRequestInput{}, res)
	direct(p, v.Directive)
	p.decide(v.Decision, v.Reason)
	if v.Interrupt {
		p.Stop, p.StopReason = true, v.Reason
	}
	claudeRewrites(p, res, func(g *claude.PermissionRequestOutput) wire.Object {
		if g.Decision == nil {
			return nil
		}
		return g.Decision.UpdatedInput
	})
}

// claudeRewrites collects the rewrites of hooks. Each hook answers with all arguments; a hook that returns an
// argument's original value therefore reverts another hook's change.
func claudeRewrites[R any](p *dialectAnswer, res *hook.Result[R], input func(*R) wire.Object) {
	if now := input(&res.Specific); now != nil && p.Decision != hook.Deny {
		p.changes = p.view.Whole(now)
	}
	touched := map[string]bool{}
	claims(p, res, func(g *R) (changes []rename.Change) {
		now := input(g)
		if now == nil {
			return nil
		}
		changes = p.view.Patch(now)
		for _, c := range p.view.Whole(now) {
			touched[c.Name] = true
			if c.Value == nil {
				changes = append(changes, c)
			}
		}
		return changes
	})
	p.claims = slices.DeleteFunc(p.claims, func(c claim) bool { return !touched[c.Name] })
}

// blocks reads the result of an event whose hooks can block.
func blocks[R any](res *hook.Result[R], p *dialectAnswer) {
	v := claude.ApplyBlock(res)
	direct(p, v.Directive)
	if !v.Run && (!v.Stop || v.Reason != "") {
		p.Decision, p.Reason = hook.Deny, v.Reason
	}
}

// continues reads the result of an event whose hooks can make the agent continue.
func continues(res *hook.Result[claude.BasicOutput], p *dialectAnswer) {
	v := claude.ApplyStop(res)
	direct(p, v.Directive)
	switch {
	case res.OverriddenBlock != "":
		p.Messages = append(p.Messages, res.OverriddenBlock)
	case !v.Again:
	case v.Prompt != "":
		p.Continue = v.Prompt
	case len(v.Context) > 0: // context for the model makes the agent continue even without a denial
		p.Continue, p.Context = lines(v.Context...), nil
	default:
		p.Continue = "A hook has sent the agent back to work, and gave no reason."
	}
}

// claudeAfterTool fires PostToolUse, or PostToolUseFailure if the tool has failed.
func claudeAfterTool(ctx context.Context, in *AfterToolInput, p *dialectAnswer) {
	call := claudeCall(&in.ToolCall, p)
	if in.Result.Failed {
		sent := claude.PostToolUseFailureInput{PreToolUseInput: call, Error: in.Result.Text}
		objects(p, claude.ApplyPostToolUseFailure(fired(ctx, claude.PostToolUseFailure, &sent, p)))
		return
	}
	sent := claude.PostToolUseInput{PreToolUseInput: call, Response: in.Result.json()}
	res := fired(ctx, claude.PostToolUse, &sent, p)
	objects(p, claude.ApplyPostToolUse(&sent, res))
	if now := res.Specific.UpdatedToolOutput; now != nil {
		p.Result = resultOf(now)
	}
}

// objects turns hooks' objections to a finished tool call into a denial.
func objects(p *dialectAnswer, v claude.ResultVerdict) {
	direct(p, v.Directive)
	if v.Feedback != "" {
		p.Decision, p.Reason = hook.Deny, v.Feedback
	}
}
