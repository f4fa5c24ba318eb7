package policy

import (
	"fmt"
	"strconv"
	"time"

	"github.com/snaphook-go/snaphook/hook"
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
