package pipeline

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// PolicyEvent describes an event to package policy.
func PolicyEvent(i Info) policy.Event {
	r := i.Rules
	return policy.Event{
		Gate: i.Can&CanBlock != 0, FailClosed: r.FailClosed || r.Propagate,
		LateBlocks: r.LateBlocks, LateFuncBlocks: r.LateFuncBlocks, LateOpens: r.LateOpens,
		UnreadBlocks: r.UnreadBlocks, UnreadOpens: r.UnreadOpens,
		Timeout: r.Timeout, Rewrites: i.Rewrites,
	}
}

// PolicyEvents describes all events.
func PolicyEvents() policy.Events {
	declared.RLock()
	defer declared.RUnlock()
	events := make(policy.Events, len(declared.byName))
	for name, e := range declared.byName {
		events[name] = PolicyEvent(e.Info())
	}
	return events
}

func eventOf(h *hook.Hook) policy.Event {
	declared.RLock()
	defer declared.RUnlock()
	if e := declared.byName[h.Dialect+"."+h.Event]; e != nil {
		return PolicyEvent(e.Info())
	}
	return policy.Event{}
}

// notWrapped is the Runner of a hook whose Wrap returned nil or panicked. It always fails.
type notWrapped struct{ why error }

// Run fails.
func (n notWrapped) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassSpawn, Err: n.why}
}
