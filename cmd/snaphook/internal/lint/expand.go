package lint

import (
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/environ"
)

// projectVars lists the variables with the project's directory.
var projectVars = []string{"CLAUDE_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "GEMINI_CWD"}

// shellScope holds the variables and the directory that are known at a position of a shell text.
type shellScope struct {
	vars map[string]string
	dir  string // directory for relative paths; empty if that is not known
	file string // absolute path of the script; empty for a command
}

func newScope(dir, file, plugin string) *shellScope {
	s := &shellScope{vars: map[string]string{"PWD": dir}, dir: dir, file: file}
	for _, name := range projectVars {
		s.vars[name] = dir
	}
	if home, err := environ.Home(); err == nil {
		s.vars["HOME"] = home
	}
	if plugin != "" {
		s.vars["CLAUDE_PLUGIN_ROOT"], s.vars["extensionPath"] = plugin, plugin
	}
	return s
}

// words expands the words of a call; known reports for each whether it is certain.
func (s *shellScope) words(all []*syntax.Word) (texts []string, known []bool) {
	for _, w := range all {
		text, ok := s.word(w)
		texts, known = append(texts, text), append(known, ok)
	}
	return texts, known
}

// word returns the text of a word; ok is false if only running it could show the text.
func (s *shellScope) word(w *syntax.Word) (string, bool) {
	text, ok := s.parts(w.Parts, false)
	if !ok {
		return "", false
	}
	if rest, tilde := strings.CutPrefix(text, "~/"); tilde {
		if lit, is := w.Parts[0].(*syntax.Lit); is && strings.HasPrefix(lit.Value, "~/") {
			text = filepath.Join(s.vars["HOME"], rest)
		}
	}
	return text, true
}

func (s *shellScope) parts(parts []syntax.WordPart, quoted bool) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		more, ok := s.part(part, quoted)
		if !ok || b.Len()+len(more) > 4096 {
			return "", false
		}
		b.WriteString(more)
	}
	return b.String(), true
}

func (s *shellScope) part(part syntax.WordPart, quoted bool) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		if !quoted && strings.ContainsAny(p.Value, "*?[{") {
			return "", false
		}
		return unescaped(p.Value), true
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		return s.parts(p.Parts, true)
	case *syntax.ParamExp:
		return s.param(p)
	case *syntax.CmdSubst:
		return s.output(p)
	}
	return "", false
}

func (s *shellScope) param(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || p.Slice != nil || p.Repl != nil || p.Length || p.Excl {
		return "", false
	}
	value, ok := s.vars[p.Param.Value]
	switch p.Param.Value {
	case "0", "BASH_SOURCE":
		value, ok = s.file, s.file != ""
	}
	if p.Exp == nil {
		return value, ok && p.Index == nil || p.Param.Value == "BASH_SOURCE" && ok
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if ok {
			return value, true
		}
		return "", false // the variable may be set
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return value, ok
	case syntax.RemSmallSuffix:
		pattern, lit := literal(p.Exp.Word)
		if ok && lit && pattern == "/*" && strings.Contains(value, "/") {
			return value[:strings.LastIndexByte(value, '/')], true
		}
	}
	return "", false
}

// output returns the output of commands that print paths, such as dirname and pwd.
func (s *shellScope) output(c *syntax.CmdSubst) (string, bool) {
	if len(c.Stmts) == 1 {
		if both, ok := c.Stmts[0].Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt {
			return s.changed(callOf(both.X), callOf(both.Y))
		}
		return s.prints(callOf(c.Stmts[0]))
	}
	if len(c.Stmts) == 2 {
		return s.changed(callOf(c.Stmts[0]), callOf(c.Stmts[1]))
	}
	return "", false
}

// changed returns the output of cd DIR and pwd.
func (s *shellScope) changed(cd, pwd *syntax.CallExpr) (string, bool) {
	if name(cd) != "cd" || name(pwd) != "pwd" || len(cd.Args) < 2 {
		return "", false
	}
	to, ok := s.word(cd.Args[len(cd.Args)-1])
	if !ok {
		return "", false
	}
	return s.path(to)
}

func (s *shellScope) prints(call *syntax.CallExpr) (string, bool) {
	if call == nil || len(call.Args) == 0 {
		return "", false
	}
	texts, known := s.words(call.Args)
	for _, ok := range known {
		if !ok {
			return "", false
		}
	}
	last := texts[len(texts)-1]
	switch {
	case len(texts) == 1 && texts[0] == "pwd":
		return s.dir, s.dir != ""
	case texts[0] == "dirname" && len(texts) == 2 || texts[0] == "dirname" && len(texts) == 3 && texts[1] == "--":
		return filepath.Dir(last), true
	case (texts[0] == "realpath" || texts[0] == "readlink") && len(texts) > 1:
		return s.path(last)
	case strings.Join(texts, " ") == "git rev-parse --show-toplevel":
		return repository(s.dir)
	}
	return "", false
}

// repository returns the root of the work tree that contains dir; dir itself if no work tree does.
func repository(dir string) (string, bool) {
	for at := dir; at != ""; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at, true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir, dir != ""
}

// path returns the absolute path for a text; ok is false if it is not known.
func (s *shellScope) path(text string) (string, bool) {
	if filepath.IsAbs(text) {
		return filepath.Clean(text), true
	}
	if text == "" || s.dir == "" || strings.ContainsRune(text, 0) {
		return "", false
	}
	return filepath.Join(s.dir, text), true
}

// assign records the value of a variable.
func (s *shellScope) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	delete(s.vars, a.Name.Value)
	if a.Value == nil || a.Append || a.Index != nil || a.Array != nil {
		return
	}
	if text, ok := s.word(a.Value); ok {
		s.vars[a.Name.Value] = text
	}
}
