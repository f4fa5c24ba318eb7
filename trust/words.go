package trust

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

const (
	mostValues = 64   // limit for one variable
	mostValue  = 2048 // limit of a value in bytes
)

// arg is a word of a command with its possible values.
type arg struct {
	texts []string // known possible values
	known bool     // there are no other values

	fields bool // texts are successive words, not alternatives
	splits bool // the word may become several words that are not known, or none
	match  bool // the word is a pattern, which becomes the names of files
}

// varies reports whether a word has several possible values, one of which is empty or begins with one of the signs.
func (a arg) varies(signs string) bool {
	return len(a.texts) > 1 && slices.ContainsFunc(a.texts, func(text string) bool {
		return text == "" || strings.IndexByte(signs, text[0]) >= 0
	})
}

// single returns the value of a word that has only one.
func (a arg) single() (text string, known bool) {
	if !a.known || len(a.texts) != 1 {
		return "", false
	}
	return a.texts[0], true
}

// is reports whether a word certainly has this value.
func (a arg) is(word string) bool {
	text, known := a.single()
	return known && text == word
}

// option returns a value of a word that may be an option, and therefore begin with one of the signs. known is false if
// the word may be another option.
func (a arg) option(signs string) (text string, known bool) {
	if !a.known || len(a.texts) == 0 || a.varies(signs) {
		return "", false
	}
	return a.texts[0], true
}

// base returns the name of the program that a word names, without folders; "" if it is not known.
func (a arg) base() string {
	if !a.known || len(a.texts) == 0 {
		return ""
	}
	return filepath.Base(a.texts[0])
}

// each calls visit for each value of a word, until visit returns an error.
func (a arg) each(visit func(text string) error) error {
	for _, text := range a.texts {
		if err := visit(text); err != nil {
			return err
		}
	}
	return nil
}

func (s *shellScope) words(words []*syntax.Word) (all []arg) {
	for _, w := range words {
		a := s.word(w)
		if !a.known || !a.fields {
			all = append(all, a)
			continue
		}
		for _, text := range a.texts {
			all = append(all, arg{texts: []string{text}, known: true})
		}
	}
	return all
}

// word expands a word as a shell would, without running anything. If variables have several possible values, word tries
// each value.
func (s *shellScope) word(w *syntax.Word) (a arg) {
	raw := s.source1(w)
	if strings.Contains(raw, "{") && (strings.Contains(raw, "..") || bounded.Glob(raw) != nil) && hasBraces(w) {
		return s.plainly(w)
	}
	a.known = true
	hard := s.isHard(w, raw)
	for pick, most := 0, 1; pick < most; pick++ {
		s.c.looks++
		env := &environ{s: s, pick: pick, fields: true}
		fields, err := expand.Fields(env.config(), w)
		if most = max(most, env.most); pick == 0 {
			a.known = err == nil && !env.unknown && len(env.several) < 2 // the values of two variables are not combined
		}
		a.known = a.known && (len(fields) == 1 || most == 1) && !hard
		for _, text := range fields {
			if len(text) > mostValue {
				a.known = false
				continue
			}
			a.known = a.known && !strings.HasPrefix(text, "~") // ~+ and ~user are not expanded here
			a.texts = append(a.texts, text)
		}
		a.fields = most == 1 && len(fields) != 1
	}
	a.match = slices.ContainsFunc(a.texts, isPattern) && hasPattern(w)
	a.known = a.known && !(a.match && strings.Contains(raw, `\`))
	a.known = a.known && !(splits(w) && s.separates(a.texts))
	a.splits = !a.known && splits(w) || slices.ContainsFunc(a.texts, beginsWithPattern) && hasPattern(w)
	return a
}

// differs reports whether some shells take a word for another one than bash does.
func differs(raw string) bool {
	return strings.Contains(raw, "$'") || strings.Contains(raw, `$"`) || strings.Contains(raw, "{") && strings.Contains(raw, ",")
}

// hasBraces reports whether a word has braces that do not enclose the name of a variable.
func hasBraces(w *syntax.Word) bool {
	for node := range bash.Nodes(w) {
		if lit, is := node.(*syntax.Lit); is && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// separates reports whether the values of IFS decide into which words a shell splits an expansion.
func (s *shellScope) separates(texts []string) bool {
	values, assigned := s.vars["IFS"]
	return assigned && (len(texts) != 1 || strings.ContainsAny(texts[0], " \t\n"+strings.Join(values, "")) || values == nil)
}

// plain lists the operators of ${name} for which bash and package expand agree. ${name-x} and similar operators are not
// in it: for these an empty value, which may stand for none, differs from none.
var plain = map[syntax.ParExpOperator]bool{
	syntax.AlternateUnsetOrNull: true, syntax.DefaultUnsetOrNull: true,
	syntax.ErrorUnsetOrNull: true, syntax.AssignUnsetOrNull: true,
	syntax.RemSmallPrefix: true, syntax.RemLargePrefix: true, syntax.RemSmallSuffix: true, syntax.RemLargeSuffix: true,
}

// isHard reports whether a shell may expand a word to another text than this package does.
func (s *shellScope) isHard(w *syntax.Word, raw string) bool {
	return w.Lit() == "" && hasHardPart(w) || s.posix && differs(raw)
}

// hasHardPart reports whether a shell may expand a word to another text than package expand does: a part of it is
// arithmetic, an element of an array, a rare form of ${name}, or a text with escapes such as $'\x2e'.
func hasHardPart(w *syntax.Word) bool {
	for node := range bash.Nodes(w) {
		switch node := node.(type) {
		case *syntax.ArithmExp:
			return true
		case *syntax.SglQuoted:
			if node.Dollar && strings.Contains(node.Value, `\`) {
				return true
			}
		case *syntax.ParamExp:
			index, _ := node.Index.(*syntax.Word)
			if node.Excl || node.Names != 0 || node.Slice != nil || node.Repl != nil || node.Exp != nil && !plain[node.Exp.Op] ||
				node.Index != nil && (index == nil || index.Lit() != "0") {
				return true
			}
		}
	}
	return false
}

// isPattern reports whether a text has a sign of patterns.
func isPattern(text string) bool { return strings.ContainsAny(text, "*?[") }

// beginsWithPattern reports whether the first letter of a pattern matches "-", with which the name of a file may begin.
func beginsWithPattern(text string) bool { return text != "" && strings.IndexByte("*?[", text[0]) >= 0 }

// hasPattern reports whether a word is a pattern for file names, outside quotes.
func hasPattern(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.Lit:
			return strings.ContainsAny(part.Value, "*?[")
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return false
		}
		return true
	})
}

// splits reports whether a shell may expand a word to several words: a part of it is expanded outside quotes, or is
// "$@" or an array.
func splits(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ProcSubst:
			return false
		case *syntax.DblQuoted:
			return slices.ContainsFunc(part.Parts, func(inner syntax.WordPart) bool {
				param, is := inner.(*syntax.ParamExp)
				return is && (param.Param != nil && param.Param.Value == "@" || param.Index != nil || param.Excl)
			})
		}
		return true
	})
}

// isQuoted reports whether a part of a word is quoted: a here-document with such a delimiter is not expanded.
func isQuoted(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
}

// document expands the text of a here-document as a shell would, without running anything.
func (s *shellScope) document(w *syntax.Word, quoted bool) arg {
	s.c.looks += 1 + int(w.End().Offset()-w.Pos().Offset())/32
	if text := w.Lit(); quoted {
		return arg{texts: []string{text}, known: len(text) <= mostText}
	}
	env := &environ{s: s}
	text, err := expand.Document(env.config(), w)
	if len(text) > mostText {
		return arg{}
	}
	return arg{texts: []string{text}, known: err == nil && !env.unknown && env.most <= 1 && !hasHardPart(w)}
}

// plainly expands the variables of a word, but not its braces, which may expand to too many words.
func (s *shellScope) plainly(w *syntax.Word) arg {
	env := &environ{s: s}
	text, err := expand.Literal(env.config(), w)
	if err != nil || len(text) > mostValue {
		return arg{splits: true}
	}
	return arg{texts: []string{text}, splits: true}
}

// source1 returns a part of the text as written.
func (s *shellScope) source1(node syntax.Node) string {
	start, end := int(node.Pos().Offset()), int(node.End().Offset())
	if start > end || end > len(s.text) {
		return ""
	}
	return s.text[start:end]
}

// environ supplies variables to an expansion, and records unknown ones.
type environ struct {
	s       *shellScope
	pick    int // index of the value to use for each variable
	most    int // largest number of values of any variable used
	unknown bool
	fields  bool            // the next question for PWD comes from package expand itself
	several map[string]bool // variables with several values
}

func (e *environ) config() *expand.Config {
	return &expand.Config{
		Env:       e,
		CmdSubst:  e.substitute,
		ProcSubst: func(*syntax.ProcSubst) (string, error) { e.unknown = true; return "", nil },
	}
}

// Get implements [expand.Environ].
func (e *environ) Get(name string) expand.Variable {
	value, ok := e.value(name)
	if !ok || len(value) > mostValue {
		e.unknown = e.unknown || name != "IFS"
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Exported: true, Kind: expand.String, Str: value}
}

func (e *environ) value(name string) (string, bool) {
	if values, assigned := e.s.vars[name]; assigned {
		if len(values) == 0 {
			return "", false
		}
		return e.oneOf(name, values), true
	}
	switch name {
	case "PWD":
		if e.fields { // package expand asks once for the directory of patterns, before it expands
			e.fields = false
			return shellPath(e.s.dirs[0]), true
		}
		return shellPath(e.dir()), true
	case "0":
		_, renamed := e.s.vars["BASH_ARGV0"]
		return shellPath(e.s.names.zero), e.s.names.zero != "" && !renamed
	case "BASH_SOURCE":
		return shellPath(e.s.names.source), e.s.names.source != ""
	case "IFS":
		return "", false
	}
	value, ok := e.s.c.environ[name]
	return value, ok && !computed[name] && !e.s.c.changed[name]
}

// dir returns a possible working directory. Several directories are like several values of the variable PWD.
func (e *environ) dir() string { return e.oneOf("PWD", e.s.dirs) }

// oneOf returns the possible value of a variable that this expansion uses.
func (e *environ) oneOf(name string, values []string) string {
	if e.most = max(e.most, len(values)); len(values) > 1 {
		if e.several == nil {
			e.several = map[string]bool{}
		}
		e.several[name] = true
	}
	return values[min(e.pick, len(values)-1)]
}

// Each implements [expand.Environ].
func (e *environ) Each(func(string, expand.Variable) bool) {}

// substitute writes the output of a command substitution, if the output is known before the hook runs, such as the
// directory of a script or of the project.
func (e *environ) substitute(w io.Writer, cs *syntax.CmdSubst) error {
	text, ok := e.output(cs.Stmts)
	if !ok {
		e.unknown = true
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

func (e *environ) output(stmts []*syntax.Stmt) (string, bool) {
	if len(stmts) != 1 {
		if len(stmts) == 2 { // cd x; pwd
			return e.changed(stmts[0], stmts[1])
		}
		return "", false
	}
	if !e.isPlain(stmts[0]) {
		return "", false
	}
	switch cmd := stmts[0].Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt {
			return e.changed(cmd.X, cmd.Y)
		}
	case *syntax.CallExpr:
		if words := texts(e.s.words(cmd.Args)); len(words) > 0 { // $(a=1) has no word
			return e.run(words)
		}
	}
	return "", false
}

// changed returns the output of cd followed by pwd.
func (e *environ) changed(first, second *syntax.Stmt) (string, bool) {
	cd, ok := first.Cmd.(*syntax.CallExpr)
	pwd, too := second.Cmd.(*syntax.CallExpr)
	if !ok || !too || first.Negated || first.Background || len(cd.Args) < 2 || !e.isPlain(second) || !emptiesCDPath(cd) {
		return "", false
	}
	call, shows := texts(e.s.words(cd.Args)), texts(e.s.words(pwd.Args))
	if len(call) < 2 || call[0] != "cd" || len(shows) == 0 || shows[0] != "pwd" {
		return "", false
	}
	options, to := append(call[1:len(call)-1:len(call)-1], shows[1:]...), call[len(call)-1]
	unknown := func(option string) bool { return option != "-P" && option != "--" }
	if slices.ContainsFunc(options, unknown) || to == "" || to[0] == '-' {
		return "", false
	}
	path := e.reached(to, slices.Contains(options, "-P"))
	return shellPath(path), e.s.c.isDir(path)
}

// reached returns the path to which a word leads from a possible working directory, of those from which the path
// exists. physical means that links stand before "..".
func (e *environ) reached(word string, physical bool) string {
	var paths []string
	for _, dir := range e.s.dirs {
		path := within(dir, word)
		if physical {
			if real, err := filepath.EvalSymlinks(lo.Ternary(filepath.IsAbs(word), word, dir+"/"+word)); err == nil {
				path = real
			}
		}
		if _, err := e.s.c.stat(path); err != nil {
			e.s.c.absent(path, e.s.quiet)
		} else if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return within(e.s.dirs[0], word)
	}
	return e.oneOf("PWD", paths)
}

// isPlain reports whether the output of a command goes where the output of the text goes.
func (e *environ) isPlain(stmt *syntax.Stmt) bool {
	elsewhere := func(r *syntax.Redirect) bool { return r.N == nil || r.N.Value != "2" }
	return !stmt.Negated && !stmt.Background && !slices.ContainsFunc(stmt.Redirs, elsewhere)
}

// emptiesCDPath reports whether a call sets no variable but CDPATH, to nothing.
func emptiesCDPath(call *syntax.CallExpr) bool {
	return !slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool {
		return a.Name == nil || a.Name.Value != "CDPATH" || a.Value != nil || a.Array != nil
	})
}

// folderName returns the output of dirname, which does not shorten a path with "..".
func folderName(path string) string {
	if windows {
		return filepath.Dir(path)
	}
	cut := strings.LastIndexByte(strings.TrimRight(path, "/"), '/')
	if cut < 0 {
		return lo.Ternary(strings.HasPrefix(path, "/"), "/", ".")
	}
	return lo.CoalesceOrEmpty(strings.TrimRight(path[:cut], "/"), "/")
}

// texts returns the words of a command, or nil if any word is not known.
func texts(args []arg) []string {
	words := make([]string, len(args))
	for i, a := range args {
		text, known := a.single()
		if !known {
			return nil
		}
		words[i] = text
	}
	return words
}

func (e *environ) run(words []string) (string, bool) {
	if !e.s.isSystems(words[0]) {
		return "", false
	}
	switch last := words[len(words)-1]; {
	case len(words) == 1 && words[0] == "pwd":
		return shellPath(e.dir()), true
	case len(words) > 1 && words[0] == "dirname":
		return shellPath(folderName(last)), true
	case len(words) == 2 && words[0] == "basename":
		return filepath.Base(last), last != ""
	case len(words) > 1 && (words[0] == "realpath" || words[0] == "readlink"):
		resolves := len(words) == 2 && words[0] == "realpath" ||
			len(words) == 3 && slices.Contains([]string{"-f", "-e", "-m"}, words[1])
		return shellPath(e.reached(last, true)), resolves
	case strings.Join(words, " ") == "git rev-parse --show-toplevel":
		return shellPath(e.s.c.dir), true
	case words[0] == "echo":
		return printed(words)
	}
	return "", false
}
