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

// Extensions lists the endings of the names of files that a [Loader] loads.
var Extensions = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}

// Loader is an [xcsh.ModuleLoader]. The zero Loader is ready for use, and lets modules run no
// programs. It may be used from many goroutines at once, and must not be changed while it is in
// use.
type Loader struct {
	// Options limit each module. Without a Console, a module's console goes to its logger. Options.Modules extends
	// [Packages]. Without a Dir, modules resolve relative paths in the directory cwd of [Loader.Load]; without a Root,
	// each module has the result of [Root].
	Options jsrun.Options

	// Runtime selects where modules run: [jsrun.Sandbox], [jsrun.Node], [jsrun.Bun] or
	// [jsrun.Auto]; empty means Options.Runtime. A process, and the modules in it, has the rights
	// of this process: it is for modules that the user trusts.
	Runtime string

	// Exec runs the programs of pi.exec. Nil means that modules may run none: pi.exec rejects with
	// that reason. [xcsh.API.Exec] runs all programs:
	//
	//	modules.Loader{Exec: (*xcsh.API).Exec}
	Exec func(
		api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions,
	) (xcsh.ExecResult, error)
}

var _ xcsh.ModuleLoader = (*Loader)(nil)

// Match implements [xcsh.ModuleLoader]: it reports whether the name ends in one of [Extensions].
func (l *Loader) Match(path string) bool {
	return slices.Contains(Extensions, strings.ToLower(filepath.Ext(path)))
}

// Load implements [xcsh.ModuleLoader]. It runs the top level of the module. The returned factory
// can be called once, and ctx limits that call too. Loading takes a few milliseconds, and a module
// some 400 KiB and one goroutine until it is closed.
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
	m := &boundModule{
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

// Root returns the directory whose files a module may import: its own directory, or the parent of a directory named pre
// or post, as for hooks/pre/bash.ts. Trust in the module must cover all of this directory. Links are resolved if the
// file exists.
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

// reason removes the prefix of a load error: the caller adds its own.
func reason(err error) error {
	if failed := new(jsrun.LoadError); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
