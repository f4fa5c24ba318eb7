package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// readCommand finds the calls in a hook's command, and its scripts.
func readCommand(v *hookView) {
	plugin := pluginRoot(v)
	if args := v.entry.Get("args"); args.Kind() == '[' {
		c := programCall{words: v.h.Argv, dir: v.Dir, plugin: plugin, at: v.at("command"), certain: true}
		c.known = slices.Repeat([]bool{true}, len(c.words))
		for i, word := range c.words {
			c.known[i] = !strings.Contains(word, "${")
		}
		if len(c.words) > 0 {
			v.calls = append(v.calls, c)
		}
		readScripts(v)
		return
	}
	shell, _ := v.entry.Get("shell").Text()
	if used, ok := run.UsedShell(v.h, v.Dir); shell == "powershell" || ok && used.Name == "PowerShell" { // on Windows without Git's bash
		readPowerShell(v, plugin)
		return
	}
	s := &hookScript{
		file: v.at("command").File, at: v.at("command"), text: []byte(v.h.Command), lang: langShell, inline: true,
	}
	s.parse()
	v.scripts = append(v.scripts, s)
	if s.ast == nil {
		return
	}
	walker := &callWalker{shellScope: newScope(v.Dir, "", plugin), at: s.at, plugin: plugin}
	walker.stmts(s.ast.Stmts, true)
	v.calls = walker.found
	readScripts(v)
}

// readScripts reads the files that the calls of the command run.
func readScripts(v *hookView) {
	for _, c := range v.calls {
		path := c.file()
		if path == "" {
			continue
		}
		if s := v.script(path, c); s != nil && !slices.Contains(v.scripts, s) {
			v.scripts = append(v.scripts, s)
		}
	}
}

// pluginRoot returns the directory of the hook's plugin or extension.
func pluginRoot(v *hookView) string {
	if v.h.Source != hook.Plugin && v.h.Source != hook.Extension || v.h.Position.File == "" {
		return ""
	}
	file, err := filepath.Abs(v.h.Position.File)
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(file))
}

// callWalker finds the calls of a command, and for each whether it runs unconditionally.
type callWalker struct {
	*shellScope
	at     hook.Position
	plugin string
	found  []programCall
}

// stmts visits statements that run one after another.
func (w *callWalker) stmts(all []*syntax.Stmt, certain bool) {
	last := len(all) // index of the statement that decides the exit status
	for i := len(all) - 1; i > 0; i-- {
		if n := name(callOf(all[i])); n == "exit" || n == "true" || n == ":" {
			last = i
			break
		}
	}
	for i, s := range all {
		w.stmt(s, certain && (i >= last || last == len(all)), false)
	}
}

// stmt visits a statement. test reports whether the statement only tests something, such as whether a program exists. A
// program that a condition tests for need not exist.
func (w *callWalker) stmt(s *syntax.Stmt, certain, condition bool) (test bool) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		test = s.Negated || isTest(cmd)
		w.call(cmd, certain && !s.Negated && !(condition && test))
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return w.binary(cmd, certain, condition)
	case *syntax.Block:
		w.stmts(cmd.Stmts, certain)
	case *syntax.Subshell:
		w.stmts(cmd.Stmts, certain)
	case *syntax.DeclClause:
		for _, a := range cmd.Args {
			w.assign(a)
		}
	case *syntax.IfClause:
		for branch := cmd; branch != nil; branch = branch.Else {
			w.stmts(branch.Cond, false)
			w.stmts(branch.Then, false)
		}
	case *syntax.WhileClause:
		w.stmts(cmd.Do, false)
	case *syntax.ForClause:
		w.stmts(cmd.Do, false)
	case *syntax.CaseClause:
		for _, item := range cmd.Items {
			w.stmts(item.Stmts, false)
		}
	}
	return test
}

func (w *callWalker) binary(cmd *syntax.BinaryCmd, certain, condition bool) (test bool) {
	switch cmd.Op {
	case syntax.AndStmt:
		test = w.stmt(cmd.X, certain, true)
		return w.stmt(cmd.Y, certain && !test, condition) || test
	case syntax.OrStmt:
		test = w.stmt(cmd.X, false, true)
		return w.stmt(cmd.Y, false, condition) || test
	}
	w.stmt(cmd.X, certain, condition) // a pipe
	return w.stmt(cmd.Y, certain, condition)
}

// isTest reports whether a call only tests a condition.
func isTest(c *syntax.CallExpr) bool {
	switch name(c) {
	case "test", "[", "[[", "which", "type", "hash", "grep", "jq", "git", "true", "false":
		return true
	case "command":
		return len(c.Args) > 1 && slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
			text, _ := literal(w)
			return text == "-v" || text == "-V"
		})
	}
	return false
}

func (w *callWalker) call(c *syntax.CallExpr, certain bool) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		return
	}
	texts, known := w.words(c.Args)
	switch {
	case known[0] && (texts[0] == "cd" || texts[0] == "pushd"):
		to := w.vars["HOME"]
		if len(texts) > 1 {
			to = texts[len(texts)-1]
		}
		dir, ok := w.path(to)
		if w.dir = dir; !ok || len(texts) > 1 && !known[len(known)-1] {
			w.dir = ""
		}
		delete(w.vars, "PWD")
		return
	case known[0] && texts[0] == "command" && len(texts) > 1 && strings.HasPrefix(texts[1], "-"):
		return
	}
	one := programCall{words: texts, known: known, dir: w.dir, plugin: w.plugin, at: w.at, certain: certain}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "PATH" {
			one.certain = false
		}
	}
	if one = one.unwrapped(); len(one.words) > 0 {
		w.found = append(w.found, one)
	}
}
