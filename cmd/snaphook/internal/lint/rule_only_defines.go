package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
