package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

const (
	mostDepth = 16 // nesting of scripts that run scripts
	mostDirs  = 16 // possible working directories of a script

	// mostPasses limits how often a script is read again because a variable or directory has a new possible value: a
	// function, loop or trap may use the value although it stands before the assignment.
	mostPasses = 8
)

// shellScope is the state at one point of a shell text: known variables and directory.
type shellScope struct {
	finder
	names scriptNames
	vars  variables
	stdin []arg            // texts that the current command reads as its input
	input *syntax.CallExpr // a call of a shell whose input has been read as a script
	fed   bool             // the current command is the call in the field input
	again bool             // the text is read again, because a variable or directory has a new possible value
	text  string
	posix bool // the shell may not be bash: it may read (( )), $'…', {a,b} and &> in another way

	sure     bool            // the current node is a statement that certainly runs, and runs once
	top      syntax.Command  // the command of the current statement of the text, if the text certainly runs
	exported map[string]bool // variables that a text exports
}

// everything stands for all variables in the field exported.
const everything = "*"

// scriptNames are the values of two variables of a shell text. A name is empty if the value is not known.
type scriptNames struct {
	source string // BASH_SOURCE, the file of the text
	zero   string // $0, the script that the shell was started with
}

// shellProcess is a shell with its functions. Only after its whole text has been read is it known which of the called
// names are functions.
type shellProcess struct {
	functions map[string]bool
	repeats   bool     // the text has a function, a loop or a trap, whose commands may run after later assignments
	unknown   []string // programs that may run anything, unless a function has their name
	path      []string // folders of the project that the text adds to PATH
	vanish    bool     // a pattern without a match is no word (nullglob)
	relative  bool     // PATH has a folder that depends on the working directory
}

// newScope returns the scope of a script, or of the command of a hook. from is where the script is started; nil for a
// command.
func newScope(c *fileCollector, path string, from *finder) *shellScope {
	f := finder{c: c, dirs: slices.Clone(c.workDirs), proc: c.newProcess(nil)}
	if from != nil {
		f.dirs, f.proc = slices.Clone(from.dirs), c.newProcess(from.proc)
	}
	name := path
	if from != nil && from.word != "" {
		name = from.word
	}
	s := &shellScope{finder: f, names: scriptNames{name, name}, vars: variables{}, sure: true, exported: map[string]bool{}}
	if path != "" {
		for _, dir := range c.folderOf(path) {
			s.addDir(dir)
		}
	}
	return s
}

// nameOf returns the name by which a shell knows a file: the word that names the file, also if it is relative to a
// directory.
func (s *shellScope) nameOf(word, path string) string {
	if filepath.IsAbs(word) || isPattern(word) || !hasFolder(word) && !slices.Contains(s.existing(word), path) {
		return path
	}
	return word
}

// values counts the possible values of all variables, the possible directories and the functions. Each new value,
// directory or function makes the number grow.
func (s *shellScope) values() int {
	return len(s.dirs) + len(s.proc.path) + len(s.proc.functions) + s.vars.count()
}

// state returns a text that differs between two scopes with different variables, directories or folders of PATH.
func (s *shellScope) state() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", s.vars, s.dirs, s.proc.path))
	return hex.EncodeToString(sum[:])
}

// separate returns the scope of a text that another shell runs. The functions of s do not exist there, and neither do
// the names of a file.
func (s *shellScope) separate() *shellScope {
	inner := s.fork()
	inner.names, inner.sure = scriptNames{}, true
	inner.proc = s.c.newProcess(s.proc)
	maps.DeleteFunc(inner.vars, func(name string, _ []string) bool {
		_, inherited := s.c.environ[name]
		return !inherited && !s.exported[name] && !s.exported[everything]
	})
	return inner
}

// started returns the scope of a text that a shell with this name runs.
func (s *shellScope) started(shell string) *shellScope {
	inner := s.separate()
	inner.posix = !likeBash[shell]
	return inner
}

// likeBash lists the shells that read (( )), $'…', {a,b} and &> as bash does.
var likeBash = set("bash zsh ksh")

// fork returns the scope of a subshell of s.
func (s *shellScope) fork() *shellScope {
	inner := *s
	inner.dirs, inner.vars = slices.Clone(s.dirs), maps.Clone(s.vars)
	return &inner
}

// script finds the files that a text of shell runs.
func (s *shellScope) script(text string) error {
	if s.c.depth++; s.c.depth > mostDepth {
		s.cannotSee("scripts of the hook start each other more than %d levels deep", mostDepth)
		return nil
	}
	defer func() { s.c.depth-- }()
	defer func(was string) { s.text = was }(s.text)
	s.text = text
	s.c.looks += len(text) / 32
	if strings.Contains(text, "\r") {
		s.cannotSee("a script has carriage returns, which a shell takes as parts of words")
	}
	defer func(again, sure bool, top syntax.Command) { s.again, s.sure, s.top = again, sure, top }(s.again, s.sure, s.top)
	sure := s.sure
	for range mostPasses {
		before := s.values()
		for stmt, wrong := range bash.Stmts(text) { // a shell also runs the statements before a syntax error
			if wrong != nil {
				s.cannotSee("a script of the hook cannot be read: %v", wrong)
				return nil
			}
			s.top = nil
			if sure && !stmt.Background && !stmt.Coprocess {
				s.top = stmt.Cmd
			}
			for node := range bash.Nodes(stmt) {
				s.sure = s.top != nil && node == syntax.Node(s.top)
				if err := s.visit(node); err != nil {
					return err
				}
			}
		}
		if !s.proc.repeats || s.values() == before {
			return nil
		}
		s.c.looks += len(text) / 32
		s.again = true
	}
	s.cannotSee("the variables of the hook have too many values")
	return nil
}

func (s *shellScope) visit(node syntax.Node) error {
	if err := s.c.spent(); err != nil {
		return err
	}
	switch node := node.(type) {
	case *syntax.FuncDecl:
		s.proc.repeats = true
		if node.Name != nil && !s.quiet {
			s.proc.functions[node.Name.Value] = true
		}
	case *syntax.WhileClause, *syntax.ForClause:
		s.proc.repeats = true
	case *syntax.ParamExp:
		s.subscript(node.Index)
		if node.Slice != nil {
			s.subscript(node.Slice.Offset)
			s.subscript(node.Slice.Length)
		}
		e := node.Exp
		if e != nil && (e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull) && node.Param != nil {
			s.vars[node.Param.Value] = nil
		}
		if e != nil && e.Op == syntax.OtherParamOps && e.Word != nil && e.Word.Lit() == "P" {
			s.cannotSee("a shell runs the commands in the value of a variable (${name@P})")
		}
	case *syntax.ArithmCmd:
		if s.posix {
			s.cannotSee("some shells run the text in (( )) as a command")
		}
		s.calculates(node)
	case *syntax.ArrayElem:
		s.subscript(node.Index)
	case *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop:
		s.calculates(node)
	case *syntax.BinaryTest:
		if arithmeticTests[node.Op] {
			s.calculates(node)
		}
	case *syntax.Stmt:
		return s.reads(node)
	case *syntax.BinaryCmd:
		if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
			return s.pipe(node)
		}
	case *syntax.Assign:
		declaration, is := s.top.(*syntax.DeclClause)
		s.subscript(node.Index)
		s.mayHappen(node, is && slices.Contains(declaration.Args, node))
		return s.assign(node)
	case *syntax.CoprocClause:
		if node.Name != nil {
			s.vars[node.Name.Lit()] = nil
		}
	case *syntax.DeclClause:
		s.declaration(node)
	case *syntax.WordIter:
		return s.loop(node)
	case *syntax.CallExpr:
		return s.callExpr(node)
	case *syntax.Redirect:
		if node.Word != nil && writingTo[node.Op] {
			s.writesTo(s.word(node.Word))
		}
		if s.posix && (node.Op == syntax.RdrAll || node.Op == syntax.AppAll) && s.continues(node) {
			s.cannotSee("some shells end a command at &>, and run the words after it")
		}
		if node.Word != nil && (node.Op == syntax.RdrIn || node.Op == syntax.RdrInOut || node.Op == syntax.WordHdoc) {
			return s.cover(s.word(node.Word), false)
		}
	}
	return nil
}

// writingTo lists the redirections that write a file.
var writingTo = map[syntax.RedirOperator]bool{
	syntax.RdrOut: true, syntax.AppOut: true, syntax.RdrClob: true, syntax.AppClob: true, syntax.RdrInOut: true,
	syntax.RdrAll: true, syntax.RdrAllClob: true, syntax.AppAll: true, syntax.AppAllClob: true, syntax.DplOut: true,
}

// continues reports whether the line of a redirection has more words after it.
func (s *shellScope) continues(r *syntax.Redirect) bool {
	rest, _, _ := strings.Cut(s.text[min(int(r.End().Offset()), len(s.text)):], "\n")
	rest = strings.TrimLeft(rest, " \t")
	return rest != "" && !strings.ContainsAny(rest[:1], ";&|)}#")
}

// reads covers the texts that a shell gets as its input.
func (s *shellScope) reads(stmt *syntax.Stmt) error {
	s.stdin = nil
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	shell, reads := s.readsInput(call)
	for _, r := range stmt.Redirs {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		word := r.Hdoc
		switch r.Op {
		case syntax.WordHdoc, syntax.RdrIn:
			word = r.Word
		case syntax.Hdoc, syntax.DashHdoc:
		case syntax.DplIn, syntax.RdrInOut:
			s.stdin = append(s.stdin, arg{})
			continue
		default:
			continue
		}
		if word == nil {
			continue
		}
		a := s.word(word)
		switch r.Op {
		case syntax.RdrIn:
			s.stdin = append(s.stdin, arg{})
		case syntax.WordHdoc:
			s.stdin = append(s.stdin, a)
		default:
			a = s.document(word, isQuoted(r.Word))
			s.stdin = append(s.stdin, a)
		}
		if !reads {
			continue
		}
		if !a.known {
			s.cannotSee("the input of a shell is not known before the hook runs")
		}
		s.input = call
		texts := a.texts
		if a.fields {
			texts = []string{strings.Join(texts, " ")}
		}
		for _, text := range texts {
			run := s.started(shell).script
			if r.Op == syntax.RdrIn {
				run = s.started(shell).piped
			}
			if err := run(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// readsInput reports whether a call starts, or may start, a shell that reads its script from its input, and returns the
// name of the shell.
func (s *shellScope) readsInput(call *syntax.CallExpr) (shell string, reads bool) {
	args := s.words(call.Args)
	for i, a := range args {
		for _, text := range a.texts {
			if bash.Interpreter(text) == bash.Shell {
				return filepath.Base(text), shellReadsInput(args[i+1:])
			}
		}
		if i == 0 && !(a.known && len(a.texts) > 0 && isWrapper(a.texts[0])) {
			break
		}
	}
	return "", false
}

func isWrapper(name string) bool {
	_, is := bash.Wrappers[filepath.Base(name)]
	return is
}

// pipe covers the text that a shell reads from cat, echo or printf. The text of any other program is not known. The
// words of the two commands of the pipe are covered elsewhere.
func (s *shellScope) pipe(pipe *syntax.BinaryCmd) error {
	to, ok := pipe.Y.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	shell, reads := s.readsInput(to)
	if !reads {
		return nil
	}
	var words []string
	if from, ok := pipe.X.Cmd.(*syntax.CallExpr); ok {
		words = texts(s.words(from.Args))
	}
	s.input = to
	if len(words) == 2 && words[0] == "cat" && s.isSystems("cat") && !isOption(words[1]) {
		return s.started(shell).piped(words[1])
	}
	text, known := printed(words)
	if !known || !s.isSystems(words[0]) {
		s.cannotSee("the text that is piped into a shell is not known before the hook runs")
		return nil
	}
	return s.started(shell).script(text)
}

// isOption reports whether a word is, or may be, an option, or stands for standard input.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// printed returns the output of echo, and of printf with a plain text, "%s" or "%s\n" as its format. known is false for
// other calls, and for words that some shells change.
func printed(words []string) (text string, known bool) {
	if len(words) < 2 {
		return "", false
	}
	switch name, args := words[0], words[1:]; {
	case name == "echo":
		text = strings.Join(args, " ")
		return text, !isOption(text) && !strings.Contains(text, `\`)
	case name == "printf" && args[0] == `%s`:
		return strings.Join(args[1:], ""), true
	case name == "printf" && args[0] == `%s\n`:
		return strings.Join(args[1:], "\n"), true
	case name == "printf":
		return args[0], len(args) == 1 && !isOption(args[0]) && !strings.ContainsAny(args[0], `%\`)
	}
	return "", false
}

// loop records the values of a loop variable.
func (s *shellScope) loop(iter *syntax.WordIter) error {
	var values []string
	known := iter.InPos.IsValid()
	for _, a := range s.words(iter.Items) {
		known = known && a.known
		for _, text := range a.texts {
			values = append(values, s.existing(text)...)
			values = append(values, text)
		}
	}
	name := iter.Name.Value
	if loads(name) || configures(name) {
		s.cannotSee("the files that programs load through %s are not known before the hook runs", name)
	}
	s.c.changes(name, "")
	for _, value := range values {
		s.vars.set(name, value, known)
	}
	if !known {
		s.vars.set(name, "", false)
	}
	return nil
}

// source reads a file as shell text, regardless of its name.
func (s *shellScope) source(text string) error {
	return s.shellFiles(text, func(path string) scriptNames { return scriptNames{s.nameOf(text, path), s.names.zero} })
}

// piped covers a file that a shell reads as its input.
func (s *shellScope) piped(text string) error {
	return s.shellFiles(text, func(string) scriptNames { return scriptNames{} })
}

// shellFiles covers the files that a shell reads as shell text, if a word names them. names returns the names in such a
// file.
func (s *shellScope) shellFiles(text string, names func(path string) scriptNames) error {
	read := func(path string) error { return s.c.shellFile(path, names(path), s) }
	for _, path := range s.existing(text) {
		s.notDevice(path)
		if err := read(path); err != nil {
			return err
		}
	}
	s.missing(text)
	if strings.ContainsRune(text, '/') {
		return nil
	}
	return s.search(text, fmt.Sprint("source", names("")), read)
}

// callExpr covers the files of a call and of its assignments. A variable has the value before a call only during it.
func (s *shellScope) callExpr(node *syntax.CallExpr) error {
	var ended []string
	for _, a := range node.Assigns {
		switch _, assigned := s.vars[a.Name.Value]; {
		case len(node.Args) == 0:
			s.mayHappen(a, s.sure)
		case !assigned:
			ended = append(ended, a.Name.Value)
			fallthrough
		default:
			s.exported[a.Name.Value] = true
		}
		if err := s.assign(a); err != nil {
			return err
		}
	}
	s.fed = s.input == node
	args := s.words(node.Args)
	for i := range args {
		if s.proc.vanish && args[i].match {
			args[i].known, args[i].splits = false, true
		}
	}
	err := s.program(args)
	for _, name := range ended {
		s.vars.set(name, s.c.environ[name], true)
	}
	return err
}

// mayHappen keeps the value that a variable has before its first assignment, unless the assignment happens for certain.
func (s *shellScope) mayHappen(a *syntax.Assign, certain bool) {
	if a.Name == nil || certain {
		return
	}
	if _, assigned := s.vars[a.Name.Value]; !assigned {
		s.vars.set(a.Name.Value, s.c.environ[a.Name.Value], true)
	}
}

// declaration records the variables that export and similar builtins export, and those that local and similar builtins
// reset.
func (s *shellScope) declaration(clause *syntax.DeclClause) {
	s.exportsFunctions(clause)
	hides := slices.ContainsFunc(clause.Args, func(a *syntax.Assign) bool {
		return a.Name == nil && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "+")
	})
	resets := clause.Variant.Value == "local" || clause.Variant.Value == "declare" || clause.Variant.Value == "typeset"
	for _, a := range clause.Args {
		if a.Name == nil {
			continue
		}
		if hides { // declare +x: programs that the hook starts do not have it
			s.vars[a.Name.Value] = nil
			s.c.changes(a.Name.Value, "")
			continue
		}
		s.exported[a.Name.Value] = true // in doubt
		if _, assigned := s.vars[a.Name.Value]; assigned && resets && a.Naked {
			s.vars.set(a.Name.Value, "", true)
		}
	}
}

// exportsFunctions marks the hook unclear if the options of a declaration export functions to the shells that the hook
// starts.
func (s *shellScope) exportsFunctions(clause *syntax.DeclClause) {
	letters := ""
	for _, a := range clause.Args {
		if a.Name == nil && a.Value != nil && isOption(a.Value.Lit()) {
			letters += a.Value.Lit()
		}
	}
	if strings.Contains(letters, "f") && (clause.Variant.Value == "export" || strings.Contains(letters, "x")) {
		s.cannotSee("the hook exports functions to the shells that it starts")
	}
}

// assign records a value, and covers the files that it names.
func (s *shellScope) assign(a *syntax.Assign) error {
	switch {
	case a.Name == nil && a.Value != nil: // export "NAME=value"
		value := s.word(a.Value)
		if !value.known && !literalName.MatchString(s.source1(a.Value)) {
			s.cannotSee("the variables that the hook sets are not known before the hook runs")
		}
		return s.declared(value, s.ownPath("PATH", a.Value))
	case a.Name == nil:
		return nil
	case a.Value == nil:
		if a.Array != nil || !a.Naked {
			s.vars[a.Name.Value] = nil
			s.c.changes(a.Name.Value, "")
			if a.Array != nil && loads(a.Name.Value) {
				s.cannotSee("programs load files through %s", a.Name.Value)
			}
		}
		return nil
	}
	name, value := a.Name.Value, s.word(a.Value)
	values := value.texts
	if value.fields || len(values) == 0 {
		values = []string{strings.Join(values, " ")}
	}
	for _, each := range values {
		s.vars.set(name, each, value.known && !a.Append && a.Index == nil)
	}
	if !value.known && (loads(name) && !s.ownPath(name, a.Value) || configures(name)) {
		s.cannotSee("the files that programs load through %s are not known before the hook runs", name)
	}
	for _, text := range value.texts {
		if err := s.assigned(name, text); err != nil {
			return err
		}
	}
	return s.cover(value, false)
}

// declared covers the variable that a word such as NAME=value sets. own means that the word may set PATH to a value
// that is not fully known, as in export PATH=$HOME/bin:$PATH.
func (s *shellScope) declared(a arg, own bool) error {
	for _, text := range a.texts {
		if subscript.MatchString(text) {
			s.cannotSee("a text may be a subscript, for which a shell runs a program")
		}
		name, value, sets := strings.Cut(text, "=")
		name, appends := strings.CutSuffix(name, "+")
		switch {
		case !sets && strings.HasPrefix(text, "-") && strings.Contains(text, "n"):
			s.cannotSee("a variable refers to another variable by name (declare -n)")
		case !sets && strings.HasPrefix(text, "-") && strings.ContainsAny(text, "iluc"):
			s.cannotSee("a variable changes the values that it is given (declare %s)", text)
		case !sets:
		case !a.known && (loads(name) && !(own && name == "PATH") || configures(name)):
			s.cannotSee("the files that programs load through a variable are not known before the hook runs")
		default:
			s.vars.set(name, value, a.known && !appends)
			if err := s.assigned(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// arithmeticTests lists the operators of [[ that calculate with both sides.
var arithmeticTests = map[syntax.BinTestOperator]bool{
	syntax.TsEql: true, syntax.TsNeq: true, syntax.TsLeq: true, syntax.TsGeq: true, syntax.TsLss: true, syntax.TsGtr: true,
}

var (
	variableName   = lazyregexp.New(`[A-Za-z_]\w*`)
	arithmeticSets = lazyregexp.New(`[^=!<>]=[^=]|<<=|>>=|\+\+|--`)
)

// calculates records that the values of all variables in an arithmetic expression are not known, if the expression sets
// one. It marks the hook unclear if the value of a variable sets one, because a shell evaluates such values too.
func (s *shellScope) calculates(node syntax.Node) {
	text := s.source1(node)
	assigns := arithmeticSets.MatchString(text)
	for _, name := range variableName.FindAllString(text, -1) {
		if slices.ContainsFunc(s.vars[name], isFormula) {
			s.cannotSee("a shell calculates with %s, whose value it may calculate too", name)
		}
		if assigns {
			s.vars[name] = nil
		}
	}
}

// subscript records the variables that a subscript of an array sets, which a shell calculates.
func (s *shellScope) subscript(index syntax.ArithmExpr) {
	if word, is := index.(*syntax.Word); index != nil && (!is || word != nil && word.Lit() != "@" && word.Lit() != "*") {
		s.calculates(index)
	}
}

// isFormula reports whether a shell that calculates with a value may calculate more than a number.
func isFormula(value string) bool { return strings.Trim(value, " \t\n+-0123456789") != "" }

// literalName matches a quoted assignment whose name contains no expansion.
var literalName = lazyregexp.New(`^["']?\w+\+?=`)

// ownPath reports whether an assignment sets PATH to its old value plus known folders.
func (s *shellScope) ownPath(name string, w *syntax.Word) bool {
	return name == "PATH" && !strings.ContainsAny(strings.ReplaceAll(s.source1(w), "$PATH", ""), "$`")
}

// assigned covers the files that programs load because of a variable's value.
func (s *shellScope) assigned(name, value string) error {
	s.c.changes(name, value)
	switch {
	case name == "PATH" && (value == "" || strings.HasPrefix(value, ":") || strings.HasSuffix(value, ":") || strings.Contains(value, "::")):
		s.cannotSee("PATH has the directory in which a program runs")
	case (name == "BASH_ENV" || name == "ENV") && strings.ContainsAny(value, "$`~"):
		s.cannotSee("the file that %s names is not known before the hook runs", name)
	case configuring[name] && value != "":
		if slices.ContainsFunc(s.paths(value), s.c.below) {
			s.cannotSee("programs read their settings from the folder that %s names", name)
		}
	case starting[name] && value != "":
		if clearPrograms[value] == nil {
			s.cannotSee("programs start the program that %s names", name)
		}
	case value == "" || harmless[name] || !loads(name) && !folders(name):
	case name == "BASH_ENV" || name == "ENV":
		return s.shellFiles(value, func(path string) scriptNames { return scriptNames{source: path} })
	case name == "GIT_DIR":
		s.repository(s.paths(value))
	case folders(name) || name == "LD_PRELOAD":
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == ' ' }) {
			if name == "PATH" {
				s.addPath(part)
			}
			if err := s.directory(part, name == "PATH"); err != nil {
				return err
			}
			if name != "PATH" && loads(name) && slices.ContainsFunc(s.paths(part), s.c.below) {
				s.cannotSee("programs load files through %s", name)
			}
		}
	default:
		s.cannotSee("programs load files through %s", name)
	}
	return nil
}

// call covers the files of a program whose arguments are known texts.
func (s *shellScope) call(words []string) error {
	args := make([]arg, len(words))
	for i, word := range words {
		args[i] = arg{texts: []string{word}, known: true}
	}
	return s.program(args)
}

// program covers the files of one call.
func (s *shellScope) program(args []arg) error {
	if len(args) == 0 {
		return nil
	}
	if !writing[args[0].base()] {
		for i, a := range args {
			if err := s.cover(a, i == 0); err != nil {
				return err
			}
		}
	}
	return s.runs(args)
}

// runs covers the program that the first word names, for each of its possible values.
func (s *shellScope) runs(args []arg) error {
	if err := s.c.spent(); err != nil || len(args) == 0 {
		return err
	}
	if !args[0].known || len(args[0].texts) == 0 {
		s.cannotSee("the program that a command starts is not known before the hook runs")
	}
	for _, text := range args[0].texts {
		read, err := s.resolve(text)
		if err != nil {
			return err
		}
		if !args[0].known || read && strings.ContainsRune(text, '/') {
			continue // of a file of the project the text decides, and not the name
		}
		if err := (programCall{s, filepath.Base(text), args[1:]}).judge(read); err != nil {
			return err
		}
	}
	return nil
}

// subscript matches a subscript of an array that contains a command.
var subscript = lazyregexp.New("(?s)\\w\\[.*(?:\\$\\(|`).*\\]")

// cover covers the files that a word may name, and the code that the word may contain. first is set for the first word
// of a command.
func (s *shellScope) cover(a arg, first bool) error {
	for _, text := range a.texts {
		if subscript.MatchString(text) {
			s.cannotSee("a text may be a subscript, for which a shell runs a program")
		}
		look := s.mentioned
		if first {
			look = s.existing
		}
		for _, name := range names(text) {
			for _, path := range look(name) {
				if !s.c.below(path) &&
					(isSystems(path) || !isScript(path) && !(first && hasFolder(text))) {
					continue // a file of the system, or neither a script nor a program named by its path
				}
				from := s.naming(text)
				if _, err := s.c.file(path, first && !s.quiet, &from); err != nil {
					return err
				}
			}
		}
		if strings.ContainsAny(text, " \t\n;|&`$()<>") && len(text) > 1 {
			inner := s.fork()
			inner.quiet = true
			if err := inner.script(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// eval covers the text that eval, or a program like it, runs: its arguments with blanks between them.
func (s *shellScope) eval(args []arg) error {
	var words []string
	for _, a := range args {
		if !a.known || a.match || len(a.texts) > 1 && !a.fields {
			s.cannotSee("the text that eval runs is not known before the hook runs")
			return nil
		}
		words = append(words, a.texts...)
	}
	return s.script(strings.Join(words, " "))
}

// writesTo records that the hook writes the files that a word names.
func (s *shellScope) writesTo(a arg) {
	if s.quiet {
		return
	}
	for _, text := range a.texts {
		for _, name := range names(text) {
			if strings.Trim(name, "0123456789") == "" || isOption(name) {
				continue // a descriptor, as in >&2, or an option
			}
			paths, _ := s.named(name, listed)
			for _, path := range paths {
				// Of -rn, "n" is hardly a file; of -oFILE, FILE is.
				if _, err := s.c.stat(path); err == nil || !isOption(text) || strings.Contains(text, "=") {
					s.c.written[path] = true
				}
			}
		}
	}
}

// changeDir adds the directories to which cd may change.
func (s *shellScope) changeDir(args []arg) {
	if s.proc.relative {
		s.cannotSee("PATH has a folder that is another one in each directory to which the hook changes")
	}
	if len(args) == 0 && s.c.environ["HOME"] != "" {
		s.addDir(within(s.c.dir, s.c.environ["HOME"]))
	}
	for _, a := range args {
		if !a.known {
			s.cannotSee("the directory that the hook changes to is not known before the hook runs")
			return
		}
		for _, text := range a.texts {
			if text == "--" || text == "-P" || text == "-L" {
				continue
			}
			paths := s.paths(text)
			some := slices.ContainsFunc(paths, s.c.isDir)
			for _, path := range paths {
				if (s.again || some) && !slices.Contains(s.dirs, path) && !s.c.isDir(path) {
					s.c.absent(path, s.quiet) // cd fails as long as the directory does not exist
					continue
				}
				s.addDir(path)
			}
		}
	}
}
