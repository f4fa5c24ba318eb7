package agent

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// XcshConfig is how modules of xcsh and pi are found and run.
type XcshConfig struct {
	// Config is that of the modules. Without Loaders those count that a program links:
	// importing jsrun/modules is enough for JavaScript and TypeScript.
	xcsh.Config

	// Modules are paths of modules besides those that are found.
	Modules []string

	// NoProject leaves out the modules of the project, also where the session is trusted.
	NoProject bool

	// Setup adds modules in Go to each session; see [xcsh.Modules]. Its error is that of
	// NewSession. It may be nil.
	Setup func(*xcsh.Modules) error

	// Host is what the program lends to the modules of a session. Nil: they ask the user
	// by [Config].Ask, their messages are in [Session.NextTurn], and what they abort is a
	// Stop.
	Host func(*Session) xcsh.Host
}

// xcshWords is how xcsh and pi call tools.
var xcshWords = vocabulary{
	kinds: map[Kind]spelling{
		Shell:  {tool: "bash"},
		Read:   {tool: "read"},
		Write:  {tool: "write"},
		Edit:   {"edit", map[string]string{"old": "oldText", "new": "newText"}},
		List:   {tool: "ls"},
		Glob:   {tool: "find"},
		Grep:   {"grep", map[string]string{"include": "glob"}},
		Fetch:  {tool: "fetch"},
		Search: {tool: "web_search"},
		Task:   {tool: "task"},
		Todo:   {tool: "todo_write"},
	},
	mcp: func(server, tool string) string { return "mcp_" + server + "_" + tool },
}

// Xcsh is the hook system of xcsh and pi. Its hooks are modules: those of the zero
// config are found where xcsh finds them, and those that a program adds by
// [Session.Modules].
func Xcsh(cfg XcshConfig) *Dialect {
	return &Dialect{
		name: xcsh.Dialect.Name, words: xcshWords,
		attach: func(ctx context.Context, s *Session) error { return s.attach(ctx, &cfg) },

		start: stage[StartInput]{
			events: declared(xcsh.SessionStart, xcsh.SessionSwitch),
			fire: func(ctx context.Context, at *site, in *StartInput, p *part) {
				if at.started.Swap(true) && in.Source != "" && in.Source != "startup" && in.Source != "compact" {
					reason := map[string]string{"clear": "new"}[in.Source]
					tell(ctx, at, xcsh.SessionSwitch, &xcsh.SessionSwitchEvent{Reason: or(reason, in.Source)}, p)
					return
				}
				tell(ctx, at, xcsh.SessionStart, &xcsh.SessionStartEvent{}, p)
			},
		},
		prompt:      xcshStage(xcsh.BeforeAgentStart, xcshPrompt, xcshMessage),
		beforeModel: xcshStage(xcsh.Context, xcshMessages, xcshRewritten),
		afterModel: stage[AfterModelInput]{
			events: declared(xcsh.TurnEnd),
			fire: func(ctx context.Context, at *site, in *AfterModelInput, p *part) {
				e := &xcsh.TurnEndEvent{
					TurnIndex:   int(at.turns.Add(1)) - 1,
					Message:     saidMessage("assistant", responseText(in.Response)),
					ToolResults: []xcsh.Message{},
				}
				tell(ctx, at, xcsh.TurnEnd, e, p)
			},
		},
		beforeTool: xcshStage(xcsh.ToolCall, func(at *site, in *ToolCall, p *part) xcsh.ToolCallEvent {
			p.view = at.show(in)
			return xcsh.ToolCallEvent{ToolName: p.view.name, ToolCallID: in.ID, Input: p.view.args}
		}, xcshGate),
		afterTool: xcshStage(xcsh.ToolResult, xcshDone, xcshEdit),
		stop: stage[StopInput]{
			events: declared(xcsh.AgentEnd),
			fire: func(ctx context.Context, at *site, in *StopInput, p *part) {
				tell(
					ctx,
					at,
					xcsh.AgentEnd,
					&xcsh.AgentEndEvent{Messages: []xcsh.Message{saidMessage("assistant", in.Answer)}},
					p,
				)
			},
		},
		beforeCompact: xcshCompacting(),
		afterCompact: stage[AfterCompactInput]{
			events: declared(xcsh.SessionCompact),
			fire: func(ctx context.Context, at *site, in *AfterCompactInput, p *part) {
				entry := wire.Object(`{"type":"compaction"}`).With("summary", wire.Quote(in.Summary))
				tell(
					ctx,
					at,
					xcsh.SessionCompact,
					&xcsh.SessionCompactEvent{CompactionEntry: xcsh.Entry{Object: entry}},
					p,
				)
			},
		},
		end: stage[EndInput]{
			events: declared(xcsh.SessionShutdown),
			fire: func(ctx context.Context, at *site, _ *EndInput, p *part) {
				tell(ctx, at, xcsh.SessionShutdown, &xcsh.SessionShutdownEvent{}, p)
			},
		},
	}
}

// declared are the declarations of events, in both runtimes.
func declared(events ...interface{ Declared() [2]pipeline.Declared }) (all []pipeline.Declared) {
	for _, e := range events {
		both := e.Declared()
		all = append(all, both[:]...)
	}
	return all
}

// xcshStage makes a stage of one event whose handlers have a say.
func xcshStage[In, E, R any](
	ev *xcsh.Event[E, R],
	input func(*site, *In, *part) E,
	read func(*site, E, *hook.Result[R], error, *part),
) stage[In] {
	return stage[In]{
		events: declared(ev),
		fire: func(ctx context.Context, at *site, in *In, p *part) {
			sent := input(at, in, p)
			xcshFire(ctx, at, ev, &sent, read, p)
		},
	}
}

func xcshFire[E, R any](
	ctx context.Context,
	at *site,
	ev *xcsh.Event[E, R],
	sent *E,
	read func(*site, E, *hook.Result[R], error, *part),
	p *part,
) {
	res, err := ev.FireResult(ctx, at.modules, sent)
	took(p, res, handled[E, R]{ev, at.modules})
	if errors.Is(err, hook.ErrClosed) {
		p.err = hook.ErrClosed
	}
	read(at, *sent, res, err, p)
	at.abort(p)
}

// tell fires an event whose handlers have no say.
func tell[E any](ctx context.Context, at *site, ev *xcsh.Notice[E], sent *E, p *part) {
	took(p, ev.FireResult(ctx, at.modules, sent), noticed[E]{ev, at.modules})
	at.abort(p)
}

// took adds the reports of a result to those that are there.
func took[R any](p *part, res *hook.Result[R], event outcomes[R]) {
	before := p.Reports
	p.Reports = nil
	report(p, xcsh.Dialect.Name, res, event)
	p.Reports = joined(before, p.Reports)
}

// abort makes a Stop of what a module has asked for.
func (at *site) abort(p *part) {
	if at.aborted.Swap(false) {
		p.Stop, p.StopReason = true, "A hook module has aborted the agent's work."
	}
}

func xcshGate(at *site, _ xcsh.ToolCallEvent, res *hook.Result[xcsh.ToolCallResult], err error, p *part) {
	var r *xcsh.ToolCallResult
	if res.Set.Has(hook.SetSpecific) {
		r = &res.Specific
	}
	if refusal := at.modules.Verdict(r, err); refusal != nil {
		p.Decision, p.Reason = hook.Deny, refusal.Error()
	}
}

func xcshPrompt(_ *site, in *PromptInput, _ *part) xcsh.BeforeAgentStartEvent {
	return xcsh.BeforeAgentStartEvent{Prompt: in.Text}
}

// xcshMessage takes the messages that modules add to a prompt.
func xcshMessage(
	_ *site,
	_ xcsh.BeforeAgentStartEvent,
	res *hook.Result[xcsh.BeforeAgentStartResult],
	_ error,
	p *part,
) {
	all := res.Specific.Messages
	if m := res.Specific.Message; m != nil && len(all) == 0 {
		all = []xcsh.CustomMessage{*m}
	}
	for i := range all {
		if text := contentText(all[i].Content); text != "" {
			p.Context = append(p.Context, text)
		}
	}
}

func xcshDone(at *site, in *AfterToolInput, p *part) xcsh.ToolResultEvent {
	p.view = at.show(&in.ToolCall)
	return xcsh.ToolResultEvent{
		ToolName: p.view.name, ToolCallID: in.ID, Input: p.view.args,
		Content: []xcsh.Part{xcsh.TextPart(in.Result.Text)}, Details: in.Result.Data, IsError: in.Result.Failed,
	}
}

// xcshEdit takes what modules have made of a tool's result. That of a tool which has
// failed is its own in the hook runtime.
func xcshEdit(at *site, sent xcsh.ToolResultEvent, res *hook.Result[xcsh.ToolResultOverride], _ error, p *part) {
	if !res.Set.Has(hook.SetSpecific) {
		return
	}
	now := at.modules.Review(&sent, &res.Specific)
	if now.IsError == sent.IsError && wire.Equal(xcsh.Parts(now.Content...), xcsh.Parts(sent.Content...)) &&
		wire.Equal(now.Details, sent.Details) {
		return
	}
	p.Result = &ToolResult{Text: partsText(now.Content), Data: now.Details, Failed: now.IsError}
}

// contentText is the text of a message's content: a string, or a list of parts.
func contentText(content jsontext.Value) string {
	if text, ok := wire.Text(content); ok {
		return text
	}
	var parts []xcsh.Part
	for _, part := range elements(content) {
		parts = append(parts, xcsh.Part{Object: wire.Object(part)})
	}
	return partsText(parts)
}

func partsText(parts []xcsh.Part) string {
	var texts []string
	for _, part := range parts {
		if text, ok := part.PlainText(); ok {
			texts = append(texts, text)
		}
	}
	return lines(texts...)
}

// handled is an event with the modules whose handlers it has run.
type handled[E, R any] struct {
	*xcsh.Event[E, R]
	modules *xcsh.Modules
}

func (h handled[E, R]) Outcome(r *hook.Report[R]) pipeline.Outcome {
	return h.Event.Outcome(h.modules, r)
}

// noticed is the same for an event whose handlers have no say.
type noticed[E any] struct {
	*xcsh.Notice[E]
	modules *xcsh.Modules
}

func (n noticed[E]) Outcome(r *hook.Report[xcsh.Nothing]) pipeline.Outcome {
	return n.Notice.Outcome(n.modules, r)
}
