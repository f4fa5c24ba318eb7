package xcsh

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Config configures the Modules of [New]. The zero Config is the hook runtime.
type Config struct {
	// Dir is the directory that handlers are given, and in which [API.Exec] runs programs; empty
	// means the session's.
	Dir string

	// Extensions selects the rules of the extension runtime, which the xcsh command uses today. They differ for
	// tool_call, tool_result and before_agent_start; the last command of a name replaces the first; HasUI is true
	// whenever there is a UI; handlers get the model in use at the time of the call; and errors have stacks.
	Extensions bool

	// Loaders load modules from files. If Loaders is nil, no file can be loaded.
	Loaders []ModuleLoader

	// Home replaces ~ in the paths of modules; empty means the user's home directory.
	Home string

	// Session and Models can be read by handlers; nil means [NoSession] and [NoModels].
	Session SessionView
	Models  ModelRegistry

	// Log receives the log of modules, and panics of listeners; nil means [slog.Default].
	Log *slog.Logger
}

// Modules holds the modules of one session, in the order in which they were loaded. Its methods may
// be called from many goroutines at once; Close ends its work.
type Modules struct {
	ses  *pipeline.Session
	cfg  Config
	host atomic.Pointer[Host] // nil until Initialize
	shut atomic.Bool          // set by Close

	mu        sync.Mutex
	modules   []*module
	closed    []*module // placeholders for modules that were abandoned while they loaded
	loads     int       // number of modules whose loading has begun
	listeners []*Listener
	unlisten  func()
}

// New returns the Modules of a session. Their handlers are hooks of the session, and appear in its lists, logs and
// traces. A session must not have two Modules of the same runtime, because a fire would run the handlers of both.
func New(ses *pipeline.Session, cfg Config) *Modules {
	if cfg.Dir == "" {
		cfg.Dir = ses.Dir()
	}
	if cfg.Session == nil {
		cfg.Session = NoSession{}
	}
	if cfg.Models == nil {
		cfg.Models = NoModels{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	m := &Modules{ses: ses, cfg: cfg}
	m.unlisten = ses.OnFailure(m.failed)
	return m
}

// Factory is a module: it is called once, and subscribes its handlers to events through api. If it
// returns an error, or panics, all registrations of the module are removed.
type Factory func(api *API) error

// Add loads a module that is written in Go. Errors name it by path.
func (m *Modules) Add(path string, f Factory) error {
	return m.add(&module{path: path, resolved: path}, f)
}

// add loads a module.
func (m *Modules) add(mod *module, f Factory) error {
	m.number(mod)
	if err := m.run(f, &API{m: m, module: mod}); err != nil {
		return errors.Join(err, mod.close())
	}
	m.admit(mod)
	return nil
}

// number assigns a module its number in the order of loading.
func (m *Modules) number(mod *module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mod.m = m
	m.loads++
	mod.rank = m.loads
}

// admit adds a loaded module to the list, and starts its handlers.
func (m *Modules) admit(mod *module) {
	m.mu.Lock()
	m.modules = append(m.modules, mod)
	slices.SortStableFunc(m.modules, func(a, b *module) int { return a.rank - b.rank })
	m.mu.Unlock()
	mod.begin()
}

func (m *Modules) run(f Factory, api *API) (err error) {
	if f == nil {
		return &LoadError{Path: api.module.path, Err: m.noFactory(api.module.path)}
	}
	caught := panics.Try(func() { err = f(api) })
	if caught != nil {
		err = &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
	}
	if err != nil {
		return m.loadError(api.module.path, err)
	}
	return nil
}

// Close removes the handlers of all modules and ends the modules, the last one first. Fires that have begun go on
// without the handlers that have not run yet. [hook.ErrClosed] is the error of all later fires, and of running fires of
// gates, unless a handler has stopped them: no tool runs without its gates.
func (m *Modules) Close() error {
	m.shut.Store(true)
	m.mu.Lock()
	mods := slices.Concat(m.closed, m.modules)
	m.modules, m.closed = nil, nil
	m.mu.Unlock()
	m.unlisten()
	var errs []error
	for _, mod := range slices.Backward(mods) {
		errs = append(errs, mod.close())
	}
	return errors.Join(errs...)
}

// gone returns the error of fires after the modules were closed, and nil before.
func (m *Modules) gone() error {
	if m.shut.Load() {
		return hook.ErrClosed
	}
	return nil
}

// list returns the modules in order.
func (m *Modules) list() []*module {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.modules)
}

// Info describes a module and its registrations.
type Info struct {
	Path     string         // as configured
	Resolved string         // absolute, for a module that is a file
	Source   hook.Source    // see [SourceOf]; Host if it was not found by a registry
	Events   map[string]int // number of handlers, by the event's name
	Commands []string

	Renderers []string // the types of messages, sorted
	Others    []Registration

	// Runtime is where the module runs, such as "sandbox" or "node", and RuntimeReason why. They come from the method
	// Runtime() (name, why string) of the loader's closer.
	Runtime, RuntimeReason string
}

// Infos lists the modules in the order in which they were loaded.
func (m *Modules) Infos() []Info {
	var all []Info
	for _, mod := range m.list() {
		all = append(all, mod.info())
	}
	return all
}

// Paths lists the modules' paths, as configured.
func (m *Modules) Paths() []string {
	var paths []string
	for _, mod := range m.list() {
		paths = append(paths, mod.path)
	}
	return paths
}

// Has reports whether a module has a handler for the event of that name.
func (m *Modules) Has(event string) bool {
	return slices.ContainsFunc(m.list(), func(mod *module) bool { return mod.info().Events[event] > 0 })
}
