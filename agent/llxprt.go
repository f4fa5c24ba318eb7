package agent

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// LLxprtConfig is how the hooks of LLxprt and Gemini CLI are read.
type LLxprtConfig = llxprt.Settings

// llxprtWords is how LLxprt calls tools.
var llxprtWords = vocabulary{
	kinds: map[Kind]spelling{
		Shell: {tool: "run_shell_command"},
		Read:  {"read_file", map[string]string{"path": "absolute_path|file_path"}},
		Write: {"write_file", map[string]string{"path": "file_path"}},
		Edit: {
			"replace",
			map[string]string{"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all"},
		},
		List:   {tool: "list_directory"},
		Glob:   {tool: "glob"},
		Grep:   {tool: "search_file_content"},
		Fetch:  {tool: "web_fetch"},
		Search: {tool: "google_web_search"},
		Task:   {"task", map[string]string{"agent": "subagent_name"}},
		Todo:   {tool: "todo_write"},
	},
	mcp: func(server, tool string) string { return "mcp__" + server + "__" + tool },
}

// LLxprt is the hook system of LLxprt Code and Gemini CLI. The zero config finds the
// settings where LLxprt keeps them.
func LLxprt(cfg LLxprtConfig) *Dialect {
	return &Dialect{
		name: llxprt.Dialect.Name, words: llxprtWords, load: cfg.Load,

		start: llxprtStage(llxprt.SessionStart, func(_ *site, in *StartInput, _ *part) llxprt.SessionStartInput {
			return llxprt.SessionStartInput{Source: llxprtSource(in.Source)}
		}, nil),
		prompt: llxprtStage(llxprt.BeforeAgent, func(_ *site, in *PromptInput, _ *part) llxprt.BeforeAgentInput {
			return llxprt.BeforeAgentInput{Prompt: in.Text}
		}, func(_ *site, _ llxprt.BeforeAgentInput, res *hook.Result[llxprt.BasicOutput], p *part) {
			decide(res, p)
		}),
		beforeModel: llxprtStage(
			llxprt.BeforeModel,
			func(_ *site, in *BeforeModelInput, p *part) llxprt.BeforeModelInput {
				p.view = view{args: in.Request}
				return llxprt.BeforeModelInput{Request: object(in.Request)}
			},
			llxprtRequest,
		),
		afterModel: llxprtStage(llxprt.AfterModel, func(_ *site, in *AfterModelInput, _ *part) llxprt.AfterModelInput {
			return llxprt.AfterModelInput{Request: object(in.Request), Response: object(in.Response)}
		}, func(at *site, _ llxprt.AfterModelInput, res *hook.Result[llxprt.AfterModelOutput], p *part) {
			p.Result = response(res.Specific.Response)
			if res.Blocked() && llxprt.ProfileOf(at.ses) == llxprt.Gemini {
				p.Result = &ToolResult{Data: jsontext.Value(`{"candidates":[]}`), Failed: true}
			}
		}),
		toolChoice: llxprtStage(
			llxprt.BeforeToolSelection,
			func(at *site, in *ToolChoiceInput, p *part) llxprt.BeforeModelInput {
				p.view = view{args: in.Request}
				return llxprt.BeforeModelInput{Request: object(in.Request)}
			},
			llxprtTools,
		),
		beforeTool: llxprtStage(llxprt.BeforeTool, llxprtCall, llxprtGate),
		afterTool: llxprtStage(llxprt.AfterTool, func(at *site, in *AfterToolInput, p *part) llxprt.AfterToolInput {
			c := llxprtCall(at, &in.ToolCall, p)
			return llxprt.AfterToolInput{
				Name:          c.Name,
				Input:         c.Input,
				OriginalInput: c.OriginalInput,
				Extra:         c.Extra,
				Response:      llxprtResponse(&in.Result),
			}
		}, llxprtReview),
		permission: llxprtStage(
			llxprt.Notification,
			func(at *site, in *PermissionInput, p *part) llxprt.NotificationInput {
				c := llxprtCall(at, &in.ToolCall, p)
				details := wire.Object(nil).
					With("tool_name", wire.Quote(c.Name)).
					With("tool_input", jsontext.Value(c.Input))
				if c.OriginalInput != nil {
					details = details.With("snaphook_original_input", jsontext.Value(c.OriginalInput))
				}
				return llxprt.NotificationInput{
					Type:    "ToolPermission",
					Message: or(in.Reason, "May "+c.Name+" run?"),
					Details: details,
				}
			},
			nil,
		),
		stop: llxprtStage(llxprt.AfterAgent, func(_ *site, in *StopInput, _ *part) llxprt.AfterAgentInput {
			return llxprt.AfterAgentInput{Prompt: in.Prompt, Response: in.Answer, StopHookActive: in.Again}
		}, func(_ *site, _ llxprt.AfterAgentInput, res *hook.Result[llxprt.AfterAgentOutput], p *part) {
			if v := llxprt.ApplyAfterAgent(res); v.Again {
				p.Continue = v.Prompt
			}
		}),
		beforeCompact: llxprtStage(
			llxprt.PreCompress,
			func(_ *site, in *BeforeCompactInput, _ *part) llxprt.PreCompressInput {
				return llxprt.PreCompressInput{Trigger: or(in.Trigger, "auto")}
			},
			nil,
		),
		notify: llxprtStage(llxprt.Notification, func(_ *site, in *NotifyInput, _ *part) llxprt.NotificationInput {
			return llxprt.NotificationInput{Type: in.Type, Message: in.Message, Details: wire.Object("{}")}
		}, nil),
		end: llxprtStage(llxprt.SessionEnd, func(_ *site, in *EndInput, _ *part) llxprt.SessionEndInput {
			return llxprt.SessionEndInput{Reason: or(in.Reason, "other")}
		}, nil),
	}
}

// llxprtStage makes a stage of one event: its input of the host's, and what its result
// says besides stop, contexts and messages.
func llxprtStage[In, LIn, LOut any](
	ev *pipeline.Event[LIn, LOut],
	input func(*site, *In, *part) LIn,
	read func(*site, LIn, *hook.Result[LOut], *part),
) stage[In] {
	return stage[In]{
		events: []pipeline.Declared{ev},
		fire: func(ctx context.Context, at *site, in *In, p *part) {
			sent := input(at, in, p)
			res, err := ev.Fire(ctx, at.ses, &sent)
			p.err = err
			report(p, llxprt.Dialect.Name, res, ev)
			c := llxprt.ApplyLifecycle(res)
			p.Stop, p.StopReason = c.Stop, c.StopReason
			p.Context, p.Messages = said(
				res,
				c.Context,
				func(o *hook.Output[LOut]) string { return o.Context },
			), said(
				res,
				c.Message,
				func(o *hook.Output[LOut]) string { return o.Message },
			)
			if read != nil {
				read(at, sent, res, p)
			}
		},
	}
}

// said lists the texts of the hooks if they are what the merged text is made of, else
// that one alone.
func said[LOut any](res *hook.Result[LOut], merged string, text func(*hook.Output[LOut]) string) (texts []string) {
	if merged == "" {
		return nil
	}
	for i := range res.Reports {
		if t := text(&res.Reports[i].Output); t != "" {
			texts = append(texts, t)
		}
	}
	if strings.Join(texts, "\n") != merged {
		return []string{merged}
	}
	return texts
}

// llxprtSource is the reason for a start in LLxprt's words.
func llxprtSource(source string) string {
	switch source {
	case "":
		return "startup"
	case "compact":
		return "compress"
	case "fork":
		return "resume"
	}
	return source
}

// llxprtCall is a call as LLxprt's hooks see it.
func llxprtCall(at *site, in *ToolCall, p *part) llxprt.BeforeToolInput {
	p.view = at.show(in)
	c := llxprt.BeforeToolInput{Name: p.view.name, Input: object(p.view.args), OriginalInput: at.original(in)}
	if server := at.hooks.server(in.Name); server != "" {
		context := wire.Object(nil).With("server_name", wire.Quote(server)).With("tool_name", wire.Quote(in.Name))
		c.Extra = jsontext.Value(wire.Object(nil).With("mcp_context", jsontext.Value(context)))
	}
	return c
}

func llxprtGate(_ *site, sent llxprt.BeforeToolInput, res *hook.Result[llxprt.BeforeToolOutput], p *part) {
	p.Context = nil // it is not for the model here
	decide(res, p)
	p.changes = p.view.patch(res.Specific.ModifiedToolInput())
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err == nil && r.Output.Specific.ToolInput.IsObject() {
			p.rewrites(r.Hook, p.view.patch(r.Output.Specific.ToolInput))
		}
	}
}

// decide takes the decision of a result. The merged answer of hooks that do not object
// is a permission in LLxprt, which says nothing: only the words of hooks count.
func decide[LOut any](res *hook.Result[LOut], p *part) {
	if blocked, reason := llxprt.BlockingError(&res.Output); blocked {
		p.Decision, p.Reason = hook.Deny, reason
		return
	}
	for i := range res.Reports {
		o := &res.Reports[i].Output
		d := word(o.Decision)
		if g, ok := any(&o.Specific).(*llxprt.BeforeToolOutput); ok {
			d = strictest(d, word(g.PermissionDecision))
		}
		switch {
		case o.Synthetic || d == hook.Undecided:
		case stricter(d, p.Decision):
			p.Decision, p.Reason = d, o.Reason
		case d == p.Decision:
			p.Reason = lines(p.Reason, o.Reason)
		}
	}
}

// llxprtReview takes what a hook objects to after the fact. In the profile of Gemini CLI
// the reason takes the place of the result.
func llxprtReview(at *site, _ llxprt.AfterToolInput, res *hook.Result[llxprt.BasicOutput], p *part) {
	blocked, reason := llxprt.BlockingError(&res.Output)
	switch {
	case !blocked:
	case llxprt.ProfileOf(at.ses) == llxprt.Gemini:
		p.Result, p.Context = &ToolResult{Text: "Tool result blocked: " + reason, Failed: true}, nil
	default:
		p.Decision, p.Reason = hook.Deny, reason
	}
}

// llxprtResponse is a tool's result as LLxprt's hooks see it.
func llxprtResponse(r *ToolResult) wire.Object {
	if o := wire.Object(r.Data); len(o) > 0 && o.IsObject() && o.Get("llmContent") != nil {
		return o
	}
	o := wire.Object(nil).With("llmContent", wire.Quote(r.Text)).With("returnDisplay", wire.Quote(r.Text))
	if r.Failed {
		o = o.With("error", jsontext.Value(wire.Object(nil).With("message", wire.Quote(r.Text))))
	}
	return o
}
