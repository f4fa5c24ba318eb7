package jsrun

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"
)

var (
	//go:embed node/path.js
	pathJS string
	//go:embed node/exports.js
	exportsJS string
	//go:embed node/url.js
	urlJS string
)

// library holds the modules that are imported by a bare name: the modules of the host and, in the sandbox, path and url
// of Node.js, which need no access to the operating system.
type library struct {
	host map[string]string // the host's modules: their texts, by name
	dir  string            // the current directory; empty means none

	beside *surroundings // the surroundings of a module in a process; nil in the sandbox
}

// pure maps each available module of Node.js to the function that returns its text.
var pure = map[string]func(l library) string{
	"path":       func(l library) string { return l.path(native) },
	"path/posix": func(l library) string { return l.path("posix") },
	"path/win32": func(l library) string { return l.path("win32") },
	"url":        func(library) string { return fmt.Sprintf("const windows = %t;\n%s", native == "win32", urlJS) },
}

// native is the variant of node:path for this system.
var native = map[bool]string{false: "posix", true: "win32"}[runtime.GOOS == "windows"]

func (l library) path(kind string) string {
	return fmt.Sprintf("const start = %s;\n%sconst chosen = %s;\n%s", literal(l.dir), pathJS, kind, exportsJS)
}

func (l library) has(name string) bool {
	_, own := l.host[strings.TrimPrefix(name, ownPart)]
	if l.beside != nil {
		return own || l.beside.completes(name)
	}
	return own || pure[strings.TrimPrefix(name, "node:")] != nil
}

func (l library) text(name string) string {
	if l.beside != nil && l.beside.completes(name) {
		return l.completed(name)
	}
	name = strings.TrimPrefix(name, ownPart)
	if text, own := l.host[name]; own {
		return text
	}
	return pure[strings.TrimPrefix(name, "node:")](l)
}

// current returns dir if it can be a current directory, else "".
func current(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// variables returns an environment as one JSON object.
func variables(environ []string) (string, error) {
	all := map[string]string{}
	for _, variable := range environ {
		if name, value, ok := strings.Cut(variable, "="); ok && name != "" {
			all[name] = value
		}
	}
	text, err := json.Marshal(all, asJavaScript)
	return string(text), err
}

// platform returns Node.js's name for the system.
func platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}
