package pipeline

import (
	"context"

	"github.com/snaphook-go/snaphook/stages"
)

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
