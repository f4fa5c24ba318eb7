package xcsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/samber/lo"
	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// ModuleLoader loads modules from files of one kind.
type ModuleLoader interface {
	// Match reports whether the loader loads a file, by its name.
	Match(path string) bool

	// Load returns the module's factory, and a closer to call when the module is no longer used; the closer may be nil.
	// The error is [ErrNoFactory] if the file has no factory.
	Load(ctx context.Context, path, cwd string) (Factory, io.Closer, error)
}

// ErrNoFactory is the error of a [ModuleLoader] for a file that is a module, but exports no
// function.
var ErrNoFactory = errors.New("Hook must export a default function") //nolint:staticcheck // as the original says it

// LoadError describes a module that could not be loaded.
type LoadError struct {
	Path   string      // as configured
	Source hook.Source // where the module comes from, as in [Info]
	Err    error

	// Closed reports that loading the module was abandoned, because its time or the context ended. The module may have
	// unknown gates: in its place each event that can block has a handler that fails with this error, and no tool runs
	// until the Modules are created anew.
	Closed bool
}

func (e *LoadError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *LoadError) Unwrap() error { return e.Err }

// LoadTime limits the time to load a module. A module that takes longer is a [LoadError] with Closed set.
const LoadTime = 10 * time.Second

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

// moduleFile is a module to load, with the source that its hooks get.
type moduleFile struct {
	path   string
	source hook.Source
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

// givenUpError is the error of a module whose loading was abandoned.
type givenUpError struct{ cause error }

func (e *givenUpError) Error() string { return e.cause.Error() }

func (e *givenUpError) Unwrap() error { return e.cause }

// slowError is the cause that ends the loading of a module after LoadTime.
type slowError struct{}

func (slowError) Error() string {
	return fmt.Sprintf("it did not finish loading within %v: an await at its top level or in its default export does not end", LoadTime)
}

// Unwrap makes errors.Is report a timeout.
func (slowError) Unwrap() error { return context.DeadlineExceeded }

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

type noFactoryError struct{ text string }

func (e *noFactoryError) Error() string { return e.text }

// Is makes errors.Is(err, ErrNoFactory) true.
func (e *noFactoryError) Is(target error) bool { return target == ErrNoFactory }

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

// Discovery configures where [Modules.DiscoverAndLoad] looks for modules.
type Discovery struct {
	Registry discover.Registry
	Place    discover.Place
	Options  discover.Options
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

// SourceOf returns the source of modules that were discovered at a level. An unknown level counts as the project's,
// which may be untrusted.
func SourceOf(level string) hook.Source {
	switch level {
	case "user":
		return hook.User
	case "local":
		return hook.Local
	case "managed":
		return hook.Managed
	}
	return hook.Project
}
