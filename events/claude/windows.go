package claude

import (
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// posixVars are the variables with paths that hooks in Git's bash are given as
// it writes paths.
var posixVars = []string{projectDir, pluginRoot, pluginData, envFile}

// forGitBash returns an environment with the paths of posixVars as Git's bash
// writes them (C86).
func forGitBash(env []string) []string {
	env = slices.Clone(env)
	for i, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); slices.Contains(posixVars, name) {
			env[i] = name + "=" + run.WindowsPath(value)
		}
	}
	return env
}

// posixPaths makes a command that Git's bash runs take its paths in that form.
func posixPaths(c *run.Command) {
	program := strings.ToLower(path.Base(strings.ReplaceAll(c.Argv[0], `\`, "/")))
	if runtime.GOOS != "windows" || strings.TrimSuffix(program, ".exe") != "bash" {
		return
	}
	environ := c.Environ
	c.Environ = func(call hook.Call) []string { return forGitBash(environ(call)) }
}
