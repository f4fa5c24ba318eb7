package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/settings"
)

// Level ranks overlays, and hooks by their source. A greater Level is a lower rank: its overlays may make hooks of
// higher ranks stricter, never laxer.
type Level uint8

// The levels. An overlay set in Go has the level Machine by default.
const (
	Machine Level = iota
	User
	Project
)

var levels = [...]string{"machine", "user", "project"}

func (l Level) String() string { return levels[l] }

// LevelOf returns the level of a hook, by its source.
func LevelOf(s hook.Source) Level {
	switch s {
	case hook.Project, hook.Local, hook.FrontMatter:
		return Project
	case hook.User, hook.Flag, hook.Extension, hook.Plugin:
		return User
	}
	return Machine // the program, the system or an administrator has set the hook
}

// Default is the key of an [OnFailure] for all classes without their own key.
const Default hook.Class = "default"

// OnFailure maps the class of a failure to an action.
type OnFailure map[hook.Class]hook.Action

// of returns the action for a class.
func (o OnFailure) of(class hook.Class) (hook.Action, bool) {
	if a, ok := o[class]; ok {
		return a, true
	}
	a, ok := o[Default]
	return a, ok
}

// Overlay holds the rules of one level. The zero Overlay has no rules.
type Overlay struct {
	Level    Level
	File     string // the name of the file, for messages; empty for an overlay made in Go
	Rules    []Rule
	Defaults Defaults
	Limits   Limits
	Recheck  bool     // runs the hooks of every gate again on a rewritten input; see [hook.EffectivePolicy]
	Lock     []string // members that lower levels cannot change, such as "hooks[0].onFailure"; only at level Machine

	places map[string]hook.Position // positions of members by path, such as "hooks[0].mode"
}

// Defaults apply to hooks without a rule, separately for gates and for all other events. If a hook's entry or its
// system fails closed, only defaults that are stricter have an effect.
type Defaults struct {
	Gates, Observers OnFailure
}

// Rule sets members of the policies of the hooks that it matches. Zero members set nothing.
type Rule struct {
	Match     Match
	OnFailure OnFailure
	Mode      *hook.Mode
	Timeout   time.Duration
	Retry     *hook.Retry
	Stretch   float64 // from 1 to [hook.DefaultStretch]; see Stretch of [hook.Call]
	Queue     time.Duration
	Warm      string
	Prewarm   *bool // start the warm process when a session begins; needs Warm
	Recheck   *bool
}

// Limits holds the breaker, and limits on the number of running and of warm hooks, for hooks of the overlay's level and
// lower ones. Hooks in Go do not count as running.
type Limits struct {
	Concurrent int            // over all fires; 0: no limit
	PerEvent   map[string]int // over the fires of one event, by its full name
	Breaker    Breaker
	Warm       int // limit for warm hooks in the System; 0: the limit of the nearest level that has one, else 8
}

// Breaker pauses a hook, for the time For, after a number of consecutive infrastructure failures. An exit status that
// means failure, and a denial, do not count. Zero Failures disables it.
type Breaker struct {
	Failures int
	For      time.Duration
}

// at returns the position of a path in the overlay, or of its nearest parent with a position.
func (o *Overlay) at(path string) hook.Position {
	for p := path; p != ""; p = parent(p) {
		if at, ok := o.places[p]; ok {
			return at
		}
	}
	return hook.Position{File: o.name()}
}

func (o *Overlay) name() string {
	if o.File == "" {
		return fmt.Sprintf("the program's %s policy", o.Level)
	}
	return o.File
}

func (o *Overlay) fatal(path, format string, args ...any) settings.Problem {
	return settings.Problem{Position: o.at(path), Message: fmt.Sprintf(format, args...), Fatal: true}
}

var rulePart = lazyregexp.New(`^hooks\[(\d{1,6})\](?:\.(.*))?$`)

// lockable returns an error for a path that cannot be locked.
func (o *Overlay) lockable(path string) error {
	known := []string{
		"hooks",
		"defaults",
		"defaults.gates",
		"defaults.gates.onFailure",
		"defaults.observers",
		"defaults.observers.onFailure",
		"limits",
		"limits.concurrent",
		"limits.perEvent",
		"limits.breaker",
		"limits.warm",
		"recheck",
	}
	for i := range o.Rules {
		known = append(known, rulePath(i))
		for _, member := range ruleMembers[1:] {
			known = append(known, rulePath(i)+"."+member)
		}
		for _, class := range hook.Classes() {
			known = append(known, rulePath(i)+".onFailure."+string(class))
		}
	}
	if slices.Contains(known, path) {
		return nil
	}
	if part := rulePart.FindStringSubmatch(path); part != nil {
		return fmt.Errorf(
			"%q is not a member of a rule of this file; the number of rules is %d, counted from 0%s",
			path,
			len(o.Rules),
			near(path, known),
		)
	}
	return fmt.Errorf(
		"there is no member %q to lock%s; write one such as \"hooks[0].onFailure\" or \"limits\"",
		path,
		near(path, known),
	)
}

// holds reports whether path, or a parent of it, is locked.
func (o *Overlay) holds(path string) bool {
	return slices.ContainsFunc(o.Lock, func(lock string) bool {
		rest, ok := strings.CutPrefix(path, lock)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

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

func rulePath(i int) string { return "hooks[" + strconv.Itoa(i) + "]" }

// parent returns a path without its last part.
func parent(path string) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return ""
}
