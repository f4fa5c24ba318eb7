package jsrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

const (
	// MaxFile limits the size of a file of a module, and MaxFiles the size of all its files together,
	// in bytes.
	MaxFile  = 1 << 20
	MaxFiles = 8 << 20
)

// extensions lists the extensions that are tried for an import without one, in this order.
var extensions = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"}

// standsFor maps the extension of an import in TypeScript to the extension that the imported file may have.
var standsFor = map[string]string{".js": ".ts", ".mjs": ".mts", ".cjs": ".cts"}

// moduleSources reads the files of one module for the bundler, which itself never reads the disk. Except entry, it
// reads nothing outside of root.
type moduleSources struct {
	ctx   context.Context // the context of loading
	entry string          // absolute
	root  string          // absolute; links are resolved
	check func(path string, text []byte) error

	mu    sync.Mutex
	total int
	asked bool // a file may ask for its path
}

func newSources(ctx context.Context, entry string, opt Options) (*moduleSources, error) {
	root := opt.Root
	if root == "" {
		root = filepath.Dir(entry)
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	return &moduleSources{ctx: ctx, entry: entry, root: real, check: opt.Check}, nil
}

// resolve finds the file of an import by TypeScript's rules, without packages: a package.json has
// no effect.
func (s *moduleSources) resolve(importer, name string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(importer), filepath.FromSlash(name))
	}
	candidates := []string{path}
	if ext := filepath.Ext(path); standsFor[ext] != "" {
		candidates = append(candidates, strings.TrimSuffix(path, ext)+standsFor[ext])
	}
	for _, ext := range extensions {
		candidates = append(candidates, path+ext)
	}
	for _, ext := range extensions {
		candidates = append(candidates, filepath.Join(path, "index"+ext))
	}
	for _, candidate := range candidates {
		if info, err := os.Stat(candidate); err == nil && !info.IsDir() {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("Could not resolve %s", strconv.Quote(name)) //nolint:staticcheck // the words of the bundler
}

// load returns the text of a file to the bundler.
func (s *moduleSources) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	loader, err := loaderOf(args.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	for name, value := range args.With {
		if name != "type" || value != "json" || loader != api.LoaderJSON {
			return api.OnLoadResult{}, fmt.Errorf(
				"with { %s: %q } is not available: files of JavaScript, TypeScript and JSON are the only ones that can be imported",
				name,
				value,
			)
		}
	}
	text, err := s.read(args.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	code := string(text)
	if loader != api.LoaderJSON {
		code = s.placed(args.Path, withoutMap(code))
	}
	// Use the directory, since imports of the file are relative to it.
	return api.OnLoadResult{Contents: &code, Loader: loader, ResolveDir: filepath.Dir(args.Path)}, nil
}

// withoutMap removes the reference to a source map, which the bundler would read. The length of the text stays the
// same.
func withoutMap(code string) string {
	return strings.ReplaceAll(code, "sourceMappingURL=", "sourceMappingUrl=")
}

// read reads a regular file below the root, and checks its size and nesting.
func (s *moduleSources) read(path string) ([]byte, error) {
	name := filepath.Base(path)
	if !s.contains(path) {
		return nil, fmt.Errorf(
			"%s lies outside %s, the directory of the module; copy the files that you need into it",
			name,
			s.root,
		)
	}
	text, err := bounded.ReadFile(s.ctx, path, MaxFile)
	large := new(bounded.SizeError)
	switch {
	case errors.Is(err, bounded.ErrNotRegular):
		return nil, fmt.Errorf("%s is a pipe or a device; a module is a regular file", name)
	case errors.As(err, &large):
		return nil, fmt.Errorf("%s: %w; split it into several files", name, large)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("Could not resolve %q: there is no such file", path) //nolint:staticcheck // as above
	case err != nil:
		return nil, err
	}
	if err := s.count(len(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.check != nil {
		if err := s.check(path, text); err != nil {
			return nil, err
		}
	}
	if err := readable(text, filepath.Ext(path) == ".json"); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

func (s *moduleSources) count(more int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total += more; s.total > MaxFiles {
		return fmt.Errorf("the files of the module have more than %d MiB together; import fewer", MaxFiles>>20)
	}
	return nil
}

// contains reports whether a file is the entry of the module, or is below the root after links are resolved.
func (s *moduleSources) contains(path string) bool {
	if path == s.entry {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true // the file cannot be read; read reports the error
	}
	below, err := filepath.Rel(s.root, real)
	return err == nil && filepath.IsLocal(below)
}

// loaderOf returns the language of a file by its name.
func loaderOf(path string) (api.Loader, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case slices.Contains([]string{".ts", ".mts", ".cts"}, ext):
		return api.LoaderTS, nil
	case slices.Contains([]string{".js", ".mjs", ".cjs"}, ext):
		return api.LoaderJS, nil
	case ext == ".json":
		return api.LoaderJSON, nil
	default:
		return 0, fmt.Errorf(
			"No loader is configured for %q files: %s; a module is made of files that end in %s", //nolint:staticcheck // the words of the bundler
			ext,
			filepath.Base(path),
			strings.Join(extensions, ", "),
		)
	}
}
