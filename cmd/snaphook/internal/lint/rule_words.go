package lint

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
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
var windowsPath = regexp.MustCompile(`^(?:[A-Za-z]:\\|\.{1,2}\\|~\\|%\w+%\\|\$\{?\w+\}?\\)?[\w.%~-]+(?:\\[\w.%~-]+)+$|^[A-Za-z]:\\[\w.-]`)

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

var ruleTildeQuoted = Rule{
	ID: "tilde-quoted", Severity: Error, look: tildeQuoted,
	Doc:     "A path that begins with ~/ is in quotes.",
	Why:     "A shell expands a tilde only outside quotes; the program is not found.",
	Mistake: `{"type": "command", "command": "\"~/hooks/guard.sh\""}`,
	Fix:     `{"type": "command", "command": "\"$HOME/hooks/guard.sh\""}`,
}

func tildeQuoted(v *hookView) {
	shell := !v.entry.Get("args").Exists()
	for _, c := range v.calls {
		_, script, _, ok := c.interpreted()
		if !ok {
			script = c.program()
		}
		if !shell && strings.HasPrefix(script, "~/") {
			v.add(*v.report("tilde-quoted", c.at, "write the whole path", "no shell reads \"args\", so %s is not found", script))
			continue
		}
		if strings.HasPrefix(script, "~/") && strings.ContainsAny(v.h.Command, `"'`) {
			v.add(*v.report("tilde-quoted", c.at, fmt.Sprintf("write \"$HOME/%s\"", script[2:]),
				"the shell does not expand ~ in quotes, so %s is not found", script))
		}
	}
	for _, s := range v.scripts {
		if s.ast != nil {
			v.tildeFiles(s)
		}
	}
}

// tildeFiles looks for quoted paths with ~/ that name files which a script writes, reads or creates.
func (v *hookView) tildeFiles(s *hookScript) {
	look := func(w *syntax.Word) {
		if text, ok := literal(w); ok && strings.HasPrefix(text, "~/") && isQuoted(w) {
			f := v.report("tilde-quoted", s.pos(w.Pos()), fmt.Sprintf("write \"$HOME/%s\"", text[2:]),
				"the shell does not expand ~ in quotes, so %s names a file in a directory called ~", text)
			f.Severity = Warning
			v.add(*f)
		}
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Redirect:
			if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc && n.Op != syntax.WordHdoc && n.Word != nil {
				look(n.Word)
			}
		case *syntax.CallExpr:
			if slices.Contains([]string{"mkdir", "touch", "source", ".", "cd"}, name(n)) {
				for _, w := range n.Args[1:] {
					look(w)
				}
			}
		}
		return true
	})
}

func isQuoted(w *syntax.Word) bool {
	switch w.Parts[0].(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted:
		return true
	}
	return false
}

var ruleEchoEscapes = Rule{
	ID: "echo-escapes", Severity: Warning, look: echoEscapes,
	Doc: "A script of `/bin/sh` prints the hook's input with echo.",
	Why: "Where `/bin/sh` is dash, as on Debian and Ubuntu, echo makes line ends of the `\\n` in JSON: jq fails, and a guard " +
		"lets every command of several lines pass.",
	Mistake: "#!/bin/sh\n" +
		"input=$(cat)\n" +
		"command=$(echo \"$input\" | jq -r .tool_input.command)",
	Fix: "#!/bin/sh\n" +
		"input=$(cat)\n" +
		"command=$(printf '%s' \"$input\" | jq -r .tool_input.command)",
}

func echoEscapes(v *hookView) {
	for _, s := range v.withNested() {
		if s.ast == nil {
			continue
		}
		inputs := inputVariables(s.ast)
		found := false
		syntax.Walk(s.ast, func(node syntax.Node) bool {
			call, ok := node.(*syntax.CallExpr)
			if !ok || found || !s.posix && !isFormat(call) || name(call) != "echo" && !isFormat(call) || !printsVariable(call, inputs) {
				return !found
			}
			found = true
			f := v.report("echo-escapes", s.pos(call.Pos()), `write printf '%s' "$input", or begin the script with #!/usr/bin/env bash`,
				`echo of /bin/sh may turn the \n in the JSON into a line end, and then the JSON cannot be read`)
			if isFormat(call) {
				f.Fix, f.Message = `write printf '%s' "$input"`, `printf takes the JSON for its format and turns the \n in it into a line end, and then the JSON cannot be read`
			} else if shIsBash() {
				f.Severity = Note
			}
			v.add(*f)
			return false
		})
	}
}

// isFormat reports whether a call of printf has only a format.
func isFormat(call *syntax.CallExpr) bool { return name(call) == "printf" && len(call.Args) == 2 }

var ruleScriptBOM = Rule{
	ID: "script-bom", Severity: Error, look: scriptBOM, Fixable: true,
	Doc:     "A script that is started by its path begins with a byte order mark.",
	Why:     "The system does not see #! after it: a shell runs the script, and takes the mark for a part of the first word.",
	Mistake: "a script that was saved as \"UTF-8 with BOM\"",
	Fix:     "`sed -i '1s/^\\xEF\\xBB\\xBF//' guard.sh`",
}

const byteOrderMark = "\xEF\xBB\xBF"

func scriptBOM(v *hookView) {
	for _, c := range v.calls {
		s := v.scripts1(c)
		if s == nil || !strings.HasPrefix(string(s.text), byteOrderMark) || s.lang != langShell && v.direct(c) != s {
			continue
		}
		effect := "so its first line is not read as #!"
		if v.direct(c) != s {
			effect = "which the shell takes for a part of the first word"
		}
		f := v.report("script-bom", s.at, "save it as UTF-8 without a byte order mark",
			"this script begins with a byte order mark, %s", effect)
		f.edit = fileEdit{{file: s.path, seen: s.text, start: 0, end: len(byteOrderMark)}}
		v.add(*f)
	}
}

var ruleOnlyDefines = Rule{
	ID: "only-defines", Severity: Warning, look: onlyDefines,
	Doc:     "A script defines functions, and calls none of them.",
	Why:     "The script does nothing, and ends with status 0: a guard lets everything pass.",
	Mistake: "guard() {\n\tgrep -q 'rm -rf' && exit 2\n}",
	Fix:     "guard() {\n\tgrep -q 'rm -rf' && exit 2\n}\nguard",
}

func onlyDefines(v *hookView) {
	for _, s := range v.scripts {
		defines := false
		switch {
		case s.lang == langShell && s.ast != nil && !s.inline:
			functions := 0
			defines = len(s.ast.Stmts) > 0
			for _, stmt := range s.ast.Stmts {
				_, is := stmt.Cmd.(*syntax.FuncDecl)
				set := callOf(stmt) != nil && (len(callOf(stmt).Args) == 0 || name(callOf(stmt)) == "set")
				_, declares := stmt.Cmd.(*syntax.DeclClause)
				defines = defines && (is || set || declares)
				if is {
					functions++
				}
			}
			defines = defines && functions > 0
		case s.lang == langPython:
			defines = pythonOnlyDefines(tokens(string(s.text), langPython))
		case s.lang == langNode:
			defines = nodeOnlyDefines(tokens(string(s.text), langNode))
		}
		if defines {
			v.add(*v.report("only-defines", s.position(0), "call the function at the end of the script",
				"this script defines functions and calls none of them, so it does nothing"))
		}
	}
}

// pythonOnlyDefines reports whether all statements of a module are imports, constants and definitions.
func pythonOnlyDefines(all []codeToken) bool {
	found := false
	for i, t := range all {
		if t.indent != 0 {
			continue
		}
		switch {
		case t.str, t.text == "import", t.text == "from", t.text == ")", t.text == "}", t.text == "]":
		case t.text == "def", t.text == "class":
			found = true
		case has(all, i, "async", "def"):
			found = true
		case has(all, i+1, "=") && !has(all, i+2, "=") && isConstant(all[i+2:]):
		case has(all, i, "if", "__name__", "=", "=") && i+4 < len(all) && all[i+4].str && all[i+4].value() != "__main__":
			// in a program __name__ is __main__: this condition is never true
		default:
			return false
		}
	}
	return found
}

// pureCalls lists functions of Python with which scripts compute their constants.
var pureCalls = strings.Fields("compile set frozenset tuple dict list Path resolve expanduser join dirname abspath get getenv getLogger")

// isConstant reports whether an expression of Python, up to the next statement of the module, calls
// nothing but pureCalls.
func isConstant(value []codeToken) bool {
	for i, t := range value {
		if t.indent == 0 && !slices.Contains([]string{")", "}", "]"}, t.text) {
			return true
		}
		if t.text == "(" && !t.str && i > 0 && isWord(value[i-1].text[0]) && !slices.Contains(pureCalls, value[i-1].text) {
			return false
		}
	}
	return true
}

// nodeOnlyDefines reports whether a module in JavaScript does nothing but import packages and define functions. It
// returns false if the module imports a file, because that file may do the work.
func nodeOnlyDefines(all []codeToken) bool {
	found := false
	for i := 0; i < len(all); i++ {
		t := all[i]
		if t.str {
			if strings.HasPrefix(t.value(), ".") {
				return false
			}
			continue
		}
		switch t.text {
		case "if", "for", "while", "do", "try", "switch", "await", "new", "void", "throw":
			return false
		case "function", "class":
			found = true
		case "(":
			end := closing(all, i)
			if end < 0 || i == 0 || has(all, i+1, "function") || has(all, i+1, "async") || has(all, i+1, "(") {
				return false
			}
			arrow := has(all, end+1, "=", ">")
			required := all[i-1].text == "require" && end == i+2 && !strings.HasPrefix(all[i+1].value(), ".")
			if !arrow && !required && all[i-1].text != "function" && (i < 2 || all[i-2].text != "function") {
				return false
			}
			found = found || arrow
			i = end
		case "{", "[":
			end := closing(all, i)
			if end < 0 {
				return false
			}
			i = end
		}
	}
	return found
}

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
		if !c.certain && !v.testsFile(script) || c.dir != v.Dir || !ok && !strings.ContainsRune(script, '/') || filepath.IsAbs(script) || strings.HasPrefix(script, "~") ||
			!isThere(c.resolve(script)) {
			continue
		}
		v.add(*v.report("script-relative", c.at, fmt.Sprintf("write \"$CLAUDE_PROJECT_DIR\"/%s", strings.TrimPrefix(script, "./")),
			"%s is relative to the agent's working directory, and is not found once the agent works in another directory", script))
	}
}

// testsFile reports whether the command tests for a file with -f, -x or -e. Such a command presumably runs the file
// only if the file exists.
func (v *hookView) testsFile(path string) bool {
	return strings.Contains(v.h.Command, "-f "+path) || strings.Contains(v.h.Command, "-x "+path) || strings.Contains(v.h.Command, "-e "+path)
}

// hasBackslashes reports whether the rule backslash-path may have a finding about the command. If so, other rules do
// not report the path.
func (v *hookView) hasBackslashes() bool {
	for _, word := range strings.Fields(v.h.Command) {
		if windowsPath.MatchString(word) && !strings.ContainsAny(word, `"'`) {
			return true
		}
	}
	return false
}
