package lint

import (
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var ruleUnquotedPath = Rule{
	ID: "unquoted-path", Severity: Warning, look: unquoted, Fixable: true,
	Doc: "A variable that holds a path is not quoted.",
	Why: "A path with a space becomes two words, and a path with a `*` becomes a list of files.",
	Mistake: "file=$(jq -r .tool_input.file_path)\n" +
		"gofmt -l $file",
	Fix: "file=$(jq -r .tool_input.file_path)\n" +
		"gofmt -l \"$file\"",
}

// unquoted looks for variables with paths that a shell splits into words.
func unquoted(v *hookView) {
	for _, s := range v.scripts {
		if s.lang != langShell || s.ast == nil {
			continue
		}
		if s.inline {
			unquotedInline(v, s)
			continue
		}
		q := quoting{paths: pathVars(s.ast)}
		for _, u := range q.find(s.ast) {
			f := v.report("unquoted-path", s.pos(u.at), "write \""+u.text(s)+"\"", "%s holds a path, and is not quoted", u.text(s))
			f.Severity = u.severity
			if start, end := int(u.at.Offset()), int(u.end.Offset()); !u.backquoted && !strings.Contains(string(s.text), "\r\n") {
				f.edit = insertions(s, map[int]string{start: `"`, end: `"`})
			}
			v.add(*f)
		}
	}
}

// unquotedInline checks the command itself, with one finding for all variables.
func unquotedInline(v *hookView, s *hookScript) {
	q := quoting{paths: pathVars(s.ast), inline: true}
	uses := q.find(s.ast)
	uses = slices.DeleteFunc(uses, func(u pathUse) bool {
		// The hook system replaces these variables so that their values stay one word.
		return slices.Contains(projectVars, u.name) && v.h.Dialect != "claude" || isPluginVar(u.name)
	})
	if len(uses) == 0 {
		return
	}
	severity, names, at := Note, []string{}, []int{}
	for _, u := range uses {
		if u.severity == Warning && !slices.Contains(projectVars, u.name) {
			severity = Warning
		}
		if !u.backquoted {
			at = append(at, int(u.at.Offset()), int(u.end.Offset()))
		}
		names = append(names, u.text(s))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	f := v.report("unquoted-path", s.at, "write \""+strings.Join(names, `", "`)+"\"",
		"%s holds a path, and is not quoted", strings.Join(names, ", "))
	ofProject := func(u pathUse) bool { return slices.Contains(projectVars, u.name) }
	if f.Severity = severity; severity == Note && slices.ContainsFunc(uses, ofProject) {
		f.Message += "; snaphook keeps it in one piece, and not every release of Claude Code does"
	}
	sort.Ints(at)
	text := string(s.text)
	for i := len(at) - 1; i >= 0; i-- {
		text = text[:at[i]] + `"` + text[at[i]:]
	}
	if again, err := ParseShell(text, syntax.LangBash); err == nil && again != nil && len(at) > 0 {
		f.edit = setText(v.doc, v.entry.Get("command"), text)
	}
	v.add(*f)
}

func isPluginVar(name string) bool { return name == "CLAUDE_PLUGIN_ROOT" || name == "extensionPath" }

// pathUse is an unquoted use of a variable.
type pathUse struct {
	name       string
	at, end    syntax.Pos
	severity   Severity
	backquoted bool
}

func (u pathUse) text(s *hookScript) string {
	start, end := int(u.at.Offset()), int(u.end.Offset())
	if start < 0 || end > len(s.text) || start > end {
		return "$" + u.name
	}
	return string(s.text[start:end])
}

// quoting finds variables that are not quoted where a shell splits them.
type quoting struct {
	paths  map[string]Severity // severity of missing quotes, by variable; "" if it needs none; see [pathVars]
	inline bool
	found  []pathUse
}

func (q *quoting) find(file *syntax.File) []pathUse {
	visit := func(node syntax.Node, around bash.SyntaxContext) (bash.SyntaxContext, bool) {
		switch n := node.(type) {
		case *syntax.CallExpr:
			if name(n) != "[[" {
				for i, w := range n.Args {
					q.word(w, i, name(n), around.Backtick)
				}
			}
		case *syntax.Redirect:
			if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc && n.Op != syntax.WordHdoc && n.Word != nil {
				q.word(n.Word, 1, "", around.Backtick)
			}
		}
		return around.Inside(node), true
	}
	bash.Walk(file, bash.SyntaxContext{Bare: true}, visit)
	return q.found
}

// harmlessFor lists programs for which blanks in an argument make no difference.
var harmlessFor = []string{"echo", "printf", "exit", "return", "export", "local", "eval"}

func (q *quoting) word(w *syntax.Word, i int, program string, backquoted bool) {
	if i > 0 && slices.Contains(harmlessFor, program) {
		return
	}
	for _, part := range w.Parts {
		p, ok := part.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Length || p.Excl || p.Index != nil {
			continue
		}
		n := p.Param.Value
		severity, assigned := q.paths[n]
		switch {
		case assigned && severity == "":
			continue
		case assigned:
		case slices.Contains(projectVars, n) || isPluginVar(n):
			severity = Warning
		case pathName.MatchString(n):
			severity = Note
		default:
			continue
		}
		if len(q.found) >= maxFound {
			return
		}
		q.found = append(q.found, pathUse{n, p.Pos(), p.End(), severity, backquoted})
	}
}

// pathName matches names of variables that hold one path.
var pathName = lazyregexp.New(`(?i)^(.*_)?(file_?path|file_?name|file|path|dir|directory|folder|cwd|root|script|repo_root)$`)

// fromCall matches members of a hook's input that hold paths.
var fromCall = lazyregexp.New(`\b(file_path|notebook_path|transcript_path|absolute_path|dir_path|cwd|path)\b`)

// pathVars classifies the variables that a script assigns, by their possible values: a path of
// the call (Warning), another path (Note), or a value without blanks or patterns ("").
func pathVars(file *syntax.File) map[string]Severity {
	vars := map[string]Severity{"HOME": "", "PWD": Note, "OLDPWD": Note, "PATH": ""}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name == nil || n.Value == nil {
				return true
			}
			holds := valueHolds(n.Name.Value, n.Value, vars)
			if was, again := vars[n.Name.Value]; !again || was == "" || holds == Warning {
				vars[n.Name.Value] = holds
			}
		case *syntax.WordIter:
			vars[n.Name.Value] = ""
			if pathName.MatchString(n.Name.Value) {
				vars[n.Name.Value] = Note
			}
		}
		return true
	})
	return vars
}

// valueHolds classifies a value as pathVars does.
func valueHolds(variable string, w *syntax.Word, vars map[string]Severity) (holds Severity) {
	if text, ok := literal(w); ok {
		if strings.ContainsAny(text, " \t") && pathName.MatchString(variable) {
			return Note
		}
		return ""
	}
	syntax.Walk(w, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst:
			text := wordsOf(n)
			switch {
			case strings.Contains(text, "jq ") && fromCall.MatchString(text) && !isList(n):
				holds = Warning
			case strings.Contains(text, "dirname ") || strings.Contains(text, "pwd ") || strings.Contains(text, "realpath ") ||
				strings.Contains(text, "--show-toplevel "):
				holds = max(holds, Note)
			case pathName.MatchString(variable) && !strings.Contains(text, "mktemp "):
				holds = max(holds, Note)
			}
			return false
		case *syntax.ParamExp:
			if n.Param == nil {
				return true
			}
			inner, known := vars[n.Param.Value]
			if slices.Contains(projectVars, n.Param.Value) {
				inner, known = Warning, true
			}
			if known {
				holds = max(holds, inner)
			} else if pathName.MatchString(n.Param.Value) {
				holds = max(holds, Note)
			}
		}
		return true
	})
	return holds
}

// isList reports whether the output of a command is meant to be several words.
func isList(c *syntax.CmdSubst) bool {
	text := wordsOf(c)
	return strings.Contains(text, "[]") || strings.Contains(text, "join(")
}
