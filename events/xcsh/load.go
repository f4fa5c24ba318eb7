package xcsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
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

// moduleFile is a module to load, with the source that its hooks get.
type moduleFile struct {
	path   string
	source hook.Source
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

type noFactoryError struct{ text string }

func (e *noFactoryError) Error() string { return e.text }

// Is makes errors.Is(err, ErrNoFactory) true.
func (e *noFactoryError) Is(target error) bool { return target == ErrNoFactory }

// Discovery configures where [Modules.DiscoverAndLoad] looks for modules.
type Discovery struct {
	Registry discover.Registry
	Place    discover.Place
	Options  discover.Options
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
