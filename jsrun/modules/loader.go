package modules

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/run"
)

// Extensions are the names of files that a [Loader] loads end in.
var Extensions = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}

// Loader is an [xcsh.ModuleLoader]. The zero Loader is ready for use, and lets
// modules run no programs. It may be used from many goroutines at once, and
// must not be changed then.
type Loader struct {
	// Options bound each module. Without a Console, a module's console goes to its logger.
	// Options.Modules extends [Packages]. Without a Dir, relative paths of modules are resolved
	// in the loader's directory; without a Root, the module's own, see [Root].
	Options jsrun.Options

	// Runtime is where modules run: [jsrun.Sandbox], [jsrun.Node], [jsrun.Bun] or
	// [jsrun.Auto]; empty means Options.Runtime. A process runs with the rights of
	// this one, and so do the modules in it: it is for those that their user trusts.
	Runtime string

	// Exec runs the programs of pi.exec. Nil means that the host does not let
	// modules run any: pi.exec rejects, and says so. [xcsh.API.Exec] runs them
	// all:
	//
	//	modules.Loader{Exec: (*xcsh.API).Exec}
	Exec func(
		api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions,
	) (xcsh.ExecResult, error)
}

var _ xcsh.ModuleLoader = (*Loader)(nil)

// Match implements [xcsh.ModuleLoader]: it goes by [Extensions].
func (l *Loader) Match(path string) bool {
	return slices.Contains(Extensions, strings.ToLower(filepath.Ext(path)))
}

// Load implements [xcsh.ModuleLoader]. It runs the top level of the module; the
// factory it returns is for one call, which ctx bounds as well. Loading takes a
// few milliseconds, and a module some 400 KiB and one goroutine until it is
// closed.
func (l *Loader) Load(ctx context.Context, path, cwd string) (xcsh.Factory, io.Closer, error) {
	c := &console{to: l.Options.Console}
	opt := l.Options
	opt.Console, opt.Modules = c.write, Packages()
	maps.Copy(opt.Modules, l.Options.Modules)
	opt.Members, opt.Flags, opt.Watched = members, flags, watched
	opt.Dir = cmp.Or(opt.Dir, cwd)
	opt.Root = cmp.Or(opt.Root, Root(path))
	opt.Runtime, opt.Partial = cmp.Or(l.Runtime, opt.Runtime), append(scopes(), opt.Partial...)
	js, err := jsrun.Open(ctx, path, opt)
	if err != nil {
		return nil, nil, reason(err)
	}
	if !js.HasFactory() {
		return nil, nil, errors.Join(xcsh.ErrNoFactory, js.Close())
	}
	m := &module{
		exec: l.Exec, turn: make(chan struct{}, 1), js: js, born: time.Now(),
		room: run.NewRoom(ExecRoom), way: make(chan struct{}, 1),
	}
	m.start = func(ctx context.Context, js *jsrun.Module) error { return js.Start(ctx, pi.Bind(m, nil)) }
	return func(api *xcsh.API) error {
		c.attach(api.Logger())
		m.api = api
		return reason(m.start(ctx, js))
	}, m, nil
}

// Root returns the directory whose files a module may import, and which trust in it must cover:
// its own directory, or the parent if that is pre or post, as in hooks/pre/bash.ts. Links are
// resolved; for an absent file the path decides.
func Root(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if name := filepath.Base(dir); name == "pre" || name == "post" {
		return filepath.Dir(dir)
	}
	return dir
}

// reason strips the prefix of a load error, because the caller says that it was loading.
func reason(err error) error {
	if failed := new(jsrun.LoadError); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
