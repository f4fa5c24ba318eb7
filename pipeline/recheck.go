package pipeline

import (
	"iter"
	"reflect"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// rechecking runs hooks a second time on the input that the merged answer has rewritten.
type rechecking[Out any] struct{ *fire[Out] }

// recheck runs hooks a second time if a policy demands it: the hooks that match the rewritten input. Their answers are
// merged with the first ones. Rewrites in second answers have no effect, since no hook could check them. There is never
// a third round.
func (f rechecking[Out]) recheck(res *hook.Result[Out]) {
	e := f.event
	if !e.on.rewritten.given() || f.s.sys.cfg.HostRechecks || f.ended(res) ||
		!e.rechecks(f.s, e.subjectOf(f.first.value)) {
		return
	}
	final, ok := e.rewrittenIn(f.first.value, &res.Output)
	if !ok {
		return
	}
	again := f.secondRound(final)
	if again == nil {
		return
	}
	defer again.end()
	if again.failed != nil {
		f.failed = again.failed
		return
	}
	second := again.result
	again.runAndReduce(second)
	if f.failed = again.failed; f.failed == nil {
		f.failed = again.unfinished(second)
	}
	f.join(res, final, second)
}

// ended reports whether the first answers already decide, so that a second round is not needed.
func (f rechecking[Out]) ended(res *hook.Result[Out]) bool {
	return f.failed != nil || res.Stop || f.event.spec.Blocks(&res.Output) || f.watcher != nil && f.watcher.left
}

// secondRound returns a fire that runs hooks again on the rewritten input; nil if no hook would run. It leaves out
// background hooks, which cannot decide.
func (f rechecking[Out]) secondRound(in any) *fire[Out] {
	plan := f.of.plan(f.ctx, f.s, in, true)
	if plan == nil {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(plan.Run), func(h *hook.Hook) bool { return h == closed || !waitsFor(h) })
	g := &fire[Out]{event: f.event, watcher: f.watcher, fireState: fireState{
		of: f.of, s: f.s, began: f.began, observed: f.observed, info: f.info, base: len(f.runs), again: true,
		plan: &stages.Planned{Run: left, Sequential: plan.Sequential, OwnChain: plan.OwnChain},
	}}
	g.first.value, g.first.fire = in, &g.fireState
	g.in = &g.first
	if len(g.plan.Run) == 0 {
		return nil
	}
	g.alloc()
	g.begin()
	return g
}

// join adds the reports of a second round to a result, and merges all answers.
func (f rechecking[Out]) join(res *hook.Result[Out], final any, second *hook.Result[Out]) {
	for i := range second.Reports {
		r := &second.Reports[i]
		r.Index += len(f.runs)
		f.dropRepeats(r, final, res.Reports)
	}
	conflicts := res.Conflicts
	all := append(slices.Clip(res.Reports), second.Reports...)
	merged, err := stages.Reduce(pointers(all), make([]hook.Report[Out], len(all)), f.event.spec.Reduce, func() {})
	if err != nil {
		f.log().reducer(err)
	}
	*res = merged
	res.Conflicts = conflicts
	policing[Out]{f.fire}.hold(res)
}

// dropRepeats removes from a second-round answer the parts that have no effect: rewrites, and texts that the hook
// returned in the first round.
func (f rechecking[Out]) dropRepeats(r *hook.Report[Out], final any, before []hook.Report[Out]) {
	said := withoutShadow(r).Output
	_, differs := f.of.rewrittenIn(final, &said)
	if f.event.spec.Unrewritten(&said) && differs {
		r.Notes = append(slices.Clip(r.Notes),
			"its rewrite in the second round has no effect: no other hook has seen this rewrite")
	}
	if reflect.ValueOf(&said.Specific).Elem().IsZero() {
		said.Set &^= hook.SetSpecific // the reducer takes Specific as a whole: keep the first answer's
	}
	for i := range before {
		if first := &before[i]; first.Hook == r.Hook {
			texts := withoutShadow(first).Output
			if said.Context == texts.Context {
				said.Context = ""
			}
			if said.Message == texts.Message {
				said.Message = ""
			}
			if said.Decision == texts.Decision && said.Reason == texts.Reason {
				said.Reason = ""
			}
		}
	}
	if r.Shadow != nil {
		r.Shadow.Output = said
		return
	}
	r.Output = said
}

// pointers iterates over pointers to the reports, to avoid copies.
func pointers[Out any](reports []hook.Report[Out]) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		for i := range reports {
			if !yield(&reports[i]) {
				return
			}
		}
	}
}
