package snaphook

import (
	"context"
	"iter"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Scope selects the sessions for which a hook is added: [Hooks] for all sessions, or one [Session].
type Scope interface{ scope() pipeline.Scope }

func (h *Hooks) scope() pipeline.Scope {
	if h == nil {
		return nil
	}
	return h.sys
}

func (s *Session) scope() pipeline.Scope {
	if s == nil {
		return nil
	}
	return s.ses
}

// own declares the dialect of the program's own hooks. They run one after another in the order in which they were
// added; each gets the rewrites of the earlier ones.
var (
	own       = &Dialect{name: ownEvents.Name}
	ownEvents = &pipeline.Dialect{Name: "host", Rules: pipeline.Rules{Sequential: true, Timeout: -1}}
)

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

// mergeOwn merges the answers of the program's own hooks. The reports keep each hook's answer unchanged.
func mergeOwn(outs iter.Seq[hook.Output[*Verdict]]) (all hook.Output[*Verdict]) {
	merged := new(Verdict)
	for o := range outs {
		var v Verdict
		if o.Specific != nil {
			v = *o.Specific
		}
		v.Decision, v.Reason = word(o.Decision), o.Reason
		merged.add(&v)
	}
	all.Specific, all.Decision, all.Reason = merged, merged.Decision, merged.Reason
	all.Set = hook.SetAnswer
	return all
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
