package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"golang.org/x/sync/singleflight"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// Config configures a System. The zero Config makes a system with only Go hooks.
type Config struct {
	// Load reads the settings of a directory, one function for each dialect.
	Load []Load

	// Workers limits the hooks that run outside the process at the same time, over all fires. 0 means 4 for each
	// processor, and at least 16. Hooks in Go and hooks with NoPermit do not count, but one fire runs no more than this
	// many hooks of any kind at a time. Time spent waiting for a permit is not part of a hook's timeout. Background
	// hooks have the same number of separate permits; a hook that goes to the background while running releases its
	// permit.
	Workers int

	// Matching limits the total time of all matchers of one plan; 0 means 100 ms. When the time is used up, the
	// remaining matchers match.
	Matching time.Duration

	// Log gets a warning for every invalid settings entry and every failed hook, except hooks in shadow, and on level
	// Debug the course of every fire. Nil means [slog.Default]. NewSystem checks once whether level Debug is on; the
	// environment variable DEBUG turns it on too, see [WantsDebug].
	Log *slog.Logger

	// Observe lists the observers of fires. Each Observer gets the context that the previous one returned. An empty
	// list costs nothing.
	Observe []Observer

	// ObserveIdle calls the observers also for fires of events without hooks. Without ObserveIdle those fires cost
	// nothing.
	ObserveIdle bool

	// Policy has the rules that the program and the operators set for hooks; see package policy.
	// The zero Policy has no rules, and costs nothing.
	Policy policy.Source

	// Wrap returns the Runner to use in place of a hook's own, for example one that runs it in a sandbox. It is called
	// from many goroutines, for each hook when it is loaded or added, and again after a [System.Reload]. If it returns
	// nil or panics, the hook always fails. It is not called for hooks in Go, nor for hooks that a policy makes fail
	// because their project is not trusted or their entry is invalid. Nil: hooks run unwrapped.
	Wrap func(*hook.Hook, hook.Runner) hook.Runner

	// Granted returns the guards of a directory that the user agreed to, by dialect; see [Guards] and Guards of
	// trust.Decisions. The engine looks for each guard among the directory's hooks, at the first session of the
	// directory and at each [System.Reload]. In place of a missing guard, a hook blocks everything that the guard's
	// matcher selects, with a failure of [hook.ClassUntrusted]. A guard that settings or policies of the user or the
	// machine disable does not count as missing. Granted is called from many goroutines. Nil: no guard is looked for.
	Granted func(dir string) map[string][]hook.Guard

	// HostRechecks leaves rechecks to the program, which then runs the hooks a second time, as package snaphook does
	// over several dialects; see Rechecks of [Event].
	HostRechecks bool

	// Warm keeps the interpreters of hooks ready between calls, as policies demand; see run.Warm. The system closes
	// it. Nil: every hook starts cold, and workers fail.
	Warm Warmer
}

// load reads every dialect's settings of a workspace and logs problems. It returns an error if a problem is fatal, such
// as a file that cannot be read, or if a function panicked: a project's files must not end the program.
func (c *Config) load(ctx context.Context, at Workspace, log *slog.Logger) (all Loaded, err error) {
	defer recovered(&err)
	var fatal []error
	for _, load := range c.Load {
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
	set, wrong := c.Policy.Load(at.Dir, at.Untrusted || at.Undecided)
	events := PolicyEvents()
	if wrong = append(wrong, set.Problems(all.Hooks, events)...); len(wrong) == 0 {
		all.policy = set
		all.Problems = append(slices.Clip(all.Problems), set.Misspelt(events)...)
	}
	if c.Granted != nil {
		all.Hooks = append(all.Hooks, lostGuards(at.Dir, c.Granted(at.Dir), &all)...)
	}
	all.Problems = settings.Summary(all.Problems)
	for _, p := range settings.Summary(append(slices.Clip(all.Problems), wrong...)) {
		if p.Fatal {
			fatal = append(fatal, p)
			continue
		}
		log.LogAttrs(
			ctx,
			slog.LevelWarn,
			"settings entry not used",
			slog.String("at", p.Position.String()),
			slog.String("problem", p.Message),
		)
	}
	return all, errors.Join(fatal...)
}

// System holds the state that all sessions of a process share: settings, Go hooks, the limit of
// running hooks. Its methods may be called from many goroutines.
type System struct {
	cfg       Config
	log       *slog.Logger
	debug     bool // the log has level Debug
	observed  bool // debug is set, or there are observers
	permits   workerPermits
	admission *admission
	limit     int
	loading   singleflight.Group
	reload    sync.Mutex // serializes Reloads: an older reading never replaces a newer one

	failedOpen openFailures
	bounds     bounds // limits from the policy that apply to all directories
	breakers   breakers
	observers  observers // from the Config
	ended      sync.Once
	sessions   atomic.Uint64 // number of sessions ever made
	scratches  scratches
	shards     shards
	rechecks   atomic.Bool // a hook of a workspace or session demands a recheck, or has demanded it before

	mu         sync.Mutex // guards the fields below, and every change of a view
	workspaces workspaces
	host       []*hook.Hook
	disabled   map[string]bool // by name or command; set by SetEnabled

	ctx    context.Context // ends when the system closes
	cancel context.CancelCauseFunc
}

// NewSystem makes a system. It reads nothing: settings are read when the first
// session of a directory is made.
func NewSystem(cfg Config) *System {
	sys := &System{
		cfg:        cfg,
		log:        cfg.Log,
		limit:      cfg.Workers,
		workspaces: workspaces{},
		disabled:   map[string]bool{},
		observers:  observers{list: guardObservers(cfg.Observe)},
	}
	if sys.log == nil {
		sys.log = slog.Default()
	}
	if sys.limit <= 0 {
		sys.limit = max(16, 4*runtime.GOMAXPROCS(0))
	}
	sys.permits = newWorkerPermits(sys.limit)
	sys.admission = newAdmission()
	sys.ctx, sys.cancel = context.WithCancelCause(context.Background())
	if sys.debug = sys.log.Enabled(sys.ctx, slog.LevelDebug); !sys.debug && WantsDebug(os.Getenv("DEBUG")) {
		sys.log, sys.debug = slog.New(loud{sys.log.Handler()}), true
	}
	sys.observers.log = sys.log
	sys.observed = sys.debug || len(cfg.Observe) > 0
	return sys
}

// FailedOpen returns the number of hooks that have failed open since the system was made.
func (sys *System) FailedOpen() int64 { return sys.failedOpen.all.Load() }

// FailedOpenBy returns the counts of FailedOpen by the class of the failure, without zero counts.
func (sys *System) FailedOpenBy() map[hook.Class]int64 { return sys.failedOpen.by() }

// ObserverFailures counts observer calls that panicked or did not return in time, and fires that skipped an observer
// whose earlier call had not returned.
func (sys *System) ObserverFailures() int64 { return sys.observers.failures.Load() }

// Reload reads the settings of every directory in use again, and replaces all hooks of a directory at once. A fire that
// has begun keeps its hooks. A directory whose new settings cannot be read keeps the old ones, and the error gives the
// reason.
func (sys *System) Reload(ctx context.Context) error {
	sys.reload.Lock()
	defer sys.reload.Unlock()
	var errs []error
	for _, reg := range sys.registries() {
		loaded, err := sys.cfg.load(ctx, reg.at, sys.log)
		if err == nil {
			err = reg.swap(loaded)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// SetEnabled enables or disables every hook with this name; a hook without a name goes by its command. The change lasts
// until the system is closed, across Reloads. An unknown name changes nothing. SetEnabled does not override settings
// that disable a hook.
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

// Disabled returns the names that SetEnabled has disabled, sorted.
func (sys *System) Disabled() []string {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return slices.Sorted(maps.Keys(sys.disabled))
}

// Close cancels the running fires and returns when they are done. Afterwards no hook runs, and no action is allowed: a
// fire, also one that Close cancelled, returns [hook.ErrClosed] and, if its event can block, a result that blocks.
// Active is true for every event. Close removes the files that hooks have left.
//
// If a Go hook calls Close, waiting for the fires would be a deadlock: Close then cancels the fires, and returns an
// error without waiting if any fire is left. A hook must not wait for a Close on another goroutine.
func (sys *System) Close() error {
	sys.cancel(hook.ErrClosed)
	fires := sys.shards.shut()
	sys.mu.Lock()
	sys.rebuildAll()
	sys.mu.Unlock()
	for _, fire := range fires {
		fire.end(hook.ErrClosed)
	}
	if insideHook() && sys.shards.busy() {
		return errInsideHook
	}
	sys.shards.wait()
	sys.ended.Do(sys.observers.close)
	if sys.cfg.Warm != nil {
		sys.cfg.Warm.Close()
	}
	sys.scratches.remove()
	return nil
}

var errInsideHook = errors.New(
	"the hook system is closing, but a hook that closes it cannot wait for its own fire; call Close where no hook runs",
)

// insideHook reports whether a hook in Go is on the caller's stack.
func insideHook() bool {
	var callers [128]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, hookCaller) && strings.HasSuffix(frame.Function, ".call") {
			return true
		}
		if !more {
			return false
		}
	}
}

// hookCaller is the prefix of the name of the method that calls hooks in Go.
const hookCaller = "github.com/snaphook-go/snaphook/pipeline.(*fire["

func (sys *System) rebuildAll() {
	for _, reg := range sys.workspaces.living() {
		reg.rebuild()
	}
}

// nextShard returns the shard of the next session.
func (sys *System) nextShard() *shard {
	return &sys.shards[sys.sessions.Add(1)%uint64(len(sys.shards))]
}

// registries returns the registries in use.
func (sys *System) registries() []*registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.workspaces.living()
}

// inUse returns the registry of a workspace; nil if no session uses it.
func (sys *System) inUse(at Workspace) *registry {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	return sys.workspaces[at].Value()
}

// registry returns the registry of a workspace. Its settings are read once, and shared while a session uses them.
func (sys *System) registry(ctx context.Context, at Workspace) (*registry, error) {
	if reg := sys.inUse(at); reg != nil {
		return reg, nil
	}
	key := fmt.Sprintf("%s\x00%t %t %t", at.Dir, at.Untrusted, at.Undecided, at.Interactive)
	reads := false
	v, err, _ := sys.loading.Do(key, func() (_ any, err error) {
		defer recovered(&err) // singleflight repeats a panic on another goroutine, which would end the program
		reads = true
		if reg := sys.inUse(at); reg != nil {
			return reg, nil
		}
		loaded, err := sys.cfg.load(ctx, at, sys.log)
		if err != nil {
			return nil, err
		}
		reg := &registry{sys: sys, at: at, loaded: loaded}
		sys.mu.Lock()
		defer sys.mu.Unlock()
		reg.rebuild()
		sys.workspaces[at] = weak.Make(reg)
		runtime.AddCleanup(reg, func(at Workspace) {
			sys.mu.Lock()
			defer sys.mu.Unlock()
			sys.workspaces.forget(at)
		}, at)
		return reg, nil
	})
	if err != nil && !reads && ctx.Err() == nil && cancelled(err) {
		return sys.registry(ctx, at) // this call shared the read of a caller that was cancelled: read again
	}
	if err != nil {
		return nil, err
	}
	return v.(*registry), nil
}

func (sys *System) add(hooks []*hook.Hook) (remove func()) {
	sys.mu.Lock()
	sys.host = ranked(sys.host, hooks)
	sys.rebuildAll()
	sys.mu.Unlock()
	sys.observers.changed("", hooks, HookWatcher.HookAdded)
	return sync.OnceFunc(func() {
		sys.mu.Lock()
		sys.host = without(sys.host, hooks)
		sys.rebuildAll()
		for _, reg := range sys.workspaces.living() {
			reg.governed.release(hooks)
		}
		sys.mu.Unlock()
		sys.observers.changed("", hooks, HookWatcher.HookRemoved)
	})
}

// NewSession makes a session, and reads the settings of its directory unless another session already uses them. The
// error names files that could not be read. Invalid entries do not affect others: they are listed in Problems and in
// the log.
func (sys *System) NewSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if sys.ctx.Err() != nil {
		return nil, hook.ErrClosed
	}
	if len(cfg.ID) > maxID || strings.ContainsRune(cfg.ID, 0) {
		return nil, fmt.Errorf(
			"the session's id, %.20q, has %d bytes: write up to %d without NUL, since hooks get it in an environment variable",
			cfg.ID,
			len(cfg.ID),
			maxID,
		)
	}
	dir, err := directory(cfg.Dir)
	if err != nil {
		return nil, err
	}
	reg, err := sys.registry(
		ctx,
		Workspace{Dir: dir, Untrusted: cfg.Untrusted, Undecided: cfg.Undecided, Interactive: cfg.Interactive},
	)
	if err != nil {
		return nil, err
	}
	agent := cmp.Or(cfg.AgentDir, dir)
	s := &Session{
		sys: sys, shard: sys.nextShard(), reg: reg, id: cfg.ID, dir: dir, agent: agent, cwd: string(wire.Quote(agent)),
	}
	hasHost := cfg.Interactive || cfg.Ask != nil || cfg.Finished != nil || cfg.Scratch != "" || cfg.State != ""
	if hasHost || cfg.States != nil {
		s.host = &cfg
	}
	s.base = append(s.base, `{"session_id":`...)
	s.base = append(s.base, wire.Quote(cfg.ID)...)
	s.base = append(s.base, `,"transcript_path":`...)
	s.base = slices.Clip(append(s.base, wire.Quote(cfg.Transcript)...))
	prewarm(s)
	return s, nil
}
