package snaphook

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is one hook system: which of its events fire at which moment, and how it
// calls tools. Make one with [Claude], [LLxprt], [Xcsh] or [NewDialect]; one may be used
// for several [Hooks].
type Dialect struct {
	name      string
	translate func(*Tool) *translated               // puts a tool into its words; nil: it has the host's
	variants  []func(*Tool) *translated             // other words that it has in some sessions
	variant   func(*pipeline.Session) int           // the one of variants that a session has; -1: none
	load      pipeline.Load                         // reads the settings; nil: the dialect has none
	attach    func(context.Context, *Session) error // completes a session; may be nil
	stages    [moments]stage
	llxprt    *LLxprtConfig // of LLxprt
	wrong     error         // why it cannot be used
}

// Name is claude, llxprt, xcsh, or the name of the dialect that [NewDialect] was given.
func (d *Dialect) Name() string { return d.name }

// stage is one moment in one dialect: the events that it fires, and how. The zero
// stage is of a dialect that has no such moment.
type stage struct {
	at     Moment
	events []pipeline.Declared
	fire   any // func(context.Context, *In, *part), where In is the moment's input
}

// stage makes the stage of a dialect at m.
func (m *moment[In]) stage(fire func(context.Context, *In, *part), events ...pipeline.Declared) stage {
	return stage{m.at, events, fire}
}

// fires makes the stage of one event: its input of the host's, and how its result is read.
func fires[In, E, R any](
	m *moment[In], ev *pipeline.Event[E, R], input func(*In, *part) E, read func(*hook.Result[R], *part),
) stage {
	return m.stage(func(ctx context.Context, in *In, p *part) {
		sent := input(in, p)
		read(fired(ctx, ev, &sent, p), p)
	}, ev)
}

// fired returns the result of an event, and puts the reports of its hooks into p.
func fired[E, R any](ctx context.Context, ev *pipeline.Event[E, R], in *E, p *part) *hook.Result[R] {
	res, err := ev.Fire(ctx, p.s.ses, in)
	p.err = err
	report(p, res, ev.Outcome)
	return res
}

// table has the stages of a dialect by moment.
func table(stages ...stage) (by [moments]stage) {
	for _, st := range stages {
		by[st.at] = st
	}
	return by
}

// part is the answer of one dialect, or of the program, at a moment.
type part struct {
	Verdict
	s       *Session
	dialect int         // its place in the Hooks
	tool    *known      // of the call
	name    string      // of the tool, as the dialect has it
	view    rename.View // of the call's arguments, or of the request
	changes []rename.Change
	claims  []claim
	unclear bool  // hooks could see other arguments than the tool takes
	err     error // of the fire: ctx's, or that the session is closed
}

// merge adds the answers of other dialects, in their order.
func (p *part) merge(others []part) {
	for i := range others {
		o := &others[i]
		if p.unclear && o.unclear {
			o.Reason = "" // it has been said
		}
		p.unclear = p.unclear || o.unclear
		p.add(&o.Verdict)
		p.changes, p.claims = append(p.changes, o.changes...), append(p.claims, o.claims...)
		if p.err == nil {
			p.err = o.err
		}
	}
}

// show puts a call into the dialect's words, and reports whether its arguments are one JSON
// object.
func (p *part) show(c *ToolCall) (ok bool) {
	p.tool = p.s.hooks.tool(c.Name)
	name, args := p.words(c.Name)
	p.name = name
	return p.view.Show(args, object(c.Input))
}

// clash describes arguments of a call that hooks could see differently from the tool; empty
// without any.
func (p *part) clash(c *ToolCall) string {
	_, args := p.words(c.Name)
	return args.Clash(object(c.Input))
}

// words returns the spelling of the tool, which has the name in the host, in the dialect as the session
// has it.
func (p *part) words(name string) (theirs string, args *rename.Names) {
	if p.tool == nameless {
		return name, nil
	}
	all := p.tool.by[p.dialect]
	at := 0
	if d := p.s.hooks.dialects[p.dialect]; d.variant != nil {
		at = 1 + d.variant(p.s.ses)
	}
	return all[at].name, all[at].args
}

// original returns the call's arguments before hooks rewrote them as the dialect sees them;
// nil if none did.
func (p *part) original(c *ToolCall) wire.Object {
	if c.Original == nil {
		return nil
	}
	var v rename.View
	_, args := p.words(c.Name)
	v.Show(args, object(c.Original))
	return v.Object
}
