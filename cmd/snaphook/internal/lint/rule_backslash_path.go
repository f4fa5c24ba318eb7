package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var ruleBackslashPath = Rule{
	ID: "backslash-path", Severity: Error, look: backslashPath,
	Doc:     "A path in a command has backslashes outside of quotes.",
	Why:     "The shell removes them, Git Bash too: the program is not found, and the action goes ahead.",
	Mistake: `{"type": "command", "command": "python .claude\\hooks\\guard.py"}`,
	Fix:     `{"type": "command", "command": "python .claude/hooks/guard.py"}`,
}

// windowsPath matches words that may be paths with backslashes: names with backslashes between them, or a drive, a
// backslash and a name. A backslash before a character that a shell quotes is not part of a path.
var windowsPath = lazyregexp.New(`^(?:[A-Za-z]:\\|\.{1,2}\\|~\\|%\w+%\\|\$\{?\w+\}?\\)?[\w.%~-]+(?:\\[\w.%~-]+)+$|^[A-Za-z]:\\[\w.-]`)

func backslashPath(v *hookView) {
	if len(v.scripts) == 0 || !v.scripts[0].inline || v.scripts[0].ast == nil {
		return
	}
	s := v.scripts[0]
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok {
			return true
		}
		for i, w := range call.Args {
			raw := string(s.text[min(len(s.text), int(w.Pos().Offset())):min(len(s.text), int(w.End().Offset()))])
			if strings.ContainsAny(raw, `"'`) || !windowsPath.MatchString(raw) || !isPathWord(raw) && (i > 0 || strings.Count(raw, `\`) < 2) {
				continue
			}
			v.add(*v.report("backslash-path", v.at("command"), "write slashes: "+strings.ReplaceAll(raw, `\`, "/"),
				"the shell removes backslashes outside of quotes, Git Bash too: %s becomes %s", raw, unescaped(raw)))
			return false
		}
		return true
	})
}

// scriptEndings lists the endings of programs and scripts.
var scriptEndings = strings.Fields(".py .js .mjs .cjs .ts .sh .bash .cmd .bat .exe .ps1 .rb .pl .php")

// isPathWord reports whether a word is a path, and not an argument such as \w\d, which may be a
// pattern.
func isPathWord(word string) bool {
	return slices.Contains(scriptEndings, strings.ToLower(filepath.Ext(word))) || strings.Contains(word, `:\`) || strings.HasPrefix(word, `.\`) || strings.HasPrefix(word, `..\`)
}

// hasBackslashes reports whether the rule backslash-path may have a finding about the command. If so, other rules do
// not report the path.
func hasBackslashes(command string) bool {
	for _, word := range strings.Fields(command) {
		if windowsPath.MatchString(word) && !strings.ContainsAny(word, `"'`) {
			return true
		}
	}
	return false
}
