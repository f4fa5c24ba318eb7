package jsrun

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
)

var (
	//go:embed node/path.js
	pathJS string
	//go:embed node/exports.js
	exportsJS string
	//go:embed node/url.js
	urlJS string
)

// pure are the modules of Node.js that need nothing of a system, and their
// texts. dir is what stands for the current directory; empty means none.
func pure(dir string) map[string]string {
	dir = current(dir)
	native, windows := "posix", platform() == "win32"
	if windows {
		native = "win32"
	}
	path := fmt.Sprintf("const start = %s;\n%s", literal(dir), pathJS)
	as := func(name string) string { return fmt.Sprintf("%sconst chosen = %s;\n%s", path, name, exportsJS) }
	all := map[string]string{}
	for name, text := range map[string]string{
		"path":       as(native),
		"path/posix": as("posix"),
		"path/win32": as("win32"),
		"url":        fmt.Sprintf("const windows = %t;\n%s", windows, urlJS),
	} {
		all[name], all["node:"+name] = text, text
	}
	return all
}

// current is dir if it can be a current directory, and empty if not.
func current(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// platform is the system as Node.js calls it.
func platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

// importable are the modules with a bare name: those of Node.js, and the
// host's.
func importable(opt Options) map[string]string {
	all := pure(opt.Dir)
	maps.Copy(all, opt.Modules)
	return all
}
