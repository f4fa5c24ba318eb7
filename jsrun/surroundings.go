package jsrun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// surroundings describes the modules that a module in a process can import besides its own files.
type surroundings struct {
	kind    string          // Node or Bun
	dir     string          // of the module
	partial []string        // Partial of Options
	lacking map[string]bool // modules of the host that lack something that is imported from them
}

// ownPart is a prefix of names. The host provides a part of a package. A text that replaces the whole package imports
// this part by the prefix and the package's name.
const ownPart = "own:"

// finds returns the name by which a process itself finds a module; empty if it does not find the module, or if the host
// provides the module.
func (s *surroundings) finds(name string) string {
	first, _, _ := strings.Cut(name, "/")
	scheme, _, schemed := strings.Cut(name, ":")
	switch {
	case schemed && scheme == "node", s.kind == Bun && (schemed && scheme == "bun" || name == "bun"):
		return name
	case schemed || isPath(name):
		return ""
	case builtins[first]:
		return "node:" + name
	case s.isPartial(name) && !s.lacking[name]:
		return ""
	case s.installed(name):
		return name
	}
	return ""
}

func (s *surroundings) isPartial(name string) bool {
	return slices.ContainsFunc(s.partial, func(own string) bool {
		return name == own || strings.HasPrefix(name, strings.TrimSuffix(own, "/")+"/")
	})
}

// completes reports whether the host's module stands for a package that is not installed, and lacks a part of it. Each
// use of a missing part is an error.
func (s *surroundings) completes(name string) bool {
	return s.isPartial(name) && s.lacking[name] && !s.installed(name)
}

// learn reads the mistakes of a bundle, and records the modules of the host that lack something. more reports whether
// another attempt can succeed.
func (s *surroundings) learn(broken *BuildError) (more bool) {
	for _, m := range broken.Mistakes {
		name, _, _ := strings.Cut(m.Message, " is not available: ")
		if _, of, part := strings.Cut(name, " of "); part {
			name = of
		}
		if s.isPartial(name) && !s.lacking[name] {
			s.lacking[name], more = true, true
		}
	}
	return more
}

// installed reports whether a package is in a node_modules of the module's directory, or of a directory above.
func (s *surroundings) installed(name string) bool {
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") {
		parts = parts[:min(2, len(parts))]
	} else {
		parts = parts[:1]
	}
	if slices.ContainsFunc(parts, func(part string) bool { return !filepath.IsLocal(part) }) {
		return false
	}
	for _, dir := range s.packages() {
		if info, err := os.Stat(filepath.Join(append([]string{dir}, parts...)...)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// packages returns the existing directories of packages, the nearest first.
func (s *surroundings) packages() (dirs []string) {
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil && info.IsDir() {
			dirs = append(dirs, filepath.Join(dir, "node_modules"))
		}
		if dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// completed returns the text of a module that replaces a package. Names are resolved on use: a missing name throws an
// error with the reason. A class may extend a missing name, and throws when it is constructed.
func (l library) completed(name string) string {
	own := "{}"
	if _, known := l.host[name]; known {
		own = "require(" + literal(ownPart+name) + ")"
	}
	why := name + " is not available: the package is not installed; install it beside the module"
	return fmt.Sprintf(`
const missing = part => {
	const use = () => { throw new Error(%s.replace(/^/, part + " of ")); };
	const get = (_, name) => (name === "prototype" ? {} : typeof name === "symbol" || name === "then" || name === "toJSON" ? undefined : use());
	return new Proxy(function () {}, { get, has: use, set: use, apply: use, construct: use });
};
const get = (_, part) => (typeof part === "symbol" || part === "__esModule" || part === "then" ? undefined : missing(part));
module.exports = Object.assign(Object.create(new Proxy({}, { get })), %s);
`, literal(why), own)
}
