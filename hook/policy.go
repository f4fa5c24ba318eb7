package hook

import "time"

// Action is the effect of a hook's failure on the action that it guards. A greater Action is
// stricter.
type Action uint8

// The actions.
const (
	FailOpen   Action = iota // it goes ahead
	FailAsk                  // the user is asked; if that is not possible, it is denied
	FailClosed               // it is denied
)

var actions = [...]string{"open", "ask", "closed"}

func (a Action) String() string { return actions[a] }

// Mode determines whether a hook runs, and whether its answer has effect.
type Mode uint8

// The modes.
const (
	Enforce Mode = iota // it runs, and its answer has effect
	Shadow              // it runs and is recorded, and its answer has no effect
	Off                 // it does not run
)

var modes = [...]string{"enforce", "shadow", "off"}

func (m Mode) String() string { return modes[m] }

// EffectivePolicy holds the demands of a hook's operator, in addition to its settings; package
// policy computes it when settings are loaded. It must not change while a hook has it.
type EffectivePolicy struct {
	OnFailure map[Class]Action // every class is in it
	Mode      Mode
	Timeout   time.Duration // overrides the hook's own; 0 leaves that
	Retry     Retry
	Queue     time.Duration // time limit for the wait for a permit to run; 0 means none
	Warm      string        // auto, python, node, bash, worker or off; empty means off
	WarmNote  string        // why it starts cold although Warm says otherwise; empty if it does not
	Prewarm   bool          // its warm process starts with the session, not with the first call

	// Recheck makes the foreground hooks of the fire run a second time, on the rewritten input, if
	// the input has been rewritten. Rewrites of the second run have no effect.
	Recheck bool

	// From maps each member, by its name in an overlay, to the place that set it; members that no
	// overlay sets are missing.
	From map[string]Origin

	// Decided holds the failure classes for which an overlay sets an action.
	Decided map[Class]bool

	// Held is the reason why the hook is never started, and always fails; empty if it can start.
	Held SkipReason

	// Upheld reports that the hook runs although settings below the machine's have switched it off,
	// because the machine's overlay locks a rule for it.
	Upheld bool

	// Keeper is the engine's state of the hook while it runs, such as its breaker. Only the
	// engine uses it.
	Keeper any
}

// Retry runs a hook again that has failed in one of the classes.
type Retry struct {
	Times int
	On    []Class
}

// Origin is the position in an overlay that set a member of an [EffectivePolicy].
type Origin struct {
	Level    string // machine, user or project
	Position Position
}

// Strictest returns the strictest of the actions of some classes.
func (p *EffectivePolicy) Strictest(classes ...Class) (strictest Action) {
	for _, class := range classes {
		strictest = max(strictest, p.OnFailure[class])
	}
	return strictest
}
