package jsrun

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"
	"modernc.org/quickjs"
)

// bundle is a module with everything it imports, as one text.
type bundle struct {
	name   string // of the module in the engine
	code   string
	lines  []byte // the source map
	loaded bool
}

// bundled makes a bundle of the file at path, which is absolute. Types are
// gone afterwards, and with them the imports of types alone.
func bundled(path string, modules library) (*bundle, error) {
	asked := new(atomic.Bool)
	opt := building(path, modules, asked)
	result := api.Build(opt)
	if asked.Load() { // few do, and the bundler takes a tenth longer for those who do not
		opt.Define = whereabouts
		result = api.Build(opt)
	}
	if len(result.Errors) > 0 {
		return nil, buildError(result.Errors)
	}
	b := &bundle{name: filepath.Base(path)}
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			b.lines = file.Contents
		} else {
			b.code = string(file.Contents)
		}
	}
	return b, nil
}

// building are the options for a bundle. asked becomes true if a file may want
// to know its place.
func building(path string, modules library, asked *atomic.Bool) api.BuildOptions {
	dir, _ := filepath.Split(path)
	return api.BuildOptions{
		EntryPoints:       []string{path},
		AbsWorkingDir:     filepath.Clean(dir),
		Outfile:           filepath.Join(dir, "bundle.js"), // nothing is written: for the names in the map
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformNeutral,
		Target:            api.ES2023,
		Sourcemap:         api.SourceMapExternal,
		SourcesContent:    api.SourcesContentExclude,
		Charset:           api.CharsetUTF8,
		TsconfigRaw:       "{}", // what lies around the file does not count
		ResolveExtensions: []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"},
		Plugins:           []api.Plugin{imports(modules, asked)},
	}
}

// load is the engine's way to a module: there is one, once. Only an import()
// of something that is not known before it runs gets here otherwise.
func (b *bundle) load(_ *quickjs.VM, name string) (string, error) {
	if b.loaded {
		return "", fmt.Errorf("import(%q): what is imported has to be written out, as a relative path in quotes", name)
	}
	b.loaded = true
	return b.code, nil
}

// virtual is the namespace of modules that are no files.
const virtual = "module"

func isVirtual(name string) bool { return strings.HasPrefix(name, virtual+":") }

// imports decides what can be imported: files by path, and modules.
func imports(modules library, asked *atomic.Bool) api.Plugin {
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		switch {
		case args.Kind == api.ResolveEntryPoint:
			return api.OnResolveResult{}, nil
		case modules.has(args.Path):
			return api.OnResolveResult{Path: args.Path, Namespace: virtual}, nil
		case isPath(args.Path) && args.Namespace != virtual:
			return api.OnResolveResult{}, nil
		}
		return api.OnResolveResult{}, errors.New(unavailable(args.Path))
	}
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) { //nolint:unparam // esbuild wants the error
		text := modules.text(args.Path)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
	}
	return api.Plugin{Name: "imports", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, resolve)
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: virtual}, load)
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, refuseEndless)
		build.OnLoad(api.OnLoadOptions{Filter: `\.[mc]?[jt]s$`, Namespace: "file"}, placed(asked))
	}}
}

// refuseEndless keeps from being read what may have no end, such as a pipe.
// Everything else is left to be read as ever.
func refuseEndless(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if info, err := os.Stat(args.Path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return api.OnLoadResult{}, fmt.Errorf("%s is a pipe or a device; a module is a regular file", filepath.Base(args.Path))
	}
	return api.OnLoadResult{}, nil
}

func isPath(name string) bool {
	return name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || filepath.IsAbs(name)
}

// builtins are modules of Node.js that people import without "node:".
var builtins = map[string]bool{
	"assert": true, "async_hooks": true, "buffer": true, "child_process": true, "crypto": true, "dns": true, "events": true,
	"fs": true, "http": true, "https": true, "module": true, "net": true, "os": true, "path": true, "perf_hooks": true,
	"process": true, "readline": true, "stream": true, "timers": true, "tls": true, "url": true, "util": true, "v8": true,
	"vm": true, "worker_threads": true, "zlib": true,
}

// unavailable says why a name cannot be imported, and what to do.
func unavailable(name string) string {
	first, _, _ := strings.Cut(name, "/")
	scheme, _, schemed := strings.Cut(name, ":")
	switch {
	case scheme == "bun" && schemed || name == "bun" || scheme == "node" && schemed || builtins[first]:
		return name + " is not available: a module has no file system, processes or network of its own; use what the host's API object offers, such as exec"
	case schemed:
		return name + " is not available: only files can be imported, by a relative path"
	}
	return name + " is not available: packages are not looked up; copy what you need next to the module and import it by a relative path, or use import type if it is types alone"
}
