package snaphook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// moment describes one moment, for all dialects.
type moment[In any] struct {
	at   Moment
	gate bool                          // hooks can block
	own  *pipeline.Event[In, *Verdict] // the program's own hooks
	args func(*In) *wire.Object        // returns the part that hooks can rewrite; nil: hooks cannot rewrite the input
	call func(*In) *ToolCall           // returns the call to translate for each dialect; nil: there is no tool
	name func(*In) *string             // returns the host's name that matchers test; nil: the call's name, or none

	firings *sync.Pool // of *firing[In]
}

// declare makes a moment, and the event for the program's own hooks. At a gate, a failed hook is a
// denial.
func declare[In any](m moment[In]) *moment[In] {
	if m.call != nil {
		m.name = func(in *In) *string { return &m.call(in).Name }
	}
	m.firings = &sync.Pool{New: func() any { return new(firing[In]) }}
	can := pipeline.CanStop | pipeline.CanAddContext
	if m.gate {
		can |= pipeline.CanBlock
	}
	m.own = pipeline.Declare(ownEvents, pipeline.Spec[In, *Verdict]{
		Name: m.at.String(), Doc: "at the moment of this name", Can: can, Rules: pipeline.Rules{FailClosed: m.gate},
		Subject: m.name,
		Chain: func(in In, o hook.Output[*Verdict]) In {
			if m.args != nil && o.Specific != nil && o.Specific.Input != nil {
				m.rewrite(&in, o.Specific.Input)
			}
			return in
		},
		Reduce: mergeOwn, ReducesCommon: true,
	})
	own.stages[m.at] = m.stage(m.askOwn, m.own)
	return &m
}

// on adds a hook of the program.
func (m *moment[In]) on(at Scope, name string, f Func[In]) (remove func()) {
	var to pipeline.Scope // nil if at is nil; On reports it
	if at != nil {
		to = at.scope()
	}
	return m.own.On(to, name, func(ctx context.Context, in In) (o hook.Output[*Verdict], err error) {
		v, err := f(ctx, in)
		v.Reports, v.Conflicts, v.Preapproved = nil, nil, v.Decision == hook.Allow
		o.Specific, o.Decision, o.Reason = &v, v.Decision, v.Reason
		o.Stop, o.StopReason = v.Stop, v.StopReason
		return o, err
	})
}

// maxDialects limits the dialects of a moment; index 0 is for the program's own hooks.
const maxDialects = 8

// fireSet has one bit for each dialect that fires at a moment.
type fireSet uint8

func (s fireSet) has(dialect int) bool { return s&(1<<dialect) != 0 }

// set returns the index, in the Watch of a Hooks, of the events of a dialect at a moment.
func set(dialect int, at Moment) int { return int(at)*maxDialects + dialect }

// run runs the hooks of a moment, and writes their merged answer to v. Neither v nor in escapes to the heap.
func (m *moment[In]) run(ctx context.Context, s *Session, in *In, v *Verdict) error {
	if in == nil {
		err := &hook.InputError{Event: m.at.String(), Err: errors.New("it is a nil pointer; want the address of the moment's input")}
		v.refuse(err)
		return err
	}
	fires := s.fires(m.at)
	if s.shut.Load() != 0 {
		v.refuse(hook.ErrClosed)
		return hook.ErrClosed
	}
	if fires == 0 {
		return nil
	}
	f := m.firings.Get().(*firing[In])
	f.in = *in
	err := m.fire(ctx, s, f, fires)
	*v = f.parts[0].Verdict
	f.release()
	m.firings.Put(f)
	return err
}

// firing holds the buffers of a moment while its hooks run. Buffers can be reused because no fire keeps its input.
type firing[In any] struct {
	in    In
	asked int                        // number of parts in use
	parts [maxDialects]dialectAnswer // one for each dialect with hooks; the first collects all answers
}

// release clears the answers.
func (f *firing[In]) release() {
	clear(f.parts[:max(f.asked, 1)])
	var none In
	f.in, f.asked = none, 0
}

func (m *moment[In]) fire(ctx context.Context, s *Session, f *firing[In], fires fireSet) error {
	v := &f.parts[0].Verdict
	err := m.round(ctx, s, f, fires)
	if err == nil && m.gate && len(f.parts[0].changes) > 0 && !v.Denied() && !v.Stop &&
		!wire.Equal(object(*m.args(&f.in)), object(v.Input)) && m.rechecks(s, f) {
		err = m.recheck(ctx, s, f, fires)
	}
	v.complete()
	if s.hooks.cfg.Ask == nil && !s.cfg.Interactive {
		v.denyAsk()
	}
	if err == nil && s.shut.Load() != 0 {
		err = hook.ErrClosed
	}
	if err != nil {
		v.refuse(err)
	}
	return err
}

// rechecks reports whether hooks run again after a rewrite, because the program or the policy of a matching hook
// demands it.
func (m *moment[In]) rechecks(s *Session, f *firing[In]) bool {
	if s.hooks.cfg.Recheck {
		return true
	}
	for i := range f.parts[:f.asked] {
		p := &f.parts[i]
		for _, ev := range s.hooks.dialects[p.dialect].stages[m.at].events {
			if ev.Rechecks(s.ses, p.name) {
				return true
			}
		}
	}
	return false
}

// recheck fires the gates again with the rewritten arguments. Rewrites of this round have no effect, because no hook
// would check them.
func (m *moment[In]) recheck(ctx context.Context, s *Session, f *firing[In], fires fireSet) error {
	v := &f.parts[0].Verdict
	final := &firing[In]{in: f.in}
	m.rewrite(&final.in, v.Input)
	err := m.round(ctx, s, final, fires)
	again := &final.parts[0].Verdict
	if again.Decision == v.Decision {
		again.Reason = news(v.Reason, again.Reason)
	}
	again.StopReason = news(v.StopReason, again.StopReason)
	again.Context, again.Messages = lo.Without(again.Context, v.Context...), lo.Without(again.Messages, v.Messages...)
	again.Continue, again.Result, again.Env = "", nil, nil
	discarded := discard(s.hooks.log, again, f.parts[0].claims, final.parts[0].claims)
	v.add(again)
	v.Conflicts = append(v.Conflicts, discarded...)
	return err
}

// round runs the program's hooks, then those of all dialects in parallel, and merges their answers.
func (m *moment[In]) round(ctx context.Context, s *Session, f *firing[In], fires fireSet) (err error) {
	for d := range s.hooks.dialects {
		if fires.has(d) {
			f.parts[f.asked].s, f.parts[f.asked].dialect = s, d
			f.asked++
		}
	}
	in, first, dialects := &f.in, &f.parts[0], f.parts[:f.asked]
	if fires.has(0) {
		m.ask(ctx, in, first)
		if len(first.changes) > 0 {
			now := f.in
			m.rewrite(&now, rename.Apply(*m.args(in), first.changes))
			in = &now
		}
		dialects = dialects[1:]
	}
	switch len(dialects) {
	case 0:
	case 1:
		m.ask(ctx, in, &dialects[0])
	default:
		m.sideBySide(ctx, in, dialects)
	}
	first.merge(f.parts[1:max(f.asked, 1)])
	if m.args != nil {
		first.Input = rename.Apply(*m.args(&f.in), first.changes)
	}
	if len(first.claims) > 1 {
		first.Conflicts = conflicts(first.claims)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return first.err
}

// rewrite replaces the arguments of an input, and keeps the model's arguments as Original.
func (m *moment[In]) rewrite(in *In, args wire.Object) {
	now := m.args(in)
	if m.call != nil {
		if c := m.call(in); c.Original == nil && !wire.Equal(object(*now), object(args)) {
			c.Original = object(*now)
		}
	}
	*now = args
}

func (m *moment[In]) sideBySide(ctx context.Context, in *In, parts []dialectAnswer) {
	var others sync.WaitGroup
	for i := range parts[1:] {
		others.Go(func() { m.ask(ctx, in, &parts[1+i]) })
	}
	m.ask(ctx, in, &parts[0])
	others.Wait()
}

// ask runs the hooks of one dialect. A panic loses this dialect's answer; at a gate it is a denial.
func (m *moment[In]) ask(ctx context.Context, in *In, p *dialectAnswer) {
	defer func() {
		if failed := recover(); failed != nil {
			m.failed(ctx, failed, p)
		}
	}()
	if m.call != nil {
		call := m.call(in)
		if !p.show(call) {
			p.err = badArguments(m.at, call)
			return
		}
		if m.gate {
			if clash := p.clash(call); clash != "" {
				m.unclear(ctx, call, clash, p)
				return
			}
		}
	}
	p.s.hooks.dialects[p.dialect].stages[m.at].fire.(func(context.Context, *In, *dialectAnswer))(ctx, in, p)
}

// askOwn runs the hooks of the program.
func (m *moment[In]) askOwn(ctx context.Context, in *In, p *dialectAnswer) {
	res := fired(ctx, m.own, in, p)
	if res.Specific != nil {
		p.add(res.Specific)
	}
	if m.args == nil {
		return
	}
	seen := rename.View{Object: *m.args(in)}
	claims(p, res, func(v **Verdict) (changes []rename.Change) {
		if *v != nil && (*v).Input != nil {
			changes = seen.Whole((*v).Input)
			seen.Object = (*v).Input
		}
		return changes
	})
	for _, c := range p.claims {
		p.changes = append(p.changes, c.Change)
	}
}

// inWords returns the input with the dialect's names of tools and arguments.
func (m *moment[In]) inWords(in *In, p *dialectAnswer) In {
	words := *in
	switch {
	case m.call != nil:
		original := p.original(m.call(in))
		c := m.call(&words)
		c.Name, c.Input, c.Original = p.name, p.view.Object, original
	case m.args != nil:
		p.view = rename.View{Object: object(*m.args(in))}
		*m.args(&words) = p.view.Object
	}
	return words
}

func (m *moment[In]) failed(ctx context.Context, value any, p *dialectAnswer) {
	s, name, err := p.s, p.s.hooks.dialects[p.dialect].name, &hook.PanicError{Value: value, Stack: debug.Stack()}
	*p = dialectAnswer{}
	p.Reports = []Report{{Dialect: name, Event: m.at.String(), Outcome: string(pipeline.NonBlockingError), Err: err}}
	if m.gate {
		p.Reports[0].Outcome = string(pipeline.Blocking)
		p.Decision, p.Reason = hook.Deny, fmt.Sprintf("the hooks of %s could not be run: %v", name, err)
	}
	s.hooks.log.ErrorContext(ctx, "the hooks of a dialect could not be run", slog.String("dialect", name),
		slog.String("moment", m.at.String()), slog.String("session", s.cfg.ID),
		slog.String("error", err.Error()), slog.Bool("blocked", m.gate))
}

// unclear denies a call with ambiguous arguments: a guard could check one value while the tool uses another.
func (m *moment[In]) unclear(ctx context.Context, call *ToolCall, clash string, p *dialectAnswer) {
	err := fmt.Errorf("the arguments of %q have %s; give it once", call.Name, clash)
	p.unclear, p.Decision, p.Reason = true, hook.Deny, err.Error()
	name := p.s.hooks.dialects[p.dialect].name
	p.Reports = []Report{{Dialect: name, Event: m.at.String(), Outcome: string(pipeline.Blocking), Err: err}}
	p.s.hooks.log.WarnContext(ctx, "a call is denied, since its hooks could see different arguments than its tool",
		slog.String("dialect", name), slog.String("session", p.s.cfg.ID), slog.String("error", err.Error()))
}

// stage makes a dialect's stage at moment m.
func (m *moment[In]) stage(fire func(context.Context, *In, *dialectAnswer), events ...pipeline.Declared) momentStage {
	return momentStage{m.at, events, fire}
}

// object returns the text of an object; {} if it is nil.
func object(o wire.Object) []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return o
}

// badArguments returns the error for a call whose arguments are not a JSON object.
func badArguments(at Moment, call *ToolCall) error {
	what := "not JSON"
	if value := jsontext.Value(call.Input); wire.CheckValue(value) == nil {
		what = wire.KindName(value.Kind())
	}
	err := fmt.Errorf("the arguments of %q are %s; want one JSON object", call.Name, what)
	return &hook.InputError{Event: "snaphook." + at.String(), Err: err}
}
