package snaphook

import (
	"iter"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Scope selects the sessions for which a hook is added: [Hooks] for all sessions, or one [Session].
type Scope interface{ scope() pipeline.Scope }

// own declares the dialect of the program's own hooks. They run one after another in the order in which they were
// added; each gets the rewrites of the earlier ones.
var (
	own       = &Dialect{name: ownEvents.Name}
	ownEvents = &pipeline.Dialect{Name: "host", Rules: pipeline.Rules{Sequential: true, Timeout: -1}}
)

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
