package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// Load reads the hooks that are configured for a directory. Settings that
// cannot be used are Problems, not errors.
type Load func(ctx context.Context, at Workspace) (Loaded, error)

// Workspace is the directory whose settings are read, and the host's facts about it.
type Workspace struct {
	Dir         string // absolute
	Untrusted   bool   // the user has not agreed to run the hooks of the directory
	Undecided   bool   // the user has not agreed that the directory's settings affect hooks of other levels
	Interactive bool   // a user can be asked
}

// Loaded is the result of reading settings: hooks, values and problems.
type Loaded struct {
	Hooks    []*hook.Hook // includes hooks that can never run, with the reason
	Problems []settings.Problem
	Files    []string // the files that were read, in the order of their dialect

	// Admit returns why a hook must not run although nothing else excludes it, so that settings can exclude hooks that
	// the program registers. It is called for every hook of every dialect. Nil admits all.
	Admit func(*hook.Hook) hook.Exclusion

	// Values holds values for the functions of the dialect's events; see [Session.Setting]. The dialect declares the
	// type of each key.
	Values map[any]any

	policy *policy.Set // rules for the hooks, or nil
}

// Vouches reports whether the settings of a source may affect hooks of other sources. A project's settings may affect
// them once the user has agreed.
func (p Workspace) Vouches(source hook.Source) bool {
	return !p.Untrusted && !p.Undecided || source != hook.Project && source != hook.Local
}

// recovered turns a panic into the error of the function that defers it.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("settings cannot be read: %w", &hook.PanicError{Value: v, Stack: debug.Stack()})
	}
}

type admit = func(*hook.Hook) hook.Exclusion

// admitBoth calls a, and b if a admits the hook.
func admitBoth(a, b admit) admit {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(h *hook.Hook) hook.Exclusion {
		if why := a(h); why.Skip != "" {
			return why
		}
		return b(h)
	}
}
