package agent

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// claudeAfterTool fires the event of a tool that has succeeded, or that of one that has
// failed.
func claudeAfterTool() stage[AfterToolInput] {
	return stage[AfterToolInput]{
		events: []pipeline.Declared{claude.PostToolUse, claude.PostToolUseFailure},
		fire: func(ctx context.Context, at *site, in *AfterToolInput, p *part) {
			call := claudeCall(at, &in.ToolCall, p)
			if in.Result.Failed {
				claudeFire(
					ctx,
					at,
					claude.PostToolUseFailure,
					&claude.PostToolUseFailureInput{PreToolUseInput: call, Error: in.Result.Text},
					func(_ claude.PostToolUseFailureInput, res *hook.Result[claude.BasicOutput], p *part) {
						objects(claude.ApplyPostToolUseFailure(res), p)
					},
					p,
				)
				return
			}
			claudeFire(
				ctx,
				at,
				claude.PostToolUse,
				&claude.PostToolUseInput{PreToolUseInput: call, Response: in.Result.json()},
				claudeEdit,
				p,
			)
		},
	}
}

func claudeEdit(sent claude.PostToolUseInput, res *hook.Result[claude.PostToolUseOutput], p *part) {
	v := claude.ApplyPostToolUse(&sent, res)
	objects(v, p)
	if res.Specific.UpdatedToolOutput != nil {
		p.Result = resultOf(v.Response)
	}
}

// objects makes a denial of what a hook objects to after the fact.
func objects(v claude.ResultVerdict, p *part) {
	if v.Feedback != "" {
		p.Decision, p.Reason = hook.Deny, v.Feedback
	}
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
