package hook

import "time"

// Action is the effect of a hook's failure on the guarded action. A greater Action is stricter.
type Action uint8

// The actions.
const (
	FailOpen   Action = iota // the action goes ahead
	FailAsk                  // the user is asked; if that is not possible, the action is denied
	FailClosed               // the action is denied
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

// EffectivePolicy is the operator's policy for a hook, in addition to its settings. Package policy computes it when
// settings are loaded. It must not change while a hook uses it.
type EffectivePolicy struct {
	OnFailure map[Class]Action // has an entry for every class
	Mode      Mode
	Timeout   time.Duration // overrides the hook's own timeout; 0 overrides nothing
	Retry     Retry
	Stretch   float64       // see Stretch of [Call]; 0 means [DefaultStretch]
	Queue     time.Duration // time limit for waiting for a permit to run; 0 means no limit
	Warm      string        // auto, python, node, bash, worker or off; empty means off
	WarmNote  string        // why the hook starts cold in spite of Warm; empty if it does not
	Prewarm   bool          // start the warm process with the session, not with the first call

	// Recheck makes foreground hooks run a second time on the rewritten input, if the input was rewritten. Rewrites of
	// the second run have no effect.
	Recheck bool

	// From maps each member of the overlay to the place that set it. Members that no overlay sets are missing.
	From map[string]Origin

	// Decided holds the failure classes for which an overlay sets the action.
	Decided map[Class]bool

	// Held is the reason why the hook never starts and always fails; empty if it can start.
	Held SkipReason

	// Upheld reports that the hook runs although settings disable it, because the machine's overlay locks a rule for it.
	Upheld bool

	// Keeper is the engine's run-time state of the hook, such as its breaker. Only the engine uses it.
	Keeper any
}

// Retry sets how often to run a hook again after a failure in one of the classes On.
type Retry struct {
	Times int
	On    []Class
}

// Origin is the place in an overlay that set a member of an [EffectivePolicy].
type Origin struct {
	Level    string // machine, user or project
	Position Position
}

// Strictest returns the strictest action for any of the classes.
func (p *EffectivePolicy) Strictest(classes ...Class) (strictest Action) {
	for _, class := range classes {
		strictest = max(strictest, p.OnFailure[class])
	}
	return strictest
}
