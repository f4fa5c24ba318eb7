package snaphook

import (
	"context"
	"errors"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is one hook system: the events that it fires at each moment, and its names for tools. Make one with [Claude],
// [LLxprt], [Xcsh] or [NewDialect]. Several [Hooks] may share a Dialect.
type Dialect struct {
	name      string
	translate func(*Tool) *translated               // translates a tool; nil keeps the host's names
	variants  []func(*Tool) *translated             // translators for other profiles
	variant   func(*pipeline.Session) int           // returns the index in variants for a session; -1: use translate
	load      pipeline.Load                         // reads the settings; nil for a dialect without settings
	attach    func(context.Context, *Session) error // called with each new session; may be nil
	stages    [moments]momentStage
	llxprt    *LLxprtConfig // set if the dialect is LLxprt
	wrong     error         // the reason why the dialect cannot be used
}

// Name returns claude, llxprt, xcsh, or the name of the dialect that [NewDialect] was given.
func (d *Dialect) Name() string { return d.name }

// take adds a stage to the dialect.
func (d *Dialect) take(of *pipeline.Dialect, st momentStage) error {
	if len(st.events) == 0 {
		return errors.New("a Stage is empty; make it with snaphook.Fires")
	}
	if ev := st.events[0].Info(); ev.Dialect != of.Name {
		return fmt.Errorf("%s is an event of another dialect; declare the event in this dialect", ev.FullName())
	}
	if d.stages[st.at].fire != nil {
		return fmt.Errorf("two stages are for the moment %v; write one stage, whose input has everything that both need", st.at)
	}
	d.stages[st.at] = st
	return nil
}

// momentStage holds the events that a dialect fires at one moment, and the function that fires them. The
// zero momentStage fires nothing.
type momentStage struct {
	at     Moment
	events []pipeline.Declared
	fire   any // func(context.Context, *In, *dialectAnswer), where In is the moment's input
}

// fires makes the stage of one event: input converts the host's input, and read converts the result.
func fires[In, E, R any](
	m *moment[In], ev *pipeline.Event[E, R], input func(*In, *dialectAnswer) E, read func(*hook.Result[R], *dialectAnswer),
) momentStage {
	return m.stage(func(ctx context.Context, in *In, p *dialectAnswer) {
		sent := input(in, p)
		read(fired(ctx, ev, &sent, p), p)
	}, ev)
}

// fired fires an event, appends the reports of its hooks to p, and returns the result.
func fired[E, R any](ctx context.Context, ev *pipeline.Event[E, R], in *E, p *dialectAnswer) *hook.Result[R] {
	res, err := ev.Fire(ctx, p.s.ses, in)
	p.err = err
	report(p, res, ev.Outcome)
	return res
}

// table indexes the stages of a dialect by moment.
func table(stages ...momentStage) (by [moments]momentStage) {
	for _, st := range stages {
		by[st.at] = st
	}
	return by
}

// dialectAnswer is the answer of one dialect, or of the program's own hooks, at a moment.
type dialectAnswer struct {
	Verdict
	s       *Session
	dialect int        // index in Hooks.dialects
	tool    *knownTool // the called tool
	name    string     // the dialect's name of the tool
	// maps the names in the call's arguments, or in the request to the model, to the dialect's names and back
	view    rename.View
	changes []rename.Change
	claims  []claim
	unclear bool  // hooks may read different arguments than the tool
	err     error // the error of the fire
}

// merge adds the answers of other dialects, in order.
func (p *dialectAnswer) merge(others []dialectAnswer) {
	for i := range others {
		o := &others[i]
		if p.unclear && o.unclear {
			o.Reason = "" // p already has the reason
		}
		p.unclear = p.unclear || o.unclear
		p.add(&o.Verdict)
		p.changes, p.claims = append(p.changes, o.changes...), append(p.claims, o.claims...)
		if p.err == nil {
			p.err = o.err
		}
	}
}

// show translates a call for the dialect; ok is false if its arguments are not one JSON object.
func (p *dialectAnswer) show(c *ToolCall) (ok bool) {
	p.tool = p.s.hooks.tool(c.Name)
	name, args := p.words(c.Name)
	p.name = name
	return p.view.Show(args, object(c.Input))
}

// clash describes arguments that hooks could read differently from the tool. It returns "" if no arguments clash.
func (p *dialectAnswer) clash(c *ToolCall) string {
	_, args := p.words(c.Name)
	return args.Clash(object(c.Input))
}

// words returns the dialect's name of the tool that the host calls name, and its names of the arguments, in the
// session's profile.
func (p *dialectAnswer) words(name string) (theirs string, args *rename.Names) {
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

// original returns the dialect's view of the arguments before hooks rewrote them; nil if no hook
// did.
func (p *dialectAnswer) original(c *ToolCall) wire.Object {
	if c.Original == nil {
		return nil
	}
	var v rename.View
	_, args := p.words(c.Name)
	v.Show(args, object(c.Original))
	return v.Object
}

// decide copies a decision. An Allow skips the host's permission prompt.
func (p *dialectAnswer) decide(d hook.Decision, reason string) {
	p.Decision, p.Reason, p.Preapproved = word(d), reason, d == hook.Allow
}
