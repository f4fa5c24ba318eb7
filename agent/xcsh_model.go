package agent

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// elements lists the values of an array; none if it is none.
func elements(list jsontext.Value) (all []jsontext.Value) {
	if list.Kind() != '[' ||
		json.Unmarshal(list, &all, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return all
}

// saidMessage is a message of text, as modules know it.
func saidMessage(role, text string) xcsh.Message {
	return xcsh.Message{
		Object: wire.Object(nil).With("role", wire.Quote(role)).With("content", xcsh.Parts(xcsh.TextPart(text))),
	}
}

// The roles of messages: those of a request are LLxprt's, where the model is model.
var (
	toModule   = map[string]string{"model": "assistant"}
	fromModule = map[string]string{"assistant": "model"}
)

// xcshMessages are the messages of a request as modules know them.
func xcshMessages(_ *site, in *BeforeModelInput, p *part) xcsh.ContextEvent {
	p.view = view{args: in.Request}
	messages := []xcsh.Message{}
	for _, m := range elements(in.Request.Get("messages")) {
		o := wire.Object(m)
		if role, other := toModule[o.Text("role")]; other {
			o = o.With("role", wire.Quote(role))
		}
		messages = append(messages, xcsh.Message{Object: o})
	}
	return xcsh.ContextEvent{Messages: messages}
}

// xcshRewritten takes the messages that modules have left. The content of one may be
// a list of parts, of which the text counts.
func xcshRewritten(_ *site, _ xcsh.ContextEvent, res *hook.Result[xcsh.ContextResult], _ error, p *part) {
	if !res.Set.Has(hook.SetSpecific) || res.Specific.Messages == nil {
		return
	}
	list := []byte{'['}
	for i, m := range res.Specific.Messages {
		o := m.Object
		if role, other := fromModule[o.Text("role")]; other {
			o = o.With("role", wire.Quote(role))
		}
		if content := o.Get("content"); content.Kind() == '[' {
			o = o.With("content", wire.Quote(contentText(content)))
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, object(o)...)
	}
	now := p.view.args.With("messages", append(list, ']'))
	p.changes = p.view.whole(now)
	if len(p.changes) > 0 && len(res.Reports) > 0 {
		p.rewrites(res.Reports[len(res.Reports)-1].Hook, p.changes)
	}
}

// xcshCompacting fires the two events before a compaction: the second one only if the
// first has neither cancelled it nor brought a summary.
func xcshCompacting() stage[BeforeCompactInput] {
	return stage[BeforeCompactInput]{
		events: declared(xcsh.SessionBeforeCompact, xcsh.SessionCompacting),
		fire: func(ctx context.Context, at *site, in *BeforeCompactInput, p *part) {
			none := []xcsh.Message{}
			xcshFire(ctx, at, xcsh.SessionBeforeCompact, &xcsh.SessionBeforeCompactEvent{
				Preparation: xcsh.CompactionPreparation{
					MessagesToSummarize: none,
					TurnPrefixMessages:  none,
					RecentMessages:      none,
				},
				BranchEntries: []xcsh.Entry{}, CustomInstructions: in.Instructions,
			}, xcshCompaction, p)
			if p.Decision == "" && p.Result == nil {
				xcshFire(
					ctx,
					at,
					xcsh.SessionCompacting,
					&xcsh.SessionCompactingEvent{SessionID: at.cfg.ID, Messages: none},
					xcshSummary,
					p,
				)
			}
		},
	}
}

func xcshCompaction(
	_ *site,
	_ xcsh.SessionBeforeCompactEvent,
	res *hook.Result[xcsh.SessionBeforeCompactResult],
	_ error,
	p *part,
) {
	switch r := &res.Specific; {
	case r.Cancel:
		p.Decision, p.Reason = hook.Deny, "A hook module has cancelled the compaction."
	case r.Compaction != nil:
		p.Result = &ToolResult{Text: r.Compaction.Summary, Data: r.Compaction.Details}
	}
}

func xcshSummary(
	_ *site,
	_ xcsh.SessionCompactingEvent,
	res *hook.Result[xcsh.SessionCompactingResult],
	_ error,
	p *part,
) {
	p.Context = append(p.Context, res.Specific.Context...)
	if prompt := res.Specific.Prompt; prompt != "" {
		p.Context = append(p.Context, prompt)
	}
}
