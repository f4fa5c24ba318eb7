package hook

import "time"

// Action is the effect of a hook's failure on the action that it guards. A greater Action is
// stricter.
type Action uint8

// The actions.
const (
	FailOpen   Action = iota // it goes ahead
	FailAsk                  // the user is asked; where there is no way to ask, it is denied
	FailClosed               // it is denied
)

var actions = [...]string{"open", "ask", "closed"}

func (a Action) String() string { return actions[a] }

// Mode says whether a hook runs, and whether its answer counts.
type Mode uint8

// The modes.
const (
	Enforce Mode = iota // it runs, and its answer counts
	Shadow              // it runs and is recorded, and its answer takes no part
	Off                 // it does not run
)

var modes = [...]string{"enforce", "shadow", "off"}

func (m Mode) String() string { return modes[m] }

// EffectivePolicy holds the demands of a hook's operator, beyond its settings; package policy
// decides it when settings are loaded. It must not change while a hook has it.
type EffectivePolicy struct {
	OnFailure map[Class]Action // every class is in it
	Mode      Mode
	Timeout   time.Duration // in place of the hook's own; 0 leaves that
	Retry     Retry
	Queue     time.Duration // how long it may wait for a permit to run; 0 is for ever
	Warm      string        // auto, python, node, bash, worker or off; empty means off
	WarmNote  string        // why it starts cold although Warm says otherwise; empty if it does not
	Prewarm   bool          // its warm process starts with the session, not with the first call

	// Recheck runs all hooks of the fire that it waits for once more if the input has been
	// rewritten, with the rewritten input. Their second rewrites have no effect.
	Recheck bool

	// From says where each member comes from, by its name in an overlay; those
	// that no overlay sets are not in it.
	From map[string]Origin

	// Decided has the classes of failures about which an overlay says something.
	Decided map[Class]bool

	// Held says why the hook is never started, and fails instead. Empty: it is.
	Held SkipReason

	// Upheld reports that the hook runs although settings below the machine's have
	// switched it off: the machine's overlay locks a rule about it.
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

// Origin is the place in an overlay that decided a member of an [EffectivePolicy].
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
