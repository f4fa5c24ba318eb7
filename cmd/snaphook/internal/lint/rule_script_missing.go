package lint

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

var ruleScriptMissing = Rule{
	ID: "script-missing", Severity: Error, look: missing,
	Doc:     "The program or the script of a hook is not there.",
	Why:     "The hook fails each time, and unless a policy says otherwise the action goes ahead.",
	Mistake: `{"type": "command", "command": "./hooks/gaurd.sh"}`,
	Fix:     `{"type": "command", "command": "./hooks/guard.sh"}`,
}

// missing looks for programs and scripts that do not exist.
func missing(v *hookView) {
	for _, c := range v.calls {
		if !c.certain || hasBackslashes(v.h.Command) {
			continue
		}
		if l, script, _, ok := c.interpreted(); ok {
			path := c.resolve(script)
			if path != "" && !isThere(path) && !(l == langPython && hasProgram(v.linter, c.program(), c.dir)) &&
				(l == langPowerShell || !isForeign(script)) {
				v.add(*v.report("script-missing", c.at, nearFile(path), "%s runs %s, which is not there", c.program(), cli.ShortPath(path)))
			}
			continue
		}
		p := c.program()
		switch {
		case p == "" || isBuiltin(p) || isForeign(p):
		case strings.ContainsRune(p, '/'):
			if path := c.resolve(p); path != "" && !isThere(path) {
				v.add(*v.report("script-missing", c.at, nearFile(path), "%s is not there", cli.ShortPath(path)))
			}
		case !hasProgram(v.linter, p, c.dir):
			if _, is := languageOf(p); is && !slices.Contains(desktops, p) {
				continue // reported by interpreter-missing
			}
			f := v.report("script-missing", c.at, "install it, or write the path of a program that is there",
				"there is no program %q in PATH", p)
			f.Severity, f.missing = Warning, p // the program may exist on other machines
			if slices.Contains(desktops, p) {
				f.Severity = Note
			}
			v.add(*f)
		}
	}
}
