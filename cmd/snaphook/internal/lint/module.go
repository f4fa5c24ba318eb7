package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
)

// checkModule checks a module in JavaScript or TypeScript, whose handlers run in the host: the tool names in its
// comparisons, the programs that it starts, the variables that it reads, changes of events without an effect, and
// secrets in its text.
func checkModule(l *linter, file string) {
	path, err := filepath.Abs(file)
	if err != nil {
		return
	}
	s := l.script(path, programCall{})
	if s == nil {
		return
	}
	s.lang = langNode
	s.ignores = scriptIgnores(s)
	v := &hookView{linter: l, h: &hook.Hook{Identity: hook.Identity{Dialect: "xcsh", Type: "module", Command: file, Position: s.at}}}
	all := tokens(string(s.text), langNode)
	for i, t := range all {
		switch {
		case t.str:
			checkSecret(v, s, t)
		case t.text == "toolName":
			comparedTool(v, s, all, i)
		case t.text == "on":
			checkHandler(v, s, all, i)
		case t.text == "switch":
			switchedTools(v, s, all, i)
		case t.text == "exec" && has(all, i+1, "("):
			checkExec(v, s, all, i+2)
		case t.text == "env" && has(all, i-2, "process", ".") && has(all, i+1, ".") && i+2 < len(all):
			checkVariable(v, s, all[i+2])
		}
	}
}

// comparedTool checks the text to which a tool's name is compared; the token at i is toolName.
func comparedTool(v *hookView, s *hookScript, all []codeToken, i int) {
	if at := i + 1; has(all, at, "=", "=") || has(all, at, "!", "=") {
		for at < len(all) && (all[at].text == "=" || all[at].text == "!") {
			at++
		}
		checkTool(v, s, all, at)
	}
	at := i - 1 // the form "bash" === event.toolName
	for at > 0 && (all[at].text == "." || all[at].text == "?" || isName(all[at].text) && all[at+1].text == ".") && !all[at].str {
		at--
	}
	if at > 1 && all[at].text == "=" && all[at-1].text == "=" {
		for at > 0 && (all[at].text == "=" || all[at].text == "!") {
			at--
		}
		checkTool(v, s, all, at)
	}
}

// switchedTools checks the cases of a switch over a tool's name.
func switchedTools(v *hookView, s *hookScript, all []codeToken, i int) {
	depth, of := 0, false
	for ; i < len(all); i++ {
		switch t := all[i]; {
		case t.text == "{":
			depth++
		case t.text == "}":
			if depth--; depth <= 0 {
				return
			}
		case depth == 0 && t.text == "toolName":
			of = true
		case depth == 0 && t.text == ";":
			return
		case depth == 1 && !of:
			return
		case depth == 1 && t.text == "case" && !t.str:
			checkTool(v, s, all, i+1)
		}
	}
}

// checkTool checks a string that names a tool.
func checkTool(v *hookView, s *hookScript, all []codeToken, i int) {
	if i < 0 || i >= len(all) || !all[i].str {
		return
	}
	name := all[i].value()
	if slices.Contains(moduleTools, name) || strings.ContainsAny(name, "${}") || slices.Contains(v.Tools.of(""), name) {
		return
	}
	better := meant["xcsh"][name]
	for _, tool := range moduleTools {
		if strings.EqualFold(tool, name) {
			better = tool
		}
	}
	if better == "" {
		return // a tool of an extension or of an MCP server
	}
	v.add(*v.report("matcher-unreachable", s.position(all[i].at), "did you mean \""+better+"\"?",
		"no tool has the name %q, so no call ever matches it", name))
}

// moduleTools lists the tools of xcsh and pi.
var moduleTools = strings.Fields(`
	ask bash calculator edit fetch find grep list ls lsp notebook python read ssh task todo_write web_search write`)

// checkExec checks a call of pi.exec, whose arguments begin at i.
func checkExec(v *hookView, s *hookScript, all []codeToken, i int) {
	if i+1 >= len(all) || !all[i].str || strings.Contains(all[i].text, "${") {
		return
	}
	at, words := all[i].at, []string{all[i].value()}
	if has(all, i+1, ",", "[") {
		for i += 3; i < len(all) && all[i].text != "]"; i++ {
			switch {
			case all[i].str && !strings.Contains(all[i].text, "${"):
				words = append(words, all[i].value())
			case all[i].text != ",":
				words = append(words, "?")
			}
		}
	}
	checkLauncher(v, s.position(at), words)
	if l, ok := languageOf(words[0]); ok && l == langShell && len(words) > 2 && isFlags(words[1], 'c') {
		checkShellText(v, s.position(at), words[2])
	}
}

// checkShellText checks a text that a module passes to a shell.
func checkShellText(v *hookView, at hook.Position, text string) {
	if ast, err := ParseShell(text, syntax.LangBash); err == nil {
		shellLaunchers(v, &hookScript{at: at, inline: true, lang: langShell, ast: ast})
	}
}

// checkVariable checks a variable that a module reads.
func checkVariable(v *hookView, s *hookScript, name codeToken) {
	if neverSet.MatchString(name.text) {
		v.add(*v.report("stdin-unread", s.position(name.at), "read the argument of the handler: event.input",
			"nothing sets %s: a handler gets the call as its argument", name.text))
	}
}
