package xcsh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
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

// Initialize connects the modules to a host, in place of the host of an earlier call. Functions for messages, for
// entries, for the model, for the control of sessions and for extensions keep their previous value if h lacks them; all
// other fields are reset to their default.
func (m *Modules) Initialize(h Host) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.host.Load(); before != nil {
		h.inherit(before)
	}
	m.host.Store(&h)
}

// Load loads modules, one after another. It returns an error for each module that cannot be loaded,
// and loads the others (X38). A path that is listed twice is loaded twice. Relative paths are
// resolved in cwd; empty means the directory of the modules.
//
// Each module has [LoadTime]; once ctx has ended, all remaining modules fail. A loader or a factory that does not
// return in time is abandoned on its goroutine, and its registrations are lost.
func (m *Modules) Load(ctx context.Context, paths []string, cwd string) (errs []*LoadError) {
	if cwd == "" {
		cwd = m.cfg.Dir
	}
	return m.loadAll(ctx, lo.Map(paths, func(path string, _ int) moduleFile { return moduleFile{path, hook.Host} }), cwd)
}

// DiscoverAndLoad loads the modules that the registry finds, in its order, and then the configured ones; a file that is
// listed twice is loaded once (X40). The type and the tool of an item have no effect: a module sees every tool.
// warnings are the registry's.
func (m *Modules) DiscoverAndLoad(
	ctx context.Context,
	d Discovery,
	configured []string,
) (warnings []string, errs []*LoadError) {
	found := d.Registry.Discover(ctx, d.Place, d.Options)
	var files []moduleFile
	for _, item := range found.Items {
		files = append(files, moduleFile{item.Path, SourceOf(item.Source.Level)})
	}
	for _, path := range configured {
		files = append(files, moduleFile{discover.Resolve(path, d.Place.Cwd, d.Place.Home), hook.Host})
	}
	files = lo.UniqBy(files, func(f moduleFile) string { return filepath.Clean(f.path) })
	return found.Warnings, m.loadAll(ctx, files, d.Place.Cwd)
}

func (m *Modules) loadAll(ctx context.Context, files []moduleFile, cwd string) (errs []*LoadError) {
	for _, f := range files {
		err := m.load(ctx, f, cwd)
		if err == nil {
			continue
		}
		failed := new(LoadError)
		if !errors.As(err, &failed) {
			failed = m.loadError(f.path, err)
		}
		failed.Source = f.source
		if failed.Closed = errors.As(err, new(*givenUpError)) || errors.Is(err, context.DeadlineExceeded); failed.Closed {
			m.closeGates(f, failed)
		}
		errs = append(errs, failed)
	}
	return errs
}

func (m *Modules) load(ctx context.Context, from moduleFile, cwd string) error {
	mod := &module{path: from.path, resolved: discover.Resolve(from.path, cwd, m.home()), source: from.source}
	for _, loader := range m.cfg.Loaders {
		if loader.Match(mod.resolved) {
			return m.loadWith(ctx, loader, mod, cwd)
		}
	}
	return &LoadError{
		Path: from.path,
		Err: fmt.Errorf(
			"%w: nothing here can load %s files",
			m.noFactory(from.path),
			strconv.Quote(filepath.Ext(mod.resolved)),
		),
	}
}

// loadWith runs the loader and the factory of a module on a goroutine. It returns when they return, or when LoadTime or
// ctx ends.
func (m *Modules) loadWith(ctx context.Context, loader ModuleLoader, mod *module, cwd string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, LoadTime, slowError{})
	defer cancel()
	if ctx.Err() != nil {
		return m.loadError(mod.path, &givenUpError{context.Cause(ctx)})
	}
	m.number(mod)
	loaded := make(chan error, 1)
	go func() {
		err := error(errors.New("its loader ended the goroutine (runtime.Goexit)"))
		defer func() { loaded <- err }()
		if caught := panics.Try(func() { err = m.loadNow(ctx, loader, mod, cwd) }); caught != nil {
			err = &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
		}
	}()
	select {
	case err := <-loaded:
		if err == nil {
			m.admit(mod)
			return nil
		}
		err = errors.Join(err, mod.close())
		if ctx.Err() != nil {
			return m.loadError(mod.path, &givenUpError{err})
		}
		return err
	case <-ctx.Done():
		go func() { // waits until a loader that ignores its context returns
			<-loaded
			_ = mod.close() // the module was abandoned: the error does not matter
		}()
		return m.loadError(mod.path, &givenUpError{context.Cause(ctx)})
	}
}

// loadNow runs the loader and the factory of a module.
func (m *Modules) loadNow(ctx context.Context, loader ModuleLoader, mod *module, cwd string) error {
	f, closer, err := loader.Load(ctx, mod.resolved, cwd)
	mod.closer = closer
	switch {
	case errors.Is(err, ErrNoFactory):
		return &LoadError{Path: mod.path, Err: m.noFactory(mod.path)}
	case err != nil:
		return m.loadError(mod.path, err)
	}
	return m.run(f, &API{m: m, module: mod})
}

// closeGates gives each event that can block a handler that always fails, in place of an abandoned module.
func (m *Modules) closeGates(f moduleFile, failed *LoadError) {
	mod := &module{path: f.path, resolved: f.path, source: f.source}
	m.number(mod)
	for _, event := range known {
		if event.gate() {
			event.onJSON(&API{m: m, module: mod}, func(context.Context, wire.Object, *HookContext) (DynamicResult, error) {
				return DynamicResult{}, failed.Err
			})
		}
	}
	m.mu.Lock()
	m.closed = append(m.closed, mod)
	m.mu.Unlock()
	mod.begin()
}

func (m *Modules) home() string {
	if m.cfg.Home != "" {
		return m.cfg.Home
	}
	at, err := discover.Here(m.cfg.Dir)
	if err != nil {
		return "~" // without a home the path stays as it is
	}
	return at.Home
}

// noFactory returns the runtime's error for a file without a factory.
func (m *Modules) noFactory(path string) error {
	if m.cfg.Extensions {
		return &noFactoryError{"Extension does not export a valid factory function: " + path}
	}
	return ErrNoFactory
}

// loadError returns the runtime's error for a module that failed.
func (m *Modules) loadError(path string, err error) *LoadError {
	kind := "hook"
	if m.cfg.Extensions {
		kind = "extension"
	}
	return &LoadError{
		Path: path,
		Err:  fmt.Errorf("Failed to load %s: %w", kind, err),
	} //nolint:staticcheck // as the original says it
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

// Announce fires an event that does not belong to the system: it calls the handlers that modules have subscribed to its
// name. Their results are ignored, and failures are reported to the listeners, as with a [Notice]. Each handler gets a
// copy of event, an object, with the name as its type.
//
// If the system has an event of that name, Announce returns an error and runs nothing; use the method of that event.
func (m *Modules) Announce(ctx context.Context, name string, event wire.Object) error {
	if _, known := Lookup(name); known {
		return fmt.Errorf("%s is an event of the system: fire it with its own Fire", name)
	}
	if len(event) > 0 && (!valid(jsontext.Value(event)) || !event.IsObject()) {
		return fmt.Errorf("the event %s is not a JSON object", name)
	}
	event = withType(name, event.Without("type"))
	ctx = m.firing(ctx)
	for _, mod := range m.list() {
		for h := mod.next(name, 0); h != nil; h = mod.next(name, h.number) {
			if err := m.announce(ctx, h.dynamic, event); err != nil {
				m.Report(HookError{Path: mod.path, Event: name, Message: err.Error(), Stack: m.stack(err)})
			}
		}
	}
	return nil
}

func (m *Modules) announce(ctx context.Context, h DynamicHandler, event wire.Object) (err error) {
	caught := panics.Try(func() { _, err = h(ctx, bytes.Clone(event), m.contextOf(ctx)) })
	if caught != nil {
		return &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
	}
	return err
}

// Commands lists the commands of all modules in order. In the hook runtime a name can occur more than once (X5). In the
// extension runtime the last command of a name is listed at the position of the first, and commands with a reserved
// name are left out.
func (m *Modules) Commands(reserved ...string) []Command {
	var all []Command
	for _, mod := range m.list() {
		mod.mu.Lock()
		all = append(all, mod.commands...)
		mod.mu.Unlock()
	}
	if !m.cfg.Extensions {
		return all
	}
	return distinct(slices.DeleteFunc(all, func(c Command) bool { return slices.Contains(reserved, c.Name) }))
}

// Command finds a command by name. If several modules have a command of that name, Command returns the first module's
// in the hook runtime, and the last module's in the extension runtime.
func (m *Modules) Command(name string) (c Command, ok bool) {
	all := m.Commands()
	if i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name }); i >= 0 {
		return all[i], true
	}
	return Command{}, false
}

// Slash runs the command that the user's text "/name args" names. handled reports whether there is such a command. args
// is everything after the first space. A command that fails or panics is reported to the listeners, and still handled.
func (m *Modules) Slash(ctx context.Context, input string) (handled bool) {
	input, is := strings.CutPrefix(input, "/")
	name, args, _ := strings.Cut(input, " ")
	c, found := m.Command(name)
	if !is || !found {
		return false
	}
	if err := m.RunCommand(ctx, &c, args); err != nil {
		m.Report(HookError{Path: "command:" + name, Event: "command", Message: err.Error(), Stack: m.stack(err)})
	}
	return true
}

// RunCommand runs a command with a new context. It returns a panic as an error.
func (m *Modules) RunCommand(ctx context.Context, c *Command, args string) (err error) {
	if c.Run == nil {
		return nil
	}
	caught := panics.Try(func() { err = c.Run(ctx, args, m.CommandContext()) })
	if caught != nil {
		return &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
	}
	return err
}

// CommandContext returns the context for one run of a command.
func (m *Modules) CommandContext() *CommandContext { return &CommandContext{m.newContext(false)} }

// Renderer finds the renderer for messages of a type, from the first module that has one.
func (m *Modules) Renderer(customType string) (r Renderer, ok bool) {
	for _, mod := range m.list() {
		mod.mu.Lock()
		r, ok = mod.renderers[customType]
		mod.mu.Unlock()
		if ok {
			return r, true
		}
	}
	return nil, false
}

// Listen makes l receive the failure of every handler, except an error that Fire returns (X29). l is called on the
// goroutine that ran the handler, before the fire goes on. Listeners are called in the order in which they were added;
// a listener that was added twice is called once. l cannot change the fire: a panic in it is logged. remove ends the
// reports.
func (m *Modules) Listen(l *Listener) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.listeners, l) {
		m.listeners = append(slices.Clip(m.listeners), l)
	}
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.listeners = slices.DeleteFunc(slices.Clone(m.listeners), func(other *Listener) bool { return other == l })
	})
}

// Report passes an error of the host's own to the listeners.
func (m *Modules) Report(e HookError) {
	m.mu.Lock()
	listeners := m.listeners
	m.mu.Unlock()
	for _, l := range listeners {
		m.tell(l, e)
	}
}

func (m *Modules) tell(l *Listener, e HookError) {
	defer func() {
		if v := recover(); v != nil {
			m.cfg.Log.Error(
				"a listener to hook errors panicked",
				slog.String("event", e.Event),
				slog.String("panic", environ.Scrub(fmt.Sprint(v))),
			)
		}
	}()
	l.Failed(e)
}

// failed passes the engine's reports of failed hooks to the listeners.
func (m *Modules) failed(f pipeline.Failure) {
	if f.Hook.Dialect == Dialect.Name || f.Hook.Dialect == Extensions.Name {
		err := cause(f.Err)
		m.Report(HookError{Path: f.Hook.Label(), Event: f.Hook.Event, Message: err.Error(), Stack: m.stack(err)})
	}
}

// stack returns where a handler panicked, or the StackTrace of an error that has one. In the hook runtime it is empty.
func (m *Modules) stack(err error) string {
	panicked, traced := new(hook.PanicError), interface{ StackTrace() string }(nil)
	switch {
	case !m.cfg.Extensions:
	case errors.As(err, &panicked):
		return string(panicked.Stack)
	case errors.As(err, &traced):
		return traced.StackTrace()
	}
	return ""
}

// Review returns the result for the model, given the answer o of a fire of [ToolResult].
func (m *Modules) Review(done *ToolResultEvent, o *ToolResultOverride) ToolResultEvent {
	now := *done
	if m.cfg.Extensions {
		now.IsError = o.isError(now.IsError)
	}
	if !done.IsError || m.cfg.Extensions {
		now.Content, now.Details = o.content(now.Content), o.details(now.Details)
	}
	return now
}

// Verdict returns the error of a tool call after a fire of [ToolCall]: nil if the tool may run, otherwise a
// [BlockedError] or the error of the handler.
func (m *Modules) Verdict(r *ToolCallResult, err error) error {
	if thrown, ok := errors.AsType[*Thrown](err); ok {
		return fmt.Errorf("Hook failed, blocking execution: %w", thrown) //nolint:staticcheck // as the original says it
	}
	// the text of classed is for the user and the log, not for the model
	if classed, ok := errors.AsType[*hook.ClassError](err); ok {
		return fmt.Errorf("The guard of tool_call could not run (failure class %q): the call is denied.", classed.Class) //nolint:staticcheck // a sentence for the model
	}
	if err != nil || r == nil || !r.Block {
		return err
	}
	if r.Reason == "" {
		return &BlockedError{Reason: "Tool execution was blocked by " + m.whom()}
	}
	return &BlockedError{Reason: r.Reason}
}

func (m *Modules) whom() string {
	if m.cfg.Extensions {
		return "an extension"
	}
	return "a hook"
}

// firing returns the context of a fire.
func (m *Modules) firing(ctx context.Context) context.Context {
	return &fireContext{ctx, m.newContext(m.cfg.Extensions)}
}

// newContext reads the present state of the host.
func (m *Modules) newContext(live bool) HookContext {
	h := m.hosted()
	hc := HookContext{
		UI:      h.UI,
		HasUI:   h.HasUI,
		Dir:     m.cfg.Dir,
		Session: m.cfg.Session,
		Models:  m.cfg.Models,
		m:       m,
		live:    live,
	}
	if m.cfg.Extensions {
		hc.HasUI = h.UI != nil
	}
	if hc.UI == nil {
		hc.UI = NoUI{}
	}
	if !live && h.Model != nil {
		hc.model = h.Model()
	}
	return hc
}

// contextOf returns the HookContext of the fire that calls a handler, or a new one outside of a fire.
func (m *Modules) contextOf(ctx context.Context) *HookContext {
	if hc, ok := ctx.Value(contextKey{}).(*HookContext); ok && hc.m == m {
		return hc
	}
	hc := m.newContext(m.cfg.Extensions)
	return &hc
}

// hosted returns the current host, the zero Host before Initialize.
func (m *Modules) hosted() *Host {
	if h := m.host.Load(); h != nil {
		return h
	}
	return &Host{}
}
