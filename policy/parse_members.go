package policy

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

func (p *overlayParser) retry(v settings.Value, path string) *hook.Retry {
	r := &hook.Retry{Times: 1, On: []hook.Class{hook.ClassSpawn, hook.ClassHTTP}}
	p.members(
		v,
		path,
		"an object {\"times\": 1, \"on\": [\"spawn\"]}",
		[]string{"times", "on"},
		func(name, _ string, v settings.Value) {
			if name == "times" {
				r.Times = p.int(v, 0, maxRetries)
				return
			}
			r.On = nil
			if v.Kind() != '[' {
				p.wrong(v.Want("an array of failure classes"))
			}
			for _, class := range v.Elements() {
				r.On = append(r.On, p.retryClass(class))
			}
		},
	)
	return r
}

// notRetried lists the classes of failures that another run of the hook cannot change.
var notRetried = []hook.Class{hook.ClassCancelled, hook.ClassQueue, hook.ClassUntrusted, hook.ClassInvalid,
	hook.ClassBreaker}

// retryClass reads a class. It rejects the classes of failures that a retry cannot change.
func (p *overlayParser) retryClass(v settings.Value) hook.Class {
	if text, _ := v.Text(); slices.Contains(notRetried, hook.Class(text)) {
		p.wrong(
			v.Wrong(
				"the hook does not cause failures of class %q, so another run changes nothing; leave the class out",
				text,
			),
		)
		return hook.Class(text)
	}
	known := []string{}
	for _, class := range hook.Classes() {
		if !slices.Contains(notRetried, class) {
			known = append(known, string(class))
		}
	}
	return hook.Class(known[p.word(v, known...)])
}

func (p *overlayParser) defaults(v settings.Value, path string) {
	p.members(
		v,
		path,
		"an object with \"gates\" and \"observers\"",
		defaultsMembers,
		func(name, path string, v settings.Value) {
			p.members(
				v,
				path,
				"an object {\"onFailure\": …}",
				[]string{"onFailure"},
				func(_, path string, v settings.Value) {
					if name == "gates" {
						p.o.Defaults.Gates = p.onFailure(v, path)
						return
					}
					p.o.Defaults.Observers = p.onFailure(v, path)
					for class, action := range p.o.Defaults.Observers {
						if action != hook.FailOpen {
							p.wrong(
								v.Wrong(
									"observers are hooks of events that cannot block, so the action on a failure (%s) cannot be %q; write \"open\"",
									class,
									action,
								),
							)
							break
						}
					}
				},
			)
		},
	)
}

func (p *overlayParser) limits(v settings.Value, path string) {
	p.members(
		v,
		path,
		"an object with \"concurrent\", \"perEvent\", \"breaker\" and \"warm\"",
		limitsMembers,
		func(name, path string, v settings.Value) {
			switch name {
			case "concurrent":
				p.o.Limits.Concurrent = p.int(v, 1, math.MaxInt32)
			case "perEvent":
				p.perEvent(v)
			case "breaker":
				p.breaker(v, path)
			case "warm":
				p.o.Limits.Warm = p.int(v, 1, maxWarm)
			}
		},
	)
}

func (p *overlayParser) perEvent(v settings.Value) {
	if v.Kind() != '{' {
		p.wrong(v.Want("an object {\"claude.PostToolUse\": 4}"))
	}
	p.o.Limits.PerEvent = map[string]int{}
	for event, n := range v.Members() {
		p.o.places["limits.perEvent."+event] = n.Name().Position()
		p.o.Limits.PerEvent[event] = p.int(n, 1, math.MaxInt32)
	}
}

func (p *overlayParser) breaker(v settings.Value, path string) {
	b := &p.o.Limits.Breaker
	p.members(
		v,
		path,
		"an object {\"failures\": 5, \"for\": \"30s\"}",
		[]string{"failures", "for"},
		func(name, _ string, v settings.Value) {
			if name == "failures" {
				b.Failures = p.int(v, 1, math.MaxInt32)
			} else {
				b.For = p.duration(v)
			}
		},
	)
	if v.Kind() == '{' && (!v.Get("failures").Exists() || !v.Get("for").Exists()) {
		p.wrong(v.Wrong("a breaker needs both members; write {\"failures\": 5, \"for\": \"30s\"}"))
	}
}

// word reads one of several words, and returns its index.
func (p *overlayParser) word(v settings.Value, words ...string) int {
	text, ok := v.Text()
	i := slices.Index(words, text)
	switch {
	case !ok:
		p.wrong(v.Want("one of " + strings.Join(words, ", ")))
	case i < 0:
		p.wrong(
			v.Wrong(
				"%.60q is not a value of this member%s; write one of %s",
				text,
				near(text, words),
				strings.Join(words, ", "),
			),
		)
	}
	return max(0, i)
}

func (p *overlayParser) bool(v settings.Value) bool {
	on, ok := v.Bool()
	if !ok {
		p.wrong(v.Want("true or false"))
	}
	return on
}

func (p *overlayParser) int(v settings.Value, least, most int) int {
	n, ok := v.Number()
	switch {
	case !ok:
		p.wrong(v.Want("a whole number"))
	case n != math.Trunc(n) || n < float64(least) || n > float64(most):
		p.wrong(v.Wrong("got %v, want a whole number from %d to %d", n, least, most))
	default:
		return int(n)
	}
	return least
}

// number reads a number from least to most.
func (p *overlayParser) number(v settings.Value, least, most float64) float64 {
	n, ok := v.Number()
	switch {
	case !ok:
		p.wrong(v.Want("a number"))
	case !(n >= least && n <= most):
		p.wrong(v.Wrong("got %v, want a number from %v to %v", n, least, most))
	default:
		return n
	}
	return least
}

// duration reads a time with a unit, such as "5s".
func (p *overlayParser) duration(v settings.Value) time.Duration {
	text, ok := v.Text()
	if !ok {
		p.wrong(v.Want("a duration with a unit, such as \"5s\" or \"250ms\""))
		return 0
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		p.wrong(v.Wrong("%.60q is not a duration with a unit; write a duration such as \"5s\" or \"250ms\"", text))
	case d <= 0:
		p.wrong(
			v.Wrong("%.60q is not a time; write one above zero, or leave the member out for no limit of its own", text),
		)
	}
	return d
}
