package jsrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"modernc.org/quickjs"
)

// bundle is a module with everything that it imports, as one text.
type bundle struct {
	path   string // absolute path of the file
	name   string // the module's name in the engine
	code   string
	lines  []byte // the source map, as JSON
	loaded bool

	runtime, why string // the selected runtime, and the reason for it
	program      string // the program of a runtime that is a process
}

// bundled returns a bundle of the file at path, which is absolute. It strips types, and imports that are used only as
// types.
func bundled(ctx context.Context, path string, opt Options) (*bundle, error) {
	return bundledWith(ctx, path, opt, opt.library(), nil)
}

// bundledWith returns a bundle that can import the modules of a library. The keys of names are expressions; the bundle
// has the values of names in their place.
func bundledWith(
	ctx context.Context,
	path string,
	opt Options,
	modules library,
	names map[string]string,
) (*bundle, error) {
	files, err := newSources(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	build := building(path, modules, files)
	build.Define = names
	result, err := buildWithin(ctx, build)
	if err == nil && files.asked { // import.meta is rare, and supporting it makes bundling a tenth slower
		files.total = 0
		build.Define = maps.Clone(whereabouts)
		maps.Copy(build.Define, names)
		result, err = buildWithin(ctx, build)
	}
	if err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, buildError(result.Errors)
	}
	b := &bundle{path: path, name: filepath.Base(path)}
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			b.lines = file.Contents
		} else {
			b.code = string(file.Contents)
		}
	}
	return b, nil
}

// MaxLoad limits the time to load a module, unless [Options.Load] sets another limit. A longer limit does not give the
// bundler more time.
const MaxLoad = 10 * time.Second

// buildWithin abandons the bundler after MaxLoad, or when ctx ends: the bundler backtracks in the types of TypeScript,
// and some texts keep it busy forever. A busy bundler cannot be stopped; its goroutine continues.
func buildWithin(ctx context.Context, build api.BuildOptions) (api.BuildResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxLoad, &UnsettledError{After: MaxLoad})
	defer cancel()
	done := make(chan api.BuildResult, 1)
	go func() { done <- api.Build(build) }()
	select {
	case result := <-done:
		return result, nil
	case <-ctx.Done():
		err := context.Cause(ctx)
		if late := new(UnsettledError); errors.As(err, &late) {
			err = &busyError{late}
		}
		return api.BuildResult{}, err
	}
}

// busyError reports that the bundler took too long.
type busyError struct{ late *UnsettledError }

func (e *busyError) Error() string {
	return fmt.Sprintf("it could not be read within %v; simplify it, its types above all", e.late.After)
}

func (e *busyError) Unwrap() error { return e.late }

// building returns the options for a bundle.
func building(path string, modules library, files *moduleSources) api.BuildOptions {
	dir, _ := filepath.Split(path)
	return api.BuildOptions{
		EntryPoints:    []string{path},
		AbsWorkingDir:  filepath.Clean(dir),
		Outfile:        filepath.Join(dir, "bundle.js"), // no file is written; the name is used in the source map
		Bundle:         true,
		Format:         api.FormatESModule,
		Platform:       api.PlatformNeutral,
		Target:         api.ES2023,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Charset:        api.CharsetUTF8,
		TsconfigRaw:    "{}", // a tsconfig.json next to the module has no effect
		Plugins:        []api.Plugin{imports(modules, files)},
	}
}

// load returns the text of the bundle, which is the only module of the engine. Any other name comes from an import()
// whose argument is computed at run time.
func (b *bundle) load(_ *quickjs.VM, name string) (string, error) {
	if b.loaded {
		return "", fmt.Errorf("import(%q): write the path as one relative path in quotes", name)
	}
	b.loaded = true
	return b.code, nil
}

// stack converts a stack of the engine: it maps positions to the source files, and leaves out the frames of the
// prelude.
func (b *bundle) stack(text string) string {
	if text == "" {
		return ""
	}
	lines := readSourceMap(b.lines)
	var kept []string
	own := 0 // number of lines to keep; the frames below them belong to the prelude
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		m := frame.FindStringSubmatch(line)
		switch {
		case m == nil:
			kept = append(kept, line)
		case m[1] == b.name || b.program != "" && path.Base(m[1]) == b.name:
			kept = append(kept, lines.mapped(line, m))
			own = len(kept)
		}
	}
	return strings.Join(kept[:own], "\n")
}

// virtual is the namespace of modules that are not files.
const virtual = "module"

func isVirtual(name string) bool { return strings.HasPrefix(name, virtual+":") }

// imports resolves every import: files by path, and the modules of the library. It answers all requests of the bundler,
// which therefore never searches the disk.
func imports(modules library, files *moduleSources) api.Plugin {
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		switch {
		case args.Kind == api.ResolveEntryPoint:
			return api.OnResolveResult{Path: files.entry, Namespace: "file"}, nil
		case modules.beside != nil && modules.beside.finds(args.Path) != "":
			return api.OnResolveResult{Path: modules.beside.finds(args.Path), External: true}, nil
		case modules.has(args.Path):
			return api.OnResolveResult{Path: args.Path, Namespace: virtual}, nil
		case isPath(args.Path) && args.Namespace != virtual:
			path, err := files.resolve(args.Importer, args.Path)
			return api.OnResolveResult{Path: path, Namespace: "file"}, err
		}
		return api.OnResolveResult{}, errors.New(unavailable(args.Path))
	}
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		text := modules.text(args.Path)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
	}
	return api.Plugin{Name: "imports", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, resolve)
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: virtual}, load)
		build.OnLoad(api.OnLoadOptions{Filter: ".*"}, files.load)
	}}
}

func isPath(name string) bool {
	return name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") ||
		filepath.IsAbs(name)
}

// builtins lists modules of Node.js that people import without "node:".
var builtins = map[string]bool{
	"assert": true, "async_hooks": true, "buffer": true, "child_process": true, "crypto": true, "dns": true, "events": true,
	"fs": true, "http": true, "https": true, "module": true, "net": true, "os": true, "path": true, "perf_hooks": true,
	"process": true, "readline": true, "stream": true, "timers": true, "tls": true, "url": true, "util": true, "v8": true,
	"vm": true, "worker_threads": true, "zlib": true,
}

// unavailable returns the reason why a name cannot be imported, and the remedy.
func unavailable(name string) string {
	first, _, _ := strings.Cut(name, "/")
	scheme, _, schemed := strings.Cut(name, ":")
	switch {
	case scheme == "bun" && schemed || name == "bun" || scheme == "node" && schemed || builtins[first]:
		return name + " is not available: a module has no file system, processes or network of its own; use what the host's API object offers, such as exec" + orInNode
	case schemed:
		return name + " is not available: only files can be imported, by a relative path"
	}
	return name + " is not available: packages are not looked up; copy what you need next to the module and import it by a relative path, or use import type if it is types alone" + orInNode
}
