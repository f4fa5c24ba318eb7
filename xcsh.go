package snaphook

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// XcshConfig configures how modules of xcsh and pi are found and run.
type XcshConfig struct {
	// Config configures the modules. If it has no Loaders, those linked into the program are used: import jsrun/modules
	// for JavaScript and TypeScript.
	xcsh.Config

	// Modules lists paths of modules to load besides those that discovery finds.
	Modules []string

	// NoProject excludes the modules of the project, even in a trusted session.
	NoProject bool

	// Setup adds modules written in Go to each session; see [xcsh.Modules]. NewSession returns its error. Setup may be
	// nil.
	Setup func(*xcsh.Modules) error

	// Host returns the functions of the host that a session's modules may call. If it is nil, modules ask the user by
	// [Config].Ask, their messages are returned by [Session.NextTurn], and an abort is a Stop.
	Host func(*Session) xcsh.Host
}

// Xcsh returns the hook system of xcsh and pi. Its hooks are modules, which discovery finds as in xcsh; a program adds
// more by [Session.Modules].
func Xcsh(cfg XcshConfig) *Dialect {
	word := func(w dialectNames) string { return w.xcsh }
	attach := func(ctx context.Context, s *Session) error { return s.xcsh.attach(ctx, s, &cfg) }
	return &Dialect{name: xcsh.Dialect.Name, translate: spelled(word, asIs), attach: attach, stages: table(
		starts.stage(xcshStart, declared(xcsh.SessionStart, xcsh.SessionSwitch)...),
		prompts.stage(xcshPrompt, declared(xcsh.BeforeAgentStart)...),
		beforeModels.stage(xcshRequest, declared(xcsh.Context)...),
		notice(afterModels, xcsh.TurnEnd, func(in *AfterModelInput, p *dialectAnswer) xcsh.TurnEndEvent {
			said := saidMessage(responseText(in.Response))
			return xcsh.TurnEndEvent{TurnIndex: int(p.s.xcsh.turns.Add(1)) - 1, Message: said, ToolResults: []xcsh.Message{}}
		}),
		beforeTools.stage(xcshGate, declared(xcsh.ToolCall)...),
		afterTools.stage(xcshEdit, declared(xcsh.ToolResult)...),
		notice(stops, xcsh.AgentEnd, func(in *StopInput, _ *dialectAnswer) xcsh.AgentEndEvent {
			return xcsh.AgentEndEvent{Messages: []xcsh.Message{saidMessage(in.Answer)}}
		}),
		beforeCompacts.stage(xcshCompaction, declared(xcsh.SessionBeforeCompact, xcsh.SessionCompacting)...),
		notice(afterCompacts, xcsh.SessionCompact, func(in *AfterCompactInput, _ *dialectAnswer) xcsh.SessionCompactEvent {
			entry := wire.Object(`{"type":"compaction"}`).With("summary", wire.Quote(in.Summary))
			return xcsh.SessionCompactEvent{CompactionEntry: xcsh.Entry{Object: entry}}
		}),
		notice(ends, xcsh.SessionShutdown, func(*EndInput, *dialectAnswer) (e xcsh.SessionShutdownEvent) { return e }),
	)}
}

// declared lists the declarations of events, for both runtimes.
func declared(events ...interface{ Declared() [2]pipeline.Declared }) (all []pipeline.Declared) {
	for _, e := range events {
		both := e.Declared()
		all = append(all, both[:]...)
	}
	return all
}

// xcshFire fires an event whose handlers return results.
func xcshFire[E, R any](ctx context.Context, ev *xcsh.Event[E, R], sent *E, p *dialectAnswer) (*hook.Result[R], error) {
	res, err := ev.FireResult(ctx, p.s.xcsh.modules, sent)
	report(p, res, func(r *hook.Report[R]) pipeline.Outcome { return ev.Outcome(p.s.xcsh.modules, r) })
	if errors.Is(err, hook.ErrClosed) {
		p.err = hook.ErrClosed
	}
	xcshAbort(p)
	return res, err
}

// tell fires an event whose handlers return nothing.
func tell[E any](ctx context.Context, ev *xcsh.Notice[E], sent *E, p *dialectAnswer) {
	res := ev.FireResult(ctx, p.s.xcsh.modules, sent)
	report(p, res, func(r *hook.Report[xcsh.Nothing]) pipeline.Outcome {
		return ev.Outcome(p.s.xcsh.modules, r)
	})
	xcshAbort(p)
}

// notice makes the stage of one event whose handlers return nothing.
func notice[In, E any](m *moment[In], ev *xcsh.Notice[E], input func(*In, *dialectAnswer) E) momentStage {
	return m.stage(func(ctx context.Context, in *In, p *dialectAnswer) {
		sent := input(in, p)
		tell(ctx, ev, &sent, p)
	}, declared(ev)...)
}

// xcshAbort turns a module's abort into a Stop.
func xcshAbort(p *dialectAnswer) {
	if p.s.xcsh.aborted.Load() && p.s.xcsh.aborted.Swap(false) { // Load costs less than Swap
		p.Stop, p.StopReason = true, "A hook module has aborted the agent's work."
	}
}

// xcshStart fires the event for the start of a session, or for the user's switch to another session.
func xcshStart(ctx context.Context, in *StartInput, p *dialectAnswer) {
	if p.s.xcsh.started.Swap(true) && in.Source != "" && in.Source != "startup" && in.Source != "compact" {
		reason := map[string]string{"clear": "new"}[in.Source]
		tell(ctx, xcsh.SessionSwitch, &xcsh.SessionSwitchEvent{Reason: cmp.Or(reason, in.Source)}, p)
		return
	}
	tell(ctx, xcsh.SessionStart, &xcsh.SessionStartEvent{}, p)
}

// xcshPrompt collects messages that modules add to a prompt.
func xcshPrompt(ctx context.Context, in *PromptInput, p *dialectAnswer) {
	res, _ := xcshFire(ctx, xcsh.BeforeAgentStart, &xcsh.BeforeAgentStartEvent{Prompt: in.Text}, p)
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

func xcshGate(ctx context.Context, in *ToolCall, p *dialectAnswer) {
	sent := xcsh.ToolCallEvent{ToolName: p.name, ToolCallID: in.ID, Input: p.view.Object}
	res, err := xcshFire(ctx, xcsh.ToolCall, &sent, p)
	var r *xcsh.ToolCallResult
	if res.Set.Has(hook.SetSpecific) {
		r = &res.Specific
	}
	if refusal := p.s.xcsh.modules.Verdict(r, err); refusal != nil {
		p.Decision, p.Reason = hook.Deny, refusal.Error()
	}
}

// xcshEdit copies the changes that modules make to a tool's result. In the hook runtime the result of a failed tool
// stays unchanged.
func xcshEdit(ctx context.Context, in *AfterToolInput, p *dialectAnswer) {
	sent := xcsh.ToolResultEvent{
		ToolName: p.name, ToolCallID: in.ID, Input: p.view.Object,
		Content: []xcsh.Part{xcsh.TextPart(in.Result.Text)}, Details: in.Result.Data, IsError: in.Result.Failed,
	}
	res, _ := xcshFire(ctx, xcsh.ToolResult, &sent, p)
	if !res.Set.Has(hook.SetSpecific) {
		return
	}
	now := p.s.xcsh.modules.Review(&sent, &res.Specific)
	if now.IsError == sent.IsError && wire.Equal(xcsh.Parts(now.Content...), xcsh.Parts(sent.Content...)) &&
		wire.Equal(now.Details, sent.Details) {
		return
	}
	p.Result = &ToolResult{Text: partsText(now.Content), Data: now.Details, Failed: now.IsError}
}

// xcshCompaction fires the two events before a compaction. It skips the second if a module has cancelled the compaction
// or returned a summary in the first.
func xcshCompaction(ctx context.Context, in *BeforeCompactInput, p *dialectAnswer) {
	none := []xcsh.Message{}
	before, _ := xcshFire(ctx, xcsh.SessionBeforeCompact, &xcsh.SessionBeforeCompactEvent{
		Preparation:   xcsh.CompactionPreparation{MessagesToSummarize: none, TurnPrefixMessages: none, RecentMessages: none},
		BranchEntries: []xcsh.Entry{}, CustomInstructions: in.Instructions,
	}, p)
	switch r := &before.Specific; {
	case r.Cancel:
		p.Decision, p.Reason = hook.Deny, "A hook module has cancelled the compaction."
		return
	case r.Compaction != nil:
		p.Result = &ToolResult{Text: r.Compaction.Summary, Data: r.Compaction.Details}
		return
	}
	sent := xcsh.SessionCompactingEvent{SessionID: p.s.cfg.ID, Messages: none}
	res, _ := xcshFire(ctx, xcsh.SessionCompacting, &sent, p)
	p.Context = append(p.Context, res.Specific.Context...)
	if prompt := res.Specific.Prompt; prompt != "" {
		p.Context = append(p.Context, prompt)
	}
}

// The maps translate the roles of messages. Requests use LLxprt's names: "model" where xcsh has "assistant".
var (
	toModule   = map[string]string{"model": "assistant"}
	fromModule = map[string]string{"assistant": "model"}
)

// withRole returns a message with its role translated by words.
func withRole(m wire.Object, words map[string]string) wire.Object {
	if role, other := words[m.Text("role")]; other {
		return m.With("role", wire.Quote(role))
	}
	return m
}

// xcshRequest passes the messages of a request to modules, and copies the changed list. If a message's content is a
// list of parts, only their text is used.
func xcshRequest(ctx context.Context, in *BeforeModelInput, p *dialectAnswer) {
	p.view = rename.View{Object: in.Request}
	sent := xcsh.ContextEvent{Messages: []xcsh.Message{}}
	for _, m := range elements(in.Request.Get("messages")) {
		sent.Messages = append(sent.Messages, xcsh.Message{Object: withRole(wire.Object(m), toModule)})
	}
	res, _ := xcshFire(ctx, xcsh.Context, &sent, p)
	if !res.Set.Has(hook.SetSpecific) || res.Specific.Messages == nil {
		return
	}
	now := make([]xcsh.Part, len(res.Specific.Messages))
	for i, m := range res.Specific.Messages {
		o := withRole(m.Object, fromModule)
		if content := o.Get("content"); content.Kind() == '[' {
			o = o.With("content", wire.Quote(contentText(content)))
		}
		now[i].Object = object(o)
	}
	p.changes = p.view.Whole(in.Request.With("messages", xcsh.Parts(now...)))
	if last := len(res.Reports) - 1; last >= 0 {
		for _, c := range p.changes {
			p.claims = append(p.claims, claim{c, res.Reports[last].Hook.ID})
		}
	}
}

// saidMessage returns a text of the model as a message for modules.
func saidMessage(text string) xcsh.Message {
	o := wire.Object(`{"role":"assistant"}`).With("content", xcsh.Parts(xcsh.TextPart(text)))
	return xcsh.Message{Object: o}
}

// contentText returns the text of a message's content, which is a string or a list of parts.
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

// elements lists the values of an array; nil for other JSON.
func elements(list jsontext.Value) (all []jsontext.Value) {
	if json.Unmarshal(list, &all, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return nil
	}
	return all
}
