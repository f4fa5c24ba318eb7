package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/run"
)

// programCall is one call of a program in a command.
type programCall struct {
	words   []string // words after expansion
	known   []bool   // whether each of words is certain
	dir     string   // its working directory; empty if that is not known
	plugin  string
	at      hook.Position
	certain bool // the call runs whenever the hook runs, and if it fails, the hook fails
}

// readCommand finds the calls in a hook's command, and its scripts.
func (v *hookView) readCommand() {
	plugin := v.pluginRoot()
	if args := v.entry.Get("args"); args.Kind() == '[' {
		c := programCall{words: v.h.Argv, dir: v.Dir, plugin: plugin, at: v.at("command"), certain: true}
		c.known = slices.Repeat([]bool{true}, len(c.words))
		for i, word := range c.words {
			c.known[i] = !strings.Contains(word, "${")
		}
		if len(c.words) > 0 {
			v.calls = append(v.calls, c)
		}
		v.follow()
		return
	}
	shell, _ := v.entry.Get("shell").Text()
	if used, ok := run.UsedShell(v.h, v.Dir); shell == "powershell" || ok && used.Name == "PowerShell" { // on Windows without Git's bash
		v.readPowerShell(plugin)
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
	walker := &callWalker{shellScope: v.newScope(v.Dir, "", plugin), at: s.at, plugin: plugin}
	walker.stmts(s.ast.Stmts, true)
	v.calls = walker.found
	v.follow()
}

// pluginRoot returns the directory of the hook's plugin or extension.
func (v *hookView) pluginRoot() string {
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

// wrapper returns the wrapper of that name: a program that runs the command in its arguments. ok is false if that
// command may run on another machine or in another environment.
func wrapper(name string) (w bash.Wrapper, ok bool) {
	w, ok = bash.Wrappers[base(name)]
	return w, ok && !w.Joins && !w.Foreign && !w.Reads && w.Text == "" && w.Clears != "*"
}

// unwrapped skips programs that only start another one. If they have options, the started program
// is uncertain.
func (c programCall) unwrapped() programCall {
	for len(c.words) > 1 && c.known[0] {
		w, ok := wrapper(c.words[0])
		if !ok {
			break
		}
		own, runs := w.Skip(c.words[1:], func(int) bool { return false })
		if !runs {
			break
		}
		for _, word := range c.words[1 : 1+own] {
			c.certain = c.certain && !strings.HasPrefix(word, "-")
		}
		c.words, c.known = c.words[1+own:], c.known[1+own:]
		for w.Assigns && len(c.words) > 0 && strings.Contains(c.words[0], "=") {
			c.words, c.known = c.words[1:], c.known[1:]
		}
	}
	return c
}

// program returns the program of a call; empty if it is not known.
func (c programCall) program() string {
	if len(c.words) == 0 || !c.known[0] {
		return ""
	}
	return c.words[0]
}

// languages maps the languages of package bash to the languages of lint.
var languages = map[bash.Language]lang{
	bash.Shell: langShell, bash.Python: langPython, bash.JavaScript: langNode, bash.PowerShell: langPowerShell,
	bash.Ruby: langOther, bash.Perl: langOther, bash.PHP: langOther, bash.Lua: langOther,
}

// valued lists the options of interpreters that take the next word as their value. inline lists the options after which
// no script file follows: the program is the next word or standard input. shellFlags lists the options of inline that
// have other meanings for a shell: a script file may follow them.
var (
	valued = []string{"-W", "-X", "-r", "--require", "--import", "--loader", "-I", "-o", "+o", "-O", "--env-file"}
	inline = []string{"-c", "-e", "-m", "-p", "--eval", "--print", "-x", "-", "-n"}

	shellFlags = []string{"-e", "-m", "-p", "-x"}
)

// inlineFlags lists, by language, the letters with the effect of an option of inline. They also have this effect in a
// cluster of short options, such as -ne.
var inlineFlags = map[lang]string{langShell: "cs", langPython: "cm", langNode: "ep", langOther: "eE"}

// interpreted returns the script of an interpreter's call, and the words after it. ok is false if the interpreter runs
// no script, or if the script is not known.
func (c programCall) interpreted() (l lang, script string, args []string, ok bool) {
	l, is := languageOf(c.program())
	if !is {
		return c.uvRun()
	}
	if l == langPowerShell {
		return c.powershellFile()
	}
	for i := 1; i < len(c.words); i++ {
		switch word := c.words[i]; {
		case !c.known[i]:
			return l, "", nil, false
		case l == langShell && slices.Contains(shellFlags, word):
		case isInline(l, word):
			return l, "", nil, false
		case slices.Contains(valued, word):
			i++
		case word == "run" && base(c.program()) == "bun" && i == 1:
		case strings.HasPrefix(word, "-") || l == langShell && strings.HasPrefix(word, "+"):
		default:
			return l, word, c.words[i+1:], isScriptName(c.program(), word)
		}
	}
	return l, "", nil, false
}

// uvRun returns the script that uv run runs. Options of uv run may stand before the script.
func (c programCall) uvRun() (l lang, script string, args []string, ok bool) {
	if base(c.program()) != "uv" || len(c.words) < 3 || c.words[1] != "run" {
		return langOther, "", nil, false
	}
	values := []string{"--with", "-p", "--python", "--project", "--directory", "--env-file", "--extra", "--group", "--index"}
	for i := 2; i < len(c.words) && c.known[i]; i++ {
		switch word := c.words[i]; {
		case slices.Contains(values, word):
			i++
		case strings.HasPrefix(word, "-"):
		default:
			return langPython, word, c.words[i+1:], strings.HasSuffix(word, ".py")
		}
	}
	return langOther, "", nil, false
}

// isInline reports whether no script file follows an option of an interpreter.
func isInline(l lang, word string) bool {
	flagged := func(flag byte) bool { return isFlags(word, flag) }
	return slices.Contains(inline, word) || slices.ContainsFunc([]byte(inlineFlags[l]), flagged)
}

// isFlags reports whether a word is a cluster of at most four short options, such as -euc, that contains flag.
func isFlags(word string, flag byte) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, flag) > 0 && len(word) <= 5
}

// isScriptName reports whether a word names a file. For bun, which also has sub-commands, a word without a dot or slash
// does not.
func isScriptName(program, word string) bool {
	if base(program) != "bun" {
		return true
	}
	return strings.ContainsAny(word, "./")
}

// languageOf returns the language of an interpreter by its name. The first argument without a dash has to be the
// script: deno is excluded, because its first argument is a sub-command.
func languageOf(program string) (lang, bool) {
	l, ok := languages[bash.Interpreter(program)]
	if !ok || base(program) == "deno" {
		return langOther, false
	}
	return l, true
}
