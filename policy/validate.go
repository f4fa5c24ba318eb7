package policy

import (
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// validate finds the mistakes in an overlay made in Go that Parse finds in files: a misspelt class would otherwise
// leave a guard without its policy.
func (o *Overlay) validate() (problems []settings.Problem) {
	wrong := func(format string, args ...any) {
		problems = append(problems, settings.Problem{Message: o.name() + ": " + fmt.Sprintf(format, args...), Fatal: true})
	}
	if o.Level > Project {
		wrong("there is no level %d; use Machine, User or Project", uint8(o.Level))
		return problems
	}
	for _, path := range o.Lock {
		if err := o.lockable(path); o.Level != Machine {
			wrong("only the machine's policy can lock %q", path)
		} else if err != nil {
			wrong("%v", err)
		}
	}
	o.Defaults.Gates.validate("defaults.gates.onFailure", wrong)
	o.Defaults.Observers.validate("defaults.observers.onFailure", wrong)
	if strict := lo.Max(lo.Values(o.Defaults.Observers)); strict != hook.FailOpen {
		wrong("observers are hooks of events that cannot block, so a failure cannot be %v; use FailOpen", strict)
	}
	for i := range o.Rules {
		o.Rules[i].validate(rulePath(i), wrong)
	}
	if l := o.Limits; l.Concurrent < 0 || l.Warm < 0 || l.Breaker.Failures < 0 ||
		(l.Breaker.Failures > 0) != (l.Breaker.For > 0) ||
		slices.ContainsFunc(lo.Values(l.PerEvent), func(n int) bool { return n < 1 }) {
		wrong("write limits above zero, and give a breaker both Failures and For")
	}
	return problems
}

func (r *Rule) validate(path string, wrong func(string, ...any)) {
	r.OnFailure.validate(path+".onFailure", wrong)
	if r.Mode != nil && *r.Mode > hook.Off {
		wrong("%s.mode: there is no mode %d", path, uint8(*r.Mode))
	}
	if r.Timeout < 0 || r.Queue < 0 {
		wrong("%s: write a time above zero, or zero to leave the time unset", path)
	}
	if r.Stretch != 0 && !(r.Stretch >= 1 && r.Stretch <= hook.DefaultStretch) {
		wrong("%s.stretch: write a number from 1 to %d, or zero to leave the stretch unset", path, hook.DefaultStretch)
	}
	if r.Warm != "" && !slices.Contains(Warms, r.Warm) {
		wrong("%s.warm: there is no %q%s", path, r.Warm, near(r.Warm, Warms))
	}
	if r.Retry == nil {
		return
	}
	if r.Retry.Times < 0 || r.Retry.Times > maxRetries {
		wrong("%s.retry: %d times; want 0 to %d", path, r.Retry.Times, maxRetries)
	}
	for _, class := range r.Retry.On {
		if !slices.Contains(hook.Classes(), class) || slices.Contains(notRetried, class) {
			wrong("%s.retry: running a hook again after a failure of class %q has no effect", path, class)
		}
	}
}

func (f OnFailure) validate(path string, wrong func(string, ...any)) {
	known := append([]hook.Class{Default}, hook.Classes()...)
	for class, action := range f {
		if !slices.Contains(known, class) {
			names := lo.Map(known, func(c hook.Class, _ int) string { return string(c) })
			wrong("%s: there is no failure class %q%s", path, class, near(string(class), names))
		}
		if action > hook.FailClosed {
			wrong("%s: there is no action %d", path, uint8(action))
		}
	}
}
