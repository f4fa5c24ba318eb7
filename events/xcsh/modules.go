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
	// Dir is the directory that handlers are told and [API.Exec] runs in; empty
	// means the session's.
	Dir string

	// Extensions switches to the rules of the extension runtime, which the
	// xcsh command runs today: other rules for tool_call, tool_result and
	// before_agent_start, the last command of a name in place of the first, and
	// HasUI whenever there is a UI.
	Extensions bool

	// Loaders load modules that are files. Nil: there are no such.
	Loaders []ModuleLoader

	// Home is where ~ is in the paths of modules; empty means the user's.
	Home string

	// Session and Models are readable for handlers; nil means [NoSession] and [NoModels].
	Session SessionView
	Models  ModelRegistry

	// Log receives the log of modules, and panics of listeners; nil means [slog.Default].
	Log *slog.Logger
}

// Modules are the modules of one session, in the order in which they were
// loaded. Its methods may be called from many goroutines at once; Close ends
// its work.
type Modules struct {
	ses  *pipeline.Session
	cfg  Config
	host atomic.Pointer[Host] // nil until Initialize
	shut atomic.Bool          // by Close

	mu        sync.Mutex
	modules   []*module
	closed    []*module // stand for those that were given up while they loaded
	loads     int       // how many modules were ever begun
	listeners []*Listener
	unlisten  func()
}

// New makes Modules of a session. Their handlers are hooks of the session, and
// appear in its lists, logs and traces. A session has no more than one Modules
// of a runtime: a fire runs the handlers of all.
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

// Factory is a module: it is called once, and subscribes its handlers to the
// events of api. If it returns an error, or panics, nothing of the module stays.
type Factory func(api *API) error

// Add loads a module that is written in Go. The path is how errors name it.
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

// number assigns a module its place in the order of loading.
func (m *Modules) number(mod *module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mod.m = m
	m.loads++
	mod.rank = m.loads
}

// admit lists a module that has loaded, and lets its handlers run.
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

// Close removes the handlers of all modules and ends the modules, the last one first. Fires that
// have begun continue without the handlers that have not run yet; those of gates that no handler
// stopped, and fires that begin now, return [hook.ErrClosed]: no tool runs without the gates that
// it had.
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

// gone is the error of fires once the modules are closed.
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

// Info lists the registrations of a module.
type Info struct {
	Path     string         // as configured
	Resolved string         // absolute, for a module that is a file
	Source   hook.Source    // see [SourceOf]; Host if it was not found by a registry
	Events   map[string]int // how many handlers, by the event's name
	Commands []string

	Renderers []string // the types of messages, sorted
	Others    []Registration

	// Where the module runs, such as "sandbox" or "node", and why. They come from a method
	// Runtime() (name, why string) of the closer that its loader returned.
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
