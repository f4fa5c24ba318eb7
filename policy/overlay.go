package policy

import (
	"fmt"
	"strconv"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Level is the rank of an overlay, and of a hook by its source. A greater Level is a lower rank: it
// may make hooks of the ranks above stricter, never laxer.
type Level uint8

// The levels. An overlay that a program sets in Go has the level Machine, unless it sets another.
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
	return Machine // the host's own, the system's, and managed hooks
}

// Default is the key of an [OnFailure] for the classes that it does not name.
const Default hook.Class = "default"

// OnFailure maps the class of a failure to an action.
type OnFailure map[hook.Class]hook.Action

// of returns the action of o for a class.
func (o OnFailure) of(class hook.Class) (hook.Action, bool) {
	if a, ok := o[class]; ok {
		return a, true
	}
	a, ok := o[Default]
	return a, ok
}

// Overlay holds the demands of one level. The zero Overlay demands nothing.
type Overlay struct {
	Level    Level
	File     string // for messages; empty in Go
	Rules    []Rule
	Defaults Defaults
	Limits   Limits
	Recheck  bool     // every gate runs its hooks again when the input has been rewritten; see [hook.EffectivePolicy]
	Lock     []string // members that lower levels cannot change: "hooks[0].onFailure", "limits"; only at the machine's level

	places map[string]hook.Position // by path, such as "hooks[0].mode"
}

// Defaults apply to hooks without a rule, separately for events that can block and for all others. For a
// hook that fails closed by its own entry or its system, they count where they are stricter.
type Defaults struct {
	Gates, Observers OnFailure
}

// Rule demands something of the hooks that it matches. Zero members demand nothing.
type Rule struct {
	Match     Match
	OnFailure OnFailure
	Mode      *hook.Mode
	Timeout   time.Duration
	Retry     *hook.Retry
	Queue     time.Duration
	Warm      string
	Prewarm   *bool // with Warm: start it when a session begins
	Recheck   *bool
}

// Limits limits the number of hooks of the overlay's level, or a lower one, that run at the same
// time. Hooks in Go are not limited.
type Limits struct {
	Concurrent int            // hooks at the same time, over all fires; 0: no bound
	PerEvent   map[string]int // the same for one event, by its full name
	Breaker    Breaker
	Warm       int // hooks that are kept warm in the System; 0: as the nearest level sets, or 8
}

// Breaker pauses a hook after a number of consecutive infrastructure failures. An exit status that
// means failure, and a denial, are not infrastructure failures. Zero Failures disables it.
type Breaker struct {
	Failures int
	For      time.Duration
}

// at returns the position of a path in the overlay, or of the nearest enclosing one.
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
