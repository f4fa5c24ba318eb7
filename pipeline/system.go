package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// Config is what a System is made with. The zero Config is a system for hooks
// in Go alone.
type Config struct {
	// Load reads the settings of a directory, one function for each dialect.
	Load []Load

	// Workers limits the hooks that run outside the process at the same time,
	// over all fires; 0 means 4 for each processor, and at least 16. Hooks
	// written in Go do not count, but one fire runs no more than this many
	// hooks of any kind at the same time. Waiting for a place is not part of a
	// hook's timeout. Hooks in the background have as many places of their own;
	// one that has gone there while it ran holds none.
	Workers int

	// Log gets a warning for every hook that failed and for every settings
	// entry that cannot be used, and on level Debug the course of every fire.
	// Nil means [slog.Default]. Whether it is on for Debug is asked once.
	Log *slog.Logger

	// Observe is told of every hook that was looked at, also of those that
	// did not run; see [Evaluation]. It is called from many goroutines, and
	// the fire waits for it. It can change nothing. Nil costs nothing.
	Observe func(Evaluation)
}

// Load reads the hooks that are configured for a directory. Settings that
// cannot be used are Problems, not errors.
type Load func(ctx context.Context, at Place) (Loaded, error)

// Place is the directory whose settings are read, and what the host knows of
// it.
type Place struct {
	Dir         string // absolute
	Untrusted   bool   // the user has not agreed to run what the directory brings
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
	Admit func(*hook.Hook) (why hook.Why, detail string)

	// Values are for the functions of the dialect's events; see
	// [Session.Setting]. Their keys have types of the dialect's own.
	Values map[any]any
}

// System holds what all sessions of a process share: settings, hooks in Go,
// the limit of running hooks. Its methods may be called from many goroutines.
type System struct {
	cfg     Config
	log     *slog.Logger
	debug   bool
	workers *semaphore.Weighted
	behind  *semaphore.Weighted // the workers of background hooks
	limit   int
	loading singleflight.Group
	reload  sync.Mutex // one at a time, so that the settings read last stay

	failedOpen atomic.Int64
	begun      atomic.Int64 // fires, ever

	mu       sync.Mutex // guards what follows, and every change of a view
	places   map[Place]weak.Pointer[registry]
	host     []*hook.Hook
	disabled map[string]bool // by name or command; set at run time
	closed   bool
	underway *underway // the first of the fires that Close has to end

	fires  sync.WaitGroup
	ctx    context.Context // ends when the system closes
	cancel context.CancelCauseFunc
}

// NewSystem makes a system. It reads nothing: settings are read when the first
// session of a directory is made.
func NewSystem(cfg Config) *System {
	sys := &System{
		cfg:      cfg,
		log:      cfg.Log,
		limit:    cfg.Workers,
		places:   map[Place]weak.Pointer[registry]{},
		disabled: map[string]bool{},
	}
	if sys.log == nil {
		sys.log = slog.Default()
	}
	if sys.limit <= 0 {
		sys.limit = max(16, 4*runtime.GOMAXPROCS(0))
	}
	sys.workers, sys.behind = semaphore.NewWeighted(int64(sys.limit)), semaphore.NewWeighted(int64(sys.limit))
	sys.ctx, sys.cancel = context.WithCancelCause(context.Background())
	sys.debug = sys.log.Enabled(sys.ctx, slog.LevelDebug)
	return sys
}

// FailedOpen counts the hooks that failed while the action they guarded went
// ahead, since the system was made.
func (sys *System) FailedOpen() int64 { return sys.failedOpen.Load() }

// Reload reads the settings of every directory in use again, and swaps them in
// at once. A fire that has begun keeps the hooks it began with. Where the new
// settings are not readable, the old ones stay, and the error says why.
func (sys *System) Reload(ctx context.Context) error {
	sys.reload.Lock()
	defer sys.reload.Unlock()
	var errs []error
	for _, reg := range sys.registries() {
		loaded, err := sys.load(ctx, reg.at)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sys.mu.Lock()
		reg.loaded = loaded
		reg.rebuild()
		sys.mu.Unlock()
	}
	return errors.Join(errs...)
}

// SetEnabled switches every hook off or on that has this name, or this command
// if it has no name. It lasts until the system is closed, over every Reload; a
// name that no hook has changes nothing. Settings that disable a hook are not
// overruled.
func (sys *System) SetEnabled(name string, enabled bool) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if enabled {
		delete(sys.disabled, name)
	} else {
		sys.disabled[name] = true
	}
	sys.rebuildAll()
}

// Close cancels the fires that are under way and returns when they are done.
// Afterwards nothing runs: fires give [hook.ErrClosed] in their reports.
func (sys *System) Close() error {
	sys.mu.Lock()
	sys.closed = true
	sys.mu.Unlock()
	sys.cancel(hook.ErrClosed)
	sys.endAll()
	sys.fires.Wait()
	return nil
}

// enter counts a fire, unless the system is closed.
func (sys *System) enter() bool {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if sys.closed {
		return false
	}
	sys.fires.Add(1)
	return true
}

// registries gives those in use.
func (sys *System) registries() []*registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.living()
}

func (sys *System) living() []*registry {
	var regs []*registry
	for _, p := range sys.places {
		if reg := p.Value(); reg != nil {
			regs = append(regs, reg)
		}
	}
	return regs
}

func (sys *System) rebuildAll() {
	for _, reg := range sys.living() {
		reg.rebuild()
	}
}

// registry gives the settings of a place, read once and shared. It lives as
// long as a session uses it.
func (sys *System) registry(ctx context.Context, at Place) (*registry, error) {
	if reg := sys.known(at); reg != nil {
		return reg, nil
	}
	key := fmt.Sprintf("%s\x00%t %t", at.Dir, at.Untrusted, at.Interactive)
	reads := false
	v, err, _ := sys.loading.Do(key, func() (any, error) {
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
		sys.places[at] = weak.Make(reg)
		runtime.AddCleanup(reg, sys.forget, at)
		return reg, nil
	})
	if err != nil && !reads && ctx.Err() == nil && cancelled(err) {
		return sys.registry(ctx, at) // whoever was reading for both has given up
	}
	if err != nil {
		return nil, err
	}
	return v.(*registry), nil
}

func (sys *System) known(at Place) *registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.places[at].Value()
}

func (sys *System) forget(at Place) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if sys.places[at].Value() == nil {
		delete(sys.places, at)
	}
}

// load reads every dialect's settings of a place. Problems are logged; the
// error is those that left a file unread.
func (sys *System) load(ctx context.Context, at Place) (all Loaded, err error) {
	var fatal []error
	for _, load := range sys.cfg.Load {
		l, err := load(ctx, at)
		if err != nil {
			return Loaded{}, err
		}
		all.Hooks = append(all.Hooks, l.Hooks...)
		all.Problems = append(all.Problems, l.Problems...)
		all.Files = append(all.Files, l.Files...)
		all.Admit = both(all.Admit, l.Admit)
		if l.Values != nil && all.Values == nil {
			all.Values = map[any]any{}
		}
		maps.Copy(all.Values, l.Values)
	}
	for _, p := range all.Problems {
		if p.Fatal {
			fatal = append(fatal, p)
			continue
		}
		sys.log.LogAttrs(ctx, slog.LevelWarn, "settings entry not used", slog.String("at", p.Position.String()), slog.String("problem", p.Message))
	}
	return all, errors.Join(fatal...)
}

type admission = func(*hook.Hook) (hook.Why, string)

// both asks a, and b if a admits.
func both(a, b admission) admission {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(h *hook.Hook) (hook.Why, string) {
		if why, detail := a(h); why != "" {
			return why, detail
		}
		return b(h)
	}
}

// Scope is where a program registers hooks: a [System] or a [Session].
type Scope interface {
	add([]*hook.Hook) (remove func())
}

// Register adds hooks that are ready to run, such as those that a dialect reads
// from the front matter of an agent, to one session or to all sessions of a
// system. For a hook in Go, On of its event is simpler. remove takes them away
// again; fires that have begun are not affected, and neither function waits for
// them.
func Register(at Scope, hooks ...*hook.Hook) (remove func()) { return at.add(slices.Clone(hooks)) }

func (sys *System) add(hooks []*hook.Hook) (remove func()) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	sys.host = ranked(sys.host, hooks)
	sys.rebuildAll()
	return sync.OnceFunc(func() {
		sys.mu.Lock()
		defer sys.mu.Unlock()
		sys.host = without(sys.host, hooks)
		sys.rebuildAll()
	})
}

// ranked adds hooks to those that are there.
func ranked(there, hooks []*hook.Hook) []*hook.Hook {
	all := slices.Concat(there, hooks)
	slices.SortStableFunc(all, func(a, b *hook.Hook) int { return cmp.Compare(a.Rank, b.Rank) })
	return all
}

// without drops hooks, each once: it may have been added more often than that.
func without(hooks, gone []*hook.Hook) []*hook.Hook {
	left := slices.Clone(hooks)
	for _, h := range gone {
		if i := slices.Index(left, h); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}

// Disabled names what SetEnabled has switched off, sorted.
func (sys *System) Disabled() []string {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return slices.Sorted(maps.Keys(sys.disabled))
}
