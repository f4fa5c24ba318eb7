package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"weak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// Load reads the hooks that are configured for a directory. Settings that
// cannot be used are Problems, not errors.
type Load func(ctx context.Context, at Workspace) (Loaded, error)

// Workspace is the directory whose settings are read, and what the host knows of
// it.
type Workspace struct {
	Dir         string // absolute
	Untrusted   bool   // the user has not agreed to run what the directory brings
	Undecided   bool   // the user has not agreed that its settings count for hooks of other levels
	Interactive bool   // there is a user who can be asked
}

// Loaded is what the settings amount to.
type Loaded struct {
	Hooks    []*hook.Hook // also those that can never run, with the reason
	Problems []settings.Problem
	Files    []string // the files that were read, highest priority first

	// Admit says why a hook must not run that is otherwise fit to: those that
	// the program registers are subject to the settings too. It is asked for
	// every hook of every dialect. Nil admits all.
	Admit func(*hook.Hook) (why hook.SkipReason, detail string)

	// Values are for the functions of the dialect's events; see
	// [Session.Setting]. Their keys have types of the dialect's own.
	Values map[any]any

	policy *policy.Set // what is demanded of the hooks; nil: nothing
}

// registries returns those in use.
func (sys *System) registries() []*registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.living()
}

func (sys *System) living() []*registry {
	var regs []*registry
	for _, p := range sys.workspaces {
		if reg := p.Value(); reg != nil {
			regs = append(regs, reg)
		}
	}
	return regs
}

// registry returns the settings of a place, read once and shared. It lives as
// long as a session uses it.
func (sys *System) registry(ctx context.Context, at Workspace) (*registry, error) {
	if reg := sys.known(at); reg != nil {
		return reg, nil
	}
	key := fmt.Sprintf("%s\x00%t %t %t", at.Dir, at.Untrusted, at.Undecided, at.Interactive)
	reads := false
	v, err, _ := sys.loading.Do(key, func() (_ any, err error) {
		defer recovered(&err) // Do panics on a goroutine of its own, which ends the program
		reads = true
		if reg := sys.known(at); reg != nil {
			return reg, nil
		}
		loaded, err := sys.load(ctx, at)
		if err != nil {
			return nil, err
		}
		reg := &registry{sys: sys, at: at, loaded: loaded}
		sys.mu.Lock()
		defer sys.mu.Unlock()
		reg.rebuild()
		sys.workspaces[at] = weak.Make(reg)
		runtime.AddCleanup(reg, sys.forget, at)
		return reg, nil
	})
	if err != nil && !reads && ctx.Err() == nil && cancelled(err) {
		return sys.registry(ctx, at) // the one that read for both gave up
	}
	if err != nil {
		return nil, err
	}
	return v.(*registry), nil
}

func (sys *System) known(at Workspace) *registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.workspaces[at].Value()
}

func (sys *System) forget(at Workspace) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if sys.workspaces[at].Value() == nil {
		delete(sys.workspaces, at)
	}
}

// Vouches reports whether the settings of a source may count for hooks of other
// sources: those of the project itself do once the user has agreed.
func (p Workspace) Vouches(source hook.Source) bool {
	return !p.Untrusted && !p.Undecided || source != hook.Project && source != hook.Local
}

// load reads every dialect's settings of a place. Problems are logged; the
// error is those that left a file unread. What panics is an error: a project's files must
// not end the program.
func (sys *System) load(ctx context.Context, at Workspace) (all Loaded, err error) {
	defer recovered(&err)
	var fatal []error
	for _, load := range sys.cfg.Load {
		l, err := load(ctx, at)
		if err != nil {
			return Loaded{}, err
		}
		all.Hooks = append(all.Hooks, l.Hooks...)
		all.Problems = append(all.Problems, l.Problems...)
		all.Files = append(all.Files, l.Files...)
		all.Admit = admitBoth(all.Admit, l.Admit)
		if l.Values != nil && all.Values == nil {
			all.Values = map[any]any{}
		}
		maps.Copy(all.Values, l.Values)
	}
	set, wrong := sys.cfg.Policy.Load(at.Dir, at.Untrusted || at.Undecided)
	if wrong = append(wrong, set.Problems(all.Hooks, PolicyEvents())...); len(wrong) == 0 {
		all.policy = set
		all.Problems = append(slices.Clip(all.Problems), set.Misspelt(PolicyEvents())...)
	}
	for _, p := range append(slices.Clip(all.Problems), wrong...) {
		if p.Fatal {
			fatal = append(fatal, p)
			continue
		}
		sys.log.LogAttrs(
			ctx,
			slog.LevelWarn,
			"settings entry not used",
			slog.String("at", p.Position.String()),
			slog.String("problem", p.Message),
		)
	}
	return all, errors.Join(fatal...)
}

// recovered is deferred: a panic becomes the error of the function that it is deferred in.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("settings cannot be read: %w", &hook.PanicError{Value: v, Stack: debug.Stack()})
	}
}

type admit = func(*hook.Hook) (hook.SkipReason, string)

// admitBoth asks a, and b if a admits.
func admitBoth(a, b admit) admit {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(h *hook.Hook) (hook.SkipReason, string) {
		if why, detail := a(h); why != "" {
			return why, detail
		}
		return b(h)
	}
}
