package pipeline

import (
	"errors"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/wire"
)

// propagated is the error of a hook that is Fire's.
func (f *fire[Out]) propagated(res *hook.Result[Out]) error {
	for i := range res.Reports {
		if err := res.Reports[i].Err; err != nil && !errors.Is(err, hook.ErrNotNeeded) {
			if c := common.ReportOf(&res.Reports[i]); f.failing().propagates(&c) {
				return err
			}
		}
	}
	return nil
}

// concludeEvent calls the Conclude of the event. If it panics, the merged answer stands.
func (f *fire[Out]) concludeEvent(res *hook.Result[Out]) {
	merged := *res
	defer func() {
		if v := recover(); v != nil {
			*res = merged
			f.log().panicked("the event could not conclude", v)
		}
	}()
	f.event.spec.conclude(f.s, f.in.value, res)
	if f.watcher != nil {
		f.watcher.concluded = merged.OverriddenBlock != res.OverriddenBlock ||
			!reflect.DeepEqual(merged.Output, res.Output)
	}
}

// canonical returns the same text for values that are equal.
func canonical(value jsontext.Value) string {
	v := value.Clone()
	if v.Canonicalize(
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.CanonicalizeRawInts(false),
	) != nil {
		return string(value)
	}
	return string(v)
}

// unfinished is why hooks have not answered, if the system was closed meanwhile or
// the context has ended; nil if all have, or the event does not stop for it.
func (f *fire[Out]) unfinished(res *hook.Result[Out]) error {
	closed, ended := f.s.sys.ctx.Err() != nil, f.observed.Err()
	if !f.event.guards || f.event.rules.Unstoppable {
		ended = nil // it blocks nothing, or its hooks have run all the same
	}
	if !closed && ended == nil {
		return nil
	}
	few := len(res.Reports) < len(f.plan.Run) && !f.event.spec.Blocks(&res.Output)
	failed := func(is func(*hook.Report[Out]) bool) bool {
		return slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool { return waitsFor(r.Hook) && is(&r) })
	}
	switch {
	case closed && (few || failed(func(r *hook.Report[Out]) bool { return errors.Is(r.Err, hook.ErrClosed) })):
		return hook.ErrClosed
	case ended != nil && (few && !lo.EveryBy(f.plan.Run, decidesAboutGone) || failed(unanswered[Out])):
		return ended
	}
	return nil
}

// unanswered reports whether the answer of a hook is missing, and no overlay has
// decided about that.
func unanswered[Out any](r *hook.Report[Out]) bool {
	return r.Err != nil && !errors.Is(r.Err, hook.ErrNotNeeded) && !decidesAbout(r.Hook, hook.ClassOf(r.Err))
}

func wantsRecheck(h *hook.Hook) bool {
	return h.Policy != nil && h.Policy.Recheck && h.Policy.Mode != hook.Off
}

// recheck asks the hooks once more, where a policy wants it: those that run for
// the input as the merged answer leaves it, on which some of them have not been
// asked. What they say counts together with the first answers, but for what they
// rewrite now, which no hook has seen. So there is one more round, never two.
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

// ended reports whether the first answers leave nothing to check.
func (f rechecking[Out]) ended(res *hook.Result[Out]) bool {
	return f.failed != nil || res.Stop || f.event.spec.Blocks(&res.Output) || f.watcher != nil && f.watcher.left
}

// notStarted returns the hooks that run once, and which it has not come to.
func (f *fireState) notStarted() (hooks []*hook.Hook) {
	for i, h := range f.plan.Run {
		if h.Once && (i >= len(f.runs) || !f.runs[i].started) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// unspend undoes spend for hooks that have not run.
func (s *Session) unspend(hooks []*hook.Hook) {
	if len(hooks) == 0 {
		return
	}
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range hooks {
		delete(m.spent, once(h))
	}
}

// hold counts a hook in the background that may leave variables in d.
func (s *Session) hold(d *varsDir) { s.use(d, 1) }

// release ends what hold, or the fire, has begun.
func (s *Session) release(d *varsDir) { s.use(d, -1) }

func (s *Session) use(d *varsDir, more int) {
	if d == nil {
		return
	}
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	d.users += more
	d.clean()
}

func (e *core[Out]) rechecks(s *Session, subject string) bool {
	if !e.active(s) {
		return false
	}
	plan := s.view().active.at(e.slot).plan(s.sys.ctx, subject)
	return slices.ContainsFunc(plan.Run, wantsRecheck) || slices.ContainsFunc(plan.Open, wantsRecheck)
}

// conflicts finds the members of the input that several hooks rewrote, and not
// to the same value.
func conflicts[Out any](e *core[Out], reports []hook.Report[Out]) []hook.Conflict {
	type rewrite struct {
		hooks  []*hook.Hook
		values []string
	}
	rewrites := map[string]*rewrite{}
	var names []string
	for i := range reports {
		r := &reports[i]
		if !r.Answered {
			continue
		}
		// Merged, a name that is there twice counts once.
		for name, value := range wire.Object(nil).Merge(e.spec.Rewrites(&r.Output)).Members() {
			w := rewrites[name]
			if w == nil {
				w = &rewrite{}
				rewrites[name] = w
				names = append(names, name)
			}
			w.hooks = append(w.hooks, r.Hook)
			w.values = append(w.values, canonical(value))
		}
	}
	return lo.FilterMap(names, func(name string, _ int) (hook.Conflict, bool) {
		w := rewrites[name]
		return hook.Conflict{Key: name, Hooks: w.hooks}, len(lo.Uniq(w.values)) > 1
	})
}
