package pipeline

import (
	"cmp"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// compare finds out what the fire would have decided if its hooks in shadow had
// counted: all of them, and each alone.
func (f *fireRun[In, Out]) compare(res *hook.Result[Out]) {
	is, shadows := f.decided(&res.Output, res.Reports), false
	for i := range res.Reports {
		if res.Reports[i].Shadow != nil {
			shadows = true
			res.Reports[i].Shadow.Differs = f.merged(res.Reports, func(j int) bool { return j == i }) != is
		}
	}
	if !shadows {
		return
	}
	if would := f.merged(res.Reports, func(int) bool { return true }); would != is {
		res.Would = &would
	}
}

func (f *fireRun[In, Out]) decided(all *hook.Output[Out], reports []hook.Report[Out]) hook.Would {
	return hook.Would{Decision: f.word(all, reports), Reason: cmp.Or(all.Reason, all.StopReason), Stop: all.Stop}
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
func (f *fireRun[In, Out]) merged(reports []hook.Report[Out], counts func(i int) bool) hook.Would {
	all := slices.Clone(reports)
	sequential := f.plan.Sequential || f.event.spec.Rules.Sequential
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
	res, _ := stages.Reduce(slices.Values(all), len(all), f.event.spec.Reduce, func() {})
	f.strictest(&res.Output, all)
	return f.decided(&res.Output, all)
}
