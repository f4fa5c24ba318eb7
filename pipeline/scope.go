package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Scope is the place where a program registers hooks: a [System] or a [Session].
type Scope interface {
	add([]*hook.Hook) (remove func())
}

// scopeError returns an error if hooks cannot be added: at is nil, or was not made by NewSystem or
// NewSession.
func scopeError(at Scope) error {
	made := at != nil
	switch at := at.(type) {
	case *System:
		made = at != nil && at.ctx != nil
	case *Session:
		made = at != nil && at.reg != nil
	}
	if made {
		return nil
	}
	return fmt.Errorf("the %T is nil or empty; want a System from NewSystem, or a Session from NewSession", at)
}

// Register adds complete hooks, such as those that a dialect reads from the front matter of an agent, to one session or
// to all sessions of a system. For a hook in Go, On of its event is simpler. remove removes the hooks. Fires that have
// begun are not affected, and neither Register nor remove waits for them.
//
// The error names a hook that can never run, because its event is not declared or its Func does not have the event's
// types. Register also fails if at is nil, or was not made by NewSystem or NewSession. With an error no hook is added.
func Register(at Scope, hooks ...*hook.Hook) (remove func(), err error) {
	if err := scopeError(at); err != nil {
		return func() {}, fmt.Errorf("register hooks: %w", err)
	}
	for _, h := range hooks {
		if err := registrable(h); err != nil {
			return func() {}, err
		}
	}
	return at.add(slices.Clone(hooks)), nil
}

// registrable returns an error if a hook could never run.
func registrable(h *hook.Hook) error {
	if h == nil {
		return errors.New("register a hook: it is nil")
	}
	e := eventNamed(h.Dialect + "." + h.Event)
	if e == nil {
		return fmt.Errorf(
			"register the hook %q: there is no event %q; declare it first, or look for its name among those of Events",
			h.Label(),
			h.Dialect+"."+h.Event,
		)
	}
	if h.Func != nil {
		if want := e.def().funcType; reflect.TypeOf(h.Func) != want || reflect.ValueOf(h.Func).IsNil() {
			return fmt.Errorf(
				"register the hook %q of %s: its Func is a %T; want a %s",
				h.Label(),
				h.Dialect+"."+h.Event,
				h.Func,
				want,
			)
		}
	}
	return nil
}

// ranked merges two lists of hooks, sorted by rank and, within a rank, by group.
func ranked(there, hooks []*hook.Hook) []*hook.Hook {
	all := slices.Concat(there, hooks)
	slices.SortStableFunc(all, func(a, b *hook.Hook) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(group(a), group(b)))
	})
	return all
}

// group returns the sort key that puts hooks of front matter before the program's functions.
func group(h *hook.Hook) int {
	if h.Source == hook.FrontMatter {
		return 0
	}
	return 1
}

// without returns hooks with one occurrence of each hook in gone removed; a hook may have been added several times.
func without(hooks, gone []*hook.Hook) []*hook.Hook {
	left := slices.Clone(hooks)
	for _, h := range gone {
		if i := slices.Index(left, h); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}
