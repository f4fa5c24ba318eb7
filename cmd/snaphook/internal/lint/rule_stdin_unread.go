package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var ruleStdinUnread = Rule{
	ID: "stdin-unread", Severity: Warning, look: stdinUnread,
	Doc: "A script depends on values that it never gets, and does not read standard input.",
	Why: "The call comes as JSON on standard input. There are no arguments, and no variables such as " +
		"`$CLAUDE_TOOL_INPUT`; a variable that nothing sets is empty, so the hook always does the same. " +
		"The handler of a module gets the call as its argument.",
	Mistake: "case \"$CLAUDE_TOOL_INPUT\" in *'rm -rf'*) exit 2 ;; esac",
	Fix:     "input=$(cat)\ncase \"$input\" in *'rm -rf'*) exit 2 ;; esac",
}

// stdinUnread looks for scripts that read the call from arguments or variables, where hosts do not
// put it.
func stdinUnread(v *hookView) {
	for _, s := range v.scripts {
		switch {
		case s.lang == langShell && s.ast != nil:
			shellStdin(v, s)
		case s.lang == langPython || s.lang == langNode:
			codeStdin(v, s)
		}
		set := assignedIn(v, s)
		for _, one := range nestedScripts(s) {
			if one.lang != langShell {
				neverSetIn(v, one, set)
			}
		}
	}
}

// assignedIn returns the variables that a script of a shell sets.
func assignedIn(v *hookView, s *hookScript) map[string]bool {
	if s.ast == nil {
		return nil
	}
	return variablesSet(v, s.ast)
}

// neverSetIn looks in the program of python3 -c or node -e for variables that hosts do not set.
func neverSetIn(v *hookView, s *hookScript, set map[string]bool) {
	for _, t := range tokens(string(s.text), s.lang) {
		variable := t.text
		if t.str {
			variable = t.value()
		}
		if (t.str || s.lang == langNode) && neverSet.MatchString(variable) && !set[variable] {
			v.add(*v.report("stdin-unread", s.at, readJSON(s.lang), "nothing sets %s: the call is on standard input", variable))
			return
		}
	}
}

// neverSet matches variables that people expect of hosts, and that hosts do not set.
var neverSet = lazyregexp.New(
	`^(CLAUDE|GEMINI|LLXPRT)_(TOOL_(INPUT|NAME|OUTPUT|RESPONSE|USE|ARGS|RESULT|PARAMS|COMMAND)|FILE_PATHS?|HOOK_(INPUT|EVENT|DATA|PAYLOAD)|USER_PROMPT|PROMPT|NOTIFICATION|COMMAND)[A-Z_]*$`,
)

// guesses lists names, in lower case, of variables that hold the input in scripts.
var guesses = strings.Fields(
	"input tool tool_name toolname tool_input toolinput command cmd file file_path filepath payload json stdin hook_input hook_json json_input event_data",
)

const readIt = "read the JSON on standard input: input=$(cat), then jq -r '.tool_input.command' <<<\"$input\" or the like"

func shellStdin(v *hookView, s *hookScript) {
	reads := readingOf(s.ast)
	if reads.surely {
		return
	}
	if reads.onlyTTY && !reads.perhaps {
		v.add(*v.report("stdin-unread", s.pos(s.ast.Pos()), "read it where it is not a terminal: [ -t 0 ] || input=$(cat)",
			"this script reads standard input only if it is a terminal, which it never is for a hook"))
		return
	}
	for _, use := range unsetVars(v, s) {
		if reads.perhaps && !neverSet.MatchString(use.name) {
			continue
		}
		what := "nothing sets $" + use.name + ", and standard input is not read"
		if strings.Trim(use.name, "0123456789") == "" {
			what = "this hook is given no arguments, so $" + use.name + " is empty, and standard input is not read"
		}
		v.add(*v.report("stdin-unread", s.pos(use.at), readIt, "%s", what))
		return // one finding is enough
	}
	w := &exitWalker{}
	if w.list(s.ast.Stmts, false); !reads.perhaps && (w.two || answersJSON(string(s.text))) {
		decidesBlindly(v, s)
	}
}

// decidesBlindly notes that a guard of tools does not read the call.
func decidesBlindly(v *hookView, s *hookScript) {
	if !v.ofTools() || !v.gates() {
		return
	}
	f := v.report("stdin-unread", s.position(0), "read the call from standard input if the answer depends on it",
		"this hook decides without reading the call")
	f.Severity = Note
	v.add(*f)
}

// variableUse is a use of a variable.
type variableUse struct {
	name string
	at   syntax.Pos
}

// unsetVars returns uses of variables that look as if they held the call, and that nothing sets.
func unsetVars(v *hookView, s *hookScript) (found []variableUse) {
	set := variablesSet(v, s.ast)
	args := !s.inline && hasArguments(v, s)
	bash.Walk(s.ast, false, func(node syntax.Node, function bool) (bool, bool) {
		_, declares := node.(*syntax.FuncDecl)
		p, ok := node.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Exp != nil && hasDefault(p.Exp.Op) {
			return function || declares, true
		}
		n := p.Param.Value
		switch {
		case set[n]:
		case n >= "1" && n <= "9" && len(n) == 1:
			if !function && !args && !s.inline && !set["@"] {
				found = append(found, variableUse{n, p.Pos()})
			}
		case neverSet.MatchString(n), slices.Contains(guesses, strings.ToLower(n)):
			found = append(found, variableUse{n, p.Pos()})
		}
		return function, true
	})
	return found
}

func hasDefault(op syntax.ParExpOperator) bool {
	return slices.Contains([]syntax.ParExpOperator{
		syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
	}, op)
}

// variablesSet returns the variables that a script, or its settings, sets.
func variablesSet(v *hookView, file *syntax.File) map[string]bool {
	set := map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set[n.Name.Value] = true
			}
		case *syntax.WordIter:
			set[n.Name.Value] = true
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && hasDefault(n.Exp.Op) {
				set[n.Param.Value] = true // the default shows that the variable may be empty
			}
		case *syntax.CallExpr:
			named := name(n)
			for i, w := range n.Args {
				text, _ := literal(w)
				if slices.Contains([]string{"read", "mapfile", "readarray", "getopts", "printf"}, named) {
					set[text] = true
				}
				if named == "set" && i > 0 && text == "--" {
					set["@"] = true
				}
			}
		}
		return true
	})
	for _, entry := range v.h.Vars {
		variable, _, _ := strings.Cut(entry, "=")
		set[variable] = true
	}
	if v.doc != nil {
		for variable := range v.doc.root.Get("env").Members() {
			set[variable] = true
		}
	}
	return set
}

// standard lists modules that do not read standard input by themselves.
var standard = strings.Fields(`
	__future__ argparse ast base64 collections contextlib copy csv dataclasses datetime difflib enum fnmatch functools
	glob hashlib io itertools json logging math os pathlib platform random re shlex shutil signal socket sqlite3 string
	subprocess sys tempfile textwrap threading time traceback typing unicodedata urllib uuid
	fs path child_process util url crypto events buffer process assert readline`)

// codeStdin looks for programs that read the call from their arguments or from variables that hosts
// do not set.
func codeStdin(v *hookView, s *hookScript) {
	all := tokens(string(s.text), s.lang)
	for _, t := range all {
		if strings.Contains(t.text, "stdin") || !t.str && (t.text == "input" || t.text == "fileinput" || t.text == "Bun" || t.text == "Deno") {
			return
		}
	}
	for i, t := range all {
		imported, imports := importAt(all, i, s.lang)
		if imports && !slices.Contains(standard, imported) {
			return // the module may read standard input
		}
		if has(all, i, "open", "(", "0") || has(all, i, "readFileSync", "(", "0") || !t.str && (t.text == "exec" || t.text == "eval" || t.text == "__import__") {
			return
		}
	}
	for i, t := range all {
		first := s.lang == langPython && has(all, i, "sys", ".", "argv", "[", "1", "]") ||
			s.lang == langNode && has(all, i, "process", ".", "argv", "[", "2", "]")
		switch {
		case first && !hasArguments(v, s):
			v.add(*v.report("stdin-unread", s.position(t.at), readJSON(s.lang),
				"this hook is given no arguments, and does not read standard input"))
			return
		case t.str && neverSet.MatchString(t.value()), s.lang == langNode && !t.str && neverSet.MatchString(t.text):
			v.add(*v.report("stdin-unread", s.position(t.at), readJSON(s.lang),
				"nothing sets %s, and standard input is not read", t.value()))
			return
		}
	}
	for i := range all {
		if status, ok := exitAt(all, i, s.lang); ok && status == "2" || i == 0 && answersJSON(string(s.text)) {
			decidesBlindly(v, s)
			return
		}
	}
}

func readJSON(l lang) string {
	if l == langPython {
		return "read the call: call = json.load(sys.stdin)"
	}
	return "read the call: const call = JSON.parse(fs.readFileSync(0))"
}

// importAt returns the first name of the module that a statement at i imports.
func importAt(all []codeToken, i int, l lang) (module string, ok bool) {
	if i+1 >= len(all) || all[i].str {
		return "", false
	}
	next := all[i+1]
	switch {
	case l == langPython && all[i].indent >= 0 && (all[i].text == "import" || all[i].text == "from"):
		return next.text, true
	case l == langNode && (all[i].text == "from" || all[i].text == "import") && next.str:
		return strings.TrimPrefix(next.value(), "node:"), true
	case l == langNode && (all[i].text == "require" || all[i].text == "import") && next.text == "(" && i+2 < len(all):
		return strings.TrimPrefix(all[i+2].value(), "node:"), true
	}
	return "", false
}
