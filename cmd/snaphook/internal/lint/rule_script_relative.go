package lint

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

var ruleScriptRelative = Rule{
	ID: "script-relative", Severity: Note, look: scriptRelative,
	Doc: "A hook names its script by a path relative to the working directory.",
	Why: "Hooks run where the agent works. Once it has changed its directory the script is not found: a shell then " +
		"ends with status 127, and the action goes ahead; python3 ends with status 2, and every action is refused.",
	Mistake: `{"type": "command", "command": "python3 hooks/guard.py"}`,
	Fix:     `{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/hooks/guard.py"}`,
}

func scriptRelative(v *hookView) {
	if v.h.Dialect != "claude" || !v.gates() || runtime.GOOS == "windows" {
		return
	}
	for _, c := range v.calls {
		_, script, _, ok := c.interpreted()
		if !ok {
			script = c.program()
		}
		if (script == "." || script == "source") && len(c.words) > 1 && c.known[1] {
			script = c.words[1]
		}
		if !c.certain && !testsFile(v.h.Command, script) || c.dir != v.Dir || !ok && !strings.ContainsRune(script, '/') || filepath.IsAbs(script) || strings.HasPrefix(script, "~") ||
			!isThere(c.resolve(script)) {
			continue
		}
		v.add(*v.report("script-relative", c.at, fmt.Sprintf("write \"$CLAUDE_PROJECT_DIR\"/%s", strings.TrimPrefix(script, "./")),
			"%s is relative to the agent's working directory, and is not found once the agent works in another directory", script))
	}
}

// testsFile reports whether the command tests for a file with -f, -x or -e. Such a command presumably runs the file
// only if the file exists.
func testsFile(command, path string) bool {
	return strings.Contains(command, "-f "+path) || strings.Contains(command, "-x "+path) ||
		strings.Contains(command, "-e "+path)
}
