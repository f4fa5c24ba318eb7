package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/jsonform"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// JSONResult is the result of a fire in the form for JSON. Programs rely on this form: a JSONResult always has all its
// members, and a member without a value is null.
type JSONResult struct {
	Event     string              `json:"event"`
	Blocked   bool                `json:"blocked"`
	Stop      bool                `json:"stop"`
	Reason    *string             `json:"reason"`
	Result    jsonform.Aggregated `json:"result"`
	Processed jsonform.Processed  `json:"processed"`
	Effects   any                 `json:"effects"`
	Hooks     []HookRun           `json:"hooks"`

	Conflicts []Conflict  `json:"-"` // for people, not part of the JSON form
	Would     *hook.Would `json:"-"` // for people, not part of the JSON form; see Would of [hook.Result]
}

// Conflict is a [hook.Conflict] that names hooks by their ids.
type Conflict struct {
	Key   string
	Hooks []string
}

// HookID holds the members by which programs recognise a hook.
type HookID struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Command *string `json:"command"`
	Name    *string `json:"name"`
	Source  string  `json:"source"`
	File    *string `json:"file"` // file:line:column
}

// HookRun describes one hook that the engine tried to run.
type HookRun struct {
	HookID
	Outcome    Outcome      `json:"outcome"`
	ExitCode   *int         `json:"exitCode"`
	Success    bool         `json:"success"`
	Stdout     *string      `json:"stdout"`
	Stderr     *string      `json:"stderr"`
	Truncated  bool         `json:"truncated"`
	Output     *wire.Object `json:"output"`
	Error      *string      `json:"error"`
	DurationMS float64      `json:"durationMs"`
	Mode       string       `json:"mode,omitempty"`   // "shadow" if its answer had no effect
	Recheck    bool         `json:"recheck,omitzero"` // it ran again, with the rewritten input

	// Background describes the end of a hook that went to the background. It is nil for other hooks, and if the caller
	// did not wait for the end.
	Background *Ending `json:"background,omitzero"`

	Notes []string `json:"notes,omitempty"` // such as the invalid parts of the answer, which were ignored
}

// Ending is a [Finished] in the form for JSON.
type Ending struct {
	Outcome    Outcome  `json:"outcome"`
	ExitCode   *int     `json:"exitCode"`
	Stdout     *string  `json:"stdout"`
	Stderr     *string  `json:"stderr"`
	Error      *string  `json:"error"`
	Context    []string `json:"context"` // for the model's next turn
	DurationMS float64  `json:"durationMs"`
}

// Identify returns the identifying members of h.
func Identify(h *hook.Hook) HookID {
	return HookID{
		ID:      h.ID,
		Type:    h.Type,
		Command: lo.EmptyableToPtr(h.Command),
		Name:    lo.EmptyableToPtr(h.Name),
		Source:  h.Source.String(),
		File:    lo.EmptyableToPtr(h.Position.String()),
	}
}

func describeRun(r *common.Report, end Outcome) HookRun {
	run := HookRun{
		HookID:     Identify(r.Hook),
		Outcome:    end,
		Success:    r.OK(),
		Notes:      r.Notes,
		DurationMS: milliseconds(r.Elapsed),
		Recheck:    r.Recheck,
	}
	if r.Err != nil {
		run.Error = lo.ToPtr(r.Err.Error())
	}
	if r.Reply != nil {
		if r.Reply.Signal == nil && r.Reply.Exit >= 0 && !cancelled(r.Err) {
			run.ExitCode = &r.Reply.Exit
		}
		run.Stdout, run.Stderr = lo.ToPtr(wire.Valid(r.Reply.Stdout)), lo.ToPtr(wire.Valid(r.Reply.Stderr))
		run.Truncated = r.Reply.Truncated != 0
	}
	return run
}

func cancelled(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, hook.ErrClosed) ||
		errors.Is(err, hook.ErrNotNeeded)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// planJSON returns the plan for an input, without running it.
func planJSON(e *definition, s *Session, in any) (stages.Planned, error) {
	if s == nil || s.reg == nil {
		return stages.Planned{}, &hook.InputError{Event: e.full, Err: errNoSession}
	}
	if plan := e.plan(context.Background(), s, in, false); plan != nil {
		p := *plan
		p.Sequential = p.Sequential || e.rules.Sequential
		return p, nil
	}
	return stages.Plan(s.view().listed.of(e.slot), e.subjectOf(in)), nil // no hook can run
}

func (e *core[Out]) describe(in any, res *hook.Result[Out]) *JSONResult {
	res.Restore()
	f := &JSONResult{
		Event:     e.full,
		Blocked:   e.can&CanBlock != 0 && res.OverriddenBlock == "" && e.spec.Blocks(&res.Output),
		Stop:      res.Stop,
		Reason:    lo.EmptyableToPtr(lo.CoalesceOrEmpty(res.Reason, res.StopReason)),
		Result:    jsonform.Aggregate(res),
		Processed: jsonform.Process(res),
		Would:     res.Would,
	}
	if e.on.effects.given() {
		f.Effects = e.on.effects.call(in, res)[0].Interface()
	}
	for _, c := range res.Conflicts {
		f.Conflicts = append(
			f.Conflicts,
			Conflict{Key: c.Key, Hooks: lo.Map(c.Hooks, func(h *hook.Hook, _ int) string { return h.ID })},
		)
	}
	for i := range res.Reports {
		r := withoutShadow(&res.Reports[i])
		c := common.ReportOf(r)
		run := describeRun(&c, outcomeOf(c.Backgrounded, c.Err, e.spec.Blocks(&r.Output)))
		if r.Answered {
			run.Output = lo.ToPtr(wire.Encode(&r.Output))
		}
		if r.Shadow != nil {
			run.Mode = hook.Shadow.String()
		}
		f.Hooks = append(f.Hooks, run)
	}
	return f
}
