package pipeline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/stages"
)

// Declared is an event without its types, for programs that work with JSON: the message bus and the
// command line.
type Declared interface {
	Info() Info

	// FireJSON is Fire with the input as a JSON object of the event's own fields. Fields that the
	// engine sets in every payload are ignored. An input that does not fit is an [InputError], and
	// no hook runs. A text of 64 KiB or more must not be changed afterwards: hooks, also those in
	// the background, and the result share parts of it.
	FireJSON(ctx context.Context, s *Session, in []byte) (*JSONResult, error)

	// PlanJSON returns the plan of FireJSON without running it.
	PlanJSON(s *Session, in []byte) (stages.Planned, error)

	// Rechecks reports whether a policy demands a second round of the hooks that match a subject
	// after the input has been rewritten; see Recheck of [hook.EffectivePolicy]. Conditions are
	// ignored. It is for hosts that run the second round themselves; see HostRechecks of [Config].
	Rechecks(s *Session, subject string) bool

	def() *definition
}

// declared holds every event of the process by its full name. Two dialects may have events of the
// same name, therefore snapshots are indexed by slot.
var declared struct {
	sync.RWMutex
	byName  map[string]Declared
	ordered []Declared // in order of their full names
}

// register assigns a slot to e. It holds the lock so that no snapshot is made meanwhile; older snapshots have no entry
// for the slot.
func register(name string, e Declared, slot *int) {
	declared.Lock()
	defer declared.Unlock()
	if declared.byName == nil {
		declared.byName = map[string]Declared{}
	}
	if _, twice := declared.byName[name]; twice {
		panic("pipeline: the event " + name + " is declared twice")
	}
	*slot = len(declared.byName)
	declared.byName[name] = e
	at, _ := slices.BinarySearchFunc(declared.ordered, name, func(e Declared, name string) int {
		return strings.Compare(e.def().full, name)
	})
	declared.ordered = slices.Insert(declared.ordered, at, e)
}

// Events returns the events of a dialect, or of every dialect if d is nil, in order of their full names. It includes
// events that a program has declared itself. It is for tools: programs use the event variables.
func Events(d *Dialect) []Declared {
	declared.RLock()
	defer declared.RUnlock()
	if d == nil {
		return slices.Clone(declared.ordered)
	}
	var events []Declared
	for _, e := range declared.ordered {
		if e.def().dialect.Name == d.Name {
			events = append(events, e)
		}
	}
	return events
}

// LinkedSettings returns the Settings of every dialect that has events in the
// program, in the order of the dialects' names.
func LinkedSettings() []Load {
	declared.RLock()
	defer declared.RUnlock()
	linked := map[string]Load{}
	for _, e := range declared.byName {
		if d := e.def().dialect; d.Settings != nil {
			linked[d.Name] = d.Settings
		}
	}
	loads := make([]Load, 0, len(linked))
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		loads = append(loads, linked[name])
	}
	return loads
}

// eventNamed returns the event of a full name, or nil.
func eventNamed(name string) Declared {
	declared.RLock()
	defer declared.RUnlock()
	return declared.byName[name]
}

// slots maps the full names of events to their slots. It lists only the events of dialects whose HostLast equals
// hostLast.
func slots(hostLast bool) map[string]int {
	declared.RLock()
	defer declared.RUnlock()
	index := make(map[string]int, len(declared.byName))
	for name, e := range declared.byName {
		if e := e.def(); e.dialect.HostLast == hostLast {
			index[name] = e.slot
		}
	}
	return index
}

func declaredEvents() int {
	declared.RLock()
	defer declared.RUnlock()
	return len(declared.byName)
}
