// Package common holds answers and reports without their event-specific part: code for the common fields is
// compiled once, and not for each event.
package common

import "github.com/snaphook-go/snaphook/hook"

// Output is an answer with the common fields only. Report is the report of a hook whose answer is an Output.
type (
	Output = hook.Output[struct{}]
	Report = hook.Report[struct{}]
)

// Of returns the common fields of an answer.
func Of[T any](o *hook.Output[T]) Output {
	return Output{
		Decision: o.Decision, Reason: o.Reason, Stop: o.Stop, StopReason: o.StopReason, Suppress: o.Suppress,
		Message: o.Message, Context: o.Context, Set: o.Set, Synthetic: o.Synthetic, Raw: o.Raw,
	}
}

// Put replaces the common fields of an answer.
func Put[T any](o *hook.Output[T], c *Output) {
	o.Decision, o.Reason, o.Stop, o.StopReason, o.Suppress = c.Decision, c.Reason, c.Stop, c.StopReason, c.Suppress
	o.Message, o.Context, o.Set, o.Synthetic, o.Raw = c.Message, c.Context, c.Set, c.Synthetic, c.Raw
}

// ReportOf returns a report without its event-specific part, and without its Shadow.
//
//go:noinline
func ReportOf[T any](r *hook.Report[T]) Report {
	return Report{
		Hook: r.Hook, Index: r.Index, Output: Of(&r.Output), Answered: r.Answered, Reply: r.Reply, Err: r.Err,
		Elapsed: r.Elapsed, Granted: r.Granted, Notes: r.Notes, OnFailure: r.OnFailure, Recheck: r.Recheck,
		Started: r.Started, Backgrounded: r.Backgrounded, Concluded: r.Concluded,
	}
}

// ReportsOf applies ReportOf to all reports of a result.
func ReportsOf[T any](reports []hook.Report[T]) []Report {
	common := make([]Report, len(reports))
	for i := range reports {
		common[i] = ReportOf(&reports[i])
	}
	return common
}
