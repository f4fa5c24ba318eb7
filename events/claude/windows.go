package claude

import (
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// posixVars lists the variables whose paths are given to hooks in the form of Git's bash.
var posixVars = []string{projectDir, pluginRoot, pluginData, envFile}

// forGitBash converts the paths in posixVars to the form of Git's bash (C86).
func forGitBash(env []string) []string {
	env = slices.Clone(env)
	for i, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); slices.Contains(posixVars, name) {
			env[i] = name + "=" + run.WindowsPath(value)
		}
	}
	return env
}

// posixPaths passes paths to a command of Git's bash in the form of Git's bash.
func posixPaths(c *run.Command) {
	program := strings.ToLower(path.Base(strings.ReplaceAll(c.Argv[0], `\`, "/")))
	if runtime.GOOS != "windows" || strings.TrimSuffix(program, ".exe") != "bash" {
		return
	}
	environ := c.Environ
	c.Environ = func(call hook.Call) []string { return forGitBash(environ(call)) }
}
