package trust

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
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
	c     *fileCollector
	path  string              // the script; empty for the command of a hook
	dirs  []string            // the possible working directories
	vars  map[string][]string // the assigned values; nil: not known
	proc  *shellProcess
	stdin []arg            // texts that the current command reads as its input
	input *syntax.CallExpr // a call of a shell whose input has been read as a script
	fed   bool             // the current command is the call in the field input
	again bool             // the text is read again, because a variable or directory has a new possible value
	quiet bool             // the text may never run: parts that cannot be analysed do not make the hook unclear
	text  string
}

// shellProcess is a shell with its functions. Only after its whole text has been read is it known which of the called
// names are functions.
type shellProcess struct {
	functions map[string]bool
	repeats   bool     // the text has a function, a loop or a trap, whose commands may run after later assignments
	unknown   []string // programs that may run anything, unless a function has their name
	path      []string // folders of the project that the text adds to PATH
}

func newScope(c *fileCollector, path string) *shellScope {
	s := &shellScope{c: c, path: path, dirs: slices.Clone(c.workDirs), vars: map[string][]string{}}
	s.proc = &shellProcess{functions: map[string]bool{}}
	c.procs = append(c.procs, s.proc)
	if path != "" {
		for _, dir := range c.folderOf(path) {
			s.addDir(dir)
		}
	}
	return s
}

// folderOf returns the folder of a file, as named and with links resolved.
func (l *lookUps) folderOf(path string) []string {
	dirs := []string{filepath.Dir(path)}
	if real, err := l.real(path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	return dirs
}

func (s *shellScope) addDir(dir string) {
	switch {
	case slices.Contains(s.dirs, dir):
	case len(s.dirs) < mostDirs:
		s.dirs = append(s.dirs, dir)
	default:
		s.cannotSee("the hook may run in more than %d directories", mostDirs)
	}
}

// set adds a possible value of a variable; known is false if it may have others.
func (s *shellScope) set(name, value string, known bool) {
	values, assigned := s.vars[name]
	switch {
	case !known || assigned && values == nil || len(values) >= mostValues:
		s.vars[name] = nil
	case !slices.Contains(values, value):
		s.vars[name] = append(slices.Clone(values), value)
	}
}

// values counts the possible values of all variables, the possible directories and the functions. Each new value,
// directory or function makes the number grow.
func (s *shellScope) values() int {
	n := len(s.dirs) + len(s.proc.path) + len(s.proc.functions)
	for _, values := range s.vars {
		if n += len(values); values == nil {
			n += mostValues + 1
		}
	}
	return n
}

// first reports whether a file has not been read before, or only as a text that may never run.
func (s *shellScope) first(read map[string]bool, key string) bool {
	if read[key] || s.quiet && read[key+"\x00quiet"] {
		return false
	}
	if s.quiet {
		key += "\x00quiet"
	}
	read[key] = true
	return true
}

// separate returns the scope of another process: the functions of s do not exist there.
func (s *shellScope) separate() *shellScope {
	inner := s.fork()
	inner.proc = s.newProcess()
	return inner
}

// newProcess returns a process without functions. It searches the same folders as the process of s.
func (s *shellScope) newProcess() *shellProcess {
	p := &shellProcess{functions: map[string]bool{}, path: slices.Clip(s.proc.path)}
	s.c.procs = append(s.c.procs, p)
	return p
}

// fork returns the scope of a subshell of s.
func (s *shellScope) fork() *shellScope {
	inner := *s
	inner.dirs, inner.vars = slices.Clone(s.dirs), maps.Clone(s.vars)
	return &inner
}

func (s *shellScope) cannotSee(format string, args ...any) {
	if !s.quiet {
		s.c.cannotSee(format, args...)
	}
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
	defer func(was bool) { s.again = was }(s.again)
	for range mostPasses {
		before := s.values()
		for stmt, wrong := range bash.Stmts(text) { // a shell also runs the statements before a syntax error
			if wrong != nil {
				s.cannotSee("a script of the hook cannot be read: %v", wrong)
				return nil
			}
			for node := range bash.Nodes(stmt) {
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
		e := node.Exp
		if e != nil && (e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull) && node.Param != nil {
			s.vars[node.Param.Value] = nil
		}
	case *syntax.Stmt:
		return s.reads(node)
	case *syntax.BinaryCmd:
		if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
			return s.pipe(node)
		}
	case *syntax.Assign:
		return s.assign(node)
	case *syntax.WordIter:
		return s.loop(node)
	case *syntax.CallExpr:
		for _, a := range node.Assigns {
			if err := s.assign(a); err != nil {
				return err
			}
		}
		s.fed = s.input == node
		return s.program(s.words(node.Args))
	case *syntax.Redirect:
		if node.Word != nil && (node.Op == syntax.RdrIn || node.Op == syntax.RdrInOut || node.Op == syntax.WordHdoc) {
			return s.cover(s.word(node.Word), false)
		}
	}
	return nil
}

// reads covers the texts that a shell gets as its input.
func (s *shellScope) reads(stmt *syntax.Stmt) error {
	s.stdin = nil
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	shell := s.readsInput(call)
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
		if !shell {
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
			run := s.separate().script
			if r.Op == syntax.RdrIn {
				run = s.source
			}
			if err := run(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// readsInput reports whether a call starts, or may start, a shell that reads its script from its input.
func (s *shellScope) readsInput(call *syntax.CallExpr) bool {
	args := s.words(call.Args)
	for i, a := range args {
		if slices.ContainsFunc(a.texts, func(text string) bool { return bash.Interpreter(text) == bash.Shell }) {
			return shellReadsInput(args[i+1:])
		}
		if i == 0 && !(a.known && len(a.texts) > 0 && isWrapper(a.texts[0])) {
			break
		}
	}
	return false
}

// shellReadsInput reports whether a shell with these arguments reads, or may read, its script from its input.
func shellReadsInput(args []arg) bool {
	for i := 0; i < len(args); i++ {
		if !args[i].known || len(args[i].texts) != 1 {
			return true
		}
		switch option := args[i].texts[0]; {
		case shellWords[option] || option == "--rcfile" || option == "--init-file":
			i++
		case option == "--" || option == "-":
			return i+1 >= len(args)
		case strings.HasPrefix(option, "--"):
		case !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "+"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "c"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "s"):
			return true
		}
	}
	return true
}

func isWrapper(name string) bool {
	_, is := bash.Wrappers[filepath.Base(name)]
	return is
}

// pipe covers the text that a shell reads from cat, echo or printf. The text of any other program is not known. The
// words of the two commands of the pipe are covered elsewhere.
func (s *shellScope) pipe(pipe *syntax.BinaryCmd) error {
	to, ok := pipe.Y.Cmd.(*syntax.CallExpr)
	if !ok || !s.readsInput(to) {
		return nil
	}
	var words []string
	if from, ok := pipe.X.Cmd.(*syntax.CallExpr); ok {
		words = texts(s.words(from.Args))
	}
	s.input = to
	if len(words) == 2 && words[0] == "cat" && s.isSystems("cat") && !isOption(words[1]) {
		return s.source(words[1])
	}
	text, known := printed(words)
	if !known || !s.isSystems(words[0]) {
		s.cannotSee("the text that is piped into a shell is not known before the hook runs")
		return nil
	}
	return s.separate().script(text)
}

// isSystems reports whether a name certainly means the builtin, or the program of the system, and not a function or a
// program of the project.
func (s *shellScope) isSystems(name string) bool {
	return !s.proc.functions[name] && len(s.proc.path) == 0 && !slices.ContainsFunc(s.c.searchPath(), s.c.below)
}

// isOption reports whether a word is, or may be, an option, or stands for standard input.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// texts returns the words of a command, or nil if any word is not known.
func texts(args []arg) []string {
	words := make([]string, len(args))
	for i, a := range args {
		if !a.known || len(a.texts) != 1 {
			return nil
		}
		words[i] = a.texts[0]
	}
	return words
}

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
	for _, value := range values {
		s.set(iter.Name.Value, value, known)
	}
	if !known {
		s.set(iter.Name.Value, "", false)
	}
	return nil
}

// directory covers everything below a directory of the project, or a file.
func (s *shellScope) directory(text string) error {
	for _, path := range s.paths(text) {
		info, err := s.c.stat(path)
		switch {
		case err != nil || !s.c.below(path):
		case !info.IsDir():
			if _, err := s.c.file(path, true); err != nil {
				return err
			}
		case path == s.c.dir:
			s.cannotSee("the hook searches the whole project, so any file of the project may run")
		default:
			err := s.c.walk(path, func(file string) error { _, err := s.c.file(file, false); return err })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// notDevice marks the hook unclear if a script is a device such as /dev/stdin, whose text is known only while the hook
// runs.
func (s *shellScope) notDevice(path string) {
	info, err := s.c.stat(path)
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		s.cannotSee("the text that the hook reads from %s is not known before the hook runs", path)
	}
}

// source reads a file as shell text, regardless of its name.
func (s *shellScope) source(text string) error {
	for _, path := range s.existing(text) {
		s.notDevice(path)
		if err := s.c.shellFile(path, s); err != nil {
			return err
		}
	}
	s.missing(text)
	if strings.ContainsRune(text, '/') {
		return nil
	}
	return s.search(text, "source", func(path string) error { return s.c.shellFile(path, s) })
}
