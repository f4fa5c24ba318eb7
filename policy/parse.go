package policy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// maxRetries limits the retries that an overlay can demand.
const maxRetries = 10

// maxWarm limits the warm processes that an overlay can demand.
const maxWarm = 256

// Warms lists the ways to keep a hook warm.
var Warms = []string{"auto", "python", "node", "bash", "worker", "off"}

// The members of an overlay and of its parts.
var (
	overlayMembers  = []string{"hooks", "defaults", "limits", "recheck", "lock", "$schema"}
	ruleMembers     = []string{"match", "onFailure", "mode", "timeout", "stretch", "retry", "queue", "warm", "prewarm", "recheck"}
	matchMembers    = []string{"dialect", "event", "name", "command", "source"}
	defaultsMembers = []string{"gates", "observers"}
	limitsMembers   = []string{"concurrent", "perEvent", "breaker", "warm"}
)

// Parse reads an overlay: JSON with comments and trailing commas. Each mistake is a fatal problem, with its position
// and a correction; the whole file then has no effect.
func Parse(level Level, file string, data []byte) (*Overlay, []settings.Problem) {
	v, err := settings.Parse(file, data)
	if err == nil && v.Kind() == '{' && !bytes.ContainsRune(data, '{') {
		// An empty file is a mistake: an editor may truncate the file before it writes, and this must not disable
		// guards.
		return nil, []settings.Problem{{
			Position: hook.Position{File: file, Line: 1, Column: 1}, Fatal: true,
			Message: "the file is empty, and may be half written; write {} to set nothing, or remove it",
		}}
	}
	return fromValue(level, file, v, err)
}

func fromValue(level Level, file string, v settings.Value, err error) (*Overlay, []settings.Problem) {
	p := overlayParser{o: &Overlay{Level: level, File: file, places: map[string]hook.Position{}}}
	if err != nil {
		problem, ok := err.(settings.Problem)
		if !ok {
			problem = settings.Problem{Position: hook.Position{File: file}, Message: err.Error(), Fatal: true}
		}
		return nil, []settings.Problem{problem}
	}
	for _, twice := range v.Duplicates() {
		p.wrong(twice)
	}
	p.overlay(v)
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return p.o, nil
}

// overlayParser reads one file.
type overlayParser struct {
	o        *Overlay
	problems []settings.Problem
}

func (p *overlayParser) wrong(problem settings.Problem) {
	problem.Fatal = true
	p.problems = append(p.problems, problem)
}

// members passes each known member of an object to a function, and reports the others as problems. It records the
// positions.
func (p *overlayParser) members(
	v settings.Value,
	path, what string,
	known []string,
	read func(name, path string, v settings.Value),
) {
	if v.Kind() != '{' {
		p.wrong(v.Want(what))
		return
	}
	p.o.places[path] = v.Position()
	for name, member := range v.Members() {
		at := strings.TrimPrefix(path+"."+name, ".")
		if !slices.Contains(known, name) {
			p.wrong(
				member.Name().
					Wrong("there is no member %q%s; write one of %s", name, near(name, known), strings.Join(known, ", ")),
			)
			continue
		}
		p.o.places[at] = member.Position()
		read(name, at, member)
	}
}

// near lists the known names that are similar to a misspelt one.
func near(name string, known []string) string {
	found := settings.Near(name, known)
	if len(found) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(
		lo.Map(found, func(s string, _ int) string { return fmt.Sprintf("%q", s) }),
		" or ",
	) + "?)"
}

func (p *overlayParser) overlay(v settings.Value) {
	p.members(v, "", "an object {\"hooks\": […]}", overlayMembers, func(name, path string, v settings.Value) {
		switch name {
		case "hooks":
			if v.Kind() != '[' {
				p.wrong(v.Want("an array of rules"))
			}
			for i, rule := range v.Elements() {
				p.rule(rule, rulePath(i))
			}
		case "defaults":
			p.defaults(v, path)
		case "limits":
			p.limits(v, path)
		case "recheck":
			p.o.Recheck = p.bool(v)
		case "$schema": // for editors
			if _, ok := v.Text(); !ok {
				p.wrong(v.Want("the address of a schema"))
			}
		}
	})
	if lock := v.Get("lock"); lock.Exists() { // read last, because it refers to the rules
		p.lock(lock)
	}
}

func (p *overlayParser) rule(v settings.Value, path string) {
	var r Rule
	p.members(
		v,
		path,
		"an object with \"match\" and the members that the rule sets",
		ruleMembers,
		func(name, path string, v settings.Value) {
			switch name {
			case "match":
				p.match(&r.Match, v, path)
			case "onFailure":
				r.OnFailure = p.onFailure(v, path)
			case "mode":
				r.Mode = new(hook.Mode(p.word(v, "enforce", "shadow", "off")))
			case "timeout":
				r.Timeout = p.duration(v)
			case "stretch":
				r.Stretch = p.number(v, 1, hook.DefaultStretch)
			case "queue":
				r.Queue = p.duration(v)
			case "retry":
				r.Retry = p.retry(v, path)
			case "warm":
				r.Warm = Warms[p.word(v, Warms...)]
			case "prewarm":
				r.Prewarm = new(p.bool(v))
			case "recheck":
				r.Recheck = new(p.bool(v))
			}
		},
	)
	p.o.Rules = append(p.o.Rules, r)
}

// lock reads the list of members that lower levels cannot change.
func (p *overlayParser) lock(v settings.Value) {
	if p.o.Level != Machine {
		p.wrong(
			v.Wrong(
				"only the machine's policy can lock members, and this is the %s's; move \"lock\" to %s, or remove it",
				p.o.Level,
				machineFile(),
			),
		)
		return
	}
	if v.Kind() != '[' {
		p.wrong(v.Want("an array of members, such as [\"hooks[0].onFailure\", \"limits\"]"))
	}
	for _, element := range v.Elements() {
		path, ok := element.Text()
		if !ok {
			p.wrong(element.Want("the path of a member, such as \"hooks[0].onFailure\""))
			continue
		}
		if err := p.o.lockable(path); err != nil {
			p.wrong(element.Wrong("%v", err))
		}
		p.o.Lock = append(p.o.Lock, path)
	}
}

func (p *overlayParser) match(m *Match, v settings.Value, path string) {
	p.members(v, path, "an object of globs", matchMembers, func(name, _ string, v settings.Value) {
		into := map[string]*string{"dialect": &m.Dialect, "event": &m.Event, "name": &m.Name, "command": &m.Command, "source": &m.Source}[name]
		text, ok := v.Text()
		switch {
		case !ok:
			p.wrong(v.Want("a glob, such as \"*guard*\""))
		case text == "":
			p.wrong(v.Wrong("an empty glob matches nothing; leave %q out, or write \"*\"", name))
		}
		*into = text
	})
}

// onFailure reads one action, or an object from classes to actions.
func (p *overlayParser) onFailure(v settings.Value, path string) OnFailure {
	if v.Kind() == '"' {
		return OnFailure{Default: hook.Action(p.word(v, "open", "ask", "closed"))}
	}
	known := []string{string(Default)}
	for _, class := range hook.Classes() {
		known = append(known, string(class))
	}
	all := OnFailure{}
	p.members(
		v,
		path,
		"\"open\", \"ask\" or \"closed\", or an object of failure classes",
		known,
		func(name, _ string, v settings.Value) {
			all[hook.Class(name)] = hook.Action(p.word(v, "open", "ask", "closed"))
		},
	)
	return all
}

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
