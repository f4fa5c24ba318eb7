package pipeline

import (
	"iter"
	"reflect"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// rechecking asks hooks once more about the input that the merged answer has rewritten.
type rechecking[Out any] struct{ *fire[Out] }

// secondRound returns the second round of a fire, for an input; nil if no hook runs. Background
// hooks are left out: they cannot decide, and are not started again.
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
	f.policing().hold(res)
}

// dropRepeats removes the parts without effect from an answer of the second round: rewrites, and
// texts that the hook has already returned.
func (f rechecking[Out]) dropRepeats(r *hook.Report[Out], final any, before []hook.Report[Out]) {
	said := lit(r).Output
	_, differs := f.of.rewrittenIn(final, &said)
	if f.event.spec.Unrewritten(&said) && differs {
		r.Notes = append(slices.Clip(r.Notes),
			"its rewrite in the second round has no effect: no other hook has seen it")
	}
	if reflect.ValueOf(&said.Specific).Elem().IsZero() {
		said.Set &^= hook.SetSpecific // the reducer takes the last one as a whole: keep the first answer's
	}
	for i := range before {
		if first := &before[i]; first.Hook == r.Hook {
			texts := lit(first).Output
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

// pointers iterates over reports without copying each.
func pointers[Out any](reports []hook.Report[Out]) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		for i := range reports {
			if !yield(&reports[i]) {
				return
			}
		}
	}
}

// recheck runs the hooks once more if a policy demands it: those that match the rewritten input,
// which some of them have not seen. Their answers are merged with the first ones, without their
// rewrites, which no hook has seen. There is one more round, never two.
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
	again.reduce(second)
	if f.failed = again.failed; f.failed == nil {
		f.failed = again.unfinished(second)
	}
	f.join(res, final, second)
}

// ended reports whether the first answers make a second round unnecessary.
func (f rechecking[Out]) ended(res *hook.Result[Out]) bool {
	return f.failed != nil || res.Stop || f.event.spec.Blocks(&res.Output) || f.watcher != nil && f.watcher.left
}
