package pipeline

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// compare finds out what the fire would have decided if its hooks in shadow had
// counted: all of them, and each alone.
func (f policing[Out]) compare(res *hook.Result[Out]) {
	if !slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool { return r.Shadow != nil }) {
		return
	}
	is, rewrite := f.decided(&res.Output, res.Reports), f.rewrite(&res.Output)
	for i := range res.Reports {
		if s := res.Reports[i].Shadow; s != nil {
			would, other := f.merged(res.Reports, func(j int) bool { return j == i })
			s.Differs = differ(is, would) || other != rewrite
		}
	}
	if would, _ := f.merged(res.Reports, func(int) bool { return true }); differ(is, would) {
		res.Would = &would
	}
}

// differ reports whether two outcomes are not the same. Other words for the same
// decision are no other outcome.
func differ(a, b hook.Would) bool { return a.Decision != b.Decision || a.Stop != b.Stop }

// rewrite is what an answer replaces of the input, for comparison.
func (f policing[Out]) rewrite(all *hook.Output[Out]) string {
	if f.event.spec.Rewrites == nil {
		return ""
	}
	if rewrites := f.event.spec.Rewrites(all); !rewrites.IsEmpty() {
		return canonical(jsontext.Value(rewrites))
	}
	return ""
}

func (f policing[Out]) decided(all *hook.Output[Out], reports []hook.Report[Out]) hook.Would {
	return hook.Would{Decision: f.observing().word(all, reports), Reason: cmp.Or(all.Reason, all.StopReason), Stop: all.Stop}
}

// lit returns a report as it would be if the hook were not in shadow.
func lit[Out any](r *hook.Report[Out]) *hook.Report[Out] {
	s := r.Shadow
	if s == nil {
		return r
	}
	own := *r
	own.Output, own.Answered, own.Reply = s.Output, s.Said, s.Reply
	own.Err, own.OnFailure, own.Notes = s.Err, s.OnFailure, s.Notes
	return &own
}

// merged merges reports in which the shadows that are chosen count. A sequential
// plan ends at the first that blocks, as it would have.
func (f policing[Out]) merged(reports []hook.Report[Out], counts func(i int) bool) (hook.Would, string) {
	all := slices.Clone(reports)
	sequential := f.plan.Sequential || f.event.rules.Sequential
	for i := range all {
		if counts(i) {
			all[i] = *lit(&all[i])
		}
		all[i].Index = i
		if sequential && f.event.spec.Blocks(&all[i].Output) {
			all = all[:i+1]
			break
		}
	}
	res, _ := stages.Reduce(pointers(all), make([]hook.Report[Out], len(all)), f.event.spec.Reduce, func() {})
	f.strictest(&res.Output, all)
	return f.decided(&res.Output, all), f.rewrite(&res.Output)
}
