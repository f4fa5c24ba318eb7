package discover

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/gitignore"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Standard returns the registry with the providers of xcsh. Unlike in xcsh, a project hides no module of the user
// (X42).
func Standard() Registry {
	return Registry{Providers: []Provider{Native, Claude, ClaudePlugins, Codex}, KeepUsers: true}
}

// Without returns a registry whose providers leave out the items that drop accepts. Such items do
// not shadow others.
func (r Registry) Without(drop func(Item) bool) Registry {
	r.Providers = slices.Clone(r.Providers)
	for i := range r.Providers {
		load := r.Providers[i].Load
		r.Providers[i].Load = func(ctx context.Context, at Place) ([]Item, []string, error) {
			items, warnings, err := load(ctx, at)
			return lo.Reject(items, func(i Item, _ int) bool { return drop(i) }), warnings, err
		}
	}
	return r
}

// IsScript reports whether a file is JavaScript or TypeScript, by its name.
func IsScript(path string) bool {
	return slices.Contains([]string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}, strings.ToLower(filepath.Ext(path)))
}

// Here returns the Place for a directory and the user that runs the program. PI_CONFIG_DIR names
// the user's own directory, which is .xcsh by default.
func Here(cwd string) (Place, error) {
	abs, err := filepath.Abs(cwd)
	if err != nil {
		return Place{}, err
	}
	home, err := environ.Home()
	if err != nil {
		return Place{}, err
	}
	at := Place{Cwd: abs, Home: home, User: os.Getenv("PI_CONFIG_DIR")}
	if at.User == "" {
		at.User = ".xcsh"
	}
	return at, nil
}

// Native finds the files of .xcsh/hooks/{pre,post} in the project, then the files of agent/hooks/{pre,post} in the
// user's directory of xcsh, see [Place]. It skips hidden files, and finds files that git ignores.
var Native = Provider{
	ID:       "native",
	Name:     "xcsh",
	Priority: 100,
	Load: func(_ context.Context, at Place) ([]Item, []string, error) {
		s := providerSearch{provider: "native", tool: withoutExtension}
		s.preAndPost(filepath.Join(at.Cwd, ".xcsh", "hooks"), "project")
		s.preAndPost(filepath.Join(at.Home, at.User, "agent", "hooks"), "user")
		return s.items, s.warnings, nil
	},
}

// Claude finds the files of .claude/hooks/{pre,post} in the user's home directory, then in the project.
// It skips files that git ignores.
var Claude = Provider{
	ID:       "claude",
	Name:     "Claude Code",
	Priority: 80,
	Load: func(_ context.Context, at Place) ([]Item, []string, error) {
		s := providerSearch{provider: "claude", tool: withoutShell, ignore: true}
		s.preAndPost(filepath.Join(at.Home, ".claude", "hooks"), "user")
		s.preAndPost(filepath.Join(at.Cwd, ".claude", "hooks"), "project")
		return s.items, s.warnings, nil
	},
}

// ClaudePlugins finds the files of hooks/{pre,post} in the plugins that the user has installed from
// a marketplace. It skips files that git ignores, and plugins that were installed for another
// project.
var ClaudePlugins = Provider{
	ID:       "claude-plugins",
	Name:     "Claude Code plugins",
	Priority: 70,
	Load: func(ctx context.Context, at Place) ([]Item, []string, error) {
		plugins, err := installed(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		s := providerSearch{provider: "claude-plugins", tool: withoutShell, ignore: true}
		for _, p := range plugins {
			s.preAndPost(filepath.Join(p.InstallPath, "hooks"), p.Scope)
		}
		return s.items, s.warnings, nil
	},
}

// Codex finds the .ts and .js files of .codex/hooks of the user, then the project's. It skips files that git ignores. A
// file whose name begins with post- has the type post; all other files have the type pre.
var Codex = Provider{
	ID:       "codex",
	Name:     "OpenAI Codex",
	Priority: 70,
	Load: func(_ context.Context, at Place) ([]Item, []string, error) {
		s := providerSearch{provider: "codex", tool: withoutExtension, ignore: true, accept: script.MatchString}
		s.prefixed(filepath.Join(at.Home, ".codex", "hooks"), "user")
		s.prefixed(filepath.Join(at.Cwd, ".codex", "hooks"), "project")
		return s.items, s.warnings, nil
	},
}

var (
	script = lazyregexp.New(`\.[tj]s$`)
	shell  = lazyregexp.New(`\.(sh|bash|zsh|fish)$`)
)

func withoutShell(name string) string { return shell.ReplaceAllString(name, "") }

func withoutExtension(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// providerSearch collects the items of one provider.
type providerSearch struct {
	provider string
	tool     func(name string) string
	accept   func(name string) bool // nil accepts every name
	ignore   bool                   // skip files that git ignores
	items    []Item
	warnings []string
}

func (s *providerSearch) preAndPost(dir, level string) {
	for _, kind := range [...]string{"pre", "post"} {
		for _, path := range s.files(filepath.Join(dir, kind)) {
			s.add(kind, s.tool(filepath.Base(path)), path, level)
		}
	}
}

func (s *providerSearch) prefixed(dir, level string) {
	for _, path := range s.files(dir) {
		kind, tool := "pre", s.tool(filepath.Base(path))
		if rest, is := strings.CutPrefix(tool, "post-"); is {
			kind, tool = "post", rest
		} else {
			tool = strings.TrimPrefix(tool, "pre-")
		}
		s.add(kind, tool, path, level)
	}
}

func (s *providerSearch) add(kind, tool, path, level string) {
	s.items = append(s.items, Item{
		Type: kind, Tool: tool, Name: filepath.Base(path), Path: path,
		Source: Source{Provider: s.provider, Path: path, Level: level},
	})
}

// files returns the visible files of a directory that are accepted and not ignored, sorted by name, also those that
// links name; none if the directory does not exist.
func (s *providerSearch) files(dir string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if _, there := os.Lstat(dir); there == nil || !errors.Is(err, fs.ErrNotExist) { // a symbolic link may have no target
			s.warnings = append(s.warnings, "Failed to read directory: "+err.Error())
		}
		return nil
	}
	var tree *gitignore.Tree
	if s.ignore {
		tree = gitignore.Open(dir)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || s.accept != nil && !s.accept(entry.Name()) ||
			tree.Ignores(path, false) {
			continue
		}
		switch info, err := os.Stat(path); {
		case err != nil:
			s.warnings = append(s.warnings, "Failed to read file: "+err.Error())
		case info.Mode().IsRegular():
			paths = append(paths, path)
		case !info.IsDir():
			s.warnings = append(s.warnings, "Failed to read file: "+path+" is not a regular file")
		}
	}
	if tree.Spent() {
		s.warnings = append(s.warnings, "The .gitignore files above "+dir+" have too many patterns to compare: they exclude no further files")
	}
	return paths
}
