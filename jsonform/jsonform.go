// Package jsonform converts merged results to two JSON forms that programs for LLxprt Code expect: AggregatedHookResult
// (L42) by [Aggregate], and ProcessedHookResult (L43) by [Process]. The engine's JSON has them for the events of every
// dialect. Both functions are pure.
package jsonform

import (
	"errors"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Aggregated is the AggregatedHookResult (L42). Errors lists errors that kept a hook from answering, including death by
// a signal, but not exit statuses.
type Aggregated struct {
	Success       bool          `json:"success"`
	FinalOutput   *wire.Object  `json:"finalOutput"`
	AllOutputs    []wire.Object `json:"allOutputs"`
	Errors        []string      `json:"errors"`
	TotalDuration float64       `json:"totalDuration"` // milliseconds, the sum over the hooks

	// Merged is FinalOutput in the form of [wire.Encode], whatever form a hook used, so that another engine can read it
	// for an event of any dialect. It is not part of the JSON.
	Merged *wire.Object `json:"-"`
}

// Processed is the ProcessedHookResult (L43), without the result from which it was made.
type Processed struct {
	ShouldStop     bool    `json:"shouldStop"`
	StopReason     *string `json:"stopReason"`
	SystemMessage  *string `json:"systemMessage"`
	SuppressOutput bool    `json:"suppressOutput"`
}

// Aggregate returns res in the form of rule L42.
func Aggregate[Out any](res *hook.Result[Out]) Aggregated {
	res.Restore()
	a := Aggregated{Success: true, AllOutputs: []wire.Object{}, Errors: []string{}}
	var total time.Duration
	if res.Answered || res.Blocked() || res.Stop {
		a.FinalOutput = lo.ToPtr(wire.Encode(&res.Output))
		if a.Merged = a.FinalOutput; res.Raw != nil {
			plain := res.Output
			plain.Raw = nil
			a.Merged = lo.ToPtr(wire.Encode(&plain))
		}
	}
	for i := range res.Reports {
		r := &res.Reports[i]
		lost := lostDenial(r)
		a.Success = a.Success && (lost || r.OK())
		if r.Answered {
			a.AllOutputs = append(a.AllOutputs, wire.Encode(&r.Output))
		}
		var exit *hook.ExitError
		if r.Err != nil && !lost && !(errors.As(r.Err, &exit) && exit.Reply.Signal == nil) {
			a.Errors = append(a.Errors, r.Err.Error())
		}
		total += r.Elapsed
	}
	a.TotalDuration = milliseconds(total)
	return a
}

// lostDenial reports whether a hook with a denial in plain text counts as successful by rule L42, which ignores such
// text. The hook's report is then not a success.
func lostDenial[Out any](r *hook.Report[Out]) bool {
	unread, is := errors.AsType[*hook.UnreadError](r.Err)
	return is && unread.Denies && r.FailedOpen() && r.Reply != nil && r.Reply.Exit == 0
}

// Process returns the common fields of the merged answer (L43): the merged messages and stop reasons of all hooks. A
// stop reason has precedence over a reason.
func Process[Out any](res *hook.Result[Out]) (p Processed) {
	p.ShouldStop, p.SuppressOutput = res.Stop, res.Suppress
	p.SystemMessage = lo.EmptyableToPtr(res.Message)
	if res.Stop {
		p.StopReason = lo.ToPtr(
			lo.CoalesceOrEmpty(strings.TrimSpace(res.StopReason), strings.TrimSpace(res.Reason), "Hook requested stop"),
		)
	}
	return p
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
