package xcsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
)

// ModuleLoader loads modules that are files of a kind.
type ModuleLoader interface {
	// Match says whether the loader is for a file, by its name.
	Match(path string) bool

	// Load returns the module's factory, and what has to be closed when the
	// module is no longer used; that may be nil. [ErrNoFactory] says that the
	// file has none.
	Load(ctx context.Context, path, cwd string) (Factory, io.Closer, error)
}

// ErrNoFactory is the error of a [ModuleLoader] for a file that is a module,
// but exports no function.
var ErrNoFactory = errors.New("Hook must export a default function") //nolint:staticcheck // as the original says it

// LoadError is a module that could not be loaded.
type LoadError struct {
	Path   string      // as configured
	Source hook.Source // where the module comes from, as in [Info]
	Err    error
}

func (e *LoadError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *LoadError) Unwrap() error { return e.Err }

// Load loads modules, one after another. The errors are those of the ones that
// cannot be, and do not stop the others (X38). A path that is
// there twice is loaded twice. cwd is where relative paths count from; empty
// means the directory of the modules.
func (m *Modules) Load(ctx context.Context, paths []string, cwd string) (errs []*LoadError) {
	if cwd == "" {
		cwd = m.cfg.Dir
	}
	return m.loadAll(ctx, lo.Map(paths, func(path string, _ int) file { return file{path, hook.Host} }), cwd)
}

// file is a module to load, and where it comes from.
type file struct {
	path   string
	source hook.Source
}

func (m *Modules) loadAll(ctx context.Context, files []file, cwd string) (errs []*LoadError) {
	for _, f := range files {
		if err := m.load(ctx, f, cwd); err != nil {
			failed := new(LoadError)
			if !errors.As(err, &failed) {
				failed = m.loadError(f.path, err)
			}
			failed.Source = f.source
			errs = append(errs, failed)
		}
	}
	return errs
}

func (m *Modules) load(ctx context.Context, from file, cwd string) error {
	path := from.path
	resolved := discover.Resolve(path, cwd, m.home())
	for _, loader := range m.cfg.Loaders {
		if !loader.Match(resolved) {
			continue
		}
		f, closer, err := loader.Load(ctx, resolved, cwd)
		if errors.Is(err, ErrNoFactory) {
			return &LoadError{Path: path, Err: m.noFactory(path)}
		}
		if err != nil {
			return m.loadError(path, err)
		}
		return m.add(&module{path: path, resolved: resolved, source: from.source, closer: closer}, f)
	}
	return &LoadError{
		Path: path,
		Err: fmt.Errorf(
			"%w: nothing here can load %s files",
			m.noFactory(path),
			strconv.Quote(filepath.Ext(resolved)),
		),
	}
}

func (m *Modules) home() string {
	if m.cfg.Home != "" {
		return m.cfg.Home
	}
	at, err := discover.Here(m.cfg.Dir)
	if err != nil {
		return "~" // without a home it stays as it was written
	}
	return at.Home
}

// noFactory is what the runtime says of a module that is none.
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

// loadError is what the runtime says of a module that failed.
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

// Discovery is where [Modules.DiscoverAndLoad] looks for modules.
type Discovery struct {
	Registry discover.Registry
	Place    discover.Place
	Options  discover.Options
}

// DiscoverAndLoad loads the modules that the registry finds, in its order, and
// then the configured ones; a file that is there twice is loaded once (X41). What
// an item is for, its type and its tool, is not
// used: a module sees every tool. warnings are those of the registry.
func (m *Modules) DiscoverAndLoad(
	ctx context.Context,
	d Discovery,
	configured []string,
) (warnings []string, errs []*LoadError) {
	found := d.Registry.Discover(ctx, d.Place, d.Options)
	var files []file
	for _, item := range found.Items {
		files = append(files, file{item.Path, SourceOf(item.Source.Level)})
	}
	for _, path := range configured {
		files = append(files, file{discover.Resolve(path, d.Place.Cwd, d.Place.Home), hook.Host})
	}
	files = lo.UniqBy(files, func(f file) string { return filepath.Clean(f.path) })
	return found.Warnings, m.loadAll(ctx, files, d.Place.Cwd)
}

// SourceOf is where the modules of a level of discovery come from. A level that
// is not known is taken for the project's, whom a user need not trust.
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
