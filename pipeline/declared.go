package pipeline

import (
	"context"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// Info is what an event is, without its types.
type Info struct {
	Dialect string
	Name    string
	Doc     string
	Can     Capability
	Subject string   // what matchers test; empty if nothing
	Base    []string // the members of its payloads that are the engine's to give
	Rules   Rules

	// Rewrites says that hooks can replace the input, so that a policy can have
	// them asked again about what it has become; see Rewritten of [Spec].
	Rewrites bool
}

// FullName is the name with its dialect: "llxprt.BeforeTool".
func (i Info) FullName() string { return i.Dialect + "." + i.Name }

// Info describes the event.
func (e *Event[In, Out]) Info() Info {
	return Info{
		Dialect:  e.dialect.Name,
		Name:     e.spec.Name,
		Doc:      e.spec.Doc,
		Can:      e.spec.Can,
		Subject:  e.spec.SubjectName,
		Base:     e.dialect.BaseNames,
		Rules:    e.spec.Rules,
		Rewrites: e.spec.Rewritten != nil,
	}
}

// accepts reports whether a hook's Func can be called for the event.
func (e *Event[In, Out]) accepts(fn any) (want string, ok bool) {
	f, ok := fn.(hook.Func[In, Out])
	return reflect.TypeFor[hook.Func[In, Out]]().String(), ok && f != nil
}

func (e *Event[In, Out]) slotOf() (slot int, d *Dialect) { return e.slot, e.dialect }

func (e *Event[In, Out]) forgets() bool { return e.spec.Forget != nil }

// Declared is an event without its types, for what deals in JSON: the message
// bus and the command line.
type Declared interface {
	Info() Info

	// FireJSON is Fire with the input as a JSON object of the event's own
	// fields; those that every payload has are the engine's, and ignored. An
	// input that does not fit is an [InputError], and no hook runs. Of 64 KiB and
	// more the text must not be changed from then on: hooks, also those in the
	// background, and the result have parts of it.
	FireJSON(ctx context.Context, s *Session, in []byte) (*JSONResult, error)

	// PlanJSON is FireJSON up to the plan.
	PlanJSON(s *Session, in []byte) (stages.Planned, error)

	// Rechecks reports whether a policy has the hooks that match a subject asked
	// again once the input has been rewritten; see Recheck of
	// [hook.EffectivePolicy]. Conditions are left out of account. It is for hosts
	// that ask them again themselves; see HostRechecks of [Config].
	Rechecks(s *Session, subject string) bool

	slotOf() (slot int, d *Dialect)
	accepts(fn any) (want string, ok bool)
	forgets() bool // it has to be fired also where no hook is
}
